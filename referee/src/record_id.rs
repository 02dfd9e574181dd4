//! The id of a record: the SHA-256 of its canonical text.
//!
//! The text is written while the record is replayed, and only if the id is wanted. The ids of many records are computed
//! together, by `sha256.rs`.

use std::{fmt, mem};

use quipu_notation::record::{
    Record,
    write::{Bytes, Extent, Writer, result_line},
};

use crate::{
    Game, Position, Verdict,
    sha256::{Id, digests},
};

/// The canonical text of one record, appended to a buffer; nothing is written without a buffer.
pub(crate) struct CanonicalText<'t> {
    writer: Option<Writer<&'t mut Bytes>>,
}

impl<'t> CanonicalText<'t> {
    /// Bytes that a ply seldom exceeds: memory for all plies is reserved at once.
    const PLY: usize = 32;
    /// The same for tags and result.
    const HEAD: usize = 512;

    pub(crate) fn new<G: Game>(record: &Record<'_>, text: Option<&'t mut Bytes>) -> Self {
        let writer = text.map(|text| {
            text.0.reserve(Self::HEAD + record.movetext.plies.len() * Self::PLY);
            let mut writer = Writer::new(text, Extent::Identity);
            infallible(writer.head(record, Some(G::NOTATION)));
            writer
        });
        Self { writer }
    }

    /// The canonical token of the next ply.
    #[inline]
    pub(crate) fn ply<P: Position>(&mut self, position: &P, mv: P::Move) {
        if let Some(writer) = &mut self.writer {
            infallible(writer.token_with(|out| position.write_move(mv, out)));
        }
    }

    /// Its clock, in milliseconds.
    #[inline]
    pub(crate) fn clock(&mut self, clock: u64) {
        if let Some(writer) = &mut self.writer {
            infallible(writer.clock(clock));
        }
    }

    /// The plies from `index` on, as they were written.
    pub(crate) fn rest(&mut self, record: &Record<'_>, index: usize) {
        if let Some(writer) = &mut self.writer {
            for ply in &record.movetext.plies[index..] {
                infallible(writer.ply(&ply.token, ply));
            }
        }
    }

    pub(crate) fn end(self, record: &Record<'_>) {
        if let Some(mut writer) = self.writer {
            infallible(writer.end(result_line(record)));
        }
    }
}

/// The id of the record with this canonical text; a record of no known game has neither.
pub(crate) fn of_text(text: &Bytes) -> Option<Id> {
    (!text.0.is_empty()).then(|| digests(&[&text.0])[0])
}

/// Canonical texts of some records, one after the other, whose ids are computed together.
#[derive(Debug, Default)]
pub(crate) struct IdBatch {
    text: Bytes,
    /// The end of each text. An empty one is of a record that has no id.
    ends: Vec<usize>,
}

impl IdBatch {
    /// Adds the text that `write` appends, unless that returns nothing.
    pub(crate) fn add<T>(&mut self, write: impl FnOnce(&mut Bytes) -> Option<T>) -> Option<T> {
        let made = write(&mut self.text)?;
        self.ends.push(self.text.0.len());
        Some(made)
    }

    /// Bytes of all texts.
    pub(crate) fn size(&self) -> usize {
        self.text.0.len()
    }

    /// The texts in their order, empty where a record has none.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        // Records are UTF-8, and written as such.
        starts.zip(&self.ends).map(|(&start, &end)| str::from_utf8(&self.text.0[start..end]).unwrap_or_default())
    }

    /// Sets the ids of these verdicts, one for each text, and empties the batch.
    pub(crate) fn assign<'v>(&mut self, verdicts: impl Iterator<Item = &'v mut Verdict>) {
        let mut start = 0;
        let texts = self.ends.iter().map(|&end| &self.text.0[mem::replace(&mut start, end)..end]);
        let (named, texts): (Vec<_>, Vec<_>) = verdicts.zip(texts).filter(|(_, text)| !text.is_empty()).unzip();
        for (verdict, id) in named.into_iter().zip(digests(&texts)) {
            verdict.id = Some(id);
        }
        self.text.0.clear();
        self.ends.clear();
    }
}

/// Buffers take everything that is written to them.
fn infallible(written: fmt::Result) {
    debug_assert!(written.is_ok(), "buffers take everything");
}
