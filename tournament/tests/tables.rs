//! Tables of a tournament: signs of the crosstable, byes, points, orders of pairings, and both languages.

use quipu_notation::games;
use quipu_referee::Lang;
use quipu_tournament::{
    model::{Change, Encounter, GameOutcome, GameResult, Player, System, Tally, Tournament, TournamentSettings},
    pairing,
    tables::{ListOrder, Tables, TournamentTable, Value},
};

fn tournament(names: &[&str], rounds: u32, encounter: Encounter) -> Tournament {
    let settings = serde_json::json!({
        "name": "Copa", "system": System::Swiss { accelerated: false }, "rounds": rounds, "encounter": encounter,
        "first_side": 1, "bye": "half", "tie_breaks": ["buchholz", "direct-encounter"],
    });
    let settings: TournamentSettings = serde_json::from_value(settings).expect("good settings");
    let mut tournament = Tournament::new(settings).expect("good settings");
    for (name, rating) in names.iter().zip((0..2000).rev()) {
        let player = Player { name: (*name).to_owned(), rating: Some(rating), ..Player::default() };
        tournament.apply(&Change::Enter { player, first: 1 }).expect("it is allowed");
    }
    tournament
}

/// Pairs a round and sets the first game of each board.
fn play(tournament: &mut Tournament, outcomes: &[GameOutcome]) {
    let pairing = pairing::next(tournament).expect("it can be paired");
    tournament.apply(&pairing.change()).expect("it is the next round");
    let round = tournament.next_round() - 1;
    for ((board, paired), outcome) in (1..).zip(&pairing.boards).zip(outcomes) {
        let result = GameResult::by_arbiter(*outcome);
        let change = Change::Result { round, board, game: 1, players: paired.players, result };
        tournament.apply(&change).expect("a board");
    }
}

fn tables(tournament: &Tournament, lang: Lang) -> Tables<'_> {
    Tables::new(tournament, games::find("andes").expect("a game"), lang)
}

fn headings(table: &TournamentTable) -> Vec<&str> {
    table.columns.iter().map(|column| column.heading.as_str()).collect()
}

#[track_caller]
fn check(table: &TournamentTable, expected: &[&[&str]]) {
    let shown = |value: &Value| match value {
        Value::Empty => String::new(),
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
    };
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
    assert_eq!(rows, expected, "{}", table.title);
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.title);
}

#[test]
fn the_crosstable_ends_with_the_last_closed_round() {
    let mut cup = tournament(&["Ana", "Beto", "Carla"], 3, Encounter::Single);
    let before = tables(&cup, Lang::En).crosstable();
    assert_eq!(before.title, "Copa · Crosstable before the first round");
    assert_eq!((before.rows.len(), before.note), (3, None));
    play(&mut cup, &[GameOutcome::ForfeitToFirst]);
    cup.apply(&Change::Close { round: 1 }).expect("it is complete");
    play(&mut cup, &[]);
    let table = tables(&cup, Lang::Es).crosstable();
    assert_eq!(table.title, "Copa · Tabla cruzada después de la ronda 1 de 3");
    let expected = ["puesto", "n.º", "jugador", "Elo", "R1", "puntaje", "Buchholz", "encuentro directo"];
    assert_eq!(headings(&table), expected);
    check(
        &table,
        &[
            &["1", "1", "Ana", "1999", "2S+", "1", "0", ""],
            &["2", "3", "Carla", "1997", "(½)", "0.5", "0.5", ""],
            &["3", "2", "Beto", "1998", "1L−", "0", "0", ""],
        ],
    );
    assert!(table.note.is_some_and(|note| note.contains("S: Sol, L: Luna")));
    let standings = tables(&cup, Lang::En).standings();
    let expected =
        ["place", "no.", "player", "rating", "score", "won", "drawn", "lost", "Buchholz", "direct encounter"];
    assert_eq!(headings(&standings), expected);
}

#[test]
fn rounds_have_results_byes_and_origins() {
    let mut cup = tournament(&["Ana", "Beto", "Carla"], 3, Encounter::Single);
    play(&mut cup, &[GameOutcome::Draw]);
    let tables = tables(&cup, Lang::En);
    let round = tables.round(1).expect("it is paired");
    assert_eq!((round.name.as_str(), tables.round(2)), ("Round 1", None));
    let expected =
        ["board", "no. 1", "Sol", "rating 1", "result", "no. 2", "Luna", "rating 2", "score 1", "score 2", "origin"];
    assert_eq!(headings(&round), expected);
    check(
        &round,
        &[
            &["1", "1", "Ana", "1999", "1/2-1/2", "2", "Beto", "1998", "0.5", "0.5", "arbiter"],
            &["", "3", "Carla", "1997", "bye", "", "", "", "0.5", "", ""],
        ],
    );
    let list = tables.pairings(1, ListOrder::Board).expect("it is paired");
    check(&list, &[&["1", "Ana", "1/2-1/2", "Beto"], &["", "Carla", "", "bye (½)"]]);
    assert_eq!(tables.pairings(2, ListOrder::Board), None);
}

#[test]
fn games_with_points_have_columns_for_them() {
    let mut cup = tournament(&["Ana", "Beto"], 1, Encounter::TwoLegs);
    play(&mut cup, &[]);
    let tallies = |points: [u32; 2]| Some(points.map(|points| Tally { points, ..Tally::default() }));
    let players = cup.round(1).expect("it is paired").boards[0].players;
    for (game, outcome, points) in [(1, GameOutcome::First, [31, 24]), (2, GameOutcome::Second, [20, 25])] {
        let result = GameResult { tallies: tallies(points), ..GameResult::by_arbiter(outcome) };
        cup.apply(&Change::Result { round: 1, board: 1, game, players, result }).expect("a board");
    }
    let round = tables(&cup, Lang::Es).round(1).expect("it is paired");
    let points = round.columns.iter().position(|column| column.heading == "puntos 1").expect("a column");
    assert_eq!(headings(&round)[2], "empieza con Sol");
    let shown: Vec<_> = round.rows[0][points..].iter().map(|value| format!("{value:?}")).collect();
    assert!(shown[0].contains("204") && shown[1].contains("196") && shown[2].contains("árbitro"), "{shown:?}");
    assert!(matches!(&round.rows[0][4], Value::Text(text) if text == "1-0  1-0"), "{:?}", round.rows[0][4]);
}

#[test]
fn names_are_found_by_their_letters() {
    let mut cup = tournament(&["Zoe", "Álvaro", "beto", "Ana"], 1, Encounter::Single);
    play(&mut cup, &[]);
    let list = tables(&cup, Lang::En).pairings(1, ListOrder::Name).expect("it is paired");
    assert_eq!(headings(&list), ["player", "board", "side", "opponent"]);
    check(
        &list,
        &[
            &["Álvaro", "2", "Luna", "Ana"],
            &["Ana", "2", "Sol", "Álvaro"],
            &["beto", "1", "Luna", "Zoe"],
            &["Zoe", "1", "Sol", "beto"],
        ],
    );
}
