//! The layer before the reader: converts a source to text, part by part.
//!
//! The content of a source decides. gzip and zstd are decompressed as a stream, text in other encodings is decoded, a
//! workbook becomes one scoresheet per sheet, and a zip becomes the files in it. Any other file that is not text is
//! refused with its kind. Memory is bounded by [`limits::DECOMPRESSED_RATIO`] and the limits beside it.

use std::{
    fmt,
    io::{self, Read},
    sync::Arc,
};

use super::Format;
#[cfg(feature = "spreadsheets")]
use super::limits;

#[cfg(feature = "spreadsheets")]
mod decompress;
pub(super) mod encoding;
mod file_kind;
mod part;
#[cfg(feature = "spreadsheets")]
mod parts;
#[cfg(feature = "spreadsheets")]
mod workbook;

pub use encoding::Encoding;
pub use file_kind::{FileKind, SourceRefusal};
pub(super) use part::Part;

#[cfg(feature = "spreadsheets")]
use self::{decompress::Decompressor, file_kind::Compression};
use self::{encoding::Decoder, file_kind::compression, part::CHUNK};

/// A step in the input of a source.
#[derive(Debug)]
pub(super) enum Next {
    /// Some bytes were added.
    More,
    /// The part has ended, and the next one begins.
    Part(Part),
    /// The source has ended.
    End,
}

/// Bytes of memory per uncompressed byte of a workbook or a zip while it is read: its table of texts, its cells, their lines.
#[cfg(feature = "spreadsheets")]
const MEMORY: usize = 4;

/// A source that is being converted to text.
#[derive(Debug)]
pub(super) struct Input<R> {
    state: State<R>,
    encoding: Option<Encoding>,
    /// The only format that is read from a zip.
    #[cfg_attr(not(feature = "spreadsheets"), expect(dead_code, reason = "this build reads no zip"))]
    told: Option<Format>,
    names: Arc<[String]>,
    /// Uncompressed bytes of a compressed source, at most.
    most: u64,
    charge: Option<Charge>,
    skipped: Arc<[String]>,
}

/// A callback that counts the memory of uncompressed data.
struct Charge(
    #[cfg_attr(not(feature = "spreadsheets"), expect(dead_code, reason = "this build decompresses nothing"))]
    Box<dyn FnMut(usize) -> io::Result<()> + Send + Sync>,
);

impl fmt::Debug for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Charge")
    }
}

#[derive(Debug)]
enum State<R> {
    /// The first bytes are read, and the kind of the source is not known yet.
    Begun(R, Vec<u8>),
    #[cfg(feature = "spreadsheets")]
    /// The same for the content of a compressed source.
    Unpacking(Box<Decompressor<R>>, Vec<u8>),
    Text(R, Decoder, Vec<u8>),
    #[cfg(feature = "spreadsheets")]
    UnpackedText(Box<Decompressor<R>>, Decoder, Vec<u8>),
    /// All parts are in memory, the next first.
    #[cfg(feature = "spreadsheets")]
    Parts(std::vec::IntoIter<Part>),
    /// The source cannot be read.
    Refused(SourceRefusal),
    Ended,
}

impl<R: Read> Input<R> {
    pub(super) fn new(source: R, told: Option<Format>) -> Self {
        Self::begun(State::Begun(source, Vec::new()), told)
    }

    /// A source that is UTF-8 text, whatever it begins with.
    pub(super) fn of_text(source: R, format: Format) -> Self {
        Self::begun(State::Text(source, Decoder::of(&[], None), Vec::new()), Some(format))
    }

    fn begun(state: State<R>, told: Option<Format>) -> Self {
        Self { state, encoding: None, told, names: Arc::from([]), most: u64::MAX, charge: None, skipped: Arc::from([]) }
    }

    /// Limits the uncompressed bytes of a compressed source.
    pub(super) fn with_limit(&mut self, most: u64) {
        self.most = most;
    }

    /// Calls `charge` with the number of bytes before they are kept in memory, or soon after.
    pub(super) fn with_memory_callback(&mut self, charge: Box<dyn FnMut(usize) -> io::Result<()> + Send + Sync>) {
        self.charge = Some(Charge(charge));
    }

    /// Sets the encoding of text; a byte order mark takes precedence.
    pub(super) fn with_encoding(&mut self, encoding: Encoding) {
        self.encoding = Some(encoding);
    }

    /// The names of the parts, from the first on; empty for a source that is a single text.
    pub(super) fn names(&self) -> Arc<[String]> {
        Arc::clone(&self.names)
    }

    /// Files in a zip that are not read because of their extensions; known as soon as the names of the parts are.
    pub(super) fn skipped(&self) -> Arc<[String]> {
        Arc::clone(&self.skipped)
    }

    /// Adds bytes of the current part.
    ///
    /// # Errors
    /// Those of the source. The call may be repeated; nothing is lost.
    pub(super) fn fill(&mut self, bytes: &mut Vec<u8>) -> io::Result<Next> {
        loop {
            match &mut self.state {
                State::Begun(source, head) => {
                    let read = read_some(source, head);
                    // The bytes before a failure still count.
                    if read.is_ok() || !head.is_empty() {
                        self.look();
                    }
                    read?;
                }
                State::Text(source, decoder, head) => return text(source, decoder, head, bytes),
                #[cfg(feature = "spreadsheets")]
                State::Unpacking(..) | State::UnpackedText(..) => {
                    if let Some(next) = self.unpack(bytes)? {
                        return Ok(next);
                    }
                }
                #[cfg(feature = "spreadsheets")]
                State::Parts(parts) => {
                    let Some(part) = parts.next() else {
                        self.state = State::Ended;
                        return Ok(Next::End);
                    };
                    return Ok(Next::Part(part));
                }
                State::Refused(refusal) => {
                    let text = Err(*refusal);
                    self.state = State::Ended;
                    return Ok(Next::Part(Part { format: None, cells: false, text }));
                }
                State::Ended => return Ok(Next::End),
            }
        }
    }

    /// Chooses the next state by the beginning of the source.
    fn look(&mut self) {
        let State::Begun(source, head) = std::mem::replace(&mut self.state, State::Ended) else { return };
        self.state = match compression(&head) {
            #[cfg(feature = "spreadsheets")]
            Some(kind @ (Compression::Gzip | Compression::Zstd)) => {
                State::Unpacking(Box::new(Decompressor::new(source, head, kind)), Vec::new())
            }
            #[cfg(feature = "spreadsheets")]
            Some(Compression::Zip) => State::Unpacking(Box::new(Decompressor::whole(source, head)), Vec::new()),
            #[cfg(not(feature = "spreadsheets"))]
            Some(compression) => State::Refused(SourceRefusal::NotBuilt(compression.name())),
            None => match FileKind::of(&head) {
                Some(kind) => State::Refused(SourceRefusal::FileKind(kind)),
                None => State::Text(source, Decoder::of(&head, self.encoding), head),
            },
        };
    }

    /// Continues with a compressed source; `None` if only the state has changed.
    #[cfg(feature = "spreadsheets")]
    fn unpack(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<Next>> {
        let (encoding, told, most) = (self.encoding, self.told, self.most);
        let mut charge = |bytes| self.charge.as_mut().map_or(Ok(()), |Charge(charge)| charge(bytes));
        match &mut self.state {
            State::Unpacking(source, head) => {
                let ended = match source.read_some(head, most)? {
                    Ok(ended) => ended,
                    Err(refusal) => {
                        self.state = State::Refused(refusal);
                        return Ok(None);
                    }
                };
                if compression(head) == Some(Compression::Zip) {
                    // The directory of a zip is at its end, so the whole file is needed.
                    if !ended {
                        if head.len() > limits::WORKBOOK {
                            self.state = State::Refused(SourceRefusal::Large(Compression::Zip.name()));
                        }
                        return Ok(None);
                    }
                    charge(MEMORY * parts::size(head))?;
                    let (names, parts, skipped) = parts::of_zip(&std::mem::take(head), encoding, told, most);
                    (self.names, self.skipped) = (names.into(), skipped.into());
                    self.state = State::Parts(parts.into_iter());
                    return Ok(None);
                }
                let State::Unpacking(source, head) = std::mem::replace(&mut self.state, State::Ended) else {
                    return Ok(None);
                };
                self.state = match (compression(&head), FileKind::of(&head)) {
                    (Some(compression), _) => State::Refused(SourceRefusal::Nested(compression.name())),
                    (None, Some(kind)) => State::Refused(SourceRefusal::FileKind(kind)),
                    (None, None) => State::UnpackedText(source, Decoder::of(&head, encoding), head),
                };
                Ok(None)
            }
            State::UnpackedText(source, decoder, head) => {
                let before = bytes.len();
                let ended = if head.is_empty() {
                    match source.read_some(head, most)? {
                        Ok(ended) => ended,
                        Err(refusal) => {
                            // The bytes before the fault are kept.
                            decoder.decode(head, true, bytes);
                            self.state = State::Refused(refusal);
                            return Ok((bytes.len() > before).then_some(Next::More));
                        }
                    }
                } else {
                    false
                };
                charge(head.len())?;
                decoder.decode(head, ended, bytes);
                head.clear();
                if ended {
                    self.state = State::Ended;
                }
                Ok((bytes.len() > before).then_some(Next::More))
            }
            _ => Ok(None),
        }
    }
}

/// Reads up to [`CHUNK`] bytes; true at the end.
fn read_some(source: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<bool> {
    Ok(source.take(CHUNK).read_to_end(bytes)? == 0)
}

/// Continues with a text that is not compressed.
fn text(source: &mut impl Read, decoder: &mut Decoder, head: &mut Vec<u8>, bytes: &mut Vec<u8>) -> io::Result<Next> {
    if decoder.is_utf8() {
        if !head.is_empty() {
            bytes.append(head);
            return Ok(Next::More);
        }
        return Ok(if read_some(source, bytes)? { Next::End } else { Next::More });
    }
    loop {
        let before = bytes.len();
        let ended = if head.is_empty() { read_some(source, head)? } else { false };
        decoder.decode(head, ended, bytes);
        head.clear();
        if bytes.len() > before {
            return Ok(Next::More);
        }
        if ended {
            return Ok(Next::End);
        }
    }
}

/// True if a source with this beginning is UTF-8 text, which the reader reads byte for byte.
pub fn is_plain(beginning: &[u8]) -> bool {
    compression(beginning).is_none() && FileKind::of(beginning).is_none() && Decoder::of(beginning, None).is_utf8()
}
