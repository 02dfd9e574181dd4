//! All receipts, nodes, heads and keys checked.

use chrono::{DateTime, Utc};

use super::{
    entry::{ENTRIES, LogEntry, entry_row},
    keys::{StoredKey, stored_keys},
    pinned_head::PinnedHead,
};
use crate::{
    model::Number,
    receipts::{Hash, Head, SIGNATURE_BYTES, Succession, merkle, time},
    store::{
        archive::Store,
        database::params,
        error::StoreError,
        fault::ArchiveFault,
        progress::{Progress, Step},
        read_tx::ReadTx,
        record_rows::diagnostics_json,
        rows,
    },
};

/// Receipts that are read in one query.
const PAGE: u64 = 1_000;

/// SQL for verdicts and confirmations without a receipt.
const WITHOUT_RECEIPT: &str = "
  SELECT number FROM verdict WHERE NOT EXISTS (SELECT 1 FROM receipt
    WHERE receipt.number = verdict.receipt AND receipt.verdict = verdict.number)
  UNION SELECT verdict FROM confirmation WHERE NOT EXISTS (SELECT 1 FROM receipt
    WHERE receipt.number = confirmation.receipt AND receipt.verdict = confirmation.verdict
      AND receipt.edition = confirmation.edition)
  ORDER BY 1";

/// A row of `head`.
struct StoredHead {
    size: u64,
    root: Hash,
    at: DateTime<Utc>,
    signer: Number,
    signature: [u8; SIGNATURE_BYTES],
}

impl StoredHead {
    /// True if it is the head with this root and time, signed by a key that was in use.
    fn is_valid(&self, root: Hash, at: DateTime<Utc>, keys: &[StoredKey]) -> bool {
        let mut from_signer = keys.iter().skip_while(|key| key.number != self.signer);
        let (signer, next) = (from_signer.next(), from_signer.next());
        let is_retired = next.is_some_and(|next| next.size < self.size);
        let text = Head { size: self.size, root: self.root, time: &time(self.at) }.text();
        self.root == root
            && self.at == at
            && !is_retired
            && signer.is_some_and(|by| by.public.has_signed(&text, &self.signature))
    }
}

impl ReadTx<'_> {
    /// Signed heads of more than `after` and at most `to` receipts.
    fn heads(&self, after: u64, to: u64) -> Result<Vec<StoredHead>, StoreError> {
        let mut heads = self.connection.prepare("SELECT * FROM head WHERE size > ? AND size <= ? ORDER BY size")?;
        let heads = heads.query_map([after, to], |row| {
            Ok(StoredHead {
                size: row.get("size")?,
                root: row.get("root")?,
                at: rows::time(row, "at")?,
                signer: row.get("signer")?,
                signature: row.get("signature")?,
            })
        })?;
        Ok(heads.collect::<Result<_, _>>()?)
    }

    /// Receipts from one index to another, which is not included.
    fn entries_between(&self, first: u64, end: u64) -> Result<Vec<LogEntry>, StoreError> {
        let sql = format!("{ENTRIES} receipt.number BETWEEN ? AND ? ORDER BY receipt.number");
        let mut entries = self.connection.prepare(&sql)?;
        Ok(entries.query_map([first, end - 1], entry_row)?.collect::<Result<_, _>>()?)
    }
}

impl Store {
    /// Checks that each receipt is that of its verdict, that the tree is that of the receipts, that heads and keys are signed,
    /// and that the log continues the pinned head.
    pub(in crate::store) fn check_log(
        &self,
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(ArchiveFault),
    ) -> Result<(), StoreError> {
        match PinnedHead::read(self.path()).and_then(|pinned| self.read(|reading| pinned.check(reading))) {
            Err(StoreError::RewrittenLog(head)) => fault(ArchiveFault::Rewritten(head)),
            // The checks below report a missing row with its index.
            Err(StoreError::Corrupt(what)) => fault(ArchiveFault::File(what)),
            checked => checked?,
        }
        // The receipts of one moment: later ones are not checked.
        let (size, keys) = self.read(|reading| Ok::<_, StoreError>((reading.receipts()?, stored_keys(reading)?)))?;
        check_keys(&keys, size, fault);
        if self.check_entries(size, &keys, progress, fault)? {
            self.check_unreferenced(fault)?;
        }
        Ok(())
    }

    /// Checks the first `size` receipts with their nodes and heads; false if a row is missing, because nothing can be said about
    /// the tree after it.
    fn check_entries(
        &self,
        size: u64,
        keys: &[StoredKey],
        progress: &mut impl FnMut(Progress),
        fault: &mut impl FnMut(ArchiveFault),
    ) -> Result<bool, StoreError> {
        let mut tree = merkle::GrowingTree::default();
        let mut is_tree_right = true;
        while tree.size() < size {
            let first = tree.size();
            let end = size.min(first + PAGE);
            let page = self.read(|reading| {
                Ok::<_, StoreError>((reading.entries_between(first, end)?, reading.heads(first, end)?))
            })?;
            let (mut entries, mut heads) = (page.0.into_iter().peekable(), page.1.into_iter().peekable());
            for index in first..end {
                let Some(row) = entries.next_if(|row| row.index == index) else {
                    fault(ArchiveFault::Receipt(index));
                    return Ok(false);
                };
                let leaf = row.leaf_hash();
                let stored = row.nodes.first_chunk().copied();
                // The same JSON value can have other bytes.
                let is_as_written = diagnostics_json(&row.judgement.diagnostics)? == row.diagnostics;
                if stored != Some(leaf) || row.named != index || row.own_edition != row.edition || !is_as_written {
                    fault(ArchiveFault::Receipt(index));
                }
                // The tree is checked over the stored leaves, so that a wrong leaf is reported once.
                if tree.push(stored.unwrap_or(leaf)).concat() != row.nodes && is_tree_right {
                    is_tree_right = false;
                    fault(ArchiveFault::Tree(index));
                }
                while let Some(head) = heads.next_if(|head| head.size == index + 1) {
                    if !head.is_valid(tree.root(), row.at, keys) {
                        fault(ArchiveFault::Head(head.size));
                    }
                }
            }
            progress(Progress::of(Step::Receipts, end.cast_signed(), size.cast_signed()));
        }
        Ok(true)
    }

    /// Finds heads of sizes that the log does not have, and verdicts without a receipt.
    fn check_unreferenced(&self, fault: &mut impl FnMut(ArchiveFault)) -> Result<(), StoreError> {
        self.read(|reading| {
            let mut beyond = reading.connection.prepare("SELECT size FROM head WHERE size < 1 OR size > ?")?;
            let beyond = beyond.query_map([reading.receipts()?], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
            for size in beyond {
                fault(ArchiveFault::Head(size.unsigned_abs()));
            }
            let mut without = reading.connection.prepare(WITHOUT_RECEIPT)?;
            let without = without.query_map(params![], |row| row.get(0).map(ArchiveFault::Unreceipted))?;
            without.collect::<Result<Vec<_>, _>>()?.into_iter().for_each(&mut *fault);
            Ok(())
        })
    }
}

/// Checks the numbers and sizes of keys, and that each is signed by an earlier one or by itself.
fn check_keys(keys: &[StoredKey], size: u64, fault: &mut impl FnMut(ArchiveFault)) {
    for (number, key) in (1..).zip(keys) {
        let by = keys.iter().find(|by| by.number == key.signed_by && by.number <= key.number);
        let text = Succession { public: key.public, size: key.size, time: &time(key.at) }.text();
        let is_signed = by.is_some_and(|by| by.public.has_signed(&text, &key.signature));
        if !is_signed || key.number != number || key.size > size {
            fault(ArchiveFault::Key(key.number));
        }
    }
}
