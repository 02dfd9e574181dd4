//! Facts of a record besides its verdict: the columns of lists, the text of searches, and the entry in competitions.

use chrono::NaiveDate;
use quipu_notation::{Side, games::GameNotation, record::Record};
use quipu_referee::{
    Verdict,
    competition::{self, Aliases, Entry, HashedSheet, Moves, Sheet, Start},
};

use super::words;

/// The facts of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The game, if known.
    pub game: Option<&'static GameNotation>,
    /// The event, if the record names one.
    pub event: Option<String>,
    /// The round, if the record names one.
    pub round: Option<String>,
    /// Names of the players, side 1 first.
    pub players: [Option<String>; 2],
    /// The day of play: `UTCDate`, or else `Date`, if that is a complete date.
    pub date: Option<NaiveDate>,
    /// The text of the search index: the words of the tags, without case and diacritics.
    pub text: String,
    /// The entry, if the game counts. The archive sets its place.
    pub entry: Option<Entry>,
    /// Decides which other records are sheets of the same game. It is without moves.
    pub sheet: Option<HashedSheet>,
}

impl Facts {
    /// The facts of a record with a verdict on it. `moves` are those of its canonical text.
    pub fn new(record: &Record<'_>, verdict: &Verdict, moves: impl FnOnce() -> Moves) -> Self {
        let game = record.game();
        let value_of = |name: &str| competition::known_value(record, name).map(str::to_owned);
        let player = |side| game.and_then(|game| value_of(game.side(side).tag));
        let day = |name: &str| Start::new(record.value(name), None).date();
        let values = record.tags.iter().filter(|tag| !matches!(&*tag.name, "Game" | "Rules" | "Setup" | "Result"));
        Self {
            game,
            event: value_of("Event"),
            round: value_of("Round"),
            players: [player(Side::One), player(Side::Two)],
            date: day("UTCDate").or_else(|| day("Date")),
            text: words(&values.map(|tag| &*tag.value).collect::<Vec<_>>().join("\n")),
            entry: Entry::new(0, record, verdict, &Aliases::default()).ok(),
            sheet: Sheet::new(record, verdict, moves, &Aliases::default()).map(Sheet::hashed),
        }
    }
}
