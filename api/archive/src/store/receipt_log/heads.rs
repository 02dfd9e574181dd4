//! Signed heads, and whether the log continues one.

use super::keys::stored_keys;
use crate::{
    receipts::{Hash, Hex, PublicKey, SignedHead, merkle, time},
    store::{
        database::{OptionalRow, params},
        error::StoreError,
        read_tx::ReadTx,
        rows,
    },
};

/// The last signed head.
pub(super) fn last_head(reading: &ReadTx<'_>) -> Result<Option<SignedHead>, StoreError> {
    let mut last = reading.connection.prepare(
        "SELECT head.*, signer.public FROM head JOIN signer ON signer.number = head.signer
           ORDER BY head.size DESC LIMIT 1",
    )?;
    let head = last.query_row(params![], |row| {
        let by = PublicKey::new(&row.get("public")?).ok_or_else(|| rows::wrong("public"))?;
        Ok(SignedHead {
            size: row.get("size")?,
            root: Hex(row.get("root")?),
            time: time(rows::time(row, "at")?),
            key: Hex(by.id()),
            signature: Hex(row.get("signature")?),
        })
    });
    Ok(head.optional()?)
}

/// Number of receipts in the last signed head.
pub(super) fn signed_size(reading: &ReadTx<'_>) -> Result<u64, StoreError> {
    let mut signed = reading.connection.prepare("SELECT ifnull(max(size), 0) FROM head")?;
    Ok(signed.query_row(params![], |row| row.get(0))?)
}

/// True if receipts were appended since the last signed head.
pub(super) fn has_unsigned(reading: &ReadTx<'_>) -> Result<bool, StoreError> {
    Ok(signed_size(reading)? < reading.receipts()?)
}

impl ReadTx<'_> {
    /// True if one of the log's keys has signed this head, and the log continues it.
    pub fn has_had(&self, head: &SignedHead) -> Result<bool, StoreError> {
        let keys = stored_keys(self)?;
        let by = keys.iter().find(|signer| signer.public.id() == head.key.0);
        let is_signed = by.is_some_and(|by| by.public.has_signed(&head.head().text(), &head.signature.0));
        let size = self.receipts()?;
        let (root, _) = self.root_at(size)?;
        Ok(is_signed && self.continues(head, size, &root)?)
    }

    /// True if the log with `size` receipts and this root continues a head, whose signature is not checked. It checks a
    /// consistency proof, because the stored nodes might be those of two logs.
    pub(super) fn continues(&self, head: &SignedHead, size: u64, root: &Hash) -> Result<bool, StoreError> {
        if head.size > size {
            return Ok(false);
        }
        let path = self.tree(size).consistency(head.size)?;
        Ok(merkle::is_consistent((head.size, &head.root.0), (size, root), &path))
    }
}
