//! The formats of records, and detection of the format of a source.

use super::{BOM, csv, read_buffer::is_cut_mark, text::is_space};

/// A format that records are read from.
///
/// The format of a source is detected from its beginning, after a byte order mark and white space:
///
/// - `[`, letters or hyphens, `:` is that of `OpenTafl`;
/// - `{`, then a string and `:`, or `{}`, is a JSON object;
/// - `[` and then the same is a JSON array of records, and `[]` alone an empty one;
/// - a tag `#Name`, a known tag name beside its value, or a header that begins with `n` or a side, after a title or not, is a
///   scoresheet in CSV, with commas, semicolons or tabs;
/// - anything else, or anything undecided after 64 KiB, is quipu's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// quipu's own text, modelled on PGN.
    Quipu,
    /// One object a record: one a line (NDJSON), one after another, or in one array.
    Json,
    /// Scoresheets typed into a spreadsheet.
    Csv,
    /// The text of `OpenTafl`, a program for games of the tafl family; a file is one record.
    Otg,
}

impl Format {
    /// All.
    pub const ALL: [Self; 4] = [Self::Quipu, Self::Json, Self::Csv, Self::Otg];

    /// Its name, which is also the ending of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quipu => "quipu",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Otg => "otg",
        }
    }

    /// The format of files with this ending, in lower case. Workbooks are read as scoresheets, one for each sheet.
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending {
            "tsv" | "xlsx" | "ods" => Some(Self::Csv),
            _ => Self::parse(ending),
        }
    }

    /// True for formats whose files hold nothing else than records, as a rule: they are read from folders unasked.
    pub const fn is_read_from_folders(self) -> bool {
        matches!(self, Self::Quipu | Self::Csv)
    }

    /// The format with this name. Files written as `ndjson` are read as `json`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = if name == "ndjson" { "json" } else { name };
        Self::ALL.into_iter().find(|form| form.as_str() == name)
    }
}

/// Bytes to look at before the format is taken to be quipu's own.
const ENOUGH: usize = 64 * 1024;

/// Lines of a title at the most.
const TITLES: usize = 20;

/// The format of a source with this beginning; nothing if more bytes are needed to decide.
pub(super) fn find(beginning: &[u8], ended: bool) -> Option<Format> {
    let enough = beginning.get(..ENOUGH);
    Beginning { rest: enough.unwrap_or(beginning), ended: ended || enough.is_some() }.form()
}

/// The unread part of the beginning of a source. A look beyond it returns nothing.
struct Beginning<'a> {
    rest: &'a [u8],
    ended: bool,
}

/// Marks the end of the source; no format begins with it.
const END: u8 = 0;

impl Beginning<'_> {
    fn form(mut self) -> Option<Format> {
        if !self.ended && is_cut_mark(self.rest) {
            return None;
        }
        self.rest = self.rest.strip_prefix(BOM).unwrap_or(self.rest);
        match self.skip(is_space)? {
            b'[' => self.in_bracket(),
            b'{' => self.in_brace(),
            _ => self.in_lines(),
        }
    }

    /// Looks for a line of a scoresheet behind a title of a few lines.
    fn in_lines(&mut self) -> Option<Format> {
        for _ in 0..TITLES {
            match csv::Kind::of(self.rest, self.ended)? {
                csv::Kind::Tag | csv::Kind::Closing | csv::Kind::Header => return Some(Format::Csv),
                csv::Kind::Row => {}
            }
            let is_title = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == b'"';
            if !self.rest.first().is_some_and(is_title) {
                break;
            }
            if self.skip(|byte| byte != b'\n')? == END {
                break;
            }
            // A cell that is empty may stand before a title.
            self.skip(|byte| is_space(byte) || csv::DELIMITERS.contains(&byte))?;
        }
        Some(Format::Quipu)
    }

    /// Skips bytes and returns the one behind them.
    fn skip(&mut self, mut skipped: impl FnMut(u8) -> bool) -> Option<u8> {
        let count = self.rest.iter().take_while(|&&byte| skipped(byte)).count();
        self.rest = &self.rest[count..];
        self.rest.first().copied().or(self.ended.then_some(END))
    }

    /// Passes the byte that [`Self::skip`] returned.
    fn pass(&mut self) -> &mut Self {
        self.rest = &self.rest[1..];
        self
    }

    fn in_bracket(&mut self) -> Option<Format> {
        let inside = self.pass().rest;
        if self.skip(|byte| byte.is_ascii_alphabetic() || byte == b'-')? == b':' && self.rest.len() < inside.len() {
            return Some(Format::Otg);
        }
        self.rest = inside;
        match self.skip(is_space)? {
            b'{' => self.in_brace(),
            b']' if self.pass().skip(is_space)? == END && self.rest.is_empty() => Some(Format::Json),
            _ => Some(Format::Quipu),
        }
    }

    fn in_brace(&mut self) -> Option<Format> {
        let is_object = match self.pass().skip(is_space)? {
            b'}' => true,
            b'"' => {
                let mut escaped = false;
                let is_name = self.pass().skip(|byte| {
                    let inside = byte != b'\n' && (escaped || byte != b'"');
                    escaped = byte == b'\\' && !escaped;
                    inside
                });
                is_name? == b'"' && self.pass().skip(is_space)? == b':'
            }
            _ => false,
        };
        Some(if is_object { Format::Json } else { Format::Quipu })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the format of a source of these bytes. Any prefix gives the same format or none.
    #[track_caller]
    fn check(beginning: impl AsRef<[u8]>, expected: Format) {
        let beginning = beginning.as_ref();
        assert_eq!(find(beginning, true), Some(expected), "{}", beginning.escape_ascii());
        for length in 0..beginning.len() {
            let found = find(&beginning[..length], false);
            assert!(found.is_none_or(|found| found == expected), "{}", beginning[..length].escape_ascii());
        }
    }

    #[test]
    fn forms_have_names() {
        for form in Format::ALL {
            assert_eq!(Format::parse(form.as_str()), Some(form));
        }
        assert_eq!(Format::parse("ndjson"), Some(Format::Json));
        assert_eq!(Format::parse("JSON"), None);
    }

    #[test]
    fn text() {
        for beginning in
            ["", " \n", "\u{feff}", "[Game \"andes\"]", "[ Game", "[]\n\n[Game \"andes\"]", "[", "[[{}", "[{ame", "[{"]
        {
            check(beginning, Format::Quipu);
        }
        for beginning in ["{comment}", "{", "{\"so\" he said}", "{\"", "{\"a\n\": ", "{a: \"b\"}", "{{}}", "{1: 2}"] {
            check(beginning, Format::Quipu);
        }
        for beginning in
            ["1. 0d3", "0d3 #", "\"n\"", "\"a\",", "n", "nor,", "; #", "% {", "*", "\u{feff}\u{feff}#", "\\"]
        {
            check(beginning, Format::Quipu);
        }
        check(b"\xff{\"a\": 1}", Format::Quipu);
    }

    #[test]
    fn json() {
        for beginning in
            ["{\"game\":", "{ \"a\" : 1", "{\n\"a \\\" b\\\\\":", "{}", "{ \n}", "[{}", "[ \n {\"x\":", "[]", " [ ]\n"]
        {
            check(beginning, Format::Json);
            check(format!("\u{feff}{beginning}"), Format::Json);
            check(format!("\r\n\t{beginning}"), Format::Json);
        }
    }

    #[test]
    fn csv() {
        for beginning in [
            "#Game: andes",
            "# x",
            "\"#Sol: Quispe, Ana\"",
            "n,sol,luna",
            "N;Sol;Luna",
            "\"n\",",
            "\"N\";",
            "No.\tSol\tLuna",
            "Juego;andes",
            "Planilla de la ronda 3;;;\n;;;\nJuego;andes",
            "Sol,Reloj,Luna,Reloj\n",
        ] {
            check(beginning, Format::Csv);
            check(format!("\u{feff}{beginning}"), Format::Csv);
            check(format!("\n\n{beginning}"), Format::Csv);
        }
    }

    #[test]
    fn otg() {
        check("[event:Cup][date:2026]", Format::Otg);
        check("\n[time-control:x", Format::Otg);
        check("[:x", Format::Quipu);
        check("[a b:", Format::Quipu);
    }

    #[test]
    fn what_is_not_told_early_is_text() {
        let long = [b"{\"".to_vec(), vec![b'x'; ENOUGH], b"\": 1}".to_vec()].concat();
        assert_eq!(find(&long, false), Some(Format::Quipu));
        assert_eq!(find(&vec![b' '; ENOUGH], false), Some(Format::Quipu));
        assert_eq!(find(&vec![b' '; ENOUGH - 1], false), None);
    }
}
