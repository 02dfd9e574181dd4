//! Entries: the facts of a game that counts, or the reason why it does not.

use std::{collections::HashMap, fmt};

use chrono::{Datelike, NaiveDate, NaiveTime};
use quipu_notation::{
    Side,
    games::GameNotation,
    record::{Outcome, Record},
};

use super::{Aliases, Half};
use crate::{GameEnd, Message, Points, Status, Verdict, termination::Termination};

/// The facts of a verified game. Only verified games count (prologue: official).
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number in the order of entry.
    pub place: u64,
    /// The game.
    pub game: &'static GameNotation,
    /// Value of the tag `Event`, if it is known.
    pub event: Option<String>,
    /// Value of the tag `Round`, if it is known.
    pub round: Option<String>,
    /// Value of the tag `Leg`, unchanged.
    pub leg: Option<String>,
    /// Value of the tag `Board`, if it is known.
    pub board: Option<String>,
    /// The players, side 1 first, with aliases resolved.
    pub players: [String; 2],
    /// The result.
    pub outcome: Outcome,
    /// The termination.
    pub termination: &'static Termination,
    /// The points of both sides, in games that count points.
    pub points: Option<Points>,
    /// The start of the game.
    pub start: Start,
    /// The id of its record.
    pub id: [u8; 32],
}

/// The start of a game in UTC. Unknown values sort first: a game without a date counts as the oldest, one without a
/// time comes first on its day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    date: Option<NaiveDate>,
    time: Option<NaiveTime>,
}

/// The reason why a game does not count.
#[derive(Clone, Debug, PartialEq)]
pub enum Uncounted {
    /// Its record is not verified: its status, and the first error.
    NotVerified(Status, Option<Message>),
    /// The player of a side is unknown: the name of the missing tag.
    Unnamed(&'static str),
    /// One player has both sides.
    Alone(String),
    /// The same game was entered before, at this place.
    Duplicate(u64),
    /// A game without points, where points are counted.
    Pointless(&'static GameNotation),
}

impl Uncounted {
    /// The reason for a game that is not verified.
    pub fn not_verified(verdict: &Verdict) -> Self {
        Self::NotVerified(verdict.status, verdict.first_error().map(|diagnostic| diagnostic.message.clone()))
    }

    /// Its public word: the status if the record is not verified.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NotVerified(status, _) => status.as_str(),
            Self::Unnamed(_) => "unnamed",
            Self::Alone(_) => "alone",
            Self::Duplicate(_) => "duplicate",
            Self::Pointless(_) => "pointless",
        }
    }
}

/// False for a value that is empty or `?`, which means unknown.
pub fn is_known(value: &str) -> bool {
    !matches!(value.trim(), "" | "?")
}

/// The value of a tag, if it is known.
pub fn known_value<'r>(record: &'r Record<'_>, name: &str) -> Option<&'r str> {
    record.value(name).filter(|value| is_known(value))
}

/// The event of a record, if it names one.
pub fn event<'r>(record: &'r Record<'_>) -> Option<&'r str> {
    known_value(record, "Event")
}

impl Entry {
    /// The facts of a game.
    ///
    /// # Errors
    /// The reason why it does not count.
    pub fn new(place: u64, record: &Record<'_>, verdict: &Verdict, aliases: &Aliases) -> Result<Self, Uncounted> {
        let (Status::Verified, Some(game), Some(id)) = (verdict.status, record.game(), verdict.id) else {
            return Err(Uncounted::not_verified(verdict));
        };
        let Some(GameEnd { termination: Some(termination), outcome }) = verdict.end else {
            return Err(Uncounted::not_verified(verdict));
        };
        let player = |side| {
            let tag = game.side(side).tag;
            known_value(record, tag).map(|name| aliases.resolve(name).to_owned()).ok_or(Uncounted::Unnamed(tag))
        };
        let players = [player(Side::One)?, player(Side::Two)?];
        if players[0] == players[1] {
            let [player, _] = players;
            return Err(Uncounted::Alone(player));
        }
        Ok(Self {
            place,
            game,
            event: event(record).map(str::to_owned),
            round: known_value(record, "Round").map(str::to_owned),
            leg: record.value("Leg").map(str::to_owned),
            board: known_value(record, "Board").map(str::to_owned),
            players,
            outcome,
            termination,
            points: verdict.points,
            start: Start::new(record.value("UTCDate"), record.value("UTCTime")),
            id,
        })
    }

    /// The same, where only games with points count.
    ///
    /// # Errors
    /// If the game has none.
    pub fn with_points(self) -> Result<Self, Uncounted> {
        if self.points.is_some() { Ok(self) } else { Err(Uncounted::Pointless(self.game)) }
    }

    /// The side of a player, if it is one of the two.
    pub fn side_of(&self, player: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.players[side.index()] == player)
    }

    /// The player of a side.
    pub fn player(&self, side: Side) -> &str {
        &self.players[side.index()]
    }

    /// The score of a side: one for a win, a half for a draw.
    pub fn score(&self, side: Side) -> Half {
        match self.outcome {
            Outcome::Win(winner) if winner == side => Half::ONE,
            Outcome::Draw => Half::HALF,
            Outcome::Win(_) | Outcome::Open => Half::ZERO,
        }
    }
}

impl Start {
    /// The start in `UTCDate` and `UTCTime`. Values without the exact form of a date or time are unknown, and so is a
    /// time without a date.
    pub fn new(date: Option<&str>, time: Option<&str>) -> Self {
        let date = date.filter(|text| has_form(text, "0000.00.00"));
        let date = date.and_then(|text| NaiveDate::parse_from_str(text, "%Y.%m.%d").ok());
        let time = time.filter(|text| date.is_some() && has_form(text, "00:00:00"));
        Self { date, time: time.and_then(|text| NaiveTime::parse_from_str(text, "%H:%M:%S").ok()) }
    }

    /// The day, if it is known.
    pub const fn date(&self) -> Option<NaiveDate> {
        self.date
    }

    /// The time of that day, if it is known.
    pub const fn time(&self) -> Option<NaiveTime> {
        self.time
    }
}

/// In the form of the tags, without unknown parts.
impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(date) = self.date else { return Ok(()) };
        write!(f, "{:04}.{:02}.{:02}", date.year(), date.month(), date.day())?;
        self.time.map_or(Ok(()), |time| write!(f, " {time}"))
    }
}

/// True if a text has digits where `form` has zeros, and is equal to it elsewhere.
fn has_form(text: &str, form: &str) -> bool {
    let fits = |(found, wanted): (u8, u8)| if wanted == b'0' { found.is_ascii_digit() } else { found == wanted };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(fits)
}

/// Entries in the order of entry, each game once.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    list: Vec<Entry>,
    /// Places by the ids of records.
    places: HashMap<[u8; 32], u64>,
}

impl Entries {
    /// Adds a game behind all others.
    ///
    /// # Errors
    /// [`Uncounted::Duplicate`] if it is there already.
    pub fn add(&mut self, entry: Entry) -> Result<(), Uncounted> {
        if let Some(&first) = self.places.get(&entry.id) {
            return Err(Uncounted::Duplicate(first));
        }
        self.places.insert(entry.id, entry.place);
        self.list.push(entry);
        Ok(())
    }

    /// Adds a game that does not count by itself, because it is another sheet of one that does.
    pub fn add_sheet(&mut self, entry: &Entry) {
        self.places.entry(entry.id).or_insert(entry.place);
    }

    /// The place of the record with this id, if it was added or noted.
    pub fn place(&self, id: &[u8; 32]) -> Option<u64> {
        self.places.get(id).copied()
    }

    /// All of them.
    pub fn all(&self) -> &[Entry] {
        &self.list
    }

    /// The entry at this place.
    pub fn at(&self, place: u64) -> Option<&Entry> {
        let index = self.list.binary_search_by_key(&place, |entry| entry.place).ok()?;
        self.list.get(index)
    }
}
