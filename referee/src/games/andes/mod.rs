//! Andes: Sol against Luna on 7 x 7.
//!
//! The laws are in `docs/rules/andes.md`. A line that enforces an article or a ruling names it.

use std::fmt;

use quipu_notation::{
    Side, Span,
    games::{GameNotation, andes as notation},
    record::{Outcome, Record},
};

use crate::{
    Arrangement, Code, Diagnostic, End, Game, GameEnd, Located, PointRule, Points, RuleSet,
    drawing::{Drawing, Glyph},
    slips::Cost,
    symmetry::{Likeness, Symmetry},
    tap::Tap,
    termination::{Kind, RESIGNATION, Termination},
    text::Messages,
};

mod board;
mod breach;
mod completion;
mod draw;
mod moves;
mod position;
mod symmetry;
mod terrain;
mod words;

pub use breach::Breach;
use breach::{CODES, Claim, PositionBreach};
pub use moves::Move;
pub use position::Position;

/// The game.
pub struct Andes;

/// A side that had entered has left the continent (1.6, R-8).
const CONTINENT: Termination = Termination { name: "continent", word: "andes.end.continent", kind: Kind::Board };
/// The side to move has no legal move.
const IMMOBILE: Termination = Termination { name: "immobile", word: "andes.end.immobile", kind: Kind::Board };

const ENDS: &[Termination] = &[CONTINENT, IMMOBILE];

impl Game for Andes {
    type Position = Position;
    type Rules = ();

    const NOTATION: &'static GameNotation = &notation::NOTATION;
    const NAME: &'static str = "andes.name";
    const SIDE_WORDS: [&'static str; 2] = words::SIDES;
    const CODES: &'static [Code] = CODES;
    const MESSAGES: &'static Messages = &include!(concat!(env!("OUT_DIR"), "/games/andes/messages.rs"));
    const RULE_SETS: &'static [RuleSet<()>] = &[RuleSet { name: "base", rules: () }];
    const ENDS: &'static [Termination] = ENDS;
    const FORMS: &'static [&'static str] = &["position", "diagram", "log"];
    /// Twelve minutes (8.3).
    const TIME_CONTROL: Option<u64> = Some(720);
    const POINTS: Option<PointRule> = Some(position::POINTS);

    fn pieces() -> Vec<Glyph> {
        draw::pieces()
    }

    fn initial((): (), _: Option<Side>) -> Option<Position> {
        Some(Position::START)
    }

    fn position((): (), text: &str) -> Result<Position, Vec<Located>> {
        let setup =
            notation::Setup::parse(text).map_err(|fault| vec![Located::of_fault(fault, text, PositionBreach::Form)])?;
        Position::from_setup(&setup).map_err(|faults| {
            let span = Span::new(0, text.len());
            faults.into_iter().map(|fault| Located { message: fault.message(), span }).collect()
        })
    }

    fn completed((): (), rows: &str, turn: Side) -> Option<String> {
        let diagram = notation::Diagram::parse(rows).ok()?;
        Some(completion::completed(diagram, turn).to_string())
    }

    fn arrange((): (), text: &str) -> Result<Arrangement, Vec<Located>> {
        if text.contains(' ') {
            let position = Self::position((), text)?;
            let mut arrangement = diagram(&position.setup().diagram, draw::position(&position, None));
            arrangement.forms.insert(0, ("position", position.to_string()));
            return Ok(arrangement);
        }
        let read = if text.is_empty() || text.starts_with(['+', '-']) {
            notation::Diagram::parse_log(text).map_err(|fault| Located::of_fault(fault, text, PositionBreach::Log))
        } else {
            notation::Diagram::parse(text).map_err(|fault| Located::of_fault(fault, text, PositionBreach::Rows))
        };
        let read = read.map_err(|located| vec![located])?;
        Ok(diagram(&read, draw::diagram(&read)))
    }

    /// The arbiter decides a tie on points; without a decision it is a draw (9.2).
    fn settle(end: End, record: &Record<'_>) -> End {
        let decided = record.value("Decision").and_then(|name| notation::NOTATION.side_named(name));
        match (end.outcome, decided) {
            (Outcome::Draw, Some(side)) => End { outcome: Outcome::Win(side), ..end },
            _ => end,
        }
    }

    fn judge(record: &Record<'_>, position: &Position, end: Option<&GameEnd>, found: &mut Vec<Diagnostic>) {
        let counted = position.points_counted();
        if let Some(tag) = record.tag("Points")
            && !counted.is_written(&tag.value)
        {
            let claim = Claim { claimed: &tag.value, counted };
            found.push(Diagnostic::new(claim.message(), Some(tag.span)));
        }
        let Some(GameEnd { termination: Some(termination), outcome }) = end else { return };
        let tied = *outcome == Outcome::Draw && termination.kind == Kind::Board;
        if tied && record.tag("Leg").is_none() {
            // 9.2: a single game must not end in a tie.
            let span = record.result.map(|result| result.span).or(record.tag("Result").map(|tag| tag.span));
            found.push(Diagnostic::new(breach::tie_stands(counted), span));
        }
        if let (true, Outcome::Win(winner)) = (termination.name == RESIGNATION.name, outcome)
            && position.side_to_move() == *winner
        {
            // 5.3: a player resigns during the own turn.
            let span = record.tag("Termination").map(|tag| tag.span);
            found.push(Diagnostic::new(breach::resigned_out_of_turn(!*winner), span));
        }
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
        // 1.6: a side has left the continent; a side that never entered has not left it.
        let left = |side: Side| self.entered[side.index()] && !self.on_continent(side);
        if left(Side::One) || left(Side::Two) {
            Some(end_by_points(self, &CONTINENT))
        } else if moves::any(self) {
            None
        } else {
            Some(end_by_points(self, &IMMOBILE))
        }
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

    #[inline]
    fn is_canonical(&self, mv: Move, token: &[u8]) -> bool {
        moves::is_canonical(mv, token)
    }

    fn points(&self) -> Option<Points> {
        Some(self.points_counted())
    }

    fn each_spelling(&self, mv: Move, each: impl FnMut(&str)) {
        moves::each_spelling(self, mv, each);
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
        &symmetry::SYMMETRIES
    }

    fn image(&self, symmetry: Symmetry) -> Self {
        symmetry::image(self, symmetry)
    }

    fn carried(mv: Move, to: impl Fn(usize) -> usize) -> Move {
        symmetry::carried(mv, to)
    }
}

/// The points decide (1.7, 5.1), then the order of 5.2.
#[cold]
fn end_by_points(position: &Position, termination: &'static Termination) -> End {
    End { termination, outcome: position.points_counted().outcome() }
}

/// A bare arrangement in the forms it has.
fn diagram(diagram: &notation::Diagram, drawing: Drawing) -> Arrangement {
    let mut log = String::new();
    let written = diagram.write_log(&mut log);
    debug_assert!(written.is_ok(), "a String takes everything");
    Arrangement { forms: vec![("diagram", diagram.to_string()), ("log", log)], drawing }
}
