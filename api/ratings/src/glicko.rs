//! The three figures of a player, and their change by a rating period.
//!
//! The library computes with floating-point numbers, whose last bits differ between platforms. Figures are rounded after each
//! period, also one without games, so that these bits do not add up, and anybody can compute a list from the one before it.

use skillratings::{
    Outcomes,
    glicko2::{Glicko2Config, Glicko2Rating, decay_deviation, expected_score, glicko2_rating_period},
};

/// The deviation of a player without games, which none exceeds.
pub const MAX_DEVIATION: f64 = 350.0;
/// The same in thousandths.
const MAX_DEVIATION_THOUSANDTHS: i32 = 350_000;
/// The highest deviation of a rating that is not provisional, in thousandths.
const MAX_ESTABLISHED: i32 = 110_000;
/// The system constant and the tolerance of the search for the volatility.
const CONFIG: Glicko2Config = Glicko2Config { tau: 0.5, convergence_tolerance: 0.000_001 };

/// A rating with its deviation and its volatility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glicko {
    /// In thousandths.
    rating: i32,
    /// In thousandths.
    deviation: i32,
    /// In millionths.
    volatility: i32,
}

impl Glicko {
    /// The figures of a player before the first game.
    pub const START: Self = Self { rating: 1_500_000, deviation: 350_000, volatility: 60_000 };

    /// The nearest figures, with a deviation of at most [`MAX_DEVIATION`]; none if one of them is not a number within the range
    /// of an `i32`.
    pub fn new(rating: f64, deviation: f64, volatility: f64) -> Option<Self> {
        Some(Self {
            rating: rounded(rating * 1e3)?,
            // A deviation or volatility of zero would never change again.
            deviation: rounded(deviation * 1e3)?.clamp(1, MAX_DEVIATION_THOUSANDTHS),
            volatility: rounded(volatility * 1e6)?.max(1),
        })
    }

    /// The rating.
    pub fn rating(self) -> f64 {
        f64::from(self.rating) / 1e3
    }

    /// The rating to the nearest whole number, halves up.
    pub const fn whole(self) -> i32 {
        self.rating.saturating_add(500).div_euclid(1000)
    }

    /// The rating in thousandths.
    pub const fn thousandths(self) -> i32 {
        self.rating
    }

    /// The standard deviation of the rating.
    pub fn deviation(self) -> f64 {
        f64::from(self.deviation) / 1e3
    }

    /// The degree of expected changes of the rating.
    pub fn volatility(self) -> f64 {
        f64::from(self.volatility) / 1e6
    }

    /// True while the deviation is above 110: the games are too few, or too long ago.
    pub const fn is_provisional(self) -> bool {
        self.deviation > MAX_ESTABLISHED
    }

    /// The figures after a period with these games, each with the opponent's figures before the period. The caller decides the
    /// order of the games, because sums of floating-point numbers depend on it.
    #[must_use]
    pub fn after(self, games: &[(Self, Outcomes)]) -> Self {
        let games: Vec<_> = games.iter().map(|(opponent, outcome)| (opponent.to_glicko2(), *outcome)).collect();
        let rated = glicko2_rating_period(&self.to_glicko2(), &games, &CONFIG);
        // Games whose outcomes were certain tell nothing, and have no finite result.
        Self::new(rated.rating, rated.deviation, rated.volatility).unwrap_or_else(|| self.idle(1))
    }

    /// The figures after a number of periods without games, one after the other: in each the deviation grows, up to
    /// [`MAX_DEVIATION`].
    #[must_use]
    pub fn idle(self, periods: u32) -> Self {
        let mut now = self;
        for _ in 0..periods {
            let next = rounded(decay_deviation(&now.to_glicko2()).deviation * 1e3).unwrap_or(now.deviation);
            // It is the highest one, or grows by less than it is rounded by.
            if next == now.deviation {
                break;
            }
            now.deviation = next;
        }
        now
    }

    /// The expected scores of a game between two players, in ten-thousandths: together 10 000.
    pub fn expected(self, opponent: Self) -> [i32; 2] {
        let (own, _) = expected_score(&self.to_glicko2(), &opponent.to_glicko2());
        // The score of a game is at most 1.
        let own = rounded(own * 1e4).unwrap_or_default();
        [own, 10_000 - own]
    }

    fn to_glicko2(self) -> Glicko2Rating {
        Glicko2Rating { rating: self.rating(), deviation: self.deviation(), volatility: self.volatility() }
    }
}

/// The nearest whole number; none if it is not within the range of an `i32`.
fn rounded(value: f64) -> Option<i32> {
    let value = value.round();
    let fits = f64::from(i32::MIN) <= value && value <= f64::from(i32::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "it is a whole number in the range")]
    fits.then_some(value as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glicko(rating: f64, deviation: f64) -> Glicko {
        Glicko::new(rating, deviation, 0.06).expect("numbers")
    }

    /// The example of Glickman's paper, “Example of the Glicko-2 system”: 1464.06, 151.52, 0.05999.
    #[test]
    fn the_example_of_the_paper() {
        let games = [
            (glicko(1400.0, 30.0), Outcomes::WIN),
            (glicko(1550.0, 100.0), Outcomes::LOSS),
            (glicko(1700.0, 300.0), Outcomes::LOSS),
        ];
        let after = glicko(1500.0, 200.0).after(&games);
        assert!((after.rating() - 1464.06).abs() < 0.02, "{after:?}");
        assert!((after.deviation() - 151.52).abs() < 0.01, "{after:?}");
        assert!((after.volatility() - 0.05999).abs() < 0.00001, "{after:?}");
    }

    #[test]
    fn periods_without_games_add_variance() {
        let before = glicko(1500.0, 50.0);
        // 173.7178 * sqrt((50 / 173.7178)² + 0.06²), rounded; and once more from there.
        assert_eq!(before.idle(1), glicko(1500.0, 51.075));
        assert_eq!(before.idle(2), glicko(1500.0, 52.128));
        assert_eq!(before.idle(0), before);
        assert_eq!(before.idle(u32::MAX), glicko(1500.0, 350.0));
        assert_eq!(Glicko::START.idle(1), Glicko::START);
    }

    /// Lists follow from each other: the months may be counted together or one by one.
    #[test]
    fn periods_without_games_add_up() {
        for deviation in [30.0, 50.0, 110.0, 349.9] {
            let before = glicko(1500.0, deviation);
            let mut step = before;
            for months in 1..400 {
                step = step.idle(1);
                assert_eq!(step, before.idle(months), "{deviation} {months}");
            }
        }
        // A volatility that moves no digit of the deviation ends the search.
        let still = Glicko::new(1500.0, 100.0, 0.000_001).expect("numbers");
        assert_eq!(still.idle(u32::MAX), still);
    }

    #[test]
    fn a_rating_is_provisional_above_a_deviation_of_110() {
        assert!(Glicko::START.is_provisional());
        assert!(glicko(1500.0, 110.001).is_provisional());
        assert!(!glicko(1500.0, 110.0).is_provisional());
    }

    #[test]
    fn whole_ratings_have_halves_up() {
        let whole = |rating| glicko(rating, 50.0).whole();
        assert_eq!([1499.499, 1499.5, -0.5, -0.501].map(whole), [1499, 1500, 0, -1]);
    }

    #[test]
    fn expected_scores_add_up() {
        assert_eq!(glicko(1500.0, 350.0).expected(glicko(1500.0, 30.0)), [5_000, 5_000]);
        let [one, two] = glicko(1700.0, 50.0).expected(glicko(1500.0, 50.0));
        assert!(one + two == 10_000 && one > 7_000, "{one} {two}");
        assert_eq!(glicko(1500.0, 50.0).expected(glicko(1700.0, 50.0)), [two, one]);
    }

    /// Outcomes that were certain have no finite figures in the library.
    #[test]
    fn certain_outcomes_change_no_rating() {
        let (strong, weak) = (glicko(60_000.0, 50.0), glicko(-60_000.0, 50.0));
        let after = strong.after(&[(weak, Outcomes::WIN)]);
        assert_eq!(after, strong.idle(1));
        for (outcome, loser) in [(Outcomes::LOSS, strong), (Outcomes::WIN, weak)] {
            let opponent = if loser == strong { weak } else { strong };
            let after = loser.after(&[(opponent, outcome)]);
            assert!(after.deviation() <= MAX_DEVIATION && after.volatility() > 0.0, "{after:?}");
        }
    }

    #[test]
    fn figures_are_numbers() {
        for wrong in [f64::NAN, f64::INFINITY, 1e9] {
            assert_eq!(Glicko::new(wrong, 50.0, 0.06), None);
        }
        assert_eq!(Glicko::new(1500.0, f64::NAN, 0.06), None);
        assert_eq!(Glicko::new(1500.0, 400.0, 0.06), Glicko::new(1500.0, 350.0, 0.06));
        assert_eq!(Glicko::new(1500.0, 50.0, f64::NAN), None);
    }
}
