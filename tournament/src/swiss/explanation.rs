//! The explanation of a pairing, and the check of one made by hand.

use std::cmp::Reverse;

use quipu_notation::Side;
use quipu_referee::competition::Half;
use serde::Serialize;

use super::{
    pool::{Float, Pool},
    round::{Bracket, SMALL, brackets},
    sides::{Allocation, Strength, allocate},
};
use crate::{
    fault::{self, Fault},
    model::{PlayerId, Tournament, side_number},
};

/// A float of a player in the pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FloatKind {
    /// Against a lower score.
    Down,
    /// Against a higher score.
    Up,
}

/// A player on a board, and how the player came there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Placement {
    /// The player.
    pub player: PlayerId,
    /// The pairing number.
    pub number: u32,
    /// The score with virtual points.
    #[cfg_attr(feature = "schema", schemars(with = "f64", range(min = 0)))]
    pub score: Half,
    /// True if the player came from a higher bracket.
    pub moved_down: bool,
    /// The float of this round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub float: Option<FloatKind>,
    /// The floats of the last round and the one before.
    pub before: [Option<FloatKind>; 2],
    /// The side that the player prefers, 1 or 2.
    #[serde(serialize_with = "side_number::serialize")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u8>", range(min = 1, max = 2)))]
    pub prefers: Option<Side>,
    /// The strength of the preference.
    pub strength: Strength,
    /// False if the player gets the other side.
    pub granted: bool,
}

/// A board with its explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ExplainedBoard"))]
pub struct Explained {
    /// The bracket, from 1.
    pub bracket: usize,
    /// The players; the first one has side 1.
    pub players: [Placement; 2],
    /// The rule that decided the sides, an article of C.04.3.
    pub sides: Allocation,
}

/// The boards in the order of publication (C.04.2, article 4.1): by the score of the higher player, then of the lower one,
/// without virtual points, then by pairing number.
pub(super) fn boards(pool: &Pool, brackets: &[Bracket]) -> Vec<Explained> {
    let mut boards = Vec::new();
    for (number, bracket) in brackets.iter().enumerate() {
        for pair in &bracket.pairs {
            boards.push((sort_key(pool, *pair), explained(pool, number + 1, bracket, *pair)));
        }
    }
    boards.sort_by_key(|(key, _)| *key);
    boards.into_iter().map(|(_, board)| board).collect()
}

fn sort_key(pool: &Pool, pair: [usize; 2]) -> (Reverse<u64>, Reverse<u64>, u32) {
    let mut players = pair.map(|index| &pool.contenders[index]);
    players.sort_by_key(|player| (Reverse(player.plain), player.number));
    (Reverse(players[0].plain), Reverse(players[1].plain), players[0].number)
}

fn kind(float: Option<Float>) -> Option<FloatKind> {
    float.map(|float| match float {
        Float::Down => FloatKind::Down,
        Float::Up => FloatKind::Up,
    })
}

fn explained(pool: &Pool, number: usize, bracket: &Bracket, [higher, lower]: [usize; 2]) -> Explained {
    let (side, sides) = allocate(&pool.side_candidate(higher), &pool.side_candidate(lower), pool.initial);
    let placement = |index: usize, other: usize, side: Side| {
        let (contender, opponent) = (&pool.contenders[index], &pool.contenders[other]);
        let float = match contender.score.cmp(&opponent.score) {
            std::cmp::Ordering::Greater => Some(FloatKind::Down),
            std::cmp::Ordering::Less => Some(FloatKind::Up),
            std::cmp::Ordering::Equal => None,
        };
        Placement {
            player: contender.id,
            number: contender.number,
            score: Half::half_of(contender.score),
            moved_down: bracket.moved_down.contains(&index),
            float,
            before: contender.floats.map(kind),
            prefers: contender.preference.side,
            strength: contender.preference.strength,
            granted: contender.preference.side.is_none_or(|wanted| wanted == side),
        }
    };
    let mut players = [placement(higher, lower, side), placement(lower, higher, !side)];
    if side == Side::Two {
        players.reverse();
    }
    Explained { bracket: number, players, sides }
}

/// Absolute criteria as errors, all else as remarks.
pub(super) fn check(
    tournament: &Tournament,
    pool: &Pool,
    boards: &[[PlayerId; 2]],
    bye: Option<PlayerId>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (board, players) in (1..).zip(boards) {
        let [Some(one), Some(two)] = players.map(|id| pool.index_of(id)) else { continue };
        let fault = |code| {
            let [one, two] = players.map(|id| tournament.name(id));
            Fault::new(code).with("board", board).with("one", one).with("two", two)
        };
        let mut pair = *players;
        pair.sort_unstable();
        if tournament.forbidden.contains(&pair) {
            faults.push(fault(fault::FORBIDDEN));
        } else if !pool.may_pair(one, two) && !pool.has_absolute_clash(one, two) {
            faults.push(fault(fault::MET_BEFORE));
        }
        if pool.has_absolute_clash(one, two) {
            faults.push(fault(fault::ABSOLUTE_SIDES));
        }
        if pool.contenders[one].score != pool.contenders[two].score {
            faults.push(fault(fault::FLOATS));
        }
        for (index, side) in [(one, Side::One), (two, Side::Two)] {
            if pool.contenders[index].preference.side.is_some_and(|wanted| wanted != side) {
                let name = tournament.name(pool.contenders[index].id);
                faults.push(Fault::new(fault::PREFERENCE).with("board", board).with("player", name));
            }
        }
    }
    if let Some(index) = bye.and_then(|id| pool.index_of(id)) {
        let fault = |code| Fault::new(code).with("player", tournament.name(pool.contenders[index].id));
        if !pool.contenders[index].may_have_bye {
            faults.push(fault(fault::SECOND_BYE));
        }
        if pool.contenders.len().is_multiple_of(2) {
            faults.push(fault(fault::NEEDLESS_BYE));
        }
    }
    let pairs = |pairs: &mut dyn Iterator<Item = [PlayerId; 2]>| -> std::collections::BTreeSet<[PlayerId; 2]> {
        pairs
            .map(|mut pair| {
                pair.sort_unstable();
                pair
            })
            .collect()
    };
    if let Some(by_rule) = brackets(pool, SMALL) {
        let by_rule = by_rule.iter().flat_map(|bracket| bracket.pairs.iter());
        let by_rule = pairs(&mut by_rule.map(|pair| pair.map(|index| pool.contenders[index].id)));
        let found = pairs(&mut boards.iter().copied());
        for pair in found.difference(&by_rule) {
            let [one, two] = pair.map(|id| tournament.name(id));
            faults.push(Fault::new(fault::OTHER_PAIRING).with("one", one).with("two", two));
        }
    }
    faults
}
