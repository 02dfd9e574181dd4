//! The parts of a zip: the sheets of a workbook, or the files in it.

use std::{
    borrow::Cow,
    io::{self, Cursor, Read},
};

use zip::ZipArchive;

use super::{
    super::{Format, csv, limits},
    decompress::Decompressor,
    encoding::{Decoder, Encoding, misread},
    file_kind::{Compression, FileKind, SourceRefusal, compression},
    part::Part,
    workbook::{self, Room, Sheet, WorkbookError},
};

/// Extensions of files in a zip that are read, besides those of formats; other files are reported and not read.
const EXTENSIONS: [&str; 8] = ["tsv", "txt", "ndjson", "xlsx", "ods", "gz", "zst", "zip"];

/// Characters of the name of a part, at most.
const NAME: usize = 256;

type Zip<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// The uncompressed bytes of a zip, up to the limit. The sizes in its directory are not trusted.
pub(super) fn size(bytes: &[u8]) -> usize {
    let Ok(mut zip) = ZipArchive::new(Cursor::new(bytes)) else { return 0 };
    let left = limits::WORKBOOK_UNPACKED;
    left - unpacked(&mut zip, left).unwrap_or_default()
}

/// Subtracts the uncompressed bytes of all entries from `left`; `None` if they exceed it.
fn unpacked(zip: &mut Zip<'_>, mut left: usize) -> Option<usize> {
    for index in 0..zip.len() {
        let Ok(entry) = zip.by_index(index) else { continue };
        let size = io::copy(&mut entry.take(left as u64 + 1), &mut io::sink()).unwrap_or_default();
        left = left.checked_sub(usize::try_from(size).ok()?)?;
    }
    Some(left)
}

/// The names of the parts of a zip, the parts, and the names of files that are not read because of their extensions; at most
/// `most` uncompressed bytes. With a format, only files of that format, or with an extension of none, are read.
pub(super) fn of_zip(
    bytes: &[u8],
    encoding: Option<Encoding>,
    told: Option<Format>,
    most: u64,
) -> (Vec<String>, Vec<Part>, Vec<String>) {
    let left = usize::try_from(most).map_or(limits::WORKBOOK_UNPACKED, |most| most.min(limits::WORKBOOK_UNPACKED));
    let mut parts = Parts { names: Vec::new(), found: Vec::new(), skipped: Vec::new(), encoding, told, left };
    if bytes.len() > limits::WORKBOOK {
        parts.refuse("", SourceRefusal::Large(Compression::Zip.name()));
    } else {
        parts.zip(bytes, "", true);
    }
    if parts.found.is_empty() && (told.is_none() || parts.skipped.is_empty()) {
        parts.refuse("", SourceRefusal::Empty);
    }
    (parts.names, parts.found, parts.skipped)
}

struct Parts {
    names: Vec<String>,
    found: Vec<Part>,
    skipped: Vec<String>,
    encoding: Option<Encoding>,
    told: Option<Format>,
    /// Uncompressed bytes that may still be added.
    left: usize,
}

impl Parts {
    fn add(&mut self, name: &str, part: Part) {
        self.names.push(name.chars().take(NAME).collect());
        self.found.push(part);
    }

    fn refuse(&mut self, name: &str, refusal: SourceRefusal) {
        self.add(name, Part { format: None, cells: false, text: Err(refusal) });
    }

    /// Adds the parts of a zip; the name of the outermost zip is empty.
    fn zip(&mut self, bytes: &[u8], name: &str, outermost: bool) {
        let Ok(mut zip) = ZipArchive::new(Cursor::new(bytes)) else {
            return self.refuse(name, SourceRefusal::Broken(Compression::Zip.name()));
        };
        let media = self.entry(&mut zip, "mimetype").and_then(|media| String::from_utf8(media).ok());
        let media = media.as_deref().map(str::trim).unwrap_or_default();
        if zip.index_for_name("xl/workbook.xml").is_some() {
            return self.workbook(&mut zip, name, "file.xlsx", |_, _, room| workbook::xlsx::sheets(bytes, room));
        }
        if media.starts_with(workbook::ods::MEDIA) && zip.index_for_name("content.xml").is_some() {
            return self.workbook(&mut zip, name, "file.ods", |parts, zip, room| {
                workbook::ods::sheets(&parts.entry(zip, "content.xml").ok_or(WorkbookError::Broken)?, room)
            });
        }
        let inside = zip.file_names().filter_map(Result::ok).find_map(|name| FileKind::of_entry(&name));
        if let Some(kind) = FileKind::of_document(media).or(inside) {
            return self.refuse(name, SourceRefusal::FileKind(kind));
        }
        if !outermost {
            return self.refuse(name, SourceRefusal::Nested(Compression::Zip.name()));
        }
        if zip.len() > limits::PARTS {
            return self.refuse(name, SourceRefusal::Large(Compression::Zip.name()));
        }
        for index in 0..zip.len() {
            let Some(entry) = zip.name_for_index(index).and_then(Result::ok).map(Cow::into_owned) else { continue };
            let file = entry.rsplit('/').next().unwrap_or_default();
            if file.is_empty() || file.starts_with('.') || entry.starts_with("__MACOSX/") {
                continue;
            }
            let named = Format::of_name(file);
            if self.told.zip(named).is_some_and(|(told, named)| !told.may_be_named(named)) {
                self.skipped.push(entry);
                continue;
            }
            match self.bytes(&mut zip, index) {
                Ok(bytes) => self.file(bytes, entry),
                Err(refusal) => {
                    self.refuse(&entry, refusal);
                    if self.left == 0 {
                        return;
                    }
                }
            }
        }
    }

    /// Adds a file of a zip.
    fn file(&mut self, mut bytes: Vec<u8>, name: String) {
        if let Some(kind @ (Compression::Gzip | Compression::Zstd)) = compression(&bytes) {
            let mut unpacked = Vec::new();
            let mut source = Decompressor::new(io::empty(), bytes, kind);
            let ended = loop {
                // Reading from memory does not fail.
                match source.read_some(&mut unpacked, u64::MAX).unwrap_or(Err(SourceRefusal::Broken(kind.name()))) {
                    Err(refusal) => break Err(refusal),
                    Ok(true) => break Ok(()),
                    Ok(false) if unpacked.len() > self.left => break Err(SourceRefusal::Large(kind.name())),
                    Ok(false) => {}
                }
            };
            if let Err(refusal) = ended {
                return self.refuse(&name, refusal);
            }
            self.left -= unpacked.len();
            bytes = unpacked;
            if let Some(kind @ (Compression::Gzip | Compression::Zstd)) = compression(&bytes) {
                return self.refuse(&name, SourceRefusal::Nested(kind.name()));
            }
        }
        if compression(&bytes) == Some(Compression::Zip) {
            return self.zip(&bytes, &name, false);
        }
        if let Some(kind) = FileKind::of(&bytes) {
            return self.refuse(&name, SourceRefusal::FileKind(kind));
        }
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
        if Format::parse(&extension).is_none() && !EXTENSIONS.contains(&extension.as_str()) {
            self.skipped.push(name);
            return;
        }
        let mut text = Vec::new();
        Decoder::of(&bytes, self.encoding).decode(&bytes, true, &mut text);
        self.add(&name, Part { format: None, cells: false, text: Ok(text) });
    }

    /// Adds the sheets of a workbook. Sheets that do not look like a scoresheet are skipped, unless none does.
    fn workbook(
        &mut self,
        zip: &mut Zip<'_>,
        name: &str,
        format: &'static str,
        sheets: impl FnOnce(&mut Self, &mut Zip<'_>, Room) -> Result<Vec<Sheet>, WorkbookError>,
    ) {
        if zip.len() > limits::PARTS || unpacked(zip, self.left).is_none() {
            return self.refuse(name, SourceRefusal::Large(format));
        }
        let room = Room::new(self.left);
        let sheets = match sheets(self, zip, room) {
            Ok(sheets) if sheets.len() <= limits::PARTS => sheets,
            Ok(_) | Err(WorkbookError::Large) => return self.refuse(name, SourceRefusal::Large(format)),
            Err(WorkbookError::Broken) => return self.refuse(name, SourceRefusal::Broken(format)),
        };
        let mut texts = Vec::new();
        for sheet in sheets {
            let Some(text) = sheet.cells.text(self.left) else {
                return self.refuse(name, SourceRefusal::Large(format));
            };
            self.left -= text.len();
            let text = misread(&text).unwrap_or(text);
            let name = if name.is_empty() { sheet.name } else { format!("{name}:{}", sheet.name) };
            texts.push((name, text));
        }
        texts.retain(|(_, text)| !text.trim_ascii().is_empty());
        if texts.iter().any(|(_, text)| csv::is_scoresheet(text)) {
            texts.retain(|(_, text)| csv::is_scoresheet(text));
        }
        if texts.is_empty() {
            return self.refuse(name, SourceRefusal::Empty);
        }
        for (name, text) in texts {
            self.add(&name, Part { format: Some(Format::Csv), cells: true, text: Ok(text) });
        }
    }

    /// The bytes of an entry.
    fn entry(&mut self, zip: &mut Zip<'_>, name: &str) -> Option<Vec<u8>> {
        let index = zip.index_for_name(name)?;
        self.bytes(zip, index).ok()
    }

    fn bytes(&mut self, zip: &mut Zip<'_>, index: usize) -> Result<Vec<u8>, SourceRefusal> {
        let broken = |_| SourceRefusal::Broken(Compression::Zip.name());
        let entry = zip.by_index(index).map_err(|_| SourceRefusal::Broken(Compression::Zip.name()))?;
        let mut bytes = Vec::new();
        entry.take(self.left as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
        if bytes.len() > self.left {
            self.left = 0;
            return Err(SourceRefusal::Large(Compression::Zip.name()));
        }
        self.left -= bytes.len();
        Ok(bytes)
    }
}
