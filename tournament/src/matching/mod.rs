//! Perfect matching of greatest weight in a complete graph, after Edmonds.
//!
//! A library is no substitute here. A bracket asks for hundreds of matchings, each a little different from the one before;
//! weights are several hundred bits wide; and the choice among equal matchings must not depend on the order of a hash map.
//! So the search starts from the matching and the duals that are there ([`Matching::set_row`], [`Matching::settle`]), grows
//! one tree at a time, and costs at most *n²* steps for each vertex that a change frees.
//!
//! Weights are doubled inside, so that duals are whole numbers: all vertices of a tree have duals of one parity.

mod blossom;
mod search;
mod weight;

use std::collections::VecDeque;

pub(crate) use weight::{Field, Layout, Weight};

/// No vertex, no node.
const NONE: usize = usize::MAX;

/// The hint of a vertex without a likely mate.
pub(crate) const NO_HINT: usize = NONE;

/// A graph with its matching. Nodes are the vertices, `0..n`, and the blossoms from `n` on.
#[derive(Debug)]
pub(crate) struct Matching<const N: usize> {
    n: usize,
    /// Doubled weights, row by row.
    weights: Vec<Weight<N>>,
    /// The dual of each vertex. For each edge between nodes the duals of its ends are at least its weight.
    duals: Vec<Weight<N>>,
    /// The mate of each vertex.
    mates: Vec<usize>,
    /// True for a vertex that left the graph with its mate.
    gone: Vec<bool>,
    /// The outermost node of each vertex.
    top: Vec<usize>,
    blossoms: Vec<blossom::Blossom<N>>,
    /// Blossoms not in use.
    spare: Vec<usize>,
    search: search::State<N>,
}

impl<const N: usize> Matching<N> {
    /// A graph of `n` vertices, an even number, with weights that are at least zero.
    ///
    /// `classes` groups vertices whose weights resemble each other, the one with the heaviest edges first; `own` is the part
    /// of a vertex in each of its edges; `hints` are likely mates. They make the search short and change no weight.
    pub(crate) fn new(
        n: usize,
        weight: impl Fn(usize, usize) -> Weight<N>,
        classes: &[usize],
        own: &[Weight<N>],
        hints: &[usize],
    ) -> Self {
        debug_assert!(n.is_multiple_of(2), "a perfect matching needs an even number of vertices");
        let mut weights = vec![Weight::ZERO; n * n];
        for one in 0..n {
            for two in one + 1..n {
                let doubled = weight(one, two).double();
                weights[one * n + two] = doubled;
                weights[two * n + one] = doubled;
            }
        }
        let mut matching = Self {
            n,
            weights,
            duals: vec![Weight::ZERO; n],
            mates: vec![NONE; n],
            gone: vec![false; n],
            top: (0..n).collect(),
            blossoms: Vec::new(),
            spare: Vec::new(),
            search: search::State::new(n),
        };
        matching.set_duals(classes, own);
        matching.match_tight(hints);
        matching.settle();
        matching
    }

    /// First duals: half of the heaviest edge within the class, then as much more as edges to other classes need.
    fn set_duals(&mut self, classes: &[usize], own: &[Weight<N>]) {
        let n = self.n;
        for vertex in 0..n {
            let alike = (0..n).filter(|&other| other != vertex && classes[other] == classes[vertex]);
            let rest = |other: usize| self.weight(vertex, other) - (own[vertex] + own[other]).double();
            let heaviest = alike.map(rest).max().unwrap_or(Weight::ZERO);
            self.duals[vertex] = own[vertex].double() + heaviest.half_up();
        }
        for vertex in 0..n {
            let lower = (0..n).filter(|&other| classes[other] > classes[vertex]);
            let needed = lower.map(|other| self.weight(vertex, other) - self.duals[other]).max();
            let alone = !(0..n).any(|other| other != vertex && classes[other] == classes[vertex]);
            match needed {
                Some(needed) if needed > self.duals[vertex] || alone => self.duals[vertex] = needed,
                _ => {}
            }
        }
        // Within a class the duals are enough unless its only vertices were lowered to others.
        for vertex in 0..n {
            let others = (0..n).filter(|&other| other != vertex);
            let needed = others.map(|other| self.weight(vertex, other) - self.duals[other]).max();
            if let Some(needed) = needed.filter(|needed| *needed > self.duals[vertex]) {
                self.duals[vertex] = needed;
            }
        }
    }

    /// Matches along tight edges, hinted mates first.
    fn match_tight(&mut self, hints: &[usize]) {
        for vertex in 0..self.n {
            let hint = hints[vertex];
            if hint != NONE
                && hint != vertex
                && self.is_free(vertex)
                && self.is_free(hint)
                && self.is_tight(vertex, hint)
            {
                self.join(vertex, hint);
            }
        }
        for vertex in 0..self.n {
            if self.is_free(vertex)
                && let Some(other) =
                    (vertex + 1..self.n).find(|&other| self.is_free(other) && self.is_tight(vertex, other))
            {
                self.join(vertex, other);
            }
        }
    }

    /// The mate of a vertex.
    pub(crate) fn mate(&self, vertex: usize) -> usize {
        self.mates[vertex]
    }

    /// Sets the weights of the edges of one vertex; nothing leaves an edge as it is. Call [`Self::settle`] afterwards.
    pub(crate) fn set_row(&mut self, vertex: usize, weight: impl Fn(usize) -> Option<Weight<N>>) {
        self.open(vertex);
        for other in 0..self.n {
            if other != vertex
                && let Some(weight) = weight(other)
            {
                self.store(vertex, other, weight);
            }
        }
        let others = (0..self.n).filter(|&other| other != vertex && !self.gone[other]);
        if let Some(dual) = others.map(|other| self.weight(vertex, other) - self.duals[other]).max() {
            self.duals[vertex] = dual;
        }
    }

    /// Sets the weights of many edges. `rise` is added to the dual of each vertex: for each edge the rises of its ends must
    /// be at least the change of its weight. Call [`Self::settle`] afterwards.
    pub(crate) fn set_all(
        &mut self,
        edges: impl IntoIterator<Item = (usize, usize, Weight<N>)>,
        rise: impl Fn(usize) -> Weight<N>,
    ) {
        for vertex in 0..self.n {
            self.open(vertex);
        }
        for (one, two, weight) in edges {
            self.store(one, two, weight);
        }
        for vertex in 0..self.n {
            self.duals[vertex] += rise(vertex).double();
        }
    }

    /// Takes a vertex and its mate out of the graph. Call [`Self::settle`] afterwards.
    pub(crate) fn remove(&mut self, vertex: usize) {
        let mate = self.mates[vertex];
        for vertex in [vertex, mate] {
            self.open(vertex);
            self.gone[vertex] = true;
        }
    }

    /// Makes the matching perfect and of greatest weight again.
    pub(crate) fn settle(&mut self) {
        let mut free = VecDeque::new();
        for vertex in (0..self.n).filter(|&vertex| !self.gone[vertex]) {
            let mate = self.mates[vertex];
            if mate != NONE && self.top[mate] != self.top[vertex] && !self.is_tight(vertex, mate) {
                self.mates[vertex] = NONE;
                self.mates[mate] = NONE;
                free.push_back(mate);
            }
            if self.mates[vertex] == NONE {
                free.push_back(vertex);
            }
        }
        while let Some(vertex) = free.pop_front() {
            if self.mates[vertex] == NONE {
                self.augment_from(vertex);
            }
        }
    }

    /// The weight of an edge as it was set.
    #[cfg(test)]
    fn edge(&self, one: usize, two: usize) -> Weight<N> {
        self.weight(one, two).half()
    }

    fn weight(&self, one: usize, two: usize) -> Weight<N> {
        self.weights[one * self.n + two]
    }

    fn store(&mut self, one: usize, two: usize, weight: Weight<N>) {
        let doubled = weight.double();
        self.weights[one * self.n + two] = doubled;
        self.weights[two * self.n + one] = doubled;
    }

    /// The distance of an edge between two nodes from being tight.
    fn slack(&self, one: usize, two: usize) -> Weight<N> {
        self.duals[one] + self.duals[two] - self.weight(one, two)
    }

    fn is_tight(&self, one: usize, two: usize) -> bool {
        self.slack(one, two) == Weight::ZERO
    }

    fn is_free(&self, vertex: usize) -> bool {
        self.mates[vertex] == NONE
    }

    fn join(&mut self, one: usize, two: usize) {
        self.mates[one] = two;
        self.mates[two] = one;
    }
}

#[cfg(test)]
mod tests;
