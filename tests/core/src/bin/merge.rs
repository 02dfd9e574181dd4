//! Share of pairs of sheets that are merged to the game that was played: `merge [--list] [--spoil COUNT] [FILE...]`.
//!
//! Without a file it reads `fixtures/*/sheets.ndjson`. For each file: in how many hundredths the merged game is the true one;
//! merged games that differ from it at a ply that is not disputed; those that the judge does not verify; pairs without a
//! merged game; disputed plies of a pair; times. `--list` lists the pairs with another game. `--spoil` makes as many pairs of
//! each game instead, with other slips.

use std::{env, fs, time::Duration};

use fastrand::Rng;
use quipu_referee::games;
use quipu_tests_core::{
    fixture,
    repaired::{MergeCount, Pair, pairs},
    spoilt,
};

fn main() {
    let mut files: Vec<_> = env::args().skip(1).collect();
    let is_listed = files.first().is_some_and(|word| word == "--list");
    if is_listed {
        files.remove(0);
    }
    let spoilt = files.first().is_some_and(|word| word == "--spoil").then(|| {
        let count = files.get(1).and_then(|count| count.parse().ok()).expect("a number");
        games::ALL.iter().map(|game| made(game.notation().id, count)).collect::<Vec<_>>()
    });
    if files.is_empty() {
        let of_game = |id: &str| fixture(&format!("{id}/sheets.ndjson")).display().to_string();
        files = games::ALL.iter().map(|game| of_game(game.notation().id)).collect();
    }
    println!("| pairs | | true game | wrong and not disputed | refused | none | disputed | median | slowest |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let read = |file: &String| pairs(&fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}")));
    for pairs in spoilt.unwrap_or_else(|| files.iter().map(read).collect()) {
        let mut count = MergeCount::default();
        let mut name = String::new();
        for pair in &pairs {
            pair.sheets[0].value("Game").unwrap_or_default().clone_into(&mut name);
            let unmarked = count.unmarked;
            let merged = count.add(pair);
            match merged {
                Err(fault) if is_listed => eprintln!("{name} {}: {fault:?}", pair.case),
                Ok(found) if is_listed && found.merged.moves != pair.truth => {
                    let ply =
                        found.merged.moves.iter().zip(&pair.truth).take_while(|(one, other)| one == other).count();
                    let found = found.merged;
                    eprintln!(
                        "{name} {}: cost {}, {} for {} at ply {}, unmarked {}, {:?}",
                        pair.case,
                        found.cost,
                        found.moves.get(ply).map_or("nothing", |token| token),
                        pair.truth.get(ply).map_or("nothing", |token| token),
                        ply + 1,
                        count.unmarked - unmarked,
                        found.disputed,
                    );
                }
                _ => {}
            }
        }
        line(&name, &count);
    }
}

/// As many pairs of spoiled sheets.
fn made(game: &str, count: u64) -> Vec<Pair> {
    let mut random = Rng::with_seed(20);
    let games = spoilt::games(games::find(game).expect("it is in the table"));
    let pair = |case| {
        let sheet = &games[random.usize(..games.len())];
        let sheets = spoilt::pair(&mut random, &sheet.record, &sheet.truth).into();
        Pair { case, sheets, truth: sheet.truth.clone() }
    };
    (1..=count).map(pair).collect()
}

fn line(name: &str, count: &MergeCount) {
    let pairs = f64::from(count.pairs.max(1));
    let mut times: Vec<_> = count.times.iter().map(Duration::as_secs_f64).collect();
    times.sort_by(f64::total_cmp);
    let time = |index: usize| times.get(index).copied().unwrap_or_default() * 1000.0;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let disputed = count.disputed as f64 / pairs;
    println!(
        "| {name} | {} | {:.1} % | {} | {} | {} | {disputed:.1} | {:.1} ms | {:.1} ms |",
        count.pairs,
        100.0 * f64::from(count.right) / pairs,
        count.unmarked,
        count.refused,
        count.none,
        time(times.len() / 2),
        time(times.len().saturating_sub(1)),
    );
}
