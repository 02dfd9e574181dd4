//! Ratings as JSON, for the program and the service.

use chrono::NaiveDate;
use quipu_notation::games::GameNotation;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    glicko::Glicko,
    ratings::{ExpectedScore, RatedPlayer, RatingStep, Ratings},
};

/// A page of a list of ratings.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RatingList", deny_unknown_fields)]
pub struct RatingListReport {
    game: &'static str,
    /// The first day on which the list is in force; null if no game has a date.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// The players of the page.
    items: Vec<RatedPlayerReport>,
    /// Start of the next page, if there is one.
    next: Option<String>,
}

/// A player in a list of ratings.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RatedPlayer", deny_unknown_fields)]
pub struct RatedPlayerReport {
    /// The place among established ratings; null for a provisional one.
    #[schemars(range(min = 1))]
    place: Option<u32>,
    /// Number of the player.
    #[schemars(range(min = 1))]
    number: i64,
    /// Name of the player.
    name: String,
    #[serde(flatten)]
    figures: FiguresReport,
    /// Games until then.
    #[schemars(range(min = 1))]
    games: u32,
    /// The last month with games, or null if these have no date.
    #[schemars(regex(pattern = "^[0-9]{4}-[0-9]{2}$"))]
    last: Option<String>,
}

/// The history of a player's rating in a game.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RatingHistory", deny_unknown_fields)]
pub struct RatingHistoryReport {
    game: &'static str,
    /// Number of the player.
    #[schemars(range(min = 1))]
    number: i64,
    /// Name of the player.
    name: String,
    /// The months with games of the page, the latest first.
    items: Vec<RatingStepReport>,
    /// Start of the next page, if there is one.
    next: Option<String>,
}

/// A month with games of a player.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RatingStep", deny_unknown_fields)]
pub struct RatingStepReport {
    /// The month, or null for games without a date.
    #[schemars(regex(pattern = "^[0-9]{4}-[0-9]{2}$"))]
    month: Option<String>,
    #[schemars(range(min = 1))]
    games: u32,
    /// One for each win, a half for each draw.
    #[schemars(range(min = 0))]
    score: f64,
    #[serde(flatten)]
    figures: FiguresReport,
}

/// The figures of a rating.
#[derive(Debug, Serialize, JsonSchema)]
struct FiguresReport {
    /// The rating, rounded to three decimals.
    rating: f64,
    /// Its deviation, rounded to three decimals.
    #[schemars(range(min = 0, max = 350))]
    deviation: f64,
    /// Its volatility, rounded to six decimals.
    #[schemars(range(min = 0))]
    volatility: f64,
    /// True while the deviation is above 110.
    provisional: bool,
}

/// The expected scores of a game between two players.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExpectedScores", deny_unknown_fields)]
pub struct ExpectedReport {
    game: &'static str,
    /// The first day on which the list is in force that they are from; null if no game has a date.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// The player and the opponent.
    #[schemars(length(equal = 2))]
    players: Vec<RatedSideReport>,
}

/// A player and the expected score against the other.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExpectedScore", deny_unknown_fields)]
pub struct RatedSideReport {
    /// Number of the player.
    #[schemars(range(min = 1))]
    number: i64,
    /// Name of the player.
    name: String,
    #[serde(flatten)]
    figures: FiguresReport,
    /// Games until then; 0 for a player with the figures before the first game.
    games: u32,
    /// The expected score, rounded to four decimals.
    #[schemars(range(min = 0, max = 1))]
    expected: f64,
}

impl From<Glicko> for FiguresReport {
    fn from(glicko: Glicko) -> Self {
        Self {
            rating: glicko.rating(),
            deviation: glicko.deviation(),
            volatility: glicko.volatility(),
            provisional: glicko.is_provisional(),
        }
    }
}

impl RatingListReport {
    /// The rows of a list as a page.
    pub fn new(
        game: &'static GameNotation,
        ratings: &Ratings,
        from: Option<NaiveDate>,
        rows: &[RatedPlayer],
        next: Option<String>,
    ) -> Self {
        let items = rows.iter().map(|row| {
            let (number, name) = ratings.player(row.player);
            RatedPlayerReport {
                place: row.place,
                number,
                name: name.to_owned(),
                figures: row.glicko.into(),
                games: row.games,
                last: row.last.map(|period| period.to_string()),
            }
        });
        Self { game: game.id, from: from.map(|day| day.to_string()), items: items.collect(), next }
    }

    /// Start of the next page, if there is one.
    pub fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }
}

impl RatingHistoryReport {
    /// The steps of a player as a page, in the order of the iterator.
    pub fn new<'s>(
        game: &'static GameNotation,
        (number, name): (i64, &str),
        steps: impl IntoIterator<Item = &'s RatingStep>,
        next: Option<String>,
    ) -> Self {
        let items = steps.into_iter().map(RatingStepReport::from).collect();
        Self { game: game.id, number, name: name.to_owned(), items, next }
    }

    /// Start of the next page, if there is one.
    pub fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }
}

impl From<&RatingStep> for RatingStepReport {
    fn from(step: &RatingStep) -> Self {
        Self {
            month: step.period.map(|period| period.to_string()),
            games: step.games,
            score: f64::from(step.half_points) / 2.0,
            figures: step.glicko.into(),
        }
    }
}

impl ExpectedReport {
    /// The expected scores of two players, each with number and name.
    pub fn new(
        game: &'static GameNotation,
        from: Option<NaiveDate>,
        players: [(i64, String); 2],
        expected: [ExpectedScore; 2],
    ) -> Self {
        let players = players.into_iter().zip(expected).map(|((number, name), expected)| RatedSideReport {
            number,
            name,
            figures: expected.glicko.into(),
            games: expected.games,
            expected: expected.value(),
        });
        Self { game: game.id, from: from.map(|day| day.to_string()), players: players.collect() }
    }
}
