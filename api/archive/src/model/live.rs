//! Games in progress: records without an end, which are not part of the history.

use chrono::{DateTime, Utc};
use quipu_notation::games::{self, GameNotation};

use super::{Id, Number, Submission};

/// A game in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// Its number.
    pub number: Number,
    /// Name of the token that opened it.
    pub submitter: String,
    /// Time when it was opened.
    pub opened: DateTime<Utc>,
    /// Time when it was saved last.
    pub changed: DateTime<Utc>,
    /// Version, which grows each time that it is saved.
    pub version: Number,
    /// Id of the record, if the game is finished.
    pub finished: Option<Id>,
    /// The record so far.
    pub draft: Draft,
    /// The clocks at the last save.
    pub clocks: Clocks,
}

/// The clocks of a game in progress, as far as the client that scores it has reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Milliseconds left of each side, side 1 first.
    pub left: [Option<u64>; 2],
    /// True if the clock of the side to move runs, false if the clocks are stopped.
    pub running: Option<bool>,
}

/// A record without an end, with the columns of lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Text of the record.
    pub text: String,
    /// The game.
    pub game: &'static GameNotation,
    /// The event, if the record names one.
    pub event: Option<String>,
    /// The round, if the record names one.
    pub round: Option<String>,
    /// Names of the players, side 1 first.
    pub players: [Option<String>; 2],
    /// Number of legal plies.
    pub plies: u64,
}

impl Draft {
    /// Maximal bytes of the text.
    pub const MOST: usize = 256 * 1024;

    /// The draft of a submission; none if no legal play can follow.
    pub fn new(submission: &Submission) -> Option<Self> {
        let verdict = &submission.verdict;
        verdict.position.as_ref()?;
        let source = || String::from_utf8(submission.source.clone()).ok();
        let facts = &submission.facts;
        Some(Self {
            text: submission.canonical.clone().or_else(source)?,
            game: verdict.game.and_then(games::find)?,
            event: facts.event.clone(),
            round: facts.round.clone(),
            players: facts.players.clone(),
            plies: verdict.plies?,
        })
    }
}
