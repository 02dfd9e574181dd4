//! The ratings of an archive: computed from its games on demand, and kept until it changes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use quipu_archive::{
    model::Number,
    store::{ReadTx, StoreError},
};
use quipu_notation::games::GameNotation;

use super::{
    period::Period,
    ratings::{RatedGame, Ratings},
};

/// Ratings by game, with the last change of the archive when they were computed. One game is computed at a time, so that requests
/// take the time and the memory of one; others meanwhile wait.
#[derive(Debug, Default)]
pub struct RatingCache(Mutex<HashMap<&'static str, (Number, Arc<Ratings>)>>);

impl RatingCache {
    /// The ratings of a game at the moment that is read.
    pub fn ratings(&self, reading: &ReadTx<'_>, game: &'static GameNotation) -> Result<Arc<Ratings>, StoreError> {
        let mut games = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = reading.last_change()?;
        if let Some((change, ratings)) = games.get(game.id)
            && *change == last
        {
            return Ok(Arc::clone(ratings));
        }
        let ratings = Arc::new(read(reading, game)?);
        games.insert(game.id, (last, Arc::clone(&ratings)));
        Ok(ratings)
    }
}

/// Computes the ratings of a game.
pub fn read(reading: &ReadTx<'_>, game: &GameNotation) -> Result<Ratings, StoreError> {
    let players = reading.players_of_game(game)?;
    let indices: HashMap<i64, u32> = players.iter().zip(0..).map(|((number, _), index)| (*number, index)).collect();
    let index = |number: i64| {
        let missing = || StoreError::Corrupt(format!("player {number} has games of {} and no figures", game.id));
        indices.get(&number).copied().ok_or_else(missing)
    };
    let mut games = Vec::new();
    reading.each_game(game, |played| {
        let [one, two] = played.players;
        let period = played.date.map(Period::of);
        games.push(RatedGame { period, players: [index(one)?, index(two)?], outcome: played.outcome });
        Ok(())
    })?;
    Ok(Ratings::of(players, games))
}
