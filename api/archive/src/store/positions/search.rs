//! Queries of positions.

use std::ops::ControlFlow;

use quipu_referee::{Board, symmetry::PositionKey};

use super::{
    games::{BATCH, Candidate, ReplayBudget, candidates},
    look_up::{each_part, fingerprint},
    totals::{self, CountedTotals, Outcomes},
};
use crate::{
    model::{Card, Number},
    store::{error::StoreError, listing::ListPage, read_tx::ReadTx},
};

/// Games that count with a position, each once, by what followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionTotals {
    /// All of them by outcome: won by side 1, won by side 2, drawn.
    pub outcomes: [u64; 3],
    /// Those that ended with the position.
    pub ended: [u64; 3],
    /// The others by their next move, most games first, then by the bytes of the move.
    pub moves: Vec<NextMove>,
    /// False if there are more games that were not counted.
    pub is_exact: bool,
}

/// A move that was played in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextMove {
    /// The move in the position as it was asked for; of moves that are images of each other the first by its bytes.
    pub token: String,
    /// Its games by outcome.
    pub outcomes: [u64; 3],
}

/// A game that reached a position.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAtPosition {
    /// Its record.
    pub card: Card,
    /// Completed plies when it reached the position for the first time.
    pub ply: u64,
}

impl ReadTx<'_> {
    /// The games that reached the position of a board or one of its images: their outcomes and next moves.
    pub fn position_totals(&self, board: &dyn Board) -> Result<PositionTotals, StoreError> {
        let key = board.key();
        let (moves, is_exact) = if let Some(moves) = totals::stored(self.connection, &key)? {
            (moves, true)
        } else {
            let CountedTotals { moves, is_exact } = totals::count(self.connection, &key)?;
            (moves.into_iter().collect(), is_exact)
        };
        let mut found = PositionTotals { is_exact, ..PositionTotals::default() };
        for (next, outcomes) in moves {
            let outcomes = unsigned(outcomes);
            for (all, more) in found.outcomes.iter_mut().zip(outcomes) {
                *all += more;
            }
            if next.is_empty() {
                found.ended = outcomes;
            } else {
                let token = board.own_token(&next).ok_or_else(|| damaged_total(&next))?;
                found.moves.push(NextMove { token, outcomes });
            }
        }
        let games = |next: &NextMove| next.outcomes.iter().sum::<u64>();
        found.moves.sort_by(|one, other| games(other).cmp(&games(one)).then_with(|| one.token.cmp(&other.token)));
        Ok(found)
    }

    /// Games that reached a position, the last added first, before the verdict with a number.
    pub fn position_games(
        &self,
        key: &PositionKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<ListPage<GameAtPosition, Number>, StoreError> {
        let (mut found, mut next, mut budget) = (Vec::new(), None, ReplayBudget::OF_QUERY);
        each_part(self.connection, fingerprint(key), before, |numbers| {
            for numbers in numbers.chunks(BATCH) {
                if !budget.take_games(numbers.len()) {
                    // The page ends here, and the next one goes on.
                    next = numbers.first().map(|number| number + 1);
                    return Ok(ControlFlow::Break(()));
                }
                for Candidate { number, record, outcome, game } in candidates(self.connection, numbers)? {
                    budget.take_plies(&game);
                    let Some(ply) = outcome.and_then(|_| game.find(key)) else { continue };
                    if found.len() == limit {
                        next = Some(number + 1);
                        return Ok(ControlFlow::Break(()));
                    }
                    found.push((record, ply as u64));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let records: Vec<_> = found.iter().map(|(record, _)| *record).collect();
        let mut cards = self.cards_of_numbers(&records)?;
        let item = |(record, ply): (Number, u64)| Some(GameAtPosition { card: cards.remove(&record)?, ply });
        Ok(ListPage { items: found.into_iter().filter_map(item).collect(), next })
    }
}

/// The error for a stored move that the position does not have.
fn damaged_total(next: &str) -> StoreError {
    StoreError::Corrupt(format!("the move {next} in the totals of positions"))
}

fn unsigned(outcomes: Outcomes) -> [u64; 3] {
    outcomes.map(|games| u64::try_from(games).unwrap_or_default())
}
