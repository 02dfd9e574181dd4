//! Outcomes of requests with an idempotency key, stored for a day. A repeated request gets the stored outcome and is not
//! carried out again.

use chrono::TimeDelta;
use sha2::{Digest as _, Sha256};

use super::{
    database::{self, OptionalRow, Row, params},
    error::StoreError,
    read_tx::ReadTx,
    write_tx::WriteTx,
};

/// Time after which an outcome expires.
const RETENTION: TimeDelta = TimeDelta::days(1);
/// Expired outcomes deleted whenever one is stored. More than one, so that the table shrinks.
const DELETED: usize = 8;

/// The result of looking up an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdempotencyLookup {
    /// No request has used it.
    New,
    /// The same request has used it.
    Same {
        /// Status of its response.
        status: u16,
        /// Its outcome, as the service has written it.
        outcome: String,
    },
    /// Another request has used it.
    Other,
}

impl WriteTx<'_> {
    /// Looks up the key of a request, which `fingerprint` identifies. Must run in the job that carries out the request, so that
    /// of two simultaneous requests only one is new.
    pub fn recall(&self, token: &str, key: &str, fingerprint: &[u8; 32]) -> Result<IdempotencyLookup, StoreError> {
        let mut outcome = self
            .connection
            .prepare("SELECT fingerprint, at, status, body FROM answer WHERE token = ? AND key = ? AND at > ?")?;
        let stored = outcome.query_row(params![token, key, self.expired()], StoredOutcome::of);
        let Some(stored) = stored.optional()? else { return Ok(IdempotencyLookup::New) };
        if !stored.is_unchanged([token, key]) {
            return Err(StoreError::Corrupt(format!("the outcome stored for the key {key}")));
        }
        let StoredOutcome { status, outcome, .. } = stored;
        Ok(if stored.fingerprint[..32] == *fingerprint {
            IdempotencyLookup::Same { status, outcome }
        } else {
            IdempotencyLookup::Other
        })
    }

    /// Stores the outcome of a request whose key is new.
    pub fn remember(
        &self,
        token: &str,
        key: &str,
        fingerprint: &[u8; 32],
        status: u16,
        outcome: &str,
    ) -> Result<(), StoreError> {
        let mut forget = self.connection.prepare(
            "DELETE FROM answer WHERE (token, key) IN (SELECT token, key FROM answer WHERE at <= ? ORDER BY at LIMIT ?)",
        )?;
        forget.execute(params![self.expired(), DELETED])?;
        let mut insert = self.connection.prepare(
            "INSERT INTO answer (token, key, fingerprint, at, status, body) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (token, key) DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at,
               status = excluded.status, body = excluded.body",
        )?;
        let at = self.now().timestamp_millis();
        let checksum = checksum([token, key], fingerprint, at, status, outcome);
        insert.execute(params![token, key, [*fingerprint, checksum].concat(), at, status, outcome])?;
        Ok(())
    }

    /// Outcomes of this time or earlier have expired.
    fn expired(&self) -> i64 {
        (self.now() - RETENTION).timestamp_millis()
    }
}

/// A row of `answer`.
struct StoredOutcome {
    /// Fingerprint of the request, followed by the checksum of the row.
    fingerprint: [u8; 64],
    at: i64,
    status: u16,
    outcome: String,
}

impl StoredOutcome {
    fn of(row: &Row<'_>) -> database::Result<Self> {
        Ok(Self {
            fingerprint: row.get("fingerprint")?,
            at: row.get("at")?,
            status: row.get("status")?,
            outcome: row.get("body")?,
        })
    }

    /// True if the checksum is that of this row with this token and key.
    fn is_unchanged(&self, key: [&str; 2]) -> bool {
        let (fingerprint, own) = self.fingerprint.split_at(32);
        checksum(key, fingerprint, self.at, self.status, &self.outcome) == own
    }
}

/// SHA-256 of a row. Outcomes cannot be recomputed from changes, so only this detects a damaged row.
fn checksum(key: [&str; 2], fingerprint: &[u8], at: i64, status: u16, outcome: &str) -> [u8; 32] {
    let mut sum = Sha256::new_with_prefix(fingerprint);
    sum.update(at.to_be_bytes());
    sum.update(status.to_be_bytes());
    for text in [key[0], key[1], outcome] {
        sum.update((text.len() as u64).to_be_bytes());
        sum.update(text);
    }
    sum.finalize().into()
}

/// Keys of the outcomes whose checksums are wrong.
pub(super) fn damaged_outcomes(reading: &ReadTx<'_>) -> Result<Vec<String>, StoreError> {
    let mut outcomes = reading.connection.prepare("SELECT * FROM answer ORDER BY token, key")?;
    let mut rows = outcomes.query(params![])?;
    let mut damaged = Vec::new();
    while let Some(row) = rows.next()? {
        let [token, key]: [String; 2] = [row.get("token")?, row.get("key")?];
        if !StoredOutcome::of(&row).is_ok_and(|stored| stored.is_unchanged([&token, &key])) {
            damaged.push(key);
        }
    }
    Ok(damaged)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;
    use crate::store::{
        Store,
        database::{
            Connection,
            sqlite::connect::{Access, connect},
        },
        deferred::DeferredWrites,
        statements::PreparedInserts,
    };

    /// Runs `work` on a new archive. Its first argument runs a write transaction at a time after a first day.
    #[track_caller]
    fn check(work: impl Fn(&dyn Fn(TimeDelta, &dyn Fn(&WriteTx<'_>)), &Connection)) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let connection = connect(store.path(), Access::Write).expect("a connection");
        let (deferred, inserts) = (DeferredWrites::default(), PreparedInserts::new(&connection));
        let first = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(20_000);
        work(&|after, act| act(&WriteTx::new(&inserts, &deferred, first + after)), &connection);
    }

    #[track_caller]
    fn recalled(writing: &WriteTx<'_>, [token, key]: [&str; 2], fingerprint: u8, expected: &IdempotencyLookup) {
        assert_eq!(writing.recall(token, key, &[fingerprint; 32]).expect("it answers"), *expected);
    }

    #[test]
    fn an_outcome_is_stored_for_a_day() {
        check(|at, _| {
            let same = IdempotencyLookup::Same { status: 201, outcome: "primero".to_owned() };
            at(TimeDelta::zero(), &|writing| {
                recalled(writing, ["t", "k"], 1, &IdempotencyLookup::New);
                writing.remember("t", "k", &[1; 32], 201, "primero").expect("it is stored");
            });
            for after in [TimeDelta::zero(), TimeDelta::days(1) - TimeDelta::milliseconds(1)] {
                at(after, &|writing| {
                    recalled(writing, ["t", "k"], 1, &same);
                    recalled(writing, ["t", "k"], 2, &IdempotencyLookup::Other);
                    recalled(writing, ["t", "l"], 1, &IdempotencyLookup::New);
                    recalled(writing, ["u", "k"], 1, &IdempotencyLookup::New);
                });
            }
            at(TimeDelta::days(1), &|writing| {
                recalled(writing, ["t", "k"], 2, &IdempotencyLookup::New);
                writing.remember("t", "k", &[2; 32], 200, "otro").expect("it is kept");
                recalled(writing, ["t", "k"], 2, &IdempotencyLookup::Same { status: 200, outcome: "otro".to_owned() });
            });
        });
    }

    #[test]
    fn expired_outcomes_are_deleted_a_few_at_a_time() {
        check(|at, connection| {
            let remember = |after, key: String| {
                at(after, &|writing| writing.remember("t", &key, &[0; 32], 200, "").expect("it is kept"));
                let count = connection.query_row("SELECT count(*) FROM answer", params![], |row| row.get::<usize>(0));
                count.expect("it answers")
            };
            for key in 0..3 * DELETED {
                assert_eq!(remember(TimeDelta::zero(), key.to_string()), key + 1);
            }
            for (key, left) in [2 * DELETED + 1, DELETED + 2, 3, 4].into_iter().enumerate() {
                assert_eq!(remember(TimeDelta::days(2), format!("new {key}")), left);
            }
        });
    }
}
