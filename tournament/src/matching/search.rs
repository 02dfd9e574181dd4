//! The search for an augmenting path: one tree of tight edges, which grows while the duals change.

use super::{
    graph::{Matching, NONE},
    tree::Label,
    weight::Weight,
};

/// The constraint that bounds the next change of duals.
enum Event {
    /// An edge from an even vertex to one outside becomes tight.
    Reach(usize, usize),
    /// An edge between even nodes becomes tight.
    Cross(usize, usize),
    /// The dual of an odd blossom becomes zero.
    Break(usize),
}

impl<const N: usize> Matching<N> {
    /// Matches a free vertex, and another free one, along a path of tight edges.
    pub(super) fn augment_from(&mut self, root: usize) {
        self.search.labels.fill(Label::Outside);
        self.search.nearest.fill((NONE, Weight::ZERO));
        self.search.crossing.fill((NONE, Weight::ZERO));
        self.search.fresh.clear();
        self.search.seen.clear();
        self.make_even(self.top[root], None);
        let end = loop {
            if let Some(end) = self.look() {
                break end;
            }
            let (delta, event) = self.next_event();
            if delta != Weight::ZERO {
                self.change_duals(delta);
            }
            let found = match event {
                Event::Reach(even, vertex) => self.reach(even, vertex),
                Event::Cross(one, two) => {
                    self.cross(one, two);
                    None
                }
                Event::Break(node) => {
                    self.break_odd(node);
                    None
                }
            };
            if let Some(end) = found {
                break end;
            }
        };
        self.augment(end);
        for node in self.n..self.n + self.blossoms.len() {
            let is_top = !self.blossom(node).children.is_empty() && self.top[self.base_of(node)] == node;
            if is_top {
                self.break_up_empty(node);
            }
        }
    }

    fn make_even(&mut self, node: usize, edge: Option<(usize, usize)>) {
        self.search.labels[node] = Label::Even(edge);
        self.each_vertex(node, |matching, vertex| matching.search.fresh.push(vertex));
    }

    /// Scans the edges of new even vertices. Returns a tight edge to a free vertex.
    fn look(&mut self) -> Option<(usize, usize)> {
        while let Some(even) = self.search.fresh.pop() {
            for other in 0..self.n {
                if self.gone[other] || self.top[other] == self.top[even] {
                    continue;
                }
                let slack = self.slack(even, other);
                match self.search.labels[self.top[other]] {
                    Label::Even(_) => {
                        let (known, least) = self.search.crossing[even];
                        if known == NONE || slack < least {
                            self.search.crossing[even] = (other, slack);
                        }
                    }
                    label => {
                        if label == Label::Outside
                            && slack == Weight::ZERO
                            && let Some(end) = self.reach(even, other)
                        {
                            return Some(end);
                        }
                        let (known, least) = self.search.nearest[other];
                        if known == NONE || slack < least {
                            self.search.nearest[other] = (even, slack);
                        }
                    }
                }
            }
            self.search.seen.push(even);
        }
        None
    }

    /// Takes the node of a vertex outside, with the mate of its base, into the tree; or returns the edge if it is free.
    fn reach(&mut self, even: usize, vertex: usize) -> Option<(usize, usize)> {
        let node = self.top[vertex];
        let base = self.base_of(node);
        let mate = self.mates[base];
        if mate == NONE {
            return Some((even, vertex));
        }
        self.search.labels[node] = Label::Odd((even, vertex));
        self.make_even(self.top[mate], Some((base, mate)));
        None
    }

    /// The least change of duals after which something happens.
    fn next_event(&mut self) -> (Weight<N>, Event) {
        let mut least: Option<(Weight<N>, Event)> = None;
        let mut offer = |delta: Weight<N>, event: Event| {
            if least.as_ref().is_none_or(|(known, _)| delta < *known) {
                least = Some((delta, event));
            }
        };
        for vertex in (0..self.n).filter(|&vertex| !self.gone[vertex]) {
            let (even, slack) = self.search.nearest[vertex];
            if even != NONE && self.search.labels[self.top[vertex]] == Label::Outside {
                offer(slack, Event::Reach(even, vertex));
            }
        }
        for index in 0..self.search.seen.len() {
            let even = self.search.seen[index];
            let (other, _) = self.search.crossing[even];
            if other != NONE && self.top[other] == self.top[even] {
                self.search.crossing[even] = self.nearest_crossing(even);
            }
            let (other, slack) = self.search.crossing[even];
            if other != NONE {
                offer(slack.half(), Event::Cross(even, other));
            }
        }
        for node in self.n..self.n + self.blossoms.len() {
            if matches!(self.search.labels[node], Label::Odd(_)) {
                offer(self.blossom(node).dual.half(), Event::Break(node));
            }
        }
        least.expect("the graph is complete and has another free vertex")
    }

    /// The vertex of another even node with the least slack to an even one.
    fn nearest_crossing(&self, even: usize) -> (usize, Weight<N>) {
        let others = self.search.seen.iter().filter(|&&other| self.top[other] != self.top[even]);
        let nearest = others.map(|&other| (self.slack(even, other), other)).min();
        nearest.map_or((NONE, Weight::ZERO), |(slack, other)| (other, slack))
    }

    fn change_duals(&mut self, delta: Weight<N>) {
        let twice = delta.double();
        for vertex in (0..self.n).filter(|&vertex| !self.gone[vertex]) {
            match self.search.labels[self.top[vertex]] {
                Label::Even(_) => {
                    self.duals[vertex] -= delta;
                    self.search.crossing[vertex].1 -= twice;
                }
                Label::Odd(_) => self.duals[vertex] += delta,
                Label::Outside => self.search.nearest[vertex].1 -= delta,
            }
        }
        for node in self.n..self.n + self.blossoms.len() {
            match self.search.labels[node] {
                Label::Even(_) => self.blossom_mut(node).dual += twice,
                Label::Odd(_) => self.blossom_mut(node).dual -= twice,
                Label::Outside => {}
            }
        }
    }

    /// The even nodes from a node to the root with the odd ones between them.
    fn way_to_root(&self, from: usize) -> Vec<usize> {
        let mut way = vec![from];
        let mut node = from;
        while let Label::Even(Some((vertex, _))) | Label::Odd((vertex, _)) = self.search.labels[node] {
            node = self.top[vertex];
            way.push(node);
        }
        way
    }

    /// The edge by which a node came into the tree.
    fn edge_to(&self, node: usize) -> (usize, usize) {
        match self.search.labels[node] {
            Label::Even(Some(edge)) | Label::Odd(edge) => edge,
            Label::Even(None) | Label::Outside => unreachable!("only the root has no edge"),
        }
    }

    /// Makes a blossom of the cycle that a tight edge between two even nodes closes.
    fn cross(&mut self, one: usize, two: usize) {
        let (mut first, mut second) = (self.way_to_root(self.top[one]), self.way_to_root(self.top[two]));
        let mut base = self.top[one];
        while let (Some(a), Some(b)) = (first.last(), second.last())
            && a == b
        {
            base = *a;
            first.pop();
            second.pop();
        }
        let mut children = vec![base];
        let mut edges = Vec::new();
        for &node in first.iter().rev() {
            edges.push(self.edge_to(node));
            children.push(node);
        }
        edges.push((one, two));
        for &node in &second {
            let (before, here) = self.edge_to(node);
            edges.push((here, before));
            children.push(node);
        }
        let label = self.search.labels[base];
        let new: Vec<_> =
            children.iter().copied().filter(|&node| matches!(self.search.labels[node], Label::Odd(_))).collect();
        for &child in &children {
            self.search.labels[child] = Label::Outside;
        }
        let node = self.add_blossom(children, edges);
        self.search.labels[node] = label;
        for odd in new {
            self.each_vertex(odd, |matching, vertex| matching.search.fresh.push(vertex));
        }
    }

    /// Breaks up an odd blossom whose dual is zero: the way through it stays in the tree.
    fn break_odd(&mut self, node: usize) {
        let entry = self.edge_to(node);
        self.search.labels[node] = Label::Outside;
        let index = self.child_with(node, entry.1);
        let (children, edges) = self.break_up(node);
        let length = children.len();
        self.search.labels[children[index]] = Label::Odd(entry);
        let mut at = index;
        while !at.is_multiple_of(length) {
            let (even, even_edge, odd, odd_edge) = if index % 2 == 1 {
                (at + 1, edges[at], (at + 2) % length, edges[at + 1])
            } else {
                let turn = |(one, two): (usize, usize)| (two, one);
                (at - 1, turn(edges[at - 1]), at - 2, turn(edges[at - 2]))
            };
            self.make_even(children[even], Some(even_edge));
            self.search.labels[children[odd]] = Label::Odd(odd_edge);
            at = if index % 2 == 1 { at + 2 } else { at - 2 };
        }
    }

    /// Turns the path from a free vertex through the tree to the root.
    fn augment(&mut self, (even, free): (usize, usize)) {
        self.rebase(self.top[free], free);
        self.mates[free] = even;
        let (mut here, mut mate) = (even, free);
        loop {
            let node = self.top[here];
            let label = self.search.labels[node];
            self.rebase(node, here);
            self.mates[here] = mate;
            let Label::Even(Some((odd_vertex, _))) = label else { break };
            let odd = self.top[odd_vertex];
            let (before, entry) = self.edge_to(odd);
            self.rebase(odd, entry);
            self.mates[entry] = before;
            (here, mate) = (before, entry);
        }
    }
}
