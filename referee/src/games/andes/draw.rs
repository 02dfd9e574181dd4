//! The drawing of the board: terrain of article 7, both players' coordinates, counts beside it.

use quipu_notation::{
    Side,
    games::andes::{Diagram, Kind, Piece, SIZE, Square},
};

use super::{
    Move, Position,
    board::{self, bit},
    moves::tap_name,
    terrain::ground,
    words::{kind_word, side_word},
};
use crate::{
    Fact, Position as _,
    drawing::{Cell, Drawing, Face, Glyph, Note, Way},
};

/// A bare arrangement.
pub(super) fn diagram(diagram: &Diagram) -> Drawing {
    picture(diagram, None)
}

/// A position with its counts.
pub(super) fn position(position: &Position, last: Option<Move>) -> Drawing {
    let mut drawing = picture(&position.setup().diagram, last);
    let of_mover = |kind: Kind| glyph(Piece { side: position.turn, kind });
    drawing.turn = position.end().is_none().then(|| of_mover(Kind::Persona));
    drawing.placed = Kind::ALL.map(|kind| (tap_name(kind), of_mover(kind))).into();
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
    if drawing.turn.is_some() {
        drawing.notes = notes(position, captures);
    }
    drawing
}

/// Sentences about a position that is played on: discs off the board, the mode, and the sides that may not leave the
/// continent.
fn notes(position: &Position, captures: bool) -> Vec<Note> {
    let pair = |key, [sol, luna]: [u8; 2]| {
        (key, vec![("sol", Fact::Text(sol.to_string())), ("luna", Fact::Text(luna.to_string()))])
    };
    let mut notes = vec![pair("andes.note-reserve", position.reserves)];
    if position.attacked != [0, 0] {
        notes.push(pair("andes.note-attacked", position.attacked));
    }
    notes.push((if captures { "andes.note-captures" } else { "andes.note-attacks" }, Vec::new()));
    let entered = Side::BOTH.into_iter().filter(|side| position.entered[side.index()]);
    notes.extend(entered.map(|side| ("andes.note-entered", vec![("side", Fact::Word(side_word(side)))])));
    notes
}

/// A disc of each kind and side.
pub(super) fn pieces() -> Vec<Glyph> {
    Kind::ALL.into_iter().flat_map(|kind| Side::BOTH.map(|side| glyph(Piece { side, kind }))).collect()
}

/// A disc. Its hole is off its centre, and its direction as the owner sees it shows the kind (8.1, 8.1.2). The laws
/// leave the directions open: left and right follow the names, a militar points ahead and a persona at its owner.
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
        placed: Vec::new(),
        path: last.iter().flat_map(|mv| mv.from.into_iter().chain([mv.to])).map(Square::index).collect(),
        pieces: [[255; 3], [0; 3]],
        refused: false,
        facts: Vec::new(),
        notes: Vec::new(),
    }
}
