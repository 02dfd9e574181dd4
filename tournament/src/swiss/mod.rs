//! The Dutch system of FIDE (C.04.3) in the edition in force from 1 February 2026.
//!
//! Brackets are paired from the highest score down. Each is a weighted matching whose weights are the
//! quality criteria C6 to C21, with the players of the next bracket for C8, and with all players left where the completion of
//! the round (C4) could depend on the bracket. Among equal candidates the order of article 4 decides.
//!
//! Points that the text leaves open are decided as bbpPairings does: a player who scores nothing in a round without a game
//! gets no float (1.4.3), and the criterion about unplayed games of the bye (C9) counts in the bracket that decides who gets
//! the bye.

mod baku;
mod bracket;
mod completion;
mod criteria;
mod explanation;
mod pool;
mod round;
mod sides;

pub(crate) use baku::virtual_points;
pub use explanation::{Explained, FloatKind, Placement};
use pool::Pool;
use round::{SMALL, brackets};
pub use sides::{Allocation, Strength};

use crate::{
    fault::{self, Fault},
    model::{PlayerId, Tournament},
};

/// The pairing of the next round with its explanation: boards in the order of their publication, and the bye.
pub(crate) fn pair(tournament: &Tournament) -> Result<(Vec<Explained>, Option<PlayerId>), Fault> {
    let pool = Pool::new(tournament);
    if pool.contenders.len() < 2 {
        return Err(Fault::new(fault::TOO_FEW).with("found", pool.contenders.len()).with("least", 2));
    }
    let brackets =
        brackets(&pool, SMALL).ok_or_else(|| Fault::new(fault::NO_PAIRING).with("round", tournament.next_round()))?;
    let mut has_board = vec![false; pool.contenders.len()];
    for index in brackets.iter().flat_map(|bracket| bracket.pairs.iter().flatten()) {
        has_board[*index] = true;
    }
    let bye = (0..pool.contenders.len()).find(|index| !has_board[*index]).map(|index| pool.contenders[index].id);
    Ok((explanation::boards(&pool, &brackets), bye))
}

/// Absolute faults of a pairing by hand, and remarks on its differences from the rules.
pub(crate) fn check(tournament: &Tournament, boards: &[[PlayerId; 2]], bye: Option<PlayerId>) -> Vec<Fault> {
    explanation::check(tournament, &Pool::new(tournament), boards, bye)
}

#[cfg(test)]
mod tests;
