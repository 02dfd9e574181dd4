//! Moves of Brandubh: legality, captures and tokens.

use std::fmt;

use quipu_notation::games::brandubh::{MoveText, SIZE, Square};

use super::{
    Breach, Position,
    board::{self, FACING, NEIGHBOURS, Squares, bit},
    captures,
    rules::{Reach, WalkingIn},
};
use crate::{
    game::is_written,
    games::{bitboard, token_table::ascii},
    slips::Cost,
};

/// A move that is legal in the position it was resolved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The origin.
    pub from: Square,
    /// The destination.
    pub to: Square,
    /// The pawns that leave the board, with the moved one if it walks in between two enemies.
    pub(super) captures: Squares,
}

impl Move {
    #[inline]
    fn new(position: &Position, from: Square, to: Square) -> Self {
        Self { from, to, captures: captures(position, from, to) }
    }
}

/// The squares that a piece may move to.
fn destinations(position: &Position, from: Square) -> Squares {
    let (rules, occupied) = (position.rules, position.occupied());
    if from != position.king {
        let thrones = position.thrones;
        return board::slide(from, occupied | thrones.walls) & !thrones.barred; // B-1, B-5
    }
    match rules.king_reach {
        Reach::Step => NEIGHBOURS[from.index()] & !occupied, // B-2, B-6
        Reach::Slide => board::slide(from, occupied),
    }
}

/// The pawns that leave the board when the piece on `from` moves to `to`.
#[inline]
fn captures(position: &Position, from: Square, to: Square) -> Squares {
    let rules = position.rules;
    let side = position.turn;
    let king_moves = from == position.king;
    if king_moves && !rules.king_captures_moving {
        return 0; // B-6
    }
    if NEIGHBOURS[to.index()] & (position.pieces(!side) | position.thrones.against[side.index()]) == 0 {
        return 0; // away from enemies nobody is taken, and nobody walks in
    }
    let mut after = *position;
    after.shift(from, to);
    // B-3, B-7, R-2: an enemy next to the moved piece, with an enemy of its own behind it.
    let (prey, behind) = (after.pawns[(!side).index()], after.enemies_of(!side));
    let mut taken = bitboard::enclosed::<SIZE>(bit(to), prey, behind);
    // then the moved pawn, if it is between two remaining enemies.
    if rules.walking_in == WalkingIn::Taken && !king_moves {
        after.pawns[(!side).index()] &= !taken;
        let enemies = after.enemies_of(side);
        if FACING[to.index()].iter().any(|&pair| pair != 0 && pair & !enemies == 0) {
            taken |= bit(to);
        }
    }
    taken
}

/// True if there is a legal move. A pawn can usually go to a neighbouring square, so this is tried first.
#[inline]
pub(super) fn any(position: &Position) -> bool {
    let pawns = position.pawns[position.turn.index()];
    if board::around(pawns) & !(position.occupied() | position.thrones.barred) != 0 {
        return true;
    }
    any_listed(position)
}

/// The same from the list of all pieces.
#[cold]
fn any_listed(position: &Position) -> bool {
    board::each(position.pieces(position.turn)).any(|from| destinations(position, from) != 0)
}

/// Calls `each` with every legal move.
pub(super) fn each(position: &Position, mut each: impl FnMut(Move)) {
    for from in board::each(position.pieces(position.turn)) {
        for to in board::each(destinations(position, from)) {
            each(Move::new(position, from, to));
        }
    }
}

/// The number of legal moves.
pub(super) fn count(position: &Position) -> u64 {
    let of_piece = |from| u64::from(destinations(position, from).count_ones());
    board::each(position.pieces(position.turn)).map(of_piece).sum()
}

/// The squares that a token names, without those of its captures.
pub(super) fn named_squares(token: &str) -> Vec<usize> {
    MoveText::parse(token).map_or_else(|_| Vec::new(), |text| vec![text.from.index(), text.to.index()])
}

/// The move of a token, or the first code of the table that it breaks.
pub(super) fn resolve(position: &Position, token: &str) -> Result<Move, Breach> {
    legal(position, token.as_bytes()).map_or_else(|| resolve_by_code(position, token), Ok)
}

/// The move of a token in canonical form, if it is legal.
#[inline]
pub(super) fn legal(position: &Position, token: &[u8]) -> Option<Move> {
    let text = MoveText::plain(token)?;
    let (from, to, thrones) = (text.from, text.to, position.thrones);
    let is_king = from == position.king;
    let between = board::between(from, to)?;
    let may_go = if is_king {
        between == 0 || position.rules.king_reach == Reach::Slide
    } else {
        thrones.barred & bit(to) == 0 && thrones.walls & between == 0
    };
    let is_free = position.occupied() & (between | bit(to)) == 0;
    if !may_go || !is_free || position.pieces(position.turn) & bit(from) == 0 {
        return None;
    }
    let mv = Move::new(position, from, to);
    (text.captures.is_empty() || text.captures.bits() == mv.captures).then_some(mv)
}

/// The same as [`resolve`], code by code.
#[cold]
fn resolve_by_code(position: &Position, token: &str) -> Result<Move, Breach> {
    let MoveText { king, from, to, captures } =
        MoveText::parse(token).map_err(|fault| Breach::notation(fault, token))?;
    let (occupied, rules) = (position.occupied(), position.rules);
    if occupied & bit(from) == 0 {
        return Err(Breach::Empty(from));
    }
    if position.pieces(position.turn) & bit(from) == 0 {
        return Err(Breach::Owner(from, !position.turn));
    }
    let is_king = from == position.king;
    if king && !is_king {
        return Err(Breach::NotKing(from));
    }
    let between = board::between(from, to).ok_or(Breach::Line { from, to })?;
    if is_king {
        if rules.king_reach == Reach::Step && between != 0 {
            return Err(Breach::KingSteps { from, to });
        }
    } else if position.thrones.barred & bit(to) != 0 {
        return Err(Breach::StopsOnThrone(to));
    } else if let Some(throne) = board::each(position.thrones.walls & between).next() {
        return Err(Breach::PassesThrone(throne));
    }
    if let Some(square) = first(occupied & (between | bit(to)), from, to) {
        return Err(if square == to { Breach::Occupied(to) } else { Breach::Between(square) });
    }
    let mv = Move::new(position, from, to);
    if !captures.is_empty() && captures.bits() != mv.captures {
        return Err(Breach::Claim { claimed: captures.bits(), captures: mv.captures });
    }
    Ok(mv)
}

/// The square of a set that a piece meets first on its way.
fn first(squares: Squares, from: Square, to: Square) -> Option<Square> {
    let mut squares = board::each(squares);
    if from < to { squares.next() } else { squares.last() }
}

/// Cost of a move that takes no pawn, beside one that does.
const QUIET: Cost = 5;

/// Moves that take pawns are made more often than others.
pub(super) fn rarity(mv: Move) -> Cost {
    if mv.captures == 0 { QUIET } else { 0 }
}

/// Plays a legal move.
#[inline]
pub(super) fn play(position: &mut Position, mv: Move) {
    position.shift(mv.from, mv.to);
    position.pawns = position.pawns.map(|pawns| pawns & !mv.captures);
    position.end_ply(mv.to);
}

/// Writes the canonical token.
#[inline]
pub(super) fn write(mv: Move, out: &mut impl fmt::Write) -> fmt::Result {
    let at = (mv.from.index() * Square::COUNT + mv.to.index()) * STEP;
    out.write_str(&STEPS[at..at + STEP])?;
    captures::write(mv.captures, out)
}

/// True if the token of a move is canonical. One of two squares and a hyphen has no captures, and no letter of the king.
#[inline]
pub(super) fn is_canonical(mv: Move, token: &[u8]) -> bool {
    if mv.captures == 0 { token.len() == STEP } else { is_written(token, |out| write(mv, out)) }
}

/// Length of a token without captures.
const STEP: usize = 5;

/// The tokens of all ways from square to square.
const STEPS: &str = ascii(&STEPS_SIGNS);

const STEPS_SIGNS: [u8; Square::COUNT * Square::COUNT * STEP] = {
    let mut signs = [b'-'; Square::COUNT * Square::COUNT * STEP];
    let mut at = 0;
    while at < signs.len() {
        let (from, to) = (Square::new(at / STEP / Square::COUNT), Square::new(at / STEP % Square::COUNT));
        signs[at] = from.file() as u8;
        signs[at + 1] = from.rank() as u8;
        signs[at + 3] = to.file() as u8;
        signs[at + 4] = to.rank() as u8;
        at += STEP;
    }
    signs
};

/// Calls `each` with the spellings of a move: with the pawns that it captures or without them, with `K` of the king or
/// without it.
pub(super) fn each_spelling(position: &Position, mv: Move, mut each: impl FnMut(&str)) {
    let mut token = String::from("K");
    let written = write(mv, &mut token);
    debug_assert!(written.is_ok(), "a String takes everything");
    let plain = KING + STEP;
    each(&token[KING..]);
    if mv.captures != 0 {
        each(&token[KING..plain]);
    }
    if mv.from == position.king {
        each(&token);
        each(&token[..plain]);
    }
}

/// Length of the letter of the king.
const KING: usize = 1;
