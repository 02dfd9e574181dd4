//! Brandubh: the king and his besiegers on 7 x 7.
//!
//! The rules are in `docs/rules/brandubh.md`. A line that enforces a statement of the author (B-5), a ruling or a
//! reading of a rule set (N-8) names it.

use std::fmt;

use quipu_notation::{
    Side, Span,
    games::{GameNotation, brandubh as notation},
    record::Outcome,
};

use crate::{
    Arrangement, Code, End, Game, Located, RuleSet,
    drawing::{Drawing, Glyph},
    slips::Cost,
    symmetry::{Likeness, Symmetry},
    tap::Tap,
    termination::{Kind, Termination},
    text::Messages,
};

mod board;
mod breach;
mod captures;
mod completion;
mod draw;
mod moves;
mod position;
mod rules;
mod symmetry;
mod words;

use board::{CORNERS, bit};
pub use breach::Breach;
use breach::{CODES, PositionBreach};
pub use moves::Move;
pub use position::Position;
pub use rules::{Against, KingCapturers, Reach, Rules, Siege, Throne, WalkingIn};

/// The game.
pub struct Brandubh;

/// The king is on a corner (B-10).
const CORNER: Termination = Termination { name: "corner", word: "brandubh.end.corner", kind: Kind::Board };
/// The king is taken (B-10).
const KING_CAPTURED: Termination =
    Termination { name: "king-captured", word: "brandubh.end.king-captured", kind: Kind::Board };
/// The side to move has no legal move.
const IMMOBILE: Termination = Termination { name: "immobile", word: "brandubh.end.immobile", kind: Kind::Board };

const ENDS: &[Termination] = &[CORNER, KING_CAPTURED, IMMOBILE];

impl Game for Brandubh {
    type Position = Position;
    type Rules = &'static Rules;

    const NOTATION: &'static GameNotation = &notation::NOTATION;
    const NAME: &'static str = "brandubh.name";
    const SIDE_WORDS: [&'static str; 2] = words::SIDES;
    const CODES: &'static [Code] = CODES;
    const MESSAGES: &'static Messages = &include!(concat!(env!("OUT_DIR"), "/games/brandubh/messages.rs"));
    const RULE_SETS: &'static [RuleSet<&'static Rules>] = rules::RULE_SETS;
    const ENDS: &'static [Termination] = ENDS;
    const FORMS: &'static [&'static str] = &["position", "diagram", "otg"];
    const TIME_CONTROL: Option<u64> = None;

    fn pieces() -> Vec<Glyph> {
        draw::pieces()
    }

    fn initial(rules: &'static Rules, _: Option<Side>) -> Option<Position> {
        Some(Position::start(rules))
    }

    fn position(rules: &'static Rules, text: &str) -> Result<Position, Vec<Located>> {
        let setup =
            notation::Setup::parse(text).map_err(|fault| vec![Located::of_fault(fault, text, PositionBreach::Form)])?;
        Position::from_setup(rules, &setup).map_err(|breaches| {
            let located = |breach: PositionBreach| Located { span: place(&breach, text), message: breach.into() };
            breaches.into_iter().map(located).collect()
        })
    }

    fn completed(rules: &'static Rules, rows: &str, turn: Side) -> Option<String> {
        let diagram = notation::Diagram::parse(rows).ok()?;
        Some(completion::completed(rules, diagram, turn).to_string())
    }

    fn arrange(rules: &'static Rules, text: &str) -> Result<Arrangement, Vec<Located>> {
        if text.contains(' ') {
            let position = Self::position(rules, text)?;
            let mut arrangement = diagram(&position.setup().diagram, draw::position(&position, None));
            arrangement.forms.insert(0, ("position", position.to_string()));
            return Ok(arrangement);
        }
        let read = if text.starts_with('/') {
            notation::Diagram::parse_otg(text).map_err(|fault| Located::of_fault(fault, text, PositionBreach::Otg))
        } else {
            notation::Diagram::parse(text).map_err(|fault| Located::of_fault(fault, text, PositionBreach::Rows))
        };
        let read = read.map_err(|located| vec![located])?;
        Ok(diagram(&read, draw::diagram(&read)))
    }
}

impl crate::Position for Position {
    type Move = Move;
    type Breach = Breach;

    #[inline]
    fn turn(&self) -> Side {
        self.turn
    }

    #[inline]
    fn end(&self) -> Option<End> {
        let (termination, winner) = if bit(self.king) & CORNERS != 0 {
            (&CORNER, Side::One) // B-10
        } else if self.taken {
            (&KING_CAPTURED, Side::Two) // B-10
        } else if !moves::any(self) {
            (&IMMOBILE, !self.turn)
        } else {
            return None;
        };
        Some(End { termination, outcome: Outcome::Win(winner) })
    }

    #[inline]
    fn resolve(&self, token: &str) -> Result<Move, Breach> {
        moves::resolve(self, token)
    }

    #[inline]
    fn legal(&self, token: &[u8]) -> Option<Move> {
        moves::legal(self, token)
    }

    fn named_squares(token: &str) -> Vec<usize> {
        moves::named_squares(token)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        moves::play(self, mv);
    }

    fn each_move(&self, each: impl FnMut(Move)) {
        moves::each(self, each);
    }

    fn count_moves(&self) -> u64 {
        moves::count(self)
    }

    fn each_tap(&self, mv: Move, mut each: impl FnMut(Tap)) {
        for square in [mv.from, mv.to] {
            each(Tap::Cell(square.index()));
        }
    }

    #[inline]
    fn write_move(&self, mv: Move, out: &mut impl fmt::Write) -> fmt::Result {
        moves::write(mv, out)
    }

    #[inline]
    fn is_canonical(&self, mv: Move, token: &[u8]) -> bool {
        moves::is_canonical(mv, token)
    }

    fn each_spelling(&self, mv: Move, each: impl FnMut(&str)) {
        moves::each_spelling(self, mv, each);
    }

    fn rarity(&self, mv: Move) -> Cost {
        moves::rarity(mv)
    }

    fn drawing(&self, last: Option<Move>) -> Drawing {
        draw::position(self, last)
    }

    fn likeness(&self) -> Likeness {
        symmetry::likeness(self)
    }

    fn symmetries(&self) -> &'static [Symmetry] {
        &symmetry::SYMMETRIES
    }

    fn image(&self, symmetry: Symmetry) -> Self {
        symmetry::image(self, symmetry)
    }

    fn carried(mv: Move, to: impl Fn(usize) -> usize) -> Move {
        symmetry::carried(mv, to)
    }
}

/// A bare arrangement in the forms it has.
fn diagram(diagram: &notation::Diagram, drawing: Drawing) -> Arrangement {
    let mut otg = String::new();
    let written = diagram.write_otg(&mut otg);
    debug_assert!(written.is_ok(), "a String takes everything");
    Arrangement { forms: vec![("diagram", diagram.to_string()), ("otg", otg)], drawing }
}

/// The span of a fault in a position string: that of its square, or all of it.
fn place(breach: &PositionBreach, text: &str) -> Span {
    match breach {
        PositionBreach::Throne(square) => notation::Diagram::place(text, *square),
        _ => Span::new(0, text.len()),
    }
}
