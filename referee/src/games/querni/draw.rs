//! The drawing of the board: chequered squares, pieces by their numbers, counts beside it.

use quipu_notation::{
    Side,
    games::querni::{COLUMNS, Diagram, NOTATION, ROWS, Square},
};

use super::{Move, Position, position::IDLE_PLIES, words::side_word};
use crate::{
    Fact, Position as _,
    drawing::{Cell, Drawing, Face, Glyph, Ground},
};

/// «Escaques ajedrezados».
const SQUARE: Ground =
    Ground { word: "querni.square", symbol: '.', colors: [[244, 240, 214], [206, 196, 160]], texture: "" };

/// Columns of the vertices that the pieces lie around at the start, by the square above and left of each.
const DOT_COLUMNS: [usize; 4] = [1, 3, 5, 7];

/// Rows of the same vertices.
const DOT_ROWS: [usize; 2] = [1, 4];

/// Azul is blue and rosa pink.
const PIECES: [[u8; 3]; 2] = [[0, 60, 180], [248, 150, 192]];

/// A bare arrangement.
pub(super) fn diagram(diagram: &Diagram) -> Drawing {
    picture(diagram, None)
}

/// A position with its counts.
pub(super) fn position(position: &Position, last: Option<Move>) -> Drawing {
    let mut drawing = picture(&position.setup().diagram, last);
    let [azul, rosa] = position.counts();
    drawing.turn = position.end().is_none().then(|| Glyph {
        label: String::new(),
        plain: String::new(),
        side: position.turn,
        word: None,
        face: Face::Plain,
    });
    drawing.facts = vec![
        ("ply", vec![Fact::Text(position.ply.to_string())]),
        ("turn", vec![Fact::Word(side_word(position.turn))]),
        ("querni.idle", vec![Fact::Text(position.idle.to_string())]),
        ("querni.pieces", vec![Fact::Text(format!("{azul}-{rosa}"))]),
    ];
    let pieces =
        ("querni.note-pieces", vec![("azul", Fact::Text(azul.to_string())), ("rosa", Fact::Text(rosa.to_string()))]);
    let idle = (
        "querni.note-idle",
        vec![("idle", Fact::Text(position.idle.to_string())), ("most", Fact::Text(IDLE_PLIES.to_string()))],
    );
    drawing.notes = [pieces].into_iter().chain(Some(idle).filter(|_| position.idle > 0)).collect();
    drawing
}

/// A piece of each side, without a number.
pub(super) fn pieces() -> Vec<Glyph> {
    let piece = |side| Glyph {
        label: "N".to_owned(),
        plain: "N".to_owned(),
        side,
        word: Some("querni.piece"),
        face: Face::Label,
    };
    Side::BOTH.map(piece).to_vec()
}

/// The squares of the last move, with those that it jumped to.
fn path(last: Option<Move>) -> Vec<usize> {
    let motion = last.and_then(|mv| mv.motion);
    let squares =
        motion.iter().flat_map(|motion| [motion.from].into_iter().chain(motion.path.squares().iter().copied()));
    squares.map(Square::index).collect()
}

fn picture(diagram: &Diagram, last: Option<Move>) -> Drawing {
    let cells = Square::all().map(|square| Cell {
        ground: &SQUARE,
        dark: square.coordinates().0 % 2 == square.coordinates().1 % 2,
        name: square.to_string(),
        piece: diagram.get(square).map(|piece| {
            let (number, initial) = (piece.number.to_string(), NOTATION.side(piece.side).letter.to_ascii_uppercase());
            let plain = format!("{initial}{number}");
            Glyph { label: number, plain, side: piece.side, word: None, face: Face::Label }
        }),
        taken: None,
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
        dots: DOT_ROWS.into_iter().flat_map(|y| DOT_COLUMNS.map(|x| Square::at(x, y).index())).collect(),
        margin: 60,
        below: Side::One,
        turn: None,
        placed: Vec::new(),
        path: path(last),
        pieces: PIECES,
        refused: false,
        facts: Vec::new(),
        notes: Vec::new(),
    }
}
