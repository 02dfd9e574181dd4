//! Texts and searches of the full-text index.
//!
//! The texts are words joined by spaces, so they are written as vectors of words with their positions, and no parser of
//! PostgreSQL divides them again.

use std::fmt::Write;

use crate::store::database::TextMatch;

/// Bytes of a vector, at most; PostgreSQL takes one megabyte. The words beyond it are not found.
const MAX_VECTOR: usize = 900_000;
/// Bytes of a word, at most; PostgreSQL takes two thousand. Longer words are cut, in texts and in searches.
const MAX_WORD: usize = 1_000;
/// The last position that a vector has.
const LAST: usize = 16_383;

/// The vector of a text.
pub(super) fn vector(text: &str) -> String {
    let mut vector = String::with_capacity(2 * text.len());
    for (word, position) in text.split(' ').zip(1..) {
        if word.is_empty() {
            continue;
        }
        if vector.len() + MAX_WORD > MAX_VECTOR {
            break;
        }
        let _ = write!(vector, "{}:{} ", quoted(word), position.min(LAST));
    }
    vector
}

/// The query for texts that match one of the alternatives of each part.
pub(in crate::store::database) fn query(parts: &[Vec<TextMatch>]) -> String {
    let alternatives = |part: &Vec<TextMatch>| {
        let part: Vec<_> = part.iter().map(phrase).collect();
        format!("({})", part.join(" | "))
    };
    parts.iter().map(alternatives).collect::<Vec<_>>().join(" & ")
}

fn phrase(TextMatch { words, is_prefix }: &TextMatch) -> String {
    let mut phrase: Vec<_> = words.split(' ').map(quoted).collect();
    if *is_prefix && let Some(last) = phrase.last_mut() {
        last.push_str(":*");
    }
    phrase.join(" <-> ")
}

fn quoted(word: &str) -> String {
    let end = (0..=MAX_WORD.min(word.len())).rev().find(|end| word.is_char_boundary(*end));
    format!("'{}'", word[..end.unwrap_or_default()].replace('\\', "\\\\").replace('\'', "''"))
}
