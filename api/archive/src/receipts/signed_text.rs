//! The texts that are hashed and signed.

use chrono::{DateTime, SecondsFormat, Utc};

use super::{Hash, Hex, PublicKey};
use crate::model::Id;

/// A leaf of the receipt log: a verdict on a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf<'l> {
    /// Index in the receipt log, from 0.
    pub index: u64,
    /// The id of the record.
    pub id: Id,
    /// SHA-256 of the source.
    pub source: Hash,
    /// [`SignedVerdict::hash`](crate::model::SignedVerdict::hash) of the verdict.
    pub verdict: Hash,
    /// Status of the record.
    pub status: &'l str,
    /// The edition of the rules.
    pub edition: u32,
    /// Time of the verdict, as [`time`] writes it.
    pub time: &'l str,
}

impl Leaf<'_> {
    /// The text that is hashed and signed.
    pub fn text(&self) -> String {
        let Self { index, id, source, verdict, status, edition, time } = self;
        let [id, source, verdict] = [id, source, verdict].map(|bytes| Hex(*bytes));
        format!(
            "quipu receipt v1\nindex {index}\nid {id}\nsource {source}\nverdict {verdict}\nstatus {status}\nedition {edition}\ntime {time}\n"
        )
    }
}

/// A head of the receipt log: its state at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head<'h> {
    /// Number of leaves.
    pub size: u64,
    /// Root of the tree.
    pub root: Hash,
    /// Time of the last leaf, as [`time`] writes it.
    pub time: &'h str,
}

impl Head<'_> {
    /// The text that is signed.
    pub fn text(&self) -> String {
        let Self { size, root, time } = self;
        format!("quipu log v1\nsize {size}\nroot {}\ntime {time}\n", Hex(*root))
    }
}

/// A key that comes into use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Succession<'s> {
    /// The public key.
    pub public: PublicKey,
    /// Number of leaves at that time.
    pub size: u64,
    /// Time, as [`time`] writes it.
    pub time: &'s str,
}

impl Succession<'_> {
    /// The text that the previous key signs; the first key signs its own.
    pub fn text(&self) -> String {
        let Self { public, size, time } = self;
        format!("quipu key v1\npublic {}\nsize {size}\ntime {time}\n", Hex(public.bytes()))
    }
}

/// A time as in documents and signed texts: RFC 3339 in UTC with milliseconds.
pub fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
