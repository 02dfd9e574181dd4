//! Ratings: the sums of a player's games in one game, with the level and the rank that follow.

use std::collections::BTreeMap;

use quipu_referee::competition::Level;

use crate::store::{
    database::{Connection, Parameter, params},
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

/// Differences by game and player.
pub(in crate::store) type RatingDeltas = BTreeMap<(&'static str, i64), RatingDelta>;

/// Adds differences to the stored ratings, and removes ratings without games. Each step goes out for all of them at once.
pub(in crate::store) fn add_to_ratings(connection: &Connection, deltas: &RatingDeltas) -> Result<(), StoreError> {
    let mut update = connection.prepare(
        "UPDATE rating SET games = games + ?, wins = wins + ?, draws = draws + ?, points = points + ?, bonus = bonus + ?
         WHERE game = ? AND player = ? RETURNING games, wins, draws, level, rank",
    )?;
    let parameters = deltas.iter().map(|((game, player), delta)| {
        let RatingDelta { games, wins, draws, points, bonus, .. } = delta;
        vec![games.value(), wins.value(), draws.value(), points.value(), bonus.value(), game.value(), player.value()]
    });
    let found = update.query_pipelined(&parameters.collect::<Vec<_>>(), |row| {
        Ok::<Sums, _>((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, Some(row.get(4)?)))
    })?;
    let mut ratings = Vec::new();
    for (((game, player), delta), found) in deltas.iter().zip(found) {
        let RatingDelta { games, wins, draws, points, bonus, .. } = delta;
        let sums = found.into_iter().next();
        if sums.is_none() {
            if *games == 0 {
                continue;
            }
            let mut insert = connection.prepare(
                "INSERT INTO rating (game, player, games, wins, draws, points, bonus, rank, folded, name)
                 SELECT ?1, number, ?3, ?4, ?5, ?6, ?7, 0, folded, name FROM player WHERE number = ?2",
            )?;
            insert.execute_later(params![game, player, games, wins, draws, points, bonus])?;
        }
        let sums = sums.unwrap_or((*games, *wins, *draws, None, None));
        if sums.0 == 0 {
            let mut delete = connection.prepare("DELETE FROM rating WHERE game = ? AND player = ?")?;
            delete.execute_later(params![game, player])?;
        } else {
            ratings.push((*game, *player, delta, sums));
        }
    }
    // Only games that count points give a level, and only those that were won change it.
    let won = ratings.iter().filter(|(_, _, delta, _)| delta.points.is_some() && delta.has_wins);
    let players: Vec<_> = won.map(|(game, player, ..)| (*game, *player)).collect();
    let mut levels = levels(connection, &players)?.into_iter();
    for (game, player, delta, (_, wins, draws, level_before, rank_before)) in ratings {
        // An overflow would need more games than anyone plays: the row is damaged.
        let score = wins.checked_mul(2).and_then(|wins| wins.checked_add(draws));
        let score = score.ok_or_else(|| StoreError::Corrupt(format!("the rating of player {player} in {game}")))?;
        let level = match (delta.points, delta.has_wins) {
            (None, _) => None,
            (Some(_), false) => level_before.and_then(Level::new),
            (Some(_), true) => levels.next().flatten(),
        };
        // The least rank comes first: the highest level, players without one last; in games without points the highest score.
        let rank = match level {
            Some(level) => -i64::from(level.value()),
            None if delta.points.is_some() => 1,
            None => -score,
        };
        // An unchanged row is not written, because the index of the ranking would be too.
        if (level.map(Level::value), Some(rank)) != (level_before, rank_before) {
            let mut update =
                connection.prepare("UPDATE rating SET level = ?, rank = ? WHERE game = ? AND player = ?")?;
            update.execute_later(params![level.map(Level::value), rank, game, player])?;
        }
    }
    Ok(())
}

/// The level of each of these players in a game, from the last two won games (9.5).
fn levels(connection: &Connection, players: &[(&str, i64)]) -> Result<Vec<Option<Level>>, StoreError> {
    let mut wins = connection.prepare(
        "SELECT won FROM entry WHERE winner = ? AND game = ? AND won IS NOT NULL ORDER BY start DESC, place DESC LIMIT 2",
    )?;
    let lists: Vec<_> = players.iter().map(|player| vec![player.1.value(), player.0.value()]).collect();
    let level = |wins: Vec<u32>| match wins[..] {
        [last, previous] => Level::of(last, previous),
        _ => None,
    };
    Ok(wins.query_pipelined(&lists, |row| row.get(0))?.into_iter().map(level).collect())
}
