//! Searches for names of players and events, by any parts of their words.

use quipu_notation::games::{self, GameNotation};

use super::{
    database::{self, OptionalRow, Parameter, Row, params},
    error::StoreError,
    listing::{Listed, PageBytes, listed},
    read_tx::ReadTx,
};
use crate::model::{PART_LETTERS, name_words};

/// A search for names of players or events. Each of its words must be a word of the name, the beginning of one or, from three
/// letters on, any part of one, in any order, without regard to case and diacritics. Of a search and of a name the first 16
/// words count, and of each word 32 letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFilter {
    /// The longest word first: it leaves the fewest names, and decides their order.
    words: Vec<String>,
}

impl NameFilter {
    /// The search for the words of a text; none for a blank text, with which every name is found. A text of
    /// punctuation alone finds no name.
    pub fn new(text: &str) -> Option<Self> {
        if text.trim().is_empty() {
            return None;
        }
        let (mut words, _) = name_words(text);
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Some(Self { words })
    }
}

/// Sort key of a name: its folded letters, then its bytes.
pub(super) type NameKey = (String, String);

/// A kind of names in the table `name_word`.
#[derive(Clone, Copy)]
pub(super) enum NameKind {
    Player,
    Event,
}

impl NameKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Event => "event",
        }
    }

    /// SQL for the columns of a found name, and the tables joined to `found`.
    const fn query(self) -> &'static str {
        match self {
            Self::Player => {
                "SELECT player.number, player.name, player.root, root.name AS root_name
                 FROM name_word AS found INDEXED BY name_word_found
                 CROSS JOIN player ON player.number = found.number
                 CROSS JOIN player AS root ON root.number = player.root"
            }
            Self::Event => {
                "SELECT event.* FROM name_word AS found INDEXED BY name_word_found
                 CROSS JOIN event ON event.number = found.number AND event.records > 0"
            }
        }
    }
}

/// The position of a name in the list of a search.
struct SearchPosition {
    is_suffix: bool,
    word: String,
    name: String,
    number: i64,
}

/// SQL condition for a row of `other` to be of the same name as `found`, with a word in a range.
const SAME_NAME: &str =
    "other.kind = found.kind AND other.number = found.number AND other.word >= ? AND other.word < ?";

impl ReadTx<'_> {
    /// The sort key of the player with the number in a cursor: the smallest key without a cursor, none if the number is unknown.
    pub(super) fn name_key(&self, number: Option<i64>) -> Result<Option<NameKey>, StoreError> {
        let Some(number) = number else { return Ok(Some(NameKey::default())) };
        let mut key = self.connection.prepare("SELECT folded, name FROM player WHERE number = ?")?;
        Ok(key.query_row([number], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// The names of a kind that a search finds: first those with a word that begins like the longest word of the search, then
    /// those with the longest word inside a word; in the order of the words that it finds and then of the names. None if `after` is not the
    /// number of one of them.
    pub(super) fn names<T>(
        &self,
        kind: NameKind,
        search: &NameFilter,
        after: Option<i64>,
        limit: usize,
        mut item: impl FnMut(&Row<'_>, &mut PageBytes) -> database::Result<T>,
    ) -> Result<Option<Listed<T>>, StoreError> {
        let mut found = Listed { items: Vec::new(), more: false };
        let Some(longest) = search.words.first() else { return Ok(Some(found)) };
        let behind = match after {
            None => None,
            Some(number) => match self.place(kind, longest, number)? {
                None => return Ok(None),
                place => place,
            },
        };
        let skips_words = behind.as_ref().is_some_and(|behind| behind.is_suffix);
        for is_suffix in [false, true] {
            if found.more || (skips_words && !is_suffix) || (is_suffix && !has_suffixes(longest)) {
                continue;
            }
            let behind = behind.as_ref().filter(|behind| behind.is_suffix == is_suffix);
            let more = self.walk(kind, search, is_suffix, behind, limit - found.items.len(), &mut item)?;
            found.items.extend(more.items);
            found.more = more.more;
        }
        Ok(Some(found))
    }

    /// The place of the name with this number among those with a word that begins with `word`, or with it inside.
    fn place(&self, kind: NameKind, word: &str, number: i64) -> Result<Option<SearchPosition>, StoreError> {
        let mut place = self.connection.prepare(
            "SELECT rest, word, name FROM name_word
             WHERE kind = ? AND number = ? AND word >= ? AND word < ? AND rest <= ? ORDER BY rest, word LIMIT 1",
        )?;
        let (end, is_suffix) = (end_of(word), has_suffixes(word));
        let place = place.query_row(params![kind.as_str(), number, word, end, is_suffix], |row| {
            Ok(SearchPosition { is_suffix: row.get(0)?, word: row.get(1)?, name: row.get(2)?, number })
        });
        Ok(place.optional()?)
    }

    /// Walks the words, or the suffixes, that begin with the longest word of the search, and looks the other words up for each.
    fn walk<T>(
        &self,
        kind: NameKind,
        NameFilter { words }: &NameFilter,
        is_suffix: bool,
        behind: Option<&SearchPosition>,
        limit: usize,
        item: impl FnMut(&Row<'_>, &mut PageBytes) -> database::Result<T>,
    ) -> Result<Listed<T>, StoreError> {
        let [start, end] = [words[0].clone(), end_of(&words[0])];
        let behind = behind
            .map_or((start.clone(), String::new(), 0), |SearchPosition { word, name, number, .. }| {
                (word.clone(), name.clone(), *number)
            });
        // A name with several words in the range is listed once, at the first of them.
        let mut sql = format!(
            "{} WHERE found.kind = ? AND found.rest = ? AND found.word < ?
               AND (found.word, found.name, found.number) > (?, ?, ?)
               AND NOT EXISTS (SELECT 1 FROM name_word AS other
                 WHERE {SAME_NAME} AND (other.rest, other.word) < (found.rest, found.word))",
            kind.query()
        );
        let (word, name, number) = behind;
        let kind = kind.as_str();
        let ends: Vec<_> = words.iter().map(|word| end_of(word)).collect();
        let mut values = params![kind, is_suffix, end, word, name, number, start, end].to_vec();
        for (word, end) in words.iter().zip(&ends).skip(1) {
            let suffixes = if has_suffixes(word) { "" } else { " AND other.rest = 0" };
            sql.push_str(" AND EXISTS (SELECT 1 FROM name_word AS other WHERE ");
            sql.push_str(SAME_NAME);
            sql.push_str(suffixes);
            sql.push(')');
            values.extend([word.value(), end.value()]);
        }
        sql.push_str(" ORDER BY found.word, found.name, found.number LIMIT ?");
        let most = limit + 1;
        values.push(most.value());
        let mut names = self.connection.prepare(&sql)?;
        listed(names.query(&values[..])?, limit, item)
    }
}

/// True if a search for a word finds it inside of words too.
pub(super) fn has_suffixes(word: &str) -> bool {
    word.chars().count() >= PART_LETTERS
}

/// A text that is greater than all with this prefix.
pub(super) fn end_of(prefix: &str) -> String {
    format!("{prefix}\u{10ffff}")
}

/// The number in a text; none unless the text has only digits.
pub(super) fn number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Index of a game in the table of games.
pub(super) fn game_order(game: &GameNotation) -> Option<usize> {
    games::GAMES.iter().position(|known| **known == *game)
}
