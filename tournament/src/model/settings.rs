//! The settings of a tournament.

use quipu_notation::Side;
use serde::{Deserialize, Serialize};

use crate::{
    fault::{self, Fault},
    model::Bye,
    random::Random,
    standings::TournamentTieBreak,
};

/// The most rounds of a tournament.
pub const MAX_ROUNDS: u32 = 100;
/// The most games of an encounter.
pub const MAX_GAMES: u32 = 16;
/// The least and the most seconds with which a player starts. Twelve of them would be twelve minutes, written wrongly.
pub const TIME_CONTROL: [u32; 2] = [60, 36_000];

/// The system that pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TournamentSystem", transform = crate::schema::defaults))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum System {
    /// The Dutch system of FIDE (C.04.3).
    Swiss {
        /// Virtual points in the first rounds (Baku acceleration, C.04.7; C.04.5.1 in older editions).
        #[serde(default)]
        accelerated: bool,
    },
    /// Everyone meets everyone, by Berger tables.
    RoundRobin {
        /// Twice, the second time with other sides.
        #[serde(default)]
        double: bool,
    },
    /// The loser of an encounter is out.
    Knockout {
        /// The losers of the semifinals play for the third place, beside the final.
        #[serde(default)]
        third_place: bool,
    },
    /// The arbiter pairs.
    Manual,
}

impl System {
    /// The tie-breaks unless others are chosen. Points decide two legs, and so they decide places.
    pub fn usual_tie_breaks(self, encounter: Encounter) -> Vec<TournamentTieBreak> {
        let usual =
            if encounter == Encounter::TwoLegs { TournamentTieBreak::by_points() } else { TournamentTieBreak::usual() };
        usual.into_iter().filter(|tie_break| !self.makes_equal(*tie_break)).collect()
    }

    /// A remark on the tie-breaks of an order that are equal for equal scores in this system. Before the score they have an effect.
    pub fn remark(self, order: &[TournamentTieBreak]) -> Option<Fault> {
        let score = order.iter().position(|one| *one == TournamentTieBreak::Score);
        let after_score = order.iter().skip(score.unwrap_or(0));
        let idle: Vec<_> = after_score.filter(|one| self.makes_equal(**one)).map(|one| one.as_str()).collect();
        (!idle.is_empty()).then(|| Fault::new(fault::NO_EFFECT).with("tie_breaks", idle.join(", ")))
    }

    /// True for the scores of opponents (C.07, 8) in a round robin: in the end, players with equal scores have met opponents with
    /// equal scores. In a knock-out they have not.
    fn makes_equal(self, tie_break: TournamentTieBreak) -> bool {
        matches!(self, Self::RoundRobin { .. }) && tie_break.is_buchholz()
    }
}

/// The games of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TournamentEncounter"))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Encounter {
    /// One game (Andes 9.2).
    Single,
    /// Two legs, the second with other sides. The sums of points decide (Andes 9.3).
    TwoLegs,
    /// Several games, in which sides alternate. The games won decide.
    Games {
        /// Their number.
        count: u32,
    },
}

impl Encounter {
    /// The number of games.
    pub const fn games(self) -> u32 {
        match self {
            Self::Single => 1,
            Self::TwoLegs => 2,
            Self::Games { count } => count,
        }
    }

    /// True if it matters who has side 1 in the first game: the other player has it less often.
    pub const fn prefers_sides(self) -> bool {
        self.games() % 2 == 1
    }
}

/// Facts about the event that only exchange files carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TournamentAbout", transform = crate::schema::all_optional))]
#[serde(default, deny_unknown_fields)]
pub struct About {
    /// The city.
    pub city: String,
    /// The federation.
    pub federation: String,
    /// The first day.
    pub start: String,
    /// The last day.
    pub end: String,
    /// The kind of event in words.
    pub kind: String,
    /// The chief arbiter.
    pub arbiter: String,
    /// The deputies.
    pub deputies: Vec<String>,
    /// The time control in words.
    pub clock: String,
    /// The day of each round.
    pub days: Vec<String>,
}

/// Everything that is fixed when a tournament is created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TournamentSettings", transform = crate::schema::defaults))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
#[serde(from = "SettingsInput")]
pub struct TournamentSettings {
    /// The name: the event of its records.
    pub name: String,
    /// The system.
    pub system: System,
    /// The number of rounds. A round robin and a knock-out derive theirs from the number of players.
    pub rounds: u32,
    /// The games of an encounter.
    pub encounter: Encounter,
    /// The seed of everything that is drawn by lot.
    #[serde(default)]
    pub seed: u64,
    /// The side of the first player in the first round; drawn by lot if there is none.
    #[serde(default, with = "side_number", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u8>", range(min = 1, max = 2)))]
    pub first_side: Option<Side>,
    /// The points of the bye that the pairing gives.
    #[serde(default = "full")]
    pub bye: Bye,
    /// The seconds with which each player starts a game, as records have them in the tag `TimeControl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = TIME_CONTROL[0], max = TIME_CONTROL[1])))]
    pub time_control: Option<u32>,
    /// The tie-breaks, the first one first; those of the system and the encounter unless others are given.
    pub tie_breaks: Vec<TournamentTieBreak>,
}

/// Settings as they are given.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SettingsInput {
    name: String,
    system: System,
    rounds: u32,
    encounter: Encounter,
    #[serde(default)]
    seed: u64,
    #[serde(default, with = "side_number")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u8>", range(min = 1, max = 2)))]
    first_side: Option<Side>,
    #[serde(default = "full")]
    bye: Bye,
    #[cfg_attr(feature = "schema", schemars(range(min = TIME_CONTROL[0], max = TIME_CONTROL[1])))]
    time_control: Option<u32>,
    tie_breaks: Option<Vec<TournamentTieBreak>>,
}

impl From<SettingsInput> for TournamentSettings {
    fn from(given: SettingsInput) -> Self {
        let SettingsInput { name, system, rounds, encounter, seed, first_side, bye, time_control, tie_breaks } = given;
        let tie_breaks = tie_breaks.unwrap_or_else(|| system.usual_tie_breaks(encounter));
        Self { name, system, rounds, encounter, seed, first_side, bye, time_control, tie_breaks }
    }
}

const fn full() -> Bye {
    Bye::Full
}

impl TournamentSettings {
    /// The initial side (C.04.3, article 5.1): that of the highest player in the first round.
    pub fn initial_side(&self) -> Side {
        self.first_side.unwrap_or_else(|| Side::BOTH[Random::new(self.seed).below(2)])
    }
}

/// A side as the number 1 or 2.
pub(crate) mod side_number {
    use quipu_notation::Side;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(crate) fn serialize<S: Serializer>(side: &Option<Side>, serializer: S) -> Result<S::Ok, S::Error> {
        side.map(|side| side.index() + 1).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Side>, D::Error> {
        match Option::<u8>::deserialize(deserializer)? {
            None => Ok(None),
            Some(1) => Ok(Some(Side::One)),
            Some(2) => Ok(Some(Side::Two)),
            Some(_) => Err(D::Error::custom("a side is 1 or 2")),
        }
    }
}
