//! Tournaments: changes and their undoing, records that find their boards, and what a check and a rebuild say.

use std::thread;

use quipu_archive::{
    model::{Attribution, Creation, Number, Submission, TournamentSteps},
    store::{ArchiveFault, Refusal, Store, StoreError, StoredTournament, WriteTx},
};
use quipu_notation::{games, record::Format};
use quipu_tests_service::{engine::spoil, files_only};
use quipu_tournament::{
    fault,
    model::{About, Change, GameOutcome, GameResult, Origin, Player, PlayerId, TournamentSettings},
    pairing,
    records::Place,
};
use tempfile::{TempDir, tempdir};

use super::{
    generate::{add, by, open},
    maintenance::faults,
};

/// The first game of board 1 in round 1, on which Rosa plays Ana with side 1.
const FIRST: Place = Place { round: 1, board: 1, game: 1 };

fn settings(encounter: &str) -> TournamentSettings {
    let settings = format!(
        r#"{{"name":"Copa","system":{{"kind":"swiss"}},"rounds":3,"encounter":{{"kind":"{encounter}"}},"first_side":1}}"#
    );
    serde_json::from_str(&settings).expect("settings")
}

fn enter(name: &str, rating: u32) -> Change {
    let player = Player { name: name.to_owned(), rating: Some(rating), ..Player::default() };
    Change::Enter { player, first: 1 }
}

/// A tournament of an archive.
struct Cup {
    folder: TempDir,
    store: Store,
    number: Number,
}

impl Cup {
    /// Four players, and no round: the change 1 creates it, 2 enters them.
    fn new(encounter: &str) -> Self {
        Self::of(settings(encounter))
    }

    /// The same with other settings.
    fn of(settings: TournamentSettings) -> Self {
        let folder = tempdir().expect("a folder");
        let store = open(folder.path());
        let game = games::find("andes").expect("a game");
        let creation = Creation::new(game, settings, Vec::new()).expect("good settings");
        let create = move |writing: &WriteTx<'_>| writing.create_tournament(&creation, &by("organiser"));
        let number = store.write(create).wait().expect("a tournament");
        let cup = Self { folder, store, number };
        let players = [("Rosa", 2000), ("Luis", 1900), ("Ana", 1800), ("Inés", 1700)];
        cup.good(players.map(|(name, rating)| enter(name, rating)).to_vec());
        cup
    }

    /// Four players whose first round is paired, by change 3: Rosa – Ana and Inés – Luis.
    fn paired(encounter: &str) -> Self {
        let cup = Self::new(encounter);
        cup.pair().expect("a pairing");
        cup
    }

    fn change(&self, steps: Vec<Change>) -> Result<Option<Number>, Refusal> {
        let number = self.number;
        let change = move |writing: &WriteTx<'_>| {
            let by = Attribution { reason: Some("a mistake".to_owned()), ..by("organiser") };
            writing.change_tournament::<Refusal>(number, &by, |_| Ok(steps.clone()))
        };
        self.store.write(change).wait()
    }

    #[track_caller]
    fn good(&self, steps: Vec<Change>) -> Number {
        self.change(steps).expect("it applies").expect("a change")
    }

    fn pair(&self) -> Result<Option<Number>, Refusal> {
        let number = self.number;
        let pair = move |writing: &WriteTx<'_>| {
            let steps = |stored: &StoredTournament| Ok(vec![pairing::next(&stored.tournament)?.change()]);
            writing.change_tournament::<Refusal>(number, &by("organiser"), steps)
        };
        self.store.write(pair).wait()
    }

    fn undo(&self, change: Number) -> Result<Number, Refusal> {
        self.store.write(move |writing| writing.undo(change, &by("organiser"))).wait()
    }

    fn read(&self) -> StoredTournament {
        let found: Result<_, StoreError> = self.store.read(|reading| reading.tournament(self.number));
        found.expect("it answers").expect("a tournament")
    }

    fn outcome(&self, place: Place) -> Option<GameOutcome> {
        self.read().result(place).map(|result| result.outcome)
    }

    /// The codes of the records that do not fit.
    fn misfits(&self) -> Vec<&'static str> {
        self.read().bindings.misfits.iter().map(|misfit| misfit.fault.code.id).collect()
    }
}

/// A game that side 1 wins, with these tags.
fn game(sol: &str, luna: &str, tags: &str) -> Submission {
    let text = format!(
        "[Game \"andes\"]\n[Event \"Copa\"]\n{tags}[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result \"1-0\"]\n\n\
         1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
    );
    Submission::again(text.as_bytes(), Format::Quipu).expect("a record")
}

const ROUND_1: &str = "[Round \"1\"]\n";

#[test]
fn a_name_has_one_tournament_of_a_game() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let create = |name: &str, game: &str| {
        let settings = TournamentSettings { name: name.to_owned(), ..settings("two-legs") };
        let game = games::find(game).expect("a game");
        let creation = Creation::new(game, settings, Vec::new()).expect("good settings");
        store.write(move |writing: &WriteTx<'_>| writing.create_tournament(&creation, &by("organiser"))).wait()
    };
    for name in ["Copa", "Copa \"Ñusta\" \\ 1", "100 % _"] {
        let first = create(name, "andes").expect("it is the first");
        let again = create(name, "andes");
        assert!(matches!(again, Err(Refusal::TournamentExists(number)) if number == first), "{name}: {again:?}");
        assert!(create(name, "querni").is_ok(), "{name}: another game");
    }
    // The beginning of a name, and a name with more.
    for name in ["Cop", "Copa 2"] {
        assert!(create(name, "andes").is_ok(), "{name}");
    }
}

fn result(board: u32, players: [u32; 2], outcome: GameOutcome) -> Change {
    let players = players.map(PlayerId);
    Change::Result { round: 1, board, game: 1, players, result: GameResult::by_arbiter(outcome) }
}

/// The code with which a tournament refuses a change.
#[track_caller]
fn refused<T: std::fmt::Debug>(refusal: Result<T, Refusal>) -> &'static str {
    match refusal {
        Err(Refusal::Tournament(fault) | Refusal::BreaksLaterChange(_, fault)) => fault.code.id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_record_gives_its_board_the_result() {
    let cup = Cup::paired("single");
    let boards = cup.read().tournament.rounds[0].boards.iter().map(|board| board.players).collect::<Vec<_>>();
    assert_eq!(boards, [[1, 3].map(PlayerId), [4, 2].map(PlayerId)]);
    let record = game("Rosa", "Ana", ROUND_1);
    add(&cup.store, &record);
    assert_eq!(cup.outcome(FIRST), Some(GameOutcome::First));
    assert_eq!(cup.read().bindings.places[&FIRST], record.id);
    assert_eq!(cup.misfits(), Vec::<&str>::new());
    assert_eq!(cup.outcome(Place { board: 2, ..FIRST }), None);
}

#[test]
fn a_record_that_does_not_fit_says_why() {
    for (sol, luna, tags, code) in [
        ("Rosa", "Ana", "", "record.no-round"),
        ("Rosa", "Ana", "[Round \"2\"]\n", "record.unknown-round"),
        ("Rosa", "Ana", "[Round \"final\"]\n", "record.unknown-round"),
        ("Rosa", "Áná", ROUND_1, "record.other-spelling"),
        ("Rosa", "Zoe", ROUND_1, "record.not-entered"),
        ("Rosa", "Luis", ROUND_1, "record.other-opponent"),
        ("Rosa", "Ana", "[Round \"1\"]\n[Board \"2\"]\n", "record.other-board"),
        ("Ana", "Rosa", ROUND_1, "record.other-sides"),
        ("Rosa", "Ana", "[Round \"1\"]\n[Leg \"2\"]\n", "record.other-leg"),
    ] {
        let cup = Cup::paired("single");
        add(&cup.store, &game(sol, luna, tags));
        assert_eq!((cup.misfits(), cup.outcome(FIRST)), (vec![code], None), "{sol} {luna} {tags}");
    }
}

#[test]
fn a_rejected_record_gives_no_result() {
    let cup = Cup::paired("single");
    let text = "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"1\"]\n[Sol \"Rosa\"]\n[Luna \"Ana\"]\n[Result \"*\"]\n\n\
                1. 0d3 2A1\n*\n";
    add(&cup.store, &Submission::again(text.as_bytes(), Format::Quipu).expect("a record"));
    assert_eq!((cup.misfits(), cup.outcome(FIRST)), (vec!["record.not-verified"], None));
}

#[test]
fn legs_are_found_by_sides() {
    let cup = Cup::paired("two-legs");
    add(&cup.store, &game("Ana", "Rosa", ROUND_1));
    assert_eq!((cup.outcome(FIRST), cup.outcome(Place { game: 2, ..FIRST })), (None, Some(GameOutcome::Second)));
    add(&cup.store, &game("Rosa", "Ana", "[Round \"1\"]\n[Leg \"1\"]\n"));
    assert_eq!(cup.outcome(FIRST), Some(GameOutcome::First));
    // Both won the same game: the points are equal.
    let board = &cup.read().tournament.rounds[0].boards[0];
    let encounter = cup.read().tournament.settings.encounter;
    assert_eq!(board.result(encounter).expect("two games").winner(), None);
}

#[test]
fn a_merged_name_finds_its_board() {
    let cup = Cup::paired("single");
    add(&cup.store, &game("Rosa", "Ana Ruiz", ROUND_1));
    assert_eq!(cup.misfits(), ["record.other-spelling"]);
    // The name of the tournament is known to the archive once a record has it.
    add(&cup.store, &game("Ana", "Otro", ""));
    cup.store.write(|writing| writing.merge("Ana", "Ana Ruiz", &by("organiser"))).wait().expect("merged");
    assert_eq!(cup.outcome(FIRST), Some(GameOutcome::First));
}

#[test]
fn of_contradicting_records_none_counts() {
    let cup = Cup::paired("single");
    let [one, two] =
        ["2026.08.01", "2026.08.02"].map(|day| game("Rosa", "Ana", &format!("{ROUND_1}[Date \"{day}\"]\n")));
    add(&cup.store, &one);
    add(&cup.store, &two);
    assert_eq!((cup.misfits(), cup.outcome(FIRST)), (vec!["record.contradicted"; 2], None));
    let retracted = two.id;
    cup.store.write(move |writing| writing.retract(&retracted, &by("arbiter"))).wait().expect("retracted");
    assert_eq!((cup.misfits(), cup.outcome(FIRST)), (Vec::new(), Some(GameOutcome::First)));
}

#[test]
fn a_closed_round_stays_closed_when_its_record_goes() {
    let cup = Cup::paired("single");
    let record = game("Rosa", "Ana", ROUND_1);
    add(&cup.store, &record);
    assert_eq!(refused(cup.change(vec![Change::Close { round: 1 }])), "tournament.results-missing");
    cup.good(vec![result(2, [4, 2], GameOutcome::Draw), Change::Close { round: 1 }]);
    let id = record.id;
    let retraction = cup.store.write(move |writing| writing.retract(&id, &by("arbiter"))).wait().expect("retracted");
    assert_eq!((cup.outcome(FIRST), cup.read().tournament.rounds[0].is_closed), (None, true));
    cup.undo(retraction).expect("undone");
    assert_eq!(cup.outcome(FIRST), Some(GameOutcome::First));
    assert_eq!(faults(&cup.store), []);
}

#[test]
fn a_record_prevails_over_the_arbiter() {
    let cup = Cup::paired("single");
    cup.good(vec![result(1, [1, 3], GameOutcome::Second)]);
    assert_eq!(cup.read().result(FIRST).expect("a result").origin, Origin::Arbiter);
    let record = game("Rosa", "Ana", ROUND_1);
    add(&cup.store, &record);
    assert_eq!((cup.outcome(FIRST), cup.misfits()), (Some(GameOutcome::First), vec!["record.replaces-result"]));
    let other = cup.change(vec![result(1, [1, 3], GameOutcome::Draw)]);
    assert!(matches!(other, Err(Refusal::HasRecord { record: id, step: None }) if id == record.id), "{other:?}");
    let other = cup.change(vec![result(1, [1, 3], GameOutcome::First), result(1, [1, 3], GameOutcome::Draw)]);
    assert!(matches!(other, Err(Refusal::HasRecord { step: Some(2), .. })), "{other:?}");
    cup.good(vec![result(1, [1, 3], GameOutcome::First)]);
    assert_eq!(cup.misfits(), Vec::<&str>::new());
}

#[test]
fn a_change_that_a_later_one_needs_is_not_undone() {
    let cup = Cup::paired("single");
    // The pairing, change 3, needs the players of change 2, and these the tournament.
    assert!(matches!(cup.undo(2), Err(Refusal::BreaksLaterChange(3, _))));
    assert!(matches!(cup.undo(1), Err(Refusal::BreaksLaterChange(2, fault)) if fault.code == fault::NOT_CREATED));
    cup.good(vec![result(1, [1, 3], GameOutcome::First)]);
    assert!(matches!(cup.undo(3), Err(Refusal::BreaksLaterChange(4, _))));
    cup.good(vec![result(2, [4, 2], GameOutcome::First), Change::Close { round: 1 }]);
    assert_eq!(refused(cup.undo(4)), "tournament.round-closed");
    assert_eq!(cup.undo(5).expect("the last one"), 6);
    assert_eq!(cup.outcome(Place { board: 2, ..FIRST }), None);
    assert!(matches!(cup.undo(5), Err(Refusal::AlreadyUndone(6))));
    cup.undo(4).expect("now the last one");
    cup.undo(3).expect("now the last one");
    assert_eq!(cup.read().tournament.rounds, []);
    // Numbers of players never change.
    let late = cup.good(vec![enter("Eva", 1600)]);
    let last = cup.good(vec![enter("Sol", 1500)]);
    assert!(
        matches!(cup.undo(2), Err(Refusal::BreaksLaterChange(later, fault)) if later == last && fault.code == fault::LATER_ENTRY)
    );
    cup.undo(last).expect("the last one");
    cup.undo(late).expect("now the last one");
    cup.undo(2).expect("now the last one");
    cup.undo(1).expect("now the last one");
    let gone = cup.store.read(|reading| Ok::<_, StoreError>((reading.tournament(1)?, reading.tournaments(None, 9)?)));
    assert_eq!(gone.expect("it answers"), (None, Vec::new()));
    assert_eq!(faults(&cup.store), []);
}

/// A change is not undone if nobody could make the tournament that it leaves: two players of one name, or other seeds of a round
/// robin after its first pairing, in which players would meet twice.
#[test]
fn an_undo_leaves_a_tournament_that_can_be() {
    let edit = |id: u32, name: &str, rating: u32| {
        let player = Player { name: name.to_owned(), rating: Some(rating), ..Player::default() };
        vec![Change::Edit { id: PlayerId(id), player }]
    };
    let cup = Cup::new("single");
    let renamed = cup.good(edit(1, "Rosa Quispe", 2000));
    let other = cup.good(vec![enter("Rosa", 1500)]);
    assert_eq!(refused(cup.undo(renamed)), "tournament.same-name");
    cup.undo(other).expect("nobody needs her");
    cup.undo(renamed).expect("the name is free again");
    for kind in ["round-robin", "knockout"] {
        let settings = TournamentSettings {
            system: serde_json::from_str(&format!(r#"{{"kind":"{kind}"}}"#)).expect("a system"),
            ..settings("single")
        };
        let cup = Cup::of(settings);
        let raised = cup.good(edit(4, "Inés", 2100));
        let renamed = cup.good(edit(3, "Ana Ruiz", 1800));
        let absent = cup.good(vec![Change::Withdraw { id: PlayerId(2), round: 1 }]);
        let paired = cup.pair().expect("a pairing").expect("a change");
        assert_eq!(refused(cup.undo(raised)), "tournament.fixed-field");
        // The pairing of a round robin has no board for the player, and that of a knock-out has other encounters.
        match cup.undo(absent) {
            Err(Refusal::BreaksLaterChange(later, _)) => assert_eq!((kind, later), ("round-robin", paired)),
            undone => assert_eq!((kind, refused(undone)), ("knockout", "tournament.fixed-field")),
        }
        cup.undo(renamed).expect("the seeds stay");
        cup.undo(paired).expect("the last one");
        cup.undo(absent).expect("no round is paired");
        cup.undo(raised).expect("no round is paired");
    }
}

#[test]
fn changes_are_listed_with_their_tournament() {
    let cup = Cup::paired("single");
    let listed: Result<_, StoreError> = cup.store.read(|reading| reading.changes(0, 10));
    let listed = listed.expect("a list").items;
    let seen: Vec<_> = listed.iter().map(|change| (change.number, change.kind.as_str(), change.tournament)).collect();
    assert_eq!(seen, [1, 2, 3].map(|number| (number, "tournament", Some(1))));
}

#[test]
fn a_name_is_used_once_for_a_game() {
    let cup = Cup::new("single");
    let create = |game: &'static str| {
        let game = games::find(game).expect("a game");
        let creation = Creation::new(game, settings("single"), Vec::new()).expect("good settings");
        cup.store.write(move |writing| writing.create_tournament(&creation, &by("organiser"))).wait()
    };
    assert!(matches!(create("andes"), Err(Refusal::TournamentExists(1))));
    assert_eq!(create("querni").expect("another game"), 3);
    let listed: Result<_, StoreError> = cup.store.read(|reading| reading.tournaments(None, 9));
    let listed = listed.expect("a list");
    assert_eq!(listed.iter().map(|one| (one.number, one.players)).collect::<Vec<_>>(), [(3, 0), (1, 4)]);
}

#[test]
fn a_creation_is_checked_with_its_steps() {
    let game = games::find("andes").expect("a game");
    let create = |name: &str, steps| {
        Creation::new(game, TournamentSettings { name: name.to_owned(), ..settings("single") }, steps)
    };
    let fault = create("Liga", vec![enter("Ana", 1800), enter(" Ana", 1700)]).expect_err("it is refused");
    assert_eq!((fault.code, fault.facts[1].clone()), (fault::SAME_NAME, ("step", "2".to_owned())));
    assert_eq!(create(" ", Vec::new()).expect_err("it is refused").code, fault::UNNAMED);
    let cup = Cup::new("single");
    let creation = create(" Copa ", Vec::new()).expect("good settings");
    assert_eq!(creation.name(), "Copa");
    let again = cup.store.write(move |writing| writing.create_tournament(&creation, &by("organiser"))).wait();
    assert!(matches!(again, Err(Refusal::TournamentExists(1))), "{again:?}");
}

#[test]
fn a_change_that_takes_something_back_has_a_reason() {
    let cup = Cup::paired("single");
    for step in [
        Change::Clear { round: 1, board: 1, game: 1 },
        Change::Unpair { round: 1 },
        Change::TieBreaks { order: Vec::new() },
    ] {
        let (number, steps) = (cup.number, vec![step]);
        let change = move |writing: &WriteTx<'_>| {
            writing.change_tournament::<Refusal>(number, &by("organiser"), |_| Ok(steps.clone()))
        };
        let refused = cup.store.write(change).wait();
        assert!(matches!(refused, Err(Refusal::NoReason)), "{refused:?}");
    }
}

#[test]
fn a_stored_change_has_a_limit() {
    let cup = Cup::new("single");
    let days = vec!["ñ".repeat(200); 100];
    let about = || About { days: days.clone(), ..About::default() };
    let steps = |count| (0..count).map(|_| Change::Describe { about: about() }).collect::<Vec<_>>();
    let long = cup.change(steps(TournamentSteps::MOST / (100 * 400)));
    assert!(matches!(long, Err(Refusal::ChangeTooLong(TournamentSteps::MOST))), "{long:?}");
    cup.good(steps(2));
}

#[test]
fn two_organisers_pair_at_once_and_one_is_refused() {
    let cup = Cup::new("single");
    let both = thread::scope(|scope| {
        [scope.spawn(|| cup.pair()), scope.spawn(|| cup.pair())].map(thread::ScopedJoinHandle::join)
    });
    let mut both = both.map(|one| one.expect("it ends"));
    both.sort_by_key(Result::is_err);
    let [one, other] = both;
    assert_eq!(one.expect("the first"), Some(3));
    assert_eq!(refused(other), "tournament.round-open");
    assert_eq!(cup.read().tournament.rounds.len(), 1);
}

#[test]
fn a_result_for_a_board_that_was_paired_again_is_refused() {
    let cup = Cup::paired("single");
    let again = Change::Pair { round: 1, boards: vec![[1, 2].map(PlayerId), [3, 4].map(PlayerId)], bye: None };
    cup.good(vec![Change::Unpair { round: 1 }, again]);
    assert_eq!(refused(cup.change(vec![result(1, [1, 3], GameOutcome::First)])), "tournament.other-players");
    add(&cup.store, &game("Rosa", "Ana", ROUND_1));
    assert_eq!((cup.misfits(), cup.outcome(FIRST)), (vec!["record.other-opponent"], None));
}

#[test]
fn an_archive_restored_from_yesterday_pairs_the_same_again() {
    files_only!("it restores a copy of the file");
    let cup = Cup::new("single");
    let yesterday = tempdir().expect("a folder");
    cup.store.backup(&yesterday.path().join("quipu.db"), |_| ()).expect("a copy");
    cup.pair().expect("a pairing");
    let restored = Cup { store: open(yesterday.path()), folder: yesterday, number: cup.number };
    assert_eq!(refused(restored.change(vec![result(1, [1, 3], GameOutcome::First)])), "tournament.round-not-paired");
    restored.pair().expect("a pairing");
    assert_eq!(restored.read(), cup.read());
    assert_eq!(faults(&restored.store), []);
}

#[test]
fn a_check_finds_a_spoilt_tournament_and_a_rebuild_keeps_a_sound_one() {
    let cup = Cup::paired("single");
    add(&cup.store, &game("Rosa", "Ana", ROUND_1));
    assert_eq!(faults(&cup.store), []);
    let before = cup.read();
    let rebuilt = cup.store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!((rebuilt.before, cup.read()), (Some(rebuilt.after), before));
    spoil(cup.folder.path(), "UPDATE tournament_change SET body = replace(body, '[1,3]', '[1,7]') WHERE number = 3");
    let found = faults(&cup.store);
    assert!(matches!(&found[..], [ArchiveFault::Tournament { number: 1, change: 3, .. }]), "{found:?}");
    spoil(cup.folder.path(), "UPDATE tournament_change SET body = '{' WHERE number = 3");
    assert!(matches!(&faults(&cup.store)[..], [ArchiveFault::File(what)] if what.contains("change 3")));
    spoil(cup.folder.path(), "DELETE FROM tournament_change WHERE number = 3");
    assert_eq!(faults(&cup.store), [ArchiveFault::Change(3)]);
}

#[test]
fn an_archive_before_tournaments_is_brought_up_to_date() {
    files_only!("archives of this version are files");
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    add(&store, &game("Rosa", "Ana", ROUND_1));
    store.close().expect("closed");
    spoil(folder.path(), "DROP TABLE tournament_change; PRAGMA user_version = 4");
    let store = open(folder.path());
    assert_eq!(faults(&store), []);
    let none: Result<_, StoreError> = store.read(|reading| reading.tournaments(None, 9));
    assert_eq!(none.expect("a list"), []);
}
