//! Blossoms: odd cycles of nodes that act as one.

use super::{
    graph::{Blossom, Matching},
    weight::Weight,
};

impl<const N: usize> Matching<N> {
    pub(super) fn blossom(&self, node: usize) -> &Blossom<N> {
        &self.blossoms[node - self.n]
    }

    pub(super) fn blossom_mut(&mut self, node: usize) -> &mut Blossom<N> {
        let n = self.n;
        &mut self.blossoms[node - n]
    }

    /// True for a blossom, false for a vertex.
    pub(super) fn is_blossom(&self, node: usize) -> bool {
        node >= self.n
    }

    /// A new outermost node of these children.
    pub(super) fn add_blossom(&mut self, children: Vec<usize>, edges: Vec<(usize, usize)>) -> usize {
        let blossom = Blossom { children, edges, dual: Weight::ZERO };
        let node = if let Some(node) = self.spare.pop() {
            *self.blossom_mut(node) = blossom;
            node
        } else {
            self.blossoms.push(blossom);
            self.search.add_node();
            self.n + self.blossoms.len() - 1
        };
        self.each_vertex(node, |matching, vertex| matching.top[vertex] = node);
        node
    }

    /// Calls a function for each vertex of a node.
    pub(super) fn each_vertex(&mut self, node: usize, mut act: impl FnMut(&mut Self, usize)) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.is_blossom(node) {
                open.extend(&self.blossom(node).children);
            } else {
                act(self, node);
            }
        }
    }

    /// Makes the children of an outermost blossom outermost, and returns them with their edges.
    pub(super) fn break_up(&mut self, node: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
        let blossom = self.blossom_mut(node);
        let (children, edges) = (std::mem::take(&mut blossom.children), std::mem::take(&mut blossom.edges));
        for &child in &children {
            self.each_vertex(child, |matching, vertex| matching.top[vertex] = child);
        }
        self.spare.push(node);
        (children, edges)
    }

    /// Breaks up all blossoms around a vertex. Their duals move to their vertices, so that edges inside stay tight and the
    /// edge that leaves them does not.
    pub(super) fn open(&mut self, vertex: usize) {
        while self.is_blossom(self.top[vertex]) {
            let node = self.top[vertex];
            let share = self.blossom(node).dual.half();
            self.each_vertex(node, |matching, vertex| matching.duals[vertex] += share);
            self.break_up(node);
        }
    }

    /// Breaks up an outermost blossom and those inside it while their duals are zero.
    pub(super) fn break_up_empty(&mut self, node: usize) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.is_blossom(node) && self.blossom(node).dual == Weight::ZERO {
                open.extend(self.break_up(node).0);
            }
        }
    }

    /// The index of the child of a blossom that holds a vertex.
    pub(super) fn child_with(&self, node: usize, vertex: usize) -> usize {
        let holds = |&child: &usize| {
            let mut open = vec![child];
            while let Some(node) = open.pop() {
                if node == vertex {
                    return true;
                }
                if self.is_blossom(node) {
                    open.extend(&self.blossom(node).children);
                }
            }
            false
        };
        self.blossom(node).children.iter().position(holds).expect("the vertex is in the blossom")
    }

    /// Makes a vertex the base of a node: all others in it are matched inside.
    pub(super) fn rebase(&mut self, node: usize, vertex: usize) {
        if !self.is_blossom(node) {
            return;
        }
        let index = self.child_with(node, vertex);
        let child = self.blossom(node).children[index];
        self.rebase(child, vertex);
        let length = self.blossom(node).children.len();
        let mut at = index;
        while !at.is_multiple_of(length) {
            // An even number of steps leads to the base in one of the directions.
            let (from, to, end) = if index % 2 == 1 { (at + 1, at + 2, at + 1) } else { (at - 2, at - 1, at - 2) };
            let (one, two) = self.blossom(node).edges[end];
            let (first, second) = (self.blossom(node).children[from], self.blossom(node).children[to % length]);
            self.rebase(first, one);
            self.rebase(second, two);
            self.join(one, two);
            at = if index % 2 == 1 { at + 2 } else { at - 2 };
        }
        let blossom = self.blossom_mut(node);
        blossom.children.rotate_left(index);
        blossom.edges.rotate_left(index);
    }

    /// The mate of the base of a node.
    pub(super) fn base_of(&self, node: usize) -> usize {
        let mut node = node;
        while self.is_blossom(node) {
            node = self.blossom(node).children[0];
        }
        node
    }
}
