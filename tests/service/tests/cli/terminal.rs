//! Output to a terminal or a pipe: colours only where they are wanted, no control characters, and no complaint when the
//! reader has gone.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use quipu_tests_service::program::{Run, command, commands, path, run, run_with};

use crate::{BAD, START, record_files, with, words};

/// Begins a terminal escape.
const ESCAPE: char = '\u{1b}';

/// The status with which a program exits; one that hangs is ended, and then it has none.
fn status(child: &mut Child) -> Option<i32> {
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => return status.code(),
            None if Instant::now() < patience => thread::sleep(Duration::from_millis(5)),
            None => child.kill().expect("it can be ended"),
        }
    }
}

/// Runs the program, reads `lines` lines of its output and closes the pipe.
#[track_caller]
fn reads_only(lines: usize, arguments: &[&str]) {
    let mut child = command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("quipu runs");
    let mut stdout = BufReader::new(child.stdout.take().expect("it was asked for")).lines();
    for _ in 0..lines {
        stdout.next().expect("there is more").expect("it is UTF-8");
    }
    drop(stdout);
    let status = status(&mut child);
    assert!(matches!(status, Some(0 | 1)), "{arguments:?}: {status:?}");
    let mut complaint = String::new();
    child.stderr.take().expect("it was asked for").read_to_string(&mut complaint).expect("it is UTF-8");
    assert_eq!(complaint, "", "{arguments:?}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    // Much more than a pipe holds, before the records whose readings take long.
    let mut files = record_files();
    files.sort_by_key(|file| file.contains("mutants"));
    let verify = [&["verify"][..], &files.iter().map(String::as_str).collect::<Vec<_>>().repeat(10)].concat();
    for form in [&[][..], &["--json"], &["--boards"], &["--jobs", "1"]] {
        reads_only(1, &[&verify, form].concat());
        reads_only(0, &[&verify, form].concat());
    }
    reads_only(1, &["verify", "--json", "fixtures/andes/cup.quipu"]);
    reads_only(1, &["replay", "fixtures/andes/games.quipu", "--record", "1"]);
    reads_only(1, &["completions", "bash"]);
    for command in ["score", "rank", "standings"] {
        reads_only(1, &[command, "fixtures/andes/cup.quipu"]);
        reads_only(0, &[command, "--json", "fixtures/andes/cup.quipu"]);
    }
    for command in [&["--help"][..], &["explain"], &["man"], &["moves", "andes"], &["position", "andes"]] {
        reads_only(0, command);
        reads_only(1, command);
    }
    reads_only(0, &["play", "andes", "0d3"]);
    reads_only(0, &["perft", "andes", "2", "--divide"]);
}

/// True if the output has colours.
#[track_caller]
fn colored(arguments: &[&str], environment: &[(&str, &str)]) -> bool {
    let run: Run = command(arguments).envs(environment.iter().copied()).output().expect("quipu runs").into();
    assert!(!run.stderr.contains(ESCAPE), "{run:#?}");
    run.stdout.contains(ESCAPE)
}

#[test]
fn colours_only_where_they_are_wanted() {
    let calls: [&[&str]; 6] = [
        &["score", "fixtures/andes/cup.quipu"],
        &["standings", "fixtures/andes/cup.quipu"],
        &["verify", "fixtures/pastores/mutants.quipu"],
        &["replay", "fixtures/andes/games.quipu"],
        &["position", "andes"],
        &["explain", "andes.3.6"],
    ];
    for call in calls {
        // The output is no terminal here.
        assert!(!colored(call, &[]));
        assert!(!colored(&[call, &["--color", "auto"]].concat(), &[]));
        assert!(!colored(&[call, &["--color", "never"]].concat(), &[]));
        assert!(!colored(call, &[("NO_COLOR", "1")]));
        assert!(colored(&[call, &["--color", "always"]].concat(), &[]));
        assert!(colored(&[&["--color=always"], call].concat(), &[]));
        // An option of the command line outweighs the environment.
        assert!(colored(&[call, &["--color", "always"]].concat(), &[("NO_COLOR", "1"), ("TERM", "dumb")]));
    }
}

#[test]
fn colours_change_nothing_else() {
    let plain = |text: &str| {
        let mut parts = text.split(ESCAPE);
        let first = parts.next().unwrap_or_default().to_owned();
        let text = parts.fold(first, |text, part| text + part.split_once('m').expect("a colour").1);
        text.lines().map(str::trim_end).map(str::to_owned).collect::<Vec<_>>()
    };
    // Of a board of squares an empty one shows its colour in the place of its sign; of points all is drawn.
    let calls: [&[&str]; 3] = [
        &["verify", "fixtures/andes/mutants.quipu", "--color"],
        &["verify", "--boards", "fixtures/pastores/mutants.quipu", "--color"],
        &["replay", "fixtures/pastores/games.quipu", "--color"],
    ];
    for call in calls {
        let [always, never] = ["always", "never"].map(|color| run(&with(call, &[color])).stdout);
        assert_eq!(plain(&always), plain(&never), "{call:?}");
    }
}

/// Between the names of its rows a board has a ground everywhere, also where its lines are.
#[test]
fn a_board_of_points_is_one_surface() {
    let board = run(&["position", "pastores", "P4/5/2g2/5/5", "--color", "always"]).stdout;
    let rows: Vec<_> = board.lines().skip(1).take(9).collect();
    for row in rows {
        let (before, painted) = row.split_once(ESCAPE).expect("it has colours");
        assert_eq!(before.chars().count(), 3, "the name of the row: {row:?}");
        let mut bare = painted.split("\u{1b}[0m").filter(|part| !part.contains("[48;5;"));
        let after = bare.next().unwrap_or_default();
        assert!(after.trim().chars().count() <= 1 && bare.next().is_none(), "then its name again: {row:?}");
    }
}

#[test]
fn data_for_programs_has_no_colours() {
    let calls: [&[&str]; 12] = [
        &["score", "--json", "fixtures/andes/cup.quipu"],
        &["rank", "--csv", "fixtures/andes/cup.quipu"],
        &["standings", "--md", "fixtures/andes/cup.quipu"],
        &["verify", "--json", "fixtures/andes/mutants.quipu"],
        &["new", "querni"],
        &["replay", "--positions", "fixtures/andes/games.quipu"],
        &["position", "andes", "--to", "position"],
        &["moves", "andes"],
        &["play", "andes", "0d3"],
        &["perft", "andes", "2", "--divide"],
        &["completions", "zsh"],
        &["man"],
    ];
    for call in calls {
        assert!(!colored(&[call, &["--color", "always"]].concat(), &[]), "{call:?}");
    }
}

/// No control character but line breaks: a terminal acts on those, and a line of its own could be forged with others.
#[track_caller]
fn harmless(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let found = text.chars().find(|character| character.is_control() && *character != '\n');
        assert_eq!(found, None, "{text:?}");
    }
}

/// Escapes, a bell, a backspace, a carriage return, a delete, and the one-character escape of C1.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{8}\r\u{7f}\u{9b}31m\u{0}";

/// Records with something hostile wherever one can hold it.
fn hostile_records() -> Vec<Vec<u8>> {
    // A token holds no bracket, and a tag no carriage return.
    let (token, value) = (HOSTILE.replace(['[', ']', '\r'], ""), HOSTILE.replace('\r', ""));
    let records = [
        format!("[Game \"andes\"]\n[Sol \"{value}Ana\"]\n[Luna \"{value}\"]\n[Result \"*\"]\n\n1. 0d3{token} *\n"),
        format!("[Game \"andes\"]\n\n1. 0d3 {{{HOSTILE}}} {token} {{{HOSTILE}}} *\n"),
        format!("[Game \"{value}\"]\n\n*\n"),
        format!("[Game \"andes\"]\n[Rules \"{value}\"]\n\n*\n"),
        format!("[Game \"andes\"]\n[Setup \"{value}\"]\n\n*\n"),
        format!("[Game \"andes\"]\n[Setup \"7/7/7/{value}/7/7/7 s 7-7 0-0 - - 0\"]\n\n*\n"),
        format!("[Game \"andes\"]\n[Result \"{value}\"]\n[Points \"{value}\"]\n\n0d3 *\n"),
        format!("[Game \"andes\"]\n[Termination \"{value}\"]\n\n0d3 *\n"),
        format!("[Game{token} \"andes\"]\n\n0d3 *\n"),
        format!("[Game \"andes\"] {HOSTILE}\n\n0d3 *\n"),
        format!("[Game \"andes\"]\n\n0d3 ${token} *\n"),
        format!("[Game \"andes\"]\n\n0d3 {{{HOSTILE}\n"),
    ];
    records.map(String::into_bytes).into()
}

#[test]
fn nothing_a_terminal_acts_on_is_passed_on() {
    for record in hostile_records() {
        for call in [&["verify", "-"][..], &["verify", "--boards", "-"], &["replay", "-"]] {
            harmless(&run_with(&with(call, &["--lang", "es"]), &record));
            harmless(&run_with(&with(call, &["--lang", "en"]), &record));
        }
    }
}

/// A game that counts, with something hostile in all that competitions show of it.
fn hostile_game() -> String {
    let value = HOSTILE.replace('\r', "");
    let tags = ["Event", "Round", "Leg", "UTCDate"].map(|name| format!("[{name} \"{value}\"]\n")).concat();
    format!("[Game \"andes\"]\n{tags}[Sol \"{value}Ana\"]\n[Luna \"{value}\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n")
}

/// Nor where records are written as they are: a file gets all of what they say, and a terminal what it can show.
#[test]
fn nor_where_records_are_written() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("hostile.quipu");
    fs::write(&file, hostile_game()).expect("there is room");
    let file = file.to_str().expect("our paths are UTF-8");
    let tag = format!("Event={}", HOSTILE.replace(['\r', '\0'], ""));
    let new = ["new", "andes", "--tag", &tag];
    for arguments in [&["fmt", file][..], &["convert", "--to", "quipu", file], &new] {
        let plain = run(arguments);
        assert!(plain.stdout.contains('\u{1b}'), "a file gets what the record says: {plain:#?}");
        let line = std::iter::once(path().to_str().expect("our paths are UTF-8")).chain(arguments.iter().copied());
        let line = line.map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        // It runs a command on a terminal of its own.
        let mut on_terminal = Command::new("script");
        on_terminal.args(["-q", "-e", "-c", &line, "/dev/null"]).stdin(Stdio::null());
        let shown = Run::from(on_terminal.output().expect("script runs"));
        assert!(shown.stdout.contains("[Game") && !shown.stdout.contains('\u{1b}'), "{shown:#?}");
    }
}

#[test]
fn nor_by_competitions() {
    let (game, value) = (hostile_game(), HOSTILE.replace(['\r', '\u{0}'], ""));
    // The same game twice, one player in two ways, and other records that do not count.
    let twice = game.replace("Ana", "aná");
    let input = [game.as_bytes(), twice.as_bytes(), game.as_bytes(), &hostile_records().concat()].concat();
    for command in ["score", "rank", "standings"] {
        for form in [&[][..], &["--json"], &["--csv"], &["--md"]] {
            let run = run_with(&[&[command, "-"], form].concat(), &input);
            assert!(run.stdout.contains("Ana"), "it counts: {run:#?}");
            harmless(&run);
        }
        harmless(&run_with(&[command, "-", "--explain", &value], &input));
    }
    harmless(&run_with(&["standings", "-", "--event", &value], &input));
    harmless(&run_with(&["standings", "-", "--tie-breaks", &value], &input));
    harmless(&run_with(&["standings", "-", "--crosstable"], &input));
    harmless(&run(&["score", "-", "--aliases", &value]));
    let folder = tempfile::tempdir().expect("a folder");
    let aliases = folder.path().join("names.toml");
    std::fs::write(&aliases, "\"\\u001b[2J\" = [\"x\"]\n\"\\u0007\" = [\"x\", \"\\u001b[2J\"]\n")
        .expect("it is written");
    harmless(&run_with(&["score", "-", "--aliases", aliases.to_str().expect("UTF-8")], &input));
    // A name without what cannot be an argument can be asked for.
    let plain = input.iter().copied().filter(|byte| *byte != 0).collect::<Vec<_>>();
    for command in ["score", "standings"] {
        let run = run_with(&[command, "-", "--explain", &format!("{value}Ana")], &plain);
        assert!(run.stdout.contains("Ana"), "{run:#?}");
        harmless(&run);
    }
}

/// JSON leaves it open to escape a character or not: those that a terminal acts on are escaped.
#[test]
fn nor_in_json() {
    for record in hostile_records() {
        harmless(&run_with(&["verify", "--json", "-"], &record));
    }
}

#[test]
fn not_from_arguments_either() {
    let hostile = HOSTILE.replace('\u{0}', "");
    harmless(&run(&["play", "andes", "--", &hostile]));
    harmless(&run(&["play", "andes", "--", &format!("0d3{hostile}")]));
    harmless(&run(&["moves", "andes", "--position", &hostile]));
    harmless(&run(&["moves", "andes", "--rules", &hostile]));
    harmless(&run(&["position", "andes", &hostile]));
    harmless(&run(&["position", "andes", &START.replacen('7', &hostile, 1)]));
}

/// A hostile name can come in an archive that was unpacked or a pattern that the shell filled in.
#[test]
fn nor_from_the_names_of_files() {
    let hostile = HOSTILE.replace('\u{0}', "");
    harmless(&run(&["verify", &hostile]));
    harmless(&run(&["replay", &hostile]));
    if cfg!(unix) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = format!("{hostile}.quipu");
        std::fs::write(folder.path().join(&name), BAD).expect("it is written");
        for arguments in [&["verify", "."][..], &["verify", "--json", "."], &["replay", &name]] {
            let output = command(arguments).current_dir(folder.path()).output();
            harmless(&output.expect("quipu runs").into());
        }
    }
}

/// A wrong argument is repeated without its escapes.
#[test]
fn nor_from_what_is_no_argument() {
    let hostile = HOSTILE.replace('\u{0}', "");
    harmless(&run(&["explain", &hostile]));
    harmless(&run(&[&hostile]));
    harmless(&run(&["moves", &hostile]));
    harmless(&run(&["verify", &format!("--{hostile}")]));
}

#[test]
fn every_command_takes_the_shared_options() {
    for command in commands() {
        let help = run(&words(&command, &["--lang", "en", "--color", "never", "--help"])).stdout;
        assert!(help.contains("--lang <es|en>") && help.contains("--color <auto|always|never>"), "{help}");
    }
}
