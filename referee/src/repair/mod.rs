//! Readings of a rejected sheet: the legal games closest to what is written, the cheapest first.
//!
//! A reading changes the sheet by slips of single tokens ([`crate::slips`]) and by slips of plies ([`PLY_SLIPS`]). Their
//! costs add up. Every reading is legal to its end and contradicts no claim of the record. `search` finds them.

mod merge;
mod odds;
mod search;

pub(crate) use merge::merged;
pub use merge::{Disputed, DisputedReading, Merged, SheetOf};
pub use search::MOST_READINGS;
pub(crate) use search::readings;

use crate::slips::{Cost, SLIPS};
use odds::likelihood;

/// A kind of slip of whole plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlySlip {
    /// A ply that is not written.
    Omitted,
    /// A ply that is written twice, one after the other.
    Doubled,
    /// Two plies, one after the other, that changed places.
    Swapped,
    /// The plies of both sides in each other's column, in two rows or more.
    Columns,
    /// A result, points or a termination that the board contradicts.
    Claim,
    /// A clock that cannot be right.
    Clock,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct PlySlipRow {
    /// The kind.
    pub kind: PlySlip,
    /// Its name in reports.
    pub name: &'static str,
    /// Key of its word, a noun phrase.
    pub word: &'static str,
    /// Cost of one slip of this kind, on the scale of [`crate::slips::SLIPS`].
    pub cost: Cost,
}

/// The slips of plies, in the order of [`PlySlip`].
pub const PLY_SLIPS: &[PlySlipRow] = &[
    PlySlipRow { kind: PlySlip::Omitted, name: "omitted", word: "slip.omitted", cost: 29 },
    PlySlipRow { kind: PlySlip::Doubled, name: "doubled", word: "slip.doubled", cost: 18 },
    PlySlipRow { kind: PlySlip::Swapped, name: "swapped", word: "slip.swapped", cost: 33 },
    PlySlipRow { kind: PlySlip::Columns, name: "columns", word: "slip.columns", cost: 40 },
    PlySlipRow { kind: PlySlip::Claim, name: "claim-of-record", word: "slip.claim-of-record", cost: 38 },
    PlySlipRow { kind: PlySlip::Clock, name: "clock", word: "slip.clock", cost: 25 },
];

impl PlySlip {
    /// Its row.
    pub const fn row(self) -> &'static PlySlipRow {
        &PLY_SLIPS[self as usize]
    }
}

/// A change that makes a sheet a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The ply of the repaired game, from 1; of a ply that is taken out, the one that follows; of a claim, the last.
    pub ply: u64,
    /// Name of the slip that is undone; of a claim, its tag.
    pub kind: &'static str,
    /// The written text: one token, several of plies that changed places, none of an omitted ply.
    pub from: Option<String>,
    /// The text read instead, none of a doubled ply.
    pub to: Option<String>,
}

/// A legal game that a sheet may be of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Cost of all its edits; 0 if the sheet is legal as it is.
    pub cost: Cost,
    /// Canonical tokens.
    pub moves: Vec<String>,
    /// The changes, in the order of the plies.
    pub edits: Vec<Edit>,
    /// For each move the written ply that it is read from, from 0; none of an omitted one.
    pub written: Vec<Option<usize>>,
}

/// The readings of a sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// The cheapest ones, the cheapest first.
    pub readings: Vec<Reading>,
    /// True if the first may be trusted: the search was complete and there is little doubt.
    pub is_clear: bool,
    /// False if the search hit its bound, so that there may be cheaper readings.
    pub is_complete: bool,
    /// Likelihood of other readings relative to the first, in millionths: the others that were found, and those that have one slip
    /// more, which the record does not betray.
    pub doubt: u64,
}

/// The doubt up to which a reading is clear.
const DOUBT: u64 = 100_000;

/// The most that a clear reading may cost.
const TRUSTED: Cost = 150;

impl Edit {
    /// Key of the word for the slip that is undone.
    pub fn word(&self) -> &'static str {
        let of_token = SLIPS.iter().map(|row| (row.name, row.word));
        let mut rows = of_token.chain(PLY_SLIPS.iter().map(|row| (row.name, row.word)));
        rows.find(|(name, _)| *name == self.kind).map_or(PlySlip::Claim.row().word, |(_, word)| word)
    }
}

impl Readings {
    /// Cost of the second reading beyond that of the first; none if there is no other.
    pub fn margin(&self) -> Option<Cost> {
        let [first, second, ..] = &*self.readings else { return None };
        Some(second.cost - first.cost)
    }

    /// The readings of a search, in order. `unnoticed` are the costs of slips with which the first would be as good.
    fn new(readings: Vec<Reading>, is_complete: bool, unnoticed: &[Cost]) -> Self {
        let first = readings.first().map_or(0, |first| first.cost);
        let others = readings.iter().skip(1).map(|other| likelihood(other.cost - first));
        let doubt = others.chain(unnoticed.iter().map(|cost| likelihood(*cost))).sum();
        let is_clear = is_complete && !readings.is_empty() && first <= TRUSTED && doubt <= DOUBT;
        Self { readings, is_clear, is_complete, doubt }
    }
}
