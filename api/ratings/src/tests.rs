//! Ratings of random games: equal to those of the reference implementation, and independent of the order of the games.

#![cfg(test)]

use quipu_notation::{Side, record::Outcome};
use quipu_reference::{Rated, rate};

use super::{Period, RatedGame, Ratings};

/// Months of the random games.
const MONTHS: u32 = 36;

fn month(number: u32) -> Period {
    (0..number).fold(Period::of("2024-01-01".parse().expect("a date")), |month, _| month.next())
}

/// Random games of some players. The player 0 is stronger, and the last one plays in a few months only.
fn games(random: &mut fastrand::Rng, players: usize) -> Vec<Rated> {
    (0..60 * players)
        .map(|_| {
            let one = random.usize(..players);
            let two = (one + 1 + random.usize(..players - 1)) % players;
            let last = players - 1;
            let month = if one == last || two == last { random.u32(..3) * 10 } else { random.u32(..MONTHS) };
            let score = match random.u32(..10) {
                0..3 if one == 0 => 1.0,
                0..3 if two == 0 => 0.0,
                0..6 => 1.0,
                6..9 => 0.0,
                _ => 0.5,
            };
            (month, [one, two], score)
        })
        .collect()
}

fn ratings(players: usize, games: &[Rated]) -> Ratings {
    let rated = games.iter().map(|(number, players, score)| RatedGame {
        period: Some(month(*number)),
        players: players.map(|player| u32::try_from(player).expect("few")),
        outcome: match score {
            0.0 => Outcome::Win(Side::Two),
            1.0 => Outcome::Win(Side::One),
            _ => Outcome::Draw,
        },
    });
    let names = (0..players).map(|player| (i64::try_from(player).expect("few"), format!("{player:03}")));
    Ratings::of(names.collect(), rated.collect(), None)
}

#[test]
fn ratings_are_those_of_the_reference() {
    for seed in 0..6 {
        let mut random = fastrand::Rng::with_seed(seed);
        let players = 2 + random.usize(..8);
        let games = games(&mut random, players);
        let found = ratings(players, &games);
        for in_force in [1, 7, 20, MONTHS, MONTHS + 30] {
            let expected = rate(players, &games, in_force);
            let day = month(in_force).first_day();
            assert_eq!(found.list(day).players.len(), expected.iter().flatten().count(), "{seed} {in_force}");
            for (player, expected) in (0..).zip(expected) {
                let Some(standing) = found.standing(player, day) else {
                    assert_eq!(expected, None, "{seed} {in_force} {player}");
                    continue;
                };
                let [rating, deviation, volatility] = expected.expect("the reference rates the player too");
                let glicko = standing.glicko;
                let place = format!("{seed} {in_force} {player}: {glicko:?} is not {expected:?}");
                // The reference does not round.
                assert!((glicko.rating() - rating).abs() < 0.05, "{place}");
                assert!((glicko.deviation() - deviation).abs() < 0.05, "{place}");
                assert!((glicko.volatility() - volatility).abs() < 0.0001, "{place}");
            }
        }
    }
}

#[test]
fn the_order_of_the_games_changes_no_digit() {
    for seed in 0..20 {
        let mut random = fastrand::Rng::with_seed(seed);
        let players = 2 + random.usize(..8);
        let mut games = games(&mut random, players);
        let before = ratings(players, &games);
        random.shuffle(&mut games);
        // The sides of a game do not matter either.
        for (_, sides, score) in games.iter_mut().step_by(2) {
            sides.swap(0, 1);
            *score = 1.0 - *score;
        }
        let after = ratings(players, &games);
        for player in 0..u32::try_from(players).expect("few") {
            assert_eq!(before.history(player), after.history(player), "{seed}");
        }
        assert_eq!(before.list(None), after.list(None), "{seed}");
    }
}
