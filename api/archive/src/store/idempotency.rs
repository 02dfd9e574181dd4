//! Answers to requests that carry a key, kept for a day: who sends a request again gets the same answer, and nothing is
//! done again.

use chrono::TimeDelta;
use rusqlite::{OptionalExtension, Row, params};
use sha2::{Digest as _, Sha256};

use super::{error::StoreError, read_tx::ReadTx, write_tx::WriteTx};

/// How long an answer is kept.
const KEPT: TimeDelta = TimeDelta::days(1);
/// Old answers that are deleted when one is stored. More than one, so that they go quicker than they come.
const DELETED: usize = 8;

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdempotencyLookup {
    /// It is new.
    New,
    /// The same request came before; what it was answered.
    Same {
        /// The status.
        status: u16,
        /// The body.
        body: String,
    },
    /// Another request came with it.
    Other,
}

impl WriteTx<'_> {
    /// What is known of the key of a request; `fingerprint` tells requests apart. To be asked in the same piece of work
    /// as that which the request is about, so that of two that come at once only one is new.
    pub fn recall(&self, token: &str, key: &str, fingerprint: &[u8; 32]) -> Result<IdempotencyLookup, StoreError> {
        let mut answer = self.connection.prepare_cached(
            "SELECT fingerprint, at, status, body FROM answer WHERE token = ? AND key = ? AND at > ?",
        )?;
        let answer = answer.query_row(params![token, key, self.forgotten()], StoredAnswer::of);
        let Some(kept) = answer.optional()? else { return Ok(IdempotencyLookup::New) };
        if !kept.is_whole([token, key]) {
            return Err(StoreError::Corrupt(format!("the answer kept for the key {key}")));
        }
        let StoredAnswer { status, body, .. } = kept;
        Ok(if kept.fingerprint[..32] == *fingerprint {
            IdempotencyLookup::Same { status, body }
        } else {
            IdempotencyLookup::Other
        })
    }

    /// Keeps the answer to a request whose key is new.
    pub fn remember(
        &self,
        token: &str,
        key: &str,
        fingerprint: &[u8; 32],
        status: u16,
        body: &str,
    ) -> Result<(), StoreError> {
        let mut forget = self.connection.prepare_cached(
            "DELETE FROM answer WHERE (token, key) IN (SELECT token, key FROM answer WHERE at <= ? ORDER BY at LIMIT ?)",
        )?;
        forget.execute(params![self.forgotten(), DELETED])?;
        let mut insert = self.connection.prepare_cached("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?)")?;
        let at = self.now().timestamp_millis();
        let sum = sum([token, key], fingerprint, at, status, body);
        insert.execute(params![token, key, [*fingerprint, sum].concat(), at, status, body])?;
        Ok(())
    }

    /// What was answered then or before is forgotten.
    fn forgotten(&self) -> i64 {
        (self.now() - KEPT).timestamp_millis()
    }
}

/// An answer as it is kept.
struct StoredAnswer {
    /// Fingerprint of the request, and the checksum of the row.
    fingerprint: [u8; 64],
    at: i64,
    status: u16,
    body: String,
}

impl StoredAnswer {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            fingerprint: row.get("fingerprint")?,
            at: row.get("at")?,
            status: row.get("status")?,
            body: row.get("body")?,
        })
    }

    /// True if the checksum is that of what was kept for this token and key.
    fn is_whole(&self, by: [&str; 2]) -> bool {
        let (fingerprint, own) = self.fingerprint.split_at(32);
        sum(by, fingerprint, self.at, self.status, &self.body) == own
    }
}

/// SHA-256 of all that an answer has. Nothing else tells of it: it follows from no change.
fn sum(by: [&str; 2], fingerprint: &[u8], at: i64, status: u16, body: &str) -> [u8; 32] {
    let mut sum = Sha256::new_with_prefix(fingerprint);
    sum.update(at.to_be_bytes());
    sum.update(status.to_be_bytes());
    for text in [by[0], by[1], body] {
        sum.update((text.len() as u64).to_be_bytes());
        sum.update(text);
    }
    sum.finalize().into()
}

/// The keys of answers that are not what was kept.
pub(super) fn spoilt_answers(reading: &ReadTx<'_>) -> Result<Vec<String>, StoreError> {
    let mut answers = reading.connection.prepare("SELECT * FROM answer ORDER BY token, key")?;
    let mut rows = answers.query([])?;
    let mut spoilt = Vec::new();
    while let Some(row) = rows.next()? {
        let [token, key]: [String; 2] = [row.get("token")?, row.get("key")?];
        if !StoredAnswer::of(row).is_ok_and(|kept| kept.is_whole([&token, &key])) {
            spoilt.push(key);
        }
    }
    Ok(spoilt)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use rusqlite::Connection;

    use super::*;
    use crate::store::{
        Store,
        connection::{Access, connect},
        deferred::DeferredWrites,
        statements::PreparedInserts,
    };

    /// Runs `work` on a fresh archive; it may act in it at any time after a first day.
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
    fn an_answer_is_kept_for_a_day() {
        check(|at, _| {
            let same = IdempotencyLookup::Same { status: 201, body: "cuerpo".to_owned() };
            at(TimeDelta::zero(), &|writing| {
                recalled(writing, ["t", "k"], 1, &IdempotencyLookup::New);
                writing.remember("t", "k", &[1; 32], 201, "cuerpo").expect("it is kept");
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
                recalled(writing, ["t", "k"], 2, &IdempotencyLookup::Same { status: 200, body: "otro".to_owned() });
            });
        });
    }

    #[test]
    fn old_answers_go_a_few_at_a_time() {
        check(|at, connection| {
            let remember = |after, key: String| {
                at(after, &|writing| writing.remember("t", &key, &[0; 32], 200, "").expect("it is kept"));
                let count = connection.query_row("SELECT count(*) FROM answer", [], |row| row.get::<_, usize>(0));
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
