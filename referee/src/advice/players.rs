//! Names of players that are likely another spelling of one in the same input.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use quipu_notation::{LineColumn, Span, record::Record};

use super::slip::Slip;
use crate::{
    Diagnostic,
    competition::{is_near, known_value, normal},
};

/// The name of a player in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerName<'r> {
    name: Cow<'r, str>,
    span: Span,
    /// Line and column, if they are known.
    place: Option<LineColumn>,
}

impl PlayerName<'_> {
    /// The names in a record.
    pub fn all<'r>(record: &'r Record<'_>) -> impl Iterator<Item = PlayerName<'r>> {
        let sides = record.game().into_iter().flat_map(|game| &game.sides);
        sides.filter_map(|side| {
            let name = Cow::Borrowed(known_value(record, side.tag)?);
            Some(PlayerName { name, span: record.tag(side.tag)?.span, place: None })
        })
    }

    /// Its span.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Detaches the name from its record, and sets its place.
    pub fn at(self, place: LineColumn) -> PlayerName<'static> {
        PlayerName { name: Cow::Owned(self.name.into_owned()), span: self.span, place: Some(place) }
    }
}

/// The names of an input that are compared with each other.
#[derive(Clone, Debug, Default)]
pub struct Players {
    /// As they were written.
    written: HashSet<String>,
    /// Normalized names by their number of letters, each with its number and the spelling that came first.
    names: HashMap<usize, Vec<PlayerSpelling>>,
    /// The number of normalized names.
    count: usize,
}

#[derive(Clone, Debug)]
struct PlayerSpelling {
    number: usize,
    normal: String,
    written: String,
}

impl Players {
    /// Spellings in an input that are compared with each other, at most; later ones are ignored.
    pub const MOST: usize = 2000;

    /// True if further names are ignored.
    pub fn is_full(&self) -> bool {
        self.written.len() >= Self::MOST
    }

    /// Adds the next name; returns advice if it is a new spelling and close to another name.
    pub fn note(&mut self, PlayerName { name, span, place }: &PlayerName<'_>) -> Option<Diagnostic> {
        if self.is_full() || self.written.contains(&**name) {
            return None;
        }
        self.written.insert(name.to_string());
        let normal = normal(name);
        let length = normal.chars().count();
        let of_length = |length: usize| self.names.get(&length).map_or(&[][..], Vec::as_slice);
        let same = of_length(length).iter().find(|known| known.normal == normal);
        // Close names differ by one letter in length, at most.
        let near = || {
            let first = |length| of_length(length).iter().find(|known| is_near(&known.normal, &normal));
            (length.saturating_sub(1)..=length + 1).filter_map(first).min_by_key(|known| known.number)
        };
        let found = same.or_else(near).map(|known| {
            let slip = Slip::Player { found: name, other: known.written.clone(), same: same.is_some() };
            Diagnostic { place: *place, ..Diagnostic::new(slip.into(), Some(*span)) }
        });
        if same.is_none() {
            let spelling = PlayerSpelling { number: self.count, normal, written: name.to_string() };
            self.names.entry(length).or_default().push(spelling);
            self.count += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use quipu_notation::record::Chunk;

    use super::*;
    use crate::{Lang, messages::catalog};

    #[test]
    fn advice_on_a_name_is_given_once() {
        let mut players = Players::default();
        let mut told = Vec::new();
        for [sol, luna] in [
            ["Quispe, Rosa", "Mamani, Luis"],
            ["Mamani, Luiz", "ROSA QUISPE"],
            ["Roza Quispe", "Mamani, Luiz"],
            ["Иван Петров", "Иван Петро"],
            // Two teams.
            ["Команда А", "Команда Б"],
            ["?", ""],
        ] {
            let text = format!("[Game \"andes\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n\n*\n");
            let chunk = Chunk::new(text.as_bytes());
            let record = chunk.records().next().expect("a record").expect("it can be read");
            let found = PlayerName::all(&record).filter_map(|name| players.note(&name));
            told.extend(found.map(|found| catalog().message(&found.message, Lang::En)));
        }
        assert_eq!(
            told,
            [
                "“Mamani, Luiz” differs by one letter from “Mamani, Luis”, which is in this input too; are they the same person? If so, use one spelling.",
                "“ROSA QUISPE” is “Quispe, Rosa” in another spelling, and both are in this input; are they the same person? If so, use one spelling.",
                "“Roza Quispe” differs by one letter from “Quispe, Rosa”, which is in this input too; are they the same person? If so, use one spelling.",
                "“Иван Петро” differs by one letter from “Иван Петров”, which is in this input too; are they the same person? If so, use one spelling.",
            ]
        );
    }

    #[test]
    fn of_very_many_names_the_first_are_compared() {
        let mut players = Players::default();
        let name = |name: String| PlayerName { name: name.into(), span: Span::default(), place: None };
        // Letters alone, so that each differs from the others by several.
        let word = |number: usize| format!("{number:b}").replace('0', "aa").replace('1', "bc");
        for number in 0..Players::MOST {
            players.note(&name(word(number + 4096)));
        }
        assert!(players.is_full());
        assert_eq!(players.note(&name(word(4096) + "x")), None);
    }
}
