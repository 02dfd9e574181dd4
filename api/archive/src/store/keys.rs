//! The keys that sign the log of receipts: which have signed, the one in the file beside the archive, and how another takes
//! its place.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use rusqlite::{Row, params};

use quipu_files::names::KEY;

use super::{
    ReadTx, Store, StoreError, WriteTx, file_error,
    pinned_head::{PinnedHead, Signer, sign_head},
    rows,
};
use crate::{
    model::Number,
    receipts::{Hex, Key, KeyError, Keys, PublicKey, SIGNATURE, SecretKey, Succession, rename, time},
};

impl ReadTx<'_> {
    /// The keys that have signed, the first first.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn keys(&self) -> Result<Keys, StoreError> {
        let signers = signers(self)?;
        let until = signers.iter().skip(1).map(|next| Some(next.size)).chain([None]);
        let id = |number: Number| {
            let signer = signers.iter().find(|signer| signer.number == number)?;
            Some(signer.public.id())
        };
        let key = |(signer, until): (&StoredSigner, Option<u64>)| {
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

/// The keys that have signed, the first first.
pub(super) fn signers(reading: &ReadTx<'_>) -> Result<Vec<StoredSigner>, StoreError> {
    let mut signers = reading.connection.prepare_cached("SELECT * FROM signer ORDER BY number")?;
    Ok(signers.query_map([], signer_row)?.collect::<Result<_, _>>()?)
}

/// A key that has signed.
#[derive(Clone)]
pub(super) struct StoredSigner {
    pub(super) number: Number,
    pub(super) public: PublicKey,
    pub(super) size: u64,
    pub(super) at: DateTime<Utc>,
    pub(super) signed_by: Number,
    pub(super) signature: [u8; SIGNATURE],
}

fn signer_row(row: &Row<'_>) -> rusqlite::Result<StoredSigner> {
    let public = PublicKey::new(&row.get("public")?).ok_or_else(|| rows::wrong("public"))?;
    Ok(StoredSigner {
        number: row.get("number")?,
        public,
        size: row.get("size")?,
        at: rows::time(row, "at")?,
        signed_by: row.get("signed_by")?,
        signature: row.get("signature")?,
    })
}

impl WriteTx<'_> {
    /// Has a key sign from now on, signed by the one before it if that is at hand.
    fn succeed(&self, key: &SecretKey, before: Option<&SecretKey>) -> Result<(), StoreError> {
        self.later.file(self.connection)?;
        let signers = signers(self)?;
        let last = signers.last().map_or(0, |last| last.number);
        let (number, size) = (last + 1, self.receipts()?);
        let (at, public) = (self.now(), key.public());
        let text = Succession { public, size, time: &time(at) }.text();
        let (signed_by, signature) = match before {
            Some(before) => (last, before.sign(&text)),
            None => (number, key.sign(&text)),
        };
        let mut insert = self.connection.prepare_cached("INSERT INTO signer VALUES (?, ?, ?, ?, ?, ?)")?;
        insert.execute(params![number, public.bytes(), size, at.timestamp_millis(), signed_by, signature])?;
        Ok(())
    }
}

fn new_key() -> Result<SecretKey, StoreError> {
    SecretKey::generate().map_err(|error| StoreError::Other(error.to_string()))
}

/// The file of the key that is to take the place of the one in a file.
fn next_to(file: &Path) -> PathBuf {
    let mut next = file.to_owned().into_os_string();
    next.push(".next");
    next.into()
}

impl Store {
    /// What signs. It is to be asked for before what it signs is read: a head that is kept later is none that a log of
    /// before goes on from.
    ///
    /// # Errors
    /// If the archive was not [unlocked](Store::unlock).
    pub fn signer(&self) -> Result<Signer, StoreError> {
        self.0.signing.signer().ok_or_else(|| StoreError::NoKey(self.beside(KEY)))
    }

    /// Has the archive sign receipts with the key in the file beside it; the first is made where none has signed yet. Says
    /// what signatures are checked with. It is for who holds the [lock](super::ServeLock).
    ///
    /// # Errors
    /// If there is no key, or one that cannot be used, or the archive fails. Another key than the last would lock that out
    /// for good, so none is made or taken unasked: [`Store::reset_key`] is for that. [`StoreError::Rewritten`] if the log
    /// does not go on from the head that is kept beside the key.
    pub fn unlock(&self) -> Result<PublicKey, StoreError> {
        if let Some(key) = self.0.signing.key.get() {
            return Ok(key.public());
        }
        let signers = self.read(signers)?;
        self.finish_rotation(signers.last())?;
        let path = self.key_file()?;
        let key = match (SecretKey::read(&path)?, signers.last()) {
            (Some(key), None) => key,
            (Some(key), Some(last)) if last.public == key.public() => key,
            (Some(key), _) if signers.iter().any(|signer| signer.public == key.public()) => {
                return Err(StoreError::Retired(path));
            }
            (Some(_), Some(_)) => return Err(StoreError::Stranger(path)),
            (None, Some(_)) => return Err(StoreError::Lost(path)),
            (None, None) => {
                let key = new_key()?;
                key.write(&path)?;
                key
            }
        };
        self.begin_from_kept()?;
        if signers.is_empty() {
            let key = key.clone();
            self.write(move |writing| writing.succeed(&key, None)).wait()?;
        }
        // Not before the archive knows it.
        let public = self.0.signing.key.get_or_init(|| key).public();
        // What was stored while no key was at hand, as by an import, is signed now; where nothing can be written, later.
        let _ = self.sign_pending();
        Ok(public)
    }

    /// Looks that the log goes on from the head that is kept beside the key; from now on nothing else is signed.
    fn begin_from_kept(&self) -> Result<(), StoreError> {
        let kept = PinnedHead::read(self.path())?;
        self.read(|reading| kept.is_ours(reading))?;
        self.0.signing.begin_from(kept);
        Ok(())
    }

    /// Puts another key in the place of the one that signs, signed by it; says what signatures are checked with from now
    /// on. It is for who holds the [lock](super::ServeLock).
    ///
    /// # Errors
    /// As [`Store::unlock`].
    pub fn rotate(&self) -> Result<PublicKey, StoreError> {
        self.unlock()?;
        self.follow(Some(self.signer()?.key))
    }

    /// The same where the last key is lost: no other signs the new one, which is the one in the file if that never signed,
    /// and who trusted the last has to decide anew. If the last is there after all, it signs.
    ///
    /// # Errors
    /// As [`Store::unlock`], but for what is said of the key.
    pub fn reset_key(&self) -> Result<PublicKey, StoreError> {
        match self.unlock() {
            Ok(_) => self.rotate(),
            // A key that somebody put there to be used is not thrown away.
            Err(StoreError::Stranger(path)) => {
                let key = SecretKey::read(&path)?.ok_or(StoreError::Lost(path))?;
                let public = key.public();
                self.begin_from_kept()?;
                self.write(move |writing| writing.succeed(&key, None)).wait()?;
                Ok(public)
            }
            Err(StoreError::Lost(_) | StoreError::Retired(_) | StoreError::NoKey(_)) => {
                self.begin_from_kept()?;
                self.follow(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Has a new key follow the last.
    fn follow(&self, last: Option<SecretKey>) -> Result<PublicKey, StoreError> {
        let new = new_key()?;
        let public = new.public();
        // If this is broken off, the next to unlock the archive finds the file, and in the archive whether it holds.
        new.write(&next_to(&self.key_file()?))?;
        let last = last.map(|last| self.0.signing.with(last));
        let signed = self.write(move |writing| {
            if let Some(last) = &last {
                writing.later.file(writing.connection)?;
                sign_head(writing.connection, last)?;
            }
            writing.succeed(&new, last.as_ref().map(|last| &last.key))
        });
        signed.wait()?;
        self.finish_rotation(self.read(signers)?.last())?;
        Ok(public)
    }

    /// Gives a key that was to take the place of another its name, if it came so far; else it goes.
    fn finish_rotation(&self, last: Option<&StoredSigner>) -> Result<(), StoreError> {
        let file = self.key_file()?;
        let next = next_to(&file);
        let Some(key) = SecretKey::read(&next)? else { return Ok(()) };
        let done = if last.is_some_and(|last| last.public == key.public()) {
            rename(&next, &file)
        } else {
            fs::remove_file(&next)
        };
        done.map_err(|error| file_error(&next, error))
    }

    /// The file of the key: where a link leads, if it is one, so that no key is left behind when another takes its place.
    fn key_file(&self) -> Result<PathBuf, StoreError> {
        let path = self.beside(KEY);
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_symlink() => fs::canonicalize(&path).map_err(|error| file_error(&path, error)),
            _ => Ok(path),
        }
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.path().with_file_name(name)
    }
}

impl From<KeyError> for StoreError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::File(path, error) => file_error(&path, error),
            KeyError::Exposed(path) => Self::Exposed(path),
            KeyError::NoKey(path) => Self::NoKey(path),
        }
    }
}
