//! The board as a picture: field and thrones, coordinates, what is counted beside it.

use quipu_notation::games::brandubh::{Diagram, SIZE, Square};

use super::{
    Move, Position,
    board::{CENTRE, CORNERS, bit},
    side_word,
};
use crate::{
    Fact,
    drawing::{Cell, Drawing, Glyph, Ground},
};

const FIELD: Ground = Ground { word: "brandubh.field", symbol: '.', colors: [[226, 204, 164], [206, 180, 134]] };
const CENTRE_THRONE: Ground = Ground { word: "brandubh.centre", symbol: '+', colors: [[246, 214, 92], [246, 214, 92]] };
const CORNER_THRONE: Ground =
    Ground { word: "brandubh.corner", symbol: '#', colors: [[134, 186, 120], [134, 186, 120]] };

/// What a square is made of.
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

/// A position with all that is counted in it.
pub(super) fn position(position: &Position, last: Option<Move>) -> Drawing {
    let mut drawing = picture(&position.setup().diagram, last);
    let [black, red] = position.pawns.map(u64::count_ones);
    drawing.facts = vec![
        ("ply", vec![Fact::Text(position.ply.to_string())]),
        ("turn", vec![Fact::Word(side_word(position.turn))]),
        ("brandubh.pawns", vec![Fact::Text(format!("{black}-{red}"))]),
    ];
    drawing
}

fn picture(diagram: &Diagram, last: Option<Move>) -> Drawing {
    let touched = last.map_or(0, |mv| bit(mv.from) | bit(mv.to));
    let cells = Square::all().map(|square| Cell {
        ground: ground(square),
        dark: (square.column() + square.row()) % 2 == 1,
        piece: diagram.get(square).map(|piece| Glyph::letter(piece.letter(), piece.side())),
        last: touched & bit(square) != 0,
    });
    // Both players name the squares alike: the first rank and the first file say how.
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
        pieces: [[24, 24, 24], [176, 48, 40]],
        facts: Vec::new(),
    }
}
