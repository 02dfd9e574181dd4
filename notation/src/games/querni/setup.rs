//! Arrangements: position strings and bare diagrams.

use std::fmt;

use super::{COLUMNS, NOTATION, Piece, Square};
use crate::{
    Side,
    games::grammar::{self, GrammarFault, RowsFault, SetupFault},
};

/// Pieces on a board and nothing else: it can be drawn and converted, not played from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The piece on each square, in the order of [`Square::all`].
    pub cells: [Option<Piece>; Square::COUNT],
}

/// The contents of a position string, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The pieces on the board.
    pub diagram: Diagram,
    /// The side to move.
    pub turn: Side,
    /// Plies since the last removal, or since the start.
    pub idle: u64,
    /// Completed plies.
    pub ply: u64,
}

impl Diagram {
    /// The empty board.
    pub const EMPTY: Self = Self { cells: [None; Square::COUNT] };

    /// The piece on `square`.
    pub fn get(&self, square: Square) -> Option<Piece> {
        self.cells[square.index()]
    }

    /// Reads rows from the top: `10/3C6/…`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<RowsFault>> {
        let mut diagram = Self::EMPTY;
        grammar::rows(text, COLUMNS, &mut diagram.cells, Piece::from_letter)?;
        Ok(diagram)
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grammar::write_rows(&self.cells, COLUMNS, Piece::letter, f)
    }
}

impl Setup {
    /// Reads a position string: `ROWS TURN IDLE PLY`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<SetupFault>> {
        let [rows, turn, idle, ply] = grammar::fields(text)?;
        Ok(Self {
            diagram: rows.rows(Diagram::parse)?,
            turn: turn.turn(&NOTATION)?,
            idle: idle.number()?,
            ply: ply.number()?,
        })
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grammar::PositionString::new(&self.diagram.cells, COLUMNS, Piece::letter)
            .turn(NOTATION.side(self.turn).letter)
            .count(self.idle)
            .count(self.ply)
            .write(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads_back(text: &str) {
        assert_eq!(Setup::parse(text).map(|setup| setup.to_string()), Ok(text.to_owned()));
    }

    #[track_caller]
    fn refused(text: &str, kind: SetupFault, found: &str) {
        let fault = Setup::parse(text).unwrap_err();
        assert_eq!((fault.kind, &text[fault.span.range()]), (kind, found));
    }

    #[test]
    fn position_strings() {
        reads_back("10/1GNaEieMp1/1odJFIODj1/10/1BfHgnckh1/1KbPlACmL1/10 a 0 0");
        reads_back("ABCDEFGHIJ/KLMNOP4/10/9A/10/10/abcdefghij r 4294967295 4294967295");
        // Legality does not matter here.
        reads_back("AA8/10/10/10/10/10/10 a 7 3");
    }

    #[test]
    fn faults_have_their_place() {
        refused("10/10/10/10/10/10/10", SetupFault::Fields { found: 1, expected: 4 }, "10/10/10/10/10/10/10");
        refused("10/10 a 0 0", SetupFault::Rows(RowsFault::Rows { found: 2, expected: 7 }), "10/10");
        let row = RowsFault::Row { row: 2, width: 11, expected: 10 };
        refused("10/10A/10/10/10/10/10 a 0 0", SetupFault::Rows(row), "10A");
        let run = SetupFault::Rows(RowsFault::Run { most: 10 });
        refused("10/73/10/10/10/10/10 a 0 0", run, "73");
        refused("10/0A9/10/10/10/10/10 a 0 0", run, "0");
        refused("10/A09/10/10/10/10/10 a 0 0", run, "09");
        refused("10/11/10/10/10/10/10 a 0 0", run, "11");
        refused("10/4q5/10/10/10/10/10 a 0 0", SetupFault::Rows(RowsFault::Piece), "q");
        refused("10/10/10/10/10/10/10 A 0 0", SetupFault::Turn, "A");
        refused("10/10/10/10/10/10/10 a 4294967296 0", SetupFault::Number, "4294967296");
        refused("10/10/10/10/10/10/10 a 0 00", SetupFault::Number, "00");
        refused("10/10/10/10/10/10/10 a 0 ", SetupFault::Number, "");
    }
}
