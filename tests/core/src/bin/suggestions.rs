//! Share of slips for which the true move is suggested: `suggestions [SLIPS [SEED]]`.
//!
//! Makes so many slips of each kind in legal games, those of the fixtures and as many random ones, and has them verified. The
//! figures are of slips whose own ply is refused: in how many hundredths the true move is suggested first, and in how many
//! it is among the five. Then the same of the sheets with one slip in `fixtures/*/repair.ndjson`.

use std::env;

use quipu_referee::games;
use quipu_tests_core::slipped::{self, Count, HOPELESS, KINDS};

fn main() {
    let mut words = env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let (times, seed) = (words.next().unwrap_or(400), words.next().unwrap_or(1532));
    let times = usize::try_from(times).expect("a number of slips");
    header("slip");
    let mut all = Vec::new();
    for game in games::ALL {
        let name = game.notation().id;
        let mut aimed = Count::default();
        for ((kind, _), count) in KINDS.iter().zip(slipped::measure(*game, times, seed)) {
            line(name, kind, count);
            if !HOPELESS.contains(kind) {
                aimed += count;
            }
        }
        all.push((name, aimed));
    }
    for (name, count) in &all {
        line(name, "**all that can be read**", *count);
    }
    println!();
    header("kind in `repair.ndjson`");
    for game in games::ALL {
        for (kind, count) in slipped::measure_fixture(*game) {
            line(game.notation().id, &kind, count);
        }
    }
}

fn header(kind: &str) {
    println!(
        "| game | {kind} | slips | refused at their ply | first | in the five |\n| --- | --- | ---: | ---: | ---: | ---: |"
    );
}

fn line(game: &str, kind: &str, count: Count) {
    if count.made > 0 {
        let share = |part: u32| 100.0 * f64::from(part) / f64::from(count.refused.max(1));
        let (first, suggested) = (share(count.first), share(count.suggested));
        println!("| {game} | {kind} | {} | {} | {first:.1} % | {suggested:.1} % |", count.made, count.refused);
    }
}
