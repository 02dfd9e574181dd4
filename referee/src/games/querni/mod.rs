//! Querni: azul against rosa on 10 x 7, by Enrique Fernández Alcázar.
//!
//! The rules are in `docs/rules/querni.md`. The author's text has no numbers; number its statements. A line
//! that enforces one, or a ruling, names it.

use std::fmt;

use quipu_notation::{
    Side, Span,
    games::{GameNotation, querni as notation},
    record::Outcome,
};

use crate::{
    Arrangement, Code, End, Game, Located, Message, RuleSet,
    drawing::{Drawing, Glyph},
    slips::{Cost, Miswriting, Written},
    symmetry::{Likeness, Symmetry},
    tap::Tap,
    termination::{Kind, Termination},
    text::Messages,
};

mod board;
mod breach;
mod chains;
mod completion;
mod deal;
mod draw;
mod jumps;
mod moves;
mod near;
mod position;
mod symmetry;
mod words;

pub use breach::Breach;
use breach::{CODES, PositionBreach};
pub use jumps::Path;
pub use moves::{Motion, Move};
use position::IDLE_PLIES;
pub use position::Position;

/// The game.
pub struct Querni;

/// A side has taken all its pieces off the board.
const CLEARED: Termination = Termination { name: "cleared", word: "querni.end.cleared", kind: Kind::Board };
/// Neither side can form a chain any more.
const DEAD: Termination = Termination { name: "dead", word: "querni.end.dead", kind: Kind::Board };
/// Too long without a removal.
const IDLE: Termination = Termination { name: "idle", word: "querni.end.idle", kind: Kind::Board };

const ENDS: &[Termination] = &[CLEARED, DEAD, IDLE];

impl Game for Querni {
    type Position = Position;
    type Rules = ();

    const NOTATION: &'static GameNotation = &notation::NOTATION;
    const NAME: &'static str = "querni.name";
    const SIDE_WORDS: [&'static str; 2] = words::SIDES;
    const CODES: &'static [Code] = CODES;
    const MESSAGES: &'static Messages = &include!(concat!(env!("OUT_DIR"), "/games/querni/messages.rs"));
    const RULE_SETS: &'static [RuleSet<()>] = &[RuleSet { name: "base", rules: () }];
    const ENDS: &'static [Termination] = ENDS;
    const FORMS: &'static [&'static str] = &["position", "diagram"];
    /// Jumps list every square.
    const MOVE_LENGTH: u8 = 23;
    const TIME_CONTROL: Option<u64> = None;

    fn pieces() -> Vec<Glyph> {
        draw::pieces()
    }

    /// Pieces are dealt at random, so a record contains its start position.
    fn initial((): (), _: Option<Side>) -> Option<Position> {
        None
    }

    /// all pieces are on the board, on any squares, and nothing has been played.
    fn can_start(position: &Position) -> Result<(), Message> {
        let pieces = position.counts().iter().sum();
        if (pieces, position.idle, position.ply) == (2 * notation::Number::COUNT, 0, 0) {
            return Ok(());
        }
        Err(PositionBreach::Start { pieces, idle: position.idle, ply: position.ply }.into())
    }

    /// Azul starts by default.
    fn deal((): (), seed: u64, first: Option<Side>) -> Option<Position> {
        Some(deal::deal(seed, first.unwrap_or(Side::One)))
    }

    fn position((): (), text: &str) -> Result<Position, Vec<Located>> {
        let setup =
            notation::Setup::parse(text).map_err(|fault| vec![Located::of_fault(fault, text, PositionBreach::Form)])?;
        Position::from_setup(&setup).map_err(|faults| {
            faults.into_iter().map(|fault| Located { span: place(&fault, text), message: fault.into() }).collect()
        })
    }

    fn completed((): (), rows: &str, turn: Side) -> Option<String> {
        let diagram = notation::Diagram::parse(rows).ok()?;
        Some(completion::completed(diagram, turn).to_string())
    }

    fn arrange((): (), text: &str) -> Result<Arrangement, Vec<Located>> {
        if text.contains(' ') {
            let position = Self::position((), text)?;
            let diagram = position.setup().diagram.to_string();
            let forms = vec![("position", position.to_string()), ("diagram", diagram)];
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
        let mover = !self.turn;
        let (termination, outcome) = if self.left[mover.index()] == 0 {
            (&CLEARED, Outcome::Win(mover))
        } else if !self.alive(Side::One) && !self.alive(Side::Two) {
            (&DEAD, Outcome::Draw)
        } else if self.idle >= IDLE_PLIES {
            (&IDLE, Outcome::Draw)
        } else {
            return None;
        };
        Some(End { termination, outcome })
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
        moves::each_tap(self, mv, each);
    }

    #[inline]
    fn write_move(&self, mv: Move, out: &mut impl fmt::Write) -> fmt::Result {
        moves::write(mv, out)
    }

    /// Accepted spellings differ only in the number that may be written before the first square.
    #[inline]
    fn is_canonical(&self, _: Move, token: &[u8]) -> bool {
        !token.first().is_some_and(u8::is_ascii_digit)
    }

    fn each_near(&self, written: &Written, most: Cost, each: impl FnMut(Move, Miswriting)) {
        near::each(self, written, most, each);
    }

    fn each_outcome(&self, each: impl FnMut(Move)) {
        near::each_outcome(self, each);
    }

    fn each_alternative(&self, mv: Move, most: usize, each: impl FnMut(Move)) {
        near::each_alternative(self, mv, most, each);
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

/// The span of a fault in a well-formed position string.
fn place(breach: &PositionBreach, text: &str) -> Span {
    match breach {
        PositionBreach::Twice { piece, second, .. } => {
            let letter = |&(at, _): &(usize, &str)| squares_before(&text[..at]) == second.index();
            let found = text.match_indices(piece.letter()).find(letter);
            found.map_or(Span::new(0, text.len()), |(at, letter)| Span::new(at, at + letter.len()))
        }
        PositionBreach::Idle { .. } => {
            let mut fields = text.match_indices(' ').map(|(at, _)| at).skip(1);
            let start = fields.next().map_or(0, |at| at + 1);
            Span::new(start, fields.next().unwrap_or(text.len()))
        }
        _ => Span::new(0, text.len()),
    }
}

/// The number of squares that a beginning of ROWS describes.
fn squares_before(rows: &str) -> usize {
    let runs = rows.split(|c: char| !c.is_ascii_digit()).filter_map(|run| run.parse::<usize>().ok());
    runs.sum::<usize>() + rows.bytes().filter(u8::is_ascii_alphabetic).count()
}
