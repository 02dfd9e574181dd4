//! Keys that sign receipts (Ed25519, RFC 8032), and the file of the current one.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};

use quipu_files::create_private;

use super::{Hash, Hex};

/// Bytes of a signature.
pub const SIGNATURE_BYTES: usize = 64;
/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// The public key, which checks signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key with these bytes, if they are a valid key.
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        VerifyingKey::from_bytes(bytes).ok().filter(|key| !key.is_weak()).map(Self)
    }

    /// The bytes of the key.
    pub fn bytes(&self) -> [u8; KEY_BYTES] {
        self.0.to_bytes()
    }

    /// Id of the key: SHA-256 of its bytes.
    pub fn id(&self) -> Hash {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// True if this key made the signature of a text.
    pub fn has_signed(&self, text: &str, signature: &[u8; SIGNATURE_BYTES]) -> bool {
        self.0.verify_strict(text.as_bytes(), &Signature::from_bytes(signature)).is_ok()
    }
}

/// The secret key, which signs. `Debug` does not print it.
#[derive(Clone)]
pub struct SecretKey(SigningKey);

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey of {}", Hex(self.public().bytes()))
    }
}

impl SecretKey {
    /// A random key.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(SigningKey::from_bytes(&bytes)))
    }

    /// The key with this seed (RFC 8032).
    pub fn from_seed(seed: &[u8; KEY_BYTES]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The signature of a text. It is deterministic.
    pub fn sign(&self, text: &str) -> [u8; SIGNATURE_BYTES] {
        self.0.sign(text.as_bytes()).to_bytes()
    }

    /// Reads the file of a key; none if there is no file.
    ///
    /// # Errors
    /// If the file cannot be used.
    pub fn read(path: &Path) -> Result<Option<Self>, KeyError> {
        let failed = |error| KeyError::File(path.to_owned(), error);
        // A pipe is not opened, because reading it could block.
        let about = match fs::metadata(path) {
            Ok(about) => about,
            // A broken link is an error: no other key may take its place.
            Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                return Ok(None);
            }
            Err(error) => return Err(failed(error)),
        };
        if !about.is_file() {
            return Err(KeyError::Malformed(path.to_owned()));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if about.permissions().mode() & 0o077 != 0 {
                return Err(KeyError::ExposedKey(path.to_owned()));
            }
        }
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(KeyError::Malformed(path.to_owned()));
            }
            Err(error) => return Err(failed(error)),
        };
        let seed = Hex::parse(text.trim_ascii_end()).ok_or_else(|| KeyError::Malformed(path.to_owned()))?;
        Ok(Some(Self::from_seed(&seed.0)))
    }

    /// Writes the key with [`write_private`].
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), KeyError> {
        let text = format!("{}\n", Hex(self.0.to_bytes()));
        write_private(path, text.as_bytes()).map_err(|error| KeyError::File(path.to_owned(), error))
    }
}

/// Writes a file that only its owner can read, and replaces an existing one atomically. The file is synced to the disk.
///
/// # Errors
/// If it cannot be written.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.to_owned().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    // A previous call may have been interrupted.
    match fs::remove_file(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = create_private(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    rename(&part, path)
}

/// Renames a file, replaces an existing one, and syncs the folder.
///
/// # Errors
/// If the file cannot be renamed.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    // The new name is on the disk after a sync of the folder. Not every system lets a folder be opened.
    match to.parent().map(File::open) {
        Some(Ok(folder)) => folder.sync_all(),
        _ => Ok(()),
    }
}

/// The reason that a key cannot be read or written.
#[derive(Debug)]
pub enum KeyError {
    /// The file cannot be read or written.
    File(PathBuf, io::Error),
    /// Other users than the owner can access the file.
    ExposedKey(PathBuf),
    /// The text of the file is not a key.
    Malformed(PathBuf),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The service can read a key that root creates in its folder. Any other user owns the key itself.
    #[cfg(unix)]
    #[test]
    fn a_key_has_the_owner_of_its_folder() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let folder = tempfile::tempdir().expect("a folder");
        let _ = chown(folder.path(), Some(65_534), Some(65_534));
        let path = folder.path().join("quipu.key");
        SecretKey::from_seed(&[7; 32]).write(&path).expect("it is written");
        let (folder, key) = (fs::metadata(folder.path()).expect("a folder"), fs::metadata(&path).expect("it is there"));
        assert_eq!((key.uid(), key.permissions().mode() & 0o777), (folder.uid(), 0o600));
    }

    /// RFC 8032, section 7.1, tests 1 and 2.
    #[test]
    fn signatures_are_those_of_the_standard() {
        let vectors = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "r",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
        ];
        for (seed, public, text, signature) in vectors {
            let key = SecretKey::from_seed(&Hex::parse(seed).expect("a seed").0);
            assert_eq!(Hex(key.public().bytes()).to_string(), public);
            let signed = key.sign(text);
            assert_eq!(Hex(signed).to_string(), signature);
            assert!(key.public().has_signed(text, &signed) && !key.public().has_signed("other", &signed));
            for byte in 0..SIGNATURE_BYTES {
                let mut other = signed;
                other[byte] ^= 1;
                assert!(!key.public().has_signed(text, &other), "byte {byte}");
            }
        }
    }

    #[test]
    fn only_the_owner_can_read_a_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("quipu.key");
        assert!(matches!(SecretKey::read(&path), Ok(None)));
        let key = SecretKey::generate().expect("the system has randomness");
        key.write(&path).expect("it is written");
        let read = SecretKey::read(&path).expect("it is read").expect("it is there");
        assert_eq!(read.public(), key.public());
        assert!(!format!("{key:?}").contains(&Hex(key.0.to_bytes()).to_string()));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
            assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
            for exposed in [0o640, 0o604, 0o620, 0o610] {
                mode(exposed);
                assert!(matches!(SecretKey::read(&path), Err(KeyError::ExposedKey(_))), "{exposed:o}");
            }
            mode(0o400);
            assert!(matches!(SecretKey::read(&path), Ok(Some(_))));
            mode(0o600);
        }
        for wrong in ["", "00", "x\n", "ÿ"] {
            fs::write(&path, wrong).expect("it is written");
            assert!(matches!(SecretKey::read(&path), Err(KeyError::Malformed(_))), "{wrong}");
        }
    }
}
