//! Pairing one bracket: the best candidate by the quality criteria, and among equal ones the first in the order of article 4.

use super::{
    criteria::{BracketFacts, Criteria, Place, Vertex},
    pool::Pool,
};
use crate::matching::{Matching, NO_HINT, Weight};

/// The players of a bracket and those below it, by index in the pool.
#[derive(Debug)]
pub(super) struct Players<'g> {
    /// Moved down into the bracket, by rank.
    pub(super) moved_down: &'g [usize],
    /// Of the score of the bracket.
    pub(super) residents: &'g [usize],
    /// Of the next score.
    pub(super) next: &'g [usize],
    /// Of all lower scores.
    pub(super) rest: &'g [usize],
}

/// A paired bracket.
#[derive(Debug)]
pub(super) struct Paired {
    /// The pairs, the higher player first.
    pub(super) pairs: Vec<[usize; 2]>,
    /// The players of the next bracket as it looks from here that would not be paired in it.
    pub(super) unpaired_next: usize,
}

/// Pairs a bracket. If the graph is complete it holds all players left, so that the rest of the round can be paired
/// afterwards; otherwise the caller makes sure of that.
pub(super) fn pair(pool: &Pool, players: &Players, is_complete: bool, bye: Option<u64>, decides_bye: bool) -> Paired {
    let mut vertices = Vec::new();
    let mut add = |place: Place, group: &[usize]| {
        vertices.extend(group.iter().map(|&contender| Vertex { place, contender }));
    };
    add(Place::MovedDown, players.moved_down);
    add(Place::Resident, players.residents);
    add(Place::Next, players.next);
    if is_complete {
        add(Place::Rest, players.rest);
    }
    if vertices.len() % 2 == 1 {
        let place = if is_complete { Place::Bye } else { Place::Filler };
        vertices.push(Vertex { place, contender: usize::MAX });
    }
    let facts = BracketFacts { vertices: &vertices, is_complete, bye_score: bye.filter(|_| decides_bye) };
    let criteria = Criteria::new(pool, &facts);
    let task = Task { pool, criteria: &criteria, vertices: &vertices, bye };
    match criteria.words {
        1 => Run::<1>::new(&task).pair(),
        2 => Run::<2>::new(&task).pair(),
        3 => Run::<3>::new(&task).pair(),
        4 => Run::<4>::new(&task).pair(),
        5..=8 => Run::<8>::new(&task).pair(),
        9..=16 => Run::<16>::new(&task).pair(),
        _ => Run::<64>::new(&task).pair(),
    }
}

struct Task<'t> {
    pool: &'t Pool,
    criteria: &'t Criteria<'t>,
    vertices: &'t [Vertex],
    bye: Option<u64>,
}

impl Task<'_> {
    /// True if two vertices may be matched: two players who may be paired, or a player with the bye.
    fn may_match(&self, one: usize, two: usize) -> bool {
        let (higher, lower) = (self.vertices[one.min(two)], self.vertices[one.max(two)]);
        match lower.place {
            // Two who moved down could have been paired before.
            Place::Filler | Place::MovedDown => false,
            Place::Bye => {
                let contender = &self.pool.contenders[higher.contender];
                contender.may_have_bye && Some(contender.score) == self.bye
            }
            Place::Resident | Place::Next | Place::Rest => self.pool.may_pair(higher.contender, lower.contender),
        }
    }
}

/// The pairing of a bracket with weights of `N` words.
struct Run<'t, const N: usize> {
    task: &'t Task<'t>,
    matching: Matching<N>,
    /// Edges that are open, row by row. All others weigh nothing.
    open: Vec<bool>,
    /// The addition of the exchanges to the edges of a vertex of the remainder with lower ones.
    added: Vec<i128>,
    gone: Vec<bool>,
    pairs: Vec<[usize; 2]>,
}

impl<'t, const N: usize> Run<'t, N> {
    fn new(task: &'t Task<'t>) -> Self {
        let n = task.vertices.len();
        let mut open = vec![false; n * n];
        for one in 0..n {
            for two in one + 1..n {
                let may = task.may_match(one, two);
                open[one * n + two] = may;
                open[two * n + one] = may;
            }
        }
        let classes: Vec<_> = task.vertices.iter().map(|vertex| vertex.place as usize).collect();
        let own: Vec<_> = task.vertices.iter().map(|vertex| task.criteria.own(*vertex)).collect();
        let hints = hints(task.vertices);
        let weight = |one: usize, two: usize| {
            if open[one * n + two] {
                task.criteria.weight(task.vertices[one], task.vertices[two])
            } else {
                Weight::ZERO
            }
        };
        let matching = Matching::new(n, weight, &classes, &own, &hints);
        Self { task, matching, open, added: vec![0; n], gone: vec![false; n], pairs: Vec::new() }
    }

    fn pair(mut self) -> Paired {
        self.pair_moved_down();
        let remainder: Vec<usize> = self.of(Place::Resident).filter(|vertex| !self.gone[*vertex]).collect();
        let uppers = self.exchange(&remainder);
        self.transpose(&remainder, &uppers);
        let is_below = |vertex: &usize| self.task.vertices[*vertex].place <= Place::Next && !self.gone[*vertex];
        let unpaired_next = (0..self.n()).filter(is_below).filter(|vertex| {
            let mate = self.matching.mate(*vertex);
            !self.is_open(*vertex, mate) || self.task.vertices[mate].place > Place::Next
        });
        let unpaired_next = unpaired_next.count();
        let contender = |vertex: usize| self.task.vertices[vertex].contender;
        let pairs = self.pairs.iter().map(|pair| pair.map(contender)).collect();
        Paired { pairs, unpaired_next }
    }

    /// Article 4.4 and 4.2: the players moved down who are paired here, then their opponents.
    fn pair_moved_down(&mut self) {
        let size = i128::try_from(self.n()).expect("a number of players");
        let mut paired = Vec::new();
        for vertex in self.of(Place::MovedDown).collect::<Vec<_>>() {
            if !self.is_with_resident(vertex) {
                self.prefer(vertex, self.of(Place::Resident), |_| 1);
            }
            if self.is_with_resident(vertex) {
                paired.push(vertex);
                self.prefer(vertex, self.of(Place::Resident), |_| size);
            }
        }
        for vertex in paired {
            let residents = self.of(Place::Resident).filter(|other| self.is_open(vertex, *other) && !self.gone[*other]);
            self.take_first(vertex, &residents.collect::<Vec<_>>(), size);
        }
    }

    /// Article 4.3: the least exchange between the halves of the remainder. Returns the upper players, who are paired with
    /// lower ones; all others are left for the next bracket or paired with an upper one.
    fn exchange(&mut self, remainder: &[usize]) -> Vec<usize> {
        let pairs = remainder.iter().filter(|vertex| self.is_upper(**vertex)).count();
        let is_exchanged = remainder[..pairs].iter().any(|vertex| !self.is_upper(*vertex));
        if is_exchanged {
            self.weigh_exchanges(remainder, pairs);
            let count = remainder[..pairs].iter().filter(|vertex| !self.is_upper(**vertex)).count();
            self.choose_down(remainder, pairs, count);
            self.choose_up(remainder, pairs, count);
        }
        let uppers: Vec<usize> = remainder.iter().copied().filter(|vertex| self.is_upper(*vertex)).collect();
        let mut is_upper = vec![false; self.n()];
        for vertex in &uppers {
            is_upper[*vertex] = true;
        }
        let mut closed = Vec::new();
        for (index, &one) in remainder.iter().enumerate() {
            for &two in &remainder[index + 1..] {
                if !is_upper[one] || is_upper[two] {
                    closed.push((one, two));
                }
            }
            if is_upper[one] {
                let below = (0..self.n()).filter(|vertex| self.task.vertices[*vertex].place > Place::Resident);
                closed.extend(below.map(|below| (one, below)));
            }
        }
        self.close(&closed);
        uppers
    }

    /// Gives weight to candidates with few exchanges (4.3.1) of numbers that differ little (4.3.2).
    fn weigh_exchanges(&mut self, remainder: &[usize], pairs: usize) {
        let bits = 2 * self.task.criteria.size_bits;
        for (index, &vertex) in remainder.iter().enumerate() {
            self.added[vertex] = ((i128::from(index < pairs) << bits) - index as i128) << 1;
        }
        let mut edges = Vec::new();
        for (index, &one) in remainder.iter().enumerate() {
            for &two in &remainder[index + 1..] {
                edges.push((one, two, self.weight(one, two, 0)));
            }
        }
        let rises: Vec<Weight<N>> =
            self.added.iter().map(|added| self.task.criteria.order.of((*added).max(0))).collect();
        self.matching.set_all(edges, |vertex| rises[vertex]);
        self.matching.settle();
    }

    /// The players who go from the upper half to the lower: the lowest first (4.3.3).
    fn choose_down(&mut self, remainder: &[usize], pairs: usize, count: usize) {
        let mut left = count;
        for index in (0..pairs).rev() {
            if left == 0 {
                break;
            }
            let (vertex, lower) = (remainder[index], &remainder[index + 1..]);
            let was_upper = self.is_upper(vertex);
            if was_upper {
                self.prefer(vertex, lower.iter().copied(), |_| -1);
            }
            if !self.is_upper(vertex) {
                left -= 1;
                self.close(&lower.iter().map(|other| (vertex, *other)).collect::<Vec<_>>());
            } else if was_upper {
                self.prefer(vertex, lower.iter().copied(), |_| 0);
            }
        }
    }

    /// The players who go from the lower half to the upper: the highest first (4.3.4). The last one follows from the others.
    fn choose_up(&mut self, remainder: &[usize], pairs: usize, count: usize) {
        let mut left = count;
        for index in pairs..remainder.len() {
            if left <= 1 {
                break;
            }
            let (vertex, higher, lower) = (remainder[index], &remainder[..index], &remainder[index + 1..]);
            let was_upper = self.is_upper(vertex);
            if !was_upper {
                self.prefer(vertex, lower.iter().copied(), |_| 1);
            }
            if self.is_upper(vertex) {
                left -= 1;
                let below = (0..self.n()).filter(|other| self.task.vertices[*other].place > Place::Resident);
                let closed = higher.iter().copied().chain(below).map(|other| (vertex, other));
                self.close(&closed.collect::<Vec<_>>());
            }
            if !was_upper {
                self.prefer(vertex, lower.iter().copied(), |_| 0);
            }
        }
    }

    /// Article 4.2: each upper player in turn gets the highest lower one possible.
    fn transpose(&mut self, remainder: &[usize], uppers: &[usize]) {
        for &vertex in uppers {
            let lower = remainder
                .iter()
                .copied()
                .filter(|other| *other > vertex && !self.gone[*other] && self.is_open(vertex, *other));
            self.take_first(vertex, &lower.collect::<Vec<_>>(), 0);
        }
    }

    /// Pairs a vertex with the first of these that a best candidate allows; all of them may be matched with it.
    fn take_first(&mut self, vertex: usize, others: &[usize], base: i128) {
        if others.first() != Some(&self.matching.mate(vertex)) {
            self.prefer(vertex, others.iter().rev().copied(), |place| base + place);
        }
        let mate = self.matching.mate(vertex);
        self.pairs.push([vertex.min(mate), vertex.max(mate)]);
        for vertex in [vertex, mate] {
            self.gone[vertex] = true;
        }
        self.matching.remove(vertex);
        self.matching.settle();
    }

    /// Adds a gain to the weights of edges of a vertex, for the order among equal candidates, and matches again. The gain is
    /// that of the other vertex' place in the list, from 0.
    fn prefer(&mut self, vertex: usize, others: impl Iterator<Item = usize>, gain: impl Fn(i128) -> i128) {
        let mut weights = vec![None; self.n()];
        for (place, other) in (0..).zip(others) {
            if self.is_open(vertex, other) {
                weights[other] = Some(self.weight(vertex, other, gain(place)));
            }
        }
        self.matching.set_row(vertex, |other| weights[other]);
        self.matching.settle();
    }

    /// Closes edges, and matches again.
    fn close(&mut self, edges: &[(usize, usize)]) {
        let n = self.n();
        for &(one, two) in edges {
            self.open[one * n + two] = false;
            self.open[two * n + one] = false;
        }
        self.matching.set_all(edges.iter().map(|(one, two)| (*one, *two, Weight::ZERO)), |_| Weight::ZERO);
        self.matching.settle();
    }

    /// The weight of an open edge with a gain in the order among equal candidates; nothing of a closed one.
    fn weight(&self, one: usize, two: usize, gain: i128) -> Weight<N> {
        if !self.is_open(one, two) {
            return Weight::ZERO;
        }
        let (higher, lower) = (one.min(two), one.max(two));
        let mut weight = self.task.criteria.weight(self.task.vertices[higher], self.task.vertices[lower]);
        let added = if self.is_resident(lower) { self.added[higher] } else { 0 };
        self.task.criteria.order.add(&mut weight, added + gain);
        weight
    }

    fn n(&self) -> usize {
        self.task.vertices.len()
    }

    fn of(&self, place: Place) -> impl Iterator<Item = usize> + use<'t, N> {
        let vertices = self.task.vertices;
        (0..vertices.len()).filter(move |vertex| vertices[*vertex].place == place)
    }

    fn is_open(&self, one: usize, two: usize) -> bool {
        self.open[one * self.n() + two]
    }

    fn is_resident(&self, vertex: usize) -> bool {
        self.task.vertices[vertex].place == Place::Resident
    }

    fn is_with_resident(&self, vertex: usize) -> bool {
        let mate = self.matching.mate(vertex);
        self.is_resident(mate) && self.is_open(vertex, mate)
    }

    /// True for a resident who is paired with a lower one.
    fn is_upper(&self, vertex: usize) -> bool {
        let mate = self.matching.mate(vertex);
        mate > vertex && self.is_with_resident(vertex)
    }
}

/// The likely pairs: the upper half of each group with the lower.
fn hints(vertices: &[Vertex]) -> Vec<usize> {
    let mut hints = vec![NO_HINT; vertices.len()];
    let count = |place: Place| vertices.iter().filter(|vertex| vertex.place == place).count();
    let (moved_down, residents) = (count(Place::MovedDown), count(Place::Resident));
    for (vertex, hint) in hints.iter_mut().enumerate().take(moved_down.min(residents)) {
        *hint = moved_down + vertex;
    }
    let mut start = moved_down + moved_down.min(residents);
    for size in [residents.saturating_sub(moved_down), count(Place::Next), count(Place::Rest)] {
        for index in 0..size / 2 {
            hints[start + index] = start + size / 2 + index;
        }
        start += size;
    }
    hints
}
