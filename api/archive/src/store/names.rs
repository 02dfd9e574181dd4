//! Ranges of names, for lists of players and events in the order of their names.

use quipu_notation::games::{self, GameNotation};
use quipu_referee::competition::folded;
use rusqlite::OptionalExtension;

use super::{error::StoreError, read_tx::ReadTx};

/// Sort key of a name: its folded letters, then its bytes.
pub(super) type NameKey = (String, String);

/// Names with a prefix, after a sort key.
pub(super) struct NameRange {
    pub(super) behind: NameKey,
    /// Greater than every folded name with the prefix.
    pub(super) end: String,
}

impl NameRange {
    pub(super) fn new(prefix: &str, behind: NameKey) -> Self {
        let first = folded(prefix);
        let end = format!("{first}\u{10ffff}");
        Self { behind: behind.max((first, String::new())), end }
    }
}

impl ReadTx<'_> {
    /// The sort key of the name with the number in a cursor: the smallest key without a cursor, none if the number is
    /// unknown.
    pub(super) fn name_key(&self, sql: &str, number: Option<i64>) -> Result<Option<NameKey>, StoreError> {
        let Some(number) = number else { return Ok(Some(NameKey::default())) };
        let mut key = self.connection.prepare_cached(sql)?;
        Ok(key.query_row([number], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }
}

/// The number in a text; none unless the text has only digits.
pub(super) fn number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Index of a game in the table of games.
pub(super) fn game_order(game: &GameNotation) -> Option<usize> {
    games::GAMES.iter().position(|known| **known == *game)
}
