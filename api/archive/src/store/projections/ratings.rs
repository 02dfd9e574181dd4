//! Ratings: the sums of a player's games in one game, with the level and the rank that follow.

use quipu_referee::competition::Level;

use crate::store::{
    database::{Connection, OptionalRow, params},
    error::StoreError,
};

/// A difference in the rating of a player.
#[derive(Clone, Copy, Default)]
pub(in crate::store) struct RatingDelta {
    pub(in crate::store) games: i64,
    pub(in crate::store) wins: i64,
    pub(in crate::store) draws: i64,
    /// None in games that do not count points.
    pub(in crate::store) points: Option<i64>,
    /// In halves.
    pub(in crate::store) bonus: i64,
    /// True if a won game was added or removed, on which the level depends.
    pub(in crate::store) has_wins: bool,
}

/// Columns of a rating: games, wins and draws after an update; level and rank before it.
type Sums = (i64, i64, i64, Option<u16>, Option<i64>);

impl RatingDelta {
    /// Adds it to the stored rating, and removes a rating without games.
    pub(in crate::store) fn add_to_rating(
        self,
        connection: &Connection,
        game: &str,
        player: i64,
    ) -> Result<(), StoreError> {
        let Self { games, wins, draws, points, bonus, has_wins } = self;
        let mut rating = connection.prepare(
            "UPDATE rating SET games = games + ?, wins = wins + ?, draws = draws + ?, points = points + ?, bonus = bonus + ?
             WHERE game = ? AND player = ? RETURNING games, wins, draws, level, rank",
        )?;
        let sums = rating.query_row(params![games, wins, draws, points, bonus, game, player], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, Some(row.get(4)?)))
        });
        let sums: Option<Sums> = sums.optional()?;
        if sums.is_none() {
            if games == 0 {
                return Ok(());
            }
            let mut insert = connection.prepare(
                "INSERT INTO rating (game, player, games, wins, draws, points, bonus, rank, folded, name)
                 SELECT ?1, number, ?3, ?4, ?5, ?6, ?7, 0, folded, name FROM player WHERE number = ?2",
            )?;
            insert.execute(params![game, player, games, wins, draws, points, bonus])?;
        }
        let (games, wins, draws, level_before, rank_before) = sums.unwrap_or((games, wins, draws, None, None));
        if games == 0 {
            let mut delete = connection.prepare("DELETE FROM rating WHERE game = ? AND player = ?")?;
            delete.execute(params![game, player])?;
            return Ok(());
        }
        // An overflow would need more games than anyone plays: the row is damaged.
        let score = wins.checked_mul(2).and_then(|wins| wins.checked_add(draws));
        let score = score.ok_or_else(|| StoreError::Corrupt(format!("the rating of player {player} in {game}")))?;
        // Only games that count points give a level.
        let level = match (points, has_wins) {
            (None, _) => None,
            (Some(_), false) => level_before.and_then(Level::new),
            (Some(_), true) => level(connection, game, player)?,
        };
        // The least rank comes first: the highest level, players without one last; in games without points the highest score.
        let rank = match level {
            Some(level) => -i64::from(level.value()),
            None if points.is_some() => 1,
            None => -score,
        };
        // An unchanged row is not written, because the index of the ranking would be too.
        if (level.map(Level::value), Some(rank)) != (level_before, rank_before) {
            let mut update =
                connection.prepare("UPDATE rating SET level = ?, rank = ? WHERE game = ? AND player = ?")?;
            update.execute(params![level.map(Level::value), rank, game, player])?;
        }
        Ok(())
    }
}

/// The level from the last two won games (9.5).
fn level(connection: &Connection, game: &str, player: i64) -> Result<Option<Level>, StoreError> {
    let mut wins = connection.prepare(
        "SELECT won FROM entry WHERE winner = ? AND game = ? AND won IS NOT NULL ORDER BY start DESC, place DESC LIMIT 2",
    )?;
    let wins: Vec<u32> = wins.query_map(params![player, game], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(match wins[..] {
        [last, previous] => Level::of(last, previous),
        _ => None,
    })
}
