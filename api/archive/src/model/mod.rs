//! What the archive keeps, in words of its own: records handed in and judged, changes with their authors and reasons,
//! cards that lists are made of. No SQL and no HTTP.

use chrono::{DateTime, NaiveDate, Utc};
use quipu_notation::{games::GameNotation, record::Format};
use quipu_referee::{Points, Status};

mod facts;
mod live;
mod submission;
mod token;
mod tokenize;
mod verdict;

pub use facts::Facts;
pub use live::{Draft, Live};
pub use submission::Submission;
pub use token::TokenText;
pub(crate) use tokenize::words;
pub use verdict::{Judgement, StoredDiagnostic};
pub(crate) use verdict::{read_points, write_points};

/// Number of a change: the order of entry of everything that happened to an archive, from 1. A record has the number of
/// the change that brought it.
pub type Number = i64;

/// SHA-256 of the canonical text of a record; of what cannot be read as a record of a known game, of its bytes.
pub type Id = [u8; 32];

/// Who changes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The token or program that handed it in.
    pub submitter: String,
    /// Who decided it, where that is said.
    pub author: Option<String>,
    /// Why, where that is said.
    pub reason: Option<String>,
}

/// Whether a record counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It stands.
    Current,
    /// Another record was put in its place.
    Corrected,
    /// It was taken back.
    Retracted,
}

/// What happened to an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A record came in.
    Record,
    /// A record was judged again, and otherwise.
    Verdict,
    /// A record was put in the place of another.
    Correction,
    /// A record was taken back.
    Retraction,
    /// Two names are one player.
    Merge,
    /// A correction, retraction or merge was undone.
    Undo,
}

/// One thing that happened. Changes are only ever added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number.
    pub number: Number,
    /// When it was stored.
    pub at: DateTime<Utc>,
    /// What it was.
    pub kind: Kind,
    /// Who did it, and why.
    pub by: By,
    /// The record it brought or is about.
    pub record: Option<Id>,
    /// Of a correction, the record that was corrected.
    pub corrects: Option<Id>,
    /// Of a merge, the name that is merged and the name it is merged into.
    pub names: Option<[String; 2]>,
    /// Of an undo, the change that was undone.
    pub undoes: Option<Number>,
    /// The change that undid it, if one did.
    pub undone_by: Option<Number>,
}

/// A record as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Its number in the order of entry.
    pub number: Number,
    /// Its id.
    pub id: Id,
    /// When it was stored.
    pub at: DateTime<Utc>,
    /// Whether it stands.
    pub state: State,
    /// What the referee says of it.
    pub status: Status,
    /// The game, if known.
    pub game: Option<&'static GameNotation>,
    /// The event, if it names one: its number and its name.
    pub event: Option<(i64, String)>,
    /// The round, if it names one.
    pub round: Option<String>,
    /// Side 1 first: number and name of the player, as the record names them.
    pub players: [Option<(i64, String)>; 2],
    /// The day it was played.
    pub date: Option<NaiveDate>,
    /// What the referee found.
    pub result: Option<String>,
    /// How it ended.
    pub termination: Option<String>,
    /// What both sides counted.
    pub points: Option<Points>,
    /// Lawful plies.
    pub plies: Option<u64>,
}

/// A record as it was handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its number.
    pub number: Number,
    /// The form it came in.
    pub form: Format,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its canonical text, where it can be read.
    pub canonical: Option<String>,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Current, Self::Corrected, Self::Retracted];

    /// As data has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Corrected => "corrected",
            Self::Retracted => "retracted",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Record, Self::Verdict, Self::Correction, Self::Retraction, Self::Merge, Self::Undo];

    /// As data has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Verdict => "verdict",
            Self::Correction => "correction",
            Self::Retraction => "retraction",
            Self::Merge => "merge",
            Self::Undo => "undo",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
