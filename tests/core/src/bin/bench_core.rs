//! Compares reading and judging with peers, in turns: `bench_core [short]`.
//!
//! A shared machine is fast at one moment and slow at the next. Two tasks therefore run in turns, in short rounds, and a row has
//! the ratio of both in the same round: the median of all rounds, with the quartiles. Beside it are the plies per second of the
//! fastest round. A task has one thread unless its row says otherwise.
//!
//! `short` takes some seconds. A ratio more than a third below [`RECORDED`] is reported at the end and fails nothing, since a
//! shared machine gives other ratios from one hour to the next. The gate is the number of instructions per ply, in `instructions`.

use std::{
    borrow::Cow,
    env,
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use quipu_notation::record::{
    MoveSink, Notes, PlainPly, ReadError, Reader, Record, Spanned, WrittenPly, write::OutputFormat,
};
use quipu_referee::games;
use quipu_tests_core::{bytes, each_chunk, tafl, verdicts};

/// The lowest ratio of a release build on two kinds of processors, with 2 cores each.
const RECORDED: &[(&str, f64)] = &[
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
/// Factor by which a task shared by two threads is longer; it has fewer rounds by the same factor.
const LONGER: usize = 8;
/// Name of the measurement that two threads are compared with.
const ON_ONE: &str = "on one";

/// Tags that bare games leave out: times, clocks, annotators and signatures.
const LEFT_OUT: [&str; 6] = ["Site", "UTCDate", "UTCTime", "TimeControl", "Annotator", "Handshake"];

/// A function to measure, and the number of plies that it handles.
struct Task<'t> {
    plies: f64,
    run: Box<dyn Fn() + 't>,
}

impl<'t> Task<'t> {
    fn new<T>(plies: u64, run: impl Fn() -> T + 't) -> Self {
        let plies = u32::try_from(plies).expect("fixtures are small").into();
        Self { plies, run: Box::new(move || drop(black_box(run()))) }
    }

    /// Runs the task; returns seconds per ply.
    fn time(&self) -> f64 {
        let begun = Instant::now();
        (self.run)();
        begun.elapsed().max(Duration::from_nanos(1)).as_secs_f64() / self.plies
    }
}

/// A text of records, repeated, with the number of their plies.
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

    /// The games with some tag pairs, moves and numbers only, as large collections have them.
    fn bare(path: &str) -> Self {
        let (text, mut written) = (bytes(path), String::new());
        each_chunk(&*text, |chunk| {
            for mut record in chunk.records_without_notes().flatten() {
                record.tags.retain(|tag| !LEFT_OUT.contains(&&*tag.name));
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

    /// Reads tags, tokens, spans, numbers and clocks, and keeps no record.
    fn tokens(&self) -> Task<'_> {
        Task::new(self.plies, || {
            let (mut reader, mut plies) = (Reader::new(&*self.bytes), 0);
            while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
                let mut records = chunk.records_without_notes();
                let mut next = || {
                    let mut moves = CountedMoves::default();
                    records.open_next(&mut Record::default(), |open| open.read_moves(&mut moves).ok().map(drop))?;
                    Some(moves.0 as u64)
                };
                while let Some(count) = next() {
                    plies += count;
                }
            }
            assert_eq!(plies, self.plies, "each ply is read once");
        })
    }

    /// The same bytes split at white space.
    fn words(&self) -> Task<'_> {
        let text = self.text();
        Task::new(self.plies, move || split(text))
    }

    /// The same on two threads, which allocate nothing: the share of the second core that the machine provides.
    fn words_by_threads(&self, two: bool) -> Task<'_> {
        let text = self.text();
        by_threads(self.plies, move || split(text), two)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("this fixture is UTF-8")
    }

    /// Counts line breaks: the upper limit of any reader.
    fn lines(&self) -> Task<'_> {
        Task::new(self.plies, || memchr::memchr_iter(b'\n', &self.bytes).count())
    }
}

/// Counts plies and looks at each part of them, so that nothing is optimized away.
#[derive(Default)]
struct CountedMoves(usize);

impl<'a> MoveSink<'a> for CountedMoves {
    type Stop = ReadError;

    fn ply(&mut self, ply: WrittenPly<'a>) -> Result<(), ReadError> {
        black_box(ply);
        self.0 += 1;
        Ok(())
    }

    fn plain_ply(&mut self, ply: PlainPly<'a>, is_token: impl FnOnce() -> bool) -> Result<bool, ReadError> {
        if !is_token() {
            return Ok(false);
        }
        black_box((ply.token(), ply.span()));
        self.0 += 1;
        Ok(true)
    }

    fn clock(&mut self, clock: Spanned<u64>) {
        black_box(clock);
    }

    fn count(&self) -> usize {
        self.0
    }

    fn comment(&mut self, text: Cow<'a, str>) {
        black_box(text);
    }

    fn notes(&mut self) -> Option<&mut Notes<'a>> {
        None
    }
}

fn split(text: &str) -> usize {
    text.split_ascii_whitespace().map(str::len).fold(0, usize::wrapping_add)
}

/// Twice the work: on one thread, or half of it on each of two. It takes so long that the start of a thread and its first
/// allocations do not count.
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
        let [fastest, of_peer] = [0, 1].map(|side| times.iter().map(|round| round[side]).fold(f64::MAX, f64::min));
        let mut ratios: Vec<f64> = times.iter().map(|[own, peer]| peer / own).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let [low, median, high] = [1, 2, 3].map(|quarter| ratios[(ratios.len() - 1) * quarter / 4]);
        let millions = |time: f64| 1e-6 / time;
        println!(
            "| {name} | {peer_name} | {:.2} million | {:.2} million | {median:.3} | {low:.3} to {high:.3} |",
            millions(fastest),
            millions(of_peer)
        );
        reached.push((name.to_owned(), median));
    };
    for game in games::ALL {
        let id = game.notation().id;
        let path = format!("{id}/games.quipu");
        let text = Text::bare(&path);
        row(&format!("{id}, moves only: read"), "words split at white space", text.read(), text.words());
        row(&format!("{id}, moves only: tokens"), "words split at white space", text.tokens(), text.words());
        row(&format!("{id}, moves only: verify"), "read", text.verify(), text.read());
        let text = Text::of(&path);
        row(&format!("{id}: read"), "words split at white space", text.read(), text.words());
        row(&format!("{id}: verify"), "read", text.verify(), text.read());
        row(&format!("{id}: verify, by bytes"), "line breaks counted", text.verify(), text.lines());
        let [two, one] = [true, false].map(|two| text.verify_by_threads(two));
        row(&format!("{id}: verify on two threads"), ON_ONE, two, one);
        let [two, one] = [true, false].map(|two| text.words_by_threads(two));
        row(&format!("{id}: words on two threads"), ON_ONE, two, one);
    }
    // The rule set nearest to that of the crate.
    let text = Text::of("brandubh/games.nielsen.quipu");
    let moves = tafl::games(&text.bytes);
    let play = || moves.iter().map(|moves| tafl::play(black_box(moves))).sum::<u64>();
    row("brandubh: verify, by games", "`hnefatafl` plays the moves", text.verify(), Task::new(play(), play));
    for (name, recorded) in RECORDED {
        let (_, median) = reached.iter().find(|(own, _)| own == name).expect("each recorded row is measured");
        if *median < recorded * 2.0 / 3.0 {
            println!("{name}: {median:.3}, recorded {recorded:.3}");
        }
    }
}
