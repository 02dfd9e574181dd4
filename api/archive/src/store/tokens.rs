//! Tokens. Their scopes are [`quipu_options::Scope`], their texts [`TokenText`].

use chrono::{DateTime, Utc};
use quipu_options::Scope;
use quipu_referee::is_active;
use rusqlite::{OptionalExtension, Row, params};

use super::{error::StoreError, read_tx::ReadTx, rows, write_tx::WriteTx};
use crate::model::TokenText;

/// Maximal characters of a name.
const NAME: usize = 100;

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
    /// Time of its revocation, if it was revoked.
    pub revoked: Option<DateTime<Utc>>,
}

/// The reason that a token cannot be created or revoked.
#[derive(Clone, Debug)]
pub enum TokenRefusal {
    /// The archive failed.
    Store(StoreError),
    /// The name is empty, is longer than 100 characters, has white space around it, or has control characters.
    Name,
    /// The name is that of a token, revoked or not, or the id of one.
    Taken,
    /// It has no scope.
    NoScope,
    /// There is no such token.
    NoToken,
    /// It is revoked already; the time.
    Revoked(DateTime<Utc>),
}

impl From<StoreError> for TokenRefusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for TokenRefusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl StoredToken {
    /// True if one of its scopes includes `wanted`, and it is not revoked.
    pub fn allows(&self, wanted: Scope) -> bool {
        self.revoked.is_none() && self.scopes.iter().any(|scope| scope.allows(wanted))
    }
}

impl ReadTx<'_> {
    /// The token with an id, revoked or not.
    pub fn token(&self, id: &str) -> Result<Option<StoredToken>, StoreError> {
        let mut token = self.connection.prepare_cached("SELECT * FROM token WHERE id = ?")?;
        Ok(token.query_row([id], token_row).optional()?)
    }

    /// All tokens, oldest first.
    pub fn tokens(&self) -> Result<Vec<StoredToken>, StoreError> {
        let mut tokens = self.connection.prepare_cached("SELECT * FROM token ORDER BY created, name")?;
        Ok(tokens.query_map([], token_row)?.collect::<Result<_, _>>()?)
    }

    /// The token with an id or a name.
    fn token_called(&self, id_or_name: &str) -> Result<Option<StoredToken>, StoreError> {
        let mut token = self.connection.prepare_cached("SELECT * FROM token WHERE id = ?1 OR name = ?1")?;
        Ok(token.query_row([id_or_name], token_row).optional()?)
    }
}

impl WriteTx<'_> {
    /// Creates a token. Its text is not stored.
    pub fn add_token(&self, name: &str, scopes: &[Scope]) -> Result<(StoredToken, TokenText), TokenRefusal> {
        if name.is_empty() || name.trim() != name || name.chars().count() > NAME || name.contains(is_active) {
            return Err(TokenRefusal::Name);
        }
        let scopes: Vec<_> = Scope::ALL.into_iter().filter(|scope| scopes.contains(scope)).collect();
        if scopes.is_empty() {
            return Err(TokenRefusal::NoScope);
        }
        // No name is the id of another token, so that both are unique keys.
        if self.token_called(name)?.is_some() {
            return Err(TokenRefusal::Taken);
        }
        let text = loop {
            let text = TokenText::generate().map_err(|error| StoreError::Other(error.to_string()))?;
            if text.id() != name && self.token_called(text.id())?.is_none() {
                break text;
            }
        };
        let names = scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ");
        let mut insert = self.connection.prepare_cached("INSERT INTO token VALUES (?, ?, ?, ?, ?, NULL)")?;
        insert.execute(params![text.id(), name, names, text.hash(), self.now().timestamp_millis()])?;
        let stored = self.token(text.id())?.ok_or(TokenRefusal::NoToken)?;
        Ok((stored, text))
    }

    /// Revokes the token with an id or a name.
    pub fn revoke(&self, id_or_name: &str) -> Result<StoredToken, TokenRefusal> {
        let token = self.token_called(id_or_name)?.ok_or(TokenRefusal::NoToken)?;
        if let Some(revoked) = token.revoked {
            return Err(TokenRefusal::Revoked(revoked));
        }
        let mut revoke = self.connection.prepare_cached("UPDATE token SET revoked = ? WHERE id = ?")?;
        revoke.execute(params![self.now().timestamp_millis(), token.id])?;
        self.token(&token.id)?.ok_or(TokenRefusal::NoToken)
    }
}

fn token_row(row: &Row<'_>) -> rusqlite::Result<StoredToken> {
    let revoked: Option<i64> = row.get("revoked")?;
    Ok(StoredToken {
        id: row.get("id")?,
        name: row.get("name")?,
        scopes: rows::parsed(row, "scopes", |text| text.split(' ').map(Scope::parse).collect())?,
        hash: row.get("hash")?,
        created: rows::time(row, "created")?,
        revoked: revoked.map(|_| rows::time(row, "revoked")).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    fn make(store: &Store, name: &str, scopes: &[Scope]) -> Result<(StoredToken, TokenText), TokenRefusal> {
        let (name, scopes) = (name.to_owned(), scopes.to_vec());
        store.write(move |writing| writing.add_token(&name, &scopes)).wait()
    }

    fn revoke(store: &Store, id_or_name: &str) -> Result<StoredToken, TokenRefusal> {
        let id_or_name = id_or_name.to_owned();
        store.write(move |writing| writing.revoke(&id_or_name)).wait()
    }

    #[test]
    fn a_token_is_made_found_and_revoked() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let (stored, text) = make(&store, "mesa 1", &[Scope::EventsAdmin, Scope::RecordsWrite]).expect("a token");
        assert_eq!(stored.scopes, [Scope::RecordsWrite, Scope::EventsAdmin]);
        assert!(text.matches(&stored.hash) && stored.id == text.id() && stored.revoked.is_none());
        assert!(stored.allows(Scope::EventsAdmin) && !stored.allows(Scope::Admin));
        let (other, _) = make(&store, "mesa 2", &[Scope::Admin]).expect("a token");
        let found = |id: &str| store.read(|reading| reading.token(id)).expect("it answers");
        assert_eq!((found(text.id()), found("abcdefgh")), (Some(stored.clone()), None));
        let tokens = store.read(|reading| Ok::<_, StoreError>(vec![reading.tokens()?])).expect("it answers");
        assert_eq!(tokens, [[stored.clone(), other]]);

        let revoked = revoke(&store, "mesa 1").expect("it is revoked");
        assert!(revoked.revoked.is_some() && !revoked.allows(Scope::RecordsWrite));
        assert_eq!(found(text.id()), Some(revoked));
        assert!(matches!(revoke(&store, &stored.id), Err(TokenRefusal::Revoked(_))));
        assert!(matches!(revoke(&store, "mesa 3"), Err(TokenRefusal::NoToken)));
        for name in ["mesa 1", "mesa 2", text.id()] {
            assert!(matches!(make(&store, name, &[Scope::Admin]), Err(TokenRefusal::Taken)), "{name}");
        }
    }

    #[test]
    fn names_and_scopes_that_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        for name in ["", " ", " x", "x ", "a\nb", "a\u{202e}b", &"ñ".repeat(NAME + 1)] {
            assert!(matches!(make(&store, name, &[Scope::Admin]), Err(TokenRefusal::Name)), "{name:?}");
        }
        assert!(make(&store, &"ñ".repeat(NAME), &[Scope::Admin]).is_ok());
        assert!(matches!(make(&store, "x", &[]), Err(TokenRefusal::NoScope)));
    }
}
