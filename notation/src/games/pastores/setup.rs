//! Arrangements: position strings, and diagrams without the other fields.

use std::fmt;

use super::{NOTATION, Point, SIZE, Stone};
use crate::{
    Side,
    games::grammar::{self, GrammarFault, RowsFault, SetupFault},
};

/// Stones on a board and nothing else: it can be drawn and converted, not played from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The stone on each point, in the order of [`Point::all`].
    pub cells: [Option<Stone>; Point::COUNT],
}

/// Stones of one side that are not yet placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hand {
    /// The number of pastores.
    pub pastores: u8,
    /// The number of guerreros.
    pub guerreros: u8,
}

/// The contents of a position string, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The pieces on the board.
    pub diagram: Diagram,
    /// The side to move.
    pub turn: Side,
    /// Stones left to place, by side.
    pub hands: [Hand; 2],
    /// Plies left in the countdown of one against one, once it runs.
    pub countdown: Option<u32>,
    /// Completed plies.
    pub ply: u64,
}

impl Hand {
    /// The number of all stones.
    pub fn total(self) -> u32 {
        u32::from(self.pastores) + u32::from(self.guerreros)
    }
}

impl Diagram {
    /// The empty board.
    pub const EMPTY: Self = Self { cells: [None; Point::COUNT] };

    /// The stone on `point`.
    pub fn get(&self, point: Point) -> Option<Stone> {
        self.cells[point.index()]
    }

    /// Reads rows from the top: `5/1P3/…`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<RowsFault>> {
        let mut diagram = Self::EMPTY;
        grammar::rows(text, SIZE, &mut diagram.cells, Stone::from_letter)?;
        Ok(diagram)
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grammar::write_rows(&self.cells, SIZE, Stone::letter, f)
    }
}

/// Parses the field HANDS: for each side its pastores, then its guerreros, one digit each.
fn hands(text: &str) -> Option<[Hand; 2]> {
    let &[norte_p, norte_g, b'-', sur_p, sur_g] = text.as_bytes() else { return None };
    let digit = |byte: u8| byte.checked_sub(b'0').filter(|&digit| digit < 10);
    let hand = |p, g| Some(Hand { pastores: digit(p)?, guerreros: digit(g)? });
    Some([hand(norte_p, norte_g)?, hand(sur_p, sur_g)?])
}

impl Setup {
    /// Index of HANDS among the fields of a position string.
    pub const HANDS: usize = 2;
    /// Index of COUNTDOWN.
    pub const COUNTDOWN: usize = 3;

    /// Reads a position string: `ROWS TURN HANDS COUNTDOWN PLY`.
    pub fn parse(text: &str) -> Result<Self, GrammarFault<SetupFault>> {
        let [rows, turn, in_hand, countdown, ply] = grammar::fields(text)?;
        Ok(Self {
            diagram: rows.rows(Diagram::parse)?,
            turn: turn.turn(&NOTATION)?,
            hands: hands(in_hand.text).ok_or_else(|| in_hand.fault(SetupFault::Field("hands")))?,
            countdown: match countdown.text {
                "-" => None,
                text => Some(grammar::number(text).ok_or_else(|| countdown.fault(SetupFault::Field("countdown")))?),
            },
            ply: ply.number()?,
        })
    }
}

impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.pastores, self.guerreros)
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [norte, sur] = self.hands;
        let text = grammar::PositionString::new(&self.diagram.cells, SIZE, Stone::letter)
            .turn(NOTATION.side(self.turn).letter)
            .word(&format!("{norte}-{sur}"));
        let text = match self.countdown {
            Some(left) => text.count(left.into()),
            None => text.word("-"),
        };
        text.count(self.ply).write(f)
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
        reads_back("5/5/5/5/5 n 53-53 - 0");
        reads_back("5/5/5/5/5 s 53-53 - 0");
        reads_back("PGpg1/5/1g3/5/4P s 99-01 10 4294967295");
    }

    #[test]
    fn faults_have_their_place() {
        refused("5/5/5/5/5", SetupFault::Fields { found: 1, expected: 5 }, "5/5/5/5/5");
        let rows = RowsFault::Rows { found: 2, expected: 5 };
        refused("5/5 n 53-53 - 0", SetupFault::Rows(rows), "5/5");
        let row = RowsFault::Row { row: 2, width: 6, expected: 5 };
        refused("5/5P/5/5/5 n 53-53 - 0", SetupFault::Rows(row), "5P");
        refused("5/32/5/5/5 n 53-53 - 0", SetupFault::Rows(RowsFault::Run { most: 5 }), "32");
        refused("5/2a2/5/5/5 n 53-53 - 0", SetupFault::Rows(RowsFault::Piece), "a");
        refused("5/5/5/5/5 N 53-53 - 0", SetupFault::Turn, "N");
        for hands in ["53", "53-5", "053-53", "5-3-53", "53-5a", "53+53", "53-5ñ", ""] {
            refused(&format!("5/5/5/5/5 n {hands} - 0"), SetupFault::Field("hands"), hands);
        }
        for countdown in ["--", "010", "4294967296", "x", ""] {
            refused(&format!("5/5/5/5/5 n 00-00 {countdown} 16"), SetupFault::Field("countdown"), countdown);
        }
        refused("5/5/5/5/5 n 53-53 - 4294967296", SetupFault::Number, "4294967296");
        refused("5/5/5/5/5 n 53-53 - 00", SetupFault::Number, "00");
        refused("5/5/5/5/5 n 53-53 - -", SetupFault::Number, "-");
    }

    #[test]
    fn indices_name_their_fields() {
        let text = "5/5/5/5/5 n 53-53 - 0";
        let field = |number| &text[grammar::field_span(text, number).range()];
        assert_eq!([field(Setup::HANDS), field(Setup::COUNTDOWN)], ["53-53", "-"]);
    }
}
