//! The symmetries of Brandubh, and positions as searches compare them.

use quipu_notation::{
    Side,
    games::brandubh::{Diagram, Piece, SIZE, Setup, Square},
};

use super::{
    Move, Position,
    board::{self, bit},
    rules::RULE_SETS,
};
use crate::symmetry::{Likeness, Symmetry, image_of, of_square};

static TABLES: [[u8; Square::COUNT]; 8] = of_square(SIZE);

/// All of the square, under every rule set: thrones, moves and captures have them.
pub(super) static SYMMETRIES: [Symmetry; 8] =
    [&TABLES[0], &TABLES[1], &TABLES[2], &TABLES[3], &TABLES[4], &TABLES[5], &TABLES[6], &TABLES[7]];

/// Other games follow under each rule set, and after the king is taken, which under one of them the pieces do not show.
pub(super) fn likeness(position: &Position) -> Likeness {
    let Setup { diagram, turn, ply: _ } = position.setup();
    let letter = |piece: &Option<Piece>| piece.map_or(0, |piece| piece.letter() as u8);
    let rules = RULE_SETS.iter().take_while(|set| set.rules != position.rules).count();
    let rules = u8::try_from(rules).unwrap_or(u8::MAX);
    let state = [u8::from(turn == Side::Two), u8::from(position.taken), rules].into_iter().collect();
    Likeness { squares: diagram.cells.iter().map(letter).collect(), state }
}

pub(super) fn image(position: &Position, symmetry: Symmetry) -> Position {
    let setup = position.setup();
    let diagram = Diagram { cells: image_of(&setup.diagram.cells, symmetry) };
    let image = Position::from_setup(position.rules, &Setup { diagram, ..setup }).unwrap_or(*position);
    // The arrangement alone does not say so under every rule set.
    Position { taken: position.taken, ..image }
}

pub(super) fn carried(mv: Move, to: impl Fn(usize) -> usize) -> Move {
    let square = |square: Square| Square::new(to(square.index()));
    let captures = board::each(mv.captures).fold(0, |captures, captured| captures | bit(square(captured)));
    Move { from: square(mv.from), to: square(mv.to), captures }
}
