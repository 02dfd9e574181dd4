//! Positions that are set up by hand: the fields besides the pieces.

use quipu_notation::{
    Side,
    games::andes::{Diagram, Kind, Objectives, Piece, Setup, Square},
};

use super::board::{CENTRE, CONTINENT, bit};

/// Discs of a side, and of both.
const DISCS: u32 = 7;

/// A diagram as it is without captures and attacks: the other discs are in reserve, and a side has entered the continent if it
/// stands there.
pub(super) fn completed(diagram: Diagram, turn: Side) -> Setup {
    let squares = |is: &dyn Fn(Piece) -> bool| {
        let piece = |square: &Square| diagram.get(*square).is_some_and(is);
        Square::all().filter(piece).fold(0, |squares, square| squares | bit(square))
    };
    let sides = Side::BOTH.map(|side| squares(&|piece| piece.side == side));
    let [sol, luna] = sides.map(u64::count_ones);
    let left = (2 * DISCS).saturating_sub(sol + luna);
    let reserve = DISCS.saturating_sub(sol).min(left);
    let persona = squares(&|piece| piece.side == Side::One && piece.kind == Kind::Persona) & CENTRE != 0;
    Setup {
        diagram,
        turn,
        reserves: [reserve, left - reserve],
        attacked: [0; 2],
        entered: sides.map(|squares| squares & CONTINENT != 0),
        objectives: Objectives { persona, capture: false },
        ply: turn.index() as u64,
    }
}
