//! Results of games and encounters.

use std::cmp::Ordering;

use quipu_notation::Side;
use quipu_referee::competition::Half;
use serde::{Deserialize, Serialize};

use super::{Encounter, PlayerId};
use crate::fault::{self, Fault};

/// The outcome of a game, for the players of a board in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "GameOutcome"))]
#[serde(rename_all = "kebab-case")]
pub enum GameOutcome {
    /// The first player won.
    First,
    /// The second player won.
    Second,
    /// Nobody won.
    Draw,
    /// The second player did not play.
    ForfeitToFirst,
    /// The first player did not play.
    ForfeitToSecond,
    /// Neither played.
    DoubleForfeit,
}

impl GameOutcome {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::First, Self::Second, Self::Draw, Self::ForfeitToFirst, Self::ForfeitToSecond, Self::DoubleForfeit];

    /// The scores of both players.
    pub const fn scores(self) -> [Half; 2] {
        match self {
            Self::First | Self::ForfeitToFirst => [Half::ONE, Half::ZERO],
            Self::Second | Self::ForfeitToSecond => [Half::ZERO, Half::ONE],
            Self::Draw => [Half::HALF, Half::HALF],
            Self::DoubleForfeit => [Half::ZERO, Half::ZERO],
        }
    }

    /// True if a game was played.
    pub const fn was_played(self) -> bool {
        matches!(self, Self::First | Self::Second | Self::Draw)
    }

    /// The result as it is written, the first player first.
    pub const fn written(self) -> &'static str {
        match self {
            Self::First => "1-0",
            Self::Second => "0-1",
            Self::Draw => "1/2-1/2",
            Self::ForfeitToFirst => "1-0F",
            Self::ForfeitToSecond => "0-1F",
            Self::DoubleForfeit => "0-0F",
        }
    }

    /// The outcome of a written result.
    pub fn read(written: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.written() == written)
    }

    /// The outcome for players in the other order.
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::ForfeitToFirst => Self::ForfeitToSecond,
            Self::ForfeitToSecond => Self::ForfeitToFirst,
            Self::Draw | Self::DoubleForfeit => self,
        }
    }

    /// The outcome as on the scoresheet of a game of the encounter, from 1: side 1 first.
    #[must_use]
    pub const fn in_game(self, game: u32) -> Self {
        if game.is_multiple_of(2) { self.swapped() } else { self }
    }
}

/// Points of a player in a game, and the counts that decide between equal sums (Andes 5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "GameTally", transform = crate::schema::defaults))]
pub struct Tally {
    /// Points.
    pub points: u32,
    /// Counts in the order in which they decide.
    #[serde(default)]
    pub counts: [u32; 3],
}

impl Tally {
    fn sum(self, other: Self) -> Self {
        // Results of records and stored ones have no bound.
        let counts = std::array::from_fn(|index| self.counts[index].saturating_add(other.counts[index]));
        Self { points: self.points.saturating_add(other.points), counts }
    }
}

/// The origin of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ResultOrigin"))]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The arbiter wrote it.
    #[default]
    Arbiter,
    /// A verified record, by its id.
    Record(String),
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::schema::defaults))]
#[serde(deny_unknown_fields)]
pub struct GameResult {
    /// The outcome.
    pub outcome: GameOutcome,
    /// The tallies of the players of the board in their order, in games that count points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tallies: Option<[Tally; 2]>,
    /// False for a game that ended before it was worth rating.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub rated: bool,
    /// The origin.
    #[serde(default)]
    pub origin: Origin,
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_true(value: &bool) -> bool {
    *value
}

impl GameResult {
    /// A result that the arbiter writes.
    pub const fn by_arbiter(outcome: GameOutcome) -> Self {
        Self { outcome, tallies: None, rated: true, origin: Origin::Arbiter }
    }

    /// A remark on a result that is not that of its points. Equal points contradict no winner: in a single game of Andes the
    /// arbiter decides (9.2).
    pub fn remark(&self, round: u32, board: u32) -> Option<Fault> {
        let [one, two] = self.tallies?.map(|tally| tally.points);
        let agrees = match self.outcome {
            GameOutcome::First => one >= two,
            GameOutcome::Second => one <= two,
            _ => one == two,
        };
        let points = format!("{one}-{two}");
        let fault = Fault::new(fault::OTHER_POINTS).with("round", round).with("board", board).with("points", points);
        (!agrees).then_some(fault)
    }
}

/// A board of a round: an encounter of two players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The players; the first one has side 1 in the first game.
    pub players: [PlayerId; 2],
    /// The results of the games in their order.
    pub games: Vec<Option<GameResult>>,
}

/// The result of an encounter with all its games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncounterResult {
    /// One for the winner, a half each for a tie. Nobody has anything if neither player came.
    pub scores: [Half; 2],
    /// False if a player forfeits all games. One who forfeits some of them has played the encounter.
    pub was_played: bool,
    /// The sums of tallies, if every game has them.
    pub tallies: Option<[Tally; 2]>,
}

impl EncounterResult {
    /// The index of the winner.
    pub fn winner(&self) -> Option<usize> {
        match self.scores[0].cmp(&self.scores[1]) {
            Ordering::Greater => Some(0),
            Ordering::Less => Some(1),
            Ordering::Equal => None,
        }
    }

    /// The bonus of each player: the winner's half of the points obtained in the encounter (Andes 9.4).
    pub fn bonus(&self) -> [Half; 2] {
        let mut bonus = [Half::ZERO; 2];
        if let (Some(winner), Some(tallies)) = (self.winner(), self.tallies) {
            bonus[winner] = Half::half_of(tallies[winner].points.into());
        }
        bonus
    }
}

impl Board {
    /// A board without results.
    pub fn new(players: [PlayerId; 2], encounter: Encounter) -> Self {
        Self { players, games: vec![None; encounter.games() as usize] }
    }

    /// The index of a player.
    pub fn index_of(&self, player: PlayerId) -> Option<usize> {
        self.players.iter().position(|known| *known == player)
    }

    /// True once every game with a result has a verified record; nothing before the first result.
    pub fn is_verified(&self) -> Option<bool> {
        let mut results = self.games.iter().flatten().peekable();
        results.peek()?;
        Some(results.all(|result| matches!(result.origin, Origin::Record(_))))
    }

    /// The results of the games as on their scoresheets, side 1 first; a dash for a missing one.
    pub fn written(&self) -> String {
        let games = (1..).zip(&self.games).map(|(game, result): (u32, _)| match result {
            Some(result) => result.outcome.in_game(game).written(),
            None => "–",
        });
        games.collect::<Vec<_>>().join("  ")
    }

    /// The side of a player of the board in a game, counted from 0.
    pub const fn side(index: usize, game: usize) -> Side {
        Side::BOTH[(index + game) % 2]
    }

    /// The result of the encounter, once every game has one.
    ///
    /// A single game decides by its outcome, however it ended (Andes 9.2). Two legs decide by the sums of tallies (9.3); if
    /// one has none, such as after a forfeit, by the games won, as in encounters of several games.
    pub fn result(&self, encounter: Encounter) -> Option<EncounterResult> {
        let games: Vec<&GameResult> = self.games.iter().map(Option::as_ref).collect::<Option<_>>()?;
        let tallies = games
            .iter()
            .map(|game| game.tallies)
            .reduce(|sums, more| Some([sums?[0].sum(more?[0]), sums?[1].sum(more?[1])]))
            .flatten();
        let is_lost_by_forfeit =
            |game: &&GameResult, index: usize| !game.outcome.was_played() && game.outcome.scores()[index] == Half::ZERO;
        let forfeits = |index: usize| games.iter().all(|game| is_lost_by_forfeit(game, index));
        let was_played = !forfeits(0) && !forfeits(1);
        let points = |index: usize| games.iter().map(|game| game.outcome.scores()[index]).sum::<Half>();
        let order = match tallies {
            Some(sums) if encounter == Encounter::TwoLegs => sums[0].cmp(&sums[1]),
            _ => points(0).cmp(&points(1)),
        };
        let nobody = points(0) + points(1) == Half::ZERO;
        let scores = match order {
            Ordering::Greater => [Half::ONE, Half::ZERO],
            Ordering::Less => [Half::ZERO, Half::ONE],
            Ordering::Equal if nobody && !was_played => [Half::ZERO, Half::ZERO],
            Ordering::Equal => [Half::HALF, Half::HALF],
        };
        Some(EncounterResult { scores, was_played, tallies })
    }
}
