//! Changes: their kinds and origins.

use chrono::{DateTime, Utc};
use quipu_referee::is_active;

use super::{Id, Number};

/// Origin of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// Name of the token or program.
    pub submitter: String,
    /// Person that decided it, if given.
    pub author: Option<String>,
    /// Reason, if given.
    pub reason: Option<String>,
}

/// An invalid text of a decision: too long, blank or with control characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitText {
    /// The reason is blank or longer than [`Attribution::REASON`].
    Reason,
    /// The author is blank, longer than [`Attribution::AUTHOR`], or has control characters.
    Author,
}

impl Attribution {
    /// Most characters of a reason.
    pub const REASON: usize = 2_000;
    /// Most characters of the name of an author.
    pub const AUTHOR: usize = 200;

    /// The origin of a decision about stored records or a tournament.
    ///
    /// # Errors
    /// The invalid text.
    pub fn decision(submitter: String, reason: Option<&str>, author: Option<String>) -> Result<Self, UnfitText> {
        let fits = |text: &str, max| text.chars().count() <= max && !text.trim().is_empty();
        if reason.is_some_and(|reason| !fits(reason, Self::REASON)) {
            return Err(UnfitText::Reason);
        }
        if author.as_ref().is_some_and(|author| !fits(author, Self::AUTHOR) || author.contains(is_active)) {
            return Err(UnfitText::Author);
        }
        Ok(Self { submitter, author, reason: reason.map(str::to_owned) })
    }
}

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// A record was added.
    Record,
    /// A record got another verdict.
    Verdict,
    /// A record replaced another.
    Correction,
    /// A record was retracted.
    Retraction,
    /// A name was merged into another.
    Merge,
    /// A tournament was created or changed.
    Tournament,
    /// A correction, a retraction, a merge or a change of a tournament was undone.
    Undo,
}

/// A change. Changes are only appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number.
    pub number: Number,
    /// Time of the commit.
    pub at: DateTime<Utc>,
    /// Its kind.
    pub kind: ChangeKind,
    /// Its origin.
    pub by: Attribution,
    /// Id of the record that it added or is about.
    pub record: Option<Id>,
    /// Id of the corrected record, in a correction.
    pub corrects: Option<Id>,
    /// The merged name and the name that it is merged into, in a merge.
    pub names: Option<[String; 2]>,
    /// Number of the tournament that it creates or changes.
    pub tournament: Option<Number>,
    /// Number of the undone change, in an undo.
    pub undoes: Option<Number>,
    /// Number of the change that undid it, if any.
    pub undone_by: Option<Number>,
}

impl ChangeKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Record, Self::Verdict, Self::Correction, Self::Retraction, Self::Merge, Self::Tournament, Self::Undo];

    /// Name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Verdict => "verdict",
            Self::Correction => "correction",
            Self::Retraction => "retraction",
            Self::Merge => "merge",
            Self::Tournament => "tournament",
            Self::Undo => "undo",
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
