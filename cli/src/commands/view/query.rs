//! Text search in tags, comments and sequences of moves.

use quipu_notation::record::{Chunk, Movetext, Notes, ReadError, Record};
use quipu_referee::competition::folded;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Back,
}

/// A text to search for. A capital letter in it makes the search case-sensitive; otherwise case and accents are
/// ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    text: String,
    exact: bool,
}

impl Query {
    /// The query of a text; `None` for an empty one.
    pub(super) fn new(text: &str) -> Option<Self> {
        let exact = text.chars().any(char::is_uppercase);
        let text = if exact { text.trim().to_owned() } else { folded(text) };
        (!text.is_empty()).then_some(Self { text, exact })
    }

    /// The text as it is compared.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// True if the text contains the query.
    pub(super) fn is_in_text(&self, text: &str) -> bool {
        if self.exact { text.contains(&self.text) } else { folded(text).contains(&self.text) }
    }

    /// True if the query begins in the first of these tokens; it may continue in the next ones.
    pub(super) fn begins_in<'t>(&self, tokens: impl IntoIterator<Item = &'t str>) -> bool {
        let mut joined = String::new();
        let mut first = None;
        for token in tokens {
            if first.is_some() {
                joined.push(' ');
            }
            if self.exact {
                joined.push_str(token);
            } else {
                joined.push_str(&folded(token));
            }
            let first = *first.get_or_insert(joined.len());
            if joined.len() >= first + self.text.len() {
                break;
            }
        }
        joined.find(&self.text).is_some_and(|at| first.is_some_and(|first| at < first))
    }

    /// True if the record contains the query, or the text that cannot be read as one.
    pub(super) fn is_in(&self, chunk: &Chunk<'_>, record: &Result<Record<'_>, ReadError>) -> bool {
        match record {
            Ok(record) => {
                record.tags.iter().any(|tag| self.is_in_text(&tag.value)) || self.is_in_line(&record.movetext)
            }
            Err(_) => self.is_in_text(&String::from_utf8_lossy(chunk.text())),
        }
    }

    fn is_in_line(&self, line: &Movetext<'_>) -> bool {
        let notes = line.plies.iter().filter_map(|ply| ply.notes.as_deref());
        let moves = line.plies.iter().map(|ply| &*ply.token).collect::<Vec<_>>().join(" ");
        self.is_in_text(&moves)
            || line.comments.iter().any(|comment| self.is_in_text(comment))
            || notes.into_iter().any(|notes| self.is_in_notes(notes))
    }

    /// True if the notes of a move contain the query.
    fn is_in_notes(&self, notes: &Notes<'_>) -> bool {
        notes.comments.iter().any(|comment| self.is_in_text(comment))
            || notes.variations.iter().any(|line| self.is_in_line(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, text: &str, expected: bool) {
        let query = Query::new(query).expect("something is searched");
        assert_eq!(query.is_in_text(text), expected, "{query:?} in {text:?}");
    }

    #[test]
    fn case_and_accents_count_where_there_is_a_capital() {
        check("nahui", "Ñahui, Sumaq", true);
        check("ÑAHUI", "Ñahui, Sumaq", false);
        check("Ñahui", "Ñahui, Sumaq", true);
        check("Nahui", "Ñahui, Sumaq", false);
        check(" ñahui,  sumaq ", "Ñahui, Sumaq", true);
        assert_eq!(Query::new("  "), None);
    }

    #[track_caller]
    fn begins(query: &str, tokens: &[&str], expected: bool) {
        let query = Query::new(query).expect("something is searched");
        assert_eq!(query.begins_in(tokens.iter().copied()), expected, "{query:?} in {tokens:?}");
    }

    #[test]
    fn moves_follow_each_other() {
        begins("0d3", &["0d3", "2A3"], true);
        begins("d3 2a", &["0d3", "2A3"], true);
        begins("0d3 2A3", &["0d3", "2A3"], true);
        begins("0d3 2a3 1b", &["0d3", "2A3", "1b0"], true);
        begins("2a3", &["0d3", "2A3"], false);
        begins("0d3 1", &["0d3", "2A3"], false);
        begins("0d3 2A3 ", &["0d3"], false);
    }

    #[track_caller]
    fn in_record(query: &str, text: &str, expected: bool) {
        let (query, chunk) = (Query::new(query).expect("something is searched"), Chunk::new(text.as_bytes()));
        let found = chunk.records().any(|record| query.is_in(&chunk, &record));
        assert_eq!(found, expected, "{query:?} in {text}");
    }

    #[test]
    fn everything_that_people_read_is_searched() {
        let record = "[Game \"andes\"]\n[Sol \"Quispe, Ana\"]\n\n{al sol} 1. 0d3 {centro} 2A3 (2A2 {o así}) *\n";
        for query in ["quispe", "andes", "al sol", "0d3 2a3", "CENTRO".to_lowercase().as_str(), "2A2", "asi"] {
            in_record(query, record, true);
        }
        for query in ["luna", "2A3 0d3", "Al sol"] {
            in_record(query, record, false);
        }
        in_record("abierto", "[Game \"andes\"]\n\n0d3 {abierto", true);
    }
}
