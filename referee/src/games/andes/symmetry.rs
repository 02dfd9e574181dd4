//! The symmetries of Andes, and positions as searches compare them.

use quipu_notation::{
    Side,
    games::andes::{Diagram, Piece, SIZE, Setup, Square},
};

use super::{Move, Position, moves::is_first};
use crate::symmetry::{Likeness, Symmetry, image_of, of_square};

static TABLES: [[u8; Square::COUNT]; 8] = of_square(SIZE);

/// All of the square: the terrain has them, and so do placings, reaches and captures. A left and a right estatal stay different,
/// because records tell them apart.
pub(super) static SYMMETRIES: [Symmetry; 8] =
    [&TABLES[0], &TABLES[1], &TABLES[2], &TABLES[3], &TABLES[4], &TABLES[5], &TABLES[6], &TABLES[7]];

/// Sol's objectives decide nothing (1.4). The count of plies only decides at 0, where Sol may place a persona on the continent (3.4).
pub(super) fn likeness(position: &Position) -> Likeness {
    let Setup { diagram, turn, reserves, attacked, entered, objectives: _, ply: _ } = position.setup();
    let letter = |piece: &Option<Piece>| piece.map_or(0, |piece| piece.letter() as u8);
    // Each count is at most the number of discs.
    let counts = reserves.into_iter().chain(attacked).map(|count| u8::try_from(count).unwrap_or(u8::MAX));
    let marks = entered.into_iter().chain([turn == Side::Two, is_first(position)]).map(u8::from);
    let state = counts.chain(marks).collect();
    Likeness { squares: diagram.cells.iter().map(letter).collect(), state }
}

pub(super) fn image(position: &Position, symmetry: Symmetry) -> Position {
    let setup = position.setup();
    let diagram = Diagram { cells: image_of(&setup.diagram.cells, symmetry) };
    Position::from_setup(&Setup { diagram, ..setup }).unwrap_or(*position)
}

pub(super) fn carried(mv: Move, to: impl Fn(usize) -> usize) -> Move {
    let square = |square: Square| {
        let index = to(square.index());
        Square::at(index % SIZE, index / SIZE)
    };
    Move { from: mv.from.map(square), to: square(mv.to), ..mv }
}
