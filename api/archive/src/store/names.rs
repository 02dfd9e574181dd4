//! Names of players and events: searches for them, and ranges of them in lists in the order of names.

use quipu_notation::games::{self, GameNotation};
use rusqlite::OptionalExtension;

use super::{error::StoreError, read_tx::ReadTx};
use crate::model::{name_words, search_form};

/// A search for names of players. Each of its words must be a word of the name or the beginning of one, in any order, without
/// regard to case and diacritics. Of a search and of a name the first 16 words count, and of each word 32 letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFilter {
    /// The longest word first: it leaves the fewest names, and decides their order.
    words: Vec<String>,
}

impl NameFilter {
    /// The search for the words of a text; none for a blank text, with which every name is found. No name is found by a text
    /// with other characters but without a word.
    pub fn new(text: &str) -> Option<Self> {
        if text.trim().is_empty() {
            return None;
        }
        let (mut words, _) = name_words(text);
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Some(Self { words })
    }

    /// Each word with the end of the range of those that begin with it.
    pub(super) fn ranges(&self) -> impl Iterator<Item = [String; 2]> {
        self.words.iter().map(|word| [word.clone(), end_of(word)])
    }
}

/// A text that is greater than all with this prefix.
fn end_of(prefix: &str) -> String {
    format!("{prefix}\u{10ffff}")
}

/// Sort key of a name: its folded letters, then its bytes.
pub(super) type NameKey = (String, String);

/// Names of events with a prefix, after a sort key.
pub(super) struct NameRange {
    pub(super) behind: NameKey,
    /// Greater than every folded name with the prefix.
    pub(super) end: String,
}

impl NameRange {
    pub(super) fn new(prefix: &str, behind: NameKey) -> Self {
        let first = search_form(prefix);
        let end = end_of(&first);
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
