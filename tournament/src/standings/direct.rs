//! The direct encounter among players that are equal so far (C.07, 6).

use std::cmp::Reverse;

use quipu_referee::competition::Half;

use super::{
    TieBreak,
    figures::{Figure, Part},
    score_table::ScoreTable,
};

/// The order of a group by the encounters among its players: groups of those that stay equal, with the figure of each player.
///
/// If all have met, their scores against each other decide (6.1). If not, a player whom no other can reach, however the
/// missing encounters would end, is first, and the others are looked at again (6.2).
pub(super) fn split(score_table: &ScoreTable, group: &[usize]) -> Vec<Vec<(usize, Figure)>> {
    let mut ranked = Vec::new();
    let mut left: Vec<usize> = group.to_vec();
    while left.len() > 1 {
        let among: Vec<Among> = left.iter().map(|player| Among::new(score_table, *player, &left)).collect();
        let all_met = among.iter().all(|one| one.missing == 0);
        if all_met {
            let mut order: Vec<usize> = (0..left.len()).collect();
            order.sort_by_key(|index| Reverse(among[*index].score));
            for equal in order.chunk_by(|one, two| among[*one].score == among[*two].score) {
                ranked.push(equal.iter().map(|index| (left[*index], among[*index].figure())).collect());
            }
            return ranked;
        }
        let is_first =
            |index: usize| (0..left.len()).all(|other| other == index || among[index].score > among[other].most());
        match (0..left.len()).find(|index| is_first(*index)) {
            Some(index) => {
                ranked.push(vec![(left[index], among[index].figure())]);
                left.remove(index);
            }
            None => break,
        }
    }
    if !left.is_empty() {
        let none = || Figure { tie_break: TieBreak::DirectEncounter, value: None, parts: Vec::new() };
        ranked.push(left.into_iter().map(|player| (player, none())).collect());
    }
    ranked
}

/// A player among equals.
struct Among {
    score: Half,
    parts: Vec<Part>,
    missing: u64,
}

impl Among {
    fn new(score_table: &ScoreTable, player: usize, group: &[usize]) -> Self {
        let met = score_table.played(player).filter(|(_, opponent, ..)| group.contains(&ScoreTable::index(*opponent)));
        let parts: Vec<Part> = met
            .map(|(round, opponent, score, _)| Part {
                round: u32::try_from(round + 1).unwrap_or(u32::MAX),
                opponent: Some(opponent),
                value: score.into(),
                cut: false,
            })
            .collect();
        let scores =
            score_table.played(player).filter(|(_, opponent, ..)| group.contains(&ScoreTable::index(*opponent)));
        let score = scores.map(|(_, _, score, _)| score).sum();
        let opponents: std::collections::BTreeSet<_> = parts.iter().filter_map(|part| part.opponent).collect();
        Self { score, parts, missing: (group.len() - 1 - opponents.len()) as u64 }
    }

    /// The score if all missing encounters were won.
    fn most(&self) -> Half {
        self.score + Half::whole(self.missing)
    }

    fn figure(&self) -> Figure {
        Figure { tie_break: TieBreak::DirectEncounter, value: Some(self.score.into()), parts: self.parts.clone() }
    }
}
