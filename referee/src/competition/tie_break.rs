//! Tie-breaks: the figures that rank players, in an order of choice.

/// A figure that ranks players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The sum of the opponents' scores, each once for every game against that opponent.
    Buchholz,
    /// The sum of the scores of the opponents beaten, and half of those drawn with.
    SonnebornBerger,
    /// The score in the games among the players that are equal so far, if each of them has met each other.
    Direct,
    /// Games won.
    Wins,
    /// Points in all games, without bonus; in games that count points.
    Points,
    /// The same with the bonuses of encounters (9.4).
    PointsWithBonus,
    /// Encounters won (9.2, 9.3); in games that count points.
    Encounters,
    /// The score itself: it ranks before all others unless an order names it at a later place.
    Score,
}

impl TieBreak {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Buchholz,
        Self::SonnebornBerger,
        Self::Direct,
        Self::Wins,
        Self::Points,
        Self::PointsWithBonus,
        Self::Encounters,
        Self::Score,
    ];

    /// The default order.
    pub const DEFAULT: [Self; 4] = [Self::Buchholz, Self::SonnebornBerger, Self::Direct, Self::Wins];

    /// The order by the laws of games that count points: the points obtained with their bonuses (9.4), then encounters won
    /// (9.2, 9.3), points without bonus, and last the score.
    pub const BY_POINTS: [Self; 4] = [Self::PointsWithBonus, Self::Encounters, Self::Points, Self::Score];

    /// An order in which the score has its place: before all others unless it is named.
    pub fn with_score(order: &[Self]) -> Vec<Self> {
        let first = (!order.contains(&Self::Score)).then_some(Self::Score);
        first.into_iter().chain(order.iter().copied()).collect()
    }

    /// Its name in options, JSON and CSV.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Buchholz => "buchholz",
            Self::SonnebornBerger => "sonneborn-berger",
            Self::Direct => "direct",
            Self::Wins => "wins",
            Self::Points => "points",
            Self::PointsWithBonus => "points-with-bonus",
            Self::Encounters => "encounters",
            Self::Score => "score",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tie_break| tie_break.as_str() == name)
    }

    /// True if only games that count points have it.
    pub const fn is_of_points(self) -> bool {
        matches!(self, Self::Points | Self::PointsWithBonus | Self::Encounters)
    }

    /// Key of the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Buchholz => "tie-break.buchholz",
            Self::SonnebornBerger => "tie-break.sonneborn-berger",
            Self::Direct => "tie-break.direct",
            Self::Wins => "tie-break.wins",
            Self::Points => "tie-break.points",
            Self::PointsWithBonus => "tie-break.points-with-bonus",
            Self::Encounters => "tie-break.encounters",
            Self::Score => "tie-break.score",
        }
    }
}
