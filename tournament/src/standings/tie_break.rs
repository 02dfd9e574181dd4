//! The figures that rank players.

use serde::{Deserialize, Serialize};

/// A figure that ranks players, in an order of choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TieBreak"))]
#[serde(rename_all = "kebab-case")]
pub enum TournamentTieBreak {
    /// The sum of the opponents' scores (C.07, 8.1).
    Buchholz,
    /// The same without the lowest one (14.1).
    BuchholzCut1,
    /// The same without the two lowest ones.
    BuchholzCut2,
    /// The same without the lowest and the highest one.
    BuchholzMedian,
    /// The opponents' scores, each times the score against that opponent (9.1).
    SonnebornBerger,
    /// The score among the players that are equal so far (6).
    DirectEncounter,
    /// The sum of the scores after each round (7.5).
    Progressive,
    /// Rounds with the points of a win (7.1).
    Wins,
    /// Encounters won with side 2 in the first game (7.4), counted as `Encounters` are.
    WinsSide2,
    /// The average rating of the opponents, rounded (10.1).
    AverageRating,
    /// The score against those with at least half of the possible points (9.2).
    Koya,
    /// Encounters won without a forfeit, and in a round robin with one (7.2, 15.2).
    Encounters,
    /// Points of all games with points, without bonus (Andes 5.1).
    Points,
    /// The same with the bonuses of encounters (Andes 9.4).
    PointsWithBonus,
    /// The score itself, which ranks before all others unless an order names it.
    Score,
}

impl TournamentTieBreak {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Buchholz,
        Self::BuchholzCut1,
        Self::BuchholzCut2,
        Self::BuchholzMedian,
        Self::SonnebornBerger,
        Self::DirectEncounter,
        Self::Progressive,
        Self::Wins,
        Self::WinsSide2,
        Self::AverageRating,
        Self::Koya,
        Self::Encounters,
        Self::Points,
        Self::PointsWithBonus,
        Self::Score,
    ];

    /// The order for a Swiss system unless another is chosen.
    pub fn usual() -> Vec<Self> {
        vec![Self::BuchholzCut1, Self::Buchholz, Self::SonnebornBerger, Self::DirectEncounter]
    }

    /// The order by the laws of games that count points (Andes 9.2 to 9.4).
    pub fn by_points() -> Vec<Self> {
        vec![Self::PointsWithBonus, Self::Encounters, Self::Points, Self::Score]
    }

    /// An order as people read it: an empty one is that of the score.
    pub fn shown(order: &[Self]) -> &[Self] {
        if order.is_empty() { &[Self::Score] } else { order }
    }

    /// True for a sum of the opponents' scores (C.07, 8).
    pub const fn is_buchholz(self) -> bool {
        matches!(self, Self::Buchholz | Self::BuchholzCut1 | Self::BuchholzCut2 | Self::BuchholzMedian)
    }

    /// Its name in options, JSON and CSV.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Buchholz => "buchholz",
            Self::BuchholzCut1 => "buchholz-cut1",
            Self::BuchholzCut2 => "buchholz-cut2",
            Self::BuchholzMedian => "buchholz-median",
            Self::SonnebornBerger => "sonneborn-berger",
            Self::DirectEncounter => "direct-encounter",
            Self::Progressive => "progressive",
            Self::Wins => "wins",
            Self::WinsSide2 => "wins-side2",
            Self::AverageRating => "average-rating",
            Self::Koya => "koya",
            Self::Encounters => "encounters",
            Self::Points => "points",
            Self::PointsWithBonus => "points-with-bonus",
            Self::Score => "score",
        }
    }

    /// The key of its words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Buchholz => "tie-break.buchholz",
            Self::BuchholzCut1 => "tie-break.buchholz-cut1",
            Self::BuchholzCut2 => "tie-break.buchholz-cut2",
            Self::BuchholzMedian => "tie-break.buchholz-median",
            Self::SonnebornBerger => "tie-break.sonneborn-berger",
            Self::DirectEncounter => "tie-break.direct-encounter",
            Self::Progressive => "tie-break.progressive",
            Self::Wins => "tie-break.wins",
            Self::WinsSide2 => "tie-break.wins-side2",
            Self::AverageRating => "tie-break.average-rating",
            Self::Koya => "tie-break.koya",
            Self::Encounters => "tie-break.encounters",
            Self::Points => "tie-break.points",
            Self::PointsWithBonus => "tie-break.points-with-bonus",
            Self::Score => "tie-break.score",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tie_break| tie_break.as_str() == name)
    }

    /// Its code in C.07, for exchange files.
    pub const fn code(self) -> Option<&'static str> {
        match self {
            Self::Buchholz => Some("BH"),
            Self::BuchholzCut1 => Some("BH/C1"),
            Self::BuchholzCut2 => Some("BH/C2"),
            Self::BuchholzMedian => Some("BH/M1"),
            Self::SonnebornBerger => Some("SB"),
            Self::DirectEncounter => Some("DE"),
            Self::Progressive => Some("PS"),
            Self::Wins => Some("WIN"),
            Self::WinsSide2 => Some("BWG"),
            Self::AverageRating => Some("ARO"),
            Self::Koya => Some("KS"),
            Self::Encounters => Some("WON"),
            Self::Score => Some("PTS"),
            Self::Points | Self::PointsWithBonus => None,
        }
    }
}
