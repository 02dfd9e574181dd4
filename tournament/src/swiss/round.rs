//! The brackets of a round, from the highest score down.

use super::{
    bracket::{self, Players},
    completion,
    pool::Pool,
};

/// Up to this number of players left the graph of a bracket holds all of them; a larger one would cost more than it saves.
pub(super) const SMALL: usize = 48;

/// The pairs of a bracket.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bracket {
    pub(super) moved_down: Vec<usize>,
    pub(super) pairs: Vec<[usize; 2]>,
}

/// Pairs all brackets; nothing if the round cannot be paired. From `small` players left on, a bracket's graph holds all of
/// them from the start.
pub(super) fn brackets(pool: &Pool, small: usize) -> Option<Vec<Bracket>> {
    let completion = completion::complete_round(pool)?;
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
