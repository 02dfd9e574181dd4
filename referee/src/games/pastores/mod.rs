//! Pastores y Guerreros: norte against sur on the 25 points of an alquerque.
//!
//! The laws as `docs/rules/pastores.md` puts them. A line that enforces an article or a ruling says which.

use quipu_notation::{
    Side, Span,
    games::{GameNotation, field_span, pastores as text},
};

use crate::{
    Arrangement, Code, Game, Located, Remark, RuleSet,
    termination::{Kind, Termination},
};

mod board;
mod breach;
mod draw;
mod moves;
mod position;

pub use breach::Breach;
use breach::{CODES, PositionBreach};
pub use moves::Move;
pub use position::Position;

/// The game.
pub struct Pastores;

/// The side to move has no stone left (GEN.07).
const ANNIHILATION: Termination =
    Termination { name: "annihilation", word: "pastores.end.annihilation", kind: Kind::Board };
/// The side to move has no lawful move (GEN.07).
const IMMOBILE: Termination = Termination { name: "immobile", word: "pastores.end.immobile", kind: Kind::Board };
/// The turns of one against one have run out (NOR.12).
const COUNTDOWN: Termination = Termination { name: "countdown", word: "pastores.end.countdown", kind: Kind::Board };

/// Words for the sides.
const SIDES: [&str; 2] = ["pastores.norte", "pastores.sur"];

impl Game for Pastores {
    type Position = Position;
    type Rules = ();

    const NOTATION: &'static GameNotation = &text::NOTATION;
    const NAME: &'static str = "pastores.name";
    const SIDE_WORDS: [&'static str; 2] = SIDES;
    const CODES: &'static [Code] = CODES;
    const WORDS: &'static str = include_str!(concat!(env!("OUT_DIR"), "/games/pastores/messages.json"));
    const RULE_SETS: &'static [RuleSet<()>] = &[RuleSet { name: "base", rules: () }];
    const ENDS: &'static [Termination] = &[ANNIHILATION, IMMOBILE, COUNTDOWN];
    const FORMS: &'static [&'static str] = &["position", "diagram"];
    const TIME_CONTROL: Option<u64> = None;
    /// Whether the winner shook hands cannot be seen in a record of moves (NOR.14).
    const REMARKS: &'static [Remark] = &[Remark {
        tag: "Handshake",
        word: "pastores.handshake",
        values: &[("yes", "pastores.handshake-yes"), ("no", "pastores.handshake-no")],
    }];

    /// norte starts unless the record says otherwise.
    fn initial((): (), first: Option<Side>) -> Option<Position> {
        Some(Position::start(first.unwrap_or(Side::One)))
    }

    fn position((): (), text: &str) -> Result<Position, Vec<Located>> {
        let setup =
            text::Setup::parse(text).map_err(|fault| vec![Located::of_fault(fault, text, PositionBreach::Form)])?;
        Position::from_setup(&setup).map_err(|breaches| {
            let all = Span::new(0, text.len());
            let located = |breach: PositionBreach| {
                let span = breach.field().map_or(all, |field| field_span(text, field));
                Located { message: breach.into(), span }
            };
            breaches.into_iter().map(located).collect()
        })
    }

    fn arrange((): (), text: &str) -> Result<Arrangement, Vec<Located>> {
        if text.contains(' ') {
            let position = Self::position((), text)?;
            let forms = vec![("position", position.to_string()), ("diagram", position.setup().diagram.to_string())];
            return Ok(Arrangement { forms, drawing: draw::position(&position, None) });
        }
        let diagram =
            text::Diagram::parse(text).map_err(|fault| vec![Located::of_fault(fault, text, PositionBreach::Rows)])?;
        Ok(Arrangement { forms: vec![("diagram", diagram.to_string())], drawing: draw::diagram(&diagram) })
    }
}

/// The word for a side.
const fn side_word(side: Side) -> &'static str {
    SIDES[side.index()]
}
