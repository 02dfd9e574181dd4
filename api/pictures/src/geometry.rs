//! Coordinates of squares in the picture of a board.

use quipu_referee::drawing::{Drawing, SQUARE};

/// Coordinates on one board.
pub(super) struct BoardGeometry<'d> {
    pub(super) drawing: &'d Drawing,
    pub(super) flip: bool,
    pub(super) margin: i32,
    /// Upper edge of the squares.
    pub(super) top: i32,
}

impl BoardGeometry<'_> {
    pub(super) fn columns(&self) -> usize {
        self.drawing.columns
    }

    pub(super) fn rows(&self) -> usize {
        self.drawing.cells.len() / self.columns().max(1)
    }

    /// Width and height of all squares together.
    pub(super) fn size(&self) -> (i32, i32) {
        (squares(self.columns()), squares(self.rows()))
    }

    /// The middle of a cell.
    pub(super) fn middle(&self, index: usize) -> [i32; 2] {
        let (mut column, mut row) = (index % self.columns(), index / self.columns());
        if self.flip {
            (column, row) = (self.columns() - 1 - column, self.rows() - 1 - row);
        }
        [self.margin + squares(column) + SQUARE / 2, self.top + squares(row) + SQUARE / 2]
    }
}

/// Width of this many squares.
pub(super) fn squares(count: usize) -> i32 {
    i32::try_from(count).unwrap_or_default() * SQUARE
}
