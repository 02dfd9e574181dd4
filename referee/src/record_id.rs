//! The id of a record: the SHA-256 of its canonical text.
//!
//! The text is written while the record is replayed (`canonical_text.rs`), and only if the id is wanted. The ids of many
//! records are computed together, by `sha256.rs`.

use std::mem;

use quipu_notation::record::write::Bytes;

use crate::{
    Verdict,
    sha256::{Id, digests},
};

/// The id of the record with this canonical text; a record of no known game has neither.
pub(crate) fn of_text(text: &Bytes) -> Option<Id> {
    (!text.0.is_empty()).then(|| digests(&[&text.0])[0])
}

/// Canonical texts of some records, one after the other, whose ids are computed together.
#[derive(Debug)]
pub(crate) struct IdBatch {
    text: Bytes,
    /// The end of each text. An empty one is of a record that has no id.
    ends: Vec<usize>,
}

impl IdBatch {
    /// Bytes to begin with: growing step by step copies all texts again and again.
    const SIZE: usize = 16 * 1024;

    pub(crate) fn new() -> Self {
        Self { text: Bytes(Vec::with_capacity(Self::SIZE)), ends: Vec::new() }
    }

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

    /// Sets the ids of these verdicts, one for each text.
    pub(crate) fn assign<'v>(&self, verdicts: impl Iterator<Item = &'v mut Verdict>) {
        let mut start = 0;
        let texts = self.ends.iter().map(|&end| &self.text.0[mem::replace(&mut start, end)..end]);
        let (named, texts): (Vec<_>, Vec<_>) = verdicts.zip(texts).filter(|(_, text)| !text.is_empty()).unzip();
        for (verdict, id) in named.into_iter().zip(digests(&texts)) {
            verdict.id = Some(id);
        }
    }

    /// Removes all texts.
    pub(crate) fn clear(&mut self) {
        self.text.0.clear();
        self.ends.clear();
    }
}
