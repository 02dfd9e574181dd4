//! A tournament as tables in a language: the entry list, rounds, standings, the crosstable, and lists to hang on the wall.
//! Workbooks and printed pages are written from them.

mod entries;
mod round;
mod standings;

use std::cell::OnceCell;

use quipu_notation::{Side, games::GameNotation};
use quipu_referee::{Lang, competition::Quarter, messages::fill};

pub use self::round::ListOrder;
use crate::{
    messages::catalog,
    model::{Bye, Tournament},
    standings::TournamentStandings,
};

/// A table. Every row has a cell for each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentTable {
    /// A short name, such as `Round 2`.
    pub name: String,
    /// The name with that of the tournament.
    pub title: String,
    /// Columns from left to right.
    pub columns: Vec<Column>,
    /// The number of columns on the left that name a row.
    pub fixed: usize,
    /// Rows from top to bottom.
    pub rows: Vec<Vec<Value>>,
    /// The meaning of signs in it.
    pub note: Option<String>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub heading: String,
    /// True for numbers, which are aligned on the right.
    pub is_number: bool,
}

/// The value of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Empty,
    /// A text, which may be of an entry list and say anything.
    Text(String),
    /// A number.
    Number(Quarter),
}

impl Value {
    fn whole(number: u32) -> Self {
        Self::number(quipu_referee::competition::Half::whole(number.into()))
    }

    fn number(number: impl Into<Quarter>) -> Self {
        Self::Number(number.into())
    }

    fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn or_empty<T>(value: Option<T>, of: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Empty, of)
    }
}

/// Makes the tables of a tournament.
#[derive(Clone, Debug)]
pub struct Tables<'t> {
    tournament: &'t Tournament,
    game: &'t GameNotation,
    lang: Lang,
    /// The standings after the last closed round, once a table needs them.
    ranked: OnceCell<TournamentStandings>,
}

impl<'t> Tables<'t> {
    /// The tables of a tournament of this game.
    pub const fn new(tournament: &'t Tournament, game: &'t GameNotation, lang: Lang) -> Self {
        Self { tournament, game, lang, ranked: OnceCell::new() }
    }

    fn word(&self, key: &'static str) -> &'static str {
        catalog().word(key, self.lang)
    }

    fn fill(&self, key: &'static str, values: &[(&str, &dyn std::fmt::Display)]) -> String {
        fill(self.word(key), |name| values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string()))
    }

    fn texts(&self, key: &'static str) -> Column {
        Column { heading: self.word(key).to_owned(), is_number: false }
    }

    fn numbers(&self, key: &'static str) -> Column {
        Column { heading: self.word(key).to_owned(), is_number: true }
    }

    /// The heading of players with a side: its name or, in encounters of several games, that it begins.
    fn side_heading(&self, side: Side) -> String {
        let name = self.game.side(side).tag;
        match self.tournament.settings.encounter.games() {
            1 => name.to_owned(),
            _ => self.fill("table.begins", &[("side", &name)]),
        }
    }

    /// A bye with its score, such as `bye (½)`.
    fn bye(&self, bye: Bye) -> String {
        let score = Quarter::from(bye.score(self.tournament.settings.bye)).with_signs();
        self.fill("table.bye", &[("score", &score)])
    }

    /// The standings after the last closed round; after none before there is one.
    fn ranked(&self) -> &TournamentStandings {
        self.ranked.get_or_init(|| {
            let closed = self.tournament.rounds.iter().rposition(|round| round.is_closed);
            let round = closed.map_or(0, |index| u32::try_from(index + 1).unwrap_or(u32::MAX));
            crate::standings::standings(self.tournament, Some(round))
        })
    }
}
