//! The drawing of the board: field and thrones, coordinates, counts beside it.

use quipu_notation::{
    Side,
    games::brandubh::{Diagram, Piece, SIZE, Square},
};

use super::{
    Move, Position,
    board::{CENTRE, CORNERS, bit},
    words::side_word,
};
use crate::{
    Fact, Position as _,
    drawing::{Cell, Drawing, Face, Glyph, Ground},
};

/// A diamond for the throne in the middle, crossed squares for the corners that the king flees to.
const THRONE: &str = "M -42 -42 L 42 -42 L 42 42 L -42 42 Z M 0 -42 L 42 0 L 0 42 L -42 0 Z";
const REFUGE: &str = "M -42 -42 L 42 -42 L 42 42 L -42 42 Z M -42 -42 L 42 42 M 42 -42 L -42 42";

const FIELD: Ground =
    Ground { word: "brandubh.field", symbol: '.', colors: [[232, 212, 174], [214, 188, 142]], texture: "" };
const CENTRE_THRONE: Ground =
    Ground { word: "brandubh.centre", symbol: '+', colors: [[246, 214, 92], [246, 214, 92]], texture: THRONE };
const CORNER_THRONE: Ground =
    Ground { word: "brandubh.corner", symbol: '#', colors: [[134, 186, 120], [134, 186, 120]], texture: REFUGE };

/// The face of the king.
const CROWN: &str = "M -25 20 L -31 -17 L -13 -3 L 0 -27 L 13 -3 L 31 -17 L 25 20 Z";

/// The ground of a square.
fn ground(square: Square) -> &'static Ground {
    match bit(square) {
        CENTRE => &CENTRE_THRONE,
        corner if corner & CORNERS != 0 => &CORNER_THRONE,
        _ => &FIELD,
    }
}

/// A bare arrangement.
pub(super) fn diagram(diagram: &Diagram) -> Drawing {
    picture(diagram, None)
}

/// A position with its counts.
pub(super) fn position(position: &Position, last: Option<Move>) -> Drawing {
    let mut drawing = picture(&position.setup().diagram, last);
    drawing.turn = position.end().is_none().then(|| glyph(Piece::Pawn(position.turn)));
    let [black, red] = position.pawns.map(u64::count_ones);
    drawing.facts = vec![
        ("ply", vec![Fact::Text(position.ply.to_string())]),
        ("turn", vec![Fact::Word(side_word(position.turn))]),
        ("brandubh.pawns", vec![Fact::Text(format!("{black}-{red}"))]),
    ];
    let count = |name, pawns: u32| (name, Fact::Text(pawns.to_string()));
    drawing.notes = vec![("brandubh.note-pawns", vec![count("negros", black), count("rojos", red)])];
    drawing
}

/// A piece of each kind and side.
pub(super) fn pieces() -> Vec<Glyph> {
    [Piece::King, Piece::Pawn(Side::One), Piece::Pawn(Side::Two)].map(glyph).to_vec()
}

fn glyph(piece: Piece) -> Glyph {
    let (word, face) = match piece {
        Piece::King => ("brandubh.king", Face::Shape(CROWN)),
        Piece::Pawn(_) => ("brandubh.pawn", Face::Plain),
    };
    Glyph::letter(piece.letter(), piece.side(), word, face)
}

fn picture(diagram: &Diagram, last: Option<Move>) -> Drawing {
    let cells = Square::all().map(|square| Cell {
        ground: ground(square),
        dark: (square.column() + square.row()) % 2 == 1,
        name: square.to_string(),
        piece: diagram.get(square).map(glyph),
        taken: None,
    });
    // Both players name the squares alike, as the first rank and file do.
    let files: Vec<_> = Square::all().take(SIZE).map(|square| square.file().to_string()).collect();
    let ranks: Vec<_> = Square::all().step_by(SIZE).map(|square| square.rank().to_string()).collect();
    Drawing {
        columns: SIZE,
        cells: cells.collect(),
        top: files.clone(),
        bottom: files,
        left: ranks.clone(),
        right: ranks,
        lines: Vec::new(),
        dots: Vec::new(),
        margin: 60,
        below: Side::One,
        turn: None,
        placed: Vec::new(),
        path: last.iter().flat_map(|mv| [mv.from, mv.to]).map(Square::index).collect(),
        pieces: [[24, 24, 24], [222, 82, 50]],
        refused: false,
        facts: Vec::new(),
        notes: Vec::new(),
    }
}
