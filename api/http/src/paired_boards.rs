//! The boards of tournaments by which games belong to them. A replay of all changes is too long for the thread that writes, so
//! tokens with a limit are checked with boards that were read before, as long as the tournament has the same version.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use quipu_archive::{
    model::Number,
    store::{ReadTx, StoreError, StoredTournament},
};
use quipu_notation::games::GameNotation;
use quipu_tournament::model::PlayerId;

/// Most tournaments whose boards are kept.
const TOURNAMENTS: usize = 64;

/// The boards of a tournament.
#[derive(Debug)]
pub(crate) struct PairedBoards {
    pub(crate) version: Number,
    pub(crate) game: &'static GameNotation,
    /// Its name: the event of its games.
    pub(crate) event: String,
    names: Vec<String>,
    rounds: Vec<Vec<[PlayerId; 2]>>,
}

impl PairedBoards {
    /// The boards of a tournament as it is; none if there is no such tournament.
    ///
    /// # Errors
    /// If the archive fails.
    pub(crate) fn read(reading: &ReadTx<'_>, tournament: Number) -> Result<Option<Self>, StoreError> {
        let Some(stored) = reading.unbound_tournament(tournament)? else { return Ok(None) };
        let StoredTournament { version, game, tournament, .. } = stored;
        let boards = tournament.rounds.iter().map(|round| round.boards.iter().map(|board| board.players).collect());
        let rounds = boards.collect();
        let names = tournament.entrants.into_iter().map(|entrant| entrant.player.name).collect();
        Ok(Some(Self { version, game, event: tournament.settings.name, names, rounds }))
    }

    /// The players of a board, both numbers from 1.
    pub(crate) fn players(&self, (round, board): (u32, u32)) -> Option<[PlayerId; 2]> {
        self.rounds.get(index(round)?)?.get(index(board)?).copied()
    }

    /// The names of the players of a board.
    pub(crate) fn names(&self, board: (u32, u32)) -> Option<[&str; 2]> {
        let [one, two] = self.players(board)?.map(|id| self.names.get(index(id.0)?));
        Some([one?, two?])
    }
}

/// The index of a number from 1.
fn index(number: u32) -> Option<usize> {
    (number as usize).checked_sub(1)
}

/// The boards of the tournaments that were asked for last.
#[derive(Default)]
pub(crate) struct BoardCache(Mutex<HashMap<Number, Arc<PairedBoards>>>);

impl BoardCache {
    /// The boards of a tournament, if they are kept and it has not changed since.
    ///
    /// # Errors
    /// If the archive fails.
    pub(crate) fn find(
        &self,
        reading: &ReadTx<'_>,
        tournament: Number,
    ) -> Result<Option<Arc<PairedBoards>>, StoreError> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&tournament).cloned();
        let Some(known) = known else { return Ok(None) };
        let version = reading.tournament_version(tournament)?;
        Ok(Some(known).filter(|known| Some(known.version) == version))
    }

    /// Reads and keeps the boards of a tournament. `reading` has nothing that may be rolled back.
    ///
    /// # Errors
    /// If the archive fails.
    pub(crate) fn load(
        &self,
        reading: &ReadTx<'_>,
        tournament: Number,
    ) -> Result<Option<Arc<PairedBoards>>, StoreError> {
        let Some(boards) = PairedBoards::read(reading, tournament)?.map(Arc::new) else { return Ok(None) };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= TOURNAMENTS {
            known.clear();
        }
        known.insert(tournament, Arc::clone(&boards));
        Ok(Some(boards))
    }
}
