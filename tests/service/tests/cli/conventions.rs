//! Conventions of command lines: help, piped input, the language of the environment, a settings file, close names.

use std::{fs, path::Path};

use quipu_referee::{Lang, codes};
use quipu_tests_service::program::{Run, command, commands, run, run_with};
use serde_json::Value;

use crate::{BAD, GOOD, with, words};

#[test]
fn help_is_a_command_too() {
    for lang in ["es", "en"] {
        let of_option = run(&["--help", "--lang", lang]);
        assert_eq!(run(&["help", "--lang", lang]), of_option);
        assert_eq!(run(&["--lang", lang]), of_option, "the program alone");
        assert_eq!(of_option.status, Some(0));
        for name in commands() {
            let expected = run(&words(&name, &["--help", "--lang", lang]));
            assert_eq!(run(&with(&["help", "--lang", lang], &words(&name, &[]))), expected, "{name}");
        }
    }
    assert_eq!(run(&["archive"]), run(&["archive", "--help"]), "a group of commands alone");
    assert_eq!(run(&["version"]), run(&["--version"]));
    let wrong = run(&["help", "verfy", "--lang", "en"]);
    assert_eq!(wrong.status, Some(2));
    assert_eq!(wrong.stderr, "error: there is no command “verfy”\nDid you mean “verify”?\nHelp: quipu help --help\n");
}

/// Each command that reads records, with more of its arguments.
const READERS: [&[&str]; 9] = [
    &["verify"],
    &["fmt"],
    &["fmt", "--diff"],
    &["convert", "--to", "json"],
    &["score"],
    &["rank"],
    &["standings"],
    &["replay"],
    &["draw"],
];

#[test]
fn piped_input_needs_no_hyphen() {
    // Competitions count only games whose players have names.
    let named = GOOD.replace("\n[Result", "\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result");
    let canonical = run_with(&["fmt", "-"], named.as_bytes()).stdout;
    for reader in READERS {
        let [piped, named] = [&[][..], &["-"]].map(|more| run_with(&with(reader, more), canonical.as_bytes()));
        assert_eq!(piped, named, "{reader:?}");
        assert_eq!(piped.status, Some(0), "{reader:?}: {piped:#?}");
    }
}

#[test]
fn nothing_to_read_is_an_error() {
    for reader in READERS {
        let run = run(&with(reader, &["--lang", "en"]));
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{reader:?}: {run:#?}");
        assert!(run.stderr.contains("name a file") || run.stderr.contains("name files or folders"), "{run:#?}");
    }
}

#[test]
fn numbers_outside_their_range_are_told_the_range() {
    let run = run(&["perft", "andes", "99", "--lang", "en"]);
    assert!(run.stderr.starts_with("error: “99” is not a valid value for “<DEPTH>”; allowed: 0 to 64\n"), "{run:#?}");
    let run = quipu_tests_service::program::run(&["perft", "--lang", "en"]);
    assert!(run.stderr.starts_with("error: <GAME>, <DEPTH> are missing\n"), "{run:#?}");
}

#[test]
fn several_files_are_converted_into_one() {
    let folder = tempfile::tempdir().expect("there is room");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for ending in ["quipu", "json", "ndjson", "csv", "xlsx", "JSON"] {
        let out = at(&format!("all.{ending}"));
        let made = run(&["convert", "fixtures/andes/games.quipu", "fixtures/andes/loose.quipu", "-o", &out]);
        assert_eq!(made.status, Some(0), "{made:#?}");
        let counted = run(&["verify", &out, "--lang", "en"]).stdout;
        assert!(counted.contains("Read: 60 · files: 1 · verified: 56"), "{ending}: {counted}");
    }
    let run = run(&["convert", "fixtures/andes/games.quipu", "-o", &at("all.doc"), "--lang", "en"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("all.doc is not that of a format; choose one with --to: quipu, json"), "{run:#?}");
    let run = quipu_tests_service::program::run(&["convert", "fixtures/andes/games.quipu", "--lang", "en"]);
    assert!(run.stderr.starts_with("error: choose the output format with --to"), "{run:#?}");
}

#[test]
fn a_diff_shows_what_fmt_would_change() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("loose.quipu");
    let loose = "[Result \"1-0\"]\n[Game \"andes\"]\n\n1. 0a1 0D0 2. 0b0 0D0C 1-0\n";
    fs::write(&path, loose).expect("there is room");
    let name = path.to_str().expect("UTF-8");
    let diff = run(&["fmt", "--diff", name]);
    assert_eq!(diff.status, Some(1), "{diff:#?}");
    assert!(diff.stdout.starts_with(&format!("--- {name}\n+++ {name}\n@@ ")), "{}", diff.stdout);
    let canonical = run(&["fmt", name]).stdout;
    // Kept and added lines are the canonical text; kept and removed lines are the file.
    let of = |signs: [char; 2]| {
        let lines = diff.stdout.lines().skip(3).filter(|line| line.starts_with(signs));
        lines.map(|line| format!("{}\n", &line[1..])).collect::<String>()
    };
    assert_eq!(of([' ', '+']), canonical);
    assert_eq!(of([' ', '-']), loose);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), loose, "the file stays as it is");

    assert_eq!(run(&["fmt", "--write", name]).status, Some(0));
    let same = run(&["fmt", "--diff", name]);
    assert_eq!(same, Run { status: Some(0), stdout: String::new(), stderr: String::new() });
    for other in ["--check", "--write"] {
        assert_eq!(run(&["fmt", "--diff", other, name]).status, Some(2));
    }
}

#[test]
fn fmt_can_write_to_another_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let at = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (out, source) = (at("out.quipu"), "fixtures/andes/loose.quipu");
    let run_of = |arguments: &[&str]| run(arguments);
    assert_eq!(run_of(&["fmt", source, "-o", &out]).status, Some(0));
    assert_eq!(fs::read_to_string(&out).expect("it is there"), run_of(&["fmt", source]).stdout);
    // A file with an unreadable record does not lose it.
    let text = format!("{GOOD}\n{}", crate::UNREADABLE);
    fs::write(&out, &text).expect("there is room");
    let kept = run_of(&["fmt", &out, "-o", &out, "--lang", "en"]);
    assert_eq!(kept.status, Some(1), "{kept:#?}");
    assert!(kept.stderr.contains("is not written, because not everything could be read"), "{kept:#?}");
    assert_eq!(fs::read_to_string(&out).expect("it is there"), text);
    assert_eq!(run_of(&["fmt", source, "--check", "-o", &out]).status, Some(2));
}

#[test]
fn new_infers_the_format_from_its_output() {
    let folder = tempfile::tempdir().expect("there is room");
    let out = folder.path().join("planilla.csv");
    let made = run(&["new", "andes", "-o", out.to_str().expect("UTF-8")]);
    assert_eq!(made.status, Some(0), "{made:#?}");
    assert!(fs::read_to_string(out).expect("it is there").starts_with("\u{feff}#Game: andes\n"));
    // A pipe leads to another program, which expects no byte order mark.
    let piped = run(&["new", "andes", "--to", "csv"]);
    assert!(piped.stdout.starts_with("#Game: andes\n"), "{piped:#?}");
}

#[test]
fn explain_takes_a_part_of_a_code() {
    let page = run(&["explain", "record.clock", "--lang", "en"]);
    assert_eq!(run(&["explain", "RECORD.CLOCK", "--lang", "en"]), page);
    assert_eq!(page.status, Some(0));
    let ids = |asked: &str| -> Vec<String> {
        let list = run(&["explain", asked]);
        assert_eq!(list.status, Some(0), "{list:#?}");
        list.stdout.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    let all = || codes::all().map(|code| code.id.to_owned());
    assert_eq!(ids("andes"), all().filter(|id| id.starts_with("andes.")).collect::<Vec<_>>());
    assert_eq!(ids("ANDES"), ids("andes"));
    let of_article: Vec<_> = all().filter(|id| id.ends_with(".3.6")).collect();
    match &*of_article {
        [only] => assert_eq!(run(&["explain", "3.6"]), run(&["explain", only])),
        several => assert_eq!(ids("3.6"), several),
    }
    let of_ruling: Vec<_> = all().filter(|id| id.ends_with(".R-4")).collect();
    assert!(!of_ruling.is_empty() && run(&["explain", "r-4"]).stdout.contains(&*of_ruling[0]));
}

#[test]
fn an_unknown_code_gets_close_ones() {
    for (asked, close) in [("record.clok", "“record.clock”"), ("clok", "“record.clock”"), ("andes.3.66", "“andes.3.6”")]
    {
        let run = run(&["explain", asked, "--lang", "en"]);
        assert_eq!(run.status, Some(2));
        let told = run.stderr.lines().nth(1).unwrap_or_default();
        assert!(told.starts_with("similar codes: ") && told.contains(close), "{run:#?}");
    }
}

#[test]
fn explain_as_json() {
    let list = run(&["explain", "--json"]).stdout;
    let ids: Vec<_> =
        list.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["code"].clone()).collect();
    assert_eq!(ids, codes::all().map(|code| Value::from(code.id)).collect::<Vec<_>>());
    let code: Value =
        serde_json::from_str(&run(&["explain", "andes.3.6", "--json", "--lang", "en"]).stdout).expect("JSON");
    assert_eq!((&code["source"], &code["article"]), (&"article".into(), &"3.6".into()));
    assert!(code["law"]["es"].is_string() && code["law"]["en"].is_string() && code["example"]["right"].is_string());
}

#[test]
fn replay_as_json() {
    let cup = "fixtures/andes/cup.quipu";
    let json = run(&["replay", "--json", cup, "--record", "2"]).stdout;
    let plies: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let positions = run(&["replay", "--positions", cup, "--record", "2"]).stdout;
    assert_eq!(
        plies.iter().map(|ply| ply["position"].as_str().expect("a text")).collect::<Vec<_>>(),
        positions.lines().collect::<Vec<_>>()
    );
    assert_eq!((&plies[0]["ply"], &plies[0]["side"], &plies[0]["token"]), (&0.into(), &Value::Null, &Value::Null));
    assert_eq!(
        (&plies[2]["side"], &plies[2]["token"], &plies[2]["clock"]),
        (&"luna".into(), &"1D0".into(), &713_312.into())
    );
    let last = plies.last().expect("a ply");
    assert!(last["result"].is_string() || last["termination"].is_null());
    let range = run(&["replay", "--json", cup, "--record", "2", "--from", "1", "--to", "3"]).stdout;
    assert_eq!(range.lines().count(), 3);
    assert_eq!(run(&["replay", "--json", "--positions", cup]).status, Some(2));
}

#[test]
fn the_other_records_of_a_file_are_mentioned() {
    let folder = tempfile::tempdir().expect("there is room");
    let svg = folder.path().join("a.svg");
    for call in [&["replay"][..], &["draw", "-o", svg.to_str().expect("UTF-8")]] {
        let told = run(&with(call, &["fixtures/andes/cup.quipu", "--lang", "en"]));
        let expected = "fixtures/andes/cup.quipu has 56 records, and this is the first; choose another with --record\n";
        assert_eq!(told.stderr, expected, "{call:?}");
        let silent = run(&with(call, &["fixtures/andes/cup.quipu", "--record", "1"]));
        assert_eq!((silent.stderr.as_str(), silent.status), ("", Some(0)));
        assert_eq!(run_with(&with(call, &["-"]), GOOD.as_bytes()).stderr, "", "the only record");
    }
}

/// Runs the program with a settings file.
fn with_settings(settings: &str, arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("there is room");
    fs::create_dir(folder.path().join("quipu")).expect("there is room");
    fs::write(folder.path().join("quipu/settings.toml"), settings).expect("there is room");
    let run: Run = command(arguments).env("XDG_CONFIG_HOME", folder.path()).output().expect("quipu runs").into();
    let folder = folder.path().to_str().expect("UTF-8");
    Run { stderr: run.stderr.replace(folder, "~"), ..run }
}

#[test]
fn settings_of_the_user() {
    let help = |lang: &str| run(&["help", "--lang", lang]).stdout;
    assert_eq!(with_settings("", &["help"]).stdout, help("es"));
    assert_eq!(with_settings("lang = \"en\"\n", &["help"]).stdout, help("en"));
    assert_eq!(
        with_settings("lang = \"en\"\n", &["help", "--lang", "es"]).stdout,
        help("es"),
        "an option outweighs it"
    );
    let colored = |settings: &str, more: &[&str]| {
        with_settings(settings, &with(&["explain", "andes.3.6"], more)).stdout.contains('\u{1b}')
    };
    assert!(colored("color = \"always\"\n", &[]));
    assert!(!colored("color = \"always\"\n", &["--color", "never"]));
    assert!(!colored("color = \"auto\"\n", &[]));
    let drawn = |settings: &str, more: &[&str]| {
        with_settings(settings, &with(&["draw", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0"], more)).stdout
    };
    assert_eq!(drawn("theme = \"dark\"\n", &[]), drawn("", &["--theme", "dark"]));
    assert_eq!(drawn("theme = \"dark\"\n", &["--theme", "light"]), drawn("", &[]));
}

#[test]
fn faults_of_the_settings_have_a_place() {
    let check = |settings: &str, expected: &str| {
        let run = with_settings(settings, &["explain", "--lang", "en"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{settings}");
        assert_eq!(run.stderr.lines().next(), Some(expected), "{settings}");
    };
    check(
        "# mine\nlang = \"fr\"\n",
        "error: ~/quipu/settings.toml:2:1: “\"fr\"” is not a valid value for “lang”; allowed: es, en",
    );
    check("lang = 1\n", "error: ~/quipu/settings.toml:1:1: “1” is not a valid value for “lang”; allowed: es, en");
    check(
        "colour = \"auto\"\n",
        "error: ~/quipu/settings.toml:1:1: there is no setting “colour”; allowed: lang, color, pager, theme",
    );
    let run = with_settings("lang\n", &["explain", "--lang", "en"]);
    assert!(run.stderr.starts_with("error: ~/quipu/settings.toml:1:") && run.status == Some(2), "{run:#?}");
}

#[test]
fn the_only_similar_name_is_taken() {
    let cup = "fixtures/andes/cup.quipu";
    for command in ["score", "rank", "standings"] {
        let [taken, exact] =
            ["quispe", "Quispe Mamani, Rosa"].map(|name| run(&[command, cup, "--explain", name, "--lang", "en"]));
        assert_eq!((&taken.stdout, taken.status), (&exact.stdout, Some(0)), "{command}");
        assert_eq!(taken.stderr, "“quispe” is taken for Quispe Mamani, Rosa, the only similar name\n");
    }
}

/// Games without points are reported in one line.
#[test]
fn games_without_points_are_counted() {
    let run = run(&["score", "fixtures/brandubh/games.quipu", "--lang", "en"]);
    assert_eq!(run.status, Some(1));
    let told: Vec<_> = run.stderr.lines().filter(|line| line.contains("does not count points")).collect();
    assert!(told.len() == 1 && told[0].ends_with(" games do not count: Brandubh does not count points"), "{run:#?}");
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let there = folder.path().join("gone");
    let (out, there) = (there.join("a.svg"), there.to_str().expect("UTF-8"));
    let out = out.to_str().expect("UTF-8");
    let run = run(&["draw", "--game", "andes", "-o", out, "--lang", "en"]);
    assert_eq!(run.stderr, format!("error: cannot write {out}: the folder {there} does not exist\n"));
    assert_eq!(run.status, Some(3));
}

/// Tables that a spreadsheet opens correctly in a country with a decimal comma.
#[test]
fn csv_for_excel() {
    let cup = "fixtures/andes/cup.quipu";
    for command in [&["score"][..], &["rank"], &["standings"], &["standings", "--crosstable"]] {
        let plain = run(&with(command, &["--csv", cup]));
        assert_eq!(plain, run(&with(command, &["--csv=plain", cup])));
        let excel = run(&with(command, &["--csv=excel", cup])).stdout;
        let text = excel.strip_prefix('\u{feff}').expect("a byte order mark");
        assert!(text.lines().count() > 5 && text.split_inclusive('\n').all(|line| line.ends_with("\r\n")));
        let read = |text: &str, delimiter: u8| -> Vec<Vec<String>> {
            let mut reader =
                csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(text.as_bytes());
            reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
        };
        let (plain, excel) = (read(&plain.stdout, b','), read(text, b';'));
        assert_eq!(plain.len(), excel.len());
        let mut changed = 0;
        for (plain, excel) in plain.iter().flatten().zip(excel.iter().flatten()) {
            changed += usize::from(plain != excel);
            let number = !plain.is_empty() && plain.split(' ').all(|part| part.parse::<f64>().is_ok());
            assert_eq!(*excel, if number { plain.replace('.', ",") } else { plain.clone() }, "{plain}");
        }
        assert!(changed > 3, "{command:?}: there are fractions");
    }
    let run = run(&["rank", "--csv", "--json", cup, "--lang", "en"]);
    assert_eq!(run.status, Some(2));
    assert!(Path::new(cup).is_relative() && run.stderr.contains("cannot be combined"), "{run:#?}");
}

#[test]
fn the_language_of_a_variable() {
    let lang = |environment: &[(&str, &str)]| {
        let run: Run = command(&["help"]).envs(environment.iter().copied()).output().expect("quipu runs").into();
        let of = |lang: Lang| quipu_tests_service::program::run(&["help", "--lang", lang.as_str()]).stdout;
        Lang::ALL.into_iter().find(|lang| of(*lang) == run.stdout)
    };
    assert_eq!(lang(&[("QUIPU_LANG", "en")]), Some(Lang::En));
    assert_eq!(lang(&[("QUIPU_LANG", "ES"), ("LC_ALL", "en_US.UTF-8")]), Some(Lang::Es));
    assert_eq!(lang(&[("QUIPU_LANG", "en_GB")]), Some(Lang::En));
    assert_eq!(lang(&[("QUIPU_LANG", "")]), Some(Lang::Es));
    let run: Run = command(&["help"]).env("QUIPU_LANG", "fr").output().expect("quipu runs").into();
    assert_eq!(run.status, Some(2));
    assert_eq!(
        run.stderr.lines().next(),
        Some("error: «fr» no es un valor válido para «QUIPU_LANG»; se admite: es, en")
    );
    // The service does not report the variables of all commands as unknown.
    let run: Run = command(&["serve", "--print-config", "--data", "x"])
        .envs([("QUIPU_LANG", "en"), ("QUIPU_PAGER", "cat")])
        .output()
        .expect("quipu runs")
        .into();
    assert_eq!((run.stderr.as_str(), run.status), ("", Some(0)));
}

/// A rejected record is read from a pipe.
#[test]
fn a_faulty_record_from_a_pipe() {
    assert_eq!(run_with(&["verify"], BAD.as_bytes()).status, Some(1));
}
