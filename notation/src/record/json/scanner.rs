//! Finds the end of an object: the `}` that closes it. A broken object ends where a line begins the next one.
//!
//! An object is broken if a line ends inside a string, or if a line begins with a `{` without a `[`, `,` or `:` before
//! it. Such a line is indented no deeper than the broken object. A nested value can look the same, so the first such
//! line is remembered until the object turns out to be whole.

use super::super::{
    BOM, limits,
    read_buffer::{self, ReadBuffer, is_cut_mark},
    text::is_space,
};

/// Depth of braces that a record can need: its own, alternating ones of moves and variations, and one too many. An
/// object with more is broken if the next may have begun inside it.
const MAX_DEPTH: usize = 2 * limits::NESTING + 4;

/// Splits between objects.
#[derive(Debug, Default)]
pub(in crate::record) struct Splitter {
    outside: Outside,
    inside: Option<Inside>,
    /// The indentation of the last object.
    indent: u64,
}

/// The surroundings of the objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outside {
    /// Nothing so far.
    #[default]
    Start,
    /// White space.
    Objects,
    /// An array that is open.
    Array,
}

/// An open object, or anything in the place of one.
#[derive(Debug)]
struct Inside {
    /// Braces that are open.
    depth: usize,
    /// True inside a string.
    text: bool,
    /// True if only the beginning of the next object is looked for.
    broken: bool,
    /// The last byte that was not white space.
    last: u8,
    /// White space at the beginning of the line, if nothing else is on it so far.
    blanks: Option<u64>,
    /// The offset of a `{` that begins a line.
    next: Option<usize>,
}

impl read_buffer::Splitter for Splitter {
    fn end(&mut self, buffer: &mut ReadBuffer) -> Option<usize> {
        if self.inside.is_none() {
            self.outside(buffer);
        }
        let inside = self.inside.as_mut()?;
        let end = inside.end(buffer, self.indent);
        buffer.content = buffer.at;
        let end = end.or_else(|| buffer.ended.then(|| self.at_the_end(buffer)));
        if end.is_some() {
            self.inside = None;
        }
        end
    }

    fn needs(&self) -> Option<usize> {
        self.inside.as_ref()?.next
    }

    fn shift(&mut self, count: usize) {
        if let Some(inside) = &mut self.inside {
            inside.next = inside.next.and_then(|next| next.checked_sub(count));
        }
    }
}

impl Splitter {
    /// Skips text between objects, which is part of no chunk.
    fn outside(&mut self, buffer: &mut ReadBuffer) {
        while let Some(&byte) = buffer.bytes.get(buffer.at) {
            let rest = buffer.rest();
            if !buffer.ended && is_cut_mark(rest) {
                break;
            }
            match (byte, self.outside) {
                _ if is_space(byte) => buffer.at += 1,
                _ if rest.starts_with(BOM) => buffer.at += BOM.len(),
                (b'[', Outside::Start) => {
                    self.outside = Outside::Array;
                    buffer.at += 1;
                }
                (b',', Outside::Array) => buffer.at += 1,
                (b']', Outside::Array) => {
                    self.outside = Outside::Objects;
                    buffer.at += 1;
                }
                _ => {
                    self.begin(buffer, byte);
                    return;
                }
            }
        }
        buffer.begin_at(buffer.at);
        if buffer.ended && self.outside == Outside::Array && buffer.rest().is_empty() {
            // The array is not closed: an empty object reports it.
            self.begin(buffer, 0);
        }
    }

    /// Begins the next object, or anything in its place.
    fn begin(&mut self, buffer: &mut ReadBuffer, byte: u8) {
        buffer.begin_at(buffer.at);
        buffer.begin = Some(buffer.at);
        let broken = byte != b'{';
        let indent = buffer.place.column - 1;
        self.indent = if broken { self.indent.max(indent) } else { indent };
        if self.outside == Outside::Start {
            self.outside = Outside::Objects;
        }
        self.inside = Some(Inside { depth: 0, text: false, broken, last: b',', blanks: None, next: None });
    }

    /// The source ends inside an object.
    fn at_the_end(&mut self, buffer: &ReadBuffer) -> usize {
        let next = self.inside.as_ref().and_then(|inside| inside.next);
        if next.is_none() {
            // If an array is open, its end may be inside the broken object.
            self.outside = Outside::Objects;
        }
        next.unwrap_or(buffer.bytes.len())
    }
}

impl Inside {
    /// Scans to the end of the object; nothing if more must be read.
    fn end(&mut self, buffer: &mut ReadBuffer, indent: u64) -> Option<usize> {
        while let Some(&byte) = buffer.bytes.get(buffer.at) {
            if self.text {
                if !self.end_text(buffer) {
                    return None;
                }
                continue;
            }
            let at = buffer.at;
            buffer.at += 1;
            match byte {
                b'\n' => self.blanks = Some(0),
                // A byte order mark, as files that were joined have it.
                _ if self.blanks.is_some() && BOM.contains(&byte) => {}
                _ if is_space(byte) => self.blanks = self.blanks.map(|blanks| blanks + 1),
                _ => {
                    let blanks = self.blanks.take();
                    let begins = byte == b'{' && blanks.is_some_and(|blanks| blanks <= indent);
                    if begins && (self.broken || !matches!(self.last, b'[' | b',' | b':')) {
                        return Some(self.next.unwrap_or(at));
                    }
                    if begins {
                        self.next.get_or_insert(at);
                    }
                    self.last = byte;
                    match byte {
                        b'{' => self.depth += 1,
                        b'}' => self.depth = self.depth.saturating_sub(1),
                        b'"' => self.text = !self.broken,
                        _ => {}
                    }
                    if self.depth == 0 && !self.broken {
                        return Some(buffer.at);
                    }
                    if self.depth > MAX_DEPTH && self.next.is_some() {
                        return self.next;
                    }
                }
            }
        }
        None
    }

    /// Scans to the end of a string; false if more must be read.
    fn end_text(&mut self, buffer: &mut ReadBuffer) -> bool {
        let rest = buffer.rest();
        let Some(length) = memchr::memchr3(b'"', b'\\', b'\n', rest) else {
            buffer.at = buffer.bytes.len();
            return true;
        };
        let escape = match rest[length..] {
            [b'\\', b'\n', ..] => 1,
            [b'\\', _, ..] => 2,
            [b'\\'] if !buffer.ended => {
                buffer.at += length;
                return false;
            }
            [b'\\'] => 1,
            _ => 0,
        };
        // A line break ends an unclosed string, and is scanned again.
        let closed = rest[length] == b'"';
        self.text = escape > 0;
        self.broken |= escape == 0 && !closed;
        buffer.at += length + escape + usize::from(closed);
        true
    }
}
