//! Unlocking the key in the file beside the archive, replacing it, and signing the pending receipts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use quipu_files::names::KEY;

use super::{
    heads::has_unsigned,
    keys::{StoredKey, stored_keys},
    pinned_head::PinnedHead,
    sign::{Signer, sign_head},
};
use crate::{
    receipts::{PublicKey, SecretKey, Succession, rename, time},
    store::{
        archive::Store,
        database::params,
        error::{StoreError, file_error},
        write_tx::WriteTx,
    },
};

impl WriteTx<'_> {
    /// Appends a key that signs from now on. It is signed by the key before it, or by itself if that is missing.
    fn add_key(&self, key: &SecretKey, before: Option<&SecretKey>) -> Result<(), StoreError> {
        self.deferred.append_receipts(self.connection)?;
        let keys = stored_keys(self)?;
        let last = keys.last().map_or(0, |last| last.number);
        let (number, size) = (last + 1, self.receipts()?);
        let (at, public) = (self.now(), key.public());
        let text = Succession { public, size, time: &time(at) }.text();
        let (signed_by, signature) = match before {
            Some(before) => (last, before.sign(&text)),
            None => (number, key.sign(&text)),
        };
        let mut insert = self.connection.prepare("INSERT INTO signer VALUES (?, ?, ?, ?, ?, ?)")?;
        insert.execute(params![number, public.bytes(), size, at.timestamp_millis(), signed_by, signature])?;
        Ok(())
    }
}

fn new_key() -> Result<SecretKey, StoreError> {
    SecretKey::generate().map_err(|error| StoreError::Other(error.to_string()))
}

/// The file of a new key that is about to replace the key in `file`.
fn next_to(file: &Path) -> PathBuf {
    let mut next = file.to_owned().into_os_string();
    next.push(".next");
    next.into()
}

impl Store {
    /// The signer. To be called before the read transaction whose data it signs: a log of an earlier moment does not continue a
    /// head that was pinned later.
    ///
    /// # Errors
    /// If the archive was not [unlocked](Store::unlock).
    pub fn signer(&self) -> Result<Signer, StoreError> {
        self.0.signing.signer().ok_or_else(|| StoreError::NoKey(self.beside(KEY)))
    }

    /// Starts signing with the key in the file beside the archive, and generates the first key of an archive. Returns the public
    /// key. The caller must have the [lock](crate::store::ServeLock).
    ///
    /// # Errors
    /// If the key is missing or cannot be used, or the archive fails. A different key would end the use of the last one for
    /// good, so only [`Store::reset_key`] generates or accepts one. [`StoreError::RewrittenLog`] if the log does not continue the
    /// pinned head.
    pub fn unlock(&self) -> Result<PublicKey, StoreError> {
        if let Some(key) = self.0.signing.key.get() {
            return Ok(key.public());
        }
        let keys = self.read_primary(stored_keys)?;
        self.finish_rotation(keys.last())?;
        let path = self.key_file()?;
        let key = match (SecretKey::read(&path)?, keys.last()) {
            (Some(key), None) => key,
            (Some(key), Some(last)) if last.public == key.public() => key,
            (Some(key), _) if keys.iter().any(|known| known.public == key.public()) => {
                return Err(StoreError::ReplacedKey(path));
            }
            (Some(_), Some(_)) => return Err(StoreError::UnknownKey(path)),
            (None, Some(_)) => return Err(StoreError::MissingKey(path)),
            (None, None) => {
                let key = new_key()?;
                key.write(&path)?;
                key
            }
        };
        self.load_pinned_head()?;
        if keys.is_empty() {
            let key = key.clone();
            self.write(move |writing| writing.add_key(&key, None)).wait()?;
        }
        // Only a key that the archive has may sign.
        let public = self.0.signing.key.get_or_init(|| key).public();
        // Receipts of a program without the key, such as an import, are signed now. In a read-only archive this fails, and they
        // are signed later.
        let _ = self.sign_pending();
        Ok(public)
    }

    /// Reads the pinned head and checks that the log continues it. From now on only a log that does is signed.
    fn load_pinned_head(&self) -> Result<(), StoreError> {
        let pinned = PinnedHead::read(self.path())?;
        self.read_primary(|reading| pinned.check(reading))?;
        self.0.signing.set_pinned(pinned);
        Ok(())
    }

    /// Replaces the key by a new one, which it signs. Returns the new public key. The caller must have the
    /// [lock](crate::store::ServeLock).
    ///
    /// # Errors
    /// As [`Store::unlock`].
    pub fn rotate(&self) -> Result<PublicKey, StoreError> {
        self.unlock()?;
        self.replace_key(Some(self.signer()?.key))
    }

    /// Replaces a lost key. The new key is the one in the file, if that has never signed, and signs itself, so clients must
    /// decide to trust it. If the last key is not lost, this is [`Store::rotate`].
    ///
    /// # Errors
    /// As [`Store::unlock`], without those about the key.
    pub fn reset_key(&self) -> Result<PublicKey, StoreError> {
        match self.unlock() {
            Ok(_) => self.rotate(),
            // The operator put this key there.
            Err(StoreError::UnknownKey(path)) => {
                let key = SecretKey::read(&path)?.ok_or(StoreError::MissingKey(path))?;
                let public = key.public();
                self.load_pinned_head()?;
                self.write(move |writing| writing.add_key(&key, None)).wait()?;
                Ok(public)
            }
            Err(StoreError::MissingKey(_) | StoreError::ReplacedKey(_) | StoreError::NoKey(_)) => {
                self.load_pinned_head()?;
                self.replace_key(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Generates a key, which the last one signs if it is given.
    fn replace_key(&self, last: Option<SecretKey>) -> Result<PublicKey, StoreError> {
        let new = new_key()?;
        let public = new.public();
        // If this is interrupted, the next `unlock` finds the file, and compares it with the keys in the archive.
        new.write(&next_to(&self.key_file()?))?;
        let last = last.map(|last| self.0.signing.with(last));
        let signed = self.write(move |writing| {
            if let Some(last) = &last {
                writing.deferred.append_receipts(writing.connection)?;
                sign_head(writing.connection, last)?;
            }
            writing.add_key(&new, last.as_ref().map(|last| &last.key))
        });
        signed.wait()?;
        self.finish_rotation(self.read_primary(stored_keys)?.last())?;
        Ok(public)
    }

    /// Renames the file of a new key if the archive has the key; else removes it.
    fn finish_rotation(&self, last: Option<&StoredKey>) -> Result<(), StoreError> {
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

    /// The file of the key. The target of a link is replaced, not the link, so that no old key remains.
    fn key_file(&self) -> Result<PathBuf, StoreError> {
        let path = self.beside(KEY);
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_symlink() => fs::canonicalize(&path).map_err(|error| file_error(&path, error)),
            _ => Ok(path),
        }
    }

    /// Signs the head of the log if receipts were appended since the last one, and pins it. The writer signs its own receipts;
    /// this signs those of other programs, and the last ones of a batch.
    pub fn sign_pending(&self) -> Result<(), StoreError> {
        self.check_names()?;
        let Some(signer) = self.0.signing.signer() else { return Ok(()) };
        if self.read_primary(has_unsigned)? {
            self.write(move |writing| sign_head(writing.connection, &signer)).wait()?;
        }
        self.read_primary(|reading| self.0.signing.pin(reading))
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.path().with_file_name(name)
    }
}
