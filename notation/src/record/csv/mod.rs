//! Scoresheets typed into a spreadsheet: lines `#Name: value` for tags, a header, and a row for each pair of plies.

use crate::{Side, games::GameNotation};

use super::Record;

mod parser;
mod scanner;

pub(super) use parser::read;
pub(super) use scanner::Splitter;

/// The column of move numbers.
pub(super) const NUMBER: &str = "n";
/// What follows the name of a side in the name of the column with its clock.
pub(super) const CLOCK: &str = "_clock";

/// What a line is, from how it begins.
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
    /// What a line that begins so is; nothing if more must be read to tell.
    pub(super) fn of(line: &[u8], ended: bool) -> Option<Self> {
        match line {
            [b'#', ..] | [b'"', b'#', ..] => Some(Self::Tag),
            [b'n' | b'N', b',' | b';', ..] | [b'"', b'n' | b'N', b'"', b',' | b';', ..] => Some(Self::Header),
            [] | [b'"' | b'n' | b'N'] | [b'"', b'n' | b'N'] | [b'"', b'n' | b'N', b'"'] if !ended => None,
            _ => Some(Self::Row),
        }
    }
}

/// The side that starts: as the start position says, else the tag `First` where it is heard, else the rule set.
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
