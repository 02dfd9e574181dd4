//! Heads of the log: when they are signed, and the last of them in a file beside the key.
//!
//! Who changes the archive behind quipu's back can write another log into it, with other heads or with none, and all that is
//! in it agrees. That log does not go on from the head in the file, and so is neither signed nor sound.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use quipu_files::names::HEAD;

use super::{
    ReadTx, Store, StoreError, file_error,
    keys::{StoredSigner, signers},
    rows,
};
use crate::{
    model::Number,
    receipts::{Hash, Head, Hex, PublicKey, SIGNATURE, SecretKey, SignedHead, merkle, time, write_private},
};

/// Heads are signed and kept at most so often while receipts come in. What it bought: a signature takes as long as storing
/// a record, and one a second is not felt.
const HEAD_PAUSE: Duration = Duration::from_secs(1);
/// Bytes of a head at the most.
const MOST: u64 = 4 << 10;

/// What signs the log: the key, and the head that the log was known to go on from when this was asked for.
#[derive(Clone, Debug)]
pub struct Signer {
    /// The key.
    pub key: SecretKey,
    pub(super) kept: PinnedHead,
}

impl Signer {
    /// What its signatures are checked with.
    pub fn public(&self) -> PublicKey {
        self.key.public()
    }
}

/// A head that is kept, if any is.
#[derive(Clone, Debug)]
pub(super) struct PinnedHead {
    file: PathBuf,
    head: Option<SignedHead>,
}

impl PinnedHead {
    /// What the file beside an archive says.
    ///
    /// # Errors
    /// If it cannot be read. [`StoreError::Rewritten`] if there is something else in it.
    pub(super) fn read(archive: &Path) -> Result<Self, StoreError> {
        let file = archive.with_file_name(HEAD);
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
    pub(super) fn is_continued(&self, reading: &ReadTx<'_>, size: u64, root: &Hash) -> Result<(), StoreError> {
        match &self.head {
            Some(head) if !reading.goes_on_from(head, size, root)? => Err(self.rewritten()),
            _ => Ok(()),
        }
    }

    /// Whether the log of now does, and a key of it has signed the head.
    ///
    /// # Errors
    /// As there.
    pub(super) fn is_ours(&self, reading: &ReadTx<'_>) -> Result<(), StoreError> {
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
pub(super) struct LogSigner {
    pub(super) key: OnceLock<SecretKey>,
    kept: Mutex<PinnedHead>,
}

impl LogSigner {
    /// Nothing signs yet for the archive in a file.
    pub(super) fn new(archive: &Path) -> Self {
        let kept = PinnedHead { file: archive.with_file_name(HEAD), head: None };
        Self { key: OnceLock::new(), kept: Mutex::new(kept) }
    }

    pub(super) fn kept(&self) -> PinnedHead {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn begin_from(&self, kept: PinnedHead) {
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
    pub(super) fn keep(&self, reading: &ReadTx<'_>) -> Result<(), StoreError> {
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

/// When heads are signed: not at each commit, and always at the end.
#[derive(Default)]
pub(super) struct Heads {
    last: Option<Instant>,
}

impl Heads {
    /// Signs the head of the log, as the last thing that a transaction does, if it is time to.
    pub(super) fn sign_in_time(&mut self, connection: &Connection, signing: &LogSigner) -> Result<(), StoreError> {
        if self.last.is_some_and(|last| last.elapsed() < HEAD_PAUSE) {
            return Ok(());
        }
        let Some(signer) = signing.signer() else { return Ok(()) };
        sign_head(connection, &signer)?;
        self.last = Some(Instant::now());
        Ok(())
    }
}

/// Signs the head of the log, if that was not done since the last receipt; a key that another has followed signs no more.
/// What does not go on from the head that is kept is not signed.
pub(super) fn sign_head(connection: &Connection, Signer { key, kept }: &Signer) -> Result<(), StoreError> {
    let reading = ReadTx { connection };
    let size = reading.receipts()?;
    let (root, at) = reading.head(size)?;
    kept.is_continued(&reading, size, &root)?;
    if size == signed(&reading)? {
        return Ok(());
    }
    let signature = key.sign(&Head { size, root, time: &time(at) }.text());
    let mut insert = connection.prepare_cached(
        "INSERT INTO head SELECT ?, ?, ?, number, ? FROM signer
           WHERE public = ? AND number = (SELECT max(number) FROM signer)",
    )?;
    insert.execute(params![size, root, at.timestamp_millis(), signature, key.public().bytes()])?;
    Ok(())
}

impl Store {
    /// Signs the head of the log, if receipts came in since one was signed, and keeps it beside the key. The writer signs
    /// what it writes; this is for what others wrote, and for what came last.
    ///
    /// # Errors
    /// If the archive fails, or the head cannot be kept.
    pub fn sign_pending(&self) -> Result<(), StoreError> {
        self.keep_log()?;
        let Some(signer) = self.0.signing.signer() else { return Ok(()) };
        if self.read(has_unsigned)? {
            self.write(move |writing| sign_head(writing.connection, &signer)).wait()?;
        }
        self.read(|reading| self.0.signing.keep(reading))
    }
}

/// A head that was signed.
pub(super) struct StoredHead {
    pub(super) size: u64,
    root: Hash,
    at: DateTime<Utc>,
    signer: Number,
    signature: [u8; SIGNATURE],
}

impl StoredHead {
    pub(super) fn holds(&self, root: Hash, at: DateTime<Utc>, signers: &[StoredSigner]) -> bool {
        let mut in_use = signers.iter().skip_while(|signer| signer.number != self.signer);
        let (signer, next) = (in_use.next(), in_use.next());
        let is_retired = next.is_some_and(|next| next.size < self.size);
        let text = Head { size: self.size, root: self.root, time: &time(self.at) }.text();
        self.root == root
            && self.at == at
            && !is_retired
            && signer.is_some_and(|by| by.public.has_signed(&text, &self.signature))
    }
}

impl ReadTx<'_> {
    /// Heads that were signed, of more receipts than `after` and at most `to`.
    pub(super) fn heads(&self, after: u64, to: u64) -> Result<Vec<StoredHead>, StoreError> {
        let mut heads =
            self.connection.prepare_cached("SELECT * FROM head WHERE size > ? AND size <= ? ORDER BY size")?;
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
}

/// The head that was signed last, as it is handed out.
pub(super) fn last_head(reading: &ReadTx<'_>) -> Result<Option<SignedHead>, StoreError> {
    let mut last = reading.connection.prepare_cached(
        "SELECT head.*, signer.public FROM head JOIN signer ON signer.number = head.signer
           ORDER BY head.size DESC LIMIT 1",
    )?;
    let head = last.query_row([], |row| {
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

/// How many receipts there were when a head was signed last.
fn signed(reading: &ReadTx<'_>) -> Result<u64, StoreError> {
    let mut signed = reading.connection.prepare_cached("SELECT ifnull(max(size), 0) FROM head")?;
    Ok(signed.query_row([], |row| row.get(0))?)
}

/// Whether receipts came since.
fn has_unsigned(reading: &ReadTx<'_>) -> Result<bool, StoreError> {
    Ok(signed(reading)? < reading.receipts()?)
}

impl ReadTx<'_> {
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
