//! `quipu tournament`: a small cup by commands, the JSON for scripts, and refusals with the next command to type.

use quipu_tests_service::{
    program::{Run, run},
    sheet_codes::sheet_codes,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    sheets::{folder, put},
    with,
};

/// The archive of a cup.
pub(crate) struct Cup {
    pub(crate) folder: TempDir,
    data: String,
}

impl Cup {
    fn new() -> Self {
        let folder = folder();
        let data = folder.path().join("archive").to_str().expect("our paths are UTF-8").to_owned();
        Self { folder, data }
    }

    pub(crate) fn run(&self, lang: &str, arguments: &[&str]) -> Run {
        run(&with(&["tournament", "--lang", lang], &with(arguments, &["--data", &self.data])))
    }

    /// Runs a command that succeeds without messages, and returns its output.
    #[track_caller]
    pub(crate) fn good(&self, arguments: &[&str]) -> String {
        let run = self.run("en", arguments);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}: {run:#?}");
        run.stdout
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.good(&with(arguments, &["--json"]))).expect("JSON")
    }

    /// Runs a command that fails with a status and these words.
    #[track_caller]
    pub(crate) fn bad(&self, arguments: &[&str], status: i32, words: &[&str]) {
        let run = self.run("en", arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{arguments:?}: {run:#?}");
        for word in words {
            assert!(run.stderr.contains(word), "{arguments:?}: {word} in {}", run.stderr);
        }
    }

    /// A Swiss tournament of Andes with these players, whose number is 1.
    pub(crate) fn swiss(players: &str, rounds: &str, more: &[&str]) -> Self {
        Self::of("andes", players, rounds, more)
    }

    /// The same of another game.
    fn of(game: &str, players: &str, rounds: &str, more: &[&str]) -> Self {
        let cup = Self::new();
        let new = ["new", "Copa", "--game", game, "--system", "swiss", "--rounds", rounds, "--first-side", "1"];
        assert_eq!(cup.json(&with(&new, more)), json!({"tournament": 1}));
        let file = put(&cup.folder, "players.csv", players.as_bytes());
        cup.good(&["players", "1", "--add", &file]);
        cup
    }
}

const FOUR: &str = "name,rating\nRosa,2000\nLuis,1900\nAna,1800\nInés,1700\n";

#[test]
fn a_small_cup_from_the_entry_list_to_the_standings() {
    let cup = Cup::swiss(FOUR, "2", &[]);
    assert_eq!(
        cup.json(&["pair", "1"]),
        json!({"round": 1, "boards": [{"board": 1, "players": ["Rosa", "Ana"]}, {"board": 2, "players": ["Inés", "Luis"]}],
               "byes": []})
    );
    assert_eq!(cup.good(&["result", "1", "--round", "1", "--board", "1", "1-0"]), "round 1, board 1: Rosa 1-0 Ana\n");
    cup.bad(
        &["pair", "1"],
        1,
        &["Results are missing in round 1: board 2.", "quipu tournament result 1 --round 1 --board BOARD RESULT"],
    );
    cup.good(&["result", "1", "--round", "1", "--board", "2", "1-0"]);
    // Both winners had side 1, and both losers side 2: the higher one gets the other side.
    assert_eq!(
        cup.json(&["pair", "1"]),
        json!({"round": 2, "boards": [{"board": 1, "players": ["Inés", "Rosa"]}, {"board": 2, "players": ["Luis", "Ana"]}],
               "byes": []})
    );
    cup.bad(&["pair", "1", "--round", "2"], 1, &["already paired", "quipu tournament unpair 1 --round 2 --reason"]);
    cup.good(&["result", "1", "--board", "1", "0-1"]);
    cup.good(&["result", "1", "--board", "2", "1-0"]);
    cup.good(&["close", "1"]);
    cup.bad(&["pair", "1"], 1, &["2 rounds", "quipu tournament standings 1"]);

    // Rosa beat Ana and Inés; Inés beat Luis; Luis beat Ana. Buchholz: Inés 1 + 2, Luis 1 + 0, each without the lowest.
    let table = cup.json(&["standings", "1"]);
    let rows = table["rows"].as_array().expect("rows");
    let row = |row: &Value| json!([row["place"], row["name"], row["score"], row["figures"][0]["value"]]);
    let expected =
        [json!([1, "Rosa", 2, 1]), json!([2, "Inés", 1, 2]), json!([3, "Luis", 1, 1]), json!([4, "Ana", 0, 2])];
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
    assert_eq!(cup.json(&["list"])[0]["paired"], 2);
    for format in ["trf16", "trf26"] {
        let file = cup.folder.path().join(format).to_str().expect("UTF-8").to_owned();
        let run = cup.run("en", &["export", "1", "--to", format, "-o", &file]);
        assert_eq!(run.status, Some(0), "{run:#?}");
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(text.lines().any(|line| line.starts_with("001    1 ")) && text.contains("012 Copa"), "{text}");
        let other = Cup::new();
        assert_eq!(other.run("en", &["import", &file, "--game", "andes", "--json"]).status, Some(0));
        let again = other.json(&["standings", "1"]);
        assert_eq!(again["rows"].as_array().map(Vec::len), Some(4));
        assert_eq!(again["rows"][0]["name"], "Rosa");
    }
}

#[test]
fn byes_absences_and_withdrawals() {
    let cup = Cup::swiss("nombre;elo\nRosa;2000\nLuis;1900\nAna;1800\nInés;1700\nEva;1600\n", "3", &[]);
    cup.good(&["players", "1", "--absent", "Rosa", "--bye", "half", "--withdraw", "Eva"]);
    // Luis, Ana and Inés are left: the last one has the bye. Luis has an even number, and so the other side than side 1.
    let paired = cup.json(&["pair", "1"]);
    assert_eq!(paired["byes"], json!(["Rosa", "Inés"]));
    assert_eq!(paired["boards"], json!([{"board": 1, "players": ["Ana", "Luis"]}]));
    cup.good(&["result", "1", "--board", "1", "0-1F"]);
    let scores = cup.json(&["standings", "1"]);
    let score = |name: &str| {
        scores["rows"].as_array().expect("rows").iter().find(|row| row["name"] == name).expect("a row")["score"].clone()
    };
    assert_eq!([score("Rosa"), score("Inés"), score("Luis"), score("Ana")], [json!(0.5), json!(1), json!(1), json!(0)]);
    cup.good(&["players", "1", "--enter", "Zoe", "--rating", "2100"]);
    let entries = cup.json(&["players", "1"]);
    assert_eq!(entries["players"][5], json!({"number": 6, "name": "Zoe", "rating": 2100, "first": 2}));
    cup.bad(&["players", "1", "--enter", "Zoe"], 1, &["entered already"]);
    cup.bad(&["players", "1", "--withdraw", "Zoé X"], 2, &["Perhaps Zoe?"]);
}

#[test]
fn a_list_of_a_spreadsheet_in_windows_1252_is_read() {
    let cup = Cup::swiss("nombre;elo\nRosa;2000\n", "3", &[]);
    let file = put(&cup.folder, "more.csv", b"nombre;elo\r\nIn\xe9s Mu\xf1oz;1700\r\n");
    cup.good(&["players", "1", "--add", &file]);
    assert_eq!(cup.json(&["players", "1"])["players"][1]["name"], "Inés Muñoz");
    let mixed = put(&cup.folder, "mixed.csv", b"nombre;elo\r\nIn\xc3\xa9s;1\r\nMu\xf1oz;1700\r\n");
    assert_ne!(cup.run("en", &["players", "1", "--add", &mixed]).status, Some(0));
}

#[test]
fn legs_have_their_own_sides() {
    let cup = Cup::swiss(FOUR, "3", &["--encounter", "two-legs"]);
    cup.good(&["pair", "1"]);
    let order = json!(["points-with-bonus", "encounters", "points", "score"]);
    assert_eq!(cup.json(&["standings", "1"])["order"], order);
    cup.bad(&["result", "1", "--board", "1", "1-0"], 2, &["2 games", "--leg"]);
    // The order counts points, and these results have none.
    let run = cup.run("en", &["result", "1", "--board", "1", "--leg", "1", "1-0"]);
    assert!(run.status == Some(0) && run.stderr.contains("the points of game 1 are missing"), "{run:#?}");
    let run = cup.run("en", &["result", "1", "--board", "1", "--leg", "2", "0-1"]);
    assert_eq!(run.stdout, "round 1, board 1, leg 1: Rosa 1-0 Ana\nround 1, board 1, leg 2: Ana 0-1 Rosa\n");
    assert_eq!(run.stderr.matches("are missing").count(), 2, "{run:#?}");
    cup.good(&["result", "1", "--board", "2", "1-0F"]);
    cup.bad(
        &["result", "1", "--board", "2", "--leg", "1", "1-0F", "--points", "3-4", "--reason", "x"],
        1,
        &["no points"],
    );
    let with_points = |points| {
        cup.run("en", &["result", "1", "--board", "1", "--leg", "1", "1-0", "--points", points, "--reason", "x"])
    };
    let run = with_points("13-14");
    assert!(run.status == Some(0) && run.stderr.contains("not that of the points (13-14)"), "{run:#?}");
    // All 14 pieces are worth 14 to 42 points.
    for (points, sum) in [("31-24", "add up to 55"), ("43-0", "add up to 43"), ("3-4", "add up to 7")] {
        let run = with_points(points);
        let said = run.stderr.contains(sum) && run.stderr.contains("the 14 pieces are worth 14 to 42 together");
        assert!(run.status == Some(1) && said, "{run:#?}");
    }
    assert_eq!(cup.json(&["boards", "1"])["boards"][0]["games"][0]["points"], json!([13, 14]));
    let round = cup.json(&["boards", "1"]);
    assert_eq!(round["boards"][0]["scores"], json!([1, 0]));
    assert_eq!(round["boards"][1]["games"][1]["scores"], json!([1, 0]));
    let sheets = cup.folder.path().join("sheets.pdf").to_str().expect("UTF-8").to_owned();
    cup.good(&["sheets", "1", "-o", &sheets]);
    let pdf = std::fs::read(&sheets).expect("a file");
    assert!(pdf.starts_with(b"%PDF-"));
    // Two boards of two legs.
    assert!(String::from_utf8_lossy(&pdf).contains("/Count 4"));
}

#[test]
fn standings_of_an_open_round_say_so_and_explain_themselves() {
    let cup = Cup::swiss(FOUR, "3", &["--encounter", "two-legs"]);
    cup.good(&["pair", "1"]);
    for (leg, points) in [("1", "25-10"), ("2", "14-20")] {
        let outcome = if leg == "1" { "1-0" } else { "0-1" };
        cup.good(&["result", "1", "--board", "1", "--leg", leg, outcome, "--points", points]);
    }
    let table = cup.good(&["standings", "1"]);
    assert!(
        table.starts_with("Copa: round 1 of 3; encounters without a result, which do not count yet: 1\n"),
        "{table}"
    );
    let csv = cup.good(&["standings", "1", "--csv"]);
    assert_eq!(
        csv.lines().next(),
        Some("place,name,wins,draws,losses,points-with-bonus,encounters,points,score"),
        "each figure has one column"
    );
    let explained = cup.good(&["standings", "1", "--explain", "Rosa"]);
    assert_eq!(
        explained,
        "Rosa: place 1 of 4, score 1\n\
         round 1, Ana: 1  (arbiter)\n\n\
         points with bonus: 67.5\n    round 1, Ana: 67.5\n\n\
         encounters won: 1\n    round 1, Ana: 1\n\n\
         points of games: 45\n    round 1, Ana: 45\n\n\
         total score: 1\n    round 1, Ana: 1\n"
    );
    cup.bad(&["standings", "1", "--explain", "Rosá"], 2, &["Perhaps Rosa?"]);
    cup.good(&["players", "1", "--enter", "Zoe", "--round", "3"]);
    cup.bad(&["standings", "1", "--explain", "Zoe"], 1, &["Zoe enters in a later round"]);
    cup.bad(&["standings", "1", "--explain", "Rosa", "--csv"], 2, &["--explain"]);
    cup.good(&["result", "1", "--board", "2", "1-0F"]);
    assert!(cup.good(&["standings", "1"]).starts_with("Copa: after round 1 of 3\n"));
}

#[test]
fn a_game_without_points_takes_none() {
    let cup = Cup::of("querni", FOUR, "3", &["--encounter", "two-legs"]);
    cup.good(&["pair", "1"]);
    cup.bad(&["result", "1", "--board", "1", "--leg", "1", "1-0", "--points", "20-10"], 1, &["counts no points"]);
    // Nor are they missed.
    cup.good(&["result", "1", "--board", "1", "--leg", "1", "1-0"]);
}

#[test]
fn tie_breaks_that_say_nothing_in_a_round_robin_get_a_remark() {
    let cup = Cup::swiss(FOUR, "3", &[]);
    let remark = "these break no tie: buchholz, buchholz-median. In the end everybody has had the same";
    let new = |name: &str, system: &str, list: &str| {
        cup.run("en", &["new", name, "--game", "andes", "--system", system, "--rounds", "3", "--tie-breaks", list])
    };
    let made = new("Liga", "round-robin", "wins,buchholz,buchholz-median");
    assert!(made.status == Some(0) && made.stderr.contains(remark), "{made:#?}");
    for (name, system, list) in [
        ("Liga 2", "round-robin", "sonneborn-berger,koya"),
        ("Llaves", "knockout", "buchholz"),
        ("Copa 2", "swiss", "buchholz"),
    ] {
        let made = new(name, system, list);
        assert!(made.status == Some(0) && made.stderr.is_empty(), "{made:#?}");
    }
    let number = made.stdout.strip_prefix("tournament ").and_then(|said| said.split(':').next()).expect("a number");
    let order = |list| cup.run("en", &["tie-breaks", number, list, "--reason", "x"]);
    assert!(order("buchholz,buchholz-median").stderr.contains(remark));
    assert_eq!(order("wins").stderr, "");
}

#[test]
fn boards_say_why_they_are_played() {
    let cup = Cup::swiss(FOUR, "3", &[]);
    cup.good(&["pair", "1"]);
    let explained = cup.good(&["boards", "1", "--explain"]);
    assert!(explained.starts_with("Round 1 of 3\nSwiss system, Dutch rules of FIDE (C.04.3)"), "{explained}");
    let board = "\n\nboard 1: Rosa – Ana\n    Score bracket 1, from the top.\n    Rosa: number 1, score 0.\n    \
                 Ana: number 3, score 0.\n    Sides: the number of the higher ranked player decides, odd or even (5.2.5).\n";
    assert!(explained.contains(board), "{explained}");
    let json = cup.json(&["boards", "1", "--explain"]);
    assert_eq!(json["boards"][0]["players"], json!(["Rosa", "Ana"]));
    assert_eq!(json["boards"][0]["explanation"]["sides"], "5.2.5");
    let by_rule = |json: &Value| {
        json["boards"].as_array().expect("boards").iter().map(|board| board["by_rule"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(by_rule(&json), [json!(true), json!(true)]);
    cup.bad(&["boards", "1", "--explain", "--csv"], 2, &["--explain"]);
    // Results change no reasons; another pairing is none of the rules.
    cup.good(&["result", "1", "--board", "1", "1-0"]);
    assert_eq!(cup.good(&["boards", "1", "--explain"]), explained);
    cup.good(&["unpair", "1", "--reason", "by hand"]);
    assert_eq!(cup.run("en", &["pair", "1", "--board", "Rosa:Luis", "--board", "Ana:Inés"]).status, Some(0));
    assert!(cup.good(&["boards", "1", "--explain"]).contains("board 1: Rosa – Luis\n    It was paired by hand"));
    let json = cup.json(&["boards", "1", "--explain"]);
    assert_eq!((by_rule(&json), &json["boards"][0]["explanation"]), (vec![json!(false); 2], &json!(null)));
    let spanish = cup.run("es", &["boards", "1", "--explain"]).stdout;
    assert!(spanish.contains("tablero 1: Rosa – Luis\n    Se emparejó a mano"), "{spanish}");
}

#[test]
fn a_pairing_by_hand_is_checked() {
    let cup = Cup::swiss(FOUR, "3", &[]);
    cup.bad(&["pair", "1", "--board", "Rosa:Luis"], 1, &["neither a board nor a bye"]);
    cup.good(&["players", "1", "--forbid", "Rosa:Luis"]);
    cup.bad(&["pair", "1", "--board", "Rosa:Luis", "--board", "3:4"], 1, &["Rosa and Luis is forbidden"]);
    let forced = cup.run("en", &["pair", "1", "--board", "Rosa:Luis", "--board", "3:4", "--force", "--json"]);
    assert_eq!(forced.status, Some(0), "{forced:#?}");
    let paired: Value = serde_json::from_str(&forced.stdout).expect("JSON");
    assert_eq!(paired["boards"][1]["players"], json!(["Ana", "Inés"]));
}

#[test]
fn a_result_is_replaced_and_undone_with_a_reason() {
    let cup = Cup::swiss(FOUR, "3", &[]);
    cup.bad(&["result", "1", "--board", "1", "1-0"], 1, &["not paired", "quipu tournament pair 1"]);
    cup.good(&["pair", "1"]);
    cup.bad(&["result", "1", "--board", "3", "1-0"], 1, &["no board 3"]);
    cup.bad(
        &["result", "1", "--board", "1", "--player", "Luis", "1-0"],
        1,
        &["Luis is not on board 1", "Rosa and Ana"],
    );
    cup.good(&["result", "1", "--board", "1", "1-0"]);
    cup.bad(&["result", "1", "--board", "1", "0-1"], 1, &["has the result 1-0", "--reason"]);
    cup.good(&["result", "1", "--board", "1", "0-1", "--reason", "written in the wrong order"]);
    cup.bad(&["undo", "1"], 2, &["--reason"]);
    let history = cup.good(&["history", "1"]);
    let lines: Vec<_> = history.lines().collect();
    let told = [
        "creation of the tournament",
        "4 entries",
        "pairing of round 1",
        "game 1: Rosa 1-0 Ana",
        "game 1: Rosa 0-1 Ana",
    ];
    assert_eq!(lines.len(), told.len(), "{history}");
    for ((number, line), what) in (1..).zip(&lines).zip(told) {
        assert!(line.starts_with(&format!("{number}  ")) && line.contains(what), "{line}");
    }
    assert!(lines[4].ends_with("(quipu tournament result): written in the wrong order"), "{history}");
    let undone = cup.good(&["undo", "1", "--reason", "a slip"]);
    assert!(
        undone.contains("undid the change 5: round 1, board 1, game 1: Rosa 0-1 Ana  (quipu tournament undo): a slip")
    );
    let history = cup.good(&["history", "1"]);
    assert!(history.trim_end().ends_with("[undone by the change 6]"), "{history}");
    assert!(history.contains("no. 1 0-1 no. 3"), "players of undone changes have numbers: {history}");
    cup.bad(&["history", "9"], 2, &["no tournament 9"]);
    assert_eq!(cup.json(&["boards", "1"])["boards"][0]["scores"], json!([1, 0]));
    cup.bad(&["undo", "1", "--change", "3", "--reason", "a slip"], 1, &["change 4", "Undo change 4 first"]);
    cup.bad(&["standings", "9"], 2, &["no tournament 9"]);
    let spanish = cup.run("es", &["pair", "1"]);
    assert!(spanish.stderr.contains("Faltan resultados") && spanish.stderr.contains("quipu tournament boards 1"));
}

#[test]
fn imported_records_give_results() {
    let cup = Cup::swiss(FOUR, "3", &[]);
    cup.good(&["pair", "1"]);
    let game = |sol: &str, luna: &str| {
        format!(
            "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"1\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n[Result \"1-0\"]\n\n\
             1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
        )
    };
    let file = put(&cup.folder, "games.quipu", format!("{}\n{}", game("Rosa", "Ana"), game("Ines", "Luis")).as_bytes());
    assert_eq!(run(&["archive", "import", &file, "--data", &cup.data]).status, Some(0));
    let shown = cup.run("en", &["boards", "1"]);
    assert!(shown.stdout.contains("record") && shown.stderr.contains("“Inés” is in the tournament"), "{shown:#?}");
    let round = cup.json(&["boards", "1"]);
    assert_eq!(round["boards"][0]["games"][0]["origin"], "record");
    assert_eq!(round["misfits"][0]["code"], "record.other-spelling");
    let record = cup.json(&["standings", "1"])["rows"][0]["records"][0].clone();
    assert_eq!(record, round["boards"][0]["games"][0]["record"]);
    cup.bad(&["result", "1", "--board", "1", "0-1"], 1, &["quipu archive correct"]);
    assert_eq!(run(&["archive", "check", "--data", &cup.data]).status, Some(0));
}

#[test]
fn round_robin_knockout_and_prospects_work() {
    let cup = Cup::new();
    cup.bad(&["new", "Liga", "--game", "andes", "--system", "swiss"], 2, &["--rounds"]);
    cup.bad(&["new", "Liga", "--game", "andes", "--system", "swiss", "--double"], 2, &["--system round-robin"]);
    cup.good(&["new", "Liga", "--game", "andes", "--system", "round-robin"]);
    let file = put(&cup.folder, "players.csv", FOUR.as_bytes());
    cup.good(&["players", "1", "--add", &file]);
    // The Berger table of four: 1-4 2-3.
    let boards = cup.json(&["pair", "1"])["boards"].clone();
    assert_eq!(boards[0]["players"], json!(["Rosa", "Inés"]));
    assert_eq!(boards[1]["players"], json!(["Luis", "Ana"]));
    let prospects = cup.json(&["what-if", "1", "--player", "Inés"]);
    assert_eq!((&prospects["method"], &prospects["open"]), (&json!("exact"), &json!(6)));
    assert_eq!((&prospects["players"][0]["best"], &prospects["players"][0]["worst"]), (&json!(1), &json!(4)));
    cup.good(&["new", "Copa", "--game", "andes", "--system", "knockout", "--third-place"]);
    let copa = cup.json(&["list"])[0]["tournament"].to_string();
    cup.good(&["players", &copa, "--add", &file]);
    assert_eq!(cup.json(&["pair", &copa])["boards"][0]["players"], json!(["Rosa", "Inés"]));
    cup.good(&["new", "Vuelta", "--game", "andes", "--system", "knockout"]);
    let empty = cup.json(&["list"])[0]["tournament"].to_string();
    cup.bad(&["pair", &empty], 1, &["There are 0 players", "quipu tournament players"]);
    cup.good(&["players", &empty, "--enter", " Ana: la Bella ", "--rating", "1"]);
    cup.bad(&["players", &empty, "--enter", "Ana: la Bella"], 1, &["entered already"]);
    cup.good(&["players", &empty, "--enter", "Luis"]);
    cup.bad(&["pair", &empty, "--board", "Ana: la Bella:Luis", "--bye", "Luis", "--force"], 1, &["twice"]);
    cup.good(&["pair", &empty, "--board", "Luis:Ana: la Bella"]);
    cup.bad(&["tie-breaks", &copa, "wins,luck", "--reason", "a vote"], 2, &["luck", "sonneborn-berger"]);
    cup.good(&["tie-breaks", &copa, "wins,koya", "--reason", "a vote"]);
    assert_eq!(cup.json(&["standings", &copa])["order"], json!(["wins", "koya"]));
}

#[test]
fn scoresheets_have_the_codes_of_a_service_and_the_time_control() {
    let cup = Cup::swiss(FOUR, "3", &["--time", "900"]);
    cup.good(&["pair", "1"]);
    let path = cup.folder.path().join("sheets.pdf");
    let codes = |more: &[&str]| {
        cup.good(&with(&["sheets", "1", "-o", path.to_str().expect("our paths are UTF-8")], more));
        let pdf = std::fs::read(&path).expect("it is written");
        std::fs::remove_file(&path).expect("it is there");
        sheet_codes(&pdf)
    };
    assert_eq!(codes(&[]), [""; 0]);
    let expected =
        ["1/1/1/1?players=1-3", "1/1/2/1?players=4-2"].map(|path| format!("https://cup.example/keep/{path}"));
    assert_eq!(codes(&["--url", "https://cup.example/"]), expected);
    for wrong in ["cup.example", "https://cup.example/x", "", &format!("https://{}", "x".repeat(83))] {
        cup.bad(&["sheets", "1", "-o", "-", "--url", wrong], 2, &["https://cup.example"]);
    }
    cup.bad(
        &["new", "Otra", "--game", "andes", "--system", "swiss", "--rounds", "1", "--time", "12"],
        2,
        &["12", "60"],
    );
    cup.bad(&["time", "1", "600"], 2, &["--reason"]);
    assert_eq!(cup.good(&["time", "1", "600", "--reason", "a vote"]), "Copa: 600 seconds for each player\n");
}
