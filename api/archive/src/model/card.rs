//! Records as lists show them, their states and sources.

use chrono::{DateTime, NaiveDate, Utc};
use quipu_notation::{
    games::GameNotation,
    record::{Chunk, Format},
};
use quipu_referee::{Points, Status};
use serde::{Deserialize, Serialize};

use super::{Id, Number};

/// A record as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Number, which is its place in the order of entry.
    pub number: Number,
    /// Its id.
    pub id: Id,
    /// Time when it was stored.
    pub at: DateTime<Utc>,
    /// Its state.
    pub state: RecordState,
    /// Status of the verdict.
    pub status: Status,
    /// The game, if known.
    pub game: Option<&'static GameNotation>,
    /// Number and name of the event, if the record names one.
    pub event: Option<(i64, String)>,
    /// The round, if the record names one.
    pub round: Option<String>,
    /// Number and name of each player as in the record, side 1 first.
    pub players: [Option<(i64, String)>; 2],
    /// The day of play.
    pub date: Option<NaiveDate>,
    /// Result of the verdict.
    pub result: Option<String>,
    /// Termination of the verdict.
    pub termination: Option<String>,
    /// Points of both sides.
    pub points: Option<Points>,
    /// Number of legal plies.
    pub plies: Option<u64>,
    /// The record of another sheet that counts for the same game, so that this one does not.
    pub sheet_of: Option<Id>,
}

/// The source of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its number.
    pub number: Number,
    /// Its format.
    pub format: Format,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Canonical text, if it can be read and is not the source itself.
    pub canonical: Option<String>,
}

impl Source {
    /// The canonical text, or the submitted bytes if the record is unreadable or identical to them.
    pub fn chunk(&self) -> Chunk<'_> {
        match &self.canonical {
            Some(text) => Chunk::in_format(text.as_bytes(), Format::Quipu),
            None => Chunk::in_format(&self.bytes, self.format),
        }
    }
}

/// State of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordState {
    /// It counts.
    Current,
    /// Another record replaced it.
    Corrected,
    /// It was retracted.
    Retracted,
}

impl RecordState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Current, Self::Corrected, Self::Retracted];

    /// Name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Corrected => "corrected",
            Self::Retracted => "retracted",
        }
    }

    /// The state with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}
