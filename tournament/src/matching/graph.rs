//! The graph: weights, duals, mates and blossoms.

use super::{tree::State, weight::Weight};

/// No vertex, no node.
pub(super) const NONE: usize = usize::MAX;

/// The hint of a vertex without a likely mate.
pub(crate) const NO_HINT: usize = NONE;

/// A graph with its matching. Nodes are the vertices, `0..n`, and the blossoms from `n` on.
#[derive(Debug)]
pub(crate) struct Matching<const N: usize> {
    pub(super) n: usize,
    /// Doubled weights, row by row.
    pub(super) weights: Vec<Weight<N>>,
    /// The dual of each vertex. For each edge between nodes the duals of its ends are at least its weight.
    pub(super) duals: Vec<Weight<N>>,
    /// The mate of each vertex.
    pub(super) mates: Vec<usize>,
    /// True for a vertex that left the graph with its mate.
    pub(super) gone: Vec<bool>,
    /// The outermost node of each vertex.
    pub(super) top: Vec<usize>,
    pub(super) blossoms: Vec<Blossom<N>>,
    /// Blossoms not in use.
    pub(super) spare: Vec<usize>,
    pub(super) search: State<N>,
}

/// A cycle of nodes. The first child holds the base; children 1 and 2, 3 and 4 and so on are matched with each other.
#[derive(Debug)]
pub(super) struct Blossom<const N: usize> {
    pub(super) children: Vec<usize>,
    /// The edge from each child to the next one, as a vertex in each.
    pub(super) edges: Vec<(usize, usize)>,
    /// An even number, at least zero.
    pub(super) dual: Weight<N>,
}

impl<const N: usize> Matching<N> {
    pub(super) fn weight(&self, one: usize, two: usize) -> Weight<N> {
        self.weights[one * self.n + two]
    }

    pub(super) fn store(&mut self, one: usize, two: usize, weight: Weight<N>) {
        let doubled = weight.double();
        self.weights[one * self.n + two] = doubled;
        self.weights[two * self.n + one] = doubled;
    }

    /// The distance of an edge between two nodes from being tight.
    pub(super) fn slack(&self, one: usize, two: usize) -> Weight<N> {
        self.duals[one] + self.duals[two] - self.weight(one, two)
    }

    pub(super) fn is_tight(&self, one: usize, two: usize) -> bool {
        self.slack(one, two) == Weight::ZERO
    }

    pub(super) fn is_free(&self, vertex: usize) -> bool {
        self.mates[vertex] == NONE
    }

    pub(super) fn join(&mut self, one: usize, two: usize) {
        self.mates[one] = two;
        self.mates[two] = one;
    }
}
