//! Figures of verified games: encounters, bonuses, levels, standings. A game is a line here.
//!
//! Printing is tested in `cli/competition.rs`.

use std::collections::BTreeSet;

use proptest::{collection::vec, prelude::*, sample::select};
use quipu_notation::{
    Side, games,
    record::{Chunk, Outcome},
};
use quipu_referee::{
    Count, Points,
    competition::{
        Aliases, Basis, Candidate, Direct, Encounter, Entries, Entry, Half, Irregularity, Moves, Player, Quarter,
        Related, Row, Sheet, Sheets, Standings, Start, State, Tally, TieBreak, Uncounted, encounters, players, rank,
        read_entry, rounds, standings, until_round, write_entry,
    },
    games::ALL,
    report::competition as report,
    termination::RESIGNATION,
    verify,
};
use quipu_tests_core::{bytes, each_chunk, every, text};
use serde_json::{Value, json};

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

/// The only player who won anything in games that Ana won, with these starts and points in the order of entry.
fn winner(games: &[(&str, &str, u32)]) -> Player {
    let entries = (1..).zip(games).map(|(place, (date, time, points))| Entry {
        start: Start::new(Some(date), Some(time)),
        round: Some(place.to_string()),
        ..game(place, &format!("Ana 0/0/{points} 1-0 Bo 0/0/7"))
    });
    let entries: Vec<_> = entries.collect();
    players(&entries, &encounters(&entries)).remove(0)
}

/// Checks the levels after the wins from the second on: place of the game, points in it and before it, level, tier.
#[track_caller]
fn levels(games: &[(&str, &str, u32)], expected: &[&str]) {
    let player = winner(games);
    let steps = player.history.iter().map(|step| {
        let level = step.level.map_or("-".to_owned(), |level| format!("{} {}", level.value(), level.tier().as_str()));
        format!("{}: {}/{} = {level}", step.game, step.last, step.previous)
    });
    assert_eq!(steps.collect::<Vec<_>>(), expected, "{games:?}");
    assert_eq!(player.level(), player.history.last().and_then(|step| step.level));
}

const DAY: &str = "2026.08.12";

#[test]
fn a_level_is_of_the_last_two_wins() {
    levels(&[(DAY, "14:00:00", 24)], &[]);
    levels(&[(DAY, "14:00:00", 24), (DAY, "15:00:00", 18)], &["2: 18/24 = 270 oro"]);
    let expected = ["2: 10/25 = 144 plata", "3: 1/10 = 36 cobre", "4: 0/1 = 0 cobre", "5: 0/0 = -", "6: 7/0 = 360 oro"];
    let points = [25, 10, 1, 0, 0, 7];
    let times = ["10:00:00", "11:00:00", "12:00:00", "13:00:00", "14:00:00", "15:00:00"];
    levels(&times.iter().zip(points).map(|(time, points)| (DAY, *time, points)).collect::<Vec<_>>(), &expected);
}

#[test]
fn wins_are_ordered_by_their_start() {
    let later = "2026.08.13";
    levels(&[(later, "09:00:00", 18), (DAY, "23:59:59", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[(DAY, "10:00:01", 18), (DAY, "10:00:00", 24)], &["1: 18/24 = 270 oro"]);
    // Then by the order of entry.
    levels(&[(DAY, "10:00:00", 24), (DAY, "10:00:00", 18)], &["2: 18/24 = 270 oro"]);
    // Without a date it is the oldest, whatever its time; without a time the first of its day.
    levels(&[(DAY, "10:00:00", 18), ("", "23:00:00", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[(DAY, "00:00:00", 18), (DAY, "", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[(later, "", 18), (DAY, "10:00:00", 24)], &["1: 18/24 = 270 oro"]);
    levels(&[("", "23:00:00", 24), ("", "22:00:00", 18)], &["2: 18/24 = 270 oro"]);
}

#[test]
fn an_invalid_date_is_unknown() {
    let unknown = Start::default();
    for date in [
        "2026.??.??",
        "????.??.??",
        "2026.02.30",
        "2026.13.01",
        "2026-08-12",
        "2026.8.12",
        " 2026.08.12",
        "",
        "12.08.2026",
    ] {
        assert_eq!(Start::new(Some(date), Some("10:00:00")), unknown, "{date}");
    }
    let day = Start::new(Some(DAY), None);
    assert!(day > unknown);
    for time in ["24:00:00", "10:60:00", "10:00", "10:0:00", "??:??:??", "10:00:00Z", "-1:00:00", "１0:00:00"] {
        assert_eq!(Start::new(Some(DAY), Some(time)), day, "{time}");
    }
    assert!(Start::new(Some("2028.02.29"), Some("23:59:60")) > Start::new(Some("2028.02.29"), Some("23:59:59")));
    assert_eq!(Start::new(Some(DAY), Some("04:05:06")).to_string(), "2026.08.12 04:05:06");
}

#[test]
fn only_wins_have_levels() {
    let lines =
        ["Ana 0/0/9 1-0 Bo 0/0/5", "Ana 0/0/9 1/2-1/2 Bo 0/0/5", "Bo 0/0/9 1-0 Ana 0/0/5", "Bo 0/0/2 0-1 Ana 0/0/5"];
    let entries: Vec<_> = (1..).zip(lines).map(|(place, line)| game(place, line)).collect();
    let found = players(&entries, &encounters(&entries));
    let shown = found.iter().map(|player| {
        let level = player.level().map_or_else(|| "-".to_owned(), |level| level.value().to_string());
        format!(
            "{} {} {} {} {} {level}",
            player.name,
            player.games,
            player.won,
            player.points,
            player.points_with_bonus()
        )
    });
    // Four games of one round are no encounter: there is no bonus.
    assert_eq!(shown.collect::<Vec<_>>(), ["Ana 4 2 28 28 200", "Bo 4 1 21 21 -"]);
}

#[test]
fn players_are_in_the_order_of_their_letters() {
    let lines = ["Zoe 1-0 Ñusta", "ana 1-0 Álvarez", "Ana 1-0 Olmo", "Nadal 1-0 Nuñez"];
    let entries: Vec<_> = (1..).zip(lines).map(|(place, line)| result(place, line)).collect();
    let names: Vec<_> = players(&entries, &[]).into_iter().map(|player| player.name).collect();
    assert_eq!(names, ["Álvarez", "Ana", "ana", "Nadal", "Nuñez", "Ñusta", "Olmo", "Zoe"]);
}

/// The standings of these games, of one event.
fn table(games: &[&str], order: &[TieBreak]) -> Standings {
    let entries: Vec<_> = (1..).zip(games).map(|(place, line)| result(place, line)).collect();
    let mut found = standings(&entries, order);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

/// Checks the rows: place, name, wins, draws and losses, score and tie-breaks.
#[track_caller]
fn ranks(games: &[&str], order: &[TieBreak], expected: &[&str]) -> Standings {
    let found = table(games, order);
    let rows = found.rows.iter().map(|row| {
        let figures = row.figures.iter().map(|figure| figure.map_or("-".to_owned(), |figure| figure.to_string()));
        let figures = figures.map(|figure| format!(" {figure}")).collect::<String>();
        format!("{} {} +{}={}-{} {}{figures}", row.place, row.name, row.wins, row.draws, row.losses, row.score)
    });
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    found
}

/// Each against each. By hand: A 0.5 + 1 + 0, B 0 + 1 + 0.5, C 1 + 0.5 + 0.5, D 1.
const ROUND_ROBIN: [&str; 6] = ["A 1-0 B", "C 1-0 D", "A 1/2-1/2 C", "B 1-0 D", "A 0-1 D", "B 1/2-1/2 C"];

#[test]
fn scores_and_tie_breaks() {
    use TieBreak::{Buchholz, SonnebornBerger, Wins};
    // Buchholz: all scores, 6, less one's own.
    // Sonneborn-Berger: A 1.5 + 2 / 2, B 1 + 2 / 2, C 1 + 1.5 / 2 + 1.5 / 2, D 1.5.
    let expected =
        ["1 C +1=2-0 2 4 2.5 - 1", "2 A +1=1-1 1.5 4.5 2.5 - 1", "3 B +1=1-1 1.5 4.5 2 - 1", "4 D +1=0-2 1 5 1.5 - 1"];
    ranks(&ROUND_ROBIN, &[Buchholz, SonnebornBerger, TieBreak::Direct, Wins], &expected);
    let expected = ["1 C +1=2-0 2 -", "2 A +1=1-1 1.5 1", "3 B +1=1-1 1.5 0", "4 D +1=0-2 1 -"];
    let found = ranks(&ROUND_ROBIN, &[TieBreak::Direct], &expected);
    assert_eq!(found.rows[0].direct, Some(Direct::Alone));
    assert_eq!(found.rows[2].direct, Some(Direct::Among(vec![1, 2])));
}

#[test]
fn a_quarter_is_kept() {
    let expected = ["1 A +1=0-0 1 0", "2 B +0=1-0 0.5 0.25", "2 C +0=1-0 0.5 0.25", "4 D +0=0-1 0 0"];
    ranks(&["A 1-0 D", "B 1/2-1/2 C"], &[TieBreak::SonnebornBerger], &expected);
}

#[test]
fn equal_players_share_a_place() {
    let expected = ["1 A +1=0-0 1", "1 B +1=0-0 1", "1 Ç +1=0-0 1", "4 x +0=0-1 0", "4 Y +0=0-1 0", "4 z +0=0-1 0"];
    ranks(&["Ç 1-0 Y", "B 1-0 x", "A 1-0 z"], &[], &expected);
    // With one tie-break more they may be apart.
    let expected = ["1 A +1=0-1 1 1", "1 B +1=0-1 1 1", "1 C +1=0-1 1 1"];
    ranks(&["A 1-0 B", "B 1-0 C", "C 1-0 A"], &[TieBreak::Direct], &expected);
}

/// A, B and C have 2 each. Among them A has 2, B 1 and C 0.
const THREE: [&str; 10] =
    ["A 1-0 B", "A 1-0 C", "D 1-0 A", "E 1-0 A", "B 1-0 C", "B 1-0 D", "E 1-0 B", "C 1-0 D", "C 1-0 E", "D 1/2-1/2 E"];

#[test]
fn the_direct_encounter_of_three() {
    let expected = ["1 E +2=1-1 2.5 -", "2 A +2=0-2 2 2", "3 B +2=0-2 2 1", "4 C +2=0-2 2 0", "5 D +1=1-2 1.5 -"];
    ranks(&THREE, &[TieBreak::Direct], &expected);
}

#[test]
fn the_direct_encounter_needs_all_games_among_the_equal() {
    // B and C have not met.
    let games = ["A 1-0 B", "C 1-0 A", "B 1-0 D", "E 1-0 C", "D 1-0 E"];
    let found = table(&games, &[TieBreak::Direct]);
    assert!(found.rows.iter().all(|row| row.place == 1 && row.direct == Some(Direct::Apart)));
    // Two that met twice.
    ranks(
        &["A 1-0 B", "B 1-0 A", "A 1-0 C", "B 1-0 C"],
        &[TieBreak::Direct],
        &["1 A +2=0-1 2 1", "1 B +2=0-1 2 1", "3 C +0=0-2 0 -"],
    );
}

/// It is asked among those who are equal in all that stands before it.
#[test]
fn tie_breaks_count_in_their_order() {
    use TieBreak::{Direct, Wins};
    let names = |found: Standings| found.rows.into_iter().map(|row| row.name).collect::<String>();
    // A and B have 2; A won their game, B more games.
    let games = ["A 1-0 B", "A 1/2-1/2 C", "A 1/2-1/2 D", "B 1-0 C", "B 1-0 D"];
    assert_eq!(names(table(&games, &[Direct, Wins])), "ABCD");
    assert_eq!(names(table(&games, &[Wins, Direct])), "BACD");
    let games = ["A 1/2-1/2 B", "A 1/2-1/2 C", "A 1/2-1/2 D", "B 1-0 C", "B 0-1 D", "C 1-0 D"];
    // All have 1.5, so the direct encounter is the score and parts nobody; B, C and D have won a game and A has not.
    assert_eq!(names(table(&games, &[Direct, Wins])), "BCDA");
    assert_eq!(names(table(&games, &[])), "ABCD");
}

#[test]
fn opponents_count_as_often_as_they_were_met() {
    // A beats B twice, C beats A: B meets the 2 of A twice, A the 0 of B twice and the 1 of C.
    let expected = ["1 A +2=0-1 2 1 0", "2 C +1=0-0 1 2 2", "3 B +0=0-2 0 4 0"];
    let order = [TieBreak::Buchholz, TieBreak::SonnebornBerger];
    ranks(&["A 1-0 B", "B 0-1 A", "C 1-0 A"], &order, &expected);
}

#[test]
fn points_can_break_ties_where_there_are_points() {
    use TieBreak::{Points, PointsWithBonus};
    let lines = ["Ana 3/0/4 1-0 Bo 2/0/5", "Cy 4/0/3 1-0 Di 1/0/6"];
    let entries: Vec<_> =
        (1..).zip(lines).map(|(place, line)| Entry { round: Some(place.to_string()), ..game(place, line) }).collect();
    let figures = |entries: &[Entry]| {
        let found = standings(entries, &[Points, PointsWithBonus]).remove(0);
        let shown = found.rows.iter().map(|row| {
            let figures = row.figures.iter().map(|figure| figure.map_or("-".to_owned(), |figure| figure.to_string()));
            format!("{} {}", row.name, figures.collect::<Vec<_>>().join(" "))
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(figures(&entries), ["Cy 15 22.5", "Ana 13 19.5", "Bo 11 11", "Di 9 9"]);
    let without: Vec<_> = entries.into_iter().map(|entry| Entry { points: None, ..entry }).collect();
    assert_eq!(figures(&without), ["Ana - -", "Cy - -", "Bo - -", "Di - -"]);
}

/// The order by points, where the player with the most wins has the fewest points.
#[test]
fn points_with_bonus_may_come_before_the_score() {
    let lines = ["Ana 1/0/0 1-0 Bo 7/0/0", "Ana 1/0/0 1-0 Cy 5/0/0", "Bo 4/0/0 1/2-1/2 Cy 4/0/0"];
    let entries: Vec<_> = (1..).zip(lines).map(|(place, line)| game(place, line)).collect();
    let table = |order: &[TieBreak]| standings(&entries, order).remove(0);
    let found = table(&TieBreak::BY_POINTS);
    let shown: Vec<_> = found
        .rows
        .iter()
        .map(|row| {
            let figures: Vec<_> = row.figures.iter().map(|figure| figure.expect("a figure").to_string()).collect();
            format!("{} {} {}", row.place, row.name, figures.join(" "))
        })
        .collect();
    assert_eq!(shown, ["1 Bo 33 0 33 0.5", "2 Cy 27 0 27 0.5", "3 Ana 9 2 6 2"]);
    let tally = |points, bonus, [won, tied, lost]: [u64; 3]| Some(Tally { points, bonus, won, tied, lost });
    let tallies: Vec<_> = found.rows.iter().map(|row| row.tally).collect();
    let expected =
        [tally(33, Half::ZERO, [0, 1, 1]), tally(27, Half::ZERO, [0, 1, 1]), tally(6, Half::whole(3), [2, 0, 0])];
    assert_eq!(tallies, expected);
    // The score is first unless it is named, and is a figure only if it is.
    let names = |order: &[TieBreak]| table(order).rows.into_iter().map(|row| row.name).collect::<Vec<_>>();
    assert_eq!(names(&[TieBreak::Points]), ["Ana", "Bo", "Cy"]);
    assert_eq!(names(&[TieBreak::Score, TieBreak::Points]), ["Ana", "Bo", "Cy"]);
    assert_eq!(TieBreak::with_score(&[TieBreak::Points]), [TieBreak::Score, TieBreak::Points]);
    assert_eq!(TieBreak::with_score(&TieBreak::BY_POINTS), TieBreak::BY_POINTS);
}

#[test]
fn rounds_are_in_the_order_of_their_numbers() {
    let of = ["10", "2", "Semifinal", "1.10", "?", "1.2", "Final", "2"];
    let entries = (1..)
        .zip(of)
        .map(|(place, round)| Entry { round: (round != "?").then(|| round.to_owned()), ..result(place, "A 1-0 B") });
    let entries: Vec<_> = entries.collect();
    assert_eq!(rounds(&entries), ["1.2", "1.10", "2", "10", "Semifinal", "Final"]);
    let places = |round: &str| {
        let found = until_round(entries.clone(), round)?;
        Some(found.iter().map(|entry| entry.place).collect::<Vec<_>>())
    };
    assert_eq!(places("1.2"), Some(vec![6]));
    assert_eq!(places("2"), Some(vec![2, 4, 6, 8]));
    assert_eq!(places("Final"), Some(vec![1, 2, 3, 4, 6, 7, 8]));
    assert_eq!(places("3"), None);
}

#[test]
fn players_of_one_level_rank_by_points_with_bonus() {
    let entries = [
        // Both have won twice with as many points as before: level 360.
        "Ana 2/0/0 1-0 X 0/0/1",
        "Ana 2/0/0 1-0 X 0/0/1",
        "Bo 3/0/0 1-0 Y 0/0/1",
        "Bo 3/0/0 1-0 Y 0/0/1",
    ];
    let entries: Vec<_> =
        (1..).zip(entries).map(|(place, line)| Entry { round: Some(place.to_string()), ..game(place, line) }).collect();
    let mut found = players(&entries, &encounters(&entries));
    rank(&mut found);
    let names: Vec<_> = found.iter().map(|player| (player.name.as_str(), player.points_with_bonus())).collect();
    assert_eq!(
        names,
        [("Bo", Half::whole(27)), ("Ana", Half::whole(18)), ("X", Half::whole(2)), ("Y", Half::whole(2))]
    );
}

#[test]
fn a_table_for_each_event() {
    let events = ["Copa", "Liga", "Copa"];
    let entries =
        (1..).zip(events).map(|(place, event)| Entry { event: Some(event.to_owned()), ..result(place, "A 1-0 B") });
    let entries: Vec<_> = entries.chain([Entry { event: None, ..result(4, "A 1-0 B") }]).collect();
    let found = standings(&entries, &TieBreak::DEFAULT);
    let shown: Vec<_> = found.iter().map(|table| (table.event.as_deref(), table.rows[0].games())).collect();
    assert_eq!(shown, [(Some("Copa"), 2), (Some("Liga"), 1), (None, 1)]);
}

#[test]
fn the_crosstable_has_who_met_whom() {
    let found = table(&["A 1-0 B", "B 1/2-1/2 A", "C 0-1 A", "D 1-0 E"], &[]);
    let row = |name: &str| found.rows.iter().find(|row| row.name == name).expect("who played has a row");
    let cells = |name: &str| {
        let cells = row(name).meetings().into_iter().map(|meeting| {
            let scores: Vec<_> = meeting.games.iter().map(|played| played.score.to_string()).collect();
            format!("{} {} = {}", found.rows[meeting.opponent].name, scores.join(" "), meeting.score())
        });
        cells.collect::<Vec<_>>()
    };
    assert_eq!(cells("A"), ["B 1 0.5 = 1.5", "C 1 = 1"]);
    assert_eq!(cells("B"), ["A 0 0.5 = 0.5"]);
    assert_eq!(cells("E"), ["D 0 = 0"]);
}

const HEAD: &str = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n";
const MOVES: &str = "\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n";

/// The facts of a record, or why it does not count.
fn facts(record: &str, aliases: &str) -> Result<Entry, Uncounted> {
    let aliases = Aliases::parse(aliases).expect("they are good");
    let chunk = Chunk::new(record.as_bytes());
    let judged = verify::chunk(&chunk).next().expect("a record");
    match &judged.record {
        Some(record) => Entry::new(7, record, &judged.verdict, &aliases),
        None => Err(Uncounted::not_verified(&judged.verdict)),
    }
}

#[test]
fn the_facts_of_a_game() {
    let tags = "[Event \"Copa\"]\n[Round \"3\"]\n[Leg \"2\"]\n[UTCDate \"2026.08.12\"]\n[UTCTime \"10:00:00\"]\n";
    let found = facts(&format!("{HEAD}{tags}{MOVES}"), "").expect("it counts");
    assert_eq!((found.place, found.game.id, found.termination.name), (7, "andes", "continent"));
    assert_eq!(found.players, ["Ana", "Bo"]);
    assert_eq!(
        (found.event.as_deref(), found.round.as_deref(), found.leg.as_deref()),
        (Some("Copa"), Some("3"), Some("2"))
    );
    assert_eq!(found.outcome, Outcome::Win(Side::One));
    assert_eq!(found.start, Start::new(Some(DAY), Some("10:00:00")));
    let points = found.points.expect("Andes counts points");
    assert_eq!(points.counted(), [11, 9]);
    assert_eq!(points.0.map(|count| count.breaks), [[2, 0, 5], [1, 0, 6]]);
    assert_eq!((found.score(Side::One), found.score(Side::Two)), (Half::ONE, Half::ZERO));
}

#[test]
fn absent_facts_are_unknown() {
    for (event, round) in [("?", "?"), ("", ""), (" ", " ? ")] {
        let found = facts(&format!("{HEAD}[Event \"{event}\"]\n[Round \"{round}\"]\n{MOVES}"), "").expect("it counts");
        assert_eq!((found.event, found.round, found.leg, found.start), (None, None, None, Start::default()));
    }
}

#[test]
fn games_that_do_not_count() {
    let code = |record: &str| match facts(record, "") {
        Err(Uncounted::NotVerified(status, first)) => (status.as_str(), first.map(|message| message.code.id)),
        other => panic!("{other:?}"),
    };
    assert_eq!(code(&format!("{HEAD}\n1. 0a1\n*\n")), ("incomplete", None));
    assert_eq!(code(&format!("{HEAD}\n1. 0d3 2A1\n*\n")), ("rejected", Some("andes.3.6")));
    assert_eq!(code(&format!("{HEAD}[Points \"1-1\"]\n{MOVES}")), ("rejected", Some("andes.points")));
    assert_eq!(code("[Game \"chess\"]\n\n1-0\n"), ("rejected", Some("record.game")));
    assert_eq!(code("[Game \"andes\"]\n\n1. 0d3 {open\n"), ("unreadable", Some("record.syntax")));
    for unnamed in ["", "?", "  "] {
        let record = format!("[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"{unnamed}\"]\n{MOVES}");
        assert_eq!(facts(&record, ""), Err(Uncounted::Unnamed("Luna")));
    }
    assert_eq!(facts(&format!("[Game \"andes\"]\n[Luna \"Bo\"]\n{MOVES}"), ""), Err(Uncounted::Unnamed("Sol")));
    assert_eq!(facts(&format!("{HEAD}{MOVES}"), "Ana = [\"Bo\"]"), Err(Uncounted::Alone("Ana".to_owned())));
}

#[test]
fn a_game_without_points() {
    let found = Entry { points: None, ..result(1, "A 1-0 B") };
    assert_eq!(found.clone().with_points(), Err(Uncounted::Pointless(found.game)));
    assert!(players(&[found], &[]).is_empty());
}

#[test]
fn names_are_those_that_aliases_lead_to() {
    let found = facts(&format!("{HEAD}{MOVES}"), "\"Paz, Ana\" = [\"Ana\"]").expect("it counts");
    assert_eq!(found.players, ["Paz, Ana", "Bo"]);
    let found = facts(&format!("{HEAD}{MOVES}"), "\"Paz, Ana\" = [\"ana\"]").expect("it counts");
    assert_eq!(found.players, ["Ana", "Bo"], "to the letter");
}

#[test]
fn a_game_counts_once() {
    let mut entries = Entries::default();
    assert_eq!(entries.add(result(3, "A 1-0 B")), Ok(()));
    let again = Entry { place: 5, ..result(3, "A 1-0 B") };
    assert_eq!(entries.add(again), Err(Uncounted::Duplicate(3)));
    assert_eq!(entries.add(result(6, "A 1-0 B")), Ok(()));
    assert_eq!(entries.all().len(), 2);
    let places = [3, 5, 6].map(|place| entries.at(place).map(|entry| entry.place));
    assert_eq!(places, [Some(3), None, Some(6)]);
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

/// Some games among a few players, with rounds and legs as they come.
fn any_games() -> impl Strategy<Value = Vec<Entry>> {
    let players = (0..6_usize, 1..6_usize).prop_map(|(one, step)| [one, (one + step) % 6]);
    let outcome = select(&["1-0", "0-1", "1/2-1/2"][..]);
    let leg = select(&[None, Some("1"), Some("2"), Some("3")][..]);
    let counts = || (0..4_u32, 0..3_u32, 0..5_u32);
    let game = (players, outcome, leg, 1..4_u8, 0..2_u8, counts(), counts());
    vec(game, 0..40).prop_map(|games| {
        let games = (1..).zip(games).map(|(place, (players, outcome, leg, round, event, one, two))| {
            let [first, second] = players.map(|player| ["Ana", "Bo", "Cy", "Di", "Eva", "Flo"][player]);
            let counts = |(board, attacked, reserve): (u32, u32, u32)| format!("{board}/{attacked}/{reserve}");
            let line = format!("{first} {} {outcome} {second} {}", counts(one), counts(two));
            let event = ["Copa", "Liga"][usize::from(event)].to_owned();
            Entry {
                event: Some(event),
                round: Some(round.to_string()),
                leg: leg.map(str::to_owned),
                ..self::game(place, &line)
            }
        });
        games.collect()
    })
}

/// Everything that standings say, but the games by their places.
fn said(entries: &[Entry]) -> BTreeSet<String> {
    let rows = standings(entries, &TieBreak::ALL).into_iter().flat_map(|table| {
        let event = table.event.clone();
        let names: Vec<_> = table.rows.iter().map(|row| row.name.clone()).collect();
        table.rows.into_iter().enumerate().map(move |(index, row)| {
            let meetings: Vec<_> =
                row.meetings().into_iter().map(|meeting| (names[meeting.opponent].clone(), meeting.score())).collect();
            format!("{event:?} {index} {} {} {} {:?} {meetings:?}", row.place, row.name, row.score, row.figures)
        })
    });
    rows.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn scores_are_the_games(entries in any_games()) {
        for table in standings(&entries, &TieBreak::DEFAULT) {
            let of_event = entries.iter().filter(|entry| entry.event == table.event).count() as u64;
            let sum = |of: &dyn Fn(&Row) -> u64| table.rows.iter().map(of).sum::<u64>();
            prop_assert_eq!(table.rows.iter().map(|row| row.score).sum::<Half>(), Half::whole(of_event));
            prop_assert_eq!(sum(&|row| row.wins), sum(&|row| row.losses));
            prop_assert_eq!(sum(&|row| row.games()), 2 * of_event);
            // Every score counts as often as somebody has met it.
            let met: Half = table.rows.iter().flat_map(|row| row.played.iter().map(|_| row.score)).sum();
            let buchholz: Quarter = table.rows.iter().filter_map(|row| row.figures[0]).sum();
            prop_assert_eq!(buchholz, met.into());
            for (index, row) in table.rows.iter().enumerate() {
                for meeting in row.meetings() {
                    let back = table.rows[meeting.opponent].meetings();
                    let back = back.iter().find(|back| back.opponent == index).expect("who was met has met");
                    prop_assert_eq!(meeting.score() + back.score(), Half::whole(meeting.games.len() as u64));
                }
            }
            prop_assert!(table.rows.windows(2).all(|pair| pair[0].score >= pair[1].score));
            let equal = |one: &Row, other: &Row| one.score == other.score && one.figures == other.figures;
            for pair in table.rows.windows(2) {
                prop_assert_eq!(pair[0].place == pair[1].place, equal(&pair[0], &pair[1]));
            }
        }
    }

    #[test]
    fn the_order_of_entry_does_not_matter_for_standings(
        (entries, shuffled) in
            any_games().prop_flat_map(|entries| (Just(entries.clone()), Just(entries).prop_shuffle())),
    ) {
        let shuffled: Vec<_> = (1..).zip(shuffled).map(|(place, entry)| Entry { place, ..entry }).collect();
        prop_assert_eq!(said(&shuffled), said(&entries));
        let totals = |entries: &[Entry]| {
            let players = players(entries, &encounters(entries));
            players.into_iter().map(|player| (player.name, player.won, player.points, player.bonus)).collect::<Vec<_>>()
        };
        prop_assert_eq!(totals(&shuffled), totals(&entries));
    }

    #[test]
    fn bonuses_are_half_of_the_winners_points(entries in any_games()) {
        let encounters = encounters(&entries);
        for encounter in &encounters {
            let expected = [0, 1].map(|index| match encounter.winner() {
                Some(name) if name == encounter.players[index] => Half::half_of(encounter.sums[index].points.into()),
                _ => Half::ZERO,
            });
            prop_assert_eq!(encounter.bonus(), expected);
        }
        // Each game is in one encounter.
        let mut games: Vec<_> = encounters.iter().flat_map(|encounter| encounter.games.clone()).collect();
        games.sort_unstable();
        prop_assert_eq!(games, entries.iter().map(|entry| entry.place).collect::<Vec<_>>());
        for player in players(&entries, &encounters) {
            let own = encounters.iter().filter_map(|encounter| Some((encounter, encounter.index_of(&player.name)?)));
            let points: u64 = own.map(|(encounter, index)| u64::from(encounter.sums[index].points)).sum();
            prop_assert_eq!(player.points, points);
        }
    }
}

/// The entries of a text, each with its sheet.
fn entries_with_sheets(text: &str) -> Vec<(Entry, Sheet)> {
    let aliases = Aliases::default();
    let mut found = Vec::new();
    each_chunk(text.as_bytes(), |chunk| {
        found.extend(
            verify::with_texts([*chunk], |judged, text| {
                let record = judged.record.as_ref()?;
                let entry = Entry::new(0, record, &judged.verdict, &aliases).ok()?;
                Some((entry, Sheet::new(record, &judged.verdict, || Moves::of_text(text), &aliases)?))
            })
            .filter_map(|(.., found)| found),
        );
    });
    found
}

#[test]
fn entries_and_their_sheets_are_read_back_from_their_texts() {
    let of_games = ["games", "loose", "mutants"]
        .into_iter()
        .flat_map(|name| ALL.iter().flat_map(move |game| every(game.notation().id, name, "quipu")));
    let texts: Vec<_> = of_games
        .chain(["andes/cup.quipu".to_owned()])
        .map(|file| String::from_utf8_lossy(&bytes(&file)).into_owned())
        .collect();
    let (mut written, mut read) = (Sheets::default(), Sheets::default());
    let mut found = [0; 3];
    // Again, in another round, and in another event.
    let tags = ["[Round \"", "[Event \""].map(|tag| (tag, format!("{tag}9")));
    for (from, to) in [("", String::new()), ("", String::new())].into_iter().chain(tags) {
        for (entry, sheet) in texts.iter().flat_map(|text| entries_with_sheets(&text.replace(from, &to))) {
            found[0] += 1;
            let again = read_entry(&write_entry(&entry, Some(&sheet.clone().hashed())));
            let Some(Candidate::Entry(same, Some(hashed))) = again else { panic!("{entry:?}") };
            assert_eq!(same, entry);
            let Related { sheet_of, repeats, .. } = written.add(found[0], &sheet);
            let expected = Related { sheet_of, contradicts: None, repeats };
            assert_eq!(read.add(found[0], &hashed), expected, "{entry:?}");
            found[1] += u64::from(sheet_of.is_some());
            found[2] += u64::from(repeats.is_some());
        }
    }
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
}

#[test]
fn texts_that_no_entry_has_are_refused() {
    for text in ["", "{}", "null", "[Game \"andes\"]"] {
        assert!(read_entry(text).is_none(), "{text}");
    }
    let text = write_entry(&result(1, "Ana 1-0 Bo"), None);
    let with = |path: &str, value: &Value| {
        let mut text: Value = serde_json::from_str(&text).expect("JSON");
        *text.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value.clone();
        read_entry(&text.to_string()).is_some()
    };
    for (path, value) in [
        ("/players/1", json!("Ana")),
        ("/players/0", json!(" ")),
        ("/players/0", json!("?")),
        ("/event", json!("")),
        ("/round", json!("?")),
        ("/start", json!("rubbish")),
        ("/start", json!("2026.11.26 9:00")),
        ("/result", json!("*")),
        ("/result", json!("1/2-1/2")),
        ("/termination", json!("agreement")),
        ("/termination", json!("corner")),
        ("/points", Value::Null),
        ("/points/0/0", json!(u32::MAX)),
        ("/points/1/3", json!(1001)),
        ("/game", json!("brandubh")),
    ] {
        assert!(!with(path, &value), "{path} {value}");
    }
    for (path, value) in [
        ("/players/1", json!("Li")),
        ("/event", Value::Null),
        ("/start", json!("2026.11.26 09:00:00")),
        ("/result", json!("0-1")),
        ("/termination", json!("adjudication")),
        ("/termination", json!("continent")),
        ("/points/0/0", json!(1000)),
    ] {
        assert!(with(path, &value), "{path} {value}");
    }
}
