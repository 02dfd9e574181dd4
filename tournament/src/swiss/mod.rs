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
mod sides;

pub(crate) use baku::virtual_points;
use bracket::Players;
pub use explanation::{Explained, FloatKind, Placement};
use pool::Pool;
pub use sides::{Allocation, Strength};

use crate::{
    fault::{self, Fault},
    model::{PlayerId, Tournament},
};

/// Up to this number of players left the graph of a bracket holds all of them; a larger one would cost more than it saves.
const SMALL: usize = 48;

/// The pairs of a bracket.
#[derive(Debug, PartialEq, Eq)]
struct Bracket {
    moved_down: Vec<usize>,
    pairs: Vec<[usize; 2]>,
}

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

/// Pairs all brackets; nothing if the round cannot be paired. From `small` players left on, a bracket's graph holds all of
/// them from the start.
fn brackets(pool: &Pool, small: usize) -> Option<Vec<Bracket>> {
    let completion = completion::whole(pool)?;
    let groups: Vec<Vec<usize>> = (0..pool.contenders.len())
        .collect::<Vec<_>>()
        .chunk_by(|one, two| pool.contenders[*one].score == pool.contenders[*two].score)
        .map(<[usize]>::to_vec)
        .collect();
    let mut decides_bye = completion.is_in_first_bracket;
    let mut moved_down: Vec<usize> = Vec::new();
    let mut brackets = Vec::new();
    for (level, residents) in groups.iter().enumerate() {
        let next: &[usize] = groups.get(level + 1).map_or(&[], Vec::as_slice);
        let rest: Vec<usize> = groups.iter().skip(level + 2).flatten().copied().collect();
        let players = Players { moved_down: &moved_down, residents, next, rest: &rest };
        let left_after = |paired: &bracket::Paired| -> Vec<usize> {
            let mut is_paired = vec![false; pool.contenders.len()];
            for index in paired.pairs.iter().flatten() {
                is_paired[*index] = true;
            }
            moved_down.iter().chain(residents).copied().filter(|index| !is_paired[*index]).collect()
        };
        let all = moved_down.len() + residents.len() + next.len() + rest.len();
        let mut paired = None;
        if !rest.is_empty() && all > small {
            let tried = bracket::pair(pool, &players, false, completion.bye_score, decides_bye);
            let mut left = left_after(&tried);
            left.extend_from_slice(next);
            left.extend_from_slice(&rest);
            paired = completion::can_complete(pool, &left, completion.bye_score).then_some(tried);
        }
        let paired = paired.unwrap_or_else(|| bracket::pair(pool, &players, true, completion.bye_score, decides_bye));
        let left = left_after(&paired);
        let next_score = next.first().map(|index| pool.contenders[*index].score);
        decides_bye =
            paired.unpaired_next == 1 && completion.bye_score.zip(next_score).is_some_and(|(bye, score)| bye >= score);
        brackets.push(Bracket { moved_down: std::mem::replace(&mut moved_down, left), pairs: paired.pairs });
    }
    (moved_down.len() <= 1).then_some(brackets)
}

#[cfg(test)]
mod tests;
