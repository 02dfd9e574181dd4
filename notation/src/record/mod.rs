//! The record of a game: the container that all games share.
//!
//! [`Reader`] cuts a stream into [`Block`]s, [`Block::records`] parses each into [`Record`]s, [`write`] holds the
//! canonical writer. A record is what was *written*; whether it makes sense is the referee's to say.

use std::borrow::Cow;

use crate::{Side, Span, games::GameNotation};

mod error;
pub mod limits;
mod parser;
mod reader;
pub mod write;

pub use error::{Limit, ReadError, ReadErrorKind, SyntaxFault};
pub use parser::Records;
pub use reader::{Block, Reader};

/// The byte order mark that some editors put before a text.
pub(crate) const BOM: &[u8] = "\u{feff}".as_bytes();

/// One game as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record<'a> {
    /// Where it stands in its block.
    pub span: Span,
    /// The tag pairs in the order they were written, each name once.
    pub tags: Vec<Tag<'a>>,
    /// Comments before the first move, then the moves.
    pub line: Line<'a>,
    /// The final token.
    pub result: Option<Written<Outcome>>,
}

/// A tag pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Letters, digits and `_`.
    pub name: Cow<'a, str>,
    /// Anything but line breaks.
    pub value: Cow<'a, str>,
    /// Where the value stands, without its quotes.
    pub span: Span,
}

/// A sequence of moves: the game itself, or a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line<'a> {
    /// Comments before the first move.
    pub comments: Vec<Cow<'a, str>>,
    /// The moves in turn.
    pub plies: Vec<Ply<'a>>,
}

/// One move of one side, with what was written beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply<'a> {
    /// The move token.
    pub token: Cow<'a, str>,
    /// Where the token stands.
    pub span: Span,
    /// The move number before it. Of several, the first that is off, else the last.
    pub number: Option<Written<u64>>,
    /// The mover's remaining time in milliseconds. Of several, the last.
    pub clock: Option<Written<u64>>,
    /// Annotations, comments and variations, if there are any.
    pub notes: Option<Box<Notes<'a>>>,
}

/// What is kept of a ply and not judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes<'a> {
    /// Numbers of the annotations; `!` is 1, `?` 2, `!!` 3, `??` 4, `!?` 5, `?!` 6.
    pub nags: Vec<u32>,
    /// Comments without their clocks.
    pub comments: Vec<Cow<'a, str>>,
    /// What could have been played instead.
    pub variations: Vec<Line<'a>>,
}

/// A value and where it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written<T> {
    /// The value.
    pub value: T,
    /// Its place in the block.
    pub span: Span,
}

/// What a result says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// `1-0` or `0-1`.
    Win(Side),
    /// `1/2-1/2`.
    Draw,
    /// `*`: not over, or not known.
    Open,
}

impl Outcome {
    /// Reads one of the four results.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "1-0" => Some(Self::Win(Side::One)),
            "0-1" => Some(Self::Win(Side::Two)),
            "1/2-1/2" => Some(Self::Draw),
            "*" => Some(Self::Open),
            _ => None,
        }
    }

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Win(Side::One) => "1-0",
            Self::Win(Side::Two) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Open => "*",
        }
    }

    /// Who won.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw | Self::Open => None,
        }
    }
}

impl Record<'_> {
    /// The tag of this name.
    pub fn tag(&self, name: &str) -> Option<&Tag<'_>> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// The value of the tag of this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.tag(name).map(|tag| &*tag.value)
    }

    /// The game its tag `Game` names, if this crate knows it.
    pub fn game(&self) -> Option<&'static GameNotation> {
        self.value("Game").and_then(crate::games::find)
    }

    /// The number that belongs before the ply at `index`: one covers a ply of the side that starts and one of the
    /// other.
    pub const fn expected_number(index: usize) -> u64 {
        index as u64 / 2 + 1
    }
}

/// Remaining times, as comments carry them: `[%clk H:MM:SS.mmm]`.
pub mod clock {
    use nom::{
        Parser,
        bytes::complete::{tag, take_while_m_n},
        character::complete::char,
        combinator::{map_opt, opt},
        sequence::preceded,
    };
    use std::fmt;

    /// Begins a clock inside a comment.
    pub const OPEN: &str = "[%clk ";

    fn digits(least: usize, most: usize) -> impl Fn(&str) -> nom::IResult<&str, u64> {
        move |input| {
            map_opt(take_while_m_n(least, most, |c: char| c.is_ascii_digit()), |text: &str| text.parse().ok())
                .parse(input)
        }
    }

    fn sexagesimal(input: &str) -> nom::IResult<&str, u64> {
        map_opt(digits(2, 2), |number| (number < 60).then_some(number)).parse(input)
    }

    /// Reads a clock at the beginning of `text`: its milliseconds and how many bytes it takes, or nothing.
    pub fn parse(text: &str) -> Option<(u64, usize)> {
        let mut grammar = (
            preceded(tag(OPEN), digits(1, 9)),
            preceded(char(':'), sexagesimal),
            preceded(char(':'), sexagesimal),
            opt(preceded(char('.'), digits(3, 3))),
            char(']'),
        );
        let (rest, (hours, minutes, seconds, millis, _)) = grammar.parse(text).ok()?;
        let millis = ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis.unwrap_or(0);
        Some((millis, text.len() - rest.len()))
    }

    /// Writes milliseconds as `H:MM:SS.mmm`.
    pub fn write(millis: u64, out: &mut impl fmt::Write) -> fmt::Result {
        let (seconds, millis) = (millis / 1000, millis % 1000);
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        let (hours, minutes) = (minutes / 60, minutes % 60);
        write!(out, "{hours}:{minutes:02}:{seconds:02}.{millis:03}")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn forms() {
            assert_eq!(parse("[%clk 0:11:55.120] x"), Some((715_120, 18)));
            assert_eq!(parse("[%clk 0:11:29]"), Some((689_000, 14)));
            assert_eq!(parse("[%clk 999999999:00:00]"), Some((3_599_999_996_400_000, 22)));
            let no_clocks = [
                "[%clk 1:2:3]",
                "[%clk 0:60:00]",
                "[%clk 0:11:29.5]",
                "[%clk 11:29]",
                "[%clk 1000000000:00:00]",
                "[%clk  0:11:29]",
            ];
            for text in no_clocks {
                assert_eq!(parse(text), None, "{text}");
            }
        }
    }
}
