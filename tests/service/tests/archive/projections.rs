//! Projections of changes against the same worked out from scratch: by a model of the changes that knows nothing of
//! tables, and by the referee's competitions.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers of so few changes fit everywhere"
)]
#![expect(clippy::redundant_closure_for_method_calls, reason = "a method is of one lifetime, and any is asked for")]

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    thread,
    time::Duration,
};

use proptest::{collection::vec, option, prelude::*, sample::Index};
use quipu_archive::{
    model::{Id, Number, RecordState, Submission},
    store::{Added, Person, ReadTx, Refusal, Store, StoreError, WriteTx},
};
use quipu_notation::games::GAMES;
use quipu_referee::competition::{
    Aliases, Entry, Half, Player, Rating, Sheet, Sheets, Win, encounters, event, folded, history, known_value, players,
    ratings,
};
use quipu_tests_service::engine;
use tempfile::tempdir;

use super::generate::{SampleRecord, TEMPLATES, add, by, judged, open};

/// Operations.
#[derive(Clone, Debug)]
enum Do {
    Add(SampleRecord),
    Correct(Index, SampleRecord),
    /// By a record that is there.
    CorrectBy(Index, Index),
    Retract(Index),
    Merge(Index, Index),
    Undo(Index),
}

const NAMES: [&str; 5] = ["Quispe, Ana", "Ana Quispe", "Núñez, Bo", "Li", "?"];

fn made() -> impl Strategy<Value = SampleRecord> {
    let name = || (0..24_usize).prop_map(|index| NAMES.get(index % 6).copied());
    // The templates of Andes come first; its games have points, and so more follows from them.
    let template = prop_oneof![3 => 0..3_usize, 1 => 0..TEMPLATES.len()];
    let tags = (
        option::weighted(0.9, prop::sample::select(&["Copa", "Liga"][..])),
        option::weighted(0.9, prop::sample::select(&["1", "2"][..])),
        option::weighted(0.5, prop::sample::select(&["1", "2", "x"][..])),
        option::weighted(0.7, prop::sample::select(&["2026.01.01", "2026.01.02", "2026.??.??"][..])),
        option::weighted(0.5, prop::sample::select(&["10:00:00", "12:00:00"][..])),
    );
    (template, name(), name(), tags, 0..12_u8).prop_map(|(template, one, two, (event, round, leg, date, time), cut)| {
        SampleRecord { template, players: [one, two], event, round, leg, date, time, site: None, is_cut: cut == 0 }
    })
}

fn deeds() -> impl Strategy<Value = Vec<Do>> {
    let index = any::<Index>;
    let deed = prop_oneof![
        10 => made().prop_map(Do::Add),
        3 => (index(), made()).prop_map(|(old, new)| Do::Correct(old, new)),
        2 => (index(), index()).prop_map(|(old, new)| Do::CorrectBy(old, new)),
        2 => index().prop_map(Do::Retract),
        3 => (index(), index()).prop_map(|(name, into)| Do::Merge(name, into)),
        6 => index().prop_map(Do::Undo),
    ];
    vec(deed, 1..40)
}

/// Effects of a change.
#[derive(Clone, Debug)]
enum Effect {
    Record,
    Correction { new: Number, old: Number },
    Retraction(Number),
    Merge(String, String),
    Undo(Number),
}

struct StoredRecord {
    number: Number,
    text: String,
    submission: Submission,
}

/// The changes, and nothing that follows from them: that is worked out from all of them each time.
#[derive(Default)]
struct Model {
    kept: Vec<StoredRecord>,
    changes: Vec<Effect>,
}

impl Model {
    /// Changes that were not undone, with their numbers.
    fn standing(&self) -> impl DoubleEndedIterator<Item = (Number, &Effect)> {
        let undone: BTreeSet<Number> = self
            .changes
            .iter()
            .filter_map(|deed| if let Effect::Undo(number) = deed { Some(*number) } else { None })
            .collect();
        (1..).zip(&self.changes).filter(move |(number, _)| !undone.contains(number)).collect::<Vec<_>>().into_iter()
    }

    /// Those of them that say whether a record stands.
    fn about(&self, record: Number) -> Vec<(Number, &Effect)> {
        let is_about = |(_, deed): &(Number, &Effect)| match deed {
            Effect::Correction { new, old } => [*new, *old].contains(&record),
            Effect::Retraction(taken) => *taken == record,
            _ => false,
        };
        self.standing().filter(is_about).collect()
    }

    fn state(&self, record: Number) -> RecordState {
        match self.about(record).last() {
            Some((_, Effect::Correction { new, .. })) if *new == record => RecordState::Current,
            Some((_, Effect::Correction { .. })) => RecordState::Corrected,
            None if matches!(self.changes[record as usize - 1], Effect::Record) => RecordState::Current,
            // One that came with a correction that was undone does not stand.
            Some(_) | None => RecordState::Retracted,
        }
    }

    /// The place in the order of entry: that of what it was put in the place of.
    fn place(&self, record: Number) -> Number {
        let corrected = self.about(record).into_iter().rev().find_map(|(_, deed)| match deed {
            Effect::Correction { new, old } if *new == record => Some(*old),
            _ => None,
        });
        corrected.map_or(record, |old| self.place(old))
    }

    fn merges(&self) -> BTreeMap<&str, &str> {
        let merge = |(_, deed): (Number, &'_ Effect)| match deed {
            Effect::Merge(name, into) => Some((name.clone(), into.clone())),
            _ => None,
        };
        let standing: Vec<_> = self.standing().filter_map(merge).collect();
        let find = |wanted: &str| self.names().into_iter().find(|name| *name == wanted).expect("a name");
        standing.iter().map(|(name, into)| (find(name), find(into))).collect()
    }

    fn root<'m>(&'m self, name: &'m str) -> &'m str {
        let merges = self.merges();
        let mut at = name;
        while let Some(into) = merges.get(at) {
            at = into;
        }
        at
    }

    /// Names of players, the first that came first.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.kept.iter().flat_map(|kept| kept.submission.facts.players.iter().flatten()) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    fn find(&self, id: &Id) -> Option<&StoredRecord> {
        self.kept.iter().find(|kept| kept.submission.id == *id)
    }

    fn push(&mut self, deed: Effect) -> Number {
        self.changes.push(deed);
        self.changes.len() as Number
    }

    fn keep(&mut self, text: String, submission: Submission) {
        let number = self.changes.len() as Number;
        self.kept.push(StoredRecord { number, text, submission });
    }

    fn correct(&mut self, old: Number, text: String, submission: &Submission) -> Result<Number, Refusal> {
        if self.state(old) != RecordState::Current {
            return Err(Refusal::NotCurrent(self.state(old)));
        }
        if submission.verdict.status != quipu_referee::Status::Verified {
            return Err(Refusal::NotVerified);
        }
        let there = self.find(&submission.id).map(|kept| kept.number);
        match there.map(|number| (number, self.state(number))) {
            Some((number, _)) if number == old => Err(Refusal::SameRecord),
            Some((new, RecordState::Retracted)) => Ok(self.push(Effect::Correction { new, old })),
            Some((_, state)) => Err(Refusal::AlreadyStored(state)),
            None => {
                let new = self.changes.len() as Number + 1;
                self.push(Effect::Correction { new, old });
                self.keep(text, submission.clone());
                Ok(new)
            }
        }
    }

    fn retract(&mut self, record: Number) -> Result<Number, Refusal> {
        match self.state(record) {
            RecordState::Current => Ok(self.push(Effect::Retraction(record))),
            state => Err(Refusal::NotCurrent(state)),
        }
    }

    fn merge(&mut self, name: &str, into: &str) -> Result<Number, Refusal> {
        if name == into {
            return Err(Refusal::SamePlayer);
        }
        for name in [name, into] {
            if let Some(into) = self.merges().get(name) {
                return Err(Refusal::AlreadyMerged(name.to_owned(), (*into).to_owned()));
            }
        }
        Ok(self.push(Effect::Merge(name.to_owned(), into.to_owned())))
    }

    fn undo(&mut self, change: Number) -> Result<Number, Refusal> {
        use quipu_archive::model::ChangeKind;
        let by = self.changes.iter().position(|deed| matches!(deed, Effect::Undo(undone) if *undone == change));
        if let Some(by) = by {
            return Err(Refusal::AlreadyUndone(by as Number + 1));
        }
        let is_last = |record: &Number| self.about(*record).last().is_some_and(|(last, _)| *last == change);
        let untouched = match &self.changes[change as usize - 1] {
            Effect::Record => return Err(Refusal::NotUndoable(ChangeKind::Record)),
            Effect::Undo(_) => return Err(Refusal::NotUndoable(ChangeKind::Undo)),
            Effect::Correction { new, old } => is_last(new) && is_last(old),
            Effect::Retraction(record) => is_last(record),
            Effect::Merge(..) => true,
        };
        if untouched { Ok(self.push(Effect::Undo(change))) } else { Err(Refusal::HasLaterChange) }
    }

    /// The games that count, in the order of entry.
    fn entries(&self) -> Vec<Entry> {
        let sheets = self.sheets();
        sheets.into_iter().filter(|(_, first, _)| first.is_none()).map(|(.., entry)| entry).collect()
    }

    /// The games that could count, in the order of entry: the record, the one that counts for the same game if that is another,
    /// and the entry.
    fn sheets(&self) -> Vec<(Number, Option<Number>, Entry)> {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in self.names() {
            if self.root(name) != name {
                groups.entry(self.root(name)).or_default().push(name);
            }
        }
        let aliases = Aliases::parse(&toml::to_string(&groups).expect("TOML")).expect("aliases");
        let standing = self.kept.iter().filter(|kept| self.state(kept.number) == RecordState::Current);
        let entry = |kept: &StoredRecord| {
            let judged = judged(&kept.text).pop()?;
            let record = judged.record?;
            // The templates are written in canonical tokens.
            let moves = record.movetext.plies.iter().map(|ply| &*ply.token).collect();
            let sheet = Sheet::new(&record, &judged.verdict, || moves, &aliases);
            let entry = Entry::new(self.place(kept.number) as u64, &record, &judged.verdict, &aliases).ok()?;
            Some((kept.number, sheet.expect("its players have names"), entry))
        };
        let mut entries: Vec<_> = standing.filter_map(entry).collect();
        entries.sort_by_key(|(.., entry)| entry.place);
        let (mut all, mut numbers) = (Sheets::default(), BTreeMap::new());
        let found = entries.into_iter().map(|(number, sheet, entry)| {
            numbers.insert(entry.place, number);
            let first = all.add(entry.place, &sheet).sheet_of;
            (number, first.map(|place| numbers[&place]), entry)
        });
        found.collect()
    }
}

/// Does the same to both, and checks that both say the same.
fn act(store: &Store, model: &mut Model, deed: Do) {
    let author = by("test");
    let number = |model: &Model, index: &Index| index.get(&model.kept).number;
    let id = |model: &Model, number: Number| {
        model.kept.iter().find(|kept| kept.number == number).expect("it is kept").submission.id
    };
    let (done, expected) = match deed {
        Do::Add(made) => {
            let submission = made.submission();
            let there = model.find(&submission.id).map(|kept| kept.number);
            let expected = if let Some(number) = there {
                Added::AlreadyStored(number, model.state(number))
            } else {
                let number = model.changes.len() as Number + 1;
                model.push(Effect::Record);
                model.keep(made.text(), submission.clone());
                Added::New(number)
            };
            let added = store.write(move |writing| writing.add(&submission, &author, true)).wait();
            assert_eq!(added.expect("it is kept"), expected);
            return;
        }
        _ if model.kept.is_empty() => return,
        Do::Correct(old, made) => {
            let (old, submission) = (number(model, &old), made.submission());
            let id = id(model, old);
            let expected = model.correct(old, made.text(), &submission);
            (store.write(move |writing| writing.correct(&id, &submission, &author)).wait(), expected)
        }
        Do::CorrectBy(old, new) => {
            let new = new.get(&model.kept);
            let (text, submission) = (new.text.clone(), new.submission.clone());
            let old = number(model, &old);
            let id = id(model, old);
            let expected = model.correct(old, text, &submission);
            (store.write(move |writing| writing.correct(&id, &submission, &author)).wait(), expected)
        }
        Do::Retract(record) => {
            let record = number(model, &record);
            let id = id(model, record);
            (store.write(move |writing| writing.retract(&id, &author)).wait(), model.retract(record))
        }
        Do::Merge(name, into) => {
            let names = model.names();
            if names.is_empty() {
                return;
            }
            let [name, into] = [name, into].map(|index| (*index.get(&names)).to_owned());
            let expected = model.merge(&name, &into);
            (store.write(move |writing| writing.merge(&name, &into, &author)).wait(), expected)
        }
        Do::Undo(change) => {
            let change = change.index(model.changes.len()) as Number + 1;
            (store.write(move |writing| writing.undo(change, &author)).wait(), model.undo(change))
        }
    };
    assert_eq!(format!("{done:?}"), format!("{expected:?}"));
}

/// Points with bonus in halves, the most first: the order among equal ranks.
fn worth(rating: &Rating) -> Reverse<u64> {
    Reverse(2 * rating.points.unwrap_or_default() + rating.bonus.halves())
}

/// Sort key of a ranking, the least first.
fn rank(rating: &Rating) -> i64 {
    match (rating.level, rating.points) {
        (Some(level), _) => -i64::from(level.value()),
        (None, Some(_)) => 1,
        (None, None) => -i64::try_from(2 * rating.wins + rating.draws).expect("few"),
    }
}

/// Checks players, events, rankings and counts against what the model comes to.
fn check(store: &Store, model: &Model) {
    let entries = model.entries();
    store
        .read(|reading| {
            let sheets = model.sheets();
            let id = |number| model.kept.iter().find(|kept| kept.number == number).expect("a record").submission.id;
            for kept in &model.kept {
                let card = reading.card(&kept.submission.id)?.expect("a card");
                assert_eq!((card.number, card.state), (kept.number, model.state(kept.number)));
                let first = sheets.iter().find(|(number, ..)| *number == kept.number).map(|(_, first, _)| *first);
                assert_eq!(card.sheet_of, first.flatten().map(id));
                let lead = first.map(|first| first.unwrap_or(kept.number));
                let of_game = |(number, first, _): &&(_, Option<Number>, _)| first.or(Some(*number)) == lead;
                let all: Vec<_> = sheets.iter().filter(of_game).map(|(number, ..)| (*number, id(*number))).collect();
                let expected = if all.len() > 1 { all } else { Vec::new() };
                assert_eq!(reading.sheets(kept.number)?, expected);
            }
            let names = model.names();
            let everybody = rated_players(reading, &entries)?;
            assert_eq!(everybody.len(), names.len());
            for name in &names {
                let person = reading.player_named(name)?.expect("a player");
                let root = model.root(name);
                assert_eq!(
                    person.counts_as.map_or(*name, |(_, name)| {
                        assert_eq!(name, root);
                        root
                    }),
                    root
                );
                check_player(reading, person.number, name, &entries)?;
            }
            for name in ["Copa", "Liga"] {
                let of_event: Vec<_> =
                    entries.iter().filter(|entry| entry.event.as_deref() == Some(name)).cloned().collect();
                let records = model.kept.iter().filter(|kept| {
                    let judged = judged(&kept.text);
                    let its_event = judged[0].record.as_ref().and_then(event);
                    its_event == Some(name) && model.state(kept.number) == RecordState::Current
                });
                match reading.event_named(name)? {
                    Some(event) => {
                        assert_eq!(reading.entries(event.number, None)?, of_event);
                        let numbers = reading.event_players(event.number)?;
                        let names: BTreeSet<&String> = of_event.iter().flat_map(|entry| &entry.players).collect();
                        assert_eq!(numbers.keys().collect::<BTreeSet<_>>(), names);
                        for (name, number) in numbers {
                            assert_eq!(reading.player(number)?.map(|person| person.name), Some(name));
                        }
                        let span = reading.event_span(event.number)?;
                        let played = GAMES.iter().filter(|game| of_event.iter().any(|entry| entry.game == **game));
                        assert_eq!(span.games, played.copied().collect::<Vec<_>>());
                        assert_eq!((event.games, event.records), (of_event.len() as u64, records.count() as u64));
                    }
                    None => assert_eq!(records.count(), 0),
                }
            }
            for game in GAMES {
                let mut rated: Vec<(i64, String, String, Rating)> = Vec::new();
                for person in everybody.iter().filter(|person| person.counts_as.is_none()) {
                    let rating = reading.ratings(person.number)?.into_iter().find(|rating| rating.game == *game);
                    rated.extend(
                        rating.map(|rating| (rank(&rating), folded(&person.name), person.name.clone(), rating)),
                    );
                }
                rated.sort_by(|a, b| (a.0, worth(&a.3), &a.1, &a.2).cmp(&(b.0, worth(&b.3), &b.1, &b.2)));
                let (mut ranked, mut after) = (Vec::new(), None);
                loop {
                    let page = reading.ranking(game, after, 2)?.expect("a cursor of it");
                    ranked.extend(page.items);
                    after = page.next;
                    if after.is_none() {
                        break;
                    }
                }
                let expected: Vec<_> = rated
                    .iter()
                    .map(|(rank, _, name, rating)| {
                        let before = rated.iter().filter(|other| other.0 < *rank).count() as u64;
                        let order = |rank: i64, rating: &Rating| (rank, worth(rating));
                        let above = rated.iter().filter(|other| order(other.0, &other.3) < order(*rank, rating));
                        ([before + 1, above.count() as u64 + 1], name.clone(), rating.clone())
                    })
                    .collect();
                let ranked: Vec<_> =
                    ranked.into_iter().map(|row| ([row.place, row.position], row.player.1, row.rating)).collect();
                assert_eq!(ranked, expected);
            }
            let mut totals: BTreeMap<(String, &str, &str), u64> = BTreeMap::new();
            for kept in &model.kept {
                let verdict = &kept.submission.verdict;
                let game = verdict.game.unwrap_or_default().to_owned();
                *totals.entry((game, verdict.status.as_str(), model.state(kept.number).as_str())).or_default() += 1;
            }
            let found = reading.totals()?.into_iter();
            let found: BTreeMap<_, _> =
                found.map(|total| ((total.game, total.status.as_str(), total.state.as_str()), total.records)).collect();
            assert_eq!(found, totals);
            Ok::<_, StoreError>(())
        })
        .expect("it answers");
}

/// All players, after a check that their ratings are those of all entries at once.
fn rated_players(reading: &ReadTx<'_>, entries: &[Entry]) -> Result<Vec<Person>, StoreError> {
    let everybody = reading.players(None, None, 1_000)?.expect("no cursor").items;
    let mut stored = Vec::new();
    for person in &everybody {
        let of_person = reading.ratings(person.number)?.into_iter();
        stored.extend(of_person.map(|rating| (person.name.clone(), rating)));
    }
    stored.sort_by_key(|(name, rating)| (rating.game.id, name.clone()));
    assert_eq!(stored, ratings(entries));
    Ok(everybody)
}

fn check_player(reading: &ReadTx<'_>, number: i64, name: &str, entries: &[Entry]) -> Result<(), StoreError> {
    let stored = reading.ratings(number)?;
    let mut rated = 0;
    for game in GAMES {
        let of_game: Vec<_> = entries.iter().filter(|entry| entry.game == *game).cloned().collect();
        let own: Vec<_> = of_game.iter().filter(|entry| entry.side_of(name).is_some()).collect();
        let found = stored.iter().find(|rating| rating.game == *game);
        if own.is_empty() {
            assert_eq!(found, None, "{name}");
            continue;
        }
        rated += 1;
        let score =
            |half| own.iter().filter(|entry| entry.score(entry.side_of(name).expect("own")) == half).count() as u64;
        let rating = found.unwrap_or_else(|| panic!("{name} has played {}", game.id));
        let pointed: Option<Player> =
            players(&of_game, &encounters(&of_game)).into_iter().find(|player| player.name == name);
        let expected = Rating {
            game,
            games: own.len() as u64,
            wins: score(Half::ONE),
            draws: score(Half::HALF),
            points: pointed.as_ref().map(|player| player.points),
            bonus: pointed.as_ref().map_or(Half::ZERO, |player| player.bonus),
            level: pointed.as_ref().and_then(Player::level),
        };
        assert_eq!(*rating, expected, "{name}");
        let alone: Vec<_> = own.iter().copied().cloned().collect();
        assert!(ratings(&alone).contains(&(name.to_owned(), expected)), "{name}: its own games are enough");
        let wins = own.iter().filter(|entry| entry.score(entry.side_of(name).expect("own")) == Half::ONE);
        let steps = history(wins.filter_map(|entry| Win::of(entry)).collect());
        let (mut reached, mut after) = (Vec::new(), None);
        loop {
            let page = reading.levels(number, game, after.as_ref(), 2)?;
            reached.extend(page.items.into_iter().map(|reached| reached.step));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        reached.reverse();
        assert_eq!(reached, steps, "{name}");
    }
    assert_eq!(stored.len(), rated, "{name}");
    Ok(())
}

/// Does all of it in a fresh archive, and checks what follows, that making it anew gives the same, and that nothing is
/// found wrong.
fn run(deeds: Vec<Do>) {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let mut model = Model::default();
    for deed in deeds {
        act(&store, &mut model, deed);
    }
    check(&store, &model);
    let digest = |store: &Store| store.read(|reading| reading.digest()).expect("a digest");
    let before = digest(&store);
    let checked = store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
    assert_eq!(checked.records, model.kept.len() as u64);
    let rebuilt = store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!((rebuilt.before, rebuilt.after), (Some(before), before));
    assert_eq!(digest(&store), before);
    check(&store, &model);
}

/// The end of a job that has made all its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Well,
    Failing,
    Panicking,
}

/// Does deeds one after the other, whether or not each can be done.
fn job(writing: &WriteTx<'_>, deeds: &[Do], records: &[Submission], end: End) -> Result<(), StoreError> {
    let author = by("test");
    let id = |index: &Index| index.get(records).id;
    for deed in deeds {
        let done = match deed {
            Do::Add(made) => writing.add(&made.submission(), &author, true).map(|_| 0).map_err(Refusal::from),
            Do::Correct(old, made) => writing.correct(&id(old), &made.submission(), &author),
            Do::CorrectBy(old, new) => writing.correct(&id(old), new.get(records), &author),
            Do::Retract(record) => writing.retract(&id(record), &author),
            Do::Merge(name, into) => writing.merge(NAMES[name.index(5)], NAMES[into.index(5)], &author),
            Do::Undo(change) => writing.undo(change.index(20) as Number + 1, &author),
        };
        if let Err(Refusal::Store(error)) = done {
            return Err(error);
        }
    }
    match end {
        End::Well => Ok(()),
        End::Failing => Err(StoreError::Busy),
        End::Panicking => panic!("on purpose"),
    }
}

/// Does all of it in a fresh archive, in jobs that are committed together, some of which fail at their end, with the
/// derived tables made anew in between where `rebuilds`. The resulting archive must be sound.
fn run_together(jobs: Vec<(Vec<Do>, End)>, rebuilds: bool) {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let of_deed =
        |deed: &Do| if let Do::Add(made) | Do::Correct(_, made) = deed { Some(made.submission()) } else { None };
    let records: Vec<_> = jobs.iter().flat_map(|(deeds, _)| deeds.iter().filter_map(of_deed)).collect();
    if records.is_empty() {
        return;
    }
    // The first keeps the writer busy until the others wait.
    let slow = store.write(|_| {
        thread::sleep(Duration::from_millis(5));
        Ok::<_, StoreError>(())
    });
    let ends: Vec<_> = jobs.iter().map(|(_, end)| *end == End::Well).collect();
    let pending = jobs.into_iter().map(|(deeds, end)| {
        let records = records.clone();
        store.write(move |writing| job(writing, &deeds, &records, end))
    });
    let pending: Vec<_> = pending.collect();
    if rebuilds {
        store.rebuild(|_| ()).expect("rebuilt");
    }
    assert!(slow.wait().is_ok());
    let ended: Vec<_> = pending.into_iter().map(|pending| pending.wait().is_ok()).collect();
    assert_eq!(ended, ends);
    store.check(|_| (), |fault| panic!("{fault:?}")).expect("checked");
    let rebuilt = store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!(rebuilt.before, Some(rebuilt.after));
}

proptest! {
    // Each step of a case is a transaction, which a server takes longer for.
    #![proptest_config(ProptestConfig::with_cases(if engine::is_server() { 12 } else { 96 }))]

    #[test]
    fn projections_follow_from_any_changes(deeds in deeds()) {
        run(deeds);
    }

    #[test]
    fn a_group_commit_gives_the_same_projections_as_single_commits(
        jobs in vec(
            (deeds(), prop_oneof![6 => Just(End::Well), 1 => Just(End::Failing), 1 => Just(End::Panicking)]),
            1..6,
        ),
        rebuilds in any::<bool>(),
    ) {
        run_together(jobs, rebuilds);
    }
}

/// A game of Andes between two, which the first wins.
fn won(players: [&'static str; 2], round: &'static str) -> SampleRecord {
    SampleRecord { players: players.map(Some), event: Some("Copa"), round: Some(round), ..SampleRecord::default() }
}

#[test]
fn a_place_that_was_lent_is_given_back() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let [first, second] = [won(["Ana", "Bo"], "1"), won(["Ana", "Bo"], "2")].map(|made| made.submission());
    let write = |work: fn(&WriteTx<'_>, &[Submission; 2]) -> Result<Number, Refusal>| {
        let both = [first.clone(), second.clone()];
        store.write(move |writing| work(writing, &both)).wait().expect("a change")
    };
    add(&store, &first);
    let retraction = write(|writing, [first, _]| writing.retract(&first.id, &by("test")));
    let other = add(&store, &second);
    let correction = write(|writing, [first, second]| writing.correct(&second.id, first, &by("test")));
    assert_eq!((retraction, other, correction), (2, 3, 4));
    write(|writing, _| writing.undo(4, &by("test")));
    write(|writing, _| writing.undo(2, &by("test")));
    let entries = store.read(|reading| reading.entries(1, None)).expect("entries");
    assert_eq!(
        entries.iter().map(|entry| (entry.place, entry.id)).collect::<Vec<_>>(),
        [(1, first.id), (3, second.id)]
    );
    assert_eq!(
        known_value(&judged(&won(["Ana", "Bo"], "1").text())[0].record.clone().expect("a record"), "Round"),
        Some("1")
    );
}

/// A transaction knows the games of an encounter that it has looked up; a game that it retracts is none of them.
#[test]
fn a_game_that_its_own_transaction_retracts_leaves_no_bonus() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let game = |template| SampleRecord { template, ..won(["Ana", "Bo"], "1") }.submission();
    let [retracted, counted] = [game(0), game(1)];
    let left = counted.id;
    let changes = store.write(move |writing| -> Result<Number, Refusal> {
        writing.add(&retracted, &by("test"), true)?;
        writing.retract(&retracted.id, &by("test"))?;
        writing.add(&counted, &by("test"), true)?;
        Ok(writing.last_change()?)
    });
    assert_eq!(changes.wait().expect("changes"), 3);
    store
        .read(|reading| {
            let entries = reading.entries(1, None)?;
            assert_eq!(entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), [left]);
            rated_players(reading, &entries)?;
            assert!(ratings(&entries).iter().any(|(_, rating)| rating.bonus != Half::ZERO), "{entries:?}");
            Ok::<_, StoreError>(())
        })
        .expect("it answers");
}
