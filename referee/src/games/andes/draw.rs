//! The board as a picture: terrain of article 7, both players' coordinates, what is counted beside it.

use quipu_notation::{
    Side,
    games::andes::{Diagram, SIZE, Square},
};

use super::{
    Move, Position,
    board::{self, bit},
    side_word,
};
use crate::{
    Fact,
    drawing::{Cell, Drawing, Glyph, Ground},
};

const CENTRE: Ground = Ground { word: "andes.centre", symbol: '*', colors: [[246, 214, 92], [246, 214, 92]] };
const SIERRA: Ground = Ground { word: "andes.sierra", symbol: '^', colors: [[196, 164, 132], [150, 116, 86]] };
const JUNGLE: Ground = Ground { word: "andes.jungle", symbol: '"', colors: [[134, 186, 120], [74, 134, 74]] };
const COAST: Ground = Ground { word: "andes.coast", symbol: ':', colors: [[224, 200, 140], [206, 176, 110]] };
const ISLAND: Ground = Ground { word: "andes.island", symbol: 'o', colors: [[120, 150, 90], [96, 128, 92]] };
const OCEAN: Ground = Ground { word: "andes.ocean", symbol: '.', colors: [[126, 176, 214], [88, 142, 190]] };

/// What a square is made of.
pub(super) fn ground(square: Square) -> &'static Ground {
    let terrains = [
        (board::CENTRE, &CENTRE),
        (board::SIERRA, &SIERRA),
        (board::JUNGLE, &JUNGLE),
        (board::COAST, &COAST),
        (board::ISLANDS, &ISLAND),
    ];
    terrains.into_iter().find(|(squares, _)| squares & bit(square) != 0).map_or(&OCEAN, |(_, ground)| ground)
}

/// A bare arrangement.
pub(super) fn diagram(diagram: &Diagram) -> Drawing {
    picture(diagram, None)
}

/// A position with all that is counted in it.
pub(super) fn position(position: &Position, last: Option<Move>) -> Drawing {
    let mut drawing = picture(&position.setup().diagram, last);
    let pair = |values: [u8; 2]| vec![Fact::Text(format!("{}-{}", values[0], values[1]))];
    let named = |words: Vec<&'static str>| {
        let none = if words.is_empty() { vec!["andes.none"] } else { words };
        none.into_iter().map(Fact::Word).collect::<Vec<_>>()
    };
    let captures = position.occupied() & board::CENTRE != 0;
    let entered = Side::BOTH.into_iter().filter(|side| position.entered[side.index()]);
    let objectives = [
        (position.objectives.persona, "andes.objective-centre"),
        (position.objectives.capture, "andes.objective-capture"),
    ];
    drawing.facts = vec![
        ("ply", vec![Fact::Text(position.ply.to_string())]),
        ("turn", vec![Fact::Word(side_word(position.turn))]),
        ("andes.mode", vec![Fact::Word(if captures { "andes.mode-captures" } else { "andes.mode-attacks" })]),
        ("andes.reserve", pair(position.reserves)),
        ("andes.attacked", pair(position.attacked)),
        ("andes.points", vec![Fact::Text(position.points_counted().to_string())]),
        ("andes.entered", named(entered.map(side_word).collect())),
        ("andes.objectives", named(objectives.into_iter().filter(|(met, _)| *met).map(|(_, word)| word).collect())),
    ];
    drawing
}

fn picture(diagram: &Diagram, last: Option<Move>) -> Drawing {
    let touched = last.map_or(0, |mv| bit(mv.to) | mv.from.map_or(0, bit));
    let cells = Square::all().map(|square| Cell {
        ground: ground(square),
        dark: board::DARK & bit(square) != 0,
        piece: diagram.get(square).map(|piece| Glyph::letter(piece.letter(), piece.side)),
        last: touched & bit(square) != 0,
    });
    let marks = |side: Side| (0..SIZE).map(|x| Square::at(x, 0).name(side).mark().to_string()).collect();
    let scales = |side: Side| (0..SIZE).map(|y| Square::at(0, y).name(side).scale().to_string()).collect();
    Drawing {
        columns: SIZE,
        cells: cells.collect(),
        top: marks(Side::Two),
        bottom: marks(Side::One),
        left: scales(Side::One),
        right: scales(Side::Two),
        lines: Vec::new(),
        pieces: [[255; 3], [0; 3]],
        facts: Vec::new(),
    }
}
