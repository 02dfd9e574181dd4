//! Receipts of a transaction, hashed together and appended at its end.

use chrono::{DateTime, Utc};
use quipu_referee::sha256::digests;

use crate::{
    model::{Id, Number},
    receipts::{Hash, Leaf, merkle, time},
    store::{
        database::{Connection, params},
        error::StoreError,
        read_tx::ReadTx,
        statements::Insert,
    },
};

/// A receipt that is not in the log yet.
pub(in crate::store) struct PendingEntry {
    /// Its index in the log.
    pub(in crate::store) index: u64,
    pub(super) verdict: Number,
    pub(super) edition: u32,
    pub(super) id: Id,
    pub(super) source: Hash,
    pub(super) status: &'static str,
    pub(super) at: DateTime<Utc>,
    /// The text of the verdict that is signed.
    pub(super) signed: Vec<u8>,
}

impl PendingEntry {
    /// Appends the next receipts in their order. Their verdicts, and their leaves, are each hashed in one batch.
    pub(in crate::store) fn append(receipts: &[Self], connection: &Connection) -> Result<(), StoreError> {
        let Some(first) = receipts.first() else { return Ok(()) };
        let verdicts = digests(&receipts.iter().map(|receipt| &*receipt.signed).collect::<Vec<_>>());
        // Records that came together have the same time.
        let mut last = (first.at, time(first.at));
        let leaves = merkle::leaves(receipts.iter().zip(verdicts).map(|(receipt, verdict)| {
            if receipt.at != last.0 {
                last = (receipt.at, time(receipt.at));
            }
            receipt.leaf_text(verdict, &last.1)
        }));
        let reading = ReadTx { connection };
        let nodes = merkle::append(first.index, &leaves, |level, number| reading.node(level, number))?;
        let mut insert = connection.prepare("INSERT INTO receipt VALUES (?, ?, ?, ?)")?;
        for (receipt, nodes) in receipts.iter().zip(nodes) {
            insert.insert_buffered(
                Insert::AFTER_ALL,
                params![receipt.index, receipt.verdict, receipt.edition, nodes.as_flattened()],
            )?;
        }
        Ok(())
    }

    /// The text of the leaf, with the hash of the verdict.
    fn leaf_text(&self, verdict: Hash, time: &str) -> String {
        let Self { index, id, source, status, edition, .. } = *self;
        Leaf { index, id, source, verdict, status, edition, time }.text()
    }
}
