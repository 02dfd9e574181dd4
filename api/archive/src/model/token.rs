//! Tokens, and their texts: public id and secret. The archive stores only the hash of the secret.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use quipu_options::Scope;
use quipu_tournament::model::PlayerId;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::Number;

/// Prefix of every token, by which a leaked one is recognized.
const PREFIX: &str = "quipu_";
/// Characters of ids; none looks like another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Bytes of the secret.
const SECRET: usize = 32;
const SECRET_TEXT: usize = (SECRET * 4).div_ceil(3);

/// The limit of a token to a tournament, or to a board of one of its rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenLimit {
    /// Number of the only tournament that the token may change.
    pub tournament: Number,
    /// Round and board, both from 1.
    pub board: Option<(u32, u32)>,
    /// Players of the board when the token was created. A token printed in the QR code of a scoresheet is void while the board
    /// has other players.
    pub players: Option<[PlayerId; 2]>,
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredToken {
    /// The public part of its text.
    pub id: String,
    /// Its name, which is the submitter of its changes.
    pub name: String,
    /// Its scopes, in the order of [`Scope::ALL`].
    pub scopes: Vec<Scope>,
    /// SHA-256 of its secret.
    pub hash: [u8; 32],
    /// Time of its creation.
    pub created: DateTime<Utc>,
    /// Time from which it is void, if it expires.
    pub expires: Option<DateTime<Utc>>,
    /// Time of its revocation, if it was revoked.
    pub revoked: Option<DateTime<Utc>>,
    /// The only tournament or board that it may change, if it is limited.
    pub limit: Option<TokenLimit>,
}

impl StoredToken {
    /// Maximal characters of a name.
    pub const NAME: usize = 100;

    /// True if it has expired at this time.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// True if it is neither revoked nor expired at this time.
    pub fn holds(&self, now: DateTime<Utc>) -> bool {
        self.revoked.is_none() && !self.has_expired(now)
    }
}

/// The text of a token: `quipu_`, public id, `_`, secret.
#[derive(Clone)]
pub struct TokenText {
    id: String,
    secret: String,
}

impl TokenText {
    /// Characters of the public id.
    pub const ID: usize = 8;

    /// A random token.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; Self::ID + SECRET];
        getrandom::fill(&mut bytes)?;
        let (id, secret) = bytes.split_at(Self::ID);
        let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
        Ok(Self { id: id.iter().map(letter).collect(), secret: URL_SAFE_NO_PAD.encode(secret) })
    }

    /// Parses the text of a token; none if it has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_at_checked(Self::ID)?;
        let secret = secret.strip_prefix('_')?;
        let fits = id.bytes().all(|byte| LETTERS.contains(&byte))
            && secret.len() == SECRET_TEXT
            && URL_SAFE_NO_PAD.decode(secret).is_ok();
        fits.then(|| Self { id: id.to_owned(), secret: secret.to_owned() })
    }

    /// Public id, of [`Self::ID`] characters.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// SHA-256 of the secret as it is written.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.secret).into()
    }

    /// True if the secret has this hash. The time of the comparison does not depend on the result.
    pub fn matches(&self, hash: &[u8; 32]) -> bool {
        self.hash().ct_eq(hash).into()
    }

    /// The whole text with the secret, for its owner.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, self.secret)
    }
}

/// Prints no secret, because debug output gets into logs.
impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}_…", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "quipu_abcd2345_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

    #[test]
    fn a_token_is_found_by_its_id_and_known_by_its_secret() {
        let token = TokenText::parse(TEXT).expect("a token");
        assert_eq!((token.id(), token.reveal().as_str()), ("abcd2345", TEXT));
        assert!(token.matches(&token.hash()));
        let other = TokenText::parse(&TEXT.replace("AAEC", "BAEC")).expect("a token");
        assert!(!other.matches(&token.hash()));
        // The hash is that of the text, so that any program can compute it.
        let hash = quipu_referee::report::hex(&token.hash());
        assert_eq!(hash, "ea866a757e4c38babfa8127cbe9a409d3e1f93a00ff1488ff735fcf917afffd0");
    }

    #[test]
    fn new_tokens_are_tokens_and_differ() {
        let tokens = [(); 2].map(|()| TokenText::generate().expect("the system has randomness"));
        for token in &tokens {
            let read = TokenText::parse(&token.reveal()).expect("a token");
            assert_eq!((read.id(), read.hash()), (token.id(), token.hash()));
            assert_eq!(token.reveal().len(), "quipu_".len() + 8 + 1 + 43);
        }
        assert_ne!(tokens[0].id(), tokens[1].id());
        assert_ne!(tokens[0].hash(), tokens[1].hash());
    }

    #[test]
    fn invalid_tokens_are_rejected() {
        let longer = format!("{TEXT}A");
        let texts = [
            "",
            "quipu_",
            "quipu_abcd2345",
            "quipu_abcd2345_",
            &TEXT[1..],
            &TEXT[..TEXT.len() - 1],
            &longer,
            &TEXT.replace("quipu_", "Quipu_"),
            &TEXT.replace("abcd2345_", "abcd23456"),
            &TEXT.replace("abcd", "abcl"),
            &TEXT.replace("AAEC", "AAE+"),
            // Unused bits of the last character.
            &TEXT.replace("Hh8", "Hh9"),
            &TEXT.replace("abcd234", "añc234"),
        ];
        for text in texts {
            assert!(TokenText::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_token_is_not_printed() {
        let token = TokenText::parse(TEXT).expect("a token");
        assert_eq!(format!("{token:?}"), "quipu_abcd2345_…");
    }
}
