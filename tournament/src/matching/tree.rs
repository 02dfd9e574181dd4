//! The tree of a search.

use super::weight::Weight;

/// The place of an outermost node in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// Not in the tree.
    Outside,
    /// At an even distance from the root. The edge leads from the node before to this one; the root has none.
    Even(Option<(usize, usize)>),
    /// At an odd distance.
    Odd((usize, usize)),
}

/// Data of the search, kept from one to the next.
#[derive(Debug)]
pub(super) struct State<const N: usize> {
    pub(super) labels: Vec<Label>,
    /// For a vertex that is not even: the even vertex with the least slack to it, and that slack.
    pub(super) nearest: Vec<(usize, Weight<N>)>,
    /// For an even vertex: the vertex of another even node with the least slack, and that slack.
    pub(super) crossing: Vec<(usize, Weight<N>)>,
    /// Even vertices that are not scanned yet.
    pub(super) fresh: Vec<usize>,
    /// Even vertices that are scanned.
    pub(super) seen: Vec<usize>,
}

impl<const N: usize> State<N> {
    pub(super) fn new(n: usize) -> Self {
        Self {
            labels: vec![Label::Outside; n],
            nearest: vec![(usize::MAX, Weight::ZERO); n],
            crossing: vec![(usize::MAX, Weight::ZERO); n],
            fresh: Vec::new(),
            seen: Vec::new(),
        }
    }

    pub(super) fn add_node(&mut self) {
        self.labels.push(Label::Outside);
    }
}
