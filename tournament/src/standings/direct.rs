//! The direct encounter among players that are equal so far (C.07, 6).

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
};

use quipu_referee::competition::Quarter;

use super::{
    TournamentTieBreak,
    figures::{Figure, Part},
    score_table::ScoreTable,
};
use crate::model::PlayerId;

/// The order of a group by the encounters among its players: groups of those that stay equal, with the figure of each player
/// among those that it was compared with last.
///
/// If all have met, their scores against each other decide, and again among those that stay equal (6.2). If not, a player whom
/// no other can reach, however the missing encounters would end, is first, and the others are looked at again (6.3).
pub(super) fn split(score_table: &ScoreTable, group: &[usize]) -> Vec<Vec<(usize, Figure)>> {
    let mut ranked = Vec::new();
    let mut left: Vec<usize> = group.to_vec();
    while left.len() > 1 {
        let mut among: Vec<Among> = left.iter().map(|player| Among::new(score_table, *player, &left)).collect();
        if among.iter().all(|one| one.missing == 0) {
            among.sort_by_key(|one| Reverse(one.score));
            for equal in among.chunk_by(|one, two| one.score == two.score) {
                if equal.len() == 1 || equal.len() == left.len() {
                    ranked.push(equal.iter().map(|one| (one.player, one.figure())).collect());
                } else {
                    let equal: Vec<usize> = equal.iter().map(|one| one.player).collect();
                    ranked.extend(split(score_table, &equal));
                }
            }
            return ranked;
        }
        let is_first = |one: &&Among| {
            among.iter().all(|other| other.player == one.player || one.score > other.score.plus(other.missing))
        };
        let Some(first) = among.iter().find(is_first) else { break };
        ranked.push(vec![(first.player, first.figure())]);
        let first = first.player;
        left.retain(|player| *player != first);
    }
    if !left.is_empty() {
        let none = || Figure { tie_break: TournamentTieBreak::DirectEncounter, value: None, parts: Vec::new() };
        ranked.push(left.into_iter().map(|player| (player, none())).collect());
    }
    ranked
}

/// A player among equals.
struct Among {
    player: usize,
    score: MeanSum,
    parts: Vec<Part>,
    /// Players whom it has not met.
    missing: u64,
}

impl Among {
    fn new(score_table: &ScoreTable, player: usize, group: &[usize]) -> Self {
        let is_among = |opponent: PlayerId| group.contains(&ScoreTable::index(opponent));
        let mut met: BTreeMap<PlayerId, (u64, u64)> = BTreeMap::new();
        let mut parts = Vec::new();
        for (round, opponent, score, _) in score_table.counted(player).filter(|(_, opponent, ..)| is_among(*opponent)) {
            let (halves, count) = met.entry(opponent).or_default();
            *halves += score.halves();
            *count += 1;
            let round = u32::try_from(round + 1).unwrap_or(u32::MAX);
            parts.push(Part { round, opponent: Some(opponent), value: score.into(), cut: false });
        }
        let missing = (group.len() - 1 - met.len()) as u64;
        Self { player, score: MeanSum::new(met.into_values()), parts, missing }
    }

    fn figure(&self) -> Figure {
        let value = Some(self.score.rounded());
        Figure { tie_break: TournamentTieBreak::DirectEncounter, value, parts: self.parts.clone() }
    }
}

/// A sum of means in halves: players who met more than once have the mean of these scores (6.1.2). As a fraction it fits, since
/// the numbers of encounters of a player add up to at most [`crate::model::MAX_ROUNDS`].
#[derive(Clone, Copy, Debug)]
struct MeanSum {
    halves: u128,
    divisor: u128,
}

impl MeanSum {
    /// The sum of the means of so many halves in so many encounters.
    fn new(sums: impl Iterator<Item = (u64, u64)>) -> Self {
        sums.fold(Self { halves: 0, divisor: 1 }, |sum, (halves, count)| {
            let (halves, count) = (u128::from(halves), u128::from(count));
            let divisor = sum.divisor / common_divisor(sum.divisor, count) * count;
            Self { halves: sum.halves * (divisor / sum.divisor) + halves * (divisor / count), divisor }
        })
    }

    /// The same after so many wins against players not met yet.
    fn plus(self, wins: u64) -> Self {
        Self { halves: self.halves + 2 * u128::from(wins) * self.divisor, ..self }
    }

    /// The sum in quarters; what is less than a quarter, after three encounters or more with one opponent, is left out.
    fn rounded(self) -> Quarter {
        Quarter::quarter_of(u64::try_from(2 * self.halves / self.divisor).unwrap_or(u64::MAX))
    }
}

impl Ord for MeanSum {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.halves * other.divisor).cmp(&(other.halves * self.divisor))
    }
}

impl PartialOrd for MeanSum {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for MeanSum {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for MeanSum {}

fn common_divisor(one: u128, two: u128) -> u128 {
    if two == 0 { one } else { common_divisor(two, one % two) }
}
