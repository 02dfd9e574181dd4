//! Judging stored records again: page by page, so that memory is bounded, and each page on all cores.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use quipu_referee::verify::EDITION;

use super::{
    database::params,
    error::StoreError,
    read_tx::ReadTx,
    record_rows::{CURRENT_VERDICT, judgement, source_row},
    rows,
};
use crate::model::{Id, Judgement, Number, Source, Submission};

/// Maximal records of a page.
const RECORDS: usize = 1_024;
/// Bytes of sources after which a page ends.
const BYTES: usize = 8 * 1024 * 1024;

/// A stored record with its current verdict.
pub(super) struct StoredRecord {
    pub(super) id: Id,
    pub(super) source: Source,
    /// Stored SHA-256 of the source.
    pub(super) digest: [u8; 32],
    pub(super) judgement: Judgement,
    /// True if the verdict was given or confirmed under the current edition of the rules.
    pub(super) is_current_edition: bool,
}

impl StoredRecord {
    /// The record judged now, and the verdict with the stored id, which never changes.
    pub(super) fn rejudge(&self) -> Option<(Submission, Judgement)> {
        let submission = Submission::again(&self.source.bytes, self.source.format)?;
        let judgement = Judgement::new(self.judgement.number, &submission.verdict);
        let judgement = Judgement { id: judgement.id.map(|_| self.id), ..judgement };
        Some((submission, judgement))
    }
}

/// A number, and its record or the reason that it cannot be read.
pub(super) type StoredResult = (Number, Result<StoredRecord, StoreError>);

/// A selection of stored records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    All,
    /// Those whose verdicts are of another edition of the rules, and not confirmed under the current one.
    OtherEditions,
}

/// SQL condition that a verdict was confirmed under an edition.
const CONFIRMED: &str =
    "EXISTS (SELECT 1 FROM confirmation WHERE confirmation.edition = ? AND confirmation.verdict = verdict.number)";

impl ReadTx<'_> {
    /// The page of records after a number.
    pub(super) fn stored(&self, selection: Selection, after: Number) -> Result<Vec<StoredResult>, StoreError> {
        let sql = match selection {
            Selection::All => "SELECT number FROM record WHERE number > ? ORDER BY number LIMIT ?".to_owned(),
            Selection::OtherEditions => format!(
                "SELECT record.number FROM record JOIN verdict ON verdict.number = {CURRENT_VERDICT}
                 WHERE record.number > ? AND verdict.edition <> ? AND NOT {CONFIRMED} ORDER BY record.number LIMIT ?"
            ),
        };
        let mut numbers = self.connection.prepare(&sql)?;
        let mut numbers = match selection {
            Selection::All => numbers.query(params![after, RECORDS])?,
            Selection::OtherEditions => numbers.query(params![after, EDITION, EDITION, RECORDS])?,
        };
        let (mut page, mut bytes) = (Vec::new(), 0);
        while page.len() < RECORDS && bytes < BYTES {
            let Some(row) = numbers.next()? else { break };
            let number = row.get(0)?;
            let stored = self.stored_record(number);
            bytes += stored.as_ref().map_or(0, |stored| stored.source.bytes.len());
            page.push((number, stored));
        }
        Ok(page)
    }

    fn stored_record(&self, number: Number) -> Result<StoredRecord, StoreError> {
        let mut record = self
            .connection
            .prepare(&format!("SELECT record.*, {CURRENT_VERDICT} AS verdict FROM record WHERE number = ?"))?;
        let (id, digest, source, verdict): (Id, Option<[u8; 32]>, Source, Number) = record
            .query_row([number], |row| {
                Ok((rows::id(row, "id")?, row.get("digest")?, source_row(row)?, row.get("verdict")?))
            })?;
        let judgement = judgement(self.connection, verdict)?;
        let mut confirmed = self.connection.prepare(&format!("SELECT {CONFIRMED} FROM verdict WHERE number = ?"))?;
        let is_current_edition =
            judgement.edition == EDITION || confirmed.query_row(params![EDITION, verdict], |row| row.get(0))?;
        Ok(StoredRecord { id, source, digest: digest.unwrap_or(id), judgement, is_current_edition })
    }
}

/// Maps items on all cores; the results are in the order of the items. A panic of a thread continues in the caller.
pub(super) fn par_map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut all: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(take)).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, made)| made).collect()
}
