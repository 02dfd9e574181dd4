//! Legal moves near a written token.
//!
//! There can be hundreds of thousands of legal moves, so they are not listed: their tokens are spelled hop by hop, and a
//! beginning that is too far from what is written is given up with all that begins so.

use quipu_notation::games::querni::{Number, Run, Square};

use super::{
    Position,
    board::{self, bit},
    jumps::{Hops, Path},
    moves::{self, Motion, Move, hop, links_after, steps},
};
use crate::slips::{Cost, Miswriting, SlipKind, Walk, Written};

/// Paths that are searched for alternatives, at most.
const PATHS: usize = 4_000;

/// Characters that one walk spells, at most.
const SPELLED: u32 = 4_000;

/// Calls `each` with moves near a token, up to a cost, and what they cost.
pub(super) fn each(position: &Position, written: &Written, most: Cost, mut each: impl FnMut(Move, Miswriting)) {
    if written.is_unreadable() {
        let unreadable = Miswriting::of(SlipKind::Unreadable);
        if unreadable.cost <= most {
            each_outcome(position, |mv| each(mv, unreadable));
        }
        return;
    }
    let hops = Hops::new(position.occupied(), position.own());
    for walk in written.walks(most) {
        Search { position, hops: &hops, walk, left: SPELLED, each: &mut each }.run();
    }
}

/// Calls `each` with one move for every position that a move leads to: the shortest of the jumps that end on one square.
pub(super) fn each_outcome(position: &Position, mut each: impl FnMut(Move)) {
    let hops = Hops::new(position.occupied(), position.own());
    let mut found = false;
    let mut with_removals = |motion: Option<Motion>| {
        links_after(position, motion.as_ref()).each(|run| {
            found = true;
            each(Move { motion, removal: Some(run) });
        });
        if motion.is_some() {
            found = true;
            each(Move { motion, removal: None });
        }
    };
    with_removals(None);
    for (number, from) in position.each_own() {
        for to in board::each(steps(position, from)) {
            with_removals(Some(Motion { number, from, path: Path::to(to) }));
        }
        let (mut landed, mut paths, mut next) = (bit(from), vec![Path::EMPTY], 0);
        while let Some(path) = paths.get(next).copied() {
            next += 1;
            for to in hops.from(path.squares().last().copied().unwrap_or(from)) {
                if landed & bit(to) == 0 {
                    landed |= bit(to);
                    let mut longer = path;
                    longer.push(to);
                    paths.push(longer);
                    with_removals(Some(Motion { number, from, path: longer }));
                }
            }
        }
    }
    if !found {
        //
        each(Move { motion: None, removal: None });
    }
}

/// Calls `each` with other moves that lead to the same position: jumps along other squares to the same one.
pub(super) fn each_alternative(position: &Position, mv: Move, most: usize, mut each: impl FnMut(Move)) {
    let Some(motion) = mv.motion.filter(|motion| !motion.is_step()) else { return };
    let hops = Hops::new(position.occupied(), position.own());
    let (mut paths, mut next, mut found) = (vec![Path::EMPTY], 0, 0);
    // The shorter ones first.
    while let Some(path) = paths.get(next).copied().filter(|_| paths.len() < PATHS && found < most) {
        next += 1;
        let at = path.squares().last().copied().unwrap_or(motion.from);
        for to in hops.from(at).filter(|to| !path.squares().contains(to)) {
            let mut longer = path;
            longer.push(to);
            paths.push(longer);
            if to == motion.to() && longer != motion.path && found < most {
                found += 1;
                each(Move { motion: Some(Motion { path: longer, ..motion }), ..mv });
            }
        }
    }
}

/// A walk through the tokens of moves.
struct Search<'s, 'w, F> {
    position: &'s Position,
    hops: &'s Hops,
    walk: Walk<'w>,
    /// Characters that may still be spelled.
    left: u32,
    each: F,
}

impl<F: FnMut(Move, Miswriting)> Search<'_, '_, F> {
    fn run(&mut self) {
        self.removals(None);
        for (number, from) in self.position.each_own() {
            self.spell(&hop(from, 0)[1..], |search| {
                for to in board::each(steps(search.position, from)) {
                    let motion = Motion { number, from, path: Path::to(to) };
                    search.spell(hop(to, 0), |search| search.ended(motion));
                }
                search.jumps(number, from, Path::EMPTY);
            });
        }
        if !moves::can_move(self.position) && !self.position.links().any() {
            //
            self.spell("--", |search| search.found(Move { motion: None, removal: None }));
        }
    }

    /// Goes on with these characters, unless nothing near begins so.
    fn spell(&mut self, text: &str, then: impl FnOnce(&mut Self)) {
        let mut spelled = 0;
        let mut is_near = true;
        for meant in text.bytes() {
            is_near = self.left > 0;
            if !is_near {
                break;
            }
            self.left -= 1;
            spelled += 1;
            is_near = self.walk.push(meant);
            if !is_near {
                break;
            }
        }
        if is_near {
            then(self);
        }
        for _ in 0..spelled {
            self.walk.pop();
        }
    }

    fn jumps(&mut self, number: Number, from: Square, path: Path) {
        let at = path.squares().last().copied().unwrap_or(from);
        for to in self.hops.from(at).filter(|to| !path.squares().contains(to)) {
            let mut longer = path;
            longer.push(to);
            self.spell(hop(to, 1), |search| {
                search.ended(Motion { number, from, path: longer });
                search.jumps(number, from, longer);
            });
        }
    }

    /// A motion is spelled.
    fn ended(&mut self, motion: Motion) {
        self.found(Move { motion: Some(motion), removal: None });
        self.removals(Some(motion));
    }

    fn removals(&mut self, motion: Option<Motion>) {
        let mut runs: Vec<Run> = Vec::new();
        links_after(self.position, motion.as_ref()).each(|run| runs.push(run));
        for run in runs {
            let token = format!("*{}-{}", run.first.get(), run.last.get());
            self.spell(&token, |search| search.found(Move { motion, removal: Some(run) }));
        }
    }

    /// A move is spelled.
    fn found(&mut self, mv: Move) {
        if let Some(miswriting) = self.walk.miswriting() {
            (self.each)(mv, miswriting);
        }
    }
}
