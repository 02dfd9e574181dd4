//! Taps: the squares and pieces that a player touches to enter a move.

/// One tap of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tap {
    /// A square, by its index in the [`Drawing`](crate::drawing::Drawing).
    Cell(usize),
    /// A piece beside the board.
    Beside {
        /// Its name, different from that of every square.
        name: &'static str,
        /// Catalogue key of its label.
        word: &'static str,
    },
}

/// A legal move with its taps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tapped {
    /// Its canonical token.
    pub token: String,
    /// The taps, in order.
    pub taps: Vec<Tap>,
}
