//! Exit statuses of all commands; data goes to standard output and all else to standard error.

use quipu_tests_service::program::{Run, commands, run, run_with};

use crate::{BAD, GOOD, OVER, START, UNREADABLE, words};

const CLEAN: i32 = 0;
const FAULTS: i32 = 1;
const USAGE: i32 = 2;
const FAILED: i32 = 3;

#[track_caller]
fn check(status: i32, arguments: &[&str], input: &str) -> Run {
    let run = run_with(arguments, input.as_bytes());
    assert_eq!(run.status, Some(status), "{arguments:?}: {run:#?}");
    match status {
        CLEAN => assert_eq!(run.stderr, "", "{arguments:?}"),
        USAGE => assert_eq!(run.stdout, "", "{arguments:?}"),
        FAILED => assert!(run.stderr.starts_with("error: "), "{arguments:?}: {run:#?}"),
        _ => {}
    }
    if status == USAGE {
        assert!(run.stderr.starts_with("error: "), "{arguments:?}: {run:#?}");
        assert!(run.stderr.lines().last().is_some_and(|line| line.ends_with("--help")), "{arguments:?}: {run:#?}");
    }
    run
}

#[test]
fn help_and_version_are_data() {
    check(CLEAN, &["--help"], "");
    check(CLEAN, &["-h"], "");
    for command in commands() {
        check(CLEAN, &words(&command, &["--help"]), "");
        check(CLEAN, &words(&command, &["-h"]), "");
    }
    assert_eq!(check(CLEAN, &["--version"], "").stdout, "quipu 0.1.0\n");
    check(CLEAN, &["-V"], "");
}

#[test]
fn wrong_usage_is_reported() {
    check(CLEAN, &[], "");
    check(USAGE, &["verfy"], "");
    check(USAGE, &["--nothing"], "");
    check(USAGE, &["--lang", "fr", "man"], "");
    check(USAGE, &["--lang", "es", "--lang", "en", "man"], "");
    check(USAGE, &["man", "--lang"], "");
    check(USAGE, &["man", "--color", "red"], "");
    for command in commands() {
        check(USAGE, &words(&command, &["--no-such-option"]), "");
    }
}

#[test]
fn verify() {
    check(CLEAN, &["verify", "-"], GOOD);
    check(CLEAN, &["verify", "--json", "-"], GOOD);
    check(FAULTS, &["verify", "-"], "");
    check(CLEAN, &["verify", "-"], "[Game \"andes\"]\n\n1. 0d3\n*\n");
    check(FAULTS, &["verify", "-"], BAD);
    check(FAULTS, &["verify", "--json", "-"], BAD);
    check(FAULTS, &["verify", "-"], UNREADABLE);
    check(CLEAN, &["verify"], GOOD);
    check(FAULTS, &["verify"], "");
    check(USAGE, &["verify", "--jobs", "0", "-"], GOOD);
    check(USAGE, &["verify", "--jobs", "many", "-"], GOOD);
    check(USAGE, &["verify", "--json", "--json", "-"], GOOD);
    check(FAILED, &["verify", "no-such.quipu"], "");
    check(FAILED, &["verify", "--json", "no-such.quipu"], "");
}

#[test]
fn warnings_are_no_faults() {
    let run = check(CLEAN, &["verify", "-"], "[Game \"andes\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n");
    assert!(run.stdout.contains("! record.no-result"), "{}", run.stdout);
}

#[test]
fn replay() {
    check(CLEAN, &["replay", "-"], GOOD);
    check(CLEAN, &["replay", "-", "--record", "1", "--ply", "0"], GOOD);
    check(FAULTS, &["replay", "-"], BAD);
    check(FAULTS, &["replay", "-"], UNREADABLE);
    check(FAULTS, &["replay", "-"], "1. 0d3 *");
    check(USAGE, &["replay"], "");
    check(USAGE, &["replay", "-", "-"], "");
    check(USAGE, &["replay", "-", "--record", "0"], GOOD);
    check(USAGE, &["replay", "-", "--record", "2"], GOOD);
    check(USAGE, &["replay", "-"], "");
    check(USAGE, &["replay", "-", "--ply", "-1"], GOOD);
    check(FAILED, &["replay", "no-such.quipu"], "");
    check(FAILED, &["replay", "fixtures"], "");
}

/// `--ply N` or `--from N --to N`: one ply and a range at once is a contradiction.
#[test]
fn replay_takes_one_ply_or_a_range() {
    check(USAGE, &["replay", "-", "--ply", "1", "--from", "0"], GOOD);
    check(USAGE, &["replay", "-", "--ply", "1", "--to", "3"], GOOD);
}

/// Its screen is tested in `viewer`.
#[test]
fn view() {
    check(USAGE, &["view"], "");
    check(USAGE, &["view", "fixtures/andes/cup.quipu"], "");
    check(USAGE, &["view", "-"], GOOD);
    check(USAGE, &["view", "no-such.quipu"], "");
    check(USAGE, &["view", "-", "--record", "0"], GOOD);
    check(USAGE, &["view", "-", "--ply", "-1"], GOOD);
    check(USAGE, &["view", "-", "--jobs", "0"], GOOD);
}

/// Its sessions are tested in `editors`; here the editor ends without a word.
#[test]
fn lsp() {
    assert_eq!(check(FAULTS, &["lsp"], "").stdout, "");
    check(USAGE, &["lsp", "file.quipu"], "");
}

/// Its uploads are tested in `watch`.
#[test]
fn watch() {
    check(USAGE, &["watch"], "");
    check(USAGE, &["watch", "fixtures/andes"], "");
    check(USAGE, &["watch", "fixtures/andes", "--to", "games.example.org"], "");
    check(USAGE, &["watch", "fixtures/andes", "--to", "http://user@games.example.org"], "");
    check(USAGE, &["watch", "fixtures/andes", "--to", "http://games.example.org", "--interval", "0"], "");
    check(FAILED, &["watch", "no-such-folder", "--to", "http://games.example.org"], "");
}

#[test]
fn new() {
    check(CLEAN, &["new", "andes"], "");
    check(CLEAN, &["new", "querni", "--seed", "7", "--tag", "First=rosa"], "");
    check(FAULTS, &["new", "querni", "--tag", "First=sol"], "");
    check(FAULTS, &["new", "querni", "--rules", "quick"], "");
    check(USAGE, &["new"], "");
    check(USAGE, &["new", "chess"], "");
    check(USAGE, &["new", "andes", "--seed", "7"], "");
    check(USAGE, &["new", "andes", "--tag", "Event"], "");
}

#[test]
fn position() {
    check(CLEAN, &["position", "andes"], "");
    check(CLEAN, &["position", "andes", START], "");
    check(CLEAN, &["position", "andes", "-"], START);
    check(CLEAN, &["position", "andes", "--to", "log", "-2.A3;"], "");
    check(FAULTS, &["position", "andes", "7/7"], "");
    check(FAULTS, &["position", "andes", "-2.A9;"], "");
    check(USAGE, &["position"], "");
    check(USAGE, &["position", "chess"], "");
    check(USAGE, &["position", "andes", "--to", "picture"], "");
    check(USAGE, &["position", "andes", "7/7/7/7/7/7/7", "--to", "position"], "");
}

#[test]
fn moves() {
    check(CLEAN, &["moves", "andes"], "");
    assert_eq!(check(CLEAN, &["moves", "andes", "--position", OVER], "").stdout, "");
    check(FAULTS, &["moves", "andes", "--position", "7/7"], "");
    check(FAULTS, &["moves", "andes", "--rules", "quick"], "");
    check(USAGE, &["moves"], "");
    check(USAGE, &["moves", "chess"], "");
    check(USAGE, &["moves", "andes", START], "");
}

#[test]
fn play() {
    assert_eq!(check(CLEAN, &["play", "andes"], "").stdout, "");
    check(CLEAN, &["play", "andes", "0d3", "2A3"], "");
    check(FAULTS, &["play", "andes", "0D3"], "");
    check(FAULTS, &["play", "andes", "--position", OVER, "0a3"], "");
    check(USAGE, &["play"], "");
    check(USAGE, &["play", "andes", "-0d3"], "");
    check(FAULTS, &["play", "andes", "--", "-0d3"], "");
}

#[test]
fn perft() {
    assert_eq!(check(CLEAN, &["perft", "andes", "0"], "").stdout, "1\n");
    check(CLEAN, &["perft", "andes", "1", "--divide"], "");
    assert_eq!(check(CLEAN, &["perft", "andes", "2", "--position", OVER], "").stdout, "0\n");
    check(FAULTS, &["perft", "andes", "1", "--position", "7/7"], "");
    check(USAGE, &["perft", "andes"], "");
    check(USAGE, &["perft", "andes", "-1"], "");
    check(USAGE, &["perft", "andes", "two"], "");
    check(USAGE, &["perft", "andes", "1", "--jobs", "0"], "");
}

#[test]
fn competitions() {
    let good = GOOD.replace("\n[Result", "\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n[Result");
    for command in ["score", "rank", "standings"] {
        for form in [&[][..], &["--json"], &["--csv"], &["--md"], &["--explain", "Ana"], &["--jobs", "2"]] {
            check(CLEAN, &[&[command, "-"], form].concat(), &good);
        }
        // Counting needs to know which records do not count: an incomplete game and one without names too.
        check(FAULTS, &[command, "-"], BAD);
        check(FAULTS, &[command, "-"], UNREADABLE);
        check(FAULTS, &[command, "-"], "[Game \"andes\"]\n\n1. 0d3\n*\n");
        check(FAULTS, &[command, "-"], GOOD);
        // Both players submit the same sheet.
        let copies = run_with(&[command, "-"], format!("{good}\n{good}").as_bytes());
        assert_eq!((copies.status, &*copies.stderr), (Some(CLEAN), "- 2 no cuenta: es la misma partida que - 1\n"));
        check(CLEAN, &[command], &good);
        check(FAULTS, &[command], "");
        check(USAGE, &[command, "-", "--json", "--csv"], &good);
        check(USAGE, &[command, "-", "--explain", "Cy"], &good);
        check(USAGE, &[command, "-", "--jobs", "0"], &good);
        check(USAGE, &[command, "-", "--aliases"], &good);
        check(FAILED, &[command, "no-such.quipu"], "");
        check(FAILED, &[command, "-", "--aliases", "no-such.toml"], &good);
        check(FAILED, &[command, "-", "--aliases", "fixtures"], &good);
    }
    check(CLEAN, &["standings", "-", "--crosstable", "--tie-breaks", "direct"], &good);
    check(USAGE, &["standings", "-", "--tie-breaks", "best"], &good);
    check(USAGE, &["standings", "-", "--event", "Copa"], &good);
    check(USAGE, &["score", "-", "--event", "Copa"], &good);
}

#[test]
fn explain() {
    check(CLEAN, &["explain"], "");
    check(CLEAN, &["explain", "andes.3.6"], "");
    check(USAGE, &["explain", "andes.99"], "");
    check(USAGE, &["explain", "andes.3.6", "andes.3.5"], "");
}

#[test]
fn completions_and_man() {
    check(CLEAN, &["completions", "bash"], "");
    check(CLEAN, &["man"], "");
    check(USAGE, &["completions"], "");
    check(USAGE, &["completions", "tcsh"], "");
    check(USAGE, &["man", "7"], "");
}

#[test]
fn faults_go_to_standard_error_if_output_is_for_programs() {
    let run = check(FAULTS, &["moves", "andes", "--position", "7/7"], "");
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("andes.position: "), "{run:#?}");
    let run = check(FAULTS, &["play", "andes", "0D3"], "");
    assert_eq!(run.stdout, "ERROR 1 andes.2.4\n");
    assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
    let run = check(FAULTS, &["replay", "--positions", "-"], BAD);
    assert_eq!(run.stdout.lines().count(), 2, "start and the good ply: {run:#?}");
    assert!(run.stderr.starts_with("-:4:8: andes.3.6: "), "{run:#?}");
}

/// An input that is there and cannot be read.
#[cfg(unix)]
#[test]
fn an_input_that_fails() {
    use quipu_tests_service::program::command;
    use std::fs::File;

    for arguments in [&["verify", "-"][..], &["score", "-"], &["replay", "-"], &["position", "andes", "-"]] {
        let folder = File::open("/").expect("a folder can be opened");
        let run = command(arguments).stdin(folder).output().map(Run::from).expect("quipu runs");
        assert_eq!(run.status, Some(FAILED), "{arguments:?}: {run:#?}");
        assert!(run.stderr.contains("es una carpeta"), "{arguments:?}: {run:#?}");
    }
}

/// A disk that is full is no closed pipe.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_fails() {
    use quipu_tests_service::program::command;
    use std::fs::File;

    let cup = "fixtures/andes/cup.quipu";
    let calls: [&[&str]; 17] = [
        &["--help"],
        &["--version"],
        &["verify", cup],
        &["verify", "--json", cup],
        &["score", cup],
        &["rank", "--csv", cup],
        &["standings", "--md", cup],
        &["standings", "--json", cup],
        &["score", "--explain", "Quispe Mamani, Rosa", cup],
        &["replay", cup],
        &["new", "querni"],
        &["position", "andes"],
        &["moves", "andes"],
        &["play", "andes", "0d3"],
        &["perft", "andes", "1"],
        &["explain"],
        &["man"],
    ];
    for arguments in calls {
        let full = File::options().write(true).open("/dev/full").expect("this system has one");
        let run = command(arguments).stdout(full).output().map(Run::from).expect("quipu runs");
        assert_eq!(run.status, Some(FAILED), "{arguments:?}: {run:#?}");
        assert!(run.stderr.starts_with("error: "), "{arguments:?}: {run:#?}");
    }
}

#[test]
fn files_that_fail_do_not_hide_faults_in_others() {
    let missing = run(&["verify", "no-such.quipu", "fixtures/andes/mutants.quipu"]);
    assert_eq!(missing.status, Some(FAILED));
    assert_eq!(missing.stderr, "error: no se pudo leer no-such.quipu: no existe\n");
    assert!(missing.stdout.contains("× andes."), "{missing:#?}");
}
