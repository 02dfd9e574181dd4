//! Scoresheets typed into a spreadsheet: lines `#Name: value` for tags, a header, and a row for each pair of plies.

use crate::{Side, games::GameNotation};

use super::{Record, Tag, text::is_blank};

mod cells;
mod damage;
mod names;
mod parser;
mod remark;
mod scanner;
mod table;

pub use damage::clock_readings;
#[cfg(feature = "spreadsheets")]
pub(super) use damage::may_be_changed;
pub(super) use damage::needs_mark;
pub use names::{is_shared_tag, plain_name, tag_named, tag_names, termination_named};
#[cfg(feature = "spreadsheets")]
pub(super) use names::{label, survives, terminations};
pub(super) use parser::{faults, read};
pub(super) use scanner::Splitter;

/// The column of move numbers, as it is written.
pub(super) const NUMBER: &str = "n";
/// The end of the name of a column with clocks, as it is written.
pub(super) const CLOCK: &str = "_clock";

/// Bytes that may stand between cells.
pub(super) const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// True for a byte that may stand between cells.
const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'\t')
}

/// The kind of a line, by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A tag: `#Name: value`, a known name and its value, in one cell or in two, or any name with a colon and its value.
    Tag,
    /// A tag that may also follow the moves, such as the result.
    Closing,
    /// It begins with the column of move numbers, or names both sides of a game.
    Header,
    /// Anything else.
    Row,
}

impl Kind {
    /// Bytes of a header that begins with the name of a side.
    const LINE: usize = 1024;

    /// The kind of a line with this beginning; `None` if more bytes are needed to decide.
    pub(super) fn of(line: &[u8], ended: bool) -> Option<Self> {
        // A sheet may begin in its second column.
        let lead = line.iter().take(names::MAX_NAME).take_while(|byte| is_delimiter(**byte)).count();
        let line = &line[lead..];
        let unquoted = line.strip_prefix(b"\"").unwrap_or(line);
        let Some(&first) = unquoted.first() else { return ended.then_some(Self::Row) };
        if first != b'#' && !first.is_ascii_alphabetic() && first < 0x80 {
            return Some(Self::Row);
        }
        let quoted = unquoted.len() < line.len();
        let bound = &unquoted[..unquoted.len().min(names::MAX_NAME)];
        let is_end = |byte: &u8| if quoted { *byte == b'"' } else { is_delimiter(*byte) || *byte == b'\n' };
        let end = bound.iter().position(is_end);
        if end.is_none() && !ended && bound.len() < names::MAX_NAME {
            return None;
        }
        let cell = &bound[..end.unwrap_or(bound.len())];
        let behind = match end {
            Some(end) => &unquoted[end + usize::from(quoted)..],
            None => &[],
        };
        if quoted && end.is_some() && behind.is_empty() && !ended {
            return None;
        }
        let has_next = behind.first().is_some_and(|&byte| is_delimiter(byte));
        let text = String::from_utf8_lossy(cell);
        let named = text.strip_prefix('#');
        if named.map(str::trim) == Some("") && has_next {
            return Self::of_sign(behind, ended);
        }
        let (name, in_cell) = match named.unwrap_or(&text).split_once(':') {
            Some((name, value)) => (name, !value.trim().is_empty()),
            None => (named.unwrap_or(&text), false),
        };
        let known = names::tag_named(name).filter(|_| named.is_some() || in_cell || has_next);
        let is_labelled = has_next && text.len() > 1 && text.trim_end().ends_with(':');
        if named.is_some() {
            return Some(Self::Tag);
        }
        if known.is_some_and(names::is_closing) {
            return Some(Self::Closing);
        }
        if is_labelled {
            return Some(Self::Tag);
        }
        if !has_next {
            return Some(if known.is_some() { Self::Tag } else { Self::Row });
        }
        let plain = names::plain_name(&text);
        if names::is_number(&plain) {
            return Some(Self::Header);
        }
        match names::side(&names::bare_side(&plain)) {
            Some((_, other)) => Self::of_side(behind, other, ended),
            None => Some(if known.is_some() { Self::Tag } else { Self::Row }),
        }
    }

    /// The kind of a line whose first cell is `#`: the column of move numbers, unless a tab after it is white space before
    /// the name of a tag.
    fn of_sign(behind: &[u8], ended: bool) -> Option<Self> {
        if behind.first() != Some(&b'\t') {
            return Some(Self::Header);
        }
        let line = Self::rest(behind, ended)?;
        let colon = line.iter().position(|&byte| byte == b':');
        let is_name = |name: &[u8]| str::from_utf8(name).is_ok_and(|name| Tag::is_name(name.trim_matches(is_blank)));
        Some(if colon.is_some_and(|colon| is_name(&line[..colon])) { Self::Tag } else { Self::Header })
    }

    /// The kind of a line whose first cell names a side: with the `other` in it, it is a header.
    fn of_side(behind: &[u8], other: &str, ended: bool) -> Option<Self> {
        let line = Self::rest(behind, ended)?;
        let mut quoted = false;
        let cells = line.split(|&byte| {
            quoted ^= byte == b'"';
            !quoted && byte == behind[0]
        });
        let names = cells.map(|cell| names::plain_name(&String::from_utf8_lossy(cell).replace('"', "")));
        let filled: Vec<_> = names.filter(|name| !name.is_empty()).collect();
        Some(match &filled[..] {
            names if names.iter().any(|name| names::bare_side(name) == other) => Self::Header,
            [_] => Self::Tag,
            _ => Self::Row,
        })
    }

    /// The relevant rest of a line; `None` if more bytes are needed.
    fn rest(behind: &[u8], ended: bool) -> Option<&[u8]> {
        let bound = &behind[..behind.len().min(Self::LINE)];
        let end = bound.iter().position(|&byte| byte == b'\n');
        if end.is_none() && !ended && bound.len() < Self::LINE {
            return None;
        }
        Some(bound[..end.unwrap_or(bound.len())].trim_ascii_end())
    }
}

/// True if a text has a line that only scoresheets have.
#[cfg(feature = "spreadsheets")]
pub(super) fn is_scoresheet(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| Kind::of(line, true).is_some_and(|kind| kind != Kind::Row))
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
            ("#Juego;andes", Kind::Tag),
            ("#Ñandú", Kind::Tag),
            ("Evento;Copa", Kind::Tag),
            ("Evento: Copa", Kind::Tag),
            ("Árbitro:;Pérez", Kind::Tag),
            ("\"Fecha:\",2026", Kind::Tag),
            ("Sol;Quispe", Kind::Tag),
            ("#Result: 1-0", Kind::Tag),
            ("Result: 1-0", Kind::Closing),
            ("Resultado\t1-0", Kind::Closing),
            ("Sol,\"Quispe, Ana\",,", Kind::Tag),
            ("Sol;Quispe, Ana;;", Kind::Tag),
            ("#\tSol\tLuna", Kind::Header),
            ("# \tSol\tLuna", Kind::Header),
            ("#\tÑandú_7\t:x", Kind::Tag),
            (";Juego;andes", Kind::Tag),
            ("\t\"n\"\tsol", Kind::Header),
            ("n,sol,luna", Kind::Header),
            ("N;sol;luna", Kind::Header),
            ("\"N\",\"sol\"", Kind::Header),
            ("No.\tsol", Kind::Header),
            ("N°;sol", Kind::Header),
            ("#;sol;luna", Kind::Header),
            ("\"#\",sol", Kind::Header),
            ("Jugada;Sol;Luna", Kind::Header),
            ("Sol;Reloj;\"Luna\";Reloj\n", Kind::Header),
            ("Jugada Sol;Jugada de Luna\n", Kind::Header),
            ("Jugador Sol;Quispe, Ana", Kind::Tag),
            ("Partida;2", Kind::Tag),
            ("Ciudad,Cusco", Kind::Tag),
            ("Final;Tiempo", Kind::Closing),
            ("Árbitro;Pérez", Kind::Row),
            ("", Kind::Row),
            (",,", Kind::Row),
            (",2A3", Kind::Row),
            ("n", Kind::Row),
            ("nor,", Kind::Row),
            ("\"n\"", Kind::Row),
            ("1,0d3", Kind::Row),
            (" #", Kind::Row),
            ("\u{feff}#", Kind::Row),
            ("Sol;a;b", Kind::Row),
            ("d2-e2,e2-e3", Kind::Row),
            ("Evento", Kind::Row),
            ("Copa del Cusco;;", Kind::Row),
        ];
        for (line, kind) in lines {
            assert_eq!(Kind::of(line.as_bytes(), true), Some(kind), "{line}");
            for length in 0..line.len() {
                assert!(Kind::of(&line.as_bytes()[..length], false).is_none_or(|found| found == kind), "{line}");
            }
        }
    }
}
