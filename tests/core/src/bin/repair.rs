//! Share of sheets with slips that are read as the game that was played: `repair [--list] [--spoil COUNT] [FILE...]`.
//!
//! Without a file it reads `fixtures/*/repair.ndjson`. For each file and for sheets with one slip alone: in how many
//! hundredths the true game is the first reading, a later one that is as likely, among the first three, and among all; how many readings are clear, and
//! wrong though clear; searches that hit their bound; readings that the judge does not verify; times. `--list` lists
//! the sheets, and the edits of those of which the true game is not the first reading. `--spoil` makes as many sheets of each
//! game instead, with other slips.

use std::{env, fs, time::Duration};

use quipu_referee::games;
use quipu_tests_core::{
    fixture,
    repaired::{Count, sheets},
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
        games::ALL.iter().map(|game| spoilt::rejected(*game, count, 20)).collect::<Vec<_>>()
    });
    if files.is_empty() {
        let of_game = |id: &str| fixture(&format!("{id}/repair.ndjson")).display().to_string();
        files = games::ALL.iter().map(|game| of_game(game.notation().id)).collect();
    }
    println!("| sheets | | first | tied | in three | found | clear | wrong | incomplete | refused | median | p99 |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let read = |file: &String| sheets(&fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}")));
    for sheets in spoilt.unwrap_or_else(|| files.iter().map(read).collect()) {
        let (mut all, mut single) = (Count::default(), Count::default());
        let mut name = String::new();
        for sheet in sheets {
            sheet.record.value("Game").unwrap_or_default().clone_into(&mut name);
            let game = games::find(&name).expect("a game that is known");
            let count = if sheet.slips.len() == 1 { &mut single } else { &mut all };
            let readings = count.add(game, &sheet);
            let place = readings.readings.iter().position(|reading| reading.moves == sheet.truth);
            if is_listed {
                let (cost, doubt) = (readings.readings.first().map(|first| first.cost), readings.doubt);
                let time = count.times.last().map_or(0, Duration::as_millis);
                let (clear, complete) = (readings.is_clear, readings.is_complete);
                eprintln!(
                    "{name} {} {:?}: {place:?}, cost {cost:?}, doubt {doubt}, clear {clear}, complete {complete}, {time} ms",
                    sheet.case, sheet.slips
                );
            }
            if is_listed && place != Some(0) {
                for reading in readings.readings.iter().take(place.unwrap_or(1) + 1) {
                    eprintln!("    {} {:?}", reading.cost, reading.edits);
                }
            }
        }
        line(&format!("{name}, one slip"), &single);
        all += single;
        line(&format!("{name}, all"), &all);
    }
}

fn line(name: &str, count: &Count) {
    let share = |part: u32| format!("{:.1} %", 100.0 * f64::from(part) / f64::from(count.sheets.max(1)));
    let [first, tied, three, found, clear] =
        [count.first, count.tied, count.of_three, count.found, count.clear].map(share);
    println!(
        "| {name} | {} | {first} | {tied} | {three} | {found} | {clear} | {} | {} | {} | {:.1} ms | {:.1} ms |",
        count.sheets,
        count.wrong,
        count.incomplete,
        count.refused,
        count.time(0.5).as_secs_f64() * 1000.0,
        count.time(0.99).as_secs_f64() * 1000.0,
    );
}
