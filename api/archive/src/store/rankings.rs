//! Ratings, rankings and levels of players.

use quipu_notation::games::{self, GameNotation};
use quipu_referee::competition::{Half, Level, Rating, Start, Step, Win, history};
use serde::{Deserialize, Serialize};

use super::{
    database::{self, Row, params},
    error::StoreError,
    listing::{ListPage, Listed, listed},
    names::game_order,
    projections,
    read_tx::ReadTx,
    rows,
};
use crate::model::{Id, Number};

/// A row of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The place, from 1; players of one level, or of one score in games without points, share it.
    pub place: u64,
    /// The position in the order of the list, from 1; players with equal points and bonus share it, too.
    pub position: u64,
    /// Number and name of the player.
    pub player: (i64, String),
    /// The player's rating.
    pub rating: Rating,
}

/// Position in a ranking: the last player of the previous page. (It has numbers in place of names, because those may be
/// long.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankCursor {
    /// The player's sort keys.
    pub rank: i64,
    /// As in the table.
    pub worth: i64,
    /// Number of the player.
    pub player: i64,
    /// The player's place.
    pub place: u64,
    /// The player's position.
    pub position: u64,
    /// Number of players up to this one.
    pub before: u64,
}

/// Position in the history of a level: the won game of the last item. Older ones follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WinCursor {
    /// The start of the game, as it is stored.
    pub start: String,
    /// Number of the game in the order of entry.
    pub place: Number,
}

/// A level and the record of the game that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The level, with the games that it was computed from.
    pub step: Step,
    /// The record of the won game.
    pub record: Id,
    /// The start of that game, as far as it is known.
    pub start: Start,
}

/// Greater than the start of every game, as it is stored.
const LATEST: &str = "\u{10ffff}";

impl ReadTx<'_> {
    /// The ratings of a player, in the order of the table of games.
    pub fn ratings(&self, player: i64) -> Result<Vec<Rating>, StoreError> {
        let mut ratings = self.connection.prepare("SELECT * FROM rating WHERE player = ?")?;
        let mut ratings: Vec<_> = ratings.query_map([player], rating_row)?.collect::<Result<_, _>>()?;
        ratings.sort_by_key(|rating: &Rating| game_order(rating.game));
        Ok(ratings)
    }

    /// The ranking of a game: highest level first, or highest score in games without points; players of one level by their points
    /// with bonus, the most first; equal players in the order of their names. None if the cursor is of no player.
    pub fn ranking(
        &self,
        game: &GameNotation,
        after: Option<RankCursor>,
        limit: usize,
    ) -> Result<Option<ListPage<Ranked, RankCursor>>, StoreError> {
        let start = RankCursor { rank: i64::MIN, worth: i64::MIN, player: 0, place: 0, position: 0, before: 0 };
        let player = after.map(|after| after.player);
        let key = self.name_key(player)?;
        let Some((folded, name)) = key else { return Ok(None) };
        let mut last = after.unwrap_or(start);
        let mut ranking = self.connection.prepare(
            "SELECT * FROM rating WHERE game = ? AND (rank, worth, folded, name) > (?, ?, ?, ?)
             ORDER BY rank, worth, folded, name LIMIT ?",
        )?;
        let rows = ranking.query(params![game.id, last.rank, last.worth, folded, name, limit + 1])?;
        let Listed { items: rows, more } = listed(rows, limit, |row, extent| {
            let player: (i64, String) = (row.get("player")?, rows::shown_name(row, "name", extent)?);
            Ok(([row.get("rank")?, row.get("worth")?], player, rating_row(row)?))
        })?;
        let mut items = Vec::with_capacity(rows.len());
        for ([rank, worth], player, rating) in rows {
            // A cursor comes from a client and may have any number.
            let next = last.before.saturating_add(1);
            let is_equal = last.before > 0 && rank == last.rank;
            let place = if is_equal { last.place } else { next };
            let position = if is_equal && worth == last.worth { last.position } else { next };
            last = RankCursor { rank, worth, player: player.0, place, position, before: next };
            items.push(Ranked { place, position, player, rating });
        }
        Ok(Some(ListPage { items, next: Some(last).filter(|_| more) }))
    }

    /// The levels of a player, latest first.
    pub fn levels(
        &self,
        player: i64,
        game: &GameNotation,
        after: Option<&WinCursor>,
        limit: usize,
    ) -> Result<ListPage<Reached, WinCursor>, StoreError> {
        let mut wins = self.connection.prepare(
            "SELECT start, place, won, id FROM entry
             WHERE winner = ? AND game = ? AND won IS NOT NULL AND (start, place) < (?, ?)
             ORDER BY start DESC, place DESC LIMIT ?",
        )?;
        let (start, place) = after.map_or((LATEST, Number::MAX), |after| (&after.start, after.place));
        let wins = wins.query_map(params![player, game.id, start, place, limit + 2], |row| {
            let start: String = row.get("start")?;
            let win =
                Win { start: projections::parse_start(&start), place: row.get("place")?, points: row.get("won")? };
            Ok((win, start, rows::id(row, "id")?))
        })?;
        // A level is computed from two won games.
        let wins: Vec<(Win, String, Id)> = wins.collect::<Result<_, _>>()?;
        let more = wins.len() > limit + 1;
        let steps = history(wins.iter().map(|(win, ..)| *win).collect());
        let with_record = |step: Step| {
            let (win, _, record) = wins.iter().find(|(win, ..)| win.place == step.game)?;
            Some(Reached { step, record: *record, start: win.start })
        };
        let items: Vec<_> = steps.into_iter().rev().take(limit).filter_map(with_record).collect();
        let last = limit.checked_sub(1).and_then(|last| wins.get(last)).filter(|_| more);
        let next = last.and_then(|(win, start, _)| {
            Some(WinCursor { start: start.clone(), place: Number::try_from(win.place).ok()? })
        });
        Ok(ListPage { items, next })
    }
}

fn rating_row(row: &Row<'_>) -> database::Result<Rating> {
    let game = rows::parsed(row, "game", games::find)?;
    let level: Option<u16> = row.get("level")?;
    Ok(Rating {
        game,
        games: row.get("games")?,
        wins: row.get("wins")?,
        draws: row.get("draws")?,
        points: row.get("points")?,
        bonus: Half::half_of(row.get("bonus")?),
        level: level.and_then(Level::new),
    })
}
