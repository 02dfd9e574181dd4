//! The board as a picture: chequered squares, pieces by their numbers, what is counted beside it.

use quipu_notation::games::querni::{COLUMNS, Diagram, NOTATION, ROWS, Square};

use super::{Move, Position, Removal, board::bit, side_word};
use crate::{
    Fact,
    drawing::{Cell, Drawing, Glyph, Ground},
};

/// «Escaques ajedrezados».
const SQUARE: Ground = Ground { word: "querni.square", symbol: '.', colors: [[244, 240, 214], [206, 196, 160]] };

/// Azul is blue and rosa pink.
const PIECES: [[u8; 3]; 2] = [[0, 60, 190], [245, 130, 180]];

/// A bare arrangement.
pub(super) fn diagram(diagram: &Diagram) -> Drawing {
    picture(diagram, None)
}

/// A position with all that is counted in it.
pub(super) fn position(position: &Position, last: Option<Move>) -> Drawing {
    let mut drawing = picture(&position.setup().diagram, last);
    let [azul, rosa] = position.counts();
    drawing.facts = vec![
        ("ply", vec![Fact::Text(position.ply.to_string())]),
        ("turn", vec![Fact::Word(side_word(position.turn))]),
        ("querni.idle", vec![Fact::Text(position.idle.to_string())]),
        ("querni.pieces", vec![Fact::Text(format!("{azul}-{rosa}"))]),
    ];
    drawing
}

fn picture(diagram: &Diagram, last: Option<Move>) -> Drawing {
    let motion = last.and_then(|mv| mv.motion);
    let removal = last.and_then(|mv| mv.removal);
    let path = motion.iter().flat_map(|motion| motion.path.squares().iter().chain([&motion.from]));
    let touched = path.chain(removal.iter().flat_map(Removal::squares));
    let touched = touched.fold(0, |set, &square| set | bit(square));
    let cells = Square::all().map(|square| Cell {
        ground: &SQUARE,
        dark: square.coordinates().0 % 2 == square.coordinates().1 % 2,
        piece: diagram.get(square).map(|piece| {
            let (number, initial) = (piece.number.to_string(), NOTATION.side(piece.side).letter.to_ascii_uppercase());
            Glyph { plain: format!("{initial}{number}"), label: number, side: piece.side }
        }),
        last: touched & bit(square) != 0,
    });
    let columns: Vec<_> = (0..COLUMNS).map(|x| Square::at(x, 0).name()[0].to_string()).collect();
    let rows: Vec<_> = (0..ROWS).map(|y| Square::at(0, y).name()[1].to_string()).collect();
    Drawing {
        columns: COLUMNS,
        cells: cells.collect(),
        top: columns.clone(),
        bottom: columns,
        left: rows.clone(),
        right: rows,
        lines: Vec::new(),
        pieces: PIECES,
        facts: Vec::new(),
    }
}
