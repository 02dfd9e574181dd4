//! Pastores y Guerreros: norte against sur on the 25 points of an alquerque.
//!
//! The laws are in `docs/rules/pastores.md`. A line that enforces an article or a ruling names it.

use std::fmt;

use quipu_notation::{
    Side, Span,
    games::{GameNotation, field_span, pastores as notation},
    record::Outcome,
};

use crate::{
    Arrangement, Code, End, Game, Located, Remark, RuleSet,
    drawing::{Drawing, Glyph},
    slips::Cost,
    symmetry::{Likeness, Symmetry},
    tap::Tap,
    termination::{Kind, Termination},
    text::Messages,
};

mod board;
mod breach;
mod completion;
mod counts;
mod draw;
mod moves;
mod position;
mod symmetry;
mod words;

pub use breach::Breach;
use breach::{CODES, PositionBreach};
pub use moves::Move;
pub use position::Position;

/// The game.
pub struct Pastores;

/// The side to move has no stone left (GEN.07).
const ANNIHILATION: Termination =
    Termination { name: "annihilation", word: "pastores.end.annihilation", kind: Kind::Board };
/// The side to move has no legal move (GEN.07).
const IMMOBILE: Termination = Termination { name: "immobile", word: "pastores.end.immobile", kind: Kind::Board };
/// The turns of one against one have run out (NOR.12).
const COUNTDOWN: Termination = Termination { name: "countdown", word: "pastores.end.countdown", kind: Kind::Board };

impl Game for Pastores {
    type Position = Position;
    type Rules = ();

    const NOTATION: &'static GameNotation = &notation::NOTATION;
    const NAME: &'static str = "pastores.name";
    const SIDE_WORDS: [&'static str; 2] = words::SIDES;
    const CODES: &'static [Code] = CODES;
    const MESSAGES: &'static Messages = &include!(concat!(env!("OUT_DIR"), "/games/pastores/messages.rs"));
    const RULE_SETS: &'static [RuleSet<()>] = &[RuleSet { name: "base", rules: () }];
    const ENDS: &'static [Termination] = &[ANNIHILATION, IMMOBILE, COUNTDOWN];
    const FORMS: &'static [&'static str] = &["position", "diagram"];
    const TIME_CONTROL: Option<u64> = None;
    /// A record of moves cannot show the handshake of the winner (NOR.14).
    const REMARKS: &'static [Remark] = &[Remark {
        tag: "Handshake",
        word: "pastores.handshake",
        values: &[("yes", "pastores.handshake-yes"), ("no", "pastores.handshake-no")],
    }];

    fn pieces() -> Vec<Glyph> {
        draw::pieces()
    }

    /// norte starts unless the record says otherwise.
    fn initial((): (), first: Option<Side>) -> Option<Position> {
        Some(Position::start(first.unwrap_or(Side::One)))
    }

    fn position((): (), text: &str) -> Result<Position, Vec<Located>> {
        let setup =
            notation::Setup::parse(text).map_err(|fault| vec![Located::of_fault(fault, text, PositionBreach::Form)])?;
        Position::from_setup(&setup).map_err(|breaches| {
            let all = Span::new(0, text.len());
            let located = |breach: PositionBreach| {
                let span = breach.field().map_or(all, |field| field_span(text, field));
                Located { message: breach.into(), span }
            };
            breaches.into_iter().map(located).collect()
        })
    }

    fn completed((): (), rows: &str, turn: Side) -> Option<String> {
        let diagram = notation::Diagram::parse(rows).ok()?;
        Some(completion::completed(diagram, turn).to_string())
    }

    fn arrange((): (), text: &str) -> Result<Arrangement, Vec<Located>> {
        if text.contains(' ') {
            let position = Self::position((), text)?;
            let forms = vec![("position", position.to_string()), ("diagram", position.setup().diagram.to_string())];
            return Ok(Arrangement { forms, drawing: draw::position(&position, None) });
        }
        let diagram = notation::Diagram::parse(text)
            .map_err(|fault| vec![Located::of_fault(fault, text, PositionBreach::Rows)])?;
        Ok(Arrangement { forms: vec![("diagram", diagram.to_string())], drawing: draw::diagram(&diagram) })
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
        // All three ends belong to the moving phase.
        if self.is_placing() {
            return None;
        }
        let end = |termination: &'static Termination, outcome| Some(End { termination, outcome });
        let lost = Outcome::Win(!self.turn);
        if self.stones[self.turn.index()] == 0 {
            return end(&ANNIHILATION, lost); // GEN.07
        }
        if !moves::any_step(self) {
            return end(&IMMOBILE, lost); // GEN.07
        }
        if self.countdown == Some(0) {
            return end(&COUNTDOWN, Outcome::Draw); // NOR.12
        }
        None
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

    fn each_tap(&self, mv: Move, each: impl FnMut(Tap)) {
        moves::each_tap(mv, each);
    }

    #[inline]
    fn write_move(&self, mv: Move, out: &mut impl fmt::Write) -> fmt::Result {
        moves::write(self, mv, out)
    }

    /// A move has no other token.
    fn is_canonical(&self, _: Move, _: &[u8]) -> bool {
        true
    }

    fn rarity(&self, mv: Move) -> Cost {
        moves::rarity(self, mv)
    }

    fn drawing(&self, last: Option<Move>) -> Drawing {
        draw::position(self, last)
    }

    fn likeness(&self) -> Likeness {
        symmetry::likeness(self)
    }

    fn symmetries(&self) -> &'static [Symmetry] {
        symmetry::symmetries(self)
    }

    fn image(&self, symmetry: Symmetry) -> Self {
        symmetry::image(self, symmetry)
    }

    fn carried(mv: Move, to: impl Fn(usize) -> usize) -> Move {
        symmetry::carried(mv, to)
    }
}
