//! Does everything that can be done to an archive, in an order of chance, very often: `operations [OPERATIONS] [SEED]`.
//!
//! Records are added, the same again, corrected, retracted; names are merged; what can be undone is undone. Games in progress
//! are opened, saved, finished and given up, tokens made and revoked, requests sent again with their key. Many wait at once,
//! so that transactions have many jobs, of which some fail. Now and then the archive is closed and opened again, copied,
//! judged again, checked and made anew; each time it is sound, has each change that was acknowledged, and making it anew
//! changes nothing.
//!
//! Fails at the first promise that is broken.
#![expect(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime, and any is asked for")]

use std::{collections::VecDeque, env, fs, path::Path, time::Instant};

use fastrand::Rng;
use quipu_archive::{
    model::{Attribution, Clocks, Draft, Id, Number, Submission},
    store::{Added, IdempotencyLookup, LiveRefusal, Pending, Refusal, Store, StoreError, TokenRefusal},
};
use quipu_options::Scope;
use quipu_tests_service::{
    each_chunk,
    generator::{Generator, other_sheet},
};

/// Jobs that are under way at once.
const WAITING: usize = 200;
/// Number of full checks in a run.
const LOOKS: usize = 10;
const FILE: &str = "quipu.db";

fn main() {
    let mut arguments = env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let operations = usize::try_from(arguments.next().unwrap_or(1_000_000)).expect("a number");
    let random = Rng::with_seed(arguments.next().unwrap_or(1532));
    let folder = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    let mut desk = RandomClient::new(folder.path(), random);
    let each = (operations / LOOKS).max(1);
    for number in 1..=operations {
        desk.next();
        if number % each == 0 {
            desk.settle();
            desk.look();
        } else if number % (each / 5).max(1) == 0 {
            desk.settle();
            desk.reopen();
        }
    }
    desk.settle();
    desk.look();
    let RandomClient { ids, changes, refused, opened, .. } = desk;
    println!(
        "{operations} operations in {:.0} s: {} records, {changes} changes, {refused} refused, opened {opened} times; sound each time",
        begun.elapsed().as_secs_f64(),
        ids.len()
    );
}

/// Result of an operation.
enum Done {
    /// A record came.
    Record(Id),
    /// A change was made that can be undone.
    Change(Number),
    /// Something that is no change.
    Other,
    /// A game is in progress.
    Open(Number),
    Refused,
}

struct RandomClient<'f> {
    folder: &'f Path,
    store: Store,
    generator: Generator,
    random: Rng,
    waiting: VecDeque<Pending<Done, StoreError>>,
    made: usize,
    ids: Vec<Id>,
    undoable: Vec<Number>,
    lives: Vec<Number>,
    tokens: usize,
    /// Changes that were acknowledged.
    changes: Number,
    refused: u64,
    opened: u64,
}

fn by() -> Attribution {
    Attribution { submitter: "desk".to_owned(), author: Some("Ana".to_owned()), reason: None }
}

/// A refusal of the operation is a result; a failure of the archive is an error.
fn refused(refusal: Refusal) -> Result<Done, StoreError> {
    if let Refusal::Store(error) = refusal { Err(error) } else { Ok(Done::Refused) }
}

fn live_refused(refusal: LiveRefusal) -> Result<Done, StoreError> {
    if let LiveRefusal::Store(error) = refusal { Err(error) } else { Ok(Done::Refused) }
}

fn token_refused(refusal: TokenRefusal) -> Result<Done, StoreError> {
    if let TokenRefusal::Store(error) = refusal { Err(error) } else { Ok(Done::Refused) }
}

fn opened(folder: &Path) -> Store {
    let store = Store::open(folder).expect("an archive");
    assert_eq!(store.missing_log(), None);
    store.unlock().expect("a key");
    store
}

impl<'f> RandomClient<'f> {
    fn new(folder: &'f Path, random: Rng) -> Self {
        Self {
            folder,
            store: opened(folder),
            generator: Generator::new(),
            random,
            waiting: VecDeque::new(),
            made: 0,
            ids: Vec::new(),
            undoable: Vec::new(),
            lives: Vec::new(),
            tokens: 0,
            changes: 0,
            refused: 0,
            opened: 1,
        }
    }

    /// A record that was made before, or a new one.
    fn record(&mut self, is_new: bool) -> Submission {
        let number = if is_new || self.made == 0 { self.made } else { self.random.usize(..self.made) };
        self.made = self.made.max(number + 1);
        let mut record = self.generator.record(number);
        // One of several sheets of the game; some lack the event or the round.
        if self.random.u8(..4) == 0 {
            let without = self.random.choice([None, None, Some("Round"), Some("Date"), Some("Event")]).flatten();
            record = other_sheet(&record, self.random.usize(..3), without);
        }
        let mut all = Vec::new();
        each_chunk(record.as_bytes(), |chunk| all.extend(Submission::all(chunk)));
        all.pop().expect("a record")
    }

    fn any<T: Copy>(random: &mut Rng, all: &[T]) -> Option<T> {
        random.choice(all).copied()
    }

    /// Begins one operation.
    fn next(&mut self) {
        let pending = match self.random.u8(..100) {
            0..40 => self.add(true),
            40..50 => self.add(false),
            50..58 => {
                let Some(old) = Self::any(&mut self.random, &self.ids) else { return };
                let is_new = self.random.u8(..4) > 0;
                let new = self.record(is_new);
                self.store.write(move |writing| writing.correct(&old, &new, &by()).map(Done::Change).or_else(refused))
            }
            58..64 => {
                let Some(id) = Self::any(&mut self.random, &self.ids) else { return };
                self.store.write(move |writing| writing.retract(&id, &by()).map(Done::Change).or_else(refused))
            }
            64..72 => {
                // Recent changes can be undone more often.
                let last = self.undoable.len().saturating_sub(50);
                let Some(change) = Self::any(&mut self.random, &self.undoable[last..]) else { return };
                self.store.write(move |writing| writing.undo(change, &by()).map(Done::Change).or_else(refused))
            }
            72..75 => {
                let numbers = [self.random.i64(1..200), self.random.i64(1..200)];
                self.store.write(move |writing| {
                    let [Some(one), Some(two)] = [writing.player(numbers[0])?, writing.player(numbers[1])?] else {
                        return Ok(Done::Refused);
                    };
                    writing.merge(&one.name, &two.name, &by()).map(Done::Change).or_else(refused)
                })
            }
            75..88 => self.live(),
            88..92 => self.token(),
            _ => self.again(),
        };
        self.waiting.push_back(pending);
        while self.waiting.len() > WAITING {
            self.take();
        }
    }

    fn add(&mut self, is_new: bool) -> Pending<Done, StoreError> {
        let submission = self.record(is_new);
        self.store.write(move |writing| {
            Ok(match writing.add(&submission, &by(), false)? {
                Added::New(_) => Done::Record(submission.id),
                Added::AlreadyStored(..) | Added::Refused => Done::Refused,
            })
        })
    }

    fn live(&mut self) -> Pending<Done, StoreError> {
        let draft = Draft::new(&self.record(false)).expect("there is something to play on");
        let (number, id) = (Self::any(&mut self.random, &self.lives), Self::any(&mut self.random, &self.ids));
        let submitter = format!("desk {}", self.random.u8(..20));
        let what = self.random.u8(..10);
        self.store.write(move |writing| {
            let (Some(number), Some(id)) = (number, id) else {
                return writing.open_live(&draft, &submitter).map(Done::Open).or_else(live_refused);
            };
            match what {
                0..3 => writing.open_live(&draft, &submitter).map(Done::Open),
                3..7 => writing.save_live(number, None, &draft, Clocks::default()).map(|_| Done::Other),
                7..9 => writing.finish_live(number, None, &id).map(|()| Done::Other),
                _ => writing.close_live(number, None).map(|()| Done::Other),
            }
            .or_else(live_refused)
        })
    }

    fn token(&mut self) -> Pending<Done, StoreError> {
        self.tokens += 1;
        let (new, any) = (self.tokens, self.random.usize(..self.tokens));
        if self.random.bool() && new < 500 {
            return self.store.write(move |writing| {
                let added = writing.add_token(&format!("token {new}"), &[Scope::RecordsWrite], None);
                added.map(|_| Done::Other).or_else(token_refused)
            });
        }
        self.store
            .write(move |writing| writing.revoke(&format!("token {any}")).map(|_| Done::Other).or_else(token_refused))
    }

    /// A request with a key, sent twice at once: the second is answered as the first was.
    fn again(&mut self) -> Pending<Done, StoreError> {
        let is_new = self.random.u8(..4) > 0;
        let (submission, key) = (self.record(is_new), format!("key {}", self.random.u16(..2_000)));
        let work = move |writing: &quipu_archive::store::WriteTx<'_>| -> Result<Done, StoreError> {
            let fingerprint = submission.id;
            match writing.recall("desk", &key, &fingerprint)? {
                IdempotencyLookup::New => {
                    let added = writing.add(&submission, &by(), false)?;
                    writing.remember("desk", &key, &fingerprint, 201, &format!("{:?}", submission.id))?;
                    Ok(if let Added::New(_) = added { Done::Record(submission.id) } else { Done::Refused })
                }
                IdempotencyLookup::Same { outcome, .. } => {
                    assert_eq!(outcome, format!("{:?}", submission.id), "the outcome of then");
                    assert!(writing.find(&submission.id)?.is_some(), "what was answered is there");
                    Ok(Done::Refused)
                }
                IdempotencyLookup::Other => Ok(Done::Refused),
            }
        };
        let twice = work.clone();
        let first = self.store.write(work);
        self.waiting.push_back(first);
        self.store.write(twice)
    }

    /// Waits for the operation that was begun first.
    fn take(&mut self) {
        let Some(pending) = self.waiting.pop_front() else { return };
        match pending.wait().expect("the archive works") {
            Done::Record(id) => {
                self.changes += 1;
                self.ids.push(id);
            }
            Done::Change(number) => {
                self.changes += 1;
                self.undoable.push(number);
            }
            Done::Open(number) => self.lives.push(number),
            Done::Other => {}
            Done::Refused => self.refused += 1,
        }
    }

    fn settle(&mut self) {
        while !self.waiting.is_empty() {
            self.take();
        }
    }

    fn last(&self, store: &Store) -> Number {
        let last = store.read(|reading| reading.last_change()).expect("it answers");
        assert_eq!(last, self.changes, "each change that was acknowledged, and no other");
        last
    }

    /// Closes the archive, which is one file then, and opens it again.
    fn reopen(&mut self) {
        self.store.close().expect("the log is put away");
        for ending in ["-wal", "-shm", "-journal"] {
            assert!(!self.folder.join(format!("{FILE}{ending}")).exists(), "{ending}");
        }
        self.store = opened(self.folder);
        self.opened += 1;
        self.last(&self.store);
    }

    /// Looks at everything.
    fn look(&mut self) {
        let checked = |store: &Store| {
            let checked = store.check(|_| (), |fault| panic!("{fault:?}")).expect("it can be checked");
            assert_eq!(checked.records, self.ids_and_corrections(store));
        };
        checked(&self.store);
        self.last(&self.store);
        let rebuilt = self.store.rebuild(|_| ()).expect("made anew");
        assert_eq!(rebuilt.before, Some(rebuilt.after), "made anew it is the same");
        let judged = self.store.reverify(false, false, &by(), |_| (), |_| ()).expect("judged again");
        assert_eq!((judged.judged, judged.changed), (0, 0));
        let copy = tempfile::tempdir().expect("a folder");
        let copied = self.store.backup(&copy.path().join(FILE), |_| ()).expect("a copy");
        assert_eq!(copied.last, self.changes);
        let copy = Store::open_existing(copy.path()).expect("an archive");
        checked(&copy);
        self.last(&copy);
        for id in self.ids.iter().rev().take(1_000) {
            assert!(self.store.read(|reading| reading.source(id)).expect("it answers").is_some(), "it is there");
        }
        assert!(fs::metadata(self.folder.join(FILE)).is_ok(), "it has its name");
    }

    /// The number of records that there must be: those that were added, and those from corrections.
    fn ids_and_corrections(&self, store: &Store) -> u64 {
        let totals = store.read(|reading| reading.totals()).expect("it answers");
        let all: u64 = totals.iter().map(|total| total.records).sum();
        assert!(all >= self.ids.len() as u64, "each record that was acknowledged");
        all
    }
}
