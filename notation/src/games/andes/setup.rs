//! Arrangements: position strings, bare diagrams (6.5) and the log of the author's web board.

use std::fmt;

use super::{Kind, NOTATION, Piece, SIZE, Square};
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

/// A fault in a log of an arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// An item is not `SIGN TYPE . MARK SCALE`.
    Item,
    /// A square is named a second time.
    Twice(Square),
}

/// The contents of a position string, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The pieces on the board.
    pub diagram: Diagram,
    /// The side to move.
    pub turn: Side,
    /// Discs off the board that can be placed, by side.
    pub reserves: [u32; 2],
    /// Enemy pieces each side has attacked.
    pub attacked: [u32; 2],
    /// True for each side that has entered the continent.
    pub entered: [bool; 2],
    /// Sol's objectives (1.4).
    pub objectives: Objectives,
    /// Completed plies.
    pub ply: u64,
}

/// Sol's objectives (1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Objectives {
    /// `p`: a persona has occupied the centre.
    pub persona: bool,
    /// `c`: a piece was captured.
    pub capture: bool,
}

impl Diagram {
    /// The empty board.
    pub const EMPTY: Self = Self { cells: [None; Square::COUNT] };

    /// The piece on `square`.
    pub fn get(&self, square: Square) -> Option<Piece> {
        self.cells[square.index()]
    }

    /// Reads rows from the top: `7/3C3/…`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<RowsFault>> {
        let mut diagram = Self::EMPTY;
        grammar::rows(text, SIZE, &mut diagram.cells, Piece::from_letter)?;
        Ok(diagram)
    }

    /// Reads the log of the author's web board: `+0.D3;-2.A3;`. The last `;` may be left out; no item is an empty
    /// board.
    ///
    /// Sign `+` for Sol and `-` for Luna, type digit, a dot, the mark always in upper case but in that player's own
    /// naming, the scale.
    pub fn parse_log(text: &str) -> Result<Self, GrammarFault<LogFault>> {
        let mut diagram = Self::EMPTY;
        if text.is_empty() {
            return Ok(diagram);
        }
        let mut start = 0;
        for item in text.strip_suffix(';').unwrap_or(text).split(';') {
            let at = start..start + item.len();
            start = at.end + 1;
            let (square, piece) = log_item(item).ok_or_else(|| GrammarFault::new(LogFault::Item, at.clone()))?;
            if diagram.cells[square.index()].replace(piece).is_some() {
                return Err(GrammarFault::new(LogFault::Twice(square), at));
            }
        }
        Ok(diagram)
    }

    /// Writes the log that [`Diagram::parse_log`] reads, square by square from the top left.
    pub fn write_log(&self, out: &mut impl fmt::Write) -> fmt::Result {
        for square in Square::all() {
            let Some(Piece { side, kind }) = self.get(square) else { continue };
            let sign = match side {
                Side::One => '+',
                Side::Two => '-',
            };
            let name = square.name(side);
            let (mark, scale) = (name.mark().to_ascii_uppercase(), name.scale());
            write!(out, "{sign}{}.{mark}{scale};", kind.digit())?;
        }
        Ok(())
    }
}

fn log_item(item: &str) -> Option<(Square, Piece)> {
    let &[sign, kind, b'.', mark @ b'A'..=b'G', scale @ b'0'..=b'6'] = item.as_bytes() else { return None };
    let side = match sign {
        b'+' => Side::One,
        b'-' => Side::Two,
        _ => return None,
    };
    let piece = Piece { side, kind: Kind::from_digit(kind)? };
    Some((Square::named(side, mark - b'A', scale - b'0'), piece))
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grammar::write_rows(&self.cells, SIZE, Piece::letter, f)
    }
}

fn pair(text: &str) -> Option<[u32; 2]> {
    let (one, two) = text.split_once('-')?;
    Some([grammar::number(one)?, grammar::number(two)?])
}

impl Setup {
    /// Reads a position string: `ROWS TURN RESERVES ATTACKED ENTERED OBJECTIVES PLY`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<SetupFault>> {
        let [rows, turn, reserves, attacked, entered, objectives, ply] = grammar::fields(text)?;
        Ok(Self {
            diagram: rows.rows(Diagram::parse)?,
            turn: turn.turn(&NOTATION)?,
            reserves: pair(reserves.text).ok_or_else(|| reserves.fault(SetupFault::Field("pair")))?,
            attacked: pair(attacked.text).ok_or_else(|| attacked.fault(SetupFault::Field("pair")))?,
            entered: match entered.text {
                "-" => [false, false],
                "s" => [true, false],
                "l" => [false, true],
                "sl" => [true, true],
                _ => return Err(entered.fault(SetupFault::Field("entered"))),
            },
            objectives: match objectives.text {
                "-" => Objectives { persona: false, capture: false },
                "p" => Objectives { persona: true, capture: false },
                "c" => Objectives { persona: false, capture: true },
                "pc" => Objectives { persona: true, capture: true },
                _ => return Err(objectives.fault(SetupFault::Field("objectives"))),
            },
            ply: ply.number()?,
        })
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entered = match self.entered {
            [false, false] => "-",
            [true, false] => "s",
            [false, true] => "l",
            [true, true] => "sl",
        };
        let objectives = match (self.objectives.persona, self.objectives.capture) {
            (false, false) => "-",
            (true, false) => "p",
            (false, true) => "c",
            (true, true) => "pc",
        };
        grammar::PositionString::new(&self.diagram.cells, SIZE, Piece::letter)
            .turn(NOTATION.side(self.turn).letter)
            .pair(self.reserves)
            .pair(self.attacked)
            .word(entered)
            .word(objectives)
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
        reads_back("7/7/7/7/7/7/7 s 7-7 0-0 - - 0");
        reads_back("3a3/7/d5a/b6/ad5/1C5/2b4 s 1-0 2-3 sl pc 4294967295");
    }

    #[test]
    fn faults_have_their_place() {
        refused("7/7/7/7/7/7/7", SetupFault::Fields { found: 1, expected: 7 }, "7/7/7/7/7/7/7");
        let rows = RowsFault::Rows { found: 2, expected: 7 };
        refused("7/7 s 7-7 0-0 - - 0", SetupFault::Rows(rows), "7/7");
        let row = RowsFault::Row { row: 2, width: 8, expected: 7 };
        refused("7/7a/7/7/7/7/7 s 7-7 0-0 - - 0", SetupFault::Rows(row), "7a");
        refused("7/34/7/7/7/7/7 s 7-7 0-0 - - 0", SetupFault::Rows(RowsFault::Run { most: 7 }), "34");
        refused("7/3e3/7/7/7/7/7 s 7-7 0-0 - - 0", SetupFault::Rows(RowsFault::Piece), "e");
        refused("7/7/7/7/7/7/7 r 7-7 0-0 - - 0", SetupFault::Turn, "r");
        refused("7/7/7/7/7/7/7 s 07-7 0-0 - - 0", SetupFault::Field("pair"), "07-7");
        refused("7/7/7/7/7/7/7 s 7-7 0-0 ls - 0", SetupFault::Field("entered"), "ls");
        refused("7/7/7/7/7/7/7 s 7-7 0-0 - cp 0", SetupFault::Field("objectives"), "cp");
        refused("7/7/7/7/7/7/7 s 7-7 0-0 - - 4294967296", SetupFault::Number, "4294967296");
        refused("7/7/7/7/7/7/7 s 7-7 0-0 - - 00", SetupFault::Number, "00");
    }

    #[test]
    fn logs_of_the_web_board() {
        let diagram = Diagram::parse_log("+0.D3;-2.A3;").unwrap();
        assert_eq!(diagram.to_string(), "7/7/7/C2a3/7/7/7");
        let mut log = String::new();
        diagram.write_log(&mut log).unwrap();
        assert_eq!(log, "-2.A3;+0.D3;");
        assert_eq!(Diagram::parse_log(&log), Ok(diagram));
        assert_eq!(Diagram::parse_log("+0.D3"), Diagram::parse("7/7/7/3a3/7/7/7").map_err(|_| unreachable!()));
        let twice = Diagram::parse_log("+0.D3;-2.D3").unwrap_err();
        assert_eq!((twice.kind, twice.span.range()), (LogFault::Twice(Square::at(3, 3)), 6..11));
        assert_eq!(Diagram::parse_log("+0.d3;").unwrap_err().kind, LogFault::Item);
        assert_eq!(Diagram::parse_log(";").unwrap_err().kind, LogFault::Item);
        assert_eq!(Diagram::parse_log(""), Ok(Diagram::EMPTY));
    }
}
