//! Cuts a text into chunks, which are judged by themselves, with the reader of all other programs.

use std::collections::VecDeque;

use quipu_notation::record::{Chunk, Reader, limits};

/// Bytes after a chunk that may decide where it ends: those of the longest comment, which is not one if it has no end, and those
/// of the tag that proves it.
pub(crate) const LOOKAHEAD: usize = limits::COMMENT + 1024;

/// A chunk without its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Its offset in the text.
    pub(crate) start: usize,
    /// The length of its text; 0 if it is too large.
    pub(crate) bytes: usize,
    /// Its lines count from the beginning of the text that was split.
    pub(crate) chunk: Chunk<'static>,
}

impl Piece {
    /// True if the chunk is as usual: the text before it decides nothing about it and about the chunks after it.
    pub(crate) fn is_plain(&self) -> bool {
        self.chunk.oversized().is_none()
    }
}

/// The chunks of a text in quipu's own format, each on demand. Offsets count from `offset`.
pub(crate) fn split(text: &str, offset: usize) -> impl Iterator<Item = Piece> {
    let mut reader = Reader::of_text(text);
    let mut cut = VecDeque::new();
    std::iter::from_fn(move || {
        if cut.is_empty() {
            // Reading from memory does not fail.
            for chunk in reader.next_chunks().into_iter().flatten() {
                let start = usize::try_from(chunk.offset()).unwrap_or(usize::MAX).saturating_add(offset);
                cut.push_back(Piece { start, bytes: chunk.text().len(), chunk: chunk.with_text(&[]) });
            }
        }
        cut.pop_front()
    })
}
