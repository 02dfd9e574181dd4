//! The time to pair each round of a Swiss tournament, beside the goals: `cargo bench -p quipu-tournament [PLAYERS]`.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark reads the clock and prints"
)]
use std::{env, time::Instant};

use quipu_tournament::{
    model::{Change, GameOutcome, GameResult, Player, Tournament, TournamentSettings},
    pairing,
    random::Random,
};

/// Numbers of players, with the goal for a round in milliseconds if there is one.
const PLAYERS: [(u32, Option<u32>); 4] = [(200, Some(300)), (500, None), (1000, None), (2000, Some(10_000))];

fn main() {
    let asked: Option<u32> = env::args().find_map(|argument| argument.parse().ok());
    for (players, goal) in PLAYERS {
        if asked.is_none_or(|asked| asked == players) {
            play(players, goal);
        }
    }
}

fn play(players: u32, goal: Option<u32>) {
    let settings: TournamentSettings = serde_json::from_str(
        r#"{"name":"Copa","system":{"kind":"swiss"},"rounds":9,"encounter":{"kind":"single"},"first_side":1}"#,
    )
    .expect("good settings");
    let mut tournament = Tournament::new(settings).expect("good settings");
    let mut random = Random::new(players.into());
    for number in 0..players {
        let rating = 1200 + u32::try_from(random.below(1400)).expect("a rating");
        let player = Player { name: number.to_string(), rating: Some(rating), ..Player::default() };
        tournament.apply(&Change::Enter { player, first: 1 }).expect("it is allowed");
    }
    for round in 1..=9 {
        let start = Instant::now();
        let pairing = pairing::next(&tournament).expect("it can be paired");
        let elapsed = start.elapsed().as_millis();
        let goal = goal.map(|goal| format!(", goal {goal} ms")).unwrap_or_default();
        println!("{players:5} players, round {round}: {elapsed:6} ms{goal}");
        tournament.apply(&pairing.change()).expect("it is the next round");
        for (board, paired) in (1..).zip(&pairing.boards) {
            let outcome = match random.below(10) {
                0..=3 => GameOutcome::First,
                4..=6 => GameOutcome::Draw,
                _ => GameOutcome::Second,
            };
            let result = GameResult::by_arbiter(outcome);
            tournament
                .apply(&Change::Result { round, board, game: 1, players: paired.players, result })
                .expect("a board");
        }
        tournament.apply(&Change::Close { round }).expect("it is complete");
    }
}
