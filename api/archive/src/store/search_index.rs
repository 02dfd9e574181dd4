//! The full-text index: how it is filled, and the match expression of a search.

use std::collections::BTreeSet;

use super::{
    database::{Connection, TextMatch, params},
    error::StoreError,
    names::{end_of, has_suffixes},
    read_tx::ReadTx,
    row_cache::RowCache,
    statements::Insert,
};
use crate::model::{Number, suffixes, words};

/// Table of the index.
pub(super) const SEARCH: &str = "search";
/// Table of its terms and their positions.
pub(super) const WORDS: &str = "word";
/// Length of the longest prefix that the index stores as a term.
pub(super) const PREFIX: usize = 2;
/// Number of terms with one prefix up to which they are searched as terms.
const EXPANDED: usize = 16;
/// Number of terms with one part inside up to which they are searched.
const EXPANDED_RESTS: usize = 64;
/// Words of a record that can be found by a part inside of them, at most: a record may have a million.
const INDEXED: usize = 256;
/// Bytes of a term that a server lists, at most.
const MAX_TERM: usize = 1_000;
/// Number of texts up to which a transaction is small. FTS5 leaves the segment of each transaction until there are sixteen and
/// then merges them at once; large transactions it merges as they come.
const SMALL: usize = 64;
/// Index pages that are merged with each small transaction.
const MERGED: i64 = 16;

/// A search for words in the tags of a record, without regard to case and diacritics. Each must be a term, the beginning of one,
/// or a part of one. Parts inside of terms are found from three letters on, if at most 64 terms have them, and of each record in
/// its first 256 terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFilter(Vec<String>);

impl TextFilter {
    /// The distinct words of a text; nothing if it has none.
    pub fn new(text: &str) -> Option<Self> {
        let words: Vec<_> = Self::words(text).into_iter().collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Number of distinct words of a text.
    pub fn count(text: &str) -> usize {
        Self::words(text).len()
    }

    /// The parts between white space. One with several terms is a phrase: `2026.11.20` matches them in this order.
    fn words(text: &str) -> BTreeSet<String> {
        let parts = text.split(|letter: char| letter.is_whitespace() || letter.is_control() || letter == '"');
        parts.map(words).filter(|word| !word.is_empty()).collect()
    }
}

/// The terms of a text that the table `term` lists: those that are longer than the prefixes in the index.
fn listed_terms(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|word| is_listed(word))
}

fn is_listed(word: &str) -> bool {
    word.chars().nth(PREFIX).is_some() && !word.contains(' ')
}

impl ReadTx<'_> {
    /// The condition of a search. For a prefix FTS5 collects all records of all its terms before it returns the first; the
    /// records of terms it finds as the list goes on. So a prefix with few terms is expanded to them, and a page costs the same
    /// however many records match.
    pub(super) fn match_expression(&self, TextFilter(words): &TextFilter) -> Result<String, StoreError> {
        let whole = |words: String| TextMatch { words, is_prefix: false };
        let mut all = Vec::new();
        for word in words {
            let found = self.terms("SELECT term FROM term WHERE term >= ? AND term < ? LIMIT ?", word, EXPANDED)?;
            let mut parts: Vec<_> = match found {
                Some(found) if !found.is_empty() => found.into_iter().map(whole).collect(),
                _ => vec![TextMatch { words: word.clone(), is_prefix: true }],
            };
            if has_suffixes(word) {
                let sql = "SELECT DISTINCT term FROM term_rest WHERE rest >= ? AND rest < ? LIMIT ?";
                parts.extend(self.terms(sql, word, EXPANDED_RESTS)?.unwrap_or_default().into_iter().map(whole));
            }
            all.push(parts);
        }
        Ok(self.connection.text_query(&all))
    }

    /// The terms that a query finds for a word; none if there are more than `most`.
    fn terms(&self, sql: &str, word: &str, most: usize) -> Result<Option<Vec<String>>, StoreError> {
        if !is_listed(word) {
            return Ok(None);
        }
        let mut terms = self.connection.prepare(sql)?;
        let found = terms.query_map(params![word, end_of(word), most + 1], |row| row.get(0))?;
        let found: Vec<String> = found.collect::<Result<_, _>>()?;
        Ok((found.len() <= most).then_some(found))
    }
}

/// Inserts the texts of records, and merges a part of the index after few of them.
pub(super) fn insert(
    connection: &Connection,
    texts: &[(Number, String)],
    cache: &mut RowCache,
) -> Result<(), StoreError> {
    let mut insert = connection.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)")?;
    for (number, text) in texts {
        insert.insert_buffered(Insert::AFTER_ALL, params![number, text])?;
    }
    if (1..SMALL).contains(&texts.len()) {
        connection.merge_texts(MERGED, false)?;
    }
    // An index of PostgreSQL takes no longer terms. They are found as the beginnings of words are.
    let fits = |word: &&str| connection.is_file() || word.len() <= MAX_TERM;
    let mut term = connection.prepare("INSERT INTO term VALUES (?) ON CONFLICT DO NOTHING")?;
    for word in texts.iter().flat_map(|(_, text)| listed_terms(text)).filter(|word| fits(word) && cache.add_term(word))
    {
        term.insert_buffered(Insert::AFTER_ALL, [word])?;
    }
    let mut rest = connection.prepare("INSERT INTO term_rest VALUES (?, ?) ON CONFLICT DO NOTHING")?;
    let indexed = texts.iter().flat_map(|(_, text)| listed_terms(text).take(INDEXED));
    for term in indexed.filter(|term| fits(term) && cache.add_suffixes_of(term)) {
        for part in suffixes(term) {
            rest.insert_buffered(Insert::AFTER_ALL, [part, term])?;
        }
    }
    Ok(())
}
