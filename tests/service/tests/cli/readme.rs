//! Consoles of the READMEs and of the pages on competitions, tournaments, ratings and uploads are run and show the output of the program.

use std::{env, fs, os::unix::fs::symlink, process::Command};

use quipu_tests_service::{program, root};

/// Fenced blocks of a document, each with the word behind its fence.
fn blocks(document: &str) -> Vec<(&str, &str)> {
    let fences = document.split("\n```").skip(1).step_by(2);
    fences.map(|block| block.split_once('\n').expect("a fence ends its line")).collect()
}

/// The commands of a console, each with what it prints.
fn calls(console: &str) -> Vec<(&str, &str)> {
    let calls = console.strip_prefix("$ ").expect("a console begins with a command").split("\n$ ");
    calls.map(|call| call.split_once('\n').unwrap_or((call, ""))).collect()
}

/// Runs the consoles of a document, which has at least `least` commands, in a folder where its sample record is saved as
/// `name`.
#[track_caller]
fn check(document: &str, name: &str, least: usize) {
    let text = fs::read_to_string(root().join(document)).expect("it is there");
    let blocks = blocks(&text);
    let folder = tempfile::tempdir().expect("there is room");
    symlink(root().join("fixtures"), folder.path().join("fixtures")).expect("there is room");
    if let Some((_, record)) = blocks.iter().find(|(_, block)| block.starts_with("[Game ")) {
        fs::write(folder.path().join(name), format!("{record}\n")).expect("there is room");
    }

    let program = program::path().parent().expect("it is in a folder");
    let path = env::join_paths([program, "/usr/bin".as_ref(), "/bin".as_ref()]).expect("no colons");
    let mut count = 0;
    for (call, expected) in blocks.iter().filter(|(kind, _)| *kind == "console").flat_map(|(_, block)| calls(block)) {
        let run = Command::new("sh")
            .args(["-c", &format!("{call} 2>&1")])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("LANG", if document.ends_with(".es.md") { "es_PE.UTF-8" } else { "C.UTF-8" })
            .env("XDG_CONFIG_HOME", folder.path())
            .env_remove("LANGUAGE")
            .output()
            .expect("there is a shell");
        let found = String::from_utf8(run.stdout).expect("it prints UTF-8");
        assert_eq!(found.trim_end(), expected.trim_end(), "{document}: {call}");
        count += 1;
    }
    assert!(count >= least, "{document}: {count} commands");
}

#[test]
fn the_english_readme_is_true() {
    check("README.md", "game.quipu", 15);
}

#[test]
fn the_spanish_readme_is_true() {
    check("README.es.md", "partida.quipu", 15);
}

#[test]
fn the_pages_on_competitions_are_true() {
    check("docs/competition.md", "game.quipu", 6);
    check("docs/competition.es.md", "partida.quipu", 6);
}

#[test]
fn the_pages_on_positions_are_true() {
    check("docs/positions.md", "game.quipu", 3);
    check("docs/positions.es.md", "partida.quipu", 3);
}

#[test]
fn the_pages_on_uploads_are_true() {
    check("docs/watch.md", "sample.quipu", 3);
    check("docs/watch.es.md", "sample.quipu", 3);
}

#[test]
fn the_pages_on_tournaments_are_true() {
    check("docs/tournament.md", "sample.quipu", 19);
    check("docs/tournament.es.md", "sample.quipu", 19);
}

#[test]
fn the_pages_on_ratings_are_true() {
    check("docs/ratings.md", "sample.quipu", 6);
    check("docs/ratings.es.md", "sample.quipu", 6);
}
