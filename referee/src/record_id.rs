//! The id of a record: the SHA-256 of its canonical text.
//!
//! The text is written while the record is replayed; the ids of many records are made together, by `sha256.rs`.

use std::fmt;

use quipu_notation::record::{
    Ply, Record,
    write::{Bytes, Extent, Writer, result_line},
};

use crate::{Game, Position, Verdict, sha256::digests};

/// The canonical text of one record, written to the end of others.
pub(crate) struct Identity<'t> {
    writer: Writer<&'t mut Bytes>,
}

impl<'t> Identity<'t> {
    /// Bytes that a ply seldom needs more of: room for all is made at once.
    const PLY: usize = 32;
    /// The same of tags and result.
    const HEAD: usize = 512;

    pub(crate) fn new<G: Game>(record: &Record<'_>, text: &'t mut Bytes) -> Self {
        text.0.reserve(Self::HEAD + record.line.plies.len() * Self::PLY);
        let mut writer = Writer::new(text, Extent::Identity);
        infallible(writer.head(record, Some(G::NOTATION)));
        Self { writer }
    }

    /// The next ply, with its canonical token.
    pub(crate) fn ply<P: Position>(&mut self, position: &P, mv: P::Move, ply: &Ply<'_>) {
        infallible(self.writer.ply_with(|out| position.write_move(mv, out), ply));
    }

    /// The plies from `index` on, as they were written.
    pub(crate) fn rest(&mut self, record: &Record<'_>, index: usize) {
        for ply in &record.line.plies[index..] {
            infallible(self.writer.ply(&ply.token, ply));
        }
    }

    pub(crate) fn end(mut self, record: &Record<'_>) {
        infallible(self.writer.end(result_line(record)));
    }
}

/// Canonical texts of some records, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    text: Bytes,
    /// Where each of them ends. One that is empty is of a record that has no id.
    ends: Vec<usize>,
}

impl Texts {
    /// Adds the text that `write` writes.
    pub(crate) fn add<T>(&mut self, write: impl FnOnce(&mut Bytes) -> T) -> T {
        let made = write(&mut self.text);
        self.ends.push(self.text.0.len());
        made
    }

    /// Bytes of all of them.
    pub(crate) fn size(&self) -> usize {
        self.text.0.len()
    }

    /// Gives these verdicts, one for each text, their ids, and begins anew.
    pub(crate) fn name<'v>(&mut self, verdicts: impl Iterator<Item = &'v mut Verdict>) {
        let mut start = 0;
        let texts = self.ends.iter().map(|&end| &self.text.0[std::mem::replace(&mut start, end)..end]);
        let (named, texts): (Vec<_>, Vec<_>) = verdicts.zip(texts).filter(|(_, text)| !text.is_empty()).unzip();
        for (verdict, id) in named.into_iter().zip(digests(&texts)) {
            verdict.id = Some(id);
        }
        self.text.0.clear();
        self.ends.clear();
    }
}

/// Texts take everything that is written to them.
fn infallible(written: fmt::Result) {
    debug_assert!(written.is_ok(), "texts take everything");
}
