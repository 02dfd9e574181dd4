//! The quality criteria C6 to C21 as the weight of a pair.

use std::collections::BTreeMap;

use super::pool::{Contender, Float, Pool};
use crate::matching::{Field, Layout, Weight};

/// The place of a vertex in the graph of a bracket. The order is that of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Moved down into the bracket.
    MovedDown,
    /// Of the score of the bracket.
    Resident,
    /// Of the next score.
    Next,
    /// Of a lower score.
    Rest,
    /// The bye that the pairing gives.
    Bye,
    /// Makes the number of vertices even.
    Filler,
}

/// A vertex of the graph of a bracket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) place: Place,
    /// The index of the contender; none for the bye and the filler.
    pub(super) contender: usize,
}

/// A field for each score, the highest one most important.
#[derive(Debug, Default)]
struct Levels(BTreeMap<u64, Field>);

impl Levels {
    fn new(layout: &mut Layout, counts: &BTreeMap<u64, u64>) -> Self {
        Self(counts.iter().rev().map(|(score, count)| (*score, layout.field(2 * count))).collect())
    }

    fn add<const N: usize>(&self, weight: &mut Weight<N>, score: u64) {
        if let Some(field) = self.0.get(&score) {
            field.add(weight, 1);
        }
    }
}

/// Fields about floats of one round back.
#[derive(Debug)]
struct Floats {
    back: usize,
    down: Option<Field>,
    up: Option<Field>,
    down_scores: Levels,
    up_scores: Levels,
}

/// The criteria that make a difference in a bracket, each with its place in the weight.
#[derive(Debug)]
pub(super) struct Criteria<'p> {
    pool: &'p Pool,
    completion: Option<Field>,
    pairs: Field,
    scores: Levels,
    next_pairs: Option<Field>,
    next_scores: Levels,
    unplayed: Option<Field>,
    /// The score of the player with the bye, and the rank of each number of played rounds: more for fewer (C9).
    unplayed_ranks: Option<(u64, BTreeMap<u64, u64>)>,
    topscorers: Option<[Field; 2]>,
    preferences: Option<[Field; 2]>,
    floats: [Floats; 2],
    /// For the order among equal candidates.
    pub(super) order: Field,
    /// Words of a weight.
    pub(super) words: usize,
    /// Bits of the number of players in the bracket.
    pub(super) size_bits: u32,
}

/// The facts of a bracket that its criteria depend on.
pub(super) struct BracketFacts<'v> {
    pub(super) vertices: &'v [Vertex],
    /// True if the graph holds all players left, so that each must be matched.
    pub(super) is_complete: bool,
    /// The score of the player who gets the bye, if the bracket decides who does (C9).
    pub(super) bye_score: Option<u64>,
}

impl<'p> Criteria<'p> {
    pub(super) fn new(pool: &'p Pool, facts: &BracketFacts) -> Self {
        let size = facts.vertices.len() as u64;
        let of = |place: Place| facts.vertices.iter().filter(move |vertex| vertex.place == place);
        let people = |place: Place| of(place).map(|vertex| &pool.contenders[vertex.contender]);
        let current = || people(Place::MovedDown).chain(people(Place::Resident));
        let count = |group: &mut dyn Iterator<Item = &'p Contender>| {
            let mut counts = BTreeMap::new();
            for contender in group {
                *counts.entry(contender.score).or_insert(0) += 1;
            }
            counts
        };
        let has_moved_down = of(Place::MovedDown).next().is_some();
        let has_next = of(Place::Next).next().is_some();
        let scores = count(&mut current());
        let with_next = count(&mut current().chain(people(Place::Next)));
        let mut layout = Layout::new();
        let completion = facts.is_complete.then(|| layout.field(size));
        let pairs = layout.field(size);
        let score_levels = if has_moved_down { Levels::new(&mut layout, &scores) } else { Levels::default() };
        let next_pairs = has_next.then(|| layout.field(size));
        let next_scores = if has_next { Levels::new(&mut layout, &with_next) } else { Levels::default() };
        let unplayed_ranks = facts.bye_score.map(|score| (score, unplayed_ranks(pool, score)));
        let unplayed = unplayed_ranks.is_some().then(|| layout.field(size * size));
        let topscorers = current().any(|one| one.is_topscorer).then(|| [layout.field(size), layout.field(size)]);
        let preferences =
            current().any(|one| one.preference.side.is_some()).then(|| [layout.field(size), layout.field(size)]);
        let floats = {
            let any = |back: usize, float| current().any(|one| one.floats[back] == Some(float));
            let mut counted = |back: usize| {
                let down = any(back, Float::Down).then(|| layout.field(2 * size));
                let up = (has_moved_down && any(back, Float::Up)).then(|| layout.field(size));
                (down, up)
            };
            let counts = [counted(0), counted(1)];
            [0, 1].map(|back| {
                let (down, up) = counts[back];
                let levels = |layout: &mut Layout, field: Option<Field>| {
                    // Without scores that differ the counts decide all.
                    if field.is_some() && has_moved_down { Levels::new(layout, &scores) } else { Levels::default() }
                };
                Floats { back, down, up, down_scores: levels(&mut layout, down), up_scores: levels(&mut layout, up) }
            })
        };
        let in_bracket = current().count() as u64;
        let size_bits = u64::BITS - in_bracket.leading_zeros() + 1;
        let order = layout.field(in_bracket << (2 * size_bits + 3));
        Self {
            pool,
            completion,
            pairs,
            scores: score_levels,
            next_pairs,
            next_scores,
            unplayed,
            unplayed_ranks,
            topscorers,
            preferences,
            floats,
            order,
            words: layout.words(),
            size_bits,
        }
    }

    /// The weight of a pair that may be; `higher` ranks before `lower`.
    pub(super) fn weight<const N: usize>(&self, higher: Vertex, lower: Vertex) -> Weight<N> {
        let mut weight = Weight::ZERO;
        if let Some(completion) = self.completion {
            completion.add(&mut weight, 1);
        }
        if lower.place >= Place::Bye {
            return weight;
        }
        let (high, low) = (&self.pool.contenders[higher.contender], &self.pool.contenders[lower.contender]);
        match lower.place {
            Place::Resident => self.add_current(&mut weight, high, low),
            Place::Next => {
                if let Some(field) = self.next_pairs {
                    field.add(&mut weight, 1);
                }
                self.next_scores.add(&mut weight, high.score);
            }
            _ => {}
        }
        if lower.place <= Place::Next {
            self.add_unplayed(&mut weight, high);
            self.add_unplayed(&mut weight, low);
        }
        weight
    }

    /// The part of a resident in all its pairs, which helps the search to start well.
    pub(super) fn own<const N: usize>(&self, vertex: Vertex) -> Weight<N> {
        let mut weight = Weight::ZERO;
        if vertex.place == Place::Resident {
            let resident = &self.pool.contenders[vertex.contender];
            for floats in &self.floats {
                if let (Some(field), Some(Float::Down)) = (floats.down, resident.floats[floats.back]) {
                    field.add(&mut weight, 1);
                    floats.down_scores.add(&mut weight, resident.score);
                }
            }
            self.add_unplayed(&mut weight, resident);
        }
        weight
    }

    fn add_unplayed<const N: usize>(&self, weight: &mut Weight<N>, contender: &Contender) {
        if let (Some(field), Some((score, ranks))) = (self.unplayed, &self.unplayed_ranks)
            && contender.score == *score
        {
            field.add(weight, ranks.get(&contender.played).copied().unwrap_or(0).into());
        }
    }

    fn add_current<const N: usize>(&self, weight: &mut Weight<N>, high: &Contender, low: &Contender) {
        self.pairs.add(weight, 1);
        self.scores.add(weight, high.score);
        let (one, two) = (&low.preference, &high.preference);
        let clashes = one.clashes(*two);
        let both_absolute = one.is_absolute() && two.is_absolute();
        if let Some([imbalance, repeated]) = self.topscorers {
            imbalance.add(weight, i128::from(!(clashes && one.imbalance > 1 && two.imbalance > 1)));
            let thrice = if one.imbalance == two.imbalance {
                one.repeated.is_some() && one.repeated == two.repeated
            } else {
                let narrower = if one.imbalance > two.imbalance { two } else { one };
                narrower.repeated.is_some_and(|side| Some(!side) == one.side)
            };
            repeated.add(weight, i128::from(!(clashes && both_absolute && thrice)));
        }
        if let Some([any, strong]) = self.preferences {
            use super::sides::Strength::Strong;
            any.add(weight, i128::from(!clashes));
            let both_strong = one.strength >= Strong && two.strength >= Strong && !both_absolute;
            strong.add(weight, i128::from(!(clashes && both_strong)));
        }
        for floats in &self.floats {
            let (high_float, low_float) = (high.floats[floats.back], low.floats[floats.back]);
            if let Some(down) = floats.down {
                let prevented = i128::from(low_float == Some(Float::Down))
                    + i128::from(high_float == Some(Float::Down) && high.score <= low.score);
                down.add(weight, prevented);
                for (contender, float) in [(low, low_float), (high, high_float)] {
                    if float == Some(Float::Down) {
                        floats.down_scores.add(weight, contender.score);
                    }
                }
            }
            if let Some(up) = floats.up
                && !(low_float == Some(Float::Up) && high.score > low.score)
            {
                up.add(weight, 1);
                floats.up_scores.add(weight, high.score);
            }
        }
    }
}

/// Ranks of numbers of played rounds among the players of a score: the more rounds, the lower.
fn unplayed_ranks(pool: &Pool, score: u64) -> BTreeMap<u64, u64> {
    let mut played: Vec<_> =
        pool.contenders.iter().filter(|contender| contender.score == score).map(|contender| contender.played).collect();
    played.sort_unstable();
    (0..).zip(played.into_iter().rev()).map(|(rank, rounds)| (rounds, rank)).collect()
}
