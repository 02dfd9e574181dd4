//! Keys that have signed the receipt log.

use chrono::{DateTime, Utc};

use crate::{
    model::Number,
    receipts::{Hex, Key, Keys, PublicKey, SIGNATURE_BYTES, time},
    store::{
        database::{self, Row, params},
        error::StoreError,
        read_tx::ReadTx,
        rows,
    },
};

/// A row of `signer`.
#[derive(Clone)]
pub(super) struct StoredKey {
    pub(super) number: Number,
    pub(super) public: PublicKey,
    /// Number of receipts when the key came into use.
    pub(super) size: u64,
    pub(super) at: DateTime<Utc>,
    /// Number of the key that signed this one.
    pub(super) signed_by: Number,
    pub(super) signature: [u8; SIGNATURE_BYTES],
}

/// The keys that have signed, oldest first.
pub(super) fn stored_keys(reading: &ReadTx<'_>) -> Result<Vec<StoredKey>, StoreError> {
    let mut signers = reading.connection.prepare("SELECT * FROM signer ORDER BY number")?;
    Ok(signers.query_map(params![], key_row)?.collect::<Result<_, _>>()?)
}

fn key_row(row: &Row<'_>) -> database::Result<StoredKey> {
    let public = PublicKey::new(&row.get("public")?).ok_or_else(|| rows::wrong("public"))?;
    Ok(StoredKey {
        number: row.get("number")?,
        public,
        size: row.get("size")?,
        at: rows::time(row, "at")?,
        signed_by: row.get("signed_by")?,
        signature: row.get("signature")?,
    })
}

impl ReadTx<'_> {
    /// The keys that have signed, oldest first.
    pub fn keys(&self) -> Result<Keys, StoreError> {
        let signers = stored_keys(self)?;
        let until = signers.iter().skip(1).map(|next| Some(next.size)).chain([None]);
        let id = |number: Number| {
            let signer = signers.iter().find(|signer| signer.number == number)?;
            Some(signer.public.id())
        };
        let key = |(signer, until): (&StoredKey, Option<u64>)| {
            Some(Key {
                key: Hex(signer.public.id()),
                public: Hex(signer.public.bytes()),
                from: signer.size,
                time: time(signer.at),
                until,
                signed_by: Hex(id(signer.signed_by)?),
                signature: Hex(signer.signature),
            })
        };
        let keys: Option<Vec<_>> = signers.iter().zip(until).map(key).collect();
        Ok(Keys { keys: keys.ok_or_else(|| StoreError::Corrupt("the keys of the log".to_owned()))? })
    }
}
