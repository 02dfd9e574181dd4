//! The table of terminations that can be declared. Ends on the board are defined by each game.

use quipu_notation::record::{Outcome, plain_name, termination_named};

use crate::spelling;

/// A termination: a way to end a game.
#[derive(Debug, PartialEq, Eq)]
pub struct Termination {
    /// Value of the tag `Termination`.
    pub name: &'static str,
    /// Key of its word, a noun phrase.
    pub word: &'static str,
    /// Its source, and the results that it fits.
    pub kind: Kind,
}

/// The source of an end, and the results that it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On the board: it cannot be declared otherwise.
    Board,
    /// Declared, with a winner.
    NeedsWinner,
    /// Declared, with a draw.
    NeedsDraw,
    /// Declared, with any result; with none the game is incomplete.
    Any,
}

/// The player to move gives up.
pub const RESIGNATION: Termination =
    Termination { name: "resignation", word: "end.resignation", kind: Kind::NeedsWinner };

/// Every termination that a record of any game can declare.
pub const DECLARED: &[Termination] = &[
    RESIGNATION,
    Termination { name: "time", word: "end.time", kind: Kind::NeedsWinner },
    Termination { name: "agreement", word: "end.agreement", kind: Kind::NeedsDraw },
    Termination { name: "adjudication", word: "end.adjudication", kind: Kind::Any },
    Termination { name: "abandoned", word: "end.abandoned", kind: Kind::Any },
];

/// Names that people give to several terminations, or to a result, as [`plain_name`] writes them, each with those that it
/// can stand for.
const UNSURE: &[(&str, &[&str])] = &[
    ("abandono", &["resignation", "abandoned"]),
    ("tablas", &["agreement"]),
    ("empate", &["agreement"]),
    ("draw", &["agreement"]),
];

/// The terminations that an unknown value is likely meant for, of those that are known.
#[cold]
pub(crate) fn meant(value: &str, known: impl Iterator<Item = &'static Termination> + Clone) -> Vec<&'static str> {
    let plain = plain_name(value);
    if let Some((_, names)) = UNSURE.iter().find(|(unsure, _)| *unsure == plain) {
        return names.to_vec();
    }
    if let Some(name) = termination_named(value) {
        return vec![name];
    }
    spelling::nearest(&plain, known.map(|row| (row.name, row.name))).into_iter().collect()
}

impl Termination {
    /// True if a game with this result may have ended so. The result of an end on the board is that of its position.
    pub(crate) fn may_give(&self, result: Outcome) -> bool {
        result != Outcome::Open && (self.kind == Kind::Board || self.kind.fits(result))
    }
}

impl Kind {
    /// True if a result fits a declared end of this kind.
    pub fn fits(self, result: Outcome) -> bool {
        match self {
            Self::Board => false,
            Self::NeedsWinner => matches!(result, Outcome::Win(_)),
            Self::NeedsDraw => result == Outcome::Draw,
            Self::Any => true,
        }
    }
}
