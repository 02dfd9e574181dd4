//! The pinned head: the last signed head, in a file beside the key.
//!
//! A log that was rewritten in the archive file, with other heads or none, is consistent in itself. It does not continue the
//! pinned head, and so is neither signed nor reported as sound.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use quipu_files::names::HEAD;

use super::heads::last_head;
use crate::{
    receipts::{Hash, SignedHead, write_private},
    store::{
        error::{StoreError, file_error},
        read_tx::ReadTx,
    },
};

/// Maximal size of the file in bytes.
const MAX_BYTES: u64 = 4 << 10;

/// The file with the pinned head, and the head, if there is one.
#[derive(Clone, Debug)]
pub(super) struct PinnedHead {
    file: PathBuf,
    head: Option<SignedHead>,
}

impl PinnedHead {
    /// No pinned head yet for the archive in a file.
    pub(super) fn none(archive: &Path) -> Self {
        Self { file: archive.with_file_name(HEAD), head: None }
    }

    /// Reads the file beside an archive.
    ///
    /// # Errors
    /// If it cannot be read. [`StoreError::RewrittenLog`] if it has anything but a head.
    pub(super) fn read(archive: &Path) -> Result<Self, StoreError> {
        let file = archive.with_file_name(HEAD);
        // The target of a link is replaced, not the link.
        let is_link = fs::symlink_metadata(&file).is_ok_and(|about| about.is_symlink());
        let file = if is_link { fs::canonicalize(&file).unwrap_or(file) } else { file };
        let failed = |error| file_error(&file, error);
        let mut pinned = Self { file: file.clone(), head: None };
        match fs::metadata(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(pinned),
            Err(error) => return Err(failed(error)),
            // Reading a pipe could block.
            Ok(about) if !about.is_file() || about.len() > MAX_BYTES => return Err(pinned.rewritten()),
            Ok(_) => {}
        }
        let bytes = fs::read(&file).map_err(failed)?;
        pinned.head = Some(serde_json::from_slice(&bytes).map_err(|_| pinned.rewritten())?);
        Ok(pinned)
    }

    /// Checks that the log with `size` receipts and this root continues the head. The signature is checked once, by
    /// [`PinnedHead::check`].
    ///
    /// # Errors
    /// [`StoreError::RewrittenLog`] if it does not.
    pub(super) fn check_continued(&self, reading: &ReadTx<'_>, size: u64, root: &Hash) -> Result<(), StoreError> {
        match &self.head {
            Some(head) if !reading.continues(head, size, root)? => Err(self.rewritten()),
            _ => Ok(()),
        }
    }

    /// Checks that the log continues the head, and that one of its keys has signed it.
    ///
    /// # Errors
    /// [`StoreError::RewrittenLog`] if not.
    pub(super) fn check(&self, reading: &ReadTx<'_>) -> Result<(), StoreError> {
        match &self.head {
            Some(head) if !reading.has_had(head)? => Err(self.rewritten()),
            _ => Ok(()),
        }
    }

    /// Pins the last signed head of the log; false if it is pinned already. It must be committed: a pinned head that the log does
    /// not have would look like a rewritten log.
    pub(super) fn pin(&mut self, reading: &ReadTx<'_>) -> Result<bool, StoreError> {
        let Some(head) = last_head(reading)? else { return Ok(false) };
        if self.head.as_ref() == Some(&head) {
            return Ok(false);
        }
        self.check_continued(reading, head.size, &head.root.0)?;
        if !reading.has_had(&head)? {
            return Err(self.rewritten());
        }
        // Texts and numbers can always be written as JSON.
        let text = serde_json::to_string(&head).unwrap_or_default();
        write_private(&self.file, format!("{text}\n").as_bytes()).map_err(|error| file_error(&self.file, error))?;
        self.head = Some(head);
        Ok(true)
    }

    fn rewritten(&self) -> StoreError {
        StoreError::RewrittenLog(self.file.clone())
    }
}
