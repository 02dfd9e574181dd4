//! Completion: the players who are left can all be paired (C4), and the score of the one who gets the bye (C5).

use super::pool::Pool;
use crate::matching::{Layout, Matching, NO_HINT};

/// The best way to complete a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    /// The score of the player with the bye, in an odd field.
    pub(super) bye_score: Option<u64>,
    /// True if that player is the only one of the first bracket who is not paired in it.
    pub(super) is_in_first_bracket: bool,
}

/// True if all of these players can be paired with each other; in an odd number, except one with the score of the bye.
pub(super) fn can_complete(pool: &Pool, left: &[usize], bye_score: Option<u64>) -> bool {
    let takes_bye = |index: usize| {
        let contender = &pool.contenders[index];
        contender.may_have_bye && Some(contender.score) == bye_score
    };
    greedy(pool, left, takes_bye) || is_matched(pool, left, takes_bye)
}

/// Pairs from below, which nearly always succeeds.
fn greedy(pool: &Pool, left: &[usize], takes_bye: impl Fn(usize) -> bool) -> bool {
    let mut open = left.to_vec();
    if open.len() % 2 == 1 {
        let Some(last) = open.iter().rposition(|index| takes_bye(*index)) else { return false };
        open.remove(last);
    }
    while let Some(last) = open.pop() {
        let Some(other) = open.iter().rposition(|index| pool.may_pair(*index, last)) else { return false };
        open.remove(other);
    }
    true
}

/// Completes the whole round, with the bye for the lowest score possible; nothing if the round cannot be paired.
pub(super) fn complete_round(pool: &Pool) -> Option<Completion> {
    let all: Vec<usize> = (0..pool.contenders.len()).collect();
    let top = pool.contenders.first()?.score;
    if all.len().is_multiple_of(2) {
        let can = can_complete(pool, &all, None);
        return can.then_some(Completion { bye_score: None, is_in_first_bracket: false });
    }
    let mut scores: Vec<_> = pool.contenders.iter().map(|contender| contender.score).collect();
    scores.dedup();
    for score in scores.into_iter().rev() {
        if can_complete(pool, &all, Some(score)) {
            let is_in_first_bracket = score >= top && is_alone_in_first_bracket(pool, score);
            return Some(Completion { bye_score: Some(score), is_in_first_bracket });
        }
    }
    None
}

/// True if all of the first bracket but the player with the bye can be paired in it.
fn is_alone_in_first_bracket(pool: &Pool, score: u64) -> bool {
    let top = pool.contenders[0].score;
    let group: Vec<usize> = (0..pool.contenders.len()).filter(|index| pool.contenders[*index].score == top).collect();
    let rest: Vec<usize> = (group.len()..pool.contenders.len()).collect();
    group.len() % 2 == 1 && can_complete(pool, &group, Some(score)) && can_complete(pool, &rest, None)
}

/// True if a matching pairs all.
fn is_matched(pool: &Pool, left: &[usize], takes_bye: impl Fn(usize) -> bool) -> bool {
    let n = left.len() + left.len() % 2;
    let field = Layout::new().field(n as u64);
    let may_pair = |one: usize, two: usize| match (left.get(one), left.get(two)) {
        (Some(one), Some(two)) => pool.may_pair(*one, *two),
        (Some(one), None) | (None, Some(one)) => takes_bye(*one),
        (None, None) => false,
    };
    let weight = |one: usize, two: usize| field.of::<1>(i128::from(may_pair(one, two)));
    let matching = Matching::new(n, weight, &vec![0; n], &vec![field.of(0); n], &vec![NO_HINT; n]);
    (0..n).all(|vertex| may_pair(vertex, matching.mate(vertex)))
}
