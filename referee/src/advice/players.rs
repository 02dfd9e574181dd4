//! Names of players that differ by one letter from another in the same input.

use std::{borrow::Cow, collections::HashSet};

use quipu_notation::{LineColumn, Span, record::Record};

use super::slip::Slip;
use crate::{
    Diagnostic,
    competition::{normal, said},
};

/// Bytes of a name, at least, for one different letter to be a likely slip.
const LONG: usize = 6;

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
            let name = Cow::Borrowed(said(record, side.tag)?);
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
    /// Normalized names, each with the spelling that came first.
    names: Vec<(String, String)>,
}

impl Players {
    /// Spellings in an input that are compared with each other, at most; later ones are ignored.
    pub const MOST: usize = 2000;

    /// True if further names are ignored.
    pub fn is_full(&self) -> bool {
        self.written.len() >= Self::MOST
    }

    /// Adds the next name; returns advice if it is new and close to another one.
    pub fn note(&mut self, PlayerName { name, span, place }: &PlayerName<'_>) -> Option<Diagnostic> {
        if self.is_full() || self.written.contains(&**name) {
            return None;
        }
        self.written.insert(name.to_string());
        let normal = normal(name);
        if self.names.iter().any(|(known, _)| *known == normal) {
            return None;
        }
        let near = self.names.iter().find(|(known, _)| is_near(known, &normal));
        let found = near.map(|(_, other)| {
            let slip = Slip::Player { found: name, other: other.clone() };
            Diagnostic { place: *place, ..Diagnostic::new(slip.into(), Some(*span)) }
        });
        self.names.push((normal, name.to_string()));
        found
    }
}

/// True if one letter is added, missing or changed, or two are swapped. Names that differ in a digit are different.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if long.len() - short.len() > 1 || short.len() < LONG {
        return false;
    }
    let start = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let end = short[start..].iter().rev().zip(long[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[start..short.len() - end], &long[start..long.len() - end]);
    let is_one = match (short, long) {
        ([] | [_], [_]) => true,
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => false,
    };
    is_one && [short, long].concat().iter().all(|byte| !byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use quipu_notation::record::Chunk;

    use super::*;
    use crate::{Lang, messages::catalog};

    #[test]
    fn one_letter_is_near() {
        for (one, other, expected) in [
            ("rosa quispe", "roza quispe", true),
            ("rosa quispe", "rosa quispes", true),
            ("rosa quispe", "rsoa quispe", true),
            ("rosa quispe", "rosa quispe", false),
            ("rosa quispe", "raza quispe", false),
            ("ana", "ena", false),
            ("jugador 1", "jugador 2", false),
            ("jugador 1", "jugador 11", false),
        ] {
            assert_eq!(is_near(one, other), expected, "{one}, {other}");
            assert_eq!(is_near(other, one), expected, "{other}, {one}");
        }
    }

    #[test]
    fn advice_on_a_name_is_given_once() {
        let mut players = Players::default();
        let mut told = Vec::new();
        for [sol, luna] in [
            ["Quispe, Rosa", "Mamani, Luis"],
            ["Mamani, Luiz", "ROSA QUISPE"],
            ["Roza Quispe", "Mamani, Luiz"],
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
                "“Roza Quispe” differs by one letter from “Quispe, Rosa”, which is in this input too; are they the same person? If so, use one spelling.",
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
