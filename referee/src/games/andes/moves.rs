//! Moves of Andes: legality, effect and tokens.

use std::fmt;

use quipu_notation::{
    Side,
    games::andes::{Claims, Destination, Kind, Mark, MoveText, Piece, PlainMove, SIZE, Square},
};

use super::{
    Breach, Position,
    board::{
        self, BORDER, CENTRE, CONTINENT, DARK_BORDER, DIAGONAL, NEIGHBOURS, ORTHOGONAL, REACHES, Ray, Squares, bit,
    },
    words::kind_word,
};
use crate::{
    games::{bitboard, token_table::ascii},
    slips::Cost,
    tap::Tap,
};

/// A move that is legal in the position it was resolved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The kind of the piece placed or moved.
    pub kind: Kind,
    /// The origin; nothing for a placing.
    pub from: Option<Square>,
    /// The destination.
    pub to: Square,
}

/// The rays that a kind moves along, if it moves more than one square (3.3.2, 3.3.3).
fn rays(kind: Kind, from: Square) -> Option<&'static [Ray; 4]> {
    match kind {
        Kind::Persona => None,
        Kind::Militar => Some(&ORTHOGONAL[from.index()]),
        Kind::EstatalLeft | Kind::EstatalRight => Some(&DIAGONAL[from.index()]),
    }
}

/// 4.3 with R-6: true if a piece that leaves `from` may attack: the centre has to be empty once it has moved. A move
/// into an empty centre attacks nobody, and a piece in the centre cannot be attacked.
#[inline]
fn may_attack(position: &Position, from: Squares) -> bool {
    position.occupied() & CENTRE & !from == 0
}

/// The squares that a piece may move to.
fn destinations(position: &Position, kind: Kind, from: Square) -> Squares {
    let occupied = position.occupied();
    let enemies = position.pieces[(!position.turn).index()];
    let mut open = !occupied & board::ALL;
    if may_attack(position, bit(from)) {
        open |= enemies;
    }
    let Some(rays) = rays(kind, from) else { return NEIGHBOURS[from.index()] & open };
    rays.iter().fold(0, |reached, ray| {
        let free = ray.next & occupied == 0;
        reached | (ray.next | if free { ray.behind } else { 0 }) & open
    })
}

/// The squares that each kind may be placed on: the border for a persona, its dark squares for the others (3.5,
/// 3.6), for Sol's first persona the continent too (3.4).
#[inline]
fn places(position: &Position, kind: Kind) -> Squares {
    if position.reserves[position.turn.index()] == 0 {
        return 0;
    }
    let empty = !position.occupied();
    let allowed = match kind {
        Kind::Persona if is_first(position) => BORDER | CONTINENT,
        Kind::Persona => BORDER,
        _ => DARK_BORDER,
    };
    empty & allowed
}

/// True for the first move of the game (3.4).
#[inline]
pub(super) fn is_first(position: &Position) -> bool {
    position.ply == 0 && position.turn == Side::One
}

/// True if there is a legal move. A disc can usually be placed, or else a persona can step to an empty square, so these
/// are tried first.
#[inline]
pub(super) fn any(position: &Position) -> bool {
    places(position, Kind::Persona) != 0 || any_step(position)
}

/// True if a piece of the side to move can move.
#[inline]
fn any_step(position: &Position) -> bool {
    let personas = position.of_kind(position.turn, Kind::Persona);
    board::around(personas) & !position.occupied() != 0 || any_listed_step(position)
}

/// The same from the list of all pieces.
#[cold]
fn any_listed_step(position: &Position) -> bool {
    let mine = position.pieces[position.turn.index()];
    board::each(mine).any(|from| {
        let kind = position.piece(from).map_or(Kind::Persona, |piece| piece.kind);
        destinations(position, kind, from) != 0
    })
}

/// Calls `each` with every legal move.
pub(super) fn each(position: &Position, mut each: impl FnMut(Move)) {
    for kind in Kind::ALL {
        for to in board::each(places(position, kind)) {
            each(Move { kind, from: None, to });
        }
        for from in board::each(position.of_kind(position.turn, kind)) {
            for to in board::each(destinations(position, kind, from)) {
                each(Move { kind, from: Some(from), to });
            }
        }
    }
}

/// The number of legal moves.
pub(super) fn count(position: &Position) -> u64 {
    Kind::ALL
        .into_iter()
        .map(|kind| {
            let moving = board::each(position.of_kind(position.turn, kind))
                .map(|from| destinations(position, kind, from).count_ones());
            u64::from(places(position, kind).count_ones() + moving.sum::<u32>())
        })
        .sum()
}

/// The move of a token, or the first code of the table that it breaks.
pub(super) fn resolve(position: &Position, token: &str) -> Result<Move, Breach> {
    legal(position, token.as_bytes()).map_or_else(|| resolve_by_code(position, token), Ok)
}

/// The move of a token without claims, if it is legal.
#[inline]
pub(super) fn legal(position: &Position, token: &[u8]) -> Option<Move> {
    let mover = position.turn;
    let PlainMove { kind, from, to } = PlainMove::parse(token, mover)?;
    let is_legal = match from {
        None => places(position, kind) & bit(to) != 0,
        Some(from) => position.of_kind(mover, kind) & bit(from) != 0 && reaches(position, kind, from, to),
    };
    is_legal.then_some(Move { kind, from, to })
}

/// True if a piece of the side to move may move to a square: one of [`destinations`].
#[inline]
fn reaches(position: &Position, kind: Kind, from: Square, to: Square) -> bool {
    let (occupied, origin, target) = (position.occupied(), bit(from), bit(to));
    let reach = &REACHES[kind as usize][from.index()];
    let is_near = reach.near & target != 0;
    let is_far = reach.far & target != 0 && board::middle(from, to) & occupied == 0;
    let enemies = position.pieces[(!position.turn).index()];
    (is_near || is_far) && (occupied & target == 0 || enemies & target != 0 && may_attack(position, origin))
}

/// The same as [`resolve`], code by code.
#[cold]
fn resolve_by_code(position: &Position, token: &str) -> Result<Move, Breach> {
    let text = MoveText::parse(token).map_err(|fault| Breach::notation(fault, token))?;
    let mover = position.turn;
    let written = |mark: Mark| {
        if mark.side == mover { Ok(mark.index) } else { Err(Breach::Mark { mark, mover }) }
    };
    let mark = written(text.mark)?;
    let square = Square::named(mover, mark, text.scale);
    let mv = match text.destination {
        None => place(position, text.kind, square)?,
        Some(Destination { mark: new_mark, scale }) => {
            let new_mark = new_mark.map_or(Ok(mark), written)?;
            let to = Square::named(mover, new_mark, scale.unwrap_or(text.scale));
            step(position, text.kind, square, to)?
        }
    };
    if text.claims.any() {
        check_claims(position, mv, text.claims)?;
    }
    Ok(mv)
}

/// The squares that a token names, each as the player whose mark is written calls it.
pub(super) fn named_squares(token: &str) -> Vec<usize> {
    let Ok(text) = MoveText::parse(token) else { return Vec::new() };
    let square = |mark: Mark, scale| Square::named(mark.side, mark.index, scale).index();
    let to = text.destination.map(|to| square(to.mark.unwrap_or(text.mark), to.scale.unwrap_or(text.scale)));
    [square(text.mark, text.scale)].into_iter().chain(to).collect()
}

fn place(position: &Position, kind: Kind, to: Square) -> Result<Move, Breach> {
    let mover = position.turn;
    if position.reserves[mover.index()] == 0 {
        return Err(Breach::Reserve(mover));
    }
    if position.occupied() & bit(to) != 0 {
        return Err(Breach::Occupied(to.name(mover)));
    }
    if places(position, kind) & bit(to) == 0 {
        let name = to.name(mover);
        return Err(match BORDER & bit(to) {
            0 => Breach::AwayFromBorder(name, to),
            _ => Breach::LightBorder(name, kind),
        });
    }
    Ok(Move { kind, from: None, to })
}

fn step(position: &Position, kind: Kind, from: Square, to: Square) -> Result<Move, Breach> {
    let mover = position.turn;
    let (origin, target) = (bit(from), bit(to));
    let (mine, theirs) = (position.pieces[mover.index()], position.pieces[(!mover).index()]);
    if mine & origin == 0 {
        let name = from.name(mover);
        return Err(if theirs & origin == 0 { Breach::Empty(name) } else { Breach::Owner(name, !mover) });
    }
    let piece = position.kind(origin);
    if piece != kind {
        return Err(Breach::Kind { square: from.name(mover), written: kind, piece });
    }
    let reach = &REACHES[kind as usize][from.index()];
    if (reach.near | reach.far) & target == 0 {
        return Err(Breach::Reach { kind, from: from.name(mover), to: to.name(mover) });
    }
    let passed = if reach.far & target == 0 { 0 } else { board::middle(from, to) };
    if let Some(between) = board::each((mine | theirs) & passed).next() {
        return Err(Breach::Between(between.name(mover)));
    }
    if mine & target != 0 {
        return Err(Breach::OwnPiece(to.name(mover)));
    }
    if theirs & target != 0 && !may_attack(position, origin) {
        return Err(Breach::Attack { to: to.name(mover), centre: board::CENTRE_SQUARE.name(mover) });
    }
    Ok(Move { kind, from: Some(from), to })
}

#[cold]
fn check_claims(position: &Position, mv: Move, claims: Claims) -> Result<(), Breach> {
    let attacks = attacks(position, mv);
    let mut after = *position;
    land(&mut after, mv);
    let captured = captures(&after, mv.to).count_ones();
    let holds = (!claims.attack || attacks) && claims.captures.is_none_or(|count| u32::from(count) == captured);
    if holds { Ok(()) } else { Err(Breach::Claims { claims, attacks, captured }) }
}

#[inline]
fn attacks(position: &Position, mv: Move) -> bool {
    position.pieces[(!position.turn).index()] & bit(mv.to) != 0
}

/// Cost of a move that takes no piece, beside one that attacks or captures.
const QUIET: Cost = 7;

/// Moves that take pieces are made more often than others.
pub(super) fn rarity(position: &Position, mv: Move) -> Cost {
    let takes = || {
        let mut after = *position;
        land(&mut after, mv);
        captures(&after, mv.to) != 0
    };
    if attacks(position, mv) || takes() { 0 } else { QUIET }
}

/// The pieces that are captured when a piece has landed on `to` (3.7.1, R-7): each enemy next to it that has a piece
/// of the mover directly behind it. Only while the centre is occupied (4.3).
#[inline]
fn captures(after: &Position, to: Square) -> Squares {
    if after.occupied() & CENTRE == 0 {
        return 0;
    }
    let mine = after.pieces[after.turn.index()];
    let theirs = after.pieces[(!after.turn).index()];
    bitboard::enclosed::<SIZE>(bit(to), theirs, mine)
}

/// Puts the piece of a move on its new square, and removes any piece there.
#[inline]
fn land(position: &mut Position, mv: Move) {
    position.remove(mv.from.map_or(0, bit) | bit(mv.to));
    position.put(mv.to, Piece { side: position.turn, kind: mv.kind });
}

/// Plays a legal move.
#[inline]
pub(super) fn play(position: &mut Position, mv: Move) {
    let mover = position.turn;
    let index = mover.index();
    // 4.3.2: an attacked piece leaves the game.
    position.attacked[index] += u8::from(attacks(position, mv));
    position.reserves[index] -= u8::from(mv.from.is_none());
    land(position, mv);
    // 4.3.1: the capturing side can place a captured piece again.
    let captured = captures(position, mv.to);
    if captured != 0 {
        position.remove(captured);
        #[expect(clippy::cast_possible_truncation, reason = "at most four")]
        let count = captured.count_ones() as u8;
        position.reserves[index] += count;
        position.objectives.capture |= mover == Side::One;
    }
    position.objectives.persona |= position.persona_in_centre();
    position.entered[index] |= position.on_continent(mover);
    position.turn = !mover;
    position.ply += 1;
}

/// Writes the canonical token: a movement writes only the coordinates that change.
pub(super) fn write(position: &Position, mv: Move, out: &mut impl fmt::Write) -> fmt::Result {
    let from = placing(position.turn, mv.kind, mv.from.unwrap_or(mv.to));
    let to = placing(position.turn, mv.kind, mv.to);
    let same = |place: usize| from.as_bytes()[place] == to.as_bytes()[place];
    out.write_str(from)?;
    match (same(MARK), same(SCALE)) {
        (true, true) => Ok(()),
        (true, false) => out.write_str(&to[SCALE..]),
        (false, true) => out.write_str(&to[MARK..SCALE]),
        (false, false) => out.write_str(&to[MARK..]),
    }
}

/// True if the token of a move is canonical: it has no claims, and writes both coordinates only if both change.
#[inline]
pub(super) fn is_canonical(mv: Move, token: &[u8]) -> bool {
    match *token {
        [_, _, _] => true,
        // One coordinate that changes, for no move stays on its square; a placing has a claim here.
        [_, _, _, _] => mv.from.is_some(),
        [_, mark, scale, new_mark, new_scale] => {
            mv.from.is_some() && mark != new_mark && scale != new_scale && new_scale.is_ascii_digit()
        }
        _ => false,
    }
}

/// Indices of the mark and of the scale in the token of a placing, and its length.
const MARK: usize = 1;
const SCALE: usize = 2;
const PLACING: usize = 3;

/// The token of a placing, which is also the beginning of a movement's.
#[inline]
fn placing(side: Side, kind: Kind, square: Square) -> &'static str {
    let at = ((side.index() * Kind::ALL.len() + kind as usize) * Square::COUNT + square.index()) * PLACING;
    &PLACINGS[at..at + PLACING]
}

/// The tokens of all placings, by side, kind and square.
const PLACINGS: &str = ascii(&PLACINGS_SIGNS);

const PLACINGS_SIGNS: [u8; 2 * Kind::ALL.len() * Square::COUNT * PLACING] = {
    let mut signs = [0; 2 * Kind::ALL.len() * Square::COUNT * PLACING];
    let mut at = 0;
    while at < signs.len() {
        let (kinds, square) = (at / PLACING / Square::COUNT, at / PLACING % Square::COUNT);
        let (side, kind) = (Side::BOTH[kinds / Kind::ALL.len()], Kind::ALL[kinds % Kind::ALL.len()]);
        let name = Square::at(square % SIZE, square / SIZE).name(side);
        signs[at] = kind.digit() as u8;
        signs[at + MARK] = name.mark() as u8;
        signs[at + SCALE] = name.scale() as u8;
        at += PLACING;
    }
    signs
};

/// Calls `each` with the taps of a move: the disc turned to its kind (8.1) and its square, or origin and destination.
pub(super) fn each_tap(mv: Move, mut each: impl FnMut(Tap)) {
    each(match mv.from {
        Some(from) => Tap::Cell(from.index()),
        None => Tap::Beside { name: tap_name(mv.kind), word: kind_word(mv.kind) },
    });
    each(Tap::Cell(mv.to.index()));
}

/// The name of a disc beside the board: the digit of its kind.
pub(super) const fn tap_name(kind: Kind) -> &'static str {
    ["0", "1", "2", "3"][kind as usize]
}

/// Calls `each` with the spellings of a move: of a movement, only what changes, or mark and scale both.
pub(super) fn each_spelling(position: &Position, mv: Move, mut each: impl FnMut(&str)) {
    let mut token = String::new();
    let written = write(position, mv, &mut token);
    debug_assert!(written.is_ok(), "a String takes everything");
    each(&token);
    if token.len() == PLACING + 1 {
        token.truncate(PLACING);
        token += &placing(position.turn, mv.kind, mv.to)[MARK..];
        each(&token);
    }
}
