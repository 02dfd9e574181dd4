//! Measures the cost of reading and judging against peers, in turns: `bench_core [short]`.
//!
//! A machine that others use as well is fast in one moment and slow in the next, so two tasks are done one after the other
//! in short rounds, and what counts is the ratio of the two in the same round: the median of all rounds, with the quartiles.
//! Plies a second stand beside it, of the quickest round. All is done by one thread, where nothing else is said.
//!
//! `short` takes some seconds. A ratio that has fallen by more than a third below [`KEPT`] is named at the end, and
//! fails nothing: a machine that others use gives other ratios from one hour to the next. The gate is the number of
//! instructions a ply, in `instructions`.

use std::{
    env,
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use quipu_notation::record::{Reader, write::OutputFormat};
use quipu_referee::games;
use quipu_tests_core::{bytes, each_chunk, tafl, verdicts};

/// Ratios that were reached on 2 cores by a release build. How quick a peer is beside us depends on the kind of processor:
/// kept is the lowest of the kinds it was measured on.
const KEPT: &[(&str, f64)] = &[
    ("andes, moves only: read", 0.155),
    ("andes, moves only: verify", 0.27),
    ("pastores, moves only: read", 0.174),
    ("pastores, moves only: verify", 0.29),
    ("querni, moves only: read", 0.153),
    ("querni, moves only: verify", 0.24),
    ("brandubh, moves only: read", 0.168),
    ("brandubh, moves only: verify", 0.25),
    ("brandubh: verify, by games", 1.20),
];

/// Rounds of a pair, and in the short form.
const ROUNDS: [usize; 2] = [400, 40];
/// Passes of a task through the games of a fixture.
const TIMES: usize = 4;
/// Factor by which a task shared by two threads is longer; it has as many rounds less.
const LONGER: usize = 8;
/// Name of the measurement that two threads are compared with.
const ON_ONE: &str = "on one";

/// Tags that bare games do without: moments, clocks and who wrote what.
const BESIDE: [&str; 6] = ["Site", "UTCDate", "UTCTime", "TimeControl", "Annotator", "Handshake"];

/// Something that is measured, and over how many plies.
struct Task<'t> {
    plies: f64,
    run: Box<dyn Fn() + 't>,
}

impl<'t> Task<'t> {
    fn new<T>(plies: u64, run: impl Fn() -> T + 't) -> Self {
        let plies = u32::try_from(plies).expect("fixtures are small").into();
        Self { plies, run: Box::new(move || drop(black_box(run()))) }
    }

    /// Seconds that a ply takes this time.
    fn time(&self) -> f64 {
        let begun = Instant::now();
        (self.run)();
        begun.elapsed().max(Duration::from_nanos(1)).as_secs_f64() / self.plies
    }
}

/// A text that is read and judged again and again.
struct Text {
    bytes: Vec<u8>,
    plies: u64,
}

impl Text {
    fn of(path: &str) -> Self {
        Self::new(&bytes(path))
    }

    fn new(bytes: &[u8]) -> Self {
        let bytes = bytes.repeat(TIMES);
        let plies = verdicts(&*bytes).iter().filter_map(|verdict| verdict.plies).sum();
        Self { bytes, plies }
    }

    /// Its games with nothing but some tag pairs, the moves and their numbers, as large collections have them.
    fn bare(path: &str) -> Self {
        let (text, mut written) = (bytes(path), String::new());
        each_chunk(&*text, |chunk| {
            for mut record in chunk.records_without_notes().flatten() {
                record.tags.retain(|tag| !BESIDE.contains(&&*tag.name));
                record.movetext.comments.clear();
                for ply in &mut record.movetext.plies {
                    (ply.clock, ply.notes) = (None, None);
                }
                written += &OutputFormat::Quipu.write(&record).0;
            }
        });
        Self::new(written.as_bytes())
    }

    fn verify(&self) -> Task<'_> {
        Task::new(self.plies, || verdicts(&*self.bytes))
    }

    fn verify_by_threads(&self, two: bool) -> Task<'_> {
        by_threads(self.plies, || verdicts(&*self.bytes), two)
    }

    fn read(&self) -> Task<'_> {
        Task::new(self.plies, || {
            let (mut reader, mut read) = (Reader::new(&*self.bytes), 0);
            while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
                read += chunk.records_without_notes().flatten().count();
            }
            read
        })
    }

    /// The same bytes cut at white space, as one would who asks for nothing else.
    fn words(&self) -> Task<'_> {
        let text = self.text();
        Task::new(self.plies, move || cut(text))
    }

    /// The same: what the machine gives to two threads that need no memory.
    fn words_by_threads(&self, two: bool) -> Task<'_> {
        let text = self.text();
        by_threads(self.plies, move || cut(text), two)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("this fixture is UTF-8")
    }

    /// Their lines counted, which no reader can be quicker than.
    fn lines(&self) -> Task<'_> {
        Task::new(self.plies, || memchr::memchr_iter(b'\n', &self.bytes).count())
    }
}

fn cut(text: &str) -> usize {
    text.split_ascii_whitespace().map(str::len).fold(0, usize::wrapping_add)
}

/// The same work twice as often: by one thread, or half of it by each of two. It takes so long that starting a thread, and
/// memory that is new to it, do not count.
fn by_threads<'t, T>(plies: u64, run: impl Fn() -> T + Sync + 't, two: bool) -> Task<'t> {
    let again = move || (0..LONGER).for_each(|_| drop(black_box(run())));
    Task::new(2 * LONGER as u64 * plies, move || {
        thread::scope(|scope| {
            let other = two.then(|| scope.spawn(&again));
            again();
            other.map_or_else(&again, |other| other.join().expect("nobody panics"));
        });
    })
}

fn main() {
    let is_short = env::args().nth(1).is_some_and(|word| word == "short");
    let rounds = ROUNDS[usize::from(is_short)];
    println!("| subject | compared with | plies per second | of the other | ratio | quartiles |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let mut reached = Vec::new();
    let mut row = |name: &str, peer_name: &str, own: Task<'_>, peer: Task<'_>| {
        let rounds = if peer_name == ON_ONE { rounds / LONGER } else { rounds };
        let times: Vec<[f64; 2]> = (0..rounds).map(|_| [own.time(), peer.time()]).collect();
        let [quickest, of_peer] = [0, 1].map(|side| times.iter().map(|round| round[side]).fold(f64::MAX, f64::min));
        let mut ratios: Vec<f64> = times.iter().map(|[own, peer]| peer / own).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let [low, median, high] = [1, 2, 3].map(|quarter| ratios[(ratios.len() - 1) * quarter / 4]);
        let millions = |time: f64| 1e-6 / time;
        println!(
            "| {name} | {peer_name} | {:.2} million | {:.2} million | {median:.3} | {low:.3} to {high:.3} |",
            millions(quickest),
            millions(of_peer)
        );
        reached.push((name.to_owned(), median));
    };
    for game in games::ALL {
        let id = game.notation().id;
        let path = format!("{id}/games.quipu");
        let text = Text::bare(&path);
        row(&format!("{id}, moves only: read"), "words cut at white space", text.read(), text.words());
        row(&format!("{id}, moves only: verify"), "read", text.verify(), text.read());
        let text = Text::of(&path);
        row(&format!("{id}: read"), "words cut at white space", text.read(), text.words());
        row(&format!("{id}: verify"), "read", text.verify(), text.read());
        row(&format!("{id}: verify, by bytes"), "line breaks counted", text.verify(), text.lines());
        let [two, one] = [true, false].map(|two| text.verify_by_threads(two));
        row(&format!("{id}: verify on two threads"), ON_ONE, two, one);
        let [two, one] = [true, false].map(|two| text.words_by_threads(two));
        row(&format!("{id}: words on two threads"), ON_ONE, two, one);
    }
    // The rule set of it that is nearest to that crate's.
    let text = Text::of("brandubh/games.nielsen.quipu");
    let moves = tafl::games(&text.bytes);
    let play = || moves.iter().map(|moves| tafl::play(black_box(moves))).sum::<u64>();
    row("brandubh: verify, by games", "`hnefatafl` plays the moves", text.verify(), Task::new(play(), play));
    for (name, kept) in KEPT {
        let (_, median) = reached.iter().find(|(own, _)| own == name).expect("a row that is kept is measured");
        if *median < kept * 2.0 / 3.0 {
            println!("{name}: {median:.3}, and was {kept:.3}");
        }
    }
}
