//! Ratings of an archive: the same for the same games, whatever was entered, corrected and retracted on the way.

use quipu_archive::store::{Refusal, Store, StoreError};
use quipu_notation::games::{self, GAMES};
use quipu_ratings::{CountedGames, RatedPlayer, RatingStep, Ratings, compute_ratings};
use tempfile::tempdir;

use super::generate::{SampleRecord, add, by, open};

const NAMES: [&str; 4] = ["Quispe, Ana", "Núñez, Inés", "Li Bo", "Painemal, Rosa"];

/// A game of Andes; the next number has other players or another day.
fn game(number: usize) -> SampleRecord {
    SampleRecord {
        template: 0,
        players: [Some(NAMES[number % 4]), Some(NAMES[(number + 1 + number / 4 % 3) % 4])],
        date: [Some("2026.01.31"), Some("2026.02.01"), None, Some("2026.04.15"), Some("2026.??.??")][number % 5],
        site: Some(format!("Sala {number}")),
        // Games of different rounds are no sheets of one game.
        round: Some(number.to_string().leak()),
        event: Some("Copa"),
        ..SampleRecord::default()
    }
}

#[track_caller]
fn ratings(store: &Store) -> Ratings {
    let andes = games::find("andes").expect("a game");
    store.read(|reading| compute_ratings(reading, andes)).expect("the archive is read")
}

/// Everything that is told of ratings, without the numbers of players, which depend on the order of entry.
fn lists_of(ratings: &Ratings) -> Vec<(String, Vec<RatingStep>, Vec<RatedPlayer>)> {
    let lists = |player: u32| {
        let days = [None, Some("2026-02-28"), Some("2026-03-01"), Some("2030-01-01")];
        let rows = days.map(|day| {
            let list = ratings.list(day.map(|day| day.parse().expect("a date")));
            list.players.iter().copied().find(|row| row.player == player)
        });
        rows.into_iter().flatten().collect()
    };
    let players =
        (0..).map_while(|player| Some((player, ratings.history(player))).filter(|(_, steps)| !steps.is_empty()));
    players.map(|(player, steps)| (ratings.player(player).1.to_owned(), steps.to_vec(), lists(player))).collect()
}

/// The ratings of an archive with these games alone.
fn expected(numbers: impl IntoIterator<Item = usize>) -> Vec<(String, Vec<RatingStep>, Vec<RatedPlayer>)> {
    let folder = tempdir().expect("there is room");
    let store = open(folder.path());
    for number in numbers {
        add(&store, &game(number).submission());
    }
    let told = lists_of(&ratings(&store));
    store.close().expect("closed");
    told
}

#[test]
fn the_order_of_entry_changes_no_digit() {
    let all = expected(0..30);
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|(_, steps, lists)| steps.len() > 2 && lists.len() == 4), "{all:?}");
    assert_eq!(expected((0..30).rev()), all);
    assert_eq!(expected((0..30).map(|number| number * 7 % 30)), all);
}

#[test]
fn a_game_that_is_gone_was_never_there() {
    let folder = tempdir().expect("there is room");
    let store = open(folder.path());
    for number in 0..20 {
        add(&store, &game(number).submission());
    }
    let whole = lists_of(&ratings(&store));
    assert_eq!(whole, expected(0..20));
    let gone = game(7).submission().id;
    let retract = move |writing: &quipu_archive::store::WriteTx<'_>| writing.retract(&gone, &by("test"));
    let retracted = store.write(move |writing| -> Result<i64, Refusal> { retract(writing) }).wait().expect("retracted");
    let without = (0..20).filter(|number| *number != 7);
    assert_eq!(lists_of(&ratings(&store)), expected(without.clone()));
    store.write(move |writing| -> Result<_, Refusal> { writing.undo(retracted, &by("test")) }).wait().expect("undone");
    assert_eq!(lists_of(&ratings(&store)), whole);
    let (old, new) = (game(7).submission().id, game(25).submission());
    let correct = move |writing: &quipu_archive::store::WriteTx<'_>| writing.correct(&old, &new, &by("test"));
    store.write(move |writing| -> Result<_, Refusal> { correct(writing) }).wait().expect("corrected");
    assert_eq!(lists_of(&ratings(&store)), expected(without.chain([25])));
    store.rebuild(|_| ()).expect("rebuilt");
    assert_eq!(lists_of(&ratings(&store)), expected((0..20).filter(|number| *number != 7).chain([25])));
    store.close().expect("closed");
}

#[test]
fn merged_names_are_one_player() {
    let folder = tempdir().expect("there is room");
    let store = open(folder.path());
    add(&store, &game(0).submission());
    let alias = SampleRecord { players: [Some("Ana Quispe"), Some("Li Bo")], ..game(3) };
    add(&store, &alias.submission());
    assert_eq!(lists_of(&ratings(&store)).len(), 4);
    let merge = |writing: &quipu_archive::store::WriteTx<'_>| writing.merge("Ana Quispe", "Quispe, Ana", &by("test"));
    let merged = store.write(move |writing| -> Result<_, Refusal> { merge(writing) }).wait().expect("merged");
    let found = lists_of(&ratings(&store));
    let names: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["Li Bo", "Núñez, Inés", "Quispe, Ana"]);
    assert_eq!(found[2].1.iter().map(|step| step.games).sum::<u32>(), 2);
    store.write(move |writing| -> Result<_, Refusal> { writing.undo(merged, &by("test")) }).wait().expect("undone");
    assert_eq!(lists_of(&ratings(&store)).len(), 4);
    store.close().expect("closed");
}

#[test]
fn games_that_do_not_count_are_not_rated() {
    let folder = tempdir().expect("there is room");
    let store = open(folder.path());
    add(&store, &SampleRecord { is_cut: true, ..game(0) }.submission());
    add(&store, &SampleRecord { players: [Some("Li Bo"), Some("Li Bo")], ..game(1) }.submission());
    add(&store, &SampleRecord { players: [Some("Li Bo"), None], ..game(2) }.submission());
    for game in GAMES {
        let found = store.read(|reading| compute_ratings(reading, game)).expect("the archive is read");
        assert_eq!(found.list(None).players, []);
    }
    store.close().expect("closed");
}

#[test]
fn the_ratings_of_all_games_are_those_of_each() {
    let folder = tempdir().expect("there is room");
    let store = open(folder.path());
    for number in 0..12 {
        add(&store, &SampleRecord { template: number, ..game(number) }.submission());
    }
    let all = store.read(CountedGames::read).and_then(|games| games.rate(|| Ok::<_, StoreError>(())));
    let all = all.expect("the archive is read");
    assert_eq!(all.last_change, 12);
    let mut rated = 0;
    for game in GAMES {
        let alone = store.read(|reading| compute_ratings(reading, game)).expect("the archive is read");
        assert_eq!(lists_of(all.of(game)), lists_of(&alone), "{}", game.id);
        rated += usize::from(!lists_of(&alone).is_empty());
    }
    assert!(rated > 1, "the records are of several games");
    let games = store.read(CountedGames::read).expect("the archive is read");
    assert_eq!(games.rate(|| Err("late")).err(), Some("late"));
    store.close().expect("closed");
}
