//! The board as a picture: terrain of article 7, both players' coordinates, what is counted beside it.

use quipu_notation::{
    Side,
    games::andes::{Diagram, Kind, Piece, SIZE, Square},
};

use super::{
    Move, Position,
    board::{self, bit},
    breach::kind_word,
    side_word,
};
use crate::{
    Fact, Position as _,
    drawing::{Cell, Drawing, Face, Glyph, Ground, Way},
};

/// The stepped cross of the Andes for the centre.
const CROSS: &str = "M -12 -36 L 12 -36 L 12 -24 L 24 -24 L 24 -12 L 36 -12 L 36 12 L 24 12 L 24 24 L 12 24 L 12 36 \
    L -12 36 L -12 24 L -24 24 L -24 12 L -36 12 L -36 -12 L -24 -12 L -24 -24 L -12 -24 Z";
const PEAKS: &str = "M -42 24 L -14 -22 L 4 8 L 16 -8 L 42 24";
const SPROUT: &str =
    "M 0 34 L 0 -4 C -24 -4 -32 -18 -30 -32 C -10 -32 0 -20 0 -4 C 0 -20 10 -32 30 -32 C 32 -18 24 -4 0 -4";
const SHORE: &str =
    "M -40 -4 C -26 -20 -14 -20 0 -4 C 14 12 26 12 40 -4 M -24 22 L -16 22 M -2 26 L 6 26 M 20 22 L 28 22";
const HILL: &str = "M -26 10 C -18 -26 18 -26 26 10 M -40 12 C -28 4 -14 4 0 12 C 14 20 28 20 40 12";
const WAVES: &str =
    "M -38 -10 C -26 -22 -14 -22 0 -10 C 14 2 26 2 38 -10 M -38 16 C -26 4 -14 4 0 16 C 14 28 26 28 38 16";

const CENTRE: Ground =
    Ground { word: "andes.centre", symbol: '*', colors: [[246, 214, 92], [246, 214, 92]], texture: CROSS };
const SIERRA: Ground =
    Ground { word: "andes.sierra", symbol: '^', colors: [[205, 173, 140], [158, 122, 90]], texture: PEAKS };
const JUNGLE: Ground =
    Ground { word: "andes.jungle", symbol: '"', colors: [[140, 196, 124], [78, 142, 78]], texture: SPROUT };
const COAST: Ground =
    Ground { word: "andes.coast", symbol: ':', colors: [[224, 200, 140], [212, 180, 112]], texture: SHORE };
const ISLAND: Ground =
    Ground { word: "andes.island", symbol: 'o', colors: [[150, 158, 84], [132, 140, 70]], texture: HILL };
const OCEAN: Ground =
    Ground { word: "andes.ocean", symbol: '.', colors: [[132, 184, 220], [88, 142, 190]], texture: WAVES };

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
    drawing.turn = position.end().is_none().then(|| glyph(Piece { side: position.turn, kind: Kind::Persona }));
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

/// A disc. Its hole is off its centre, and how the disc is turned before its owner says what it is (8.1, 8.1.2); where the
/// laws leave it open which way is which, what is called left and right lies there, a militar points ahead and a persona
/// at its owner.
fn glyph(piece: Piece) -> Glyph {
    let way = match piece.kind {
        Kind::Persona => Way::Down,
        Kind::EstatalLeft => Way::Left,
        Kind::Militar => Way::Up,
        Kind::EstatalRight => Way::Right,
    };
    let way = if piece.side == Side::One { way } else { way.turned() };
    Glyph::letter(piece.letter(), piece.side, kind_word(piece.kind), Face::Hole(way))
}

fn picture(diagram: &Diagram, last: Option<Move>) -> Drawing {
    let cells = Square::all().map(|square| Cell {
        ground: ground(square),
        dark: board::DARK & bit(square) != 0,
        name: square.name(Side::One).to_string(),
        piece: diagram.get(square).map(glyph),
        taken: None,
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
        dots: Vec::new(),
        margin: 100, // 8.2: seven squares in the middle of nine
        below: Side::One,
        turn: None,
        path: last.iter().flat_map(|mv| mv.from.into_iter().chain([mv.to])).map(Square::index).collect(),
        pieces: [[255; 3], [0; 3]],
        facts: Vec::new(),
    }
}
