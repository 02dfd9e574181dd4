//! Arrangements: position strings, bare diagrams and the boards of `OpenTafl`.

use std::fmt;

use super::{NOTATION, Piece, SIZE, Square};
use crate::{
    Side, Span,
    games::grammar::{self, GrammarFault, RowsFault, SetupFault},
};

/// The rows of the usual start position.
pub(super) const START: &str = "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3";

/// The value of the tag `Setup` for a game of another program that starts from these rows with `turn`; none if rules in which
/// `first` begins have the same start. The number of plies is even when the side that begins by the rules is to move.
pub(super) fn setup_tag(rows: &str, turn: Side, first: Side) -> Option<String> {
    let is_usual = rows == START && turn == first;
    (!is_usual).then(|| format!("{rows} {} {}", NOTATION.side(turn).letter, u8::from(turn != first)))
}

/// Pieces on a board and nothing else: it can be drawn and converted, not played from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The piece on each square, in the order of [`Square::all`].
    pub cells: [Option<Piece>; Square::COUNT],
}

/// A fault in a board of `OpenTafl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtgBoardFault {
    /// It does not begin with `/`.
    Open,
    /// It does not end with `/`.
    Close,
    /// The rows are at fault; they are counted from the top.
    Rows(RowsFault),
}

/// The contents of a position string, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The pieces on the board.
    pub diagram: Diagram,
    /// The side to move.
    pub turn: Side,
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

    /// Reads rows from rank 7 down: `3t3/3t3/…`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<RowsFault>> {
        let mut diagram = Self::EMPTY;
        grammar::rows(text, SIZE, &mut diagram.cells, Piece::from_letter)?;
        Ok(diagram)
    }

    /// The span of a square in a text that begins with valid rows: its piece, or the number that counts it.
    pub fn place(text: &str, square: Square) -> Span {
        let mut squares = 0;
        let at = text.bytes().position(|byte| {
            squares += match byte {
                b'/' => 0,
                b'1'..=b'7' => usize::from(byte - b'0'),
                _ => 1,
            };
            squares > square.index()
        });
        at.map_or_else(Span::default, |at| Span::new(at, at + 1))
    }

    /// Reads a board as `OpenTafl` writes it: rows from rank 1 up, with `/` before, between and after them.
    pub fn parse_otg(text: &str) -> Result<Self, GrammarFault<OtgBoardFault>> {
        let inside =
            text.strip_prefix('/').ok_or_else(|| GrammarFault::at_rest(OtgBoardFault::Open, text, text.len()))?;
        let inside = inside.strip_suffix('/').ok_or_else(|| GrammarFault::at_rest(OtgBoardFault::Close, text, 0))?;
        let upwards = Self::parse(inside).map_err(|GrammarFault { kind, span }| {
            let kind = match kind {
                RowsFault::Row { row, width, expected } => RowsFault::Row { row: SIZE + 1 - row, width, expected },
                other => other,
            };
            GrammarFault { kind: OtgBoardFault::Rows(kind), span: span.shifted(1) }
        })?;
        Ok(upwards.flipped())
    }

    /// Writes the board that [`Diagram::parse_otg`] reads.
    pub fn write_otg(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write!(out, "/{}/", self.flipped())
    }

    /// The same board with its ranks in the opposite order.
    fn flipped(&self) -> Self {
        let mut flipped = Self::EMPTY;
        for (row, other) in self.cells.chunks(SIZE).rev().zip(flipped.cells.chunks_mut(SIZE)) {
            other.copy_from_slice(row);
        }
        flipped
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grammar::write_rows(&self.cells, SIZE, Piece::letter, f)
    }
}

impl Setup {
    /// Reads a position string: `ROWS TURN PLY`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<SetupFault>> {
        let [rows, turn, ply] = grammar::fields(text)?;
        Ok(Self { diagram: rows.rows(Diagram::parse)?, turn: turn.turn(&NOTATION)?, ply: ply.number()? })
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grammar::PositionString::new(&self.diagram.cells, SIZE, Piece::letter)
            .turn(NOTATION.side(self.turn).letter)
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

    #[track_caller]
    fn refused_otg(text: &str, kind: OtgBoardFault, start: usize, end: usize) {
        assert_eq!(Diagram::parse_otg(text), Err(GrammarFault::new(kind, start..end)), "{text}");
    }

    #[test]
    fn position_strings() {
        reads_back(&format!("{START} n 0"));
        // Legality does not matter here.
        reads_back("7/KK5/T5t/7/7/7/t5T r 4294967295");
    }

    #[test]
    fn faults_have_their_place() {
        refused(START, SetupFault::Fields { found: 1, expected: 3 }, START);
        refused("7/7/7/7/7/7/7  n 0", SetupFault::Fields { found: 4, expected: 3 }, "7/7/7/7/7/7/7  n 0");
        let rows = RowsFault::Rows { found: 2, expected: 7 };
        refused("7/7 n 0", SetupFault::Rows(rows), "7/7");
        let row = RowsFault::Row { row: 2, width: 8, expected: 7 };
        refused("7/7K/7/7/7/7/7 n 0", SetupFault::Rows(row), "7K");
        refused("7/34/7/7/7/7/7 n 0", SetupFault::Rows(RowsFault::Run { most: 7 }), "34");
        refused("7/3k3/7/7/7/7/7 n 0", SetupFault::Rows(RowsFault::Piece), "k");
        refused("7/7/7/7/7/7/7 s 0", SetupFault::Turn, "s");
        refused("7/7/7/7/7/7/7 nr 0", SetupFault::Turn, "nr");
        refused("7/7/7/7/7/7/7 n 4294967296", SetupFault::Number, "4294967296");
        refused("7/7/7/7/7/7/7 n 00", SetupFault::Number, "00");
    }

    /// Every square of a board with all kinds of rows has the right span.
    #[test]
    fn squares_have_their_place() {
        let text = "3t3/7/Tt1K2t/6t/t6/2T4/tttTTTT n 0";
        let diagram = Setup::parse(text).unwrap().diagram;
        for square in Square::all() {
            let found = &text[Diagram::place(text, square).range()];
            match diagram.get(square) {
                Some(piece) => assert_eq!(found, piece.letter().to_string(), "{square}"),
                None => assert!(found.parse::<usize>().is_ok(), "{square}: {found}"),
            }
        }
        assert_eq!(Diagram::place(text, Square::parse("g5").unwrap()), Span::new(11, 12));
        assert_eq!(Diagram::place(text, Square::parse("g1").unwrap()), Span::new(29, 30));
    }

    #[test]
    fn boards_of_opentafl_begin_with_rank_1() {
        let diagram = Diagram::parse_otg("/t6/7/7/3K3/7/7/5TT/").unwrap();
        assert_eq!(diagram.to_string(), "5TT/7/7/3K3/7/7/t6");
        for text in ["/t6/7/7/3K3/7/7/5TT/", "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/", "/7/7/7/7/7/7/7/"] {
            let mut written = String::new();
            Diagram::parse_otg(text).unwrap().write_otg(&mut written).unwrap();
            assert_eq!(written, text);
        }
    }

    #[test]
    fn faults_of_boards_of_opentafl_have_their_place() {
        refused_otg("", OtgBoardFault::Open, 0, 0);
        refused_otg("7/7/7/7/7/7/7/", OtgBoardFault::Open, 0, 1);
        refused_otg("/", OtgBoardFault::Close, 1, 1);
        refused_otg("/7/7/7/7/7/7/7", OtgBoardFault::Close, 14, 14);
        refused_otg("/7/7/", OtgBoardFault::Rows(RowsFault::Rows { found: 2, expected: 7 }), 1, 4);
        refused_otg("//7/7/7/7/7/7/7/", OtgBoardFault::Rows(RowsFault::Rows { found: 8, expected: 7 }), 1, 15);
        // Rank 2 is the sixth row from the top.
        let row = RowsFault::Row { row: 6, width: 6, expected: 7 };
        refused_otg("/7/6/7/7/7/7/7/", OtgBoardFault::Rows(row), 3, 4);
        refused_otg("/7/7/3x3/7/7/7/7/", OtgBoardFault::Rows(RowsFault::Piece), 6, 7);
        refused_otg("/7/7/8/7/7/7/7/", OtgBoardFault::Rows(RowsFault::Run { most: 7 }), 5, 6);
    }
}
