//! The symmetries of Pastores y Guerreros, and positions as searches compare them.

use quipu_notation::{
    Side,
    games::pastores::{Diagram, Hand, Point, SIZE, Setup, Stone},
};

use super::{Move, Position};
use crate::symmetry::{Likeness, Symmetry, image_of, of_rectangle};

static TABLES: [[u8; Point::COUNT]; 4] = of_rectangle(SIZE);

/// Left and right. In the placing phase each side has its own rows (NOR.03).
static PLACING: [Symmetry; 2] = [&TABLES[0], &TABLES[1]];
/// Left and right, and top and bottom. Rows and columns differ: a guerrero steps aside along its row (NOR.06).
static MOVING: [Symmetry; 4] = [&TABLES[0], &TABLES[1], &TABLES[2], &TABLES[3]];

pub(super) fn symmetries(position: &Position) -> &'static [Symmetry] {
    if position.is_placing() { &PLACING } else { &MOVING }
}

pub(super) fn likeness(position: &Position) -> Likeness {
    let Setup { diagram, turn, hands, countdown: _, ply: _ } = position.setup();
    let letter = |stone: &Option<Stone>| stone.map_or(0, |stone| stone.letter() as u8);
    let hands = hands.into_iter().flat_map(|Hand { pastores, guerreros }| [pastores, guerreros]);
    let state = hands.chain([u8::from(turn == Side::Two)]).collect();
    Likeness { squares: diagram.cells.iter().map(letter).collect(), state }
}

pub(super) fn image(position: &Position, symmetry: Symmetry) -> Position {
    let setup = position.setup();
    let diagram = Diagram { cells: image_of(&setup.diagram.cells, symmetry) };
    Position::from_setup(&Setup { diagram, ..setup }).unwrap_or(*position)
}

pub(super) fn carried(mv: Move, to: impl Fn(usize) -> usize) -> Move {
    let point = |point: Point| Point::nth(to(point.index()));
    match mv {
        Move::Place { kind, to } => Move::Place { kind, to: point(to) },
        Move::Step { from, to } => Move::Step { from: point(from), to: point(to) },
    }
}
