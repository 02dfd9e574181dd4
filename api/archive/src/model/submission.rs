//! Records as they are handed in: cut apart, judged, with all that the archive keeps of them.

use quipu_notation::record::{Chunk, Format, Record};
use quipu_referee::{
    Verdict, games,
    sha256::digests,
    verify::{self, Ids, Judged},
};
use sha2::{Digest, Sha256};

use super::{Facts, Id, Judgement};
use crate::receipts::SignedVerdict;

/// Blocks that are judged together.
const TOGETHER: usize = 64;

/// One record that was handed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// The form it came in.
    pub form: Format,
    /// Its bytes; of a record that is too large, or that reads otherwise when it stands alone, none.
    pub source: Vec<u8>,
    /// SHA-256 of these.
    pub digest: [u8; 32],
    /// What it is found by.
    pub id: Id,
    /// Its canonical text, where that is not the source itself and it can be read.
    pub canonical: Option<String>,
    /// The verdict; places are in the source.
    pub verdict: Verdict,
    /// What is signed of that.
    pub signed: Vec<u8>,
    /// What else is known of it.
    pub facts: Facts,
}

impl Submission {
    /// The records of a block, each with the bytes that are its own.
    pub fn all<'b>(block: &Chunk<'b>) -> impl Iterator<Item = Self> + use<'b> {
        Self::of_blocks([*block]).map(|(_, submission)| submission)
    }

    /// The records of many blocks, each with its block. Their hashes are made together, which takes a fraction of the time.
    pub fn of_blocks<'b, I>(blocks: I) -> impl Iterator<Item = (Chunk<'b>, Self)> + use<'b, I>
    where
        I: IntoIterator<Item = Chunk<'b>>,
    {
        let mut blocks = blocks.into_iter();
        let some = std::iter::from_fn(move || {
            let some: Vec<_> = blocks.by_ref().take(TOGETHER).collect();
            (!some.is_empty()).then_some(some)
        });
        some.flat_map(Self::together)
    }

    fn together<'b>(blocks: Vec<Chunk<'b>>) -> impl Iterator<Item = (Chunk<'b>, Self)> {
        // What is kept of it is its text, so it is judged by that and by nothing that a reader of a file knows besides.
        let alone = |block: &Chunk<'b>| {
            if block.oversized().is_some() { block.alone() } else { Chunk::in_form(block.text(), block.form()) }
        };
        let alone: Vec<Chunk<'b>> = blocks.iter().map(alone).collect();
        let hashes = digests(&alone.iter().map(Chunk::text).collect::<Vec<_>>());
        let mut judged = verify::blocks(alone.clone(), Ids::Computed).peekable();
        // Of what is too large no text is left, only where it stood.
        let same = |one: &Chunk<'_>, other: &Chunk<'_>| {
            std::ptr::eq(one.text(), other.text()) && one.offset() == other.offset()
        };
        // The block before, where not all that was judged of it was taken.
        let mut left = None;
        blocks.into_iter().zip(alone.into_iter().zip(hashes)).flat_map(move |(whole, (block, hash))| {
            if let Some(left) = left.take() {
                while judged.next_if(|(of, _)| same(of, &left)).is_some() {}
            }
            let first = judged.next_if(|(of, _)| same(of, &block));
            let is_alone = judged.peek().is_none_or(|(of, _)| !same(of, &block));
            left = (!is_alone).then_some(block);
            let one = first.filter(|_| is_alone).map(|(_, judged)| Self::new(&block, hash, judged));
            let several = (!is_alone).then(|| Self::several(block));
            one.into_iter().chain(several.into_iter().flatten()).map(move |submission| (whole, submission))
        })
    }

    /// The records of a block in which text goes on after a result. Each is judged with nothing before it, so that its places
    /// are its own.
    fn several(block: Chunk<'_>) -> impl Iterator<Item = Self> {
        let text = block.text();
        let ends = block.bare_records().map_while(Result::ok).map(|record| record.span.end as usize);
        let mut start = 0;
        ends.chain([text.len()]).zip(verify::block(&block)).map(move |(end, judged)| {
            let own = block.with_text(&text[start..end.max(start)]);
            start = end.max(start);
            let hash = |block: &Chunk<'_>| Sha256::digest(block.text()).into();
            let mut alone = verify::block(&own);
            match (alone.next(), alone.next()) {
                (Some(alone), None) if alone.verdict.status == judged.verdict.status => {
                    Self::new(&own, hash(&own), alone)
                }
                // What follows a result without a space can be another record when it stands alone. It is judged as it
                // was written, and cannot be kept as that.
                _ => {
                    let nothing = block.with_text(&[]);
                    Self::new(&nothing, hash(&nothing), judged)
                }
            }
        })
    }

    /// The record that has this for its source, judged now.
    pub fn again(source: &[u8], form: Format) -> Option<Self> {
        Self::all(&Chunk::in_form(source, form)).next()
    }

    /// A record that has this block for itself, the text of which has this hash.
    fn new(block: &Chunk<'_>, hash: Id, judged: Judged<'_>) -> Self {
        let source = block.text();
        let Judged { record, verdict } = judged;
        // Where the bytes have the hash that the canonical text has, they are that text.
        let canonical = record.as_ref().filter(|_| verdict.id != Some(hash)).map(|_| canonical(block));
        Self {
            form: block.form(),
            source: source.to_vec(),
            digest: hash,
            id: verdict.id.unwrap_or(hash),
            canonical: canonical.flatten(),
            facts: record.map_or_else(Facts::default, |record| Facts::new(&record, &verdict)),
            // The number of a verdict is not signed with it.
            signed: SignedVerdict::new(&Judgement::new(0, &verdict)).text(),
            verdict,
        }
    }

    /// Whether there is anything to keep.
    pub fn is_whole(&self) -> bool {
        !self.source.is_empty()
    }
}

/// The canonical text of the one record of a block, with all that was written beside the moves.
fn canonical(block: &Chunk<'_>) -> Option<String> {
    let record = block.records().next()?.ok()?;
    Some(text(&record))
}

/// The canonical text of a record.
pub(crate) fn text(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| quipu_notation::record::write::as_written(record), |game| game.canonical(record))
}
