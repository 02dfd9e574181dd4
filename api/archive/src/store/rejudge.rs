//! Stored records judged again: page by page so that memory is bounded, each page on all cores.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use quipu_referee::verify::EDITION;
use rusqlite::params;

use super::{ReadTx, StoreError, records, rows};
use crate::model::{Id, Judgement, Number, Source, Submission};

/// Records that are judged together at the most.
const RECORDS: usize = 1_024;
/// Bytes of records that are judged together; the last may go beyond.
const BYTES: usize = 8 * 1024 * 1024;

/// A record as it is stored, with the verdict on it that holds.
pub(super) struct Stored {
    pub(super) id: Id,
    pub(super) source: Source,
    /// SHA-256 of the source as it came in.
    pub(super) digest: [u8; 32],
    pub(super) judgement: Judgement,
    /// The verdict was given, or given again, under the rules of today.
    pub(super) is_of_today: bool,
}

impl Stored {
    /// The record judged now, and the verdict on it. An id that is not the one it is kept under is not the verdict's to
    /// tell: ids stay.
    pub(super) fn again(&self) -> Option<(Submission, Judgement)> {
        let submission = Submission::again(&self.source.bytes, self.source.form)?;
        let judgement = Judgement::new(self.judgement.number, &submission.verdict);
        let judgement = Judgement { id: judgement.id.map(|_| self.id), ..judgement };
        Some((submission, judgement))
    }
}

/// A number, and the record of it or why it cannot be had.
pub(super) type Found = (Number, Result<Stored, StoreError>);

/// Which records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// Those whose verdicts were given under other editions of the rules than that of today, and not confirmed since.
    NotOfToday,
}

/// The verdict that holds for a record: the last.
pub(super) const HOLDS: &str = "ifnull((SELECT max(number) FROM verdict AS again WHERE again.record = record.number AND again.record <> again.number), record.number)";

/// Whether a verdict was confirmed under an edition.
const CONFIRMED: &str =
    "EXISTS (SELECT 1 FROM confirmation WHERE confirmation.edition = ? AND confirmation.verdict = verdict.number)";

impl ReadTx<'_> {
    /// Records behind a number in their order, as many as are judged together; those that cannot be had with the reason.
    pub(super) fn stored(&self, which: Which, after: Number) -> Result<Vec<Found>, StoreError> {
        let sql = match which {
            Which::All => "SELECT number FROM record WHERE number > ? ORDER BY number".to_owned(),
            Which::NotOfToday => format!(
                "SELECT record.number FROM record JOIN verdict ON verdict.number = {HOLDS}
                 WHERE record.number > ? AND verdict.edition <> ? AND NOT {CONFIRMED} ORDER BY record.number"
            ),
        };
        let mut numbers = self.connection.prepare_cached(&sql)?;
        let mut numbers = match which {
            Which::All => numbers.query([after])?,
            Which::NotOfToday => numbers.query(params![after, EDITION, EDITION])?,
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

    fn stored_record(&self, number: Number) -> Result<Stored, StoreError> {
        let mut record = self
            .connection
            .prepare_cached(&format!("SELECT record.*, {HOLDS} AS verdict FROM record WHERE number = ?"))?;
        let (id, digest, source, verdict): (Id, Option<[u8; 32]>, Source, Number) = record
            .query_row([number], |row| {
                Ok((rows::id(row, "id")?, row.get("digest")?, records::source_row(row)?, row.get("verdict")?))
            })?;
        let judgement = records::judgement(self.connection, verdict)?;
        let mut confirmed =
            self.connection.prepare_cached(&format!("SELECT {CONFIRMED} FROM verdict WHERE number = ?"))?;
        let is_of_today =
            judgement.edition == EDITION || confirmed.query_row(params![EDITION, verdict], |row| row.get(0))?;
        Ok(Stored { id, source, digest: digest.unwrap_or(id), judgement, is_of_today })
    }

    /// The number of the verdict that holds for a record.
    pub(super) fn verdict_that_holds(&self, record: Number) -> Result<Number, StoreError> {
        let sql = format!("SELECT {HOLDS} FROM record WHERE number = ?");
        Ok(self.connection.prepare_cached(&sql)?.query_row([record], |row| row.get(0))?)
    }
}

/// What work makes of each thing, in their order, done on all cores.
pub(super) fn par_map<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(things.len());
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(index) else { return done };
            done.push((index, work(thing)));
        }
    };
    let mut all: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(take)).collect();
        // What a thread panicked with goes on here.
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, made)| made).collect()
}
