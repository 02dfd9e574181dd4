//! Levels and tiers (9.5, R-12).

use super::{Entry, Start};

/// A player's level: 0 to 360.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u16);

/// A range of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Copper: 0 to 120.
    Cobre,
    /// Silver: 121 to 240.
    Plata,
    /// Gold: 241 to 360.
    Oro,
}

/// A game that a player won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Win {
    /// The start of the game.
    pub start: Start,
    /// Its number in the order of entry.
    pub place: u64,
    /// The player's points, without bonus.
    pub points: u32,
}

/// The level after a won game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of the game in the order of entry.
    pub game: u64,
    /// The points in it.
    pub last: u32,
    /// The points in the game won before.
    pub previous: u32,
    /// The level; none while both are zero.
    pub level: Option<Level>,
}

impl Level {
    /// The highest.
    pub const MAX: u16 = 360;

    /// The level from the points of the last two won games: last / max(last, previous) * 360, rounded to the nearest
    /// whole number, halves up. None while both are zero.
    pub fn of(last: u32, previous: u32) -> Option<Self> {
        let greatest = u64::from(last.max(previous));
        let double = 2 * u64::from(Self::MAX) * u64::from(last);
        let rounded = (double + greatest).checked_div(2 * greatest)?;
        u16::try_from(rounded).ok().map(Self)
    }

    /// The level with this value, if it is in range.
    pub fn new(value: u16) -> Option<Self> {
        (value <= Self::MAX).then_some(Self(value))
    }

    /// As a number.
    pub const fn value(self) -> u16 {
        self.0
    }

    /// The tier of the level.
    pub const fn tier(self) -> Tier {
        match self.0 {
            0..=120 => Tier::Cobre,
            121..=240 => Tier::Plata,
            _ => Tier::Oro,
        }
    }
}

impl Tier {
    /// All, the lowest first.
    pub const ALL: [Self; 3] = [Self::Cobre, Self::Plata, Self::Oro];

    /// Its name in JSON and CSV.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cobre => "cobre",
            Self::Plata => "plata",
            Self::Oro => "oro",
        }
    }

    /// Key of the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cobre => "tier.cobre",
            Self::Plata => "tier.plata",
            Self::Oro => "tier.oro",
        }
    }
}

impl Win {
    /// The win of a game with points; nothing if it has no winner.
    pub fn of(entry: &Entry) -> Option<Self> {
        let side = entry.outcome.winner()?;
        let points = entry.points?.0[side.index()].points;
        Some(Self { start: entry.start, place: entry.place, points })
    }
}

/// The levels of a player after each won game from the second on, the oldest first. Games are ordered by their start,
/// then by the order of entry.
pub fn history(mut wins: Vec<Win>) -> Vec<Step> {
    wins.sort_by_key(|win| (win.start, win.place));
    let step = |pair: &[Win]| {
        let (previous, last) = (pair[0].points, pair[1].points);
        Step { game: pair[1].place, last, previous, level: Level::of(last, previous) }
    };
    wins.windows(2).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(last: u32, previous: u32, expected: Option<(u16, Tier)>) {
        assert_eq!(Level::of(last, previous).map(|level| (level.value(), level.tier())), expected);
    }

    #[test]
    fn levels_are_rounded_with_halves_up() {
        check(18, 24, Some((270, Tier::Oro)));
        check(24, 18, Some((360, Tier::Oro)));
        check(0, 7, Some((0, Tier::Cobre)));
        check(7, 0, Some((360, Tier::Oro)));
        // 360 / 7 = 51.43, 720 / 7 = 102.86; 360 * 5 / 16 = 112.5.
        check(1, 7, Some((51, Tier::Cobre)));
        check(2, 7, Some((103, Tier::Cobre)));
        check(5, 16, Some((113, Tier::Cobre)));
        check(u32::MAX, u32::MAX, Some((360, Tier::Oro)));
        check(1, u32::MAX, Some((0, Tier::Cobre)));
    }

    #[test]
    fn tiers_begin_where_the_law_says() {
        check(1, 3, Some((120, Tier::Cobre)));
        check(121, 360, Some((121, Tier::Plata)));
        check(2, 3, Some((240, Tier::Plata)));
        check(241, 360, Some((241, Tier::Oro)));
        // 120.5 is between two ranges of 9.5; rounding puts it into the upper one.
        check(241, 720, Some((121, Tier::Plata)));
    }

    #[test]
    fn two_scores_of_zero_have_no_level() {
        check(0, 0, None);
    }
}
