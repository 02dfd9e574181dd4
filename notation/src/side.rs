//! The two sides of a game.

use std::ops::Not;

/// One of the two sides. [`Side::One`] is the side that each game's rules name first, not the one that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Sol, norte, azul or negros; `1-0` is its win.
    One,
    /// Luna, sur, rosa or rojos; `0-1` is its win.
    Two,
}

impl Side {
    /// Both sides, in order.
    pub const BOTH: [Self; 2] = [Self::One, Self::Two];

    /// 0 for side 1, 1 for side 2: for tables with an entry a side.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::One => 0,
            Self::Two => 1,
        }
    }
}

impl Not for Side {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }
}
