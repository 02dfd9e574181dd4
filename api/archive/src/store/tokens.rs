//! Tokens. Their scopes are [`quipu_options::Scope`], their texts [`TokenText`].

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use quipu_options::Scope;
use quipu_referee::is_active;
use quipu_tournament::model::{MAX_PLAYERS, PlayerId};
use serde::{Deserialize, Serialize};

use super::{
    database::{self, OptionalRow, Row, params},
    error::StoreError,
    listing::{ListPage, listed},
    read_tx::{AutocommitRead, ReadTx},
    rows,
    write_tx::WriteTx,
};
use crate::model::{Number, StoredToken, TokenLimit, TokenText};

/// Maximal number of tokens of an archive that are not for one board, the revoked and expired ones included.
const MAX_TOKENS: usize = 10_000;

/// Maximal number of tokens for one board that hold at one time, in all tournaments. They have a limit of their own, so that
/// scoresheets leave room for other tokens.
const MAX_BOARD_TOKENS: usize = 20_000;

/// Tokens of the scoresheets of a board that hold at one time, at most.
const OF_BOARD: usize = 5;

// The largest round fits.
const _: () = assert!(MAX_PLAYERS / 2 * OF_BOARD <= MAX_BOARD_TOKENS);

/// Columns of a token, with those of its limit.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT token.*, tournament, round, board, player_one, player_two
             FROM token LEFT JOIN token_limit ON token_limit.token = token.id ",
            $rest
        )
    };
}

/// SQL for the token of an id.
pub(super) const TOKEN: &str = select!("WHERE id = ?");

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
    /// It has a limit and the scope `admin`, which has none.
    Unlimited,
    /// The tournament of its limit does not exist.
    NoTournament,
    /// Its expiry is not in the future.
    Expired,
    /// The archive has as many tokens as it may have, those for boards left out; their number.
    TooMany(usize),
    /// As many tokens for boards hold as may hold at one time; their number.
    TooManyOfBoards(usize),
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

impl From<database::Error> for TokenRefusal {
    fn from(error: database::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Position in a list of tokens: the last token of the previous page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenCursor {
    /// Time of its creation in milliseconds.
    pub created: i64,
    /// Its id.
    pub id: String,
}

impl AutocommitRead<'_> {
    /// [`ReadTx::token`].
    pub fn token(self, id: &str) -> Result<Option<StoredToken>, StoreError> {
        self.0.token(id)
    }
}

impl ReadTx<'_> {
    /// The token with an id, revoked or not.
    pub fn token(&self, id: &str) -> Result<Option<StoredToken>, StoreError> {
        let mut token = self.connection.prepare(TOKEN)?;
        Ok(token.query_row([id], token_row).optional()?)
    }

    /// All tokens, oldest first.
    pub fn tokens(&self) -> Result<Vec<StoredToken>, StoreError> {
        let mut tokens = self.connection.prepare(select!("ORDER BY created, name"))?;
        Ok(tokens.query_map(params![], token_row)?.collect::<Result<_, _>>()?)
    }

    /// A page of the tokens, oldest first.
    pub fn tokens_after(
        &self,
        after: Option<&TokenCursor>,
        limit: usize,
    ) -> Result<ListPage<StoredToken, TokenCursor>, StoreError> {
        let mut tokens =
            self.connection.prepare(select!("WHERE (created, id) > (?, ?) ORDER BY created, id LIMIT ?"))?;
        let (created, id) = after.map_or((i64::MIN, ""), |after| (after.created, &after.id));
        let tokens = tokens.query(params![created, id, limit + 1])?;
        let tokens = listed(tokens, limit, |row, _| token_row(row))?;
        Ok(tokens.page(|token| TokenCursor { created: token.created.timestamp_millis(), id: token.id.clone() }))
    }

    /// The token with an id or a name.
    pub fn token_called(&self, id_or_name: &str) -> Result<Option<StoredToken>, StoreError> {
        let mut token = self.connection.prepare(select!("WHERE id = ?1 OR name = ?1"))?;
        Ok(token.query_row([id_or_name], token_row).optional()?)
    }
}

impl WriteTx<'_> {
    /// [`ReadTx::token`], which looks up each token once in a transaction.
    pub fn token(&self, id: &str) -> Result<Option<StoredToken>, StoreError> {
        if let Some(token) = self.deferred.tx_cache.borrow().token(id) {
            return Ok(token.clone());
        }
        let token = ReadTx::token(self, id)?;
        self.deferred.tx_cache.borrow_mut().add_token(id, token.clone());
        Ok(token)
    }

    /// Creates a token, which is void from `expires` on. Its text is not stored.
    pub fn add_token(
        &self,
        name: &str,
        scopes: &[Scope],
        expires: Option<DateTime<Utc>>,
    ) -> Result<(StoredToken, TokenText), TokenRefusal> {
        self.add_limited_token(name, scopes, expires, None)
    }

    /// As [`WriteTx::add_token`], with a limit.
    pub fn add_limited_token(
        &self,
        name: &str,
        scopes: &[Scope],
        expires: Option<DateTime<Utc>>,
        limit: Option<TokenLimit>,
    ) -> Result<(StoredToken, TokenText), TokenRefusal> {
        self.make_room(limit.is_some_and(|limit| limit.board.is_some()), 1)?;
        self.insert_token(name, scopes, expires, limit)
    }

    /// Checks that as many tokens more may be made, for a board or not.
    fn make_room(&self, of_board: bool, more: usize) -> Result<(), TokenRefusal> {
        let mut count = self.connection.prepare(
            "SELECT count(*) FROM token LEFT JOIN token_limit ON token_limit.token = token.id
             WHERE (board IS NOT NULL) = ?1
             AND (board IS NULL OR (revoked IS NULL AND (expires IS NULL OR expires > ?2)))",
        )?;
        let count: usize = count.query_row(params![of_board, self.now().timestamp_millis()], |row| row.get(0))?;
        let most = if of_board { MAX_BOARD_TOKENS } else { MAX_TOKENS };
        if count + more <= most {
            return Ok(());
        }
        Err(if of_board { TokenRefusal::TooManyOfBoards(most) } else { TokenRefusal::TooMany(most) })
    }

    /// Creates a token for which there is room.
    fn insert_token(
        &self,
        name: &str,
        scopes: &[Scope],
        expires: Option<DateTime<Utc>>,
        limit: Option<TokenLimit>,
    ) -> Result<(StoredToken, TokenText), TokenRefusal> {
        if name.is_empty()
            || name.trim() != name
            || name.chars().count() > StoredToken::NAME
            || name.contains(is_active)
        {
            return Err(TokenRefusal::Name);
        }
        let scopes: Vec<_> = Scope::ALL.into_iter().filter(|scope| scopes.contains(scope)).collect();
        if scopes.is_empty() {
            return Err(TokenRefusal::NoScope);
        }
        if expires.is_some_and(|expires| expires <= self.now()) {
            return Err(TokenRefusal::Expired);
        }
        if let Some(limit) = limit {
            if scopes.contains(&Scope::Admin) {
                return Err(TokenRefusal::Unlimited);
            }
            if self.tournament_version(limit.tournament)?.is_none() {
                return Err(TokenRefusal::NoTournament);
            }
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
        self.deferred.tx_cache.borrow_mut().forget_tokens();
        let names = scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ");
        let mut insert = self
            .connection
            .prepare("INSERT INTO token (id, name, scopes, hash, created, expires) VALUES (?, ?, ?, ?, ?, ?)")?;
        let expires = expires.map(|expires| expires.timestamp_millis());
        insert.execute(params![text.id(), name, names, text.hash(), self.now().timestamp_millis(), expires])?;
        if let Some(TokenLimit { tournament, board, players }) = limit {
            let mut insert = self.connection.prepare(
                "INSERT INTO token_limit (token, tournament, round, board, player_one, player_two)
                 VALUES (?, ?, ?, ?, ?, ?)",
            )?;
            insert.execute(params![
                text.id(),
                tournament,
                board.map(|(round, _)| round),
                board.map(|(_, board)| board),
                players.map(|[one, _]| one.0),
                players.map(|[_, two]| two.0)
            ])?;
        }
        let stored = self.token(text.id())?.ok_or(TokenRefusal::NoToken)?;
        Ok((stored, text))
    }

    /// Creates a token for each board of a round, in their order: it writes records and games in progress of this board alone,
    /// while the board has these players. Of the tokens made earlier in this way the newest hold on; the others are revoked.
    /// `name` makes a name of a board and the number of its token, from 1.
    pub fn add_board_tokens(
        &self,
        tournament: Number,
        round: u32,
        boards: &[[PlayerId; 2]],
        expires: DateTime<Utc>,
        name: &dyn Fn(u32, usize) -> String,
    ) -> Result<Vec<TokenText>, TokenRefusal> {
        let now = self.now().timestamp_millis();
        let mut revoke = self.connection.prepare(
            "UPDATE token SET revoked = ?3 WHERE id IN (
               SELECT id FROM (
                 SELECT id, row_number() OVER (PARTITION BY board ORDER BY created DESC, id) AS place
                 FROM token JOIN token_limit ON token_limit.token = token.id
                 WHERE tournament = ?1 AND round = ?2 AND player_one IS NOT NULL
                 AND revoked IS NULL AND (expires IS NULL OR expires > ?3)) AS made
               WHERE place >= ?4)",
        )?;
        revoke.execute(params![tournament, round, now, OF_BOARD])?;
        self.deferred.tx_cache.borrow_mut().forget_tokens();
        self.make_room(true, boards.len())?;
        let mut known = self.connection.prepare(
            "SELECT board, count(*) AS made FROM token_limit
             WHERE tournament = ?1 AND round = ?2 AND board IS NOT NULL GROUP BY board",
        )?;
        let known = known.query_map(params![tournament, round], |row| Ok((row.get("board")?, row.get("made")?)))?;
        let known: HashMap<u32, usize> = known.collect::<Result<_, _>>()?;
        let mut made = Vec::new();
        for (board, players) in (1..).zip(boards) {
            let mut count = known.get(&board).copied().unwrap_or_default() + 1;
            while self.token_called(&name(board, count))?.is_some() {
                count += 1;
            }
            let limit = TokenLimit { tournament, board: Some((round, board)), players: Some(*players) };
            made.push(self.insert_token(&name(board, count), &[Scope::RecordsWrite], Some(expires), Some(limit))?.1);
        }
        Ok(made)
    }

    /// Revokes the token with an id or a name.
    pub fn revoke(&self, id_or_name: &str) -> Result<StoredToken, TokenRefusal> {
        let token = self.token_called(id_or_name)?.ok_or(TokenRefusal::NoToken)?;
        if let Some(revoked) = token.revoked {
            return Err(TokenRefusal::Revoked(revoked));
        }
        let mut revoke = self.connection.prepare("UPDATE token SET revoked = ? WHERE id = ?")?;
        revoke.execute(params![self.now().timestamp_millis(), token.id])?;
        self.deferred.tx_cache.borrow_mut().forget_tokens();
        self.token(&token.id)?.ok_or(TokenRefusal::NoToken)
    }
}

pub(super) fn token_row(row: &Row<'_>) -> database::Result<StoredToken> {
    let time = |column: &'static str| row.get::<Option<i64>>(column)?.map(|_| rows::time(row, column)).transpose();
    let board = row.get::<Option<u32>>("round")?.zip(row.get::<Option<u32>>("board")?);
    let tournament: Option<Number> = row.get("tournament")?;
    let players = row.get::<Option<u32>>("player_one")?.zip(row.get::<Option<u32>>("player_two")?);
    let players = players.map(|(one, two)| [PlayerId(one), PlayerId(two)]);
    Ok(StoredToken {
        limit: tournament.map(|tournament| TokenLimit { tournament, board, players }),
        id: row.get("id")?,
        name: row.get("name")?,
        scopes: rows::parsed(row, "scopes", |text| text.split(' ').map(Scope::parse).collect())?,
        hash: row.get("hash")?,
        created: rows::time(row, "created")?,
        expires: time("expires")?,
        revoked: time("revoked")?,
    })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::store::Store;

    fn make(store: &Store, name: &str, scopes: &[Scope]) -> Result<(StoredToken, TokenText), TokenRefusal> {
        let (name, scopes) = (name.to_owned(), scopes.to_vec());
        store.write(move |writing| writing.add_token(&name, &scopes, None)).wait()
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
        assert!(stored.holds(Utc::now()));
        let (other, _) = make(&store, "mesa 2", &[Scope::Admin]).expect("a token");
        let found = |id: &str| store.read(|reading| reading.token(id)).expect("it answers");
        assert_eq!((found(text.id()), found("abcdefgh")), (Some(stored.clone()), None));
        let tokens = store.read(|reading| Ok::<_, StoreError>(vec![reading.tokens()?])).expect("it answers");
        assert_eq!(tokens, [[stored.clone(), other]]);

        let revoked = revoke(&store, "mesa 1").expect("it is revoked");
        assert!(revoked.revoked.is_some() && !revoked.holds(Utc::now()));
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
        for name in ["", " ", " x", "x ", "a\nb", "a\u{202e}b", &"ñ".repeat(StoredToken::NAME + 1)] {
            assert!(matches!(make(&store, name, &[Scope::Admin]), Err(TokenRefusal::Name)), "{name:?}");
        }
        assert!(make(&store, &"ñ".repeat(StoredToken::NAME), &[Scope::Admin]).is_ok());
        assert!(matches!(make(&store, "x", &[]), Err(TokenRefusal::NoScope)));
    }

    #[test]
    fn a_token_expires() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let (now, hour) = (Utc::now(), TimeDelta::hours(1));
        let make = |name: &'static str, expires| {
            store.write(move |writing| writing.add_token(name, &[Scope::Admin], Some(expires))).wait()
        };
        let (token, _) = make("a", now + hour).expect("a token");
        let expires = token.expires.expect("it expires");
        assert_eq!(expires.timestamp_millis(), (now + hour).timestamp_millis());
        assert!(token.holds(expires - TimeDelta::milliseconds(1)) && !token.has_expired(now));
        assert!(!token.holds(expires) && token.has_expired(expires));
        for past in [now, now - hour] {
            assert!(matches!(make("b", past), Err(TokenRefusal::Expired)), "{past}");
        }
    }

    #[test]
    fn the_list_of_tokens_has_pages() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let names: Vec<_> = (0..7).map(|number| format!("mesa {number}")).collect();
        for name in &names {
            make(&store, name, &[Scope::RecordsWrite]).expect("a token");
        }
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = store.read(|reading| reading.tokens_after(after.as_ref(), 3)).expect("a page");
            found.extend(page.items.into_iter().map(|token| token.name));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        found.sort();
        assert_eq!(found, names);
    }

    /// Tokens of boards leave room for the others, and those that have expired for new ones.
    #[test]
    fn tokens_of_boards_have_a_limit_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let run = |sql: String| {
            let write =
                move |writing: &WriteTx<'_>| -> Result<(), StoreError> { Ok(writing.connection.execute_batch(&sql)?) };
            store.write(write).wait().expect("it is written");
        };
        let fill = |count: usize, prefix: &str, expires: i64| {
            run(format!(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
                 INSERT INTO token (id, name, scopes, hash, created, expires)
                 SELECT '{prefix}' || i, '{prefix} ' || i, 'records:write', zeroblob(32), 0, {expires} FROM n"
            ));
        };
        let room = |of_board: bool, more: usize| store.write(move |writing| writing.make_room(of_board, more)).wait();
        let (future, boards) = (i64::from(u32::MAX) * 1000, MAX_BOARD_TOKENS + 1);
        fill(boards, "b", 1);
        run("INSERT INTO token_limit (token, tournament, round, board) SELECT id, 1, 1, 1 FROM token".to_owned());
        assert!(room(true, MAX_BOARD_TOKENS).is_ok(), "they have expired");
        assert!(make(&store, "mesa 1", &[Scope::Admin]).is_ok());
        run(format!("UPDATE token SET expires = {future} WHERE expires IS NOT NULL"));
        assert!(matches!(room(true, 1), Err(TokenRefusal::TooManyOfBoards(MAX_BOARD_TOKENS))));
        assert!(make(&store, "mesa 2", &[Scope::Admin]).is_ok());
        run("UPDATE token SET revoked = 1 WHERE id IN ('b1', 'b2')".to_owned());
        assert!(room(true, 1).is_ok() && room(true, 2).is_err());
        fill(MAX_TOKENS - 3, "t", 1);
        assert!(make(&store, "mesa 3", &[Scope::Admin]).is_ok());
        assert!(matches!(make(&store, "mesa 4", &[Scope::Admin]), Err(TokenRefusal::TooMany(MAX_TOKENS))));
    }
}
