//! Flips bits of an archive, one byte at a time, and looks whether `check` finds each that changes an answer:
//! `flips [FLIPS] [SEED]`.
//!
//! The archive has records of every game, a correction, a retraction, merges, tokens, a game in progress and an answer kept
//! for a request. The answers that are compared are searches by beginnings of one and two letters and by words, lists,
//! records with their verdicts and history, players, rankings, events, what happened, and the kept answer. Not every column
//! is covered: those that are not, as docs/reliability.md lists them, are left out of what is compared, and counted apart.
//!
//! Fails if a flip changes an answer and is not found.

use std::{env, fs, path::Path, sync::Mutex, thread};

use fastrand::Rng;
use quipu_archive::{
    model::{Attribution, Change, ChangeKind, Draft, Submission},
    store::{Filter, IdempotencyLookup, ReadTx, Store, StoreError, TextFilter},
};
use quipu_options::Scope;
use quipu_referee::{Status, games};
use quipu_tests_service::{
    each_chunk,
    generator::{Generator, other_sheet},
    sample_archive::fixtures,
};

/// Records of games of chance.
const RECORDS: usize = 250;
/// Rows that are asked for.
const MANY: usize = 10_000;
const FILE: &str = "quipu.db";
/// Client, key and request digest of an idempotent request.
const AGAIN: (&str, &str, [u8; 32]) = ("club", "key", [7; 32]);

fn main() {
    let mut arguments = env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let flips = arguments.next().unwrap_or(5_000);
    let seed = arguments.next().unwrap_or(1532);
    let folder = tempfile::tempdir().expect("a folder");
    make(folder.path());
    let bytes = fs::read(folder.path().join(FILE)).expect("a file");
    let right = Store::open_existing(folder.path()).map(|store| answers(&store)).expect("an archive");
    let (left, counted) = (Mutex::new((0..flips).collect::<Vec<_>>()), Mutex::new(Counts::default()));
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let folder = tempfile::tempdir().expect("a folder");
                while let Some(flip) = { left.lock().expect("no panic").pop() } {
                    let mut random = Rng::with_seed(seed.wrapping_add(flip));
                    let (at, by) = (random.usize(..bytes.len()), random.u8(1..));
                    let mut flipped = bytes.clone();
                    flipped[at] ^= by;
                    let outcome = look(folder.path(), &flipped, &right);
                    counted.lock().expect("no panic").count(outcome, at, by);
                }
            });
        }
    });
    let counted = counted.into_inner().expect("no panic");
    println!(
        "{flips} flips in {} bytes: {} found, {} change nothing, {} in columns that are not covered, {} not found",
        bytes.len(),
        counted.found,
        counted.harmless,
        counted.uncovered,
        counted.missed.len()
    );
    assert!(counted.missed.is_empty(), "offset ^ flip, not found: {:?}", counted.missed);
}

/// Result of a flip.
#[derive(Clone, Copy)]
enum FlipResult {
    Found,
    Harmless,
    /// A change of data that no check covers.
    Uncovered,
    Missed,
}

#[derive(Default)]
struct Counts {
    found: usize,
    harmless: usize,
    uncovered: usize,
    missed: Vec<(usize, u8)>,
}

impl Counts {
    fn count(&mut self, seen: FlipResult, at: usize, by: u8) {
        match seen {
            FlipResult::Found => self.found += 1,
            FlipResult::Harmless => self.harmless += 1,
            FlipResult::Uncovered => self.uncovered += 1,
            FlipResult::Missed => self.missed.push((at, by)),
        }
    }
}

/// Looks at an archive of these bytes.
fn look(folder: &Path, bytes: &[u8], right: &Answers) -> FlipResult {
    for ending in ["", "-wal", "-shm", "-journal"] {
        drop(fs::remove_file(folder.join(format!("{FILE}{ending}"))));
    }
    fs::write(folder.join(FILE), bytes).expect("it is written");
    // An archive that does not open counts as found.
    let Ok(store) = Store::open_existing(folder) else { return FlipResult::Found };
    match store.check(|_| (), |_| ()) {
        Ok(checked) if checked.faults == 0 => {}
        _ => return FlipResult::Found,
    }
    let now = answers(&store);
    match (now.covered == right.covered, now.uncovered == right.uncovered) {
        (true, true) => FlipResult::Harmless,
        (true, false) => FlipResult::Uncovered,
        (false, _) => FlipResult::Missed,
    }
}

/// Makes the archive.
fn make(folder: &Path) {
    let store = Store::open(folder).expect("an archive");
    store.unlock().expect("a key");
    let by =
        Attribution { submitter: "club".to_owned(), author: Some("Ana".to_owned()), reason: Some("prueba".to_owned()) };
    let (generator, mut all) = (Generator::new(), Vec::new());
    for number in 0..RECORDS {
        each_chunk(generator.record(number).as_bytes(), |chunk| all.extend(Submission::all(chunk)));
    }
    let other = all.pop().expect("some");
    for number in (5..50).step_by(5) {
        let sheet = other_sheet(&generator.record(number), number, (number % 2 == 0).then_some("Round"));
        each_chunk(sheet.as_bytes(), |chunk| all.extend(Submission::all(chunk)));
    }
    let fixtures = fixtures();
    let open = fixtures.iter().find(|one| one.verdict.status == Status::Incomplete).and_then(Draft::new);
    let open = open.expect("a game that goes on");
    all.extend(fixtures.into_iter().step_by(9));
    let done = store.write(move |writing| -> Result<(), StoreError> {
        for one in &all {
            writing.add(one, &by, true)?;
        }
        let failed = |what: &str| StoreError::Other(what.to_owned());
        writing.correct(&all[0].id, &other, &by).map_err(|_| failed("correction"))?;
        let retracted = writing.retract(&all[1].id, &by).map_err(|_| failed("retraction"))?;
        writing.undo(retracted, &by).map_err(|_| failed("undoing"))?;
        writing.retract(&all[2].id, &by).map_err(|_| failed("retraction"))?;
        let names: Vec<_> = writing.players(None, None, MANY)?.expect("a list").items;
        writing.merge(&names[0].name, &names[1].name, &by).map_err(|_| failed("merge"))?;
        writing.open_live(&open, "club").map_err(|_| failed("game in progress"))?;
        writing.add_token("club", &[Scope::RecordsWrite], None).map_err(|_| failed("token"))?;
        let (token, key, fingerprint) = AGAIN;
        writing.remember(token, key, &fingerprint, 201, "{\"answer\":\"of then\"}")
    });
    done.wait().expect("all of it can be done");
    store.sign_pending().expect("signed");
    store.close().expect("closed");
}

/// Answers of an archive, by whether receipts cover them.
struct Answers {
    covered: Vec<String>,
    /// Authors and reasons of changes, times of changes without a receipt, tokens, games in progress.
    uncovered: Vec<String>,
}

fn answers(store: &Store) -> Answers {
    let mut answers = Answers { covered: Vec::new(), uncovered: Vec::new() };
    let asked = store.read(|reading| -> Result<(), StoreError> { ask(reading, &mut answers) });
    answers.covered.push(format!("{asked:?}"));
    let (token, key, fingerprint) = AGAIN;
    let again = store.write(move |writing| writing.recall(token, key, &fingerprint)).wait();
    answers.covered.push(match again {
        Ok(IdempotencyLookup::Same { status, outcome }) => format!("{status} {outcome}"),
        other => format!("{other:?}"),
    });
    answers
}

fn ask(reading: &ReadTx<'_>, answers: &mut Answers) -> Result<(), StoreError> {
    let covered = &mut answers.covered;
    let letters = || ('a'..='z').chain('0'..='9');
    let beginnings =
        letters().map(String::from).chain(letters().flat_map(|one| letters().map(move |two| format!("{one}{two}"))));
    for text in beginnings.chain(["torneo", "qui", "2026", "a qu", "ana li", "cop lig 1"].map(str::to_owned)) {
        let filter = Filter { text: TextFilter::new(&text), ..Filter::default() };
        let numbers = reading.cards(&filter, None, MANY)?.items.into_iter().map(|card| card.number);
        covered.push(format!("{text} {:?}", numbers.collect::<Vec<_>>()));
    }
    let cards = reading.cards(&Filter::default(), None, MANY)?.items;
    covered.push(format!("{cards:?}"));
    for status in Status::ALL {
        let filter = Filter { statuses: vec![status], ..Filter::default() };
        covered.push(format!("{:?}", reading.cards(&filter, None, MANY)?.items));
    }
    for card in cards {
        covered.push(format!("{:?} {:?}", reading.source(&card.id)?, reading.judgement(&card.id)?));
        let history = reading.history(&card.id)?.expect("it is there");
        covered.push(format!("{:?} {:?} {:?}", history.card, history.judgements, history.sheets));
        covered.push(format!("{:?}", reading.relations(card.number)?));
        for change in history.changes {
            say(change, covered, &mut answers.uncovered);
        }
        answers.uncovered.push(format!("{:?}", history.by));
    }
    for person in reading.players(None, None, MANY)?.expect("a list").items {
        let (ratings, levels) = (reading.ratings(person.number)?, reading.also(person.number)?);
        covered.push(format!("{person:?} {ratings:?} {levels:?}"));
        let filter = Filter { player: Some(person.number), ..Filter::default() };
        covered.push(format!("{:?}", reading.cards(&filter, None, MANY)?.items));
    }
    for game in games::ALL {
        covered.push(format!("{:?}", reading.ranking(game.notation(), None, MANY)?));
    }
    for event in reading.events(None, MANY)?.items {
        covered.push(format!(
            "{event:?} {:?} {:?} {:?} {:?}",
            reading.games_played(event.number)?,
            reading.entries(event.number, None)?,
            reading.sheets_in(event.number, MANY)?,
            reading.contradictions(event.number, MANY)?
        ));
    }
    covered.push(format!("{:?} {:?} {:?}", reading.totals()?, reading.last_change()?, reading.keys()?));
    for change in reading.changes(0, MANY)?.items {
        say(change, covered, &mut answers.uncovered);
    }
    answers.uncovered.push(format!("{:?}", reading.tokens()?));
    answers.uncovered.push(format!("{:?}", reading.lives(None, MANY)?));
    Ok(())
}

/// Adds the covered and the uncovered parts of a change.
fn say(mut change: Change, covered: &mut Vec<String>, uncovered: &mut Vec<String>) {
    uncovered.push(format!("{:?}", change.by));
    change.by = Attribution { submitter: String::new(), author: None, reason: None };
    if !matches!(change.kind, ChangeKind::Record | ChangeKind::Verdict) {
        uncovered.push(change.at.to_string());
        change.at = chrono::DateTime::UNIX_EPOCH;
    }
    covered.push(format!("{change:?}"));
}
