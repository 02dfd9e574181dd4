//! The head of the log that was signed last, in a file beside the key. Who changes the archive behind quipu's back can write
//! another log into it, with other heads or with none, and all that is in it agrees. That log does not go on from this head,
//! and so is neither signed nor sound.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use super::{
    Reading, StoreError, file_error,
    log::{last_head, signers},
};
use crate::receipts::{Hash, PublicKey, SecretKey, SignedHead, merkle, write_private};

/// Name of the file, beside the archive.
const FILE: &str = "quipu.head";
/// Bytes of a head at the most.
const MOST: u64 = 4 << 10;

/// What signs the log: the key, and the head that the log was known to go on from when this was asked for.
#[derive(Clone, Debug)]
pub struct Signer {
    /// The key.
    pub key: SecretKey,
    pub(super) kept: Kept,
}

impl Signer {
    /// What its signatures are checked with.
    pub fn public(&self) -> PublicKey {
        self.key.public()
    }
}

/// A head that is kept, if any is.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    file: PathBuf,
    head: Option<SignedHead>,
}

impl Kept {
    /// What the file beside an archive says.
    ///
    /// # Errors
    /// If it cannot be read. [`StoreError::Rewritten`] if there is something else in it.
    pub(super) fn read(archive: &Path) -> Result<Self, StoreError> {
        let file = archive.with_file_name(FILE);
        // Where a link leads, so that it is not left behind there.
        let is_link = fs::symlink_metadata(&file).is_ok_and(|about| about.is_symlink());
        let file = if is_link { fs::canonicalize(&file).unwrap_or(file) } else { file };
        let failed = |error| file_error(&file, error);
        let mut kept = Self { file: file.clone(), head: None };
        match fs::metadata(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(kept),
            Err(error) => return Err(failed(error)),
            // What is no file, such as a pipe, is not waited for.
            Ok(about) if !about.is_file() || about.len() > MOST => return Err(kept.rewritten()),
            Ok(_) => {}
        }
        let bytes = fs::read(&file).map_err(failed)?;
        kept.head = Some(serde_json::from_slice(&bytes).map_err(|_| kept.rewritten())?);
        Ok(kept)
    }

    /// Looks whether the log of so many receipts with this root goes on from it. That it is signed is looked at once, when
    /// it is read.
    ///
    /// # Errors
    /// [`StoreError::Rewritten`] if it does not.
    pub(super) fn is_continued(&self, reading: &Reading<'_>, size: u64, root: &Hash) -> Result<(), StoreError> {
        match &self.head {
            Some(head) if !reading.goes_on_from(head, size, root)? => Err(self.rewritten()),
            _ => Ok(()),
        }
    }

    /// Whether the log of now does, and a key of it has signed the head.
    ///
    /// # Errors
    /// As there.
    pub(super) fn is_ours(&self, reading: &Reading<'_>) -> Result<(), StoreError> {
        match &self.head {
            Some(head) if !reading.has_had(head)? => Err(self.rewritten()),
            _ => Ok(()),
        }
    }

    fn rewritten(&self) -> StoreError {
        StoreError::Rewritten(self.file.clone())
    }
}

/// What signs, as soon as it is there; shared with the writer.
pub(super) struct Signing {
    pub(super) key: OnceLock<SecretKey>,
    kept: Mutex<Kept>,
}

impl Signing {
    /// Nothing signs yet for the archive in a file.
    pub(super) fn new(archive: &Path) -> Self {
        let kept = Kept { file: archive.with_file_name(FILE), head: None };
        Self { key: OnceLock::new(), kept: Mutex::new(kept) }
    }

    pub(super) fn kept(&self) -> Kept {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn begin_from(&self, kept: Kept) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    /// What signs with another key than the one that is at hand.
    pub(super) fn with(&self, key: SecretKey) -> Signer {
        Signer { key, kept: self.kept() }
    }

    pub(super) fn signer(&self) -> Option<Signer> {
        self.key.get().map(|key| self.with(key.clone()))
    }

    /// Keeps the head that was signed last. It must be in the archive for good: a head that is kept and not there would
    /// look as if somebody had taken it out.
    ///
    /// # Errors
    /// If the archive or the file fails.
    pub(super) fn keep(&self, reading: &Reading<'_>) -> Result<(), StoreError> {
        let mut kept = self.kept();
        let Some(head) = last_head(reading)? else { return Ok(()) };
        if kept.head.as_ref() == Some(&head) {
            return Ok(());
        }
        kept.is_continued(reading, head.size, &head.root.0)?;
        if !reading.has_had(&head)? {
            return Err(kept.rewritten());
        }
        // A type of texts and numbers can always be written.
        let text = serde_json::to_string(&head).unwrap_or_default();
        write_private(&kept.file, format!("{text}\n").as_bytes()).map_err(|error| file_error(&kept.file, error))?;
        kept.head = Some(head);
        self.begin_from(kept);
        Ok(())
    }
}

impl Reading<'_> {
    /// Whether this is a head that the log of receipts had, signed by one of its keys: whether the log goes on from there.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn has_had(&self, head: &SignedHead) -> Result<bool, StoreError> {
        let signers = signers(self)?;
        let by = signers.iter().find(|signer| signer.public.id() == head.key.0);
        let is_signed = by.is_some_and(|by| by.public.has_signed(&head.head().text(), &head.signature.0));
        let size = self.receipts()?;
        let (root, _) = self.head(size)?;
        Ok(is_signed && self.goes_on_from(head, size, &root)?)
    }

    /// Whether the log of so many receipts with this root goes on from a head, whoever signed it. It is proved: the nodes
    /// that are stored could be those of one log for some questions and of another for others.
    fn goes_on_from(&self, head: &SignedHead, size: u64, root: &Hash) -> Result<bool, StoreError> {
        if head.size > size {
            return Ok(false);
        }
        let path = self.tree(size).consistency(head.size)?;
        Ok(merkle::is_consistent((head.size, &head.root.0), (size, root), &path))
    }
}
