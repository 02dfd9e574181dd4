//! Recognizes files that are not text by their first bytes (magic numbers).

/// A kind of file that holds no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind(&'static str);

impl FileKind {
    /// Its key in the message catalogue, such as `file.jpeg`.
    pub const fn word(self) -> &'static str {
        self.0
    }
}

/// The reason that a source, or a part of it, cannot be read at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceRefusal {
    /// It is another kind of file.
    FileKind(FileKind),
    /// A compressed file or a workbook with damaged content; the catalogue key of its kind.
    Broken(&'static str),
    /// A compressed file or a workbook that exceeds the limits; the catalogue key of its kind.
    Large(&'static str),
    /// A compressed file or a workbook, in a build without support for it; the catalogue key of its kind.
    NotBuilt(&'static str),
    /// A zip without any file that can hold records.
    Empty,
    /// A compressed file inside another compressed file; the catalogue key of its kind.
    Nested(&'static str),
}

/// A compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    /// A zip; workbooks are zip files too.
    Zip,
}

impl Compression {
    /// Its key in the message catalogue.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "file.gzip",
            Self::Zstd => "file.zstd",
            Self::Zip => "file.zip",
        }
    }
}

/// The compression format of a file with this beginning.
pub(super) fn compression(head: &[u8]) -> Option<Compression> {
    match head {
        [0x1f, 0x8b, 8, ..] => Some(Compression::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Compression::Zip),
        _ => None,
    }
}

/// Kinds of files: catalogue key, offset of the magic number, and the magic number.
const MAGIC_NUMBERS: &[(&str, usize, &[u8])] = &[
    ("file.jpeg", 0, b"\xff\xd8\xff"),
    ("file.png", 0, b"\x89PNG\r\n\x1a\n"),
    ("file.gif", 0, b"GIF87a"),
    ("file.gif", 0, b"GIF89a"),
    ("file.webp", 8, b"WEBPVP8"),
    ("file.tiff", 0, b"II*\0"),
    ("file.tiff", 0, b"MM\0*"),
    ("file.heic", 4, b"ftypheic"),
    ("file.heic", 4, b"ftypheix"),
    ("file.heic", 4, b"ftypmif1"),
    ("file.video", 4, b"ftyp"),
    ("file.pdf", 0, b"%PDF-"),
    ("file.old-office", 0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("file.rtf", 0, b"{\\rtf"),
    ("file.sqlite", 0, b"SQLite format 3\0"),
    ("file.program", 0, b"\x7fELF"),
    ("file.program", 0, b"MZ\x90\0"),
    ("file.program", 0, b"\xcf\xfa\xed\xfe"),
    ("file.program", 0, b"\xca\xfe\xba\xbe"),
    ("file.rar", 0, b"Rar!\x1a\x07"),
    ("file.7z", 0, b"7z\xbc\xaf\x27\x1c"),
    ("file.xz", 0, b"\xfd7zXZ\0"),
    ("file.bzip2", 0, b"BZh91AY&SY"),
    ("file.audio", 0, b"OggS\0"),
    ("file.audio", 0, b"ID3\x03\0"),
    ("file.audio", 0, b"ID3\x04\0"),
];

impl FileKind {
    /// The kind of a file with this beginning, if it holds no records.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let is = |at: usize, sign: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(sign));
        if let Some((word, ..)) = MAGIC_NUMBERS.iter().find(|(_, at, sign)| is(*at, sign)) {
            return Some(Self(word));
        }
        if is_tar(head) {
            return Some(Self("file.tar"));
        }
        // Of these kinds, only HTML may begin with white space.
        let start = head.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let beginning = head[start..].get(..14).unwrap_or(&head[start..]).to_ascii_lowercase();
        (beginning.starts_with(b"<!doctype html") || beginning.starts_with(b"<html")).then_some(Self("file.html"))
    }

    /// The kind of a zip that has an entry of this name.
    #[cfg(feature = "spreadsheets")]
    pub(super) fn of_entry(name: &str) -> Option<Self> {
        match name {
            "word/document.xml" => Some(Self("file.docx")),
            "ppt/presentation.xml" => Some(Self("file.pptx")),
            "AndroidManifest.xml" | "META-INF/MANIFEST.MF" => Some(Self("file.program")),
            _ => None,
        }
    }

    /// The kind of an `OpenDocument` file of this media type, if it is not a spreadsheet.
    #[cfg(feature = "spreadsheets")]
    pub(super) fn of_document(media: &str) -> Option<Self> {
        let of = media.strip_prefix("application/vnd.oasis.opendocument.")?;
        Some(Self(if of.starts_with("text") { "file.odt" } else { "file.opendocument" }))
    }

    /// The catalogue keys of all kinds.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let others = ["file.tar", "file.html", "file.docx", "file.pptx", "file.odt", "file.opendocument", "file.zip"];
        MAGIC_NUMBERS.iter().map(|(word, ..)| *word).chain(others)
    }
}

/// True for the header of a tar archive. The word in it may be part of a text, so its checksum is added up: the sum of its bytes,
/// with spaces in place of the checksum, in octal digits.
fn is_tar(head: &[u8]) -> bool {
    const SUM: std::ops::Range<usize> = 148..156;
    let Some(header) = head.first_chunk::<512>().filter(|header| header[257..].starts_with(b"ustar")) else {
        return false;
    };
    let digits = str::from_utf8(&header[SUM]).unwrap_or_default().trim_matches([' ', '\0']);
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let field: u32 = header[SUM].iter().map(|byte| u32::from(*byte)).sum();
    u32::from_str_radix(digits, 8) == Ok(sum - field + 8 * u32::from(b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a file in a tar archive.
    fn tar(name: &str) -> Vec<u8> {
        let mut header = vec![0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(b"00000000017");
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        header
    }

    #[test]
    fn a_tar_archive_has_a_checksum() {
        for name in ["a", "fixtures/andes/cup.quipu", "ñandú"] {
            assert_eq!(FileKind::of(&tar(name)).map(FileKind::word), Some("file.tar"), "{name}");
        }
        let text = |word: &str| format!("{}{word}{}", &"; comment\n".repeat(26)[..257], "; comment\n".repeat(26));
        for head in
            [text("ustar").into_bytes(), text("ustar\0").into_bytes(), tar("a")[..511].to_vec(), vec![b'x'; 600]]
        {
            assert_eq!(FileKind::of(&head), None, "{}", head.escape_ascii());
        }
        let mut broken = tar("a");
        broken[0] = b'b';
        assert_eq!(FileKind::of(&broken), None);
    }

    #[test]
    fn files_are_told_by_their_signs() {
        for (head, word) in [
            (&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], "file.jpeg"),
            (b"%PDF-1.7", "file.pdf"),
            (b"\0\0\0\x18ftypheic", "file.heic"),
            (b"\0\0\0\x18ftypisom", "file.video"),
            (b"\n<!DOCTYPE HTML><p>", "file.html"),
        ] {
            assert_eq!(FileKind::of(head).map(FileKind::word), Some(word));
        }
        for text in [&b""[..], b"% PDF", b"[Game \"andes\"]", b"MZ", b"GIF", b"<b>", b"PK", b"{\\r"] {
            assert_eq!(FileKind::of(text), None);
            assert_eq!(compression(text), None);
        }
    }
}
