//! The ratings of an archive: its games are read first and rated afterwards, so that nobody reads the archive for as long as that
//! takes.

use std::collections::HashMap;

use quipu_archive::{
    model::Number,
    store::{ReadTx, StoreError},
};
use quipu_notation::games::{GAMES, GameNotation};

use super::{
    period::Period,
    ratings::{RatedGame, Ratings},
};

/// The games of an archive at one moment that count, to be rated.
#[derive(Debug)]
pub struct CountedGames {
    last_change: Number,
    /// The period of the last change.
    latest: Option<Period>,
    games: Vec<Games>,
}

/// The games that count of one game.
#[derive(Debug)]
struct Games {
    game: &'static GameNotation,
    /// Number and name of each player, in the order of their names.
    players: Vec<(i64, String)>,
    indices: HashMap<i64, u32>,
    counted: Vec<RatedGame>,
}

/// The ratings of all games of an archive at one moment.
#[derive(Debug, Default)]
pub struct ArchiveRatings {
    /// Number of the last change then.
    pub last_change: Number,
    ratings: HashMap<&'static str, Ratings>,
    none: Ratings,
}

impl CountedGames {
    /// Reads the games that count of all games.
    ///
    /// # Errors
    /// Those of the archive.
    pub fn read(reading: &ReadTx<'_>) -> Result<Self, StoreError> {
        Self::read_of(reading, GAMES)
    }

    fn read_of(reading: &ReadTx<'_>, games: &[&'static GameNotation]) -> Result<Self, StoreError> {
        let games = games.iter().map(|game| Games::without_games(reading, game));
        let mut games = games.collect::<Result<Vec<_>, _>>()?;
        // One scan finds those of all games: it takes as long for one of them.
        reading.each_counted_game(|played| {
            let Some(of) = games.iter_mut().find(|games| games.game == played.game) else { return Ok(()) };
            let period = played.date.map(Period::of);
            let [one, two] = played.players;
            let players = [of.index(one)?, of.index(two)?];
            of.counted.push(RatedGame { period, players, outcome: played.outcome });
            Ok(())
        })?;
        let latest = reading.last_change_time()?.map(|time| Period::of(time.date_naive()));
        Ok(Self { last_change: reading.last_change()?, latest, games })
    }

    /// Rates them, with a check that is made from time to time.
    ///
    /// # Errors
    /// That of the check.
    pub fn rate<E>(self, mut check: impl FnMut() -> Result<(), E>) -> Result<ArchiveRatings, E> {
        let mut ratings = HashMap::new();
        for Games { game, players, counted, .. } in self.games {
            ratings.insert(game.id, Ratings::of_while(players, counted, self.latest, &mut check)?);
        }
        Ok(ArchiveRatings { last_change: self.last_change, ratings, none: Ratings::default() })
    }
}

impl Games {
    fn without_games(reading: &ReadTx<'_>, game: &'static GameNotation) -> Result<Self, StoreError> {
        let players = reading.players_of_game(game)?;
        let indices = players.iter().zip(0..).map(|((number, _), index)| (*number, index)).collect();
        Ok(Self { game, players, indices, counted: Vec::new() })
    }

    fn index(&self, number: i64) -> Result<u32, StoreError> {
        let missing = || StoreError::Corrupt(format!("player {number} has games of {} and no figures", self.game.id));
        self.indices.get(&number).copied().ok_or_else(missing)
    }
}

impl ArchiveRatings {
    /// The ratings of a game.
    pub fn of(&self, game: &GameNotation) -> &Ratings {
        self.ratings.get(game.id).unwrap_or(&self.none)
    }
}

/// Reads and rates one game.
///
/// # Errors
/// Those of the archive.
pub fn compute_ratings(reading: &ReadTx<'_>, game: &'static GameNotation) -> Result<Ratings, StoreError> {
    let mut ratings = CountedGames::read_of(reading, &[game])?.rate(|| Ok::<_, StoreError>(()))?;
    Ok(ratings.ratings.remove(game.id).unwrap_or_default())
}
