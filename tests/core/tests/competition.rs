//! Figures of verified games: encounters, bonuses, levels, standings. A game is a line here.
//!
//! Printing is tested in `cli/competition.rs`.

use quipu_notation::{games, record::Outcome};
use quipu_referee::{
    Count, Points,
    competition::{Aliases, Basis, Encounter, Entries, Entry, Half, Irregularity, Start, State, encounters, players},
    report::competition as report,
    termination::RESIGNATION,
    verify,
};
use quipu_tests_core::{bytes, each_chunk, text};
use serde_json::{Value, json};

mod entries;
mod players;
mod properties;
mod standings;

/// A day.
const DAY: &str = "2026.08.12";

/// A game of Andes: `Ana 3/0/4 1-0 Bo 2/0/5`, players with their pieces on the board, attacked and in reserve.
fn game(place: u64, line: &str) -> Entry {
    let [one, counts_one, result, two, counts_two] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    let count = |text: &str| {
        let breaks: Vec<u32> = text.split('/').map(|count| count.parse().expect("a number")).collect();
        let [board, attacked, reserve] = breaks[..] else { panic!("{line}") };
        Count { points: 3 * board + 2 * attacked + reserve, breaks: [board, attacked, reserve] }
    };
    let mut id = [0; 32];
    id[..8].copy_from_slice(&place.to_le_bytes());
    Entry {
        place,
        game: games::find("andes").expect("it is in the table"),
        event: Some("Copa".to_owned()),
        round: Some("1".to_owned()),
        leg: None,
        board: None,
        players: [one, two].map(str::to_owned),
        outcome: Outcome::parse(result).expect("a result"),
        termination: &RESIGNATION,
        points: Some(Points([count(counts_one), count(counts_two)])),
        start: Start::default(),
        id,
    }
}

/// A game without points that matter: `Ana 1-0 Bo`.
fn result(place: u64, line: &str) -> Entry {
    let [one, result, two] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    game(place, &format!("{one} 1/0/6 {result} {two} 1/0/6"))
}

/// Games of one encounter, each with its leg or `-` before it.
fn encounter(games: &[&str]) -> Encounter {
    let entries = (1..).zip(games).map(|(place, line)| {
        let (leg, line) = line.split_once(' ').expect("a leg and a game");
        Entry { leg: (leg != "-").then(|| leg.to_owned()), ..game(place, line) }
    });
    let entries: Vec<_> = entries.collect();
    let mut found = encounters(&entries);
    assert_eq!(found.len(), 1, "{games:?}");
    found.remove(0)
}

/// Checks state, points, winner and bonus: `won 41-26 Ana 20.5-0`.
#[track_caller]
fn check(games: &[&str], expected: &str) -> Encounter {
    let found = encounter(games);
    let ([one, two], [bonus_one, bonus_two]) = (found.sums.map(|sum| sum.points), found.bonus());
    let (state, winner) = (found.state.as_str(), found.winner().unwrap_or("-"));
    assert_eq!(format!("{state} {one}-{two} {winner} {bonus_one}-{bonus_two}"), expected, "{games:?}");
    found
}

#[test]
fn a_single_game_is_won_by_who_wins_it() {
    let found = check(&["- Ana 3/0/4 1-0 Bo 2/0/5"], "won 13-11 Ana 6.5-0");
    assert_eq!(found.basis(), Some(Basis::Result));
    // However it ended: by time, with fewer points.
    check(&["- Ana 3/0/4 0-1 Bo 2/0/5"], "won 13-11 Bo 0-5.5");
    // A win without points has a bonus of nothing.
    check(&["- Ana 0/0/0 1-0 Bo 7/0/7"], "won 0-28 Ana 0-0");
}

#[test]
fn a_single_game_that_is_drawn_is_a_tie() {
    let found = check(&["- Ana 3/0/4 1/2-1/2 Bo 2/0/5"], "tied 13-11 - 0-0");
    assert_eq!(found.basis(), Some(Basis::Result));
}

#[test]
fn two_legs_are_decided_by_sums_of_points() {
    let found = check(&["1 Ana 3/0/4 1-0 Bo 2/0/5", "2 Bo 1/0/2 1-0 Ana 5/0/6"], "won 34-16 Ana 17-0");
    assert_eq!((found.basis(), &found.games[..]), (Some(Basis::Points), &[1, 2][..]));
    // The loser of both legs wins with more points.
    check(&["1 Ana 5/0/4 0-1 Bo 2/0/3", "2 Bo 1/0/2 1-0 Ana 5/0/6"], "won 40-14 Ana 20-0");
    // The second leg may be entered first. Players are in the order of the first game that was.
    check(&["2 Bo 1/0/2 1-0 Ana 5/0/6", "1 Ana 3/0/3 1-0 Bo 2/0/5"], "won 16-33 Ana 0-16.5");
}

#[test]
fn equal_sums_are_decided_by_pieces() {
    // 5.2 on the sums: on the board 5 to 4.
    let found = check(&["1 Ana 3/0/4 1-0 Bo 2/0/5", "2 Bo 2/2/3 1-0 Ana 2/0/5"], "won 24-24 Ana 12-0");
    assert_eq!(found.basis(), Some(Basis::Pieces(0)));
    // On the board 4 to 4, attacked 1 to 0.
    let found = check(&["1 Ana 2/1/4 1-0 Bo 2/0/5", "2 Bo 2/0/4 1-0 Ana 2/0/3"], "won 21-21 Ana 10.5-0");
    assert_eq!(found.basis(), Some(Basis::Pieces(1)));
    let found = check(&["1 Ana 2/0/5 1-0 Bo 2/1/4", "2 Bo 2/0/3 1-0 Ana 2/0/4"], "won 21-21 Bo 0-10.5");
    assert_eq!(found.basis(), Some(Basis::Pieces(1)));
}

#[test]
fn equal_in_everything_is_a_tie_without_bonus() {
    let found = check(&["1 Ana 2/1/4 1-0 Bo 2/0/5", "2 Bo 2/1/4 1-0 Ana 2/0/5"], "tied 23-23 - 0-0");
    assert_eq!(found.basis(), Some(Basis::Nothing));
}

#[test]
fn a_leg_alone_is_open() {
    let found = check(&["1 Ana 3/0/4 1-0 Bo 2/0/5"], "open 13-11 - 0-0");
    assert_eq!(found.basis(), None);
    check(&["2 Ana 3/0/4 1-0 Bo 2/0/5"], "open 13-11 - 0-0");
}

/// Checks why games are no encounter, and that nobody wins it.
#[track_caller]
fn irregular(games: &[&str], expected: Irregularity) {
    let found = encounter(games);
    assert_eq!(found.state, State::Irregular(expected), "{games:?}");
    assert_eq!((found.winner(), found.bonus(), found.basis()), (None, [Half::ZERO; 2], None), "{games:?}");
    // The points count for the players all the same.
    let points: u32 = found.sums.iter().map(|sum| sum.points).sum();
    assert_eq!(points as usize, 24 * games.len(), "{games:?}");
}

#[test]
fn games_that_are_no_encounter() {
    const THERE: &str = "Ana 3/0/4 1-0 Bo 2/0/5";
    const BACK: &str = "Bo 3/0/4 1-0 Ana 2/0/5";
    let check = |games: &[(&str, &str)], expected| {
        let games: Vec<_> = games.iter().map(|(leg, game)| format!("{leg} {game}")).collect();
        irregular(&games.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    };
    check(&[("-", THERE), ("-", BACK)], Irregularity::Single);
    check(&[("-", THERE), ("-", THERE), ("-", BACK)], Irregularity::Single);
    check(&[("1", THERE), ("-", BACK)], Irregularity::Mixed);
    check(&[("1", THERE), ("2", BACK), ("-", THERE)], Irregularity::Mixed);
    check(&[("1", THERE), ("1", BACK)], Irregularity::SameLeg);
    check(&[("1", THERE), ("2", BACK), ("2", BACK)], Irregularity::SameLeg);
    check(&[("1", THERE), ("2", THERE)], Irregularity::Sides);
    check(&[("3", THERE)], Irregularity::Leg);
    check(&[("", THERE)], Irregularity::Leg);
    check(&[("01", THERE), ("2", BACK)], Irregularity::Leg);
    check(&[("1", THERE), ("2", BACK), ("3", THERE)], Irregularity::Leg);
    check(&[("-", THERE), ("uno", BACK)], Irregularity::Leg);
}

#[test]
fn games_of_one_encounter() {
    let there = || game(1, "Ana 3/0/4 1-0 Bo 2/0/5");
    let count = |other: Entry| encounters(&[there(), Entry { place: 2, ..other }]).len();
    assert_eq!(count(there()), 1);
    assert_eq!(count(game(2, "Bo 3/0/4 1-0 Ana 2/0/5")), 1);
    assert_eq!(count(game(2, "Ana 3/0/4 1-0 Li 2/0/5")), 2);
    assert_eq!(count(Entry { event: Some("Otra".to_owned()), ..there() }), 2);
    assert_eq!(count(Entry { round: Some("2".to_owned()), ..there() }), 2);
    assert_eq!(count(Entry { round: None, ..there() }), 2);
    // A game without points is no part of any.
    assert_eq!(count(Entry { points: None, ..there() }), 1);
    // Absent values count as equal.
    let untold = || Entry { event: None, round: None, ..there() };
    assert_eq!(encounters(&[untold(), untold()]).len(), 1);
}

/// The entries of the sample tournament.
fn cup() -> Entries {
    let mut entries = Entries::default();
    let mut places = 1..;
    each_chunk(bytes("andes/cup.quipu").as_slice(), |chunk| {
        for judged in verify::chunk(chunk) {
            let record = judged.record.expect("it can be read");
            let place = places.next().expect("there are enough");
            let entry = Entry::new(place, &record, &judged.verdict, &Aliases::default()).expect("it counts");
            entries.add(entry).expect("each game is there once");
        }
    });
    entries
}

#[test]
fn the_sample_tournament_comes_to_what_is_expected() {
    let entries = cup();
    let encounters = encounters(entries.all());
    let players = players(entries.all(), &encounters);
    let found = json!({
        "encounters": encounters.iter().map(|one| report::encounter(one, &report::Numbers::new())).collect::<Vec<_>>(),
        "players": players.iter().map(|one| report::player(one, &report::Numbers::new())).collect::<Vec<_>>(),
    });
    let expected: Value = serde_json::from_str(&text("andes/cup.competition.json")).expect("JSON");
    assert_eq!(found, expected);
}
