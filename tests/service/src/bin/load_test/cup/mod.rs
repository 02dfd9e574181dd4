//! A tournament with all boards live at once: each board saves its game ply by ply, spectators follow the boards, and
//! others read the pages of the round and of the standings. No save may be refused, and no spectator may miss one.

mod bell;
mod client;
mod game;
mod spectator;
mod tournament;

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use bell::Bell;
use client::Client;
use quipu_options::Scope;
use quipu_tests_service::{program, spawned_server::token_with};
use spectator::{Progress, Spectator};
use tournament::Tournament;

use super::{
    harness::{self, HANG, Harness, Latencies},
    normal::LoadResult,
};

/// The number of boards, of spectators and of readers of other pages, the mean time between two plies of a board, and
/// the longest run. A program that was built to be tested has a small tournament.
const SIZE: Size = if cfg!(debug_assertions) {
    Size { boards: 20, spectators: 160, readers: 4, pause: Duration::from_secs(2), longest: Duration::from_secs(5) }
} else {
    Size {
        boards: 250,
        spectators: 2_000,
        readers: 20,
        pause: Duration::from_secs(10),
        longest: Duration::from_secs(60),
    }
};
/// Time between two pages of a reader.
const READING: Duration = Duration::from_secs(1);
/// Milliseconds within which a spectator should see 99 of 100 plies.
const GOAL: u32 = 1_000;
/// Listeners that the service allows: some more than there are spectators.
const LISTENERS: &str = "2500";
/// Bytes of the stack of a thread: there is one for each client.
const STACK: usize = 256 << 10;
/// The latencies, in the order in which they are printed.
const KINDS: [&str; 5] =
    ["a save", "its event at a spectator", "the page with it", "the page of the round", "the page of the standings"];

struct Size {
    boards: usize,
    spectators: usize,
    readers: usize,
    pause: Duration,
    longest: Duration,
}

pub(crate) fn run(time: Duration) {
    let Size { boards, spectators, readers, pause, longest } = SIZE;
    let time = time.min(longest);
    // Each spectator has two connections, and so has the service, which inherits the limit.
    harness::allow_open_files(2 * spectators + boards + readers + 1_000);
    let harness = Harness::empty();
    let token = token_with(program::path(), harness.folder.path(), &[Scope::Admin], None);
    let server = harness.serve_by_default(&["--trust-proxy", "--max-listeners", LISTENERS]);
    let organiser = Client::new(&server.address, 0).with_token(&token);
    let tournament = Tournament::new(&organiser, &server.address, boards).unwrap_or_else(|why| panic!("{why}"));
    let (progress, ends, clients) = (Progress::default(), [Bell::default(), Bell::default()], AtomicUsize::new(boards));
    let [played, read] = &ends;
    let next = || clients.fetch_add(1, Ordering::Relaxed) + 1;
    println!(
        "cup: {} players, {boards} boards live, {spectators} spectators, {readers} readers, {:.0} s; {}",
        2 * boards,
        time.as_secs_f64(),
        processor()
    );
    let mut outcome = LoadResult::default();
    let busy = thread::scope(|scope| {
        let games = &tournament.games;
        let mut watching = Vec::new();
        for game in games.iter().cycle().take(spectators) {
            let spectator = Spectator::new(game, &server.address, next(), &progress);
            watching.push(start(scope, &progress, move |outcome| spectator.watch(outcome)));
        }
        wait_for(&progress.listening, spectators, &progress);
        let processor_time = || harness::processor_time(server.process()).unwrap_or_default();
        let before = processor_time();
        let mut playing = Vec::new();
        let lines = (0..).map(|line| harness.generator.andes_moves(line)).filter(|moves| moves.len() > 24);
        for (game, moves) in games.iter().zip(lines) {
            playing.push(start(scope, &progress, move |outcome| game.play(moves, pause, played, outcome)));
        }
        let mut reading = Vec::new();
        for _ in 0..readers {
            let (reader, pages) = (Client::new(&server.address, next()), tournament.pages());
            reading.push(start(scope, &progress, move |outcome| read_pages(&reader, &pages, read, outcome)));
        }
        let begun = Instant::now();
        while begun.elapsed() < time && progress.failed.load(Ordering::Relaxed) == 0 {
            thread::sleep(Duration::from_millis(100));
        }
        let busy = processor_time().saturating_sub(before).as_secs_f64() / begun.elapsed().as_secs_f64();
        played.ring();
        for one in playing {
            outcome.merge(one.join().expect("nobody panics"));
        }
        let saves: usize = games.iter().map(|game| game.version() - 1).sum();
        wait_for(&progress.seen, saves * spectators / boards, &progress);
        read.ring();
        for game in games {
            if let Err(why) = game.close() {
                outcome.fail(why);
            }
        }
        reading.into_iter().chain(watching).for_each(|one| outcome.merge(one.join().expect("nobody panics")));
        busy
    });
    println!("{:28} {:>8} {:>10} {:>10} {:>10}", "", "count", "median ms", "p99 ms", "max ms");
    for kind in KINDS {
        let mut latencies = outcome.latencies.remove(kind).unwrap_or_else(Latencies::default);
        let [median, p99, max] = [50, 99, 100].map(|hundredths| latencies.percentile(hundredths));
        println!("{kind:28} {:>8} {median:>10.1} {p99:>10.1} {max:>10.1}", latencies.count());
        if latencies.count() == 0 {
            outcome.fail(format!("{kind}: nothing"));
        }
    }
    println!("goal for a spectator: {GOAL} ms at p99");
    let [peak, kept] = [harness::peak, harness::resident].map(|of| of(server.process()).unwrap_or_default());
    println!(
        "{} events with more than one save, {} failures; the service took {busy:.2} of a processor, {kept} MiB in the end, at most {peak}",
        progress.merged.into_inner(),
        outcome.failed
    );
    // The first failures cause the others.
    outcome.failures.truncate(5);
    assert!(outcome.failed == 0, "{}", outcome.failures.join("\n"));
    assert!(peak <= harness::MEMORY, "memory is not bounded");
}

/// Starts a client, whose error is a failure.
fn start<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    progress: &'scope Progress,
    client: impl FnOnce(&mut LoadResult) -> Result<(), String> + Send + 'scope,
) -> ScopedJoinHandle<'scope, LoadResult> {
    let run = move || {
        let mut outcome = LoadResult::default();
        if let Err(why) = client(&mut outcome) {
            progress.failed.fetch_add(1, Ordering::Relaxed);
            outcome.fail(why);
        }
        outcome
    };
    thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).expect("a thread")
}

/// Waits until a number is reached or a client has failed; not longer than for a request that hangs.
fn wait_for(number: &AtomicUsize, expected: usize, progress: &Progress) {
    let begun = Instant::now();
    let goes_on = || number.load(Ordering::Relaxed) < expected && progress.failed.load(Ordering::Relaxed) == 0;
    while goes_on() && begun.elapsed() < HANG {
        thread::sleep(Duration::from_millis(10));
    }
}

/// Reads pages of the tournament in turn.
fn read_pages(reader: &Client, pages: &[String; 2], over: &Bell, outcome: &mut LoadResult) -> Result<(), String> {
    for (path, kind) in pages.iter().zip(&KINDS[3..]).cycle() {
        let begun = Instant::now();
        let mut page = reader.get(path, &[("Accept", "text/html"), ("Accept-Encoding", "gzip")])?;
        std::io::copy(&mut page.body_mut().as_reader(), &mut std::io::sink())
            .map_err(|error| format!("{path}: {error}"))?;
        outcome.latencies.entry(kind).or_default().add(begun.elapsed());
        if !over.pauses(READING) {
            break;
        }
    }
    Ok(())
}

/// The name of the processor, as the system tells it.
fn processor() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{cores} cores of {}", name.map_or("an unknown processor", |(_, name)| name))
}
