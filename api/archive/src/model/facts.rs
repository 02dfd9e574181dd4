//! What is known of a record besides its verdict: what it is found by, and what it counts for.

use chrono::NaiveDate;
use quipu_notation::{Side, games::GameNotation, record::Record};
use quipu_referee::{
    Verdict,
    competition::{self, Aliases, Entry, Start},
};

use super::words;

/// The facts of one record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The game, if known.
    pub game: Option<&'static GameNotation>,
    /// The event, if it names one.
    pub event: Option<String>,
    /// The round, if it names one.
    pub round: Option<String>,
    /// Who played, side 1 first, as far as that is said.
    pub players: [Option<String>; 2],
    /// The day it was played: `UTCDate`, or else `Date`, where that is a whole date.
    pub date: Option<NaiveDate>,
    /// What a search looks in: the words of its tags, without their case and marks.
    pub text: String,
    /// What it counts for, if it counts. Its place is for the archive to say.
    pub entry: Option<Entry>,
}

impl Facts {
    /// What a record says, with the verdict on it.
    pub fn new(record: &Record<'_>, verdict: &Verdict) -> Self {
        let game = record.game();
        let said = |name: &str| competition::said(record, name).map(str::to_owned);
        let player = |side| game.and_then(|game| said(game.side(side).tag));
        let day = |name: &str| Start::new(record.value(name), None).date();
        let values = record.tags.iter().filter(|tag| !matches!(&*tag.name, "Game" | "Rules" | "Setup" | "Result"));
        Self {
            game,
            event: said("Event"),
            round: said("Round"),
            players: [player(Side::One), player(Side::Two)],
            date: day("UTCDate").or_else(|| day("Date")),
            text: words(&values.map(|tag| &*tag.value).collect::<Vec<_>>().join("\n")),
            entry: Entry::new(0, record, verdict, &Aliases::default()).ok(),
        }
    }
}
