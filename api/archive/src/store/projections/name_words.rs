//! Words by which a search finds names of players and events.

use super::projector::Projector;
use crate::{
    model::{name_words, suffixes},
    store::{database::params, error::StoreError, names::NameKind, statements::Insert},
};

impl Projector<'_> {
    /// Adds the words of a name, and then their suffixes: a suffix that is also a word of the name is one already.
    pub(super) fn add_words(&self, kind: NameKind, number: i64, name: &str) -> Result<(), StoreError> {
        let (words, sort) = name_words(name);
        let words_and_suffixes = words.iter().map(|word| (&**word, false));
        for (word, is_suffix) in
            words_and_suffixes.chain(words.iter().flat_map(|word| suffixes(word)).map(|suffix| (suffix, true)))
        {
            self.inserts.insert(Insert::NameWord, &params![kind.as_str(), number, word, is_suffix, sort])?;
        }
        Ok(())
    }
}
