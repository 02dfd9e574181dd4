//! Answers to requests that carry a key, kept for a day: who sends a request again gets the same answer, and nothing is
//! done again.

use chrono::TimeDelta;
use rusqlite::{OptionalExtension, params};

use super::{StoreError, Writing};

/// How long an answer is kept.
const KEPT: TimeDelta = TimeDelta::days(1);
/// Old answers that are deleted when one is stored. More than one, so that they go quicker than they come.
const DELETED: usize = 8;

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recall {
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

impl Writing<'_> {
    /// What is known of the key of a request; `fingerprint` tells requests apart. To be asked in the same piece of work
    /// as that which the request is about, so that of two that come at once only one is new.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn recall(&self, token: &str, key: &str, fingerprint: &[u8; 32]) -> Result<Recall, StoreError> {
        let mut answer = self
            .connection
            .prepare_cached("SELECT fingerprint, status, body FROM answer WHERE token = ? AND key = ? AND at > ?")?;
        let answer = answer.query_row(params![token, key, self.forgotten()], |row| {
            let known: [u8; 32] = row.get(0)?;
            Ok(if known == *fingerprint {
                Recall::Same { status: row.get(1)?, body: row.get(2)? }
            } else {
                Recall::Other
            })
        });
        Ok(answer.optional()?.unwrap_or(Recall::New))
    }

    /// Keeps the answer to a request whose key is new.
    ///
    /// # Errors
    /// If the archive fails.
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
        insert.execute(params![token, key, fingerprint, self.now().timestamp_millis(), status, body])?;
        Ok(())
    }

    /// What was answered then or before is forgotten.
    fn forgotten(&self) -> i64 {
        (self.now() - KEPT).timestamp_millis()
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use rusqlite::Connection;

    use super::*;
    use crate::store::{Access, Store, connect, held::Held, later::Later};

    /// Runs `work` on a fresh archive; it may act in it at any time after a first day.
    #[track_caller]
    fn check(work: impl Fn(&dyn Fn(TimeDelta, &dyn Fn(&Writing<'_>)), &Connection)) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let connection = connect(store.path(), Access::Write).expect("a connection");
        let (later, held) = (Later::default(), Held::new(&connection));
        let first = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(20_000);
        work(&|after, act| act(&Writing::new(&held, &later, first + after)), &connection);
    }

    #[track_caller]
    fn recalled(writing: &Writing<'_>, [token, key]: [&str; 2], fingerprint: u8, expected: &Recall) {
        assert_eq!(writing.recall(token, key, &[fingerprint; 32]).expect("it answers"), *expected);
    }

    #[test]
    fn an_answer_is_kept_for_a_day() {
        check(|at, _| {
            let same = Recall::Same { status: 201, body: "cuerpo".to_owned() };
            at(TimeDelta::zero(), &|writing| {
                recalled(writing, ["t", "k"], 1, &Recall::New);
                writing.remember("t", "k", &[1; 32], 201, "cuerpo").expect("it is kept");
            });
            for after in [TimeDelta::zero(), TimeDelta::days(1) - TimeDelta::milliseconds(1)] {
                at(after, &|writing| {
                    recalled(writing, ["t", "k"], 1, &same);
                    recalled(writing, ["t", "k"], 2, &Recall::Other);
                    recalled(writing, ["t", "l"], 1, &Recall::New);
                    recalled(writing, ["u", "k"], 1, &Recall::New);
                });
            }
            at(TimeDelta::days(1), &|writing| {
                recalled(writing, ["t", "k"], 2, &Recall::New);
                writing.remember("t", "k", &[2; 32], 200, "otro").expect("it is kept");
                recalled(writing, ["t", "k"], 2, &Recall::Same { status: 200, body: "otro".to_owned() });
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
