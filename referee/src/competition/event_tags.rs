//! The event, round, leg, board and date of a game, which tell sheets of one game from those of others.

use quipu_notation::record::Record;
use serde::{Deserialize, Serialize};

use super::{known_value, normal};

/// Plies of a game, at least, for its sheets to be recognized without a round.
pub(super) const LONG: usize = 8;

/// The event, round, leg, board and date of a game, as far as a sheet has them. Texts are compared as names are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTags {
    pub(super) event: Option<String>,
    pub(super) round: Option<String>,
    pub(super) leg: Option<String>,
    pub(super) board: Option<String>,
    pub(super) date: PlayDate,
    /// True if the game has at least [`LONG`] plies.
    pub(super) long: bool,
}

/// A day of play that may be partly unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum PlayDate {
    /// Year, month and day.
    Parts([Option<u16>; 3]),
    /// A text in another form than that of the tag `Date`.
    Text(String),
}

impl Default for PlayDate {
    fn default() -> Self {
        Self::Parts([None; 3])
    }
}

impl EventTags {
    pub(super) fn new(record: &Record<'_>, long: bool) -> Self {
        let text = |name| known_value(record, name).map(normal);
        Self {
            event: text("Event"),
            round: text("Round"),
            leg: text("Leg"),
            board: text("Board"),
            date: known_value(record, "Date").map_or_else(PlayDate::default, PlayDate::new),
            long,
        }
    }

    /// Event, round and leg, which may be empty; none if event or round is unknown.
    pub(super) fn place(&self) -> Option<[&str; 3]> {
        Some([self.event.as_deref()?, self.round.as_deref()?, self.leg.as_deref().unwrap_or_default()])
    }

    /// The texts other than the date.
    pub(super) fn texts(&self) -> [&Option<String>; 4] {
        [&self.event, &self.round, &self.leg, &self.board]
    }

    pub(super) fn contradicts(&self, other: &Self) -> bool {
        let differ =
            |(one, other): (&Option<String>, &Option<String>)| one.is_some() && other.is_some() && one != other;
        self.texts().into_iter().zip(other.texts()).any(differ) || self.date.contradicts(&other.date)
    }
}

impl PlayDate {
    /// Parts are separated by `.`, `-` or `/`, year first. One with `?` is unknown, and so is a missing one.
    fn new(text: &str) -> Self {
        let other = || Self::Text(normal(text));
        let mut parts = text.trim().split(['.', '-', '/']);
        let mut read = [None; 3];
        for part in &mut read {
            match parts.next() {
                None => {}
                Some(text) if text.contains('?') && text.bytes().all(|byte| byte == b'?' || byte.is_ascii_digit()) => {}
                Some(text) => match text.parse() {
                    Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => *part = Some(number),
                    _ => return other(),
                },
            }
        }
        // A first part up to 31 is a day or a month: the parts are in another order.
        let year_first = read[0].is_none_or(|year| year > 31);
        if parts.next().is_none() && year_first { Self::Parts(read) } else { other() }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn contradicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Parts(one), Self::Parts(other)) => {
                one.iter().zip(other).any(|(one, other)| one.is_some() && other.is_some() && one != other)
            }
            _ => !self.is_unknown() && !other.is_unknown() && self != other,
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        if self.is_unknown() {
            self.clone_from(other);
        } else if let (Self::Parts(one), Self::Parts(other)) = (self, other) {
            for (one, other) in one.iter_mut().zip(other) {
                *one = one.or(*other);
            }
        }
    }
}
