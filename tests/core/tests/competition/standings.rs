//! Standings, their order and their crosstables.

use quipu_referee::competition::{
    Direct, Entry, Half, Standings, Tally, TieBreak, encounters, players, rank, rounds, standings, until_round,
};

use super::{game, result};

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
