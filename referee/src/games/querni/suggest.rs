//! Lawful moves that somebody who wrote a token may have meant.
//!
//! There can be hundreds of thousands of lawful moves, so this looks only near what is written: the same path from
//! another piece, the same path with one square changed, left out or taken out, its beginning, single steps and hops of
//! the same piece, other runs after the same motion. That is at most a few hundred, each judged in a walk along the path.

use quipu_notation::games::querni::{MotionText, MoveText, Number, PathText, Piece, Run, Square};

use super::{
    Position,
    board::{self, bit},
    jumps::{Hops, Path},
    moves::{Motion, Move, links_after, removal, steps},
};

/// The motion as it is written: the fault is elsewhere.
const AS_WRITTEN: u8 = 8;
/// A step for a jump or a jump for a step, to the square that is written.
const OTHER_KIND: u8 = 7;
/// A path of which one square was written wrongly, forgotten or written in excess.
const MENDED: u8 = 6;
/// What the path can be as far as it is lawful, and one hop more; for a step, another step of the piece.
const NEAR: u8 = 4;
/// The beginning of a path, or a single hop instead of a step.
const PART: u8 = 3;
/// What is written, by another piece.
const OTHER_PIECE: u8 = 2;

/// Calls `each` with moves like a token, each once, and how likely they are.
pub(super) fn each(position: &Position, token: &str, mut each: impl FnMut(Move, u8)) {
    let Ok(text) = MoveText::parse(token) else { return };
    let motions = text.motion.map(|motion| Motions::like(position, &motion).found).unwrap_or_default();
    for (motion, likeness) in motions {
        let alone = Move { motion: Some(motion), removal: None };
        let Some(written) = text.removal else {
            each(alone, likeness);
            continue;
        };
        let mut kept = false;
        links_after(position, Some(&motion)).each(|run| {
            let mv = Move { removal: Some(removal(position, Some(&motion), run)), ..alone };
            if run == written {
                kept = true;
                each(mv, likeness + 2);
            } else if likeness >= AS_WRITTEN {
                each(mv, likeness + u8::from(shares_an_end(run, written)));
            }
        });
        if !kept {
            each(alone, likeness);
        }
    }
    if let (None, Some(written)) = (text.motion, text.removal) {
        position.links().each(|run| {
            let mv = Move { motion: None, removal: Some(removal(position, None, run)) };
            each(mv, 1 + u8::from(shares_an_end(run, written)));
        });
    }
}

fn shares_an_end(one: Run, other: Run) -> bool {
    one.first == other.first || one.last == other.last
}

/// Motions like one that is written.
struct Motions<'p> {
    position: &'p Position,
    hops: Hops,
    found: Vec<(Motion, u8)>,
}

impl<'p> Motions<'p> {
    fn like(position: &'p Position, text: &MotionText<'_>) -> Self {
        let mut motions = Self { position, hops: Hops::new(position.occupied(), position.own()), found: Vec::new() };
        let own = |square: Square| position.piece(square).filter(|piece| piece.side == position.turn);
        let claimed = text.claim.map(|number| Piece { side: position.turn, number });
        let meant = [
            own(text.from).map(|piece| (piece.number, text.from)),
            claimed.and_then(|piece| Some((piece.number, position.place(piece)?))),
        ];
        for (number, from) in meant.into_iter().flatten() {
            match text.path {
                PathText::Step(to) => motions.like_step(number, from, to),
                PathText::Jump(landings) => motions.like_jump(number, from, landings.squares()),
            }
        }
        for (number, from) in position.each_own() {
            let path = match text.path {
                PathText::Step(to) => motions.step(from, to),
                PathText::Jump(landings) => motions.whole(from, Path::EMPTY, landings.squares()),
            };
            motions.add(number, from, path, OTHER_PIECE);
        }
        motions
    }

    /// Adds a motion, if there is one; the first likeness it comes with holds.
    fn add(&mut self, number: Number, from: Square, path: Option<Path>, likeness: u8) {
        let Some(path) = path else { return };
        let motion = Motion { number, from, path };
        if self.found.iter().all(|(found, _)| *found != motion) {
            self.found.push((motion, likeness));
        }
    }

    fn step(&self, from: Square, to: Square) -> Option<Path> {
        (steps(self.position, from) & bit(to) != 0).then(|| Path::to(to))
    }

    /// A path that goes on along all of these squares, if that is lawful.
    fn whole(&self, from: Square, mut path: Path, squares: impl Iterator<Item = Square> + Clone) -> Option<Path> {
        let length = path.squares().len() + squares.clone().count();
        self.hops.follow(from, &mut path, squares);
        (path.squares().len() == length).then_some(path)
    }

    /// The paths of one hop more.
    fn longer(&self, from: Square, path: &Path) -> Vec<Path> {
        let at = path.squares().last().copied().unwrap_or(from);
        let fresh = self.hops.from(at).filter(|to| !path.squares().contains(to));
        fresh.filter_map(|to| self.whole(from, *path, std::iter::once(to))).collect()
    }

    fn like_step(&mut self, number: Number, from: Square, to: Square) {
        self.add(number, from, self.step(from, to), AS_WRITTEN);
        for path in self.longer(from, &Path::EMPTY) {
            let likeness = if path.squares() == [to] { OTHER_KIND } else { PART };
            self.add(number, from, Some(path), likeness);
        }
        for other in board::each(steps(self.position, from)) {
            self.add(number, from, Some(Path::to(other)), NEAR);
        }
    }

    fn like_jump(&mut self, number: Number, from: Square, written: impl Iterator<Item = Square> + Clone) {
        self.add(number, from, self.whole(from, Path::EMPTY, written.clone()), AS_WRITTEN);
        if let (Some(to), 1) = (written.clone().next(), written.clone().take(2).count()) {
            self.add(number, from, self.step(from, to), OTHER_KIND);
        }
        let mut lawful = Path::EMPTY;
        self.hops.follow(from, &mut lawful, written.clone());
        let (rest, after) = (written.clone().skip(lawful.squares().len()), written.skip(lawful.squares().len() + 1));
        if after.clone().next().is_some() {
            self.add(number, from, self.whole(from, lawful, after.clone()), MENDED);
        }
        for path in self.longer(from, &lawful) {
            self.add(number, from, self.whole(from, path, after.clone()), MENDED);
            self.add(number, from, self.whole(from, path, rest.clone()), MENDED);
            self.add(number, from, Some(path), NEAR);
        }
        if !lawful.squares().is_empty() {
            self.add(number, from, Some(lawful), PART);
        }
    }
}
