//! Words by which a search finds names of players and events.

use rusqlite::params;

use super::projector::Projector;
use crate::{
    model::{name_words, rests},
    store::{error::StoreError, names::NameKind},
};

impl Projector<'_> {
    /// Adds the words of a name, and then their rests: a rest that is also a word of the name is one already.
    pub(super) fn add_words(&self, kind: NameKind, number: i64, name: &str) -> Result<(), StoreError> {
        let (words, sort) = name_words(name);
        let words_and_rests = words.iter().map(|word| (&**word, false));
        for (word, is_rest) in words_and_rests.chain(words.iter().flat_map(|word| rests(word)).map(|rest| (rest, true)))
        {
            self.execute(
                "INSERT OR IGNORE INTO name_word (kind, number, word, rest, name) VALUES (?, ?, ?, ?, ?)",
                params![kind.as_str(), number, word, is_rest, sort],
            )?;
        }
        Ok(())
    }
}
