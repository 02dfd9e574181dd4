//! Tables of a tournament on paper: every row and column is there once, on as many pages as it takes.

use quipu_notation::games;
use quipu_pictures as pictures;
use quipu_referee::Lang;
use quipu_tournament::{
    model::{Change, GameOutcome, GameResult, Player, PlayerId, Tournament, TournamentSettings},
    pairing,
    tables::{ListOrder, Tables},
};

use super::pages::Pdf;

/// A4 in points.
const A4: (f32, f32) = (595.27, 841.88);

fn tournament(system: &str, rounds: u32, players: u32, name: impl Fn(u32) -> String) -> Tournament {
    let settings = serde_json::json!({
        "name": "Copa", "system": {"kind": system}, "rounds": rounds, "encounter": {"kind": "single"},
        "first_side": 1, "tie_breaks": ["buchholz"],
    });
    let settings: TournamentSettings = serde_json::from_value(settings).expect("good settings");
    let mut tournament = Tournament::new(settings).expect("good settings");
    for number in 1..=players {
        let player = Player { name: name(number), rating: Some(2000), ..Player::default() };
        tournament.apply(&Change::Enter { player, first: 1 }).expect("it is allowed");
    }
    tournament
}

/// Ends the round with a win on every board.
fn win(tournament: &mut Tournament) {
    let round = tournament.next_round() - 1;
    let boards = tournament.round(round).expect("it is paired").boards.clone();
    for (board, paired) in (1..).zip(&boards) {
        let result = GameResult::by_arbiter(GameOutcome::First);
        let change = Change::Result { round, board, game: 1, players: paired.players, result };
        tournament.apply(&change).expect("a board");
    }
    tournament.apply(&Change::Close { round }).expect("it is complete");
}

fn tables(tournament: &Tournament) -> Tables<'_> {
    Tables::new(tournament, games::find("andes").expect("a game"), Lang::En)
}

/// The number of pages, all of this width and height, and the lines of text.
#[track_caller]
fn check(pdf: &[u8], across: bool) -> (usize, Vec<String>) {
    let pdf = Pdf::read(pdf);
    let pages = pdf.pages();
    let expected = if across { (A4.1, A4.0) } else { A4 };
    for (width, height) in &pages {
        assert!((width - expected.0).abs() < 0.1 && (height - expected.1).abs() < 0.1, "{width} {height}");
    }
    (pages.len(), pdf.text().lines().map(str::to_owned).collect())
}

fn count(lines: &[String], text: &str) -> usize {
    lines.iter().filter(|line| *line == text).count()
}

#[test]
fn a_thousand_players_are_on_the_wall() {
    let name = |number| format!("Jugadora con un nombre muy largo, la {number}");
    let mut cup = tournament("swiss", 9, 1000, name);
    let boards = (1..=500).map(|number| [PlayerId(number), PlayerId(number + 500)]).collect();
    cup.apply(&Change::Pair { round: 1, boards, bye: None }).expect("it is the first round");
    win(&mut cup);
    let chart = pictures::wall_chart_pdf(&tables(&cup).crosstable(), Lang::En);
    assert_eq!(chart, pictures::wall_chart_pdf(&tables(&cup).crosstable(), Lang::En));
    let (pages, lines) = check(&chart, true);
    assert!((25..50).contains(&pages), "{pages}");
    assert_eq!(count(&lines, "Copa · Crosstable after round 1 of 9"), pages);
    for number in 1..=1000 {
        assert_eq!(count(&lines, &name(number)), 1, "{number}");
    }
    assert_eq!((count(&lines, "501S1"), count(&lines, "1L0")), (1, 1));
    assert_eq!(count(&lines, &format!("page {pages} of {pages}")), 1);

    let list = tables(&cup).pairings(1, ListOrder::Board).expect("it is paired");
    let (by_board, lines) = check(&pictures::wall_list_pdf(&list, Lang::En), false);
    assert!((15..30).contains(&by_board), "{by_board}");
    assert_eq!(count(&lines, "1-0"), 500);
    let list = tables(&cup).pairings(1, ListOrder::Name).expect("it is paired");
    let (by_name, lines) = check(&pictures::wall_list_pdf(&list, Lang::En), false);
    assert!((30..60).contains(&by_name), "{by_name}");
    assert_eq!(count(&lines, "Sol"), 500);
}

#[test]
fn rounds_that_do_not_fit_continue_on_sheets_that_repeat_the_names() {
    let mut cup = tournament("round-robin", 1, 42, |number| format!("P{number}"));
    for _ in 0..41 {
        let pairing = pairing::next(&cup).expect("it can be paired");
        cup.apply(&pairing.change()).expect("it is the next round");
        win(&mut cup);
    }
    let (pages, lines) = check(&pictures::wall_chart_pdf(&tables(&cup).crosstable(), Lang::En), true);
    // Every round has one heading on each sheet that shows it, and every player a row on each sheet of its rows.
    let blocks = count(&lines, "R1");
    let bands = count(&lines, "P1");
    assert!(bands > 1 && pages == blocks * bands, "{pages} {blocks} {bands}");
    assert!((1..=41).all(|round| count(&lines, &format!("R{round}")) == blocks));
    assert!((1..=42).all(|number| count(&lines, &format!("P{number}")) == bands));
    assert_eq!(count(&lines, "Buchholz"), blocks);
}

#[test]
fn a_table_without_rows_is_a_page() {
    let (pages, lines) = check(
        &pictures::wall_chart_pdf(&tables(&tournament("swiss", 3, 0, |_| String::new())).crosstable(), Lang::Es),
        true,
    );
    assert_eq!((pages, count(&lines, "Copa · Crosstable before the first round")), (1, 1));
    assert_eq!(count(&lines, "página 1 de 1"), 1);
}
