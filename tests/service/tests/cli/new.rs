//! `quipu new`: what it writes is a record to begin with, and what it refuses.

use quipu_notation::record::{Reader, limits};
use quipu_referee::{Status, games::find};
use quipu_tests_service::{
    program::{Run, run, run_with},
    rows, verdicts,
};

use crate::{each_game, with};

/// Runs the command and checks that what it writes is a record, in canonical form, of a game that goes on.
#[track_caller]
fn new(arguments: &[&str]) -> String {
    let run = run(&with(&["new"], arguments));
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    let [verdict] = &*verdicts(run.stdout.as_bytes()) else { panic!("one record: {run:#?}") };
    assert_eq!((verdict.status, verdict.plies), (Status::Incomplete, Some(0)), "{run:#?}");
    assert_eq!(verdict.diagnostics, [], "{run:#?}");
    let mut reader = Reader::new(run.stdout.as_bytes());
    let chunk = reader.next_chunk().expect("memory does not fail").expect("a record");
    let record = chunk.records().next().expect("a record").expect("it can be read");
    let game = find(verdict.game.expect("a game")).expect("it is in the table");
    assert_eq!(game.canonical(&record), run.stdout);
    run.stdout
}

/// The value of a tag in a record.
fn value<'r>(record: &'r str, name: &str) -> Option<&'r str> {
    record.lines().find_map(|line| line.strip_prefix(&format!("[{name} \""))?.strip_suffix("\"]"))
}

#[test]
fn every_game_can_begin() {
    each_game(|name, game| {
        for rules in game.rule_sets() {
            let record = new(&[name, "--rules", rules, "--tag", "Event=Copa", "--tag", "Ñ_1=\"\\"]);
            let verified = run_with(&["verify", "--json", "-"], record.as_bytes());
            assert_eq!(verified.status, Some(0), "{verified:#?}");
            assert!(record.starts_with(&format!("[Game \"{name}\"]\n")) && record.ends_with("\n\n*\n\n"), "{record}");
            assert_eq!(value(&record, "Event"), Some("Copa"));
            assert!(record.contains("[Ñ_1 \"\\\"\\\\\"]\n"), "{record}");
            assert_eq!(value(&record, "Rules"), Some(rules).filter(|rules| *rules != "base"));
            let dealt = game.deal(Some(rules), 0, None).expect("it is one of the game's").is_some();
            assert_eq!(value(&record, "Seed").is_some(), dealt, "{record}");
            assert_eq!(value(&record, "Setup").is_some(), dealt, "{record}");
        }
    });
}

#[test]
fn a_game_that_is_not_dealt() {
    assert_eq!(new(&["andes"]), "[Game \"andes\"]\n[Result \"*\"]\n\n*\n\n");
    let players = new(&["andes", "--tag", "Luna=Mamani, Luis", "--tag", "Sol=", "--tag", "Event=Copa=2026"]);
    let expected =
        "[Game \"andes\"]\n[Event \"Copa=2026\"]\n[Sol \"\"]\n[Luna \"Mamani, Luis\"]\n[Result \"*\"]\n\n*\n\n";
    assert_eq!(players, expected);
}

#[test]
fn the_seed_says_how_pieces_are_dealt() {
    for [seed, first, position] in rows("querni/deals.tsv") {
        let record = new(&["querni", "--seed", &seed, "--tag", &format!("First={first}")]);
        let given = ["First", "Seed", "Setup"].map(|name| value(&record, name));
        assert_eq!(given, [Some(first.as_str()), Some(&seed), Some(&position)]);
    }
    assert_eq!(value(&new(&["querni", "--seed", "007"]), "Seed"), Some("7"));
}

#[test]
fn without_a_seed_chance_says_it_and_it_can_be_repeated() {
    let [one, other] = [(); 2].map(|()| new(&["querni"]));
    let seed = value(&one, "Seed").expect("it is written down");
    assert_ne!(Some(seed), value(&other, "Seed"));
    assert_eq!(new(&["querni", "--seed", seed]), one);
}

#[track_caller]
fn refused(arguments: &[&str], es: &str, en: &str) {
    for (lang, expected) in [("es", es), ("en", en)] {
        let run = run(&with(&["new", "--lang", lang], arguments));
        let hint = if lang == "es" { "Ayuda" } else { "Help" };
        let stderr = format!("error: {expected}\n{hint}: quipu new --help\n");
        assert_eq!(run, Run { status: Some(2), stdout: String::new(), stderr }, "{arguments:?}");
    }
}

#[test]
fn wrong_usage_is_reported() {
    let tag = |text: &str, es: &str, en: &str| refused(&["andes", "--tag", text], es, en);
    tag(
        "Event",
        "una etiqueta se indica como NOMBRE=VALOR, no como «Event»",
        "a tag is given as NAME=VALUE, not as “Event”",
    );
    for name in ["", "a b", "a-b", "[x", "\"", "Ev\u{301}ent"] {
        let es = format!("«{name}» no es un nombre de etiqueta: solo admite letras, cifras y _");
        let en = format!("“{name}” is not a tag name: only letters, digits and _ are allowed");
        tag(&format!("{name}=x"), &es, &en);
    }
    for name in ["Game", "Rules", "Result", "Seed", "Setup"] {
        let own = "Game, Rules, Result, Seed, Setup";
        let es = format!("la orden misma escribe la etiqueta {name}, igual que todas estas: {own}");
        let en = format!("the command itself writes the tag {name}, like all of these: {own}");
        tag(&format!("{name}=x"), &es, &en);
    }
    for value in ["a\nb", "\r"] {
        tag(
            &format!("Event={value}"),
            "el valor de la etiqueta Event tiene un salto de línea; debe ocupar una sola línea",
            "the value of the tag Event has a line break; it must be a single line",
        );
    }
    refused(
        &["andes", "--tag", "Event=x", "--tag", "Round=1", "--tag", "Event=x"],
        "la etiqueta Event se indica dos veces",
        "the tag Event is given twice",
    );
    refused(
        &["andes", "--seed", "7"],
        "--seed no tiene efecto: andes no reparte piezas al azar",
        "--seed has no effect: andes does not deal pieces at random",
    );
    for seed in ["", "x", "1.5", "18446744073709551616", "7 "] {
        let es = format!("«{seed}» no es un valor válido para «--seed <N>»; se admite: de 0 a {}", u64::MAX);
        let en = format!("“{seed}” is not a valid value for “--seed <N>”; allowed: 0 to {}", u64::MAX);
        refused(&["querni", "--seed", seed], &es, &en);
    }
    assert_eq!(run(&["new"]).status, Some(2));
    assert_eq!(run(&["new", "chess"]).status, Some(2));
    assert_eq!(run(&["new", "querni", "--seed", "1", "--seed", "1"]).status, Some(2));
    assert_eq!(run(&["new", "andes", "andes"]).status, Some(2));
}

/// The largest seed, and the longest value of a tag: one byte more is refused.
#[test]
fn limits_are_kept() {
    let most = u64::MAX.to_string();
    assert_eq!(value(&new(&["querni", "--seed", &most]), "Seed"), Some(most.as_str()));
    let long = |bytes: usize| format!("Event={}", "x".repeat(bytes));
    assert_eq!(value(&new(&["andes", "--tag", &long(limits::VALUE)]), "Event").map(str::len), Some(limits::VALUE));
    refused(
        &["andes", "--tag", &long(limits::VALUE + 1)],
        "el valor de la etiqueta Event ocupa más de 65536 bytes",
        "the value of the tag Event is longer than 65536 bytes",
    );
}

/// The columns for clocks are those of the game, or of the tag that says what its clocks start with.
#[test]
fn a_scoresheet_has_columns_for_the_clocks_that_are_played_with() {
    let clocked = "n,sol,sol_clock,luna,luna_clock";
    for (arguments, expected) in [
        (&["andes"][..], clocked),
        (&["andes", "--tag", "TimeControl=600"], clocked),
        (&["brandubh"], "n,negros,rojos"),
        (&["brandubh", "--tag", "TimeControl=600"], "n,negros,negros_clock,rojos,rojos_clock"),
    ] {
        let sheet = run(&with(&with(&["new"], arguments), &["--to", "csv"])).stdout;
        assert_eq!(sheet.lines().last(), Some(expected), "{arguments:?}");
        let text = run(&with(&["new"], arguments)).stdout;
        let piped = run_with(&["convert", "-", "--to", "csv"], text.as_bytes()).stdout;
        assert_eq!(piped.lines().last(), Some(expected), "{arguments:?}: the same by way of text");
        assert_eq!(run_with(&["convert", "-", "--to", "quipu"], sheet.as_bytes()).stdout, text, "and back");
    }
    // A game that was played without clocks has none.
    let played = run_with(&["convert", "-", "--to", "csv"], crate::GOOD.as_bytes()).stdout;
    assert!(played.contains("\nn,sol,luna\n"), "{played}");
}

/// The rows of an empty scoresheet are read as tags once they are filled in, and as nothing before.
#[test]
fn a_scoresheet_has_rows_for_the_usual_tags() {
    each_game(|name, game| {
        let sheet = run(&["new", name, "--tag", "Round=3", "--to", "csv"]).stdout;
        let rows: Vec<_> = sheet.lines().filter_map(|line| line.strip_suffix(',')).collect();
        let [one, two] = game.notation().sides.each_ref().map(|side| side.tag);
        let mut expected = vec!["Event", "Site", "Date", "Leg", "Board", one, two, "Termination"];
        expected.extend(game.notation().points.then_some("Points"));
        assert_eq!(rows, expected, "{sheet}");
        let filled = sheet.replace("Leg,\n", "Leg,vuelta\n").replace("Termination,\n", "Termination,Rendición\n");
        let text = run_with(&["convert", "-", "--to", "quipu"], filled.as_bytes()).stdout;
        let found = ["Round", "Leg", "Board", "Termination"].map(|name| value(&text, name));
        assert_eq!(found, [Some("3"), Some("2"), None, Some("resignation")], "{text}");
    });
}

/// The cells of the result, the leg and the termination offer their values.
#[test]
fn a_workbook_offers_the_values_of_tags() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("sheet.xlsx");
    let path = path.to_str().expect("our names are UTF-8");
    for (lang, leg, termination) in [
        ("en", "1,2", "resignation,time,agreement,adjudication,abandoned"),
        ("es", "ida,vuelta", "rendición,tiempo,acuerdo,adjudicación,abandonada"),
    ] {
        let written = run(&["new", "andes", "--lang", lang, "-o", path]);
        assert_eq!(written.status, Some(0), "{written:?}");
        let file = std::fs::File::open(path).expect("it is written");
        let mut zip = zip::ZipArchive::new(file).expect("a workbook is a zip");
        let mut sheet = String::new();
        let mut part = zip.by_name("xl/worksheets/sheet1.xml").expect("a sheet");
        std::io::Read::read_to_string(&mut part, &mut sheet).expect("it is text");
        for list in ["1-0,0-1,1/2-1/2,*", leg, termination] {
            assert!(sheet.contains(&format!("\"{list}\"")) || sheet.contains(&format!("&quot;{list}&quot;")), "{list}");
        }
        assert_eq!(run(&["convert", path, "--to", "quipu"]).stdout, "[Game \"andes\"]\n[Result \"*\"]\n\n*\n\n");
    }
}

/// A tag that the referee would refuse is refused at once, in its words.
#[test]
fn a_record_that_could_not_be_verified_is_not_written() {
    let check = |arguments: &[&str], expected: &str| {
        let run = run(&with(&["new", "--lang", "en"], arguments));
        assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(1), "", expected), "{arguments:?}");
    };
    check(
        &["querni", "--tag", "First=x"],
        "record.setup: First says “x”, which is not a side of this game; it can be: azul, rosa.\n",
    );
    check(
        &["andes", "--rules", "quick"],
        "record.rules: The rule set “quick” is not known in this game; the known ones are: base.\n",
    );
    check(&["andes", "--tag", "Points=8-7"], "andes.points: 8-7 is written, but the points count as 7-7.\n");
    let run = run(&["new", "andes", "--tag", "Points=8-7", "--tag", "Termination=time", "--lang", "en"]);
    assert_eq!(run.stderr.lines().count(), 2, "all that is found is told: {run:#?}");
}
