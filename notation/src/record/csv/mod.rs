//! Scoresheets typed into a spreadsheet: lines `#Name: value` for tags, a header, and a row for each pair of plies.

use crate::{Side, games::GameNotation};

use super::Record;

mod parser;
mod scanner;

pub(super) use parser::read;
pub(super) use scanner::Splitter;

/// The column of move numbers.
pub(super) const NUMBER: &str = "n";
/// The suffix of the columns with clocks.
pub(super) const CLOCK: &str = "_clock";

/// The kind of a line, by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `#Name: value`, as it is or in quotes.
    Tag,
    /// It begins with the column of move numbers.
    Header,
    /// Anything else.
    Row,
}

impl Kind {
    /// The kind of a line with this beginning; nothing if more bytes are needed to decide.
    pub(super) fn of(line: &[u8], ended: bool) -> Option<Self> {
        match line {
            [b'#', ..] | [b'"', b'#', ..] => Some(Self::Tag),
            [b'n' | b'N', b',' | b';', ..] | [b'"', b'n' | b'N', b'"', b',' | b';', ..] => Some(Self::Header),
            [] | [b'"' | b'n' | b'N'] | [b'"', b'n' | b'N'] | [b'"', b'n' | b'N', b'"'] if !ended => None,
            _ => Some(Self::Row),
        }
    }
}

/// The side that starts: that of the start position, else that of the tag `First` if the game has it, else that of the
/// rule set.
pub(super) fn starter(record: &Record<'_>, game: &GameNotation) -> Side {
    let in_setup = record.value("Setup").and_then(|setup| game.side_lettered(setup.split(' ').nth(1)?));
    let first = || record.value("First").filter(|_| game.first).and_then(|name| game.side_named(name));
    let second = record.value("Rules").is_some_and(|rules| game.second_starts.contains(&rules));
    in_setup.or_else(first).unwrap_or(if second { Side::Two } else { Side::One })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_by_how_they_begin() {
        let lines = [
            ("#Game: andes", Kind::Tag),
            ("\"#Game: andes\"", Kind::Tag),
            ("n,sol,luna", Kind::Header),
            ("N;sol;luna", Kind::Header),
            ("\"N\",\"sol\"", Kind::Header),
            ("", Kind::Row),
            ("n", Kind::Row),
            ("no,", Kind::Row),
            ("\"n\"", Kind::Row),
            ("1,0d3", Kind::Row),
            (" #", Kind::Row),
            ("\u{feff}#", Kind::Row),
        ];
        for (line, kind) in lines {
            assert_eq!(Kind::of(line.as_bytes(), true), Some(kind), "{line}");
            for length in 0..line.len() {
                assert!(Kind::of(&line.as_bytes()[..length], false).is_none_or(|found| found == kind), "{line}");
            }
        }
    }
}
