//! Progress of operations on a whole archive.

use crate::model::Number;

/// Changes between two reports.
pub(super) const EVERY: Number = 1_000;

/// Progress of a long operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current step.
    pub step: Step,
    /// Amount that is done.
    pub done: u64,
    /// Amount of the whole step.
    pub all: u64,
}

impl Progress {
    /// Negative numbers count as 0.
    pub(super) fn of(step: Step, done: i64, all: i64) -> Self {
        let count = |number| u64::try_from(number).unwrap_or_default();
        Self { step, done: count(done), all: count(all) }
    }
}

/// A step of a long operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Checks of the file.
    File,
    /// Records, by the numbers of changes.
    Records,
    /// Receipts of the receipt log.
    Receipts,
    /// Derived tables, by the numbers of changes.
    Derived,
    /// Pages of a backup.
    Pages,
}
