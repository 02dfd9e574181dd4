//! Move tokens: `PA3` places, `B2-C2` moves, `B2xC2` captures. Letters of rows and stones are upper case for both sides.

use nom::Parser;

use super::{Kind, Point, SIZE};
use crate::{
    Span,
    games::grammar::{Expected, GrammarFault, one, whole},
};

/// A token that has the form of a move, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveText {
    /// A stone is placed.
    Place {
        /// Its kind.
        kind: Kind,
        /// The destination.
        to: Point,
    },
    /// A stone moves.
    Step {
        /// The origin.
        from: Point,
        /// `x` is written, and not `-`: it captures.
        captures: bool,
        /// The destination.
        to: Point,
    },
}

/// A fault in the form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveTextFault {
    /// The token is empty.
    Empty,
    /// At the beginning a stone `P` or `G`, or a row `A` to `E`, was expected.
    Start,
    /// A row `A` to `E` was expected.
    Row,
    /// A column `1` to `5` was expected.
    Column,
    /// `-` or `x` was expected.
    Sign,
    /// More is written than a move has.
    Rest,
}

fn row(byte: u8) -> Option<usize> {
    byte.checked_sub(b'A').map(usize::from).filter(|&row| row < SIZE)
}

fn column(byte: u8) -> Option<usize> {
    byte.checked_sub(b'1').map(usize::from).filter(|&column| column < SIZE)
}

#[inline]
fn sign(byte: u8) -> Option<bool> {
    match byte {
        b'-' => Some(false),
        b'x' => Some(true),
        _ => None,
    }
}

/// A point; any other beginning than a row is the fault `start`.
fn point<'a>(start: MoveTextFault) -> impl Parser<&'a [u8], Output = Point, Error = Expected<MoveTextFault>> {
    (one(row, start), one(column, MoveTextFault::Column)).map(|(y, x)| Point::at(x, y))
}

impl MoveText {
    /// Parses a token without faults, in a tenth of the time of the grammar. Any other token gives `None`.
    #[inline]
    pub fn plain(token: &[u8]) -> Option<Self> {
        match *token {
            [kind, y, x] => Some(Self::Place { kind: Kind::from_letter(kind)?, to: Point::named(y, x)? }),
            [y, x, mark, to_y, to_x] => {
                Some(Self::Step { from: Point::named(y, x)?, captures: sign(mark)?, to: Point::named(to_y, to_x)? })
            }
            _ => None,
        }
    }

    /// Parses a whole token.
    #[cold]
    pub fn parse(token: &str) -> Result<Self, GrammarFault<MoveTextFault>> {
        use MoveTextFault::{Empty, Rest, Row, Sign, Start};
        let Some(&first) = token.as_bytes().first() else {
            return Err(GrammarFault { kind: Empty, span: Span::default() });
        };
        // No row has the letter of a stone.
        if Kind::from_letter(first).is_some() {
            let (kind, to) = whole(token, (one(Kind::from_letter, Start), point(Row)), Rest)?;
            return Ok(Self::Place { kind, to });
        }
        let (from, captures, to) = whole(token, (point(Start), one(sign, Sign), point(Row)), Rest)?;
        Ok(Self::Step { from, captures, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(token: &str, kind: MoveTextFault, start: usize, end: usize) {
        assert_eq!(MoveText::parse(token), Err(GrammarFault::new(kind, start..end)));
    }

    #[test]
    fn forms() {
        let (b2, c2) = (Point::at(1, 1), Point::at(1, 2));
        assert_eq!(MoveText::parse("PA3"), Ok(MoveText::Place { kind: Kind::Pastor, to: Point::at(2, 0) }));
        assert_eq!(MoveText::parse("GE5"), Ok(MoveText::Place { kind: Kind::Guerrero, to: Point::at(4, 4) }));
        assert_eq!(MoveText::parse("B2-C2"), Ok(MoveText::Step { from: b2, captures: false, to: c2 }));
        assert_eq!(MoveText::parse("C2xB2"), Ok(MoveText::Step { from: c2, captures: true, to: b2 }));
    }

    /// Fast path and grammar agree on every token of up to five characters, those of the grammar and some others.
    #[test]
    fn the_fast_path_agrees_with_the_grammar() {
        let signs = b"AEFPGpa0156-xX";
        let mut tokens = vec![Vec::new()];
        let mut plain = 0;
        for _ in 0..5 {
            tokens = tokens.iter().flat_map(|token| signs.map(|sign| [token.as_slice(), &[sign]].concat())).collect();
            for token in &tokens {
                let token = std::str::from_utf8(token).unwrap();
                let text = MoveText::plain(token.as_bytes());
                assert_eq!(MoveText::parse(token).ok(), text, "{token}");
                plain += usize::from(text.is_some());
            }
        }
        // Two rows and two columns: two kinds are placed on four points, and there are two signs between two of them.
        assert_eq!(plain, 2 * 4 + 4 * 2 * 4);
    }

    #[test]
    fn faults_have_their_place() {
        refused("", MoveTextFault::Empty, 0, 0);
        refused("pA3", MoveTextFault::Start, 0, 1);
        refused("F1-E1", MoveTextFault::Start, 0, 1);
        refused("ñA3", MoveTextFault::Start, 0, 2);
        refused("P", MoveTextFault::Row, 1, 1);
        refused("Pa3", MoveTextFault::Row, 1, 2);
        refused("PP3", MoveTextFault::Row, 1, 2);
        refused("B2-", MoveTextFault::Row, 3, 3);
        refused("B2xc2", MoveTextFault::Row, 3, 4);
        refused("PA", MoveTextFault::Column, 2, 2);
        refused("PA6", MoveTextFault::Column, 2, 3);
        refused("B0-C2", MoveTextFault::Column, 1, 2);
        refused("B2-C٣", MoveTextFault::Column, 4, 6);
        refused("B2", MoveTextFault::Sign, 2, 2);
        refused("B2C2", MoveTextFault::Sign, 2, 3);
        refused("B2X", MoveTextFault::Sign, 2, 3);
        refused("PA3x", MoveTextFault::Rest, 3, 4);
        refused("B2-C2x", MoveTextFault::Rest, 5, 6);
    }
}
