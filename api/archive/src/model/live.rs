//! Games that are being kept: records that are not at their end, as they stand. They are no part of what happened.

use chrono::{DateTime, Utc};
use quipu_notation::games::{self, GameNotation};

use super::{Id, Number, Submission};

/// A game that is being kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// Its number.
    pub number: Number,
    /// The token that opened it.
    pub submitter: String,
    /// When it was opened.
    pub opened: DateTime<Utc>,
    /// When it was saved last.
    pub changed: DateTime<Utc>,
    /// How often it was saved; it grows each time.
    pub version: Number,
    /// The record that came of it, if it is finished.
    pub finished: Option<Id>,
    /// What it is.
    pub draft: Draft,
}

/// A record that is not at its end, and what lists show of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Its text.
    pub text: String,
    /// The game.
    pub game: &'static GameNotation,
    /// The event, if it names one.
    pub event: Option<String>,
    /// The round, if it names one.
    pub round: Option<String>,
    /// Who plays, side 1 first, as far as that is said.
    pub players: [Option<String>; 2],
    /// Lawful plies.
    pub plies: u64,
}

impl Draft {
    /// Bytes of its text at the most.
    pub const MOST: usize = 256 * 1024;

    /// The draft that was handed in; nothing if there is nothing to play on.
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
