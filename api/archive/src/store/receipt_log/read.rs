//! Receipts and heads, signed for a reader.

use super::sign::Signer;
use crate::{
    model::{Id, Number, SignedVerdict},
    receipts::{Head, Hex, Receipt, SIGNATURE_BYTES, SignedHead, merkle, time},
    store::{database::params, error::StoreError, read_tx::ReadTx},
};

impl ReadTx<'_> {
    /// The current head of the log, signed.
    ///
    /// # Errors
    /// If the log does not continue the pinned head, or the archive fails.
    pub fn signed_head(&self, signer: &Signer) -> Result<SignedHead, StoreError> {
        let size = self.receipts()?;
        let (root, at) = self.root_at(size)?;
        signer.pinned.check_continued(self, size, &root)?;
        Ok(SignedHead::new(&Head { size, root, time: &time(at) }, &signer.key))
    }

    /// The proof that the log with `to` receipts continues the log with `from`; none if it never had so many.
    pub fn consistency(&self, from: u64, to: u64) -> Result<Option<Vec<Hex<32>>>, StoreError> {
        if from > to || to > self.receipts()? {
            return Ok(None);
        }
        let proof = self.tree(to).consistency(from)?;
        Ok(Some(proof.into_iter().map(Hex).collect()))
    }

    /// The last receipt of a record's current verdict, signed; none if there is no such record.
    ///
    /// # Errors
    /// As [`ReadTx::signed_head`].
    pub fn receipt(&self, id: &Id, signer: &Signer) -> Result<Option<Receipt>, StoreError> {
        let Some((number, state)) = self.find(id)? else { return Ok(None) };
        let entry = self.entry(self.last_receipt(number)?)?;
        let (head, key) = (self.signed_head(signer)?, &signer.key);
        let proof = self.tree(head.size).inclusion(entry.index)?;
        // A receipt whose rows have changed since it was appended is not signed.
        if !merkle::is_included(entry.leaf_hash(), entry.index, head.size, &proof, &head.root.0) {
            return Err(StoreError::Corrupt(format!("the log of receipts at {}", entry.index)));
        }
        let mut receipt = Receipt {
            index: entry.index,
            id: Hex(entry.id),
            source: Hex(entry.source),
            verdict: SignedVerdict::new(&entry.judgement),
            edition: entry.edition,
            time: time(entry.at),
            state: state.as_str().to_owned(),
            key: Hex(key.public().id()),
            signature: Hex([0; SIGNATURE_BYTES]),
            proof: proof.into_iter().map(Hex).collect(),
            head,
        };
        receipt.signature = Hex(key.sign(&receipt.leaf().text()));
        Ok(Some(receipt))
    }

    /// Index of a record's last receipt: that of the current verdict, or of its last confirmation.
    fn last_receipt(&self, record: Number) -> Result<u64, StoreError> {
        let verdict = self.current_verdict(record)?;
        let mut last = self.connection.prepare(
            "WITH RECURSIVE edition (number) AS (SELECT edition + 1 FROM verdict WHERE number = ?1
               UNION ALL SELECT number + 1 FROM edition WHERE number < ?2)
             SELECT ifnull((SELECT confirmation.receipt FROM edition JOIN confirmation
                ON confirmation.edition = edition.number AND confirmation.verdict = ?1
                ORDER BY edition.number DESC LIMIT 1), (SELECT receipt FROM verdict WHERE number = ?1))",
        )?;
        Ok(last.query_row(params![verdict, quipu_referee::verify::EDITION], |row| row.get(0))?)
    }
}
