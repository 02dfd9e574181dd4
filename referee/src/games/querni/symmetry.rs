//! The symmetries of Querni, and positions as searches compare them.

use std::iter::once;

use quipu_notation::{
    Side,
    games::querni::{COLUMNS, Diagram, Piece, Setup, Square},
};

use super::{Motion, Move, Path, Position};
use crate::symmetry::{Likeness, Symmetry, image_of, of_rectangle};

static TABLES: [[u8; Square::COUNT]; 4] = of_rectangle(COLUMNS);

/// Those of the board, which is no square. Pieces keep their numbers.
pub(super) static SYMMETRIES: [Symmetry; 4] = [&TABLES[0], &TABLES[1], &TABLES[2], &TABLES[3]];

pub(super) fn likeness(position: &Position) -> Likeness {
    let Setup { diagram, turn, idle: _, ply: _ } = position.setup();
    let letter = |piece: &Option<Piece>| piece.map_or(0, |piece| piece.letter() as u8);
    Likeness { squares: diagram.cells.iter().map(letter).collect(), state: once(u8::from(turn == Side::Two)).collect() }
}

pub(super) fn image(position: &Position, symmetry: Symmetry) -> Position {
    let setup = position.setup();
    let diagram = Diagram { cells: image_of(&setup.diagram.cells, symmetry) };
    Position::from_setup(&Setup { diagram, ..setup }).unwrap_or(*position)
}

pub(super) fn carried(mv: Move, to: impl Fn(usize) -> usize) -> Move {
    let square = |square: Square| Square::from_index(to(square.index()));
    let motion = mv.motion.map(|motion| {
        let mut path = Path::EMPTY;
        for &landing in motion.path.squares() {
            path.push(square(landing));
        }
        Motion { from: square(motion.from), path, ..motion }
    });
    Move { motion, ..mv }
}
