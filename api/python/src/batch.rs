//! Batches: chunks of text that are judged together, on any thread.

use std::{io, ops::Range, sync::Arc};

use quipu_notation::record::{Chunk, Record};
use quipu_referee::verify::{self, Ids, Judged};

/// Bytes of records in a batch.
const BATCH: usize = 128 * 1024;

/// Chunks with a copy of their text.
#[derive(Default)]
pub(crate) struct Batch {
    text: Vec<u8>,
    chunks: Vec<BatchChunk>,
    /// Names of the parts of the source.
    pub(crate) parts: Arc<[String]>,
}

struct BatchChunk {
    chunk: Chunk<'static>,
    text: Range<usize>,
    /// The row of a table that it is in.
    row: u64,
}

/// A source of batches.
pub(crate) trait Feed: Send {
    /// The next batch, or nothing at the end.
    ///
    /// # Errors
    /// Those of the source, after all records before them; an interrupt at once. The call may be repeated; nothing is lost.
    fn next(&mut self) -> io::Result<Option<Batch>>;
}

impl Batch {
    pub(crate) fn push(&mut self, row: u64, chunk: &Chunk<'_>) {
        let start = self.text.len();
        self.text.extend_from_slice(chunk.text());
        self.chunks.push(BatchChunk { chunk: chunk.with_text(&[]), text: start..self.text.len(), row });
        // Each chunk begins at a place of its own, also if it has no text.
        self.text.push(b'\n');
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= BATCH
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    fn chunk(&self, index: usize) -> Chunk<'_> {
        let BatchChunk { chunk, text, .. } = &self.chunks[index];
        chunk.with_text(&self.text[text.clone()])
    }

    /// The index of one of its chunks.
    fn index_of(&self, chunk: &Chunk<'_>) -> usize {
        let start = chunk.text().as_ptr().addr() - self.text.as_ptr().addr();
        self.chunks.partition_point(|of| of.text.start < start)
    }
}

/// The records of a batch, readable or not, without verdicts.
pub(crate) fn written(batch: Batch) -> impl Iterator<Item = WrittenRecord> {
    let batch = Arc::new(batch);
    (0..batch.chunks.len()).flat_map(move |chunk| {
        let records = batch.chunk(chunk).records().count();
        let batch = Arc::clone(&batch);
        (0..records).map(move |before| WrittenRecord { batch: Arc::clone(&batch), chunk, before })
    })
}

/// The work on a judged record.
pub(crate) trait Work: Send + Sync + 'static {
    /// Its result.
    type Item: Send + 'static;
    /// True if the work needs the text that the id is computed from.
    const TEXTS: bool;

    /// Works on a record, on any thread.
    fn item(&self, chunk: &Chunk<'_>, judged: Judged<'_>, text: &str) -> Self::Item;
}

/// A record as it was written.
#[derive(Clone)]
pub(crate) struct WrittenRecord {
    batch: Arc<Batch>,
    chunk: usize,
    /// Records of its chunk before it.
    before: usize,
}

impl WrittenRecord {
    /// A text with a single record, in quipu's own format.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut batch = Batch::default();
        batch.push(0, &Chunk::new(text.as_bytes()));
        Self { batch: Arc::new(batch), chunk: 0, before: 0 }
    }

    pub(crate) fn chunk(&self) -> Chunk<'_> {
        self.batch.chunk(self.chunk)
    }

    /// The record, unless it is unreadable.
    pub(crate) fn read(&self) -> Option<Record<'_>> {
        self.chunk().records().nth(self.before)?.ok()
    }

    /// Its verdict.
    pub(crate) fn judged(&self) -> Option<Judged<'_>> {
        let chunk = self.chunk();
        chunk.records().nth(self.before).map(|record| verify::of_chunk(&chunk, record))
    }

    /// The sheet of a workbook, or the file in a zip, that it is in.
    pub(crate) fn part(&self) -> Option<&str> {
        let part = self.chunk().part()?;
        self.batch.parts.get(part - 1).map(String::as_str)
    }

    /// The row of a table that it is in.
    pub(crate) fn row(&self) -> u64 {
        self.batch.chunks[self.chunk].row
    }
}

/// Judges the records of a batch.
pub(crate) fn judge<W: Work>(batch: Batch, work: &W) -> Vec<(WrittenRecord, W::Item)> {
    let batch = Arc::new(batch);
    let chunks = (0..batch.chunks.len()).map(|index| batch.chunk(index));
    let (mut records, mut last) = (Vec::new(), None);
    let mut add = |chunk: &Chunk<'_>, judged: Judged<'_>, text: &str| {
        let index = batch.index_of(chunk);
        let before = last.filter(|(last, _)| *last == index).map_or(0, |(_, before)| before + 1);
        last = Some((index, before));
        let written = WrittenRecord { batch: Arc::clone(&batch), chunk: index, before };
        records.push((written, work.item(chunk, judged, text)));
    };
    if W::TEXTS {
        verify::with_texts(chunks, |_, text| text.to_owned())
            .for_each(|(chunk, judged, text)| add(&chunk, *judged, &text));
    } else {
        verify::chunks(chunks, Ids::Computed).for_each(|(chunk, judged)| add(&chunk, *judged, ""));
    }
    records
}
