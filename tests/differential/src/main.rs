//! Has two referees look at the same games, whole and broken, and says where they are apart: `quipu-differential [PLIES] [SEED] [THREADS]`.
//!
//! Without numbers it compares 20 million plies, on all processors. The same seed is the same games, however many threads there are. A difference
//! is shrunk to the shortest record and printed; then it is for the rules to say who is right, and for `tests/differential/regressions` to keep it.

use std::{
    num::NonZero,
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

use fastrand::Rng;
use quipu_differential::{Difference, Kind, Tally, game, positions, shrink};

/// Differences after which there is no point in going on.
const ENOUGH: usize = 10;
/// Portions between two looks at how much is done, so that where it stops does not depend on who was quicker.
const ROUND: u64 = 64;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let number = |place: usize, usual: u64| numbers.get(place).copied().unwrap_or(usual);
    let (plies, seed) = (number(0, 20_000_000), number(1, 1));
    let threads = number(2, thread::available_parallelism().map_or(1, NonZero::get) as u64);

    let begun = Instant::now();
    let kinds = Kind::all();
    let mut tallies = vec![Tally::default(); kinds.len()];
    let mut differences = Vec::new();
    let mut round = 0;
    while tallies.iter().map(Tally::plies).sum::<u64>() < plies && differences.len() < ENOUGH {
        let next = AtomicU64::new(round * ROUND);
        let work = || {
            let mut found = Vec::new();
            let mut tallies = vec![Tally::default(); kinds.len()];
            loop {
                let portion = next.fetch_add(1, Ordering::Relaxed);
                if portion >= (round + 1) * ROUND {
                    return (tallies, found);
                }
                for (kind, tally) in kinds.iter().zip(&mut tallies) {
                    let mut random = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(portion));
                    found.extend(game(*kind, &mut random, tally).err());
                    found.extend(positions(*kind, &mut random, tally).err());
                }
            }
        };
        thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            for thread in running {
                let (parts, found) = thread.join().expect("a referee does not panic on a board");
                tallies.iter_mut().zip(&parts).for_each(|(whole, part)| whole.add(part));
                differences.extend(found);
            }
        });
        round += 1;
    }

    println!("game      rules         plies     played    records     listed    refused  positions");
    for (kind, tally) in kinds.iter().zip(&tallies) {
        let Tally { played, records, listed, refused, positions, .. } = tally;
        let (name, rules, plies) = (kind.game, kind.rules, tally.plies());
        println!("{name:9} {rules:7} {plies:11} {played:10} {records:10} {listed:10} {refused:10} {positions:10}");
    }
    let sum: u64 = tallies.iter().map(Tally::plies).sum();
    println!(
        "{sum} plies in {:.0} s from seed {seed}, {} differences",
        begun.elapsed().as_secs_f64(),
        differences.len()
    );
    for Difference { text, what } in &differences {
        println!("\n{}", Difference { text: shrink(text), what: what.clone() });
    }
    if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
