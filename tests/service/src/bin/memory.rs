//! Verifies a long stream of records and reports the peak of memory, and the time: `memory [MIB] [JOBS]...`.
//!
//! The sample tournament is fed again and again to `quipu verify --json -`, by default 1 GiB to one job and to two.
//! Then come texts of 16 MiB that are made to be costly, and streams of bare games of each fixture. Fails if a run takes more than
//! [`STREAM`], [`PRIVATE`] or [`MAX_MIB`] allows, touches new memory more often than [`PER_FAULT`] allows, or verifies another number
//! of games than it was given.

use std::{
    io::{BufRead, BufReader, Write},
    process::{ChildStdout, ExitCode, Stdio},
    time::Instant,
};

use quipu_notation::record::{limits, write::OutputFormat};
use quipu_referee::games;
use quipu_tests_service::{
    bytes, each_chunk, program,
    spawned_server::{memory_kib, page_faults},
    verdicts,
};

/// MiB that a stream of games may take with one job, and with more, in an optimized program: 10 MiB of that are the program.
const STREAM: [u64; 2] = [16, 32];
/// The same without the pages of the program's file, whose size depends on the optimization.
const PRIVATE: [u64; 2] = [8, 12];
/// MiB that texts made to be expensive may take, at most.
const MAX_MIB: u64 = 64;

/// Bytes of a stream for each page fault, at least. A page fault every few KiB means that memory goes back to the system after
/// each batch and comes again.
const PER_FAULT: u64 = 16 * 1024;
/// MiB of such a stream, and of a short one, which has the page faults of the start too.
const FAULTS: u64 = 64;
const START: u64 = 4;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let (mib, jobs) = match numbers.split_first() {
        Some((mib, [])) => (*mib, &[1, 2][..]),
        Some((mib, jobs)) => (*mib, jobs),
        None => (1024, &[1, 2][..]),
    };
    let cup = bytes("andes/cup.quipu");
    let games = verdicts(cup.as_slice()).len() as u64;
    let times = (mib << 20) / cup.len() as u64 + 1;
    let mut good = true;
    for &jobs in jobs {
        let begun = Instant::now();
        let (verified, Peak { all, private, .. }) = measure(&cup, times, &["--json", "--jobs", &jobs.to_string()]);
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{mib} MiB, {jobs} jobs: {verified} games verified in {seconds:.1} s, peak {all} KiB, {private} KiB without the program"
        );
        let is_within = |peak, bounds: [u64; 2]| peak <= bounds[usize::from(jobs > 1)] * 1024;
        good &= verified == games * times && is_within(private, PRIVATE);
        good &= cfg!(debug_assertions) || is_within(all, STREAM);
    }
    for (name, layout, part) in COSTLY {
        // The records after it are read only when most of it is judged, and so count in the peak.
        let costly = part.repeat((limits::RECORD - 128) / part.len());
        let (open, close) = around(layout);
        let text = [open, costly.as_slice(), close, &written(&cup, layout).repeat(16)].concat();
        let (_, Peak { all, .. }) = measure(&text, 1, &["--json", "--jobs", "1"]);
        println!("16 MiB of {name}: peak {all} KiB");
        good &= all <= MAX_MIB * 1024;
    }
    for game in games::ALL {
        let games = bare(&bytes(&format!("{}/games.quipu", game.notation().id)));
        let [long, short] = [FAULTS, START].map(|mib| (mib << 20) / games.len() as u64);
        for jobs in ["1", "2"] {
            let [all, first] = [long, short].map(|times| measure(&games, times, &["--jobs", jobs]).1.faults);
            let faults = all.saturating_sub(first);
            println!("{FAULTS} MiB of {}, {jobs} jobs: {faults} page faults after {START} MiB", game.notation().id);
            good &= faults * PER_FAULT <= (long - short) * games.len() as u64;
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Tags of bare games.
const BARE: [&str; 6] = ["Game", "Rules", "First", "Setup", "Result", "Termination"];

/// A little text that becomes much if all of it is kept.
const COSTLY: [(&str, OutputFormat, &[u8]); 8] = [
    ("results", OutputFormat::Quipu, b"* "),
    ("variations", OutputFormat::Quipu, b"()"),
    ("moves in variations", OutputFormat::Quipu, b"(0 0 0 0 0 0 0)"),
    ("nested variations", OutputFormat::Quipu, b"(0(0)0(0))"),
    ("annotations", OutputFormat::Quipu, b"!? "),
    ("variations in JSON", OutputFormat::Ndjson, b",{}"),
    ("moves in variations in JSON", OutputFormat::Ndjson, br#",{"moves":["0","\u0030"]}"#),
    ("empty rows in CSV", OutputFormat::Csv, b",\n"),
];

/// Beginning and end of a record around such a text.
fn around(layout: OutputFormat) -> (&'static [u8], &'static [u8]) {
    match layout {
        OutputFormat::Quipu => (b"[Game \"andes\"]\n\n0d3 ", b"\n*\n\n"),
        OutputFormat::Json | OutputFormat::Ndjson => {
            (br#"{"game":"andes","moves":[{"move":"0d3","variations":[{}"#, b"]}]}\n")
        }
        OutputFormat::Csv => (b"#Game: andes\nn,sol,luna\n", b"\n"),
    }
}

/// The records of a text, in a form.
fn written(text: &[u8], layout: OutputFormat) -> Vec<u8> {
    let mut written = String::new();
    each_chunk(text, |chunk| written.extend(chunk.records().flatten().map(|record| layout.write(&record).0)));
    written.into_bytes()
}

/// The games of a text with the tags that their moves need, as large collections have them: with these, a batch takes the least
/// memory, and the system gets it back first.
fn bare(text: &[u8]) -> Vec<u8> {
    let mut written = String::new();
    each_chunk(text, |chunk| {
        for mut record in chunk.records_without_notes().flatten() {
            record.tags.retain(|tag| BARE.contains(&&*tag.name));
            record.movetext.comments.clear();
            for ply in &mut record.movetext.plies {
                (ply.clock, ply.notes) = (None, None);
            }
            written += &OutputFormat::Quipu.write(&record).0;
        }
    });
    written.into_bytes()
}

/// Peaks of resident memory in KiB, and page faults.
struct Peak {
    all: u64,
    /// Without the pages of the program's file.
    private: u64,
    /// Pages that were touched for the first time.
    faults: u64,
}

/// Verifies a text so many times; returns the number of lines of verified games in JSON, and the peaks of memory.
fn measure(cup: &[u8], times: u64, options: &[&str]) -> (u64, Peak) {
    let mut child = program::command(&[&["verify", "-"], options].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("quipu runs");
    let mut stdin = child.stdin.take().expect("it was asked for");
    let stdout = child.stdout.take().expect("it was asked for");
    let process = child.id();
    let (verified, peak) = std::thread::scope(|scope| {
        let counted = scope.spawn(|| count(stdout));
        for _ in 0..times {
            stdin.write_all(cup).expect("quipu reads everything");
        }
        // All but what stands in the pipe has been read: the peak has been. Pages of a file that were touched once stay.
        let kib = |field| memory_kib(process, field).expect("this system tells of its processes in /proc");
        let all = kib("VmHWM");
        let faults = page_faults(process).expect("this system tells of its processes in /proc");
        let peak = Peak { all, private: all.saturating_sub(kib("RssFile")), faults };
        drop(stdin);
        (counted.join().expect("counting does not fail"), peak)
    });
    child.wait().expect("quipu ends");
    (verified, peak)
}

fn count(stdout: ChildStdout) -> u64 {
    let mut lines = BufReader::with_capacity(1 << 16, stdout);
    let mut line = String::new();
    let mut verified = 0;
    while lines.read_line(&mut line).expect("quipu writes UTF-8") > 0 {
        verified += u64::from(line.contains(r#""status":"verified""#));
        line.clear();
    }
    verified
}
