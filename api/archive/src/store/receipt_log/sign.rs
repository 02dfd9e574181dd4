//! The key in use, and when heads are signed.

use std::{
    path::Path,
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use super::{heads::signed_size, pinned_head::PinnedHead};
use crate::{
    receipts::{Head, PublicKey, SecretKey, time},
    store::{
        database::{Connection, params},
        error::StoreError,
        read_tx::ReadTx,
    },
};

/// Minimal time between two signed heads while receipts come in. A signature takes as long as storing a record, so one a second
/// does not matter.
const HEAD_PAUSE: Duration = Duration::from_secs(1);

/// A key, with the pinned head that the log must continue before the key signs.
#[derive(Clone, Debug)]
pub struct Signer {
    /// The key.
    pub key: SecretKey,
    pub(super) pinned: PinnedHead,
}

impl Signer {
    /// The public key that checks its signatures.
    pub fn public(&self) -> PublicKey {
        self.key.public()
    }
}

/// The key of an archive, once it is unlocked, and its pinned head. The store and its writer share it.
pub(in crate::store) struct LogSigner {
    pub(super) key: OnceLock<SecretKey>,
    pinned: Mutex<PinnedHead>,
}

impl LogSigner {
    /// A signer without a key, for the archive in a file.
    pub(in crate::store) fn new(archive: &Path) -> Self {
        Self { key: OnceLock::new(), pinned: Mutex::new(PinnedHead::none(archive)) }
    }

    pub(super) fn pinned(&self) -> PinnedHead {
        self.pinned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_pinned(&self, pinned: PinnedHead) {
        *self.pinned.lock().unwrap_or_else(PoisonError::into_inner) = pinned;
    }

    /// A signer with another key.
    pub(super) fn with(&self, key: SecretKey) -> Signer {
        Signer { key, pinned: self.pinned() }
    }

    pub(in crate::store) fn signer(&self) -> Option<Signer> {
        self.key.get().map(|key| self.with(key.clone()))
    }

    /// Pins the last signed head, which must be committed.
    pub(in crate::store) fn pin(&self, reading: &ReadTx<'_>) -> Result<(), StoreError> {
        let mut pinned = self.pinned();
        if pinned.pin(reading)? {
            self.set_pinned(pinned);
        }
        Ok(())
    }
}

/// Schedule of the writer's signed heads: not with each commit, and always at the end.
#[derive(Default)]
pub(in crate::store) struct HeadSchedule {
    last: Option<Instant>,
}

impl HeadSchedule {
    /// Signs the head if it is due. To be called last in a transaction.
    pub(in crate::store) fn sign_if_due(
        &mut self,
        connection: &Connection,
        signing: &LogSigner,
    ) -> Result<(), StoreError> {
        if self.last.is_some_and(|last| last.elapsed() < HEAD_PAUSE) {
            return Ok(());
        }
        let Some(signer) = signing.signer() else { return Ok(()) };
        sign_head(connection, &signer)?;
        self.last = Some(Instant::now());
        Ok(())
    }
}

/// Signs the head of the log if receipts were appended since the last one. A key that was replaced signs nothing.
///
/// # Errors
/// If the log does not continue the pinned head, or the archive fails.
pub(in crate::store) fn sign_head(connection: &Connection, Signer { key, pinned }: &Signer) -> Result<(), StoreError> {
    let reading = ReadTx { connection };
    let size = reading.receipts()?;
    let (root, at) = reading.root_at(size)?;
    pinned.check_continued(&reading, size, &root)?;
    if size == signed_size(&reading)? {
        return Ok(());
    }
    let signature = key.sign(&Head { size, root, time: &time(at) }.text());
    let mut insert = connection.prepare(
        "INSERT INTO head SELECT ?, ?, ?, number, ? FROM signer
           WHERE public = ? AND number = (SELECT max(number) FROM signer)",
    )?;
    insert.execute(params![size, root, at.timestamp_millis(), signature, key.public().bytes()])?;
    Ok(())
}
