//! Maximum-weight perfect matchings, and changes of their weights.

use std::collections::VecDeque;

use super::{
    graph::{Matching, NONE},
    tree::State,
    weight::Weight,
};

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
            search: State::new(n),
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
        for (vertex, &hint) in hints.iter().enumerate().take(self.n) {
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

    /// Restores a maximum-weight perfect matching.
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
    pub(super) fn edge(&self, one: usize, two: usize) -> Weight<N> {
        self.weight(one, two).half()
    }
}
