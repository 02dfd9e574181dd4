//! Detection of the format of a source from its beginning.

use super::{BOM, Format, csv, read_buffer::is_cut_mark, text::is_space};
use crate::games::{FOREIGN, ForeignFormat};

/// Bytes after which an undetected format counts as quipu's own.
const ENOUGH: usize = 64 * 1024;

/// Lines of a title, at most.
const TITLES: usize = 20;

/// The format of a source with this beginning; `None` if more bytes are needed to decide.
pub(super) fn find(beginning: &[u8], ended: bool) -> Option<Format> {
    let enough = beginning.get(..ENOUGH);
    Beginning { rest: enough.unwrap_or(beginning), ended: ended || enough.is_some() }.format()
}

/// The unread part of the beginning of a source. Methods return `None` if they need bytes after it.
struct Beginning<'a> {
    rest: &'a [u8],
    ended: bool,
}

/// Marks the end of the source; no format begins with it.
const END: u8 = 0;

impl Beginning<'_> {
    fn format(mut self) -> Option<Format> {
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

    /// Looks for a line of a scoresheet after a title of a few lines.
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
            // Empty cells may stand before a title.
            self.skip(|byte| is_space(byte) || csv::DELIMITERS.contains(&byte))?;
        }
        Some(Format::Quipu)
    }

    /// Skips bytes and returns the next one.
    fn skip(&mut self, mut skipped: impl FnMut(u8) -> bool) -> Option<u8> {
        let count = self.rest.iter().take_while(|&&byte| skipped(byte)).count();
        self.rest = &self.rest[count..];
        self.rest.first().copied().or(self.ended.then_some(END))
    }

    /// Consumes the byte that [`Self::skip`] returned.
    fn pass(&mut self) -> &mut Self {
        self.rest = &self.rest[1..];
        self
    }

    fn in_bracket(&mut self) -> Option<Format> {
        let inside = self.pass().rest;
        if self.skip(|byte| is_of_name(byte) || byte == b'-')? == b':' && self.rest.len() < inside.len() {
            return Some(Format::Otg);
        }
        self.rest = inside;
        match self.skip(is_space)? {
            b'{' => self.in_brace(),
            b']' if self.pass().skip(is_space)? == END && self.rest.is_empty() => Some(Format::Json),
            _ => self.in_tags(),
        }
    }

    /// Looks for tags of another format, of which none is `Game`: one that tells the format, or a site and the first move.
    fn in_tags(&mut self) -> Option<Format> {
        let (mut told, mut of_site) = (None, None);
        loop {
            let name = self.rest;
            self.skip(is_of_name)?;
            let (name, value) = (&name[..name.len() - self.rest.len()], self.rest);
            if name.is_empty() || name == b"Game" {
                return Some(Format::Quipu);
            }
            self.skip(|byte| byte != b'\n')?;
            let value = value[..value.len() - self.rest.len()].trim_ascii();
            let quoted = value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"]"));
            let is_told = |row: &&ForeignFormat| {
                row.tag.is_some_and(|(tag, told)| name == tag.as_bytes() && quoted == Some(told.as_bytes()))
            };
            let is_of_site = |row: &&ForeignFormat| {
                let names = |site: &&str| value.windows(site.len()).any(|part| part == site.as_bytes());
                name == b"Site" && row.sites.iter().any(names)
            };
            told = told.or(FOREIGN.iter().find(is_told));
            of_site = of_site.or(FOREIGN.iter().find(is_of_site));
            if self.skip(is_space)? != b'[' {
                break;
            }
            self.pass().skip(|byte| byte == b' ' || byte == b'\t')?;
        }
        if let Some(row) = told {
            return Some(row.format);
        }
        let number = self.rest.len();
        if of_site.is_none() || self.skip(|byte| byte.is_ascii_digit())? != b'.' || self.rest.len() == number {
            return Some(Format::Quipu);
        }
        self.skip(|byte| byte == b'.')?;
        self.skip(is_space)?;
        let token = self.rest;
        self.skip(|byte| !is_space(byte))?;
        let is_move = is_pgn_move(&token[..token.len() - self.rest.len()]);
        Some(of_site.filter(|_| is_move).map_or(Format::Quipu, |row| row.format))
    }

    fn in_brace(&mut self) -> Option<Format> {
        match self.pass().skip(is_space)? {
            b'}' => return Some(Format::Json),
            b'"' => {}
            _ => return Some(Format::Quipu),
        }
        let mut escaped = false;
        let name = self.pass().rest;
        let is_name = self.skip(|byte| {
            let inside = byte != b'\n' && (escaped || byte != b'"');
            escaped = byte == b'\\' && !escaped;
            inside
        });
        let is_name = is_name? == b'"';
        let name = &name[..name.len() - self.rest.len()];
        if !is_name || self.pass().skip(is_space)? != b':' {
            return Some(Format::Quipu);
        }
        let foreign = FOREIGN.iter().find(|row| row.fields.iter().any(|field| field.as_bytes() == name));
        Some(foreign.map_or(Format::Json, |row| row.format))
    }
}

/// True for a byte of a tag name.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// True for a move of squares alone, `d2e2` or `h10h8`.
fn is_pgn_move(token: &[u8]) -> bool {
    let square = |text: &[u8]| {
        let digits = text.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
        let is_square = text.first().is_some_and(u8::is_ascii_lowercase) && (1..=2).contains(&digits);
        is_square.then_some(1 + digits)
    };
    let second = square(token).and_then(|from| token.get(from..));
    second.is_some_and(|second| square(second) == Some(second.len()))
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
        check("[quipu-Hnefatafl_id:5]", Format::Otg);
        check("[quipu-Añe1:x]", Format::Otg);
        check("[:x", Format::Quipu);
        check("[a b:", Format::Quipu);
    }

    #[test]
    fn hnefatafl() {
        for beginning in ["{\"attackers\":", "{ \"id\" : 1", "[\n{\"dim\":7", "{\"rated\":true"] {
            check(beginning, Format::Hnefatafl);
        }
        check("{\"moves\":", Format::Json);
        check("{\"Attackers\":", Format::Json);
    }

    #[test]
    fn pgn() {
        let tags = "[Event \"Game 7\"]\n[Site \"hnefatafl.org\"]\n";
        check(format!("{tags}\n1. d2e2 c4c5"), Format::Pgn);
        check(format!("\n{tags}\r\n\n12... h10k10"), Format::Pgn);
        check(format!("{tags}\n1.d2e2"), Format::Pgn);
        check("[Año \"x\"]\n[Site \"https://playtafl.example\"]\n\n1. d2e2", Format::Pgn);
        check("[Variant \"brandubh\"]\n[Rules \"base\"]\n\n1. d2e2", Format::Pgn);
        check("[Rules \"base\"]\n[Variant \"brandubh\"]", Format::Pgn);
        // Nothing in these tells the game.
        for tags in
            ["[Event \"playtafl\"]", "[Site \"Cusco\"]", "[Rules \"base\"]", "[Variant \"tafl\"]", "[Variant brandubh]"]
        {
            check(format!("{tags}\n\n1. d2e2 c4c5"), Format::Quipu);
        }
        check("[Variant \"brandubh\"]\n[Game \"brandubh\"]\n\n1. d2-e2", Format::Quipu);
        for rest in
            ["", "\n", "\n1. d2-e2", "\n1. d2", "\n1 d2e2", "\n. d2e2", "\n*", "[Game \"brandubh\"]\n\n1. d2e2", "{x}"]
        {
            check(format!("{tags}{rest}"), Format::Quipu);
        }
        check("[ Game \"x\"]\n1. d2e2", Format::Quipu);
        check("[\"x\"]\n1. d2e2", Format::Quipu);
    }

    #[test]
    fn an_undetected_format_is_text() {
        let long = [b"{\"".to_vec(), vec![b'x'; ENOUGH], b"\": 1}".to_vec()].concat();
        assert_eq!(find(&long, false), Some(Format::Quipu));
        assert_eq!(find(&vec![b' '; ENOUGH], false), Some(Format::Quipu));
        assert_eq!(find(&vec![b' '; ENOUGH - 1], false), None);
    }
}
