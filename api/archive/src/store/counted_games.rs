//! The games that count, for figures that need them all.

use chrono::NaiveDate;
use quipu_notation::{
    games::{self, GameNotation},
    record::Outcome,
};

use super::{database::params, error::StoreError, listing::PageBytes, projections, read_tx::ReadTx, rows};

/// A game that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedGame {
    /// The game.
    pub game: &'static GameNotation,
    /// The day of its start, UTC, if known.
    pub date: Option<NaiveDate>,
    /// Numbers of its players, side 1 first.
    pub players: [i64; 2],
    /// The result.
    pub outcome: Outcome,
}

impl ReadTx<'_> {
    /// Number and name of each player with games that count, in the order of the names. Names of more than 256 characters are cut.
    pub fn players_of_game(&self, game: &GameNotation) -> Result<Vec<(i64, String)>, StoreError> {
        let mut players =
            self.connection.prepare("SELECT player, name FROM rating WHERE game = ? ORDER BY folded, name")?;
        let players = players.query_map([game.id], |row| {
            Ok((row.get("player")?, rows::shown_name(row, "name", &mut PageBytes::default())?))
        })?;
        Ok(players.collect::<Result<_, _>>()?)
    }

    /// Calls `each` with every game that counts, of all games, in no particular order. It may not read the archive meanwhile.
    pub fn each_counted_game(
        &self,
        mut each: impl FnMut(CountedGame) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // The time of a start would take as long to parse as its date.
        let sql = "SELECT substr(start, 1, 10) AS date, one, two, result, game FROM entry";
        let mut games = self.connection.prepare(sql)?;
        games.for_each(params![], |row| {
            let date = row.value("date")?;
            each(CountedGame {
                game: rows::parsed(row, "game", games::find)?,
                date: projections::parse_start(date.as_str()?).date(),
                players: [row.get("one")?, row.get("two")?],
                outcome: rows::parsed(row, "result", Outcome::parse)?,
            })
        })
    }
}
