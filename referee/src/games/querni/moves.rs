//! Moves of Querni: legality, effect and tokens.
//!
//! There can be hundreds of thousands of moves, so a token is judged by itself, hop by hop, and tests for any move list
//! none. Only [`each`] and [`count`] iterate over them.

use std::fmt;

use quipu_notation::games::querni::{MotionText, MoveText, Number, PathText, Piece, Run, Square};

use super::{
    Breach, Position,
    board::{self, NEIGHBOURS, Squares, WAYS, bit},
    chains::{self, Links, MIN_CHAIN, next_in_number},
    jumps::{Hops, Path},
};
use crate::{games::token_table::ascii, slips::Cost, tap::Tap};

/// A move that is legal in the position it was resolved in. With neither a motion nor a removal it is a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The motion, if there is one.
    pub motion: Option<Motion>,
    /// The pieces that are removed after it, part of a chain or all of it, if there are any.
    pub removal: Option<Run>,
}

/// A step or a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Motion {
    /// The piece.
    pub number: Number,
    /// Its first square.
    pub from: Square,
    /// The destination.
    pub path: Path,
}

impl Motion {
    /// The last square.
    pub(super) fn to(&self) -> Square {
        self.path.squares().last().copied().unwrap_or(self.from)
    }

    /// True for a step: the first hop of a jump goes further.
    pub fn is_step(&self) -> bool {
        self.path.squares().first().is_some_and(|&to| NEIGHBOURS[self.from.index()] & bit(to) != 0)
    }
}

/// True if a piece of the side to move can be moved.
pub(super) fn can_move(position: &Position) -> bool {
    let (own, occupied) = (position.own(), position.occupied());
    board::around(own) & !occupied != 0 || WAYS.iter().any(|way| way.hops(occupied) & own != 0)
}

/// The squares that a piece can step to.
pub(super) fn steps(position: &Position, from: Square) -> Squares {
    NEIGHBOURS[from.index()] & !position.occupied()
}

/// Calls `each_one` with every legal move.
pub(super) fn each(position: &Position, mut each_one: impl FnMut(Move)) {
    let mut found = false;
    let mut emit = |mv| {
        found = true;
        each_one(mv);
    };
    let (hops, links) = (Hops::new(position.occupied(), position.own()), position.links());
    links.each(|run| emit(Move { motion: None, removal: Some(run) }));
    for (number, from) in position.each_own() {
        let mut with_removals = |path: &Path| {
            let motion = Motion { number, from, path: *path };
            emit(Move { motion: Some(motion), removal: None });
            let links = links.moved(position.own_places(), number, motion.to());
            links.each(|run| emit(Move { motion: Some(motion), removal: Some(run) }));
        };
        for to in board::each(steps(position, from)) {
            with_removals(&Path::to(to));
        }
        hops.each_path(from, &mut with_removals);
    }
    if !found {
        // only a side that can do nothing else passes.
        each_one(Move { motion: None, removal: None });
    }
}

/// The number of legal moves.
pub(super) fn count(position: &Position) -> u64 {
    let (hops, links) = (Hops::new(position.occupied(), position.own()), position.links());
    let motions = position.each_own().map(|(number, from)| {
        let worth = Worth::new(links, next_in_number(position.own_places(), number), number);
        let steps = worth.of_all(steps(position, from));
        let jumps = if hops.any(from) { hops.sum(from, worth.away, worth.others, |to| worth.of(to)) } else { 0 };
        steps + jumps
    });
    (links.count() + motions.sum::<u64>()).max(1)
}

/// The number of moves that a motion of one piece makes, by its last square: one, and one more for each run that can be
/// removed then. It depends only on the neighbours with the numbers before and after it.
struct Worth {
    /// The neighbours of the piece before it, of the piece after it, and of both.
    parts: [Squares; 3],
    /// Their worth.
    worths: [u64; 3],
    /// The worth of all other squares.
    away: u64,
    /// The squares with another worth than `away`.
    others: Squares,
}

impl Worth {
    fn new(links: Links, next: [u8; 2], number: Number) -> Self {
        let worth = |beside| 1 + links.with(number, beside).count();
        let both = worth([true, true]);
        if both == 1 {
            // Nothing can be removed after any motion.
            return Self { parts: [0; 3], worths: [1; 3], away: 1, others: 0 };
        }
        let [before, after] = next.map(|place| NEIGHBOURS[usize::from(place)]);
        let parts = [before & !after, after & !before, before & after];
        let (away, worths) = (worth([false, false]), [worth([true, false]), worth([false, true]), both]);
        let others = parts.iter().zip(worths).filter(|(_, worth)| *worth != away);
        Self { parts, worths, away, others: others.fold(0, |set, (part, _)| set | part) }
    }

    /// The worth of one square.
    fn of(&self, to: Square) -> u64 {
        self.parts.iter().position(|part| part & bit(to) != 0).map_or(self.away, |part| self.worths[part])
    }

    /// The worth of a set of squares.
    fn of_all(&self, squares: Squares) -> u64 {
        let count = |squares: Squares| u64::from(squares.count_ones());
        let others = self.parts.iter().zip(self.worths).map(|(part, worth)| count(squares & part) * worth);
        others.sum::<u64>() + count(squares & !(self.parts[0] | self.parts[1] | self.parts[2])) * self.away
    }
}

/// The place of a piece of the side to move after a motion.
#[inline]
fn standing(position: &Position, motion: Option<&Motion>, number: Number) -> Option<Square> {
    match motion {
        Some(motion) if motion.number == number => Some(motion.to()),
        _ => position.place(Piece { side: position.turn, number }),
    }
}

/// The links of the side to move after a motion.
#[inline]
pub(super) fn links_after(position: &Position, motion: Option<&Motion>) -> Links {
    let links = position.links();
    motion.map_or(links, |motion| links.moved(position.own_places(), motion.number, motion.to()))
}

/// The squares of the motion that a token names.
pub(super) fn named_squares(token: &str) -> Vec<usize> {
    let Some(motion) = MoveText::parse(token).ok().and_then(|text| text.motion) else { return Vec::new() };
    let path: Vec<_> = match motion.path {
        PathText::Step(to) => vec![to],
        PathText::Jump(landings) => landings.squares().collect(),
    };
    [motion.from].into_iter().chain(path).map(Square::index).collect()
}

/// The move of a token, or the first code of the table that it breaks.
pub(super) fn resolve(position: &Position, token: &str) -> Result<Move, Breach> {
    legal(position, token.as_bytes()).map_or_else(|| resolve_by_code(position, token), Ok)
}

/// The move of a token that moves a piece and claims no number, if it is legal. It is read and followed hop by hop at once.
#[inline]
pub(super) fn legal(position: &Position, token: &[u8]) -> Option<Move> {
    let (&[x, y], mut rest) = token.split_first_chunk()?;
    let from = Square::named(x, y)?;
    let number = chains::number_at(position.own_places(), from)?;
    // The origin of the moving piece counts as empty, and nothing lands on it.
    let (occupied, origin) = (position.occupied(), bit(from));
    let (mut path, mut at, mut blocked) = (Path::EMPTY, from, occupied);
    if let [b'-', x, y, more @ ..] = rest {
        let to = Square::named(*x, *y)?;
        if NEIGHBOURS[from.index()] & !occupied & bit(to) == 0 {
            return None;
        }
        path.push(to);
        rest = more;
    } else {
        while let [b'^', x, y, more @ ..] = rest {
            let to = Square::named(*x, *y)?;
            let over = bit(board::between(at, to)?);
            if blocked & bit(to) != 0 || occupied & !origin & over == 0 {
                return None;
            }
            blocked |= bit(to);
            path.push(to);
            (at, rest) = (to, more);
        }
        if at == from {
            return None;
        }
    }
    let motion = Motion { number, from, path };
    let removal = if rest.is_empty() { None } else { Some(Run::parse(rest)?) };
    if let Some(run) = removal {
        check_run(position, Some(&motion), run).ok()?;
    }
    Some(Move { motion: Some(motion), removal })
}

/// The same as [`resolve`], code by code.
#[cold]
fn resolve_by_code(position: &Position, token: &str) -> Result<Move, Breach> {
    let text = MoveText::parse(token).map_err(|fault| Breach::notation(fault, token))?;
    let mut mv = Move { motion: None, removal: None };
    if let Some(motion) = &text.motion {
        mv.motion = Some(self::motion(position, motion)?);
    }
    if let Some(run) = text.removal {
        check_run(position, mv.motion.as_ref(), run)?;
        mv.removal = Some(run);
    } else if text.motion.is_none() {
        pass(position)?;
    }
    Ok(mv)
}

/// a side that can move or remove does not pass.
fn pass(position: &Position) -> Result<(), Breach> {
    if can_move(position) {
        return Err(Breach::CanMove(position.turn));
    }
    if position.links().any() { Err(Breach::CanRemove(position.turn)) } else { Ok(()) }
}

fn motion(position: &Position, text: &MotionText<'_>) -> Result<Motion, Breach> {
    let from = text.from;
    let Some(number) = chains::number_at(position.own_places(), from) else {
        return Err(position.piece(from).map_or(Breach::Empty(from), |piece| Breach::Owner(from, piece.side)));
    };
    if let Some(written) = text.claim.filter(|&claim| claim != number) {
        return Err(Breach::Claim { square: from, written, piece: number });
    }
    let path = match text.path {
        PathText::Step(to) => step(position, from, to)?,
        PathText::Jump(landings) => jump(position, from, landings.squares())?,
    };
    Ok(Motion { number, from, path })
}

fn step(position: &Position, from: Square, to: Square) -> Result<Path, Breach> {
    if position.occupied() & bit(to) != 0 {
        return Err(if from == to { Breach::Stays(from) } else { Breach::Occupied(to) });
    }
    if NEIGHBOURS[from.index()] & bit(to) == 0 {
        return Err(Breach::Far { from, to });
    }
    Ok(Path::to(to))
}

/// Follows a jump hop by hop; the first faulty hop decides the code.
fn jump(position: &Position, from: Square, landings: impl Iterator<Item = Square>) -> Result<Path, Breach> {
    // The origin of the moving piece counts as empty.
    let occupied = position.occupied() & !bit(from);
    let (mut path, mut at) = (Path::EMPTY, from);
    let mut landed = bit(from);
    for to in landings {
        // Q-7 is about landings: a piece may be jumped twice.
        if landed & bit(to) != 0 {
            return Err(if to == from { Breach::Returns(to) } else { Breach::Again(to) });
        }
        if occupied & bit(to) != 0 {
            return Err(Breach::Occupied(to));
        }
        let over = board::between(at, to).ok_or(Breach::NotStraight { from: at, to })?;
        if occupied & bit(over) == 0 {
            return Err(Breach::OverNothing { from: at, to, over });
        }
        landed |= bit(to);
        path.push(to);
        at = to;
    }
    Ok(path)
}

#[inline]
fn check_run(position: &Position, motion: Option<&Motion>, run: Run) -> Result<(), Breach> {
    if run.first > run.last {
        return Err(Breach::Descending(run));
    }
    let length = run.last.index() - run.first.index() + 1;
    if length < MIN_CHAIN {
        return Err(Breach::TooFew(run));
    }
    let missing = !u32::from(position.own_numbers()) >> run.first.index() & ((1 << length) - 1);
    if missing != 0 {
        let first = run.first.index() + missing.trailing_zeros() as usize;
        return Err(Breach::Missing(position.turn, Number::from_index(first)));
    }
    let standing = |number| standing(position, motion, number);
    if let Some(number) = links_after(position, motion).broken(run) {
        let next = Number::from_index(number.index() + 1);
        if let (Some(square), Some(to)) = (standing(number), standing(next)) {
            return Err(Breach::Apart { before: (number, square), next: (next, to) });
        }
    }
    Ok(())
}

/// Cost of a move without a removal, beside one with it.
const KEEPS: Cost = 7;

/// Cost of a jump by the number of its hops; the last counts for all longer ones.
const OF_HOPS: [Cost; 7] = [0, 0, 0, 2, 3, 5, 6];

/// Players remove pieces as soon as they can, and long jumps are fewer than there are ways for them.
pub(super) fn rarity(mv: Move) -> Cost {
    let hops =
        |motion: Motion| if motion.is_step() { 1 } else { OF_HOPS[motion.path.squares().len().min(OF_HOPS.len() - 1)] };
    let keeps = if mv.removal.is_none() { KEEPS } else { 0 };
    keeps + mv.motion.map_or(0, hops)
}

/// Plays a legal move.
#[inline]
pub(super) fn play(position: &mut Position, mv: Move) {
    let side = position.turn;
    if let Some(motion) = mv.motion {
        let piece = Piece { side, number: motion.number };
        position.shift(piece, motion.from, motion.to());
    }
    position.idle += 1;
    if let Some(run) = mv.removal {
        position.idle = 0;
        position.take(side, run);
    }
    position.turn = !side;
    position.ply += 1;
}

/// Calls `each_one` with the taps of a move: the origin and every landing, then the first and the last of the removed
/// pieces at their places after the motion. A run has three pieces or more and nothing lands on a piece, so the second
/// tap of a removal is never a landing.
pub(super) fn each_tap(position: &Position, mv: Move, mut each_one: impl FnMut(Tap)) {
    let mut touch = |square: Square| each_one(Tap::Cell(square.index()));
    if let Some(motion) = mv.motion {
        touch(motion.from);
        motion.path.squares().iter().copied().for_each(&mut touch);
    }
    if let Some(run) = mv.removal {
        let ends = [run.first, run.last].map(|number| standing(position, mv.motion.as_ref(), number));
        ends.into_iter().flatten().for_each(&mut touch);
    }
    if mv.motion.is_none() && mv.removal.is_none() {
        each_one(Tap::Beside { name: "--", word: "querni.pass" });
    }
}

/// Writes the canonical token.
#[inline]
pub(super) fn write(mv: Move, out: &mut impl fmt::Write) -> fmt::Result {
    if let Some(motion) = &mv.motion {
        out.write_str(&hop(motion.from, 0)[1..])?;
        let kind = usize::from(!motion.is_step());
        for &square in motion.path.squares() {
            out.write_str(hop(square, kind))?;
        }
    }
    if let Some(run) = mv.removal {
        out.write_str(NUMBERS[run.first.index()][0])?;
        out.write_str(NUMBERS[run.last.index()][1])?;
    }
    if mv.motion.is_none() && mv.removal.is_none() { out.write_str("--") } else { Ok(()) }
}

/// A landing with its sign: `-c4` for a step, `^c4` for a jump.
#[inline]
pub(super) fn hop(square: Square, kind: usize) -> &'static str {
    let at = (kind * Square::COUNT + square.index()) * HOP;
    &HOPS[at..at + HOP]
}

/// The length of a landing.
const HOP: usize = 3;

/// All landings, those of steps first.
const HOPS: &str = ascii(&HOPS_SIGNS);

const HOPS_SIGNS: [u8; 2 * Square::COUNT * HOP] = {
    let mut signs = [0; 2 * Square::COUNT * HOP];
    let mut at = 0;
    while at < signs.len() {
        let [column, row] = Square::from_index(at / HOP % Square::COUNT).name();
        signs[at] = if at < signs.len() / 2 { b'-' } else { b'^' };
        signs[at + 1] = column as u8;
        signs[at + 2] = row as u8;
        at += HOP;
    }
    signs
};

/// The numbers as a removal writes them, as the first and as the last.
const NUMBERS: [[&str; 2]; Number::COUNT] = [
    ["*1", "-1"],
    ["*2", "-2"],
    ["*3", "-3"],
    ["*4", "-4"],
    ["*5", "-5"],
    ["*6", "-6"],
    ["*7", "-7"],
    ["*8", "-8"],
    ["*9", "-9"],
    ["*10", "-10"],
    ["*11", "-11"],
    ["*12", "-12"],
    ["*13", "-13"],
    ["*14", "-14"],
    ["*15", "-15"],
    ["*16", "-16"],
];

#[cfg(test)]
mod tests {
    use quipu_notation::Side;

    use super::*;
    use crate::games::querni::deal::deal;

    /// In a game with every kind of move, for its legal moves and for tokens that differ from them in one sign.
    #[test]
    fn legal_at_once_and_code_by_code() {
        let mut position = deal(1, Side::One);
        let mut removals = 0;
        for ply in 0..60 {
            let mut tokens = Vec::new();
            each(&position, |mv| {
                let mut token = String::new();
                write(mv, &mut token).expect("a String takes everything");
                tokens.push(token);
            });
            let check = |token: &str| {
                let (at_once, by_code) = (legal(&position, token.as_bytes()), resolve_by_code(&position, token).ok());
                let is_motion = token.starts_with(|sign: char| sign.is_ascii_lowercase());
                assert_eq!(at_once, by_code.filter(|_| is_motion), "{token} in {position}");
            };
            for token in tokens.iter().step_by(tokens.len().div_ceil(50)) {
                check(token);
                for at in 0..token.len() {
                    for sign in ["", "a", "e", "1", "4", "^", "-", "*", "-c4", "^c4"] {
                        check(&format!("{}{sign}{}", &token[..at], &token[at + 1..]));
                    }
                }
            }
            let Some(token) = tokens.iter().find(|token| token.contains('*')).or(tokens.get(ply * 31 % tokens.len()))
            else {
                break;
            };
            removals += usize::from(token.contains('*'));
            let Ok(mv) = resolve(&position, token) else { panic!("{token} in {position}") };
            play(&mut position, mv);
        }
        assert!(removals > 2, "{removals}");
    }
}
