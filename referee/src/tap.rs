//! How a move is entered: the squares and pieces that a player touches, one after the other.

/// One thing that is touched to enter a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tap {
    /// A square, by its index in the [`Drawing`](crate::drawing::Drawing).
    Cell(usize),
    /// Something that is not on the board.
    Beside {
        /// What it is called; no square is.
        name: &'static str,
        /// The word for it.
        word: &'static str,
    },
}

/// A lawful move, and how it is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tapped {
    /// Its canonical token.
    pub token: String,
    /// What is touched, one thing after the other.
    pub taps: Vec<Tap>,
}
