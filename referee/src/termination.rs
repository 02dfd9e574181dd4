//! The table of ends that can be declared. The ends that a board shows are each game's own.

use quipu_notation::record::Outcome;

/// A way to end.
#[derive(Debug, PartialEq, Eq)]
pub struct Termination {
    /// Value of the tag `Termination`.
    pub name: &'static str,
    /// What is said of it: key of a noun phrase in the words.
    pub word: &'static str,
    /// Where it is seen, and what result it goes with.
    pub kind: Kind,
}

/// Where an end is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On the board: it cannot be declared where the board does not show it.
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

/// Every end that a record can declare, whatever the game.
pub const DECLARED: &[Termination] = &[
    RESIGNATION,
    Termination { name: "time", word: "end.time", kind: Kind::NeedsWinner },
    Termination { name: "agreement", word: "end.agreement", kind: Kind::NeedsDraw },
    Termination { name: "adjudication", word: "end.adjudication", kind: Kind::Any },
    Termination { name: "abandoned", word: "end.abandoned", kind: Kind::Any },
];

impl Kind {
    /// Whether a result goes with a declared end of this kind.
    pub fn fits(self, result: Outcome) -> bool {
        match self {
            Self::Board => false,
            Self::NeedsWinner => matches!(result, Outcome::Win(_)),
            Self::NeedsDraw => result == Outcome::Draw,
            Self::Any => true,
        }
    }
}
