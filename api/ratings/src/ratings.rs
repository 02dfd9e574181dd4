//! The ratings of all players of a game, period by period.

use std::{
    cmp::Reverse,
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::NaiveDate;
use quipu_notation::{Side, record::Outcome};
use serde::{Deserialize, Serialize};
use skillratings::Outcomes;

use super::{glicko::Glicko, period::Period};

/// Lists that are kept: one is shown page by page.
const LISTS: usize = 4;
/// Rated months of players between two checks.
const CHECK: usize = 1024;

/// A game that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedGame {
    /// The period of its date; a game without a date is older than all others.
    pub period: Option<Period>,
    /// The indices of its players, side 1 first.
    pub players: [u32; 2],
    /// The result. An open game does not count.
    pub outcome: Outcome,
}

/// The figures of a player after a period with games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingStep {
    player: u32,
    /// The period; none for games without a date.
    pub period: Option<Period>,
    /// Number of games in it.
    pub games: u32,
    /// The score of these games in half points.
    pub half_points: u32,
    /// The figures after it.
    pub glicko: Glicko,
}

/// The ratings of all players of a game.
#[derive(Debug, Default)]
pub struct Ratings {
    /// Number and name of each player, in the order of their names.
    players: Vec<(i64, String)>,
    /// Indices of the players by their numbers.
    indices: HashMap<i64, u32>,
    /// The period of the list without a day; none if no game has a date.
    newest: Option<Period>,
    /// In the order of the players, then of the periods.
    steps: Vec<RatingStep>,
    /// The lists that were built last, by their periods.
    lists: Mutex<Vec<(Option<Period>, Arc<RatingList>)>>,
}

/// A player's figures when a list comes into force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerRating {
    /// The figures, with the periods without games since the last one.
    pub glicko: Glicko,
    /// Number of games until then.
    pub games: u32,
    /// The last period with games; none if these have no date.
    pub last: Option<Period>,
}

/// A player's side of a game to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedScore {
    /// The figures in the list; those before the first game for a player without games.
    pub glicko: Glicko,
    /// Number of games until then.
    pub games: u32,
    /// The expected score, in ten-thousandths.
    pub score: i32,
}

/// A row of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedPlayer {
    /// Index of the player.
    pub player: u32,
    /// The place among established ratings, from 1, which equal ratings share; none for a provisional rating.
    pub place: Option<u32>,
    /// The figures.
    pub glicko: Glicko,
    /// Number of games until then.
    pub games: u32,
    /// The last period with games; none if these have no date.
    pub last: Option<Period>,
}

/// The ratings in force on a day.
#[derive(Debug, PartialEq, Eq)]
pub struct RatingList {
    /// The first day on which it is in force; none if no game has a date and no day was asked for.
    pub from: Option<NaiveDate>,
    /// Established ratings, the highest first, then provisional ones; equal ratings in the order of the names.
    pub players: Vec<RatedPlayer>,
}

/// Position in a list of ratings: its last player so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingCursor {
    /// The player's sort keys.
    pub provisional: bool,
    /// In thousandths.
    pub rating: i32,
    /// Number of the player.
    pub player: i64,
}

/// Position in the history of a rating: the last month so far. Older ones follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonthCursor {
    /// The month.
    pub month: Period,
}

/// A game from the side of one player. The order is that of the computation, which follows from the games alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Played {
    period: Option<Period>,
    player: u32,
    opponent: u32,
    half_points: u8,
}

impl Ratings {
    /// Rates the games of players, whose indices in the games are those of the list. The list is in the order of names, so that
    /// results do not depend on the order of entry. Games later than the period `latest` do not decide which list is the newest.
    pub fn of(players: Vec<(i64, String)>, games: Vec<RatedGame>, latest: Option<Period>) -> Self {
        let Ok(ratings) = Self::of_while(players, games, latest, || Ok::<_, Infallible>(()));
        ratings
    }

    /// As [`Ratings::of`], with a check that is made from time to time.
    ///
    /// # Errors
    /// That of the check.
    pub fn of_while<E>(
        players: Vec<(i64, String)>,
        games: Vec<RatedGame>,
        latest: Option<Period>,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let sides = played(games);
        let indices = players.iter().zip(0..).map(|((number, _), index)| (*number, index)).collect();
        let newest = newest(&sides, latest);
        let mut ratings = Self { players, indices, newest, ..Self::default() };
        // The figures of each player, after the last period or at the beginning of this one.
        let mut now: Vec<Option<(Glicko, Option<Period>)>> = vec![None; ratings.players.len()];
        let mut results = Vec::new();
        for games in sides.chunk_by(|one, two| one.period == two.period) {
            let period = games[0].period;
            let begun = ratings.steps.len();
            // Opponents are players of the period too.
            for own in games.chunk_by(|one, two| one.player == two.player) {
                if let Some((glicko, last)) = &mut now[own[0].player as usize] {
                    *glicko = grown(*glicko, *last, period);
                }
            }
            let before = |player: u32| now[player as usize].map_or(Glicko::START, |(glicko, _)| glicko);
            for own in games.chunk_by(|one, two| one.player == two.player) {
                if ratings.steps.len().is_multiple_of(CHECK) {
                    check()?;
                }
                results.clear();
                results.extend(own.iter().map(|game| (before(game.opponent), outcome(game.half_points))));
                let player = own[0].player;
                let step = RatingStep {
                    player,
                    period,
                    games: u32::try_from(own.len()).unwrap_or(u32::MAX),
                    half_points: own.iter().map(|game| u32::from(game.half_points)).sum(),
                    glicko: before(player).after(&results),
                };
                ratings.steps.push(step);
            }
            for step in &ratings.steps[begun..] {
                now[step.player as usize] = Some((step.glicko, period));
            }
        }
        // It is stable: the periods of each player stay in their order.
        ratings.steps.sort_by_key(|step| step.player);
        ratings.steps.shrink_to_fit();
        Ok(ratings)
    }

    /// Number and name of a player.
    pub fn player(&self, index: u32) -> (i64, &str) {
        let (number, name) = &self.players[index as usize];
        (*number, name)
    }

    /// The index of a player by the number in the archive, if the player has games.
    pub fn find(&self, number: i64) -> Option<u32> {
        self.indices.get(&number).copied()
    }

    /// The periods with games of a player, the first one first.
    pub fn history(&self, player: u32) -> &[RatingStep] {
        let begin = self.steps.partition_point(|step| step.player < player);
        let length = self.steps[begin..].partition_point(|step| step.player == player);
        &self.steps[begin..begin + length]
    }

    /// A page of the history of a player, the latest period first.
    pub fn history_page(
        &self,
        player: u32,
        after: Option<MonthCursor>,
        limit: usize,
    ) -> (impl Iterator<Item = &RatingStep>, Option<MonthCursor>) {
        let steps = self.history(player);
        let left = after.map_or(steps.len(), |after| steps.partition_point(|step| step.period < Some(after.month)));
        let first = left.saturating_sub(limit);
        // Games without a date are the oldest, so that none follow them.
        let next = steps.get(first).filter(|_| first > 0).and_then(|step| step.period);
        (steps[first..left].iter().rev(), next.map(|month| MonthCursor { month }))
    }

    /// The figures of a player in the list of a day; none without games before it.
    pub fn standing(&self, player: u32, date: Option<NaiveDate>) -> Option<PlayerRating> {
        standing(self.history(player), self.period_in_force(date))
    }

    /// The expected scores of a game between two players, by the list of a day.
    pub fn expected(&self, numbers: [i64; 2], date: Option<NaiveDate>) -> [ExpectedScore; 2] {
        let standings = numbers.map(|number| self.find(number).and_then(|player| self.standing(player, date)));
        let [one, two] =
            standings.map(|standing| standing.map_or((Glicko::START, 0), |found| (found.glicko, found.games)));
        let [first, second] = one.0.expected(two.0);
        [(one, first), (two, second)].map(|((glicko, games), score)| ExpectedScore { glicko, games, score })
    }

    /// The first day of the list in force on a day, or of the newest list; none if no game has a date and no day is given.
    pub fn in_force_from(&self, date: Option<NaiveDate>) -> Option<NaiveDate> {
        self.period_in_force(date).and_then(Period::first_day)
    }

    /// The list in force on a day: games count that are of an earlier month, or have no date. Without a day it is the newest
    /// list, the one after the last game.
    pub fn list(&self, date: Option<NaiveDate>) -> Arc<RatingList> {
        let period = self.period_in_force(date);
        let kept = || self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, list)) = kept().iter().find(|(other, _)| *other == period) {
            return Arc::clone(list);
        }
        let list = Arc::new(self.list_of(period));
        let mut lists = kept();
        if lists.len() == LISTS {
            lists.remove(0);
        }
        lists.push((period, Arc::clone(&list)));
        list
    }

    fn list_of(&self, period: Option<Period>) -> RatingList {
        let own = self.steps.chunk_by(|one, two| one.player == two.player);
        let mut players: Vec<_> = own
            .filter_map(|steps| {
                let PlayerRating { glicko, games, last } = standing(steps, period)?;
                Some(RatedPlayer { player: steps[0].player, place: None, glicko, games, last })
            })
            .collect();
        players.sort_by_key(RatedPlayer::key);
        let mut previous = None;
        for (row, count) in players.iter_mut().zip(1..).filter(|(row, _)| !row.glicko.is_provisional()) {
            let rating = row.glicko.thousandths();
            let place = previous.filter(|(equal, _)| *equal == rating).map_or(count, |(_, place)| place);
            row.place = Some(place);
            previous = Some((rating, place));
        }
        RatingList { from: period.and_then(Period::first_day), players }
    }

    /// A page of a list, and the position after it if the list continues. None if the cursor is of no player.
    pub fn page<'l>(
        &self,
        list: &'l RatingList,
        after: Option<RatingCursor>,
        limit: usize,
    ) -> Option<(&'l [RatedPlayer], Option<RatingCursor>)> {
        let first = match after {
            None => 0,
            Some(RatingCursor { provisional, rating, player }) => {
                let key = (provisional, Reverse(rating), self.find(player)?);
                list.players.partition_point(|row| row.key() <= key)
            }
        };
        let end = list.players.len().min(first.saturating_add(limit));
        let rows = &list.players[first..end];
        let next = rows.last().filter(|_| end < list.players.len()).map(|row| RatingCursor {
            provisional: row.glicko.is_provisional(),
            rating: row.glicko.thousandths(),
            player: self.player(row.player).0,
        });
        Some((rows, next))
    }

    /// The period whose list is in force on a day.
    fn period_in_force(&self, date: Option<NaiveDate>) -> Option<Period> {
        date.map(Period::of).or(self.newest)
    }
}

/// The figures of a player in the list of a period; none without games before it.
fn standing(steps: &[RatingStep], in_force: Option<Period>) -> Option<PlayerRating> {
    let counted = &steps[..steps.partition_point(|step| step.period.is_none() || step.period < in_force)];
    let RatingStep { period: last, glicko, .. } = *counted.last()?;
    let games = counted.iter().map(|step| step.games).sum();
    Some(PlayerRating { glicko: grown(glicko, last, in_force), games, last })
}

/// The figures after a period at the beginning of a later one. After games without a date nobody knows how long it was.
fn grown(glicko: Glicko, last: Option<Period>, period: Option<Period>) -> Glicko {
    glicko.idle(last.zip(period).map_or(0, |(last, period)| last.months_until(period)))
}

/// The period after the last one with games that is not later than `latest`, or the one after `latest` if all are later.
fn newest(sides: &[Played], latest: Option<Period>) -> Option<Period> {
    let possible = sides.partition_point(|side| latest.is_none() || side.period <= latest);
    let last = |sides: &[Played]| sides.last().and_then(|side| side.period);
    last(&sides[..possible]).or_else(|| last(sides).and(latest)).map(Period::next)
}

impl ExpectedScore {
    /// The expected score, from 0 to 1.
    pub fn value(self) -> f64 {
        f64::from(self.score) / 1e4
    }
}

impl RatedPlayer {
    /// Sort key of a list.
    fn key(&self) -> (bool, Reverse<i32>, u32) {
        (self.glicko.is_provisional(), Reverse(self.glicko.thousandths()), self.player)
    }
}

/// The finished games from both sides, in the order of the computation.
fn played(games: Vec<RatedGame>) -> Vec<Played> {
    let mut played = Vec::with_capacity(2 * games.len());
    for RatedGame { period, players, outcome } in games {
        let half_points = match outcome {
            Outcome::Win(Side::One) => [2, 0],
            Outcome::Win(Side::Two) => [0, 2],
            Outcome::Draw => [1, 1],
            Outcome::Open => continue,
        };
        let [one, two] = players;
        played.push(Played { period, player: one, opponent: two, half_points: half_points[0] });
        played.push(Played { period, player: two, opponent: one, half_points: half_points[1] });
    }
    played.sort_unstable();
    played
}

fn outcome(half_points: u8) -> Outcomes {
    match half_points {
        0 => Outcomes::LOSS,
        1 => Outcomes::DRAW,
        _ => Outcomes::WIN,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::glicko::MAX_DEVIATION, *};

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a date")
    }

    /// Games of three players: the month, the players, and the side that wins.
    fn ratings(games: &[(Option<&str>, [u32; 2], Outcome)]) -> Ratings {
        ratings_until(None, games)
    }

    /// The same in an archive with a last change.
    fn ratings_until(latest: Option<&str>, games: &[(Option<&str>, [u32; 2], Outcome)]) -> Ratings {
        let games = games.iter().map(|(date, players, outcome)| RatedGame {
            period: date.map(|date| Period::of(day(date))),
            players: *players,
            outcome: *outcome,
        });
        let names = ["Ana", "Bo", "Carla"].map(str::to_owned);
        let latest = latest.map(|date| Period::of(day(date)));
        Ratings::of([11, 12, 13].into_iter().zip(names).collect(), games.collect(), latest)
    }

    const WIN: Outcome = Outcome::Win(Side::One);

    #[test]
    fn a_list_has_the_games_of_earlier_months() {
        let found = ratings(&[(Some("2026-05-31"), [0, 1], WIN), (Some("2026-06-01"), [1, 2], WIN)]);
        let players = |date| found.list(date).players.iter().map(|row| row.player).collect::<Vec<_>>();
        assert_eq!(players(Some(day("2026-05-31"))), [0_u32; 0]);
        assert_eq!(players(Some(day("2026-06-01"))), [0, 1]);
        assert_eq!(players(Some(day("2026-06-30"))), [0, 1]);
        assert_eq!(found.list(None), found.list(Some(day("2026-07-15"))));
        assert_eq!(found.list(None).from, Some(day("2026-07-01")));
        assert_eq!(found.list(None).players.len(), 3);
    }

    #[test]
    fn the_deviation_grows_in_months_without_games() {
        let found = ratings(&[(Some("2026-01-10"), [0, 1], WIN), (Some("2026-06-10"), [1, 2], WIN)]);
        let at = |date| found.standing(0, Some(day(date))).expect("a game").glicko;
        let february = at("2026-02-01");
        assert_eq!(february, found.history(0)[0].glicko);
        assert_eq!(at("2026-03-01"), february.idle(1));
        assert_eq!(at("2027-02-01"), february.idle(12));
        // The second game of Bo begins with the deviation of four idle months.
        let bo = found.history(1)[0].glicko.idle(4);
        assert_eq!(found.history(1)[1].glicko, bo.after(&[(Glicko::START, Outcomes::WIN)]));
        assert_eq!(found.history(2)[0].glicko, Glicko::START.after(&[(bo, Outcomes::LOSS)]));
    }

    #[test]
    fn games_without_a_date_come_before_all_others() {
        let found = ratings(&[(Some("2026-05-01"), [0, 1], WIN), (None, [0, 2], WIN)]);
        let periods: Vec<_> =
            found.history(0).iter().map(|step| step.period.map(|period| period.to_string())).collect();
        assert_eq!(periods, [None, Some("2026-05".to_owned())]);
        let early = found.list(Some(day("1999-01-01")));
        assert_eq!(early.players.iter().map(|row| (row.player, row.games)).collect::<Vec<_>>(), [(0, 1), (2, 1)]);
        let carla = found.history(2)[0].glicko;
        assert_eq!(found.standing(2, Some(day("2026-05-01"))).map(|found| found.glicko), Some(carla));
        // Nobody knows for how long Carla has not played.
        assert_eq!(found.standing(2, Some(day("2099-06-01"))).map(|found| found.glicko), Some(carla));
    }

    #[test]
    fn a_date_in_the_future_moves_no_newest_list() {
        let real = [(Some("2026-05-01"), [0, 1], WIN), (None, [0, 1], WIN)];
        for future in ["2026-12-01", "2206-05-01", "9999-12-31"] {
            let wrong = (Some(future), [1, 2], WIN);
            let found = ratings_until(Some("2026-11-27"), &[real[0], real[1], wrong]);
            assert_eq!(found.list(None), ratings(&real).list(None), "{future}");
            assert_eq!(found.list(None).from, Some(day("2026-06-01")), "{future}");
            // It counts in the lists of later days, and decides the newest one as soon as the archive is as late.
            let after = Period::of(day(future)).next().first_day();
            assert_eq!(
                found.list(after.or(Some(day("9999-12-31")))).players.len(),
                if after.is_some() { 3 } else { 2 }
            );
            assert_eq!(ratings_until(Some(future), &[real[0], real[1], wrong]).list(None).from, after);
            // Without any other date it is the list after the last change.
            let found = ratings_until(Some("2026-11-27"), &[real[1], wrong]);
            assert_eq!(found.list(None).from, Some(day("2026-12-01")), "{future}");
            assert_eq!(found.list(None).players, ratings(&real[1..]).list(None).players, "{future}");
        }
        // The month of the last change counts.
        let found = ratings_until(Some("2026-11-01"), &[(Some("2026-11-30"), [0, 1], WIN)]);
        assert_eq!((found.list(None).from, found.list(None).players.len()), (Some(day("2026-12-01")), 2));
    }

    #[test]
    fn a_date_long_ago_changes_nobody_without_dates() {
        let undated = (None, [0, 1], WIN);
        let found =
            ratings(&[undated, undated, undated, (Some("0001-01-01"), [0, 2], WIN), (Some("2026-01-01"), [0, 2], WIN)]);
        let bo = found.standing(1, None).expect("games").glicko;
        assert_eq!(Some(bo), ratings(&[undated; 3]).standing(1, None).map(|found| found.glicko));
        assert!(bo.deviation() < MAX_DEVIATION, "{bo:?}");
    }

    #[test]
    fn lists_are_kept() {
        let found = ratings(&[(Some("2026-05-01"), [0, 1], WIN), (Some("2026-06-01"), [1, 2], WIN)]);
        let list = found.list(None);
        assert!(Arc::ptr_eq(&list, &found.list(Some(day("2026-07-31")))), "it is that of the same month");
        for month in 1..=12 {
            let date = NaiveDate::from_ymd_opt(2026, month, 1);
            assert_eq!(*found.list(date), found.list_of(date.map(Period::of)));
        }
        assert!(!Arc::ptr_eq(&list, &found.list(None)), "few are kept");
        assert_eq!(list, found.list(None));
    }

    #[test]
    fn a_check_ends_the_computation() {
        let game = RatedGame { period: None, players: [0, 1], outcome: WIN };
        let names = [(1, "Ana".to_owned()), (2, "Bo".to_owned())];
        let failed = Ratings::of_while(names.into(), vec![game], None, || Err("late"));
        assert_eq!(failed.err(), Some("late"));
    }

    #[test]
    fn an_archive_without_dates_has_one_list() {
        let found = ratings(&[(None, [0, 1], WIN)]);
        assert_eq!(found.list(None).from, None);
        assert_eq!(found.list(None).players, found.list(Some(day("2099-01-01"))).players);
        assert_eq!(*ratings(&[]).list(None), RatingList { from: None, players: Vec::new() });
    }

    #[test]
    fn open_games_do_not_count() {
        assert_eq!(ratings(&[(Some("2026-05-01"), [0, 1], Outcome::Open)]).list(None).players, []);
    }

    /// Two players draw with each other often and stay equal; the third plays once.
    #[test]
    fn established_ratings_have_places_and_provisional_ones_follow() {
        let mut games = vec![(Some("2026-05-01"), [0, 2], Outcome::Draw); 20];
        games.push((Some("2026-06-01"), [1, 0], WIN));
        games.extend(vec![(Some("2026-04-01"), [0, 2], Outcome::Draw); 20]);
        let found = ratings(&games);
        let places = |date| {
            let list = found.list(Some(day(date)));
            list.players.iter().map(|row| (row.player, row.place)).collect::<Vec<_>>()
        };
        assert_eq!(places("2026-06-01"), [(0, Some(1)), (2, Some(1))]);
        // Bo has the highest rating, and it is provisional.
        assert_eq!(places("2026-07-01"), [(2, Some(1)), (0, Some(2)), (1, None)]);
    }

    #[test]
    fn pages_of_a_list_continue() {
        let found = ratings(&[(None, [0, 1], WIN), (None, [1, 2], WIN)]);
        let list = found.list(None);
        let (first, next) = found.page(&list, None, 2).expect("a list");
        assert_eq!((first, next.is_some()), (&list.players[..2], true));
        assert_eq!(found.page(&list, next, 2), Some((&list.players[2..], None)));
        let other = next.map(|next| RatingCursor { player: 99, ..next });
        assert_eq!(found.page(&list, other, 2), None);
    }

    #[test]
    fn pages_of_a_history_continue() {
        let months = [None, Some("2026-01-01"), Some("2026-02-01"), Some("2026-05-01")];
        let found = ratings(&months.map(|date| (date, [0, 1], WIN)));
        let page = |after, limit| {
            let (steps, next) = found.history_page(0, after, limit);
            (steps.copied().collect::<Vec<_>>(), next)
        };
        let newest: Vec<_> = found.history(0).iter().rev().copied().collect();
        assert_eq!(page(None, 9), (newest.clone(), None));
        let (first, next) = page(None, 3);
        assert_eq!((&first[..], next.is_some()), (&newest[..3], true));
        assert_eq!(page(next, 3), (newest[3..].to_vec(), None));
    }

    #[test]
    fn players_are_found_by_number() {
        let found = ratings(&[(None, [0, 2], WIN)]);
        assert_eq!((found.find(13), found.find(1)), (Some(2), None));
        assert_eq!(found.player(2), (13, "Carla"));
        assert_eq!(found.standing(1, None), None);
    }
}
