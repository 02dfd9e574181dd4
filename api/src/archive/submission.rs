//! Records as they are handed in: cut apart, judged, with all that the archive keeps of them.

use quipu_notation::record::{Block, Form, Record};
use quipu_referee::{
    Verdict, games,
    verify::{self, Judged},
};
use sha2::{Digest, Sha256};

use super::{Facts, Id};

/// One record that was handed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// The form it came in.
    pub form: Form,
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
    /// What else is known of it.
    pub facts: Facts,
}

impl Submission {
    /// The records of a block, each with the bytes that are its own.
    pub fn all<'b>(block: &Block<'b>) -> Box<dyn Iterator<Item = Self> + 'b> {
        // What is kept of it is its text, so it is judged by that and by nothing that a reader of a file knows besides.
        let block =
            if block.oversized().is_some() { block.alone() } else { Block::in_form(block.text(), block.form()) };
        if block.bare_records().nth(1).is_none() {
            return Box::new(verify::block(&block).map(move |judged| Self::new(&block, judged)));
        }
        // Text goes on after a result. Each record is judged with nothing before it, so that its places are its own.
        let text = block.text();
        let ends = block.bare_records().map_while(Result::ok).map(|record| record.span.end as usize);
        let mut start = 0;
        Box::new(ends.chain([text.len()]).zip(verify::block(&block)).map(move |(end, judged)| {
            let own = block.with_text(&text[start..end.max(start)]);
            start = end.max(start);
            let mut alone = verify::block(&own);
            match (alone.next(), alone.next()) {
                (Some(alone), None) if alone.verdict.status == judged.verdict.status => Self::new(&own, alone),
                // What follows a result without a space can be another record when it stands alone. It is judged as it
                // was written, and cannot be kept as that.
                _ => Self::new(&block.with_text(&[]), judged),
            }
        }))
    }

    /// The record that has this for its source, judged now.
    pub fn again(source: &[u8], form: Form) -> Option<Self> {
        Self::all(&Block::in_form(source, form)).next()
    }

    fn new(block: &Block<'_>, judged: Judged<'_>) -> Self {
        let source = block.text();
        let hash: Id = Sha256::digest(source).into();
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
            verdict,
        }
    }

    /// Whether there is anything to keep.
    pub fn is_whole(&self) -> bool {
        !self.source.is_empty()
    }
}

/// The canonical text of the one record of a block, with all that was written beside the moves.
fn canonical(block: &Block<'_>) -> Option<String> {
    let record = block.records().next()?.ok()?;
    Some(text(&record))
}

/// The canonical text of a record.
pub(crate) fn text(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| quipu_notation::record::write::as_written(record), |game| game.canonical(record))
}
