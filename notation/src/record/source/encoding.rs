//! Text in other encodings than UTF-8. Invalid bytes are never replaced: they stay invalid in UTF-8, so that the record that
//! contains them is unreadable at their place.

/// An encoding of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Utf8,
    Utf16 {
        big: bool,
    },
    Windows1252,
    #[cfg(feature = "spreadsheets")]
    Other(&'static encoding_rs::Encoding),
}

/// Characters of the bytes 0x80 to 0x9f in Windows-1252; a space where there is none.
const WINDOWS_1252: [char; 32] = [
    '€', ' ', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', ' ', 'Ž', ' ', ' ', '‘', '’', '“', '”', '•', '–',
    '—', '˜', '™', 'š', '›', 'œ', ' ', 'ž', 'Ÿ',
];

/// The letter that a byte is in Windows-1252, if it is one.
pub(super) fn letter(byte: u8) -> Option<char> {
    match byte {
        0x80..=0x9f => Some(WINDOWS_1252[usize::from(byte - 0x80)]).filter(|letter| *letter != ' '),
        _ => Some(char::from(byte)),
    }
}

/// Bytes as Windows-1252, with U+FFFD where it has no letter.
pub fn as_windows_1252(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| letter(*byte).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The byte of a letter in Windows-1252; unused bytes are control characters.
#[cfg(feature = "spreadsheets")]
fn byte(letter: char) -> Option<u8> {
    let special = WINDOWS_1252.iter().position(|other| *other == letter && letter != ' ');
    match (special, u8::try_from(u32::from(letter))) {
        (Some(index), _) => u8::try_from(0x80 + index).ok(),
        (None, Ok(byte)) if !(0x80..=0x9f).contains(&byte) || WINDOWS_1252[usize::from(byte - 0x80)] == ' ' => {
            Some(byte)
        }
        _ => None,
    }
}

/// Restores UTF-8 with a byte order mark that a spreadsheet has read as Windows-1252: it begins with `ï»¿`. The mark
/// reveals the original encoding, so the letters are known.
#[cfg(feature = "spreadsheets")]
pub(super) fn misread(text: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(text).ok().filter(|text| text.trim_start().starts_with("ï»¿"))?;
    let bytes: Vec<u8> = text.chars().map(byte).collect::<Option<_>>()?;
    str::from_utf8(&bytes).is_ok().then_some(bytes)
}

impl Encoding {
    /// The names of encodings that the help lists; others that web browsers know are accepted too.
    pub const NAMES: [&'static str; 5] = ["utf-8", "utf-16le", "utf-16be", "windows-1252", "latin-1"];

    /// The encoding of this name, in any case.
    pub fn find(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let known = match name.as_str() {
            "utf-8" | "utf8" => Some(Kind::Utf8),
            "utf-16" | "utf16" | "utf-16le" | "utf16le" => Some(Kind::Utf16 { big: false }),
            "utf-16be" | "utf16be" => Some(Kind::Utf16 { big: true }),
            // As in browsers, Latin-1 is read as Windows-1252, which has letters in place of control characters.
            "windows-1252" | "cp1252" | "1252" | "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "ascii" => {
                Some(Kind::Windows1252)
            }
            _ => None,
        };
        known.or_else(|| other(&name)).map(Self)
    }
}

#[cfg(feature = "spreadsheets")]
fn other(name: &str) -> Option<Kind> {
    encoding_rs::Encoding::for_label_no_replacement(name.as_bytes()).map(Kind::Other)
}

#[cfg(not(feature = "spreadsheets"))]
const fn other(_: &str) -> Option<Kind> {
    None
}

/// Converts a stream of bytes to UTF-8.
///
/// An encoding that was told applies only to text that is not UTF-8, so the text is read as UTF-8 up to the first byte that
/// is not. If it was ASCII up to there, the encoding applies from there on. If not, the text is a mixture, which nobody can
/// decode: it stays as it is, and the byte is reported.
#[derive(Debug)]
pub(in crate::record) struct Decoder {
    kind: Kind,
    /// The encoding does not apply yet.
    trial: Option<Trial>,
    /// The first byte of a UTF-16 code unit that is not complete yet.
    begun: Option<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    #[cfg(feature = "spreadsheets")]
    other: Option<Box<encoding_rs::Decoder>>,
}

/// Text that is UTF-8 so far.
#[derive(Debug, Default)]
struct Trial {
    /// The bytes of a character that is not complete yet.
    begun: Vec<u8>,
    /// It has letters outside ASCII.
    has_letters: bool,
}

impl Kind {
    /// True for an encoding in which ASCII is written as itself. In the others no text that looks like ASCII is ASCII.
    fn contains_ascii(self) -> bool {
        match self {
            Self::Utf8 | Self::Utf16 { .. } => false,
            Self::Windows1252 => true,
            #[cfg(feature = "spreadsheets")]
            Self::Other(encoding) => encoding.is_ascii_compatible(),
        }
    }
}

impl Decoder {
    /// The decoder of a text that begins with `head`. A byte order mark takes precedence over the encoding that was `told`,
    /// and so does text that is UTF-8.
    pub(super) fn of(head: &[u8], told: Option<Encoding>) -> Self {
        let kind = match head {
            [0xff, 0xfe, ..] => Kind::Utf16 { big: false },
            [0xfe, 0xff, ..] => Kind::Utf16 { big: true },
            [0xef, 0xbb, 0xbf, ..] => Kind::Utf8,
            _ => told.map_or(Kind::Utf8, |encoding| encoding.0),
        };
        Self {
            kind,
            trial: kind.contains_ascii().then(Trial::default),
            begun: None,
            high: None,
            #[cfg(feature = "spreadsheets")]
            other: match kind {
                Kind::Other(encoding) => Some(Box::new(encoding.new_decoder_without_bom_handling())),
                _ => None,
            },
        }
    }

    /// True if the input is UTF-8 already.
    pub(super) fn is_utf8(&self) -> bool {
        self.kind == Kind::Utf8
    }

    /// Decodes the next bytes; `ended` is true for the last ones.
    pub(super) fn decode(&mut self, bytes: &[u8], ended: bool, out: &mut Vec<u8>) {
        if let Some(trial) = self.trial.take() {
            return self.attempt(trial, bytes, ended, out);
        }
        match self.kind {
            Kind::Utf8 => out.extend_from_slice(bytes),
            Kind::Windows1252 => {
                for &byte in bytes {
                    match letter(byte) {
                        Some(letter) => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
                        None => out.push(byte),
                    }
                }
            }
            Kind::Utf16 { big } => self.utf16(bytes, big, ended, out),
            #[cfg(feature = "spreadsheets")]
            Kind::Other(_) => self.others(bytes, ended, out),
        }
    }

    /// Passes UTF-8 on, and decides at the first byte that is not.
    fn attempt(&mut self, mut trial: Trial, bytes: &[u8], ended: bool, out: &mut Vec<u8>) {
        let joined = [&trial.begun, bytes].concat();
        let (valid, is_cut) = match str::from_utf8(&joined) {
            Ok(text) => (text.len(), true),
            Err(error) => (error.valid_up_to(), error.error_len().is_none() && !ended),
        };
        let (valid, rest) = joined.split_at(valid);
        out.extend_from_slice(valid);
        trial.has_letters |= !valid.is_ascii();
        if is_cut {
            trial.begun = rest.to_vec();
            self.trial = Some(trial);
            return;
        }
        if trial.has_letters {
            self.kind = Kind::Utf8;
        }
        self.decode(rest, ended, out);
    }

    fn utf16(&mut self, bytes: &[u8], big: bool, ended: bool, out: &mut Vec<u8>) {
        for &byte in bytes {
            let Some(first) = self.begun.take() else {
                self.begun = Some(byte);
                continue;
            };
            let unit = if big { u16::from_be_bytes([first, byte]) } else { u16::from_le_bytes([first, byte]) };
            self.unit(unit, out);
        }
        if ended {
            self.flush(out);
            // Half a code unit becomes an invalid byte.
            out.extend(self.begun.take().map(|_| 0xff));
        }
    }

    fn unit(&mut self, unit: u16, out: &mut Vec<u8>) {
        if let Some(high) = self.high {
            if let Some(Ok(character)) = char::decode_utf16([high, unit]).next() {
                self.high = None;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return;
            }
            self.flush(out);
        }
        match char::from_u32(u32::from(unit)) {
            Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.high = Some(unit),
        }
    }

    /// Half a surrogate pair becomes an invalid byte: its first byte, which is not UTF-8 either.
    fn flush(&mut self, out: &mut Vec<u8>) {
        out.extend(self.high.take().map(|high| high.to_be_bytes()[0] | 0xc0).filter(|byte| !byte.is_ascii()));
    }

    #[cfg(feature = "spreadsheets")]
    fn others(&mut self, bytes: &[u8], ended: bool, out: &mut Vec<u8>) {
        // A decoder that has ended must not be called again.
        let Some(mut decoder) = self.other.take() else { return };
        let mut rest = bytes;
        loop {
            // There is room for everything, so the output is never full.
            let most = decoder.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or(4 * rest.len() + 16);
            let start = out.len();
            out.resize(start + most, 0);
            let (result, read, written) = decoder.decode_to_utf8_without_replacement(rest, &mut out[start..], ended);
            out.truncate(start + written);
            rest = &rest[read..];
            match result {
                encoding_rs::DecoderResult::Malformed(..) => out.push(0xff),
                encoding_rs::DecoderResult::InputEmpty => break,
                encoding_rs::DecoderResult::OutputFull => {}
            }
        }
        self.other = Some(decoder).filter(|_| !ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In whatever pieces it comes, the text is the same.
    #[track_caller]
    fn check(name: Option<&str>, bytes: &[u8], expected: &[u8]) {
        for size in 1..=bytes.len().max(1) {
            let mut decoder = Decoder::of(bytes, name.map(|name| Encoding::find(name).expect("it is known")));
            let mut out = Vec::new();
            bytes.chunks(size).for_each(|piece| decoder.decode(piece, false, &mut out));
            decoder.decode(&[], true, &mut out);
            assert_eq!(out.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{size}");
        }
    }

    #[test]
    fn encodings() {
        check(Some("windows-1252"), b"Mu\xf1oz \x80 \x93x\x94", "Muñoz € “x”".as_bytes());
        check(Some("Latin-1"), b"\xe1", "á".as_bytes());
        check(None, b"\xff\xfeM\0u\0\xf1\0=\xd8\0\xde", "\u{feff}Muñ😀".as_bytes());
        check(None, b"\xfe\xff\0M\xd8=\xde\0", "\u{feff}M😀".as_bytes());
        check(Some("utf-16le"), b"M\0", b"M");
        // A mark says more than what was told.
        check(Some("windows-1252"), "\u{feff}ñ".as_bytes(), "\u{feff}ñ".as_bytes());
        check(Some("windows-1252"), b"\xff\xfeM\0", "\u{feff}M".as_bytes());
    }

    #[test]
    fn text_in_utf_8_stays_so_whatever_encoding_was_told() {
        for name in ["windows-1252", "latin-1"] {
            check(Some(name), "Toconás Vilte €".as_bytes(), "Toconás Vilte €".as_bytes());
            check(Some(name), b"plain", b"plain");
            check(Some(name), b"Tocon\xe1", "Toconá".as_bytes());
            check(Some(name), b"a\xc3", "aÃ".as_bytes());
            check(Some(name), b"a\xe1\xe9 \xc3\xb1", "aáé Ã±".as_bytes());
            // A mixture: nothing says which letters are wrong.
            check(Some(name), b"\xc3\xb1 a\xf1o \xc3\xb1", b"\xc3\xb1 a\xf1o \xc3\xb1");
            check(Some(name), b"\xc3\xb1 a\xc3", b"\xc3\xb1 a\xc3");
        }
    }

    #[test]
    fn bytes_outside_an_encoding_stay_as_they_are() {
        check(Some("windows-1252"), b"a\x81b", b"a\x81b");
        check(None, b"\xff\xfe\x3d\xd8M\0", b"\xef\xbb\xbf\xd8M");
        check(None, b"\xff\xfeM\0M", b"\xef\xbb\xbfM\xff");
    }

    #[cfg(feature = "spreadsheets")]
    #[test]
    fn encodings_of_other_scripts() {
        check(Some("koi8-r"), b"\xed\xc9\xd2", "Мир".as_bytes());
        check(Some("shift_jis"), b"\x83\x5c!", "ソ!".as_bytes());
        check(Some("shift_jis"), b"\xfd!", b"\xff!");
        check(Some("koi8-r"), "Мир".as_bytes(), "Мир".as_bytes());
        // ASCII means something else here.
        check(Some("iso-2022-jp"), b"\x1b$B%=\x1b(B!", "ソ!".as_bytes());
        check(Some("iso-2022-jp"), b"\x1b$B%", b"\xff");
        assert_eq!(Encoding::find("klingon"), None);
    }

    #[cfg(feature = "spreadsheets")]
    #[test]
    fn marked_text_that_was_read_as_windows_1252_is_read_again() {
        for text in ["\u{feff}#Sol: Muñoz – “Ñ” €\u{201d}", "\u{feff}Á\tÝ\n"] {
            assert_eq!(misread(as_windows_1252(text.as_bytes()).as_bytes()), None, "it has bytes that are no letters");
            let read: String = text.bytes().map(|byte| letter(byte).unwrap_or(char::from(byte))).collect();
            assert_eq!(misread(read.as_bytes()).as_deref(), Some(text.as_bytes()));
        }
        assert_eq!(misread("ï»¿ñ".as_bytes()), None);
        assert_eq!(misread("Ã¡".as_bytes()), None);
        assert_eq!(misread("ï»¿Ω".as_bytes()), None);
    }

    #[test]
    fn listed_encodings_are_known() {
        assert!(Encoding::NAMES.iter().all(|name| Encoding::find(name).is_some()));
    }
}
