//! The drawing of the board: points on the lines of an alquerque, hands and countdown beside it.

use quipu_notation::{
    Side,
    games::pastores::{Diagram, Hand, Kind, Point, SIZE, Stone},
};

use super::{
    Move, Position,
    board::{CROSSINGS, DIAGONAL, ORTHOGONAL, Step, bit},
    moves::tap_name,
    words::{side_word, stone_word},
};
use crate::{
    Fact, Position as _,
    drawing::{Cell, Drawing, Face, Glyph, Ground, Note},
};

/// The colour of the board, the same everywhere: the lines distinguish the points.
const WOOD: [[u8; 3]; 2] = [[205, 164, 110]; 2];
const CROSSING: Ground = Ground { word: "pastores.crossing", symbol: '*', colors: WOOD, texture: "" };
const PLAIN: Ground = Ground { word: "pastores.plain", symbol: '+', colors: WOOD, texture: "" };

/// The faces of the two kinds (GEN.06): the shepherd's crook, and crossed swords like the diagonals that a guerrero
/// moves along.
const CROOK: &str = "M -10 32 L -10 -8 C -10 -38 24 -38 24 -12 C 24 2 8 4 6 -8";
const SWORDS: &str = "M -27 27 L 27 -27 M 27 27 L -27 -27 M -26 8 L -8 26 M 26 8 L 8 26";

/// A bare arrangement.
pub(super) fn diagram(diagram: &Diagram) -> Drawing {
    picture(diagram, None)
}

/// A position with its counts.
pub(super) fn position(position: &Position, last: Option<Move>) -> Drawing {
    let mut drawing = picture(&position.setup().diagram, last);
    let kind = if position.hands[position.turn.index()].pastores > 0 { Kind::Pastor } else { Kind::Guerrero };
    let of_mover = |kind: Kind| glyph(Stone { side: position.turn, kind });
    drawing.turn = position.end().is_none().then(|| of_mover(kind));
    drawing.placed = [Kind::Pastor, Kind::Guerrero].map(|kind| (tap_name(kind), of_mover(kind))).into();
    let phase = if position.is_placing() { "pastores.placing" } else { "pastores.moving" };
    let hand = |side: Side| {
        let Hand { pastores, guerreros } = position.hands[side.index()];
        let left = [(pastores, Kind::Pastor), (guerreros, Kind::Guerrero)].into_iter().filter(|(count, _)| *count > 0);
        let left: Vec<_> = left.map(|(count, kind)| Fact::Text(format!("{count} {}", kind.letter()))).collect();
        if left.is_empty() { vec![Fact::Word("pastores.none")] } else { left }
    };
    let countdown = position.countdown.map_or(Fact::Word("pastores.not-counting"), |left| Fact::Text(left.to_string()));
    drawing.facts = vec![
        ("ply", vec![Fact::Text(position.ply.to_string())]),
        ("turn", vec![Fact::Word(side_word(position.turn))]),
        ("pastores.phase", vec![Fact::Word(phase)]),
        ("pastores.hand-norte", hand(Side::One)),
        ("pastores.hand-sur", hand(Side::Two)),
        ("pastores.countdown", vec![countdown]),
    ];
    drawing.notes = notes(position);
    drawing
}

/// Sentences about a position: the stones left to place, and the countdown.
fn notes(position: &Position) -> Vec<Note> {
    let mut notes = Vec::new();
    if position.is_placing() {
        let [norte, sur] = position.hands;
        let counts = [
            ("norte-pastores", norte.pastores),
            ("norte-guerreros", norte.guerreros),
            ("sur-pastores", sur.pastores),
            ("sur-guerreros", sur.guerreros),
        ];
        notes.push(("pastores.note-hands", counts.map(|(name, count)| (name, Fact::Text(count.to_string()))).to_vec()));
    }
    if let Some(left) = position.countdown.filter(|_| position.end().is_none()) {
        notes.push(("pastores.note-countdown", vec![("left", Fact::Text(left.to_string()))]));
    }
    notes
}

/// A stone of each kind and side.
pub(super) fn pieces() -> Vec<Glyph> {
    Kind::ALL.into_iter().flat_map(|kind| Side::BOTH.map(|side| glyph(Stone { side, kind }))).collect()
}

/// The lines, each from the lower of its two points.
fn lines() -> Vec<[usize; 2]> {
    let along = |step: &Step, point: Point| {
        let reached = step.ahead(bit(point)).trailing_zeros() as usize;
        (point.index() < reached && reached < Point::COUNT).then_some([point.index(), reached])
    };
    let steps = || ORTHOGONAL.iter().chain(&DIAGONAL);
    Point::all().flat_map(|point| steps().filter_map(move |step| along(step, point))).collect()
}

fn glyph(stone: Stone) -> Glyph {
    let lines = match stone.kind {
        Kind::Pastor => CROOK,
        Kind::Guerrero => SWORDS,
    };
    Glyph::letter(stone.letter(), stone.side, stone_word(stone.kind), Face::Lines(lines))
}

fn picture(diagram: &Diagram, last: Option<Move>) -> Drawing {
    let path = match last {
        Some(Move::Place { to, .. }) => vec![to],
        Some(Move::Step { from, to }) => vec![from, to],
        None => Vec::new(),
    };
    let cells = Point::all().map(|point| Cell {
        ground: if CROSSINGS & bit(point) == 0 { &PLAIN } else { &CROSSING },
        dark: false,
        name: point.to_string(),
        piece: diagram.get(point).map(glyph),
        taken: None,
    });
    let columns: Vec<_> = (0..SIZE).map(|x| Point::at(x, 0).column().to_string()).collect();
    let rows: Vec<_> = (0..SIZE).map(|y| Point::at(0, y).row().to_string()).collect();
    Drawing {
        columns: SIZE,
        cells: cells.collect(),
        top: columns.clone(),
        bottom: columns,
        left: rows.clone(),
        right: rows,
        lines: lines(),
        dots: Vec::new(),
        margin: 40,
        below: Side::Two, // NOR.03: the rows D and E are Sur's
        turn: None,
        placed: Vec::new(),
        path: path.into_iter().map(Point::index).collect(),
        pieces: [[255; 3], [0; 3]],
        refused: false,
        facts: Vec::new(),
        notes: Vec::new(),
    }
}
