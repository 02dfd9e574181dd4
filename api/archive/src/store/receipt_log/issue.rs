//! The receipt of a verdict, in a write transaction.

use super::append::PendingEntry;
use crate::{
    model::{Id, Judgement, Number},
    receipts::Hash,
    store::{error::StoreError, write_tx::WriteTx},
};

impl WriteTx<'_> {
    /// Index of the next receipt.
    pub(in crate::store) fn next_receipt(&self) -> Result<u64, StoreError> {
        self.deferred.last_receipt().map_or_else(|| self.receipts(), |last| Ok(last + 1))
    }

    /// The id of a record and the SHA-256 of its source.
    pub(in crate::store) fn hashes_of(&self, record: Number) -> Result<(Id, Hash), StoreError> {
        let mut hashes = self.connection.prepare("SELECT id, ifnull(digest, id) FROM record WHERE number = ?")?;
        Ok(hashes.query_row([record], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Defers the receipt of a verdict on the record with this id and this hash of its source. `index` is the next; `signed` is
    /// the text of the verdict that is signed.
    pub(in crate::store) fn issue(
        &self,
        index: u64,
        [id, source]: [&Id; 2],
        judgement: &Judgement,
        edition: u32,
        signed: Vec<u8>,
    ) {
        let (verdict, status, at) = (judgement.number, judgement.status.as_str(), self.now());
        let (id, source) = (*id, *source);
        self.deferred.receipt(PendingEntry { index, verdict, edition, id, source, status, at, signed });
    }
}
