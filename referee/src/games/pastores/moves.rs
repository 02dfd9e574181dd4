//! Moves of Pastores y Guerreros: legality, effect and tokens.

use std::fmt;

use quipu_notation::games::pastores::{Kind, MoveText, Point, Stone};

use super::{
    Breach, Position,
    board::{self, DIAGONAL, LINES, ORTHOGONAL, SIDEWAYS, Set, Step, around, bit},
    breach::NotDiagonal,
    counts::COUNTDOWN,
    words::stone_word,
};
use crate::{games::token_table::ascii, slips::Cost, tap::Tap};

/// A move that is legal in the position it was resolved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A stone is placed.
    Place {
        /// Its kind.
        kind: Kind,
        /// The destination.
        to: Point,
    },
    /// A stone moves; it captures an enemy on the destination.
    Step {
        /// The origin.
        from: Point,
        /// The destination.
        to: Point,
    },
}

/// The points that a stone may be placed on: the empty ones of the mover's two rows (NOR.03).
#[inline]
fn places(position: &Position) -> Set {
    board::rows(position.turn) & !position.occupied()
}

/// The kinds that the side to move has left to place.
#[inline]
fn in_hand(position: &Position) -> impl Iterator<Item = Kind> {
    let hand = position.hands[position.turn.index()];
    let left = [(Kind::Pastor, hand.pastores), (Kind::Guerrero, hand.guerreros)];
    left.into_iter().filter(|(_, count)| *count > 0).map(|(kind, _)| kind)
}

/// the guerreros of the side to move that may step along their row, because no diagonal leads to an empty point; a
/// point with an enemy is not empty.
#[inline]
fn may_step_aside(position: &Position) -> Set {
    let empty = !position.occupied() & board::ALL;
    let mine = position.stones[position.turn.index()];
    // Diagonals are symmetric.
    mine & position.guerreros & !around(&DIAGONAL, empty)
}

/// Calls `each` with every direction and the points that stones of the side to move may step to in it.
#[inline]
fn each_step(position: &Position, mut each: impl FnMut(&Step, Set)) {
    let mine = position.stones[position.turn.index()];
    let empty = !position.occupied() & board::ALL;
    // Empty points, and captures (NOR.08).
    let open = !mine;
    let (pastores, guerreros) = (mine & !position.guerreros, mine & position.guerreros);
    let aside = may_step_aside(position);
    for step in &ORTHOGONAL {
        each(step, step.ahead(pastores) & open); // NOR.05
    }
    for step in &DIAGONAL {
        each(step, step.ahead(guerreros) & open); // NOR.06
    }
    for step in &SIDEWAYS {
        each(step, step.ahead(aside) & empty); // NOR.06, R-2
    }
}

/// True if a stone of the side to move can step. A pastor usually can, so this is tried first.
#[inline]
pub(super) fn any_step(position: &Position) -> bool {
    let mine = position.stones[position.turn.index()];
    if board::beside(mine & !position.guerreros) & !mine != 0 {
        return true;
    }
    any_listed_step(position)
}

/// The same from the list of all steps.
#[cold]
fn any_listed_step(position: &Position) -> bool {
    let mut reached = 0;
    each_step(position, |_, points| reached |= points);
    reached != 0
}

/// Calls `each_one` with every legal move.
pub(super) fn each(position: &Position, mut each_one: impl FnMut(Move)) {
    if position.is_placing() {
        for kind in in_hand(position) {
            for to in board::each(places(position)) {
                each_one(Move::Place { kind, to });
            }
        }
    } else {
        each_step(position, |step, points| {
            for to in board::each(points) {
                each_one(Move::Step { from: step.origin(to), to });
            }
        });
    }
}

/// The number of legal moves.
pub(super) fn count(position: &Position) -> u64 {
    if position.is_placing() {
        return u64::from(places(position).count_ones()) * in_hand(position).count() as u64;
    }
    let mut count = 0;
    each_step(position, |_, points| count += points.count_ones());
    count.into()
}

/// The move of a token, or the first code of the table that it breaks.
pub(super) fn resolve(position: &Position, token: &str) -> Result<Move, Breach> {
    legal(position, token.as_bytes()).map_or_else(|| resolve_by_code(position, token), Ok)
}

/// The move of a token if it is legal, but for a guerrero's step along its row.
#[inline]
pub(super) fn legal(position: &Position, token: &[u8]) -> Option<Move> {
    match MoveText::plain(token)? {
        MoveText::Place { kind, to } => {
            let is_legal = position.is_placing() && places(position) & bit(to) != 0;
            (is_legal && in_hand(position).any(|left| left == kind)).then_some(Move::Place { kind, to })
        }
        MoveText::Step { from, captures, to } => {
            let (mine, theirs) = (position.stones[position.turn.index()], position.stones[(!position.turn).index()]);
            let (origin, target) = (bit(from), bit(to));
            let lines = &LINES[from.index()];
            let reach = if position.guerreros & origin == 0 { lines.orthogonal } else { lines.diagonal };
            let is_legal = mine & origin != 0 && reach & !mine & target != 0 && captures == (theirs & target != 0);
            (is_legal && !position.is_placing()).then_some(Move::Step { from, to })
        }
    }
}

/// The same as [`resolve`], code by code.
#[cold]
fn resolve_by_code(position: &Position, token: &str) -> Result<Move, Breach> {
    let text = MoveText::parse(token).map_err(|fault| Breach::notation(fault, token))?;
    match text {
        MoveText::Place { kind, to } => place(position, kind, to),
        MoveText::Step { from, captures, to } => step(position, from, captures, to),
    }
}

/// The points that a token names.
pub(super) fn named_squares(token: &str) -> Vec<usize> {
    match MoveText::parse(token) {
        Ok(MoveText::Place { to, .. }) => vec![to.index()],
        Ok(MoveText::Step { from, to, .. }) => vec![from.index(), to.index()],
        Err(_) => Vec::new(),
    }
}

fn place(position: &Position, kind: Kind, to: Point) -> Result<Move, Breach> {
    let mover = position.turn;
    if !position.is_placing() {
        return Err(Breach::AllPlaced(to));
    }
    if in_hand(position).all(|left| left != kind) {
        return Err(Breach::Hand(mover, kind));
    }
    if board::rows(mover) & bit(to) == 0 {
        return Err(Breach::Rows(to, mover));
    }
    if places(position) & bit(to) == 0 {
        return Err(Breach::Occupied(to));
    }
    Ok(Move::Place { kind, to })
}

fn step(position: &Position, from: Point, captures: bool, to: Point) -> Result<Move, Breach> {
    let mover = position.turn;
    if position.is_placing() {
        return Err(Breach::StillPlacing(position.left_to_place()));
    }
    let (mine, theirs) = (position.stones[mover.index()], position.stones[(!mover).index()]);
    let (origin, target) = (bit(from), bit(to));
    if mine & origin == 0 {
        return Err(if theirs & origin == 0 { Breach::Empty(from) } else { Breach::Owner(from, !mover) });
    }
    let lines = &LINES[from.index()];
    if (lines.orthogonal | lines.diagonal) & target == 0 {
        return Err(Breach::Lines(from, to));
    }
    if mine & target != 0 {
        return Err(Breach::OwnStone(to));
    }
    if captures != (theirs & target != 0) {
        return Err(Breach::Sign { to, captures });
    }
    let (guerrero, diagonal) = (position.guerreros & origin != 0, lines.diagonal & target != 0);
    if guerrero != diagonal {
        if !guerrero {
            return Err(Breach::Pastor(from, to));
        }
        if let Some(why) = off_diagonal(position, from, captures, to) {
            return Err(Breach::Guerrero { from, to, why });
        }
    }
    Ok(Move::Step { from, to })
}

/// The reason why a guerrero may not step along this row or column, if there is one (NOR.06, R-2).
fn off_diagonal(position: &Position, from: Point, captures: bool, to: Point) -> Option<NotDiagonal> {
    let lines = LINES[from.index()];
    if captures {
        return Some(NotDiagonal::Captures);
    }
    if lines.sideways & bit(to) == 0 {
        return Some(NotDiagonal::Vertical);
    }
    if may_step_aside(position) & bit(from) != 0 {
        return None;
    }
    board::each(lines.diagonal & !position.occupied()).next().map(NotDiagonal::Possible)
}

/// Cost of a step that takes no stone, beside one that does.
const QUIET: Cost = 5;

/// Steps that take stones are made more often than others. In the placing phase there are none.
pub(super) fn rarity(position: &Position, mv: Move) -> Cost {
    match mv {
        Move::Step { to, .. } if position.stones[(!position.turn).index()] & bit(to) == 0 => QUIET,
        _ => 0,
    }
}

/// Plays a legal move.
#[inline]
pub(super) fn play(position: &mut Position, mv: Move) {
    let (mover, other) = (position.turn.index(), (!position.turn).index());
    match mv {
        Move::Place { kind, to } => {
            let hand = &mut position.hands[mover];
            match kind {
                Kind::Pastor => hand.pastores -= 1,
                Kind::Guerrero => hand.guerreros -= 1,
            }
            position.put(to, Stone { side: position.turn, kind });
        }
        Move::Step { from, to } => {
            let (origin, target) = (bit(from), bit(to));
            let captures = position.stones[other] & target != 0;
            let guerrero = position.guerreros & origin != 0;
            // NOR.08, NOR.09: it takes the point of the captured stone, which leaves the board.
            position.stones[mover] ^= origin | target;
            position.stones[other] &= !target;
            position.guerreros &= !(origin | target);
            position.guerreros |= if guerrero { target } else { 0 };
            let one_against_one = || position.stones.iter().all(|stones| stones.is_power_of_two());
            // NOR.12 with R-3: only a capture starts the countdown, and every later ply lowers it.
            position.countdown = match position.countdown {
                Some(left) => Some(left.saturating_sub(1)),
                None if captures && one_against_one() => Some(COUNTDOWN),
                None => None,
            };
        }
    }
    position.turn = !position.turn;
    position.ply += 1;
}

/// Writes the canonical token.
#[inline]
pub(super) fn write(position: &Position, mv: Move, out: &mut impl fmt::Write) -> fmt::Result {
    match mv {
        Move::Place { kind, to } => {
            let at = (kind as usize * Point::COUNT + to.index()) * PLACING;
            out.write_str(&PLACINGS[at..at + PLACING])
        }
        Move::Step { from, to } => {
            let captures = usize::from(position.occupied() & bit(to) != 0);
            let at = ((captures * Point::COUNT + from.index()) * Point::COUNT + to.index()) * STEP;
            out.write_str(&STEPS[at..at + STEP])
        }
    }
}

/// Lengths of the tokens of a placing and of a step.
const PLACING: usize = 3;
const STEP: usize = 5;

/// The tokens of all placings, by kind and point, and of all steps, by sign, origin and destination.
const PLACINGS: &str = ascii(&PLACINGS_SIGNS);
const STEPS: &str = ascii(&STEPS_SIGNS);

const PLACINGS_SIGNS: [u8; Kind::ALL.len() * Point::COUNT * PLACING] = {
    let mut signs = [0; Kind::ALL.len() * Point::COUNT * PLACING];
    let mut at = 0;
    while at < signs.len() {
        let (kind, to) = (Kind::ALL[at / PLACING / Point::COUNT], Point::nth(at / PLACING % Point::COUNT));
        signs[at] = kind.letter() as u8;
        signs[at + 1] = to.row() as u8;
        signs[at + 2] = to.column() as u8;
        at += PLACING;
    }
    signs
};

const STEPS_SIGNS: [u8; 2 * Point::COUNT * Point::COUNT * STEP] = {
    let mut signs = [0; 2 * Point::COUNT * Point::COUNT * STEP];
    let mut at = 0;
    while at < signs.len() {
        let (pair, to) = (at / STEP / Point::COUNT, Point::nth(at / STEP % Point::COUNT));
        let from = Point::nth(pair % Point::COUNT);
        signs[at] = from.row() as u8;
        signs[at + 1] = from.column() as u8;
        signs[at + 2] = if pair < Point::COUNT { b'-' } else { b'x' };
        signs[at + 3] = to.row() as u8;
        signs[at + 4] = to.column() as u8;
        at += STEP;
    }
    signs
};

/// The name of a stone in the hand: its letter.
pub(super) const fn tap_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Pastor => "P",
        Kind::Guerrero => "G",
    }
}

/// Calls `each` with the taps of a move: a stone in the hand and its point, or origin and destination.
pub(super) fn each_tap(mv: Move, mut each: impl FnMut(Tap)) {
    let (first, to) = match mv {
        Move::Place { kind, to } => (Tap::Beside { name: tap_name(kind), word: stone_word(kind) }, to),
        Move::Step { from, to } => (Tap::Cell(from.index()), to),
    };
    each(first);
    each(Tap::Cell(to.index()));
}
