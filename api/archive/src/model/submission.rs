//! Submitted records: split, judged, and with all data that the archive stores.

use std::io::{self, Read};

use quipu_notation::record::{Chunk, Format, Reader, Record, write};
use quipu_referee::{
    Verdict,
    competition::Moves,
    games,
    sha256::digests,
    verify::{self, Judged},
};
use sha2::{Digest, Sha256};

use super::{Facts, Id, Judgement, SignedVerdict};

/// Chunks that are judged in one batch.
const BATCH: usize = 64;

/// A submitted record. Other packages cannot construct one without judging it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Submission {
    /// The format of the source.
    pub format: Format,
    /// The source; empty for a record that is too large, or that reads differently without the text before it.
    pub source: Vec<u8>,
    /// SHA-256 of the source.
    pub digest: [u8; 32],
    /// Id of the record.
    pub id: Id,
    /// Canonical text, if the record can be read and that is not the source itself.
    pub canonical: Option<String>,
    /// The verdict, with positions in the source.
    pub verdict: Verdict,
    /// The text of the verdict that is signed.
    pub signed: Vec<u8>,
    /// Other facts of the record.
    pub facts: Facts,
}

impl Submission {
    /// The records of a chunk, each with its own part of the source.
    pub fn all<'b>(chunk: &Chunk<'b>) -> impl Iterator<Item = Self> + use<'b> {
        Self::of_chunks([*chunk]).map(|(_, submission)| submission)
    }

    /// The records of many chunks, each with its chunk. Their hashes are computed in batches, in a fraction of the time.
    pub fn of_chunks<'b, I>(chunks: I) -> impl Iterator<Item = (Chunk<'b>, Self)> + use<'b, I>
    where
        I: IntoIterator<Item = Chunk<'b>>,
    {
        let mut chunks = chunks.into_iter();
        let some = std::iter::from_fn(move || {
            let some: Vec<_> = chunks.by_ref().take(BATCH).collect();
            (!some.is_empty()).then_some(some)
        });
        some.flat_map(Self::of_batch)
    }

    fn of_batch<'b>(chunks: Vec<Chunk<'b>>) -> impl Iterator<Item = (Chunk<'b>, Self)> {
        // The archive stores only the text of a chunk, so the text is judged by itself, without the state of the reader.
        let alone = |chunk: &Chunk<'b>| {
            if chunk.oversized().is_some() || chunk.is_refused() {
                chunk.alone()
            } else {
                Chunk::in_format(chunk.text(), chunk.format())
            }
        };
        let alone: Vec<Chunk<'b>> = chunks.iter().map(alone).collect();
        let hashes = digests(&alone.iter().map(Chunk::text).collect::<Vec<_>>());
        let mut judged = verify::with_texts(alone.clone(), |_, text| text.to_owned()).peekable();
        // An oversized chunk has no text, only an offset.
        let same = |one: &Chunk<'_>, other: &Chunk<'_>| {
            std::ptr::eq(one.text(), other.text()) && one.offset() == other.offset()
        };
        // The previous chunk, if it has several records.
        let mut left = None;
        chunks.into_iter().zip(alone.into_iter().zip(hashes)).flat_map(move |(whole, (chunk, hash))| {
            if let Some(left) = left.take() {
                while judged.next_if(|(of, ..)| same(of, &left)).is_some() {}
            }
            let first = judged.next_if(|(of, ..)| same(of, &chunk));
            let is_alone = judged.peek().is_none_or(|(of, ..)| !same(of, &chunk));
            left = (!is_alone).then_some(chunk);
            let one = first.filter(|_| is_alone).map(|(_, judged, text)| Self::new(&chunk, hash, *judged, &text));
            let several = (!is_alone).then(|| Self::several(chunk));
            one.into_iter().chain(several.into_iter().flatten()).map(move |submission| (whole, submission))
        })
    }

    /// The records of a chunk in which text follows a result. Each is judged by itself, so that positions
    /// count from its own beginning.
    fn several(chunk: Chunk<'_>) -> impl Iterator<Item = Self> {
        let text = chunk.text();
        let ends = chunk.records_without_notes().map_while(Result::ok).map(|record| record.span.end as usize);
        let mut start = 0;
        ends.chain([text.len()]).zip(verify::chunk(&chunk)).map(move |(end, judged)| {
            let own = chunk.with_text(&text[start..end.max(start)]);
            start = end.max(start);
            let hash = |chunk: &Chunk<'_>| Sha256::digest(chunk.text()).into();
            let mut alone = verify::with_texts([own], |_, text| text.to_owned());
            match (alone.next(), alone.next()) {
                (Some((_, alone, text)), None) if alone.verdict.status == judged.verdict.status => {
                    Self::new(&own, hash(&own), *alone, &text)
                }
                // Text that follows a result without white space can be another record by itself. It is judged as written,
                // and cannot be stored.
                _ => {
                    let nothing = chunk.with_text(&[]);
                    Self::new(&nothing, hash(&nothing), judged, "")
                }
            }
        })
    }

    /// The record with this source, judged now; none if it has no record.
    pub fn again(source: &[u8], format: Format) -> Option<Self> {
        Self::all(&Chunk::in_format(source, format)).next()
    }

    /// The record that is all of a chunk, whose text has this hash. `text` is that which its id is computed from.
    fn new(chunk: &Chunk<'_>, hash: Id, judged: Judged<'_>, text: &str) -> Self {
        let source = chunk.text();
        let Judged { record, verdict } = judged;
        // If the hash of the bytes is the id, they are the canonical text.
        let canonical = record.as_ref().filter(|_| verdict.id != Some(hash)).map(|_| canonical(chunk));
        Self {
            format: chunk.format(),
            source: source.to_vec(),
            digest: hash,
            id: verdict.id.unwrap_or(hash),
            canonical: canonical.flatten(),
            facts: record.map_or_else(Facts::default, |record| Facts::new(&record, &verdict, || Moves::of_text(text))),
            // The number of a verdict is not signed.
            signed: SignedVerdict::new(&Judgement::new(0, &verdict)).text(),
            verdict,
        }
    }

    /// True if there is a source to store.
    pub fn is_whole(&self) -> bool {
        !self.source.is_empty()
    }
}

/// The content of a source that is to have one record.
#[derive(Clone, Debug, PartialEq)]
pub enum SingleRecord {
    /// No record.
    Nothing,
    /// One record.
    One(Box<Submission>),
    /// Several records.
    Several,
}

impl SingleRecord {
    /// Reads a source up to its second record.
    ///
    /// # Errors
    /// Those of the source.
    pub fn read(reader: &mut Reader<impl Read>) -> io::Result<Self> {
        let mut found = Self::Nothing;
        while let Some(chunk) = reader.next_chunk()? {
            for submission in Submission::all(&chunk) {
                match found {
                    Self::Nothing => found = Self::One(Box::new(submission)),
                    _ => return Ok(Self::Several),
                }
            }
        }
        Ok(found)
    }
}

/// Canonical text of the only record of a chunk, with comments and variations.
fn canonical(chunk: &Chunk<'_>) -> Option<String> {
    let record = chunk.records().next()?.ok()?;
    Some(text(&record))
}

/// Canonical text of a record.
pub(crate) fn text(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| write::as_written(record), |game| game.canonical(record))
}
