//! Ratings by Glicko-2, for every game beside the levels of Andes. They follow from the games that count and nothing else: the
//! same games have the same ratings, in whatever order they were entered.
//!
//! Everything about ratings below the surfaces is in this package. It computes, and stores nothing.
//!
//! ```
//! use quipu_notation::{Side, record::Outcome};
//! use quipu_ratings::{Glicko, Period, RatedGame, Ratings};
//!
//! let players = vec![(1, "Ana".to_owned()), (2, "Bo".to_owned())];
//! let date = "2026-08-15".parse().expect("a date");
//! let game = RatedGame { period: Some(Period::of(date)), players: [0, 1], outcome: Outcome::Win(Side::One) };
//! let ratings = Ratings::of(players, vec![game], None);
//!
//! let list = ratings.list(None);
//! assert_eq!(list.from, Some("2026-09-01".parse().expect("a date")));
//! let [first, second] = &list.players[..] else { panic!("two players") };
//! assert_eq!((first.player, first.glicko.rating(), first.glicko.deviation()), (0, 1662.311, 290.319));
//! assert!(first.glicko.is_provisional());
//! assert_eq!(first.glicko.expected(second.glicko), [7573, 2427]);
//! ```

mod archive;
mod cache;
mod glicko;
mod period;
mod ratings;
mod report;
#[cfg(test)]
mod tests;

pub use archive::{ArchiveRatings, CountedGames, compute_ratings};
pub use cache::RatingCache;
pub use glicko::{Glicko, MAX_DEVIATION};
pub use period::Period;
pub use ratings::{
    ExpectedScore, MonthCursor, PlayerRating, RatedGame, RatedPlayer, RatingCursor, RatingList, RatingStep, Ratings,
};
pub use report::{
    ExpectedReport, RatedPlayerReport, RatedSideReport, RatingHistoryReport, RatingListReport, RatingStepReport,
};
