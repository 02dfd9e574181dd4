//! Rows of the log and nodes of its tree.

use chrono::{DateTime, Utc};

use crate::{
    model::{Id, Judgement, SignedVerdict},
    receipts::{Hash, Leaf, merkle, time},
    store::{
        database::{self, OptionalRow, Row, params},
        error::StoreError,
        read_tx::ReadTx,
        record_rows::judgement_row,
        rows,
    },
};

/// Bytes of a hash.
const HASH: usize = size_of::<Hash>();

/// A receipt of the log, with the columns that its leaf is made of.
pub(super) struct LogEntry {
    pub(super) index: u64,
    pub(super) id: Id,
    pub(super) source: Hash,
    pub(super) judgement: Judgement,
    /// Edition of the verdict or of its confirmation.
    pub(super) edition: u32,
    /// Edition in the row of the receipt.
    pub(super) own_edition: u32,
    pub(super) at: DateTime<Utc>,
    /// Index of the receipt in the row of the verdict or of its confirmation.
    pub(super) named: u64,
    pub(super) nodes: Vec<u8>,
    /// JSON of the diagnostics, as stored.
    pub(super) diagnostics: Option<String>,
}

impl LogEntry {
    /// The hash of the leaf, from the rows that it is made of.
    pub(super) fn leaf_hash(&self) -> Hash {
        let (verdict, time) = (SignedVerdict::new(&self.judgement).hash(), time(self.at));
        let (index, id, source, edition) = (self.index, self.id, self.source, self.edition);
        let status = self.judgement.status.as_str();
        let leaf = Leaf { index, id, source, verdict, status, edition, time: &time };
        merkle::leaf(leaf.text().as_bytes())
    }
}

/// SQL for receipts with the columns of their leaves; a condition follows.
pub(super) const ENTRIES: &str =
    "SELECT verdict.*, record.id, receipt.number AS place, receipt.nodes, receipt.edition AS said,
    ifnull(confirmation.edition, verdict.edition) AS under, ifnull(record.digest, record.id) AS digest,
    ifnull(confirmation.at, change.at) AS given, confirmation.program AS confirmed,
    ifnull(confirmation.receipt, verdict.receipt) AS named_receipt
  FROM receipt JOIN verdict ON verdict.number = receipt.verdict
  JOIN record ON record.number = verdict.record JOIN change ON change.number = verdict.number
  LEFT JOIN confirmation ON confirmation.edition = receipt.edition AND confirmation.verdict = receipt.verdict
  WHERE";

pub(super) fn entry_row(row: &Row<'_>) -> database::Result<LogEntry> {
    let mut judgement = judgement_row(row)?;
    if let Some(program) = row.get("confirmed")? {
        judgement.program = program;
    }
    Ok(LogEntry {
        index: row.get("place")?,
        id: rows::id(row, "id")?,
        source: row.get("digest")?,
        judgement,
        edition: row.get("under")?,
        own_edition: row.get("said")?,
        at: rows::time(row, "given")?,
        named: row.get("named_receipt")?,
        nodes: row.get("nodes")?,
        diagnostics: row.get("diagnostics")?,
    })
}

impl ReadTx<'_> {
    /// Number of receipts.
    pub fn receipts(&self) -> Result<u64, StoreError> {
        let mut last = self.connection.prepare("SELECT ifnull(max(number) + 1, 0) FROM receipt")?;
        Ok(last.query_row(params![], |row| row.get(0))?)
    }

    /// A node of the tree by its level and number.
    pub(super) fn node(&self, level: u32, number: u64) -> Result<Hash, StoreError> {
        let row = merkle::completed_by(level, number);
        let mut nodes = self.connection.prepare("SELECT nodes FROM receipt WHERE number = ?")?;
        let nodes = nodes.query_row([row], |found| {
            let at = level as usize * HASH;
            Ok(found.value(0)?.as_blob()?.get(at..at + HASH).and_then(|node| Hash::try_from(node).ok()))
        });
        nodes.optional()?.flatten().ok_or_else(|| StoreError::Corrupt(format!("the log of receipts at {row}")))
    }

    /// The tree over the first `size` receipts.
    pub(super) fn tree(&self, size: u64) -> merkle::Tree<impl Fn(u32, u64) -> Result<Hash, StoreError>> {
        merkle::Tree { size, stored: |level, number| self.node(level, number) }
    }

    /// The root of the tree over the first `size` receipts, which must exist, and the time of the last of them.
    pub(in crate::store) fn root_at(&self, size: u64) -> Result<(Hash, DateTime<Utc>), StoreError> {
        let at = match size.checked_sub(1) {
            None => DateTime::UNIX_EPOCH,
            Some(last) => self.entry(last)?.at,
        };
        Ok((self.tree(size).root()?, at))
    }

    /// The receipt at an index.
    pub(super) fn entry(&self, index: u64) -> Result<LogEntry, StoreError> {
        let mut entry = self.connection.prepare(&format!("{ENTRIES} receipt.number = ?"))?;
        let entry = entry.query_row([index], entry_row).optional()?;
        entry.ok_or_else(|| StoreError::Corrupt(format!("the log of receipts at {index}")))
    }
}
