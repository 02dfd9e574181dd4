//! Instructions per ply, counted by callgrind: `instructions [--keep]`.
//!
//! A clock says something else every time; instructions are nearly the same on every machine, since under valgrind all
//! machines have the same vectors. This program starts itself under valgrind to read and to verify the games of each
//! fixture a few times, and then more often: the difference is what plies cost, without what starting costs. Fails if a
//! figure is further above the one kept in `tests/instructions.tsv` than [`TOLERANCE`]; with `--keep` the figures are
//! written there. They are of the profile that `./test` builds with.

use std::{
    env, fs,
    process::{Command, ExitCode},
};

use quipu_notation::record::Reader;
use quipu_referee::games;
use quipu_tests_core::{
    bytes,
    hard_querni::{self, Hard},
    root, rows, verdicts,
};

/// Per cent that a figure may rise by before somebody has to look.
const TOLERANCE: u64 = 10;
/// Passes through the games of a fixture: a few, and more.
const TIMES: [usize; 2] = [4, 12];

/// Tasks on positions of Querni in which very many moves are possible: moves are judged, and a refused move gets its
/// suggestions. The figure is that of a position; a list of the moves would take a thousand times as many.
const HARD: [(&str, &str, HardTask); 2] =
    [("querni", "judge hard positions", Hard::judge), ("querni", "suggest in hard positions", Hard::suggest)];

/// A task on one hard position.
type HardTask = fn(&Hard);

/// A function whose instructions are counted.
type Task = fn(&[u8]);

/// Counted tasks: from bytes to records, and from bytes to verdicts.
const TASKS: [(&str, Task); 2] = [("read", read), ("verify", |text| drop(verdicts(text)))];

fn read(text: &[u8]) {
    let mut reader = Reader::new(text);
    while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
        chunk.records_without_notes().for_each(drop);
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match &*arguments {
        [task, game, times] => {
            let times = times.parse().expect("a number");
            if let Some((_, task)) = TASKS.iter().find(|(name, _)| name == task) {
                task(&text(game).repeat(times));
            } else {
                let (_, _, task) = HARD.iter().find(|(_, name, _)| name == task).expect("a task");
                (0..times).for_each(|_| hard_querni::all().iter().for_each(task));
            }
            ExitCode::SUCCESS
        }
        [keep] if keep == "--keep" => {
            let figures = figures().map(|(game, task, figure)| format!("{game}\t{task}\t{figure}\n"));
            fs::write(root().join("tests/instructions.tsv"), figures.collect::<String>()).expect("it can be written");
            ExitCode::SUCCESS
        }
        _ => compare(),
    }
}

/// The legal games of a game.
fn text(game: &str) -> Vec<u8> {
    bytes(&format!("{game}/games.quipu"))
}

/// Compares all figures with those that are kept.
fn compare() -> ExitCode {
    let kept = rows::<3>("../tests/instructions.tsv");
    let mut good = true;
    for (game, task, figure) in figures() {
        let row = kept.iter().find(|row| row[..2] == [game, task]).expect("every figure is kept");
        let most = row[2].parse::<u64>().expect("a number") * (100 + TOLERANCE) / 100;
        println!("{game}, {task}: {figure} instructions, at most {most}");
        good &= figure <= most;
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Instructions a ply or a position, by game and task.
fn figures() -> impl Iterator<Item = (&'static str, &'static str, u64)> {
    let figure = |game, task, count: u64| {
        let [few, more] = TIMES.map(|times| instructions(&[task, game, &times.to_string()]));
        (game, task, (more - few) / ((TIMES[1] - TIMES[0]) as u64 * count))
    };
    let ids = games::ALL.iter().map(|game| game.notation().id);
    let of_games = ids.flat_map(move |game| {
        let plies: u64 = verdicts(&*text(game)).iter().filter_map(|verdict| verdict.plies).sum();
        TASKS.map(|(task, _)| figure(game, task, plies))
    });
    of_games.chain(HARD.map(move |(game, task, _)| figure(game, task, hard_querni::all().len() as u64)))
}

/// Instructions of this program when it is called so.
fn instructions(arguments: &[&str]) -> u64 {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe().expect("a program knows where it is"))
        .args(arguments)
        .output()
        .expect("valgrind is installed");
    let told = String::from_utf8_lossy(&run.stderr);
    let count = told.lines().find_map(|line| line.split_once("Collected :"));
    let count = count.and_then(|(_, count)| count.trim().parse().ok());
    count.unwrap_or_else(|| panic!("no count of instructions: {told}"))
}
