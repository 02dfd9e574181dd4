//! Players and their presence.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// The most players of a tournament.
pub const MAX_PLAYERS: usize = 4096;

/// The number of a player in the order of entry, from 1. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PlayerId(#[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_PLAYERS)))] pub u32);

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A player as entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Entry"))]
#[serde(default, deny_unknown_fields)]
pub struct Player {
    /// The name that records of games have too.
    pub name: String,
    /// An id that others gave, such as that of a federation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The federation, three letters in exchange files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub federation: Option<String>,
    /// The club.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub club: Option<String>,
    /// The rating; 0 or nothing for an unrated player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<u32>,
    /// The title, such as `GM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `m` or `w`, for exchange files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sex: Option<char>,
    /// The date of birth, `YYYY/MM/DD` in exchange files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub born: Option<String>,
}

impl Player {
    /// The player without blanks around the texts, and without empty ones.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let trim =
            |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        Self {
            name: self.name.trim().to_owned(),
            id: trim(&self.id),
            federation: trim(&self.federation),
            club: trim(&self.club),
            rating: self.rating,
            title: trim(&self.title),
            sex: self.sex,
            born: trim(&self.born),
        }
    }
}

/// The points of a player who does not play in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TournamentBye"))]
#[serde(rename_all = "kebab-case")]
pub enum Bye {
    /// A full point, given by the arbiter.
    Full,
    /// Half a point, asked for.
    Half,
    /// Nothing: an absence.
    Zero,
    /// The bye of the pairing: nobody was left to play against.
    Allocated,
}

/// A player of a tournament, and the rounds that the player takes part in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The player.
    pub player: Player,
    /// The first round.
    pub first: u32,
    /// The round from which the player has withdrawn.
    pub withdrawn: Option<u32>,
    /// Rounds without the player, with their byes.
    pub absences: BTreeMap<u32, Bye>,
}

impl Entrant {
    /// True if the player is to be paired in a round.
    pub fn plays_in(&self, round: u32) -> bool {
        self.first <= round && self.withdrawn.is_none_or(|from| round < from) && !self.absences.contains_key(&round)
    }
}
