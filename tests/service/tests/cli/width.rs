//! Output on a terminal: lines that fit its width, and a pager for long replays. In a pipe nothing is wrapped or paged.

use std::process::{Command, Stdio};

use quipu_tests_service::{
    program::{Run, command, path, run},
    root,
};

use crate::BAD;

const CUP: &str = "fixtures/andes/cup.quipu";

/// Runs the program on a terminal of this many columns and 24 lines.
#[track_caller]
fn on_terminal(columns: u16, arguments: &str, environment: &[(&str, &str)]) -> Run {
    let line = format!("stty cols {columns} rows 24; '{}' {arguments}", path().display());
    let mut terminal = Command::new("script");
    terminal.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(root()).stdin(Stdio::null());
    for name in ["LC_ALL", "LC_MESSAGES", "LANGUAGE", "NO_COLOR", "PAGER", "QUIPU_PAGER", "QUIPU_LANG"] {
        terminal.env_remove(name);
    }
    terminal.envs([("LANG", "en_US.UTF-8"), ("XDG_CONFIG_HOME", "/nonexistent"), ("TERM", "xterm")]);
    let run = Run::from(terminal.envs(environment.iter().copied()).output().expect("script runs"));
    Run { stdout: run.stdout.replace('\r', ""), ..run }
}

#[test]
fn lines_fit_the_terminal() {
    let folder = tempfile::tempdir().expect("there is room");
    let bad = folder.path().join("bad.quipu");
    std::fs::write(&bad, BAD).expect("there is room");
    let bad = bad.display();
    for columns in [40, 60, 80] {
        for call in [
            "help".to_owned(),
            "help verify".to_owned(),
            "help receipt follow".to_owned(),
            "explain".to_owned(),
            "explain andes.3.6".to_owned(),
            format!("verify {CUP}"),
            format!("verify --boards {bad}"),
            format!("score {CUP}"),
            format!("rank {CUP}"),
            format!("standings {CUP}"),
            format!("standings --crosstable {CUP}"),
        ] {
            let run = on_terminal(columns, &format!("{call} --color never"), &[]);
            assert!(matches!(run.status, Some(0 | 1)), "{call}: {run:#?}");
            assert!(run.stdout.lines().count() > 3, "{call}: {run:#?}");
            for line in run.stdout.lines() {
                assert!(line.chars().count() <= usize::from(columns), "{call} in {columns}: {line}");
            }
        }
    }
}

/// A table that becomes a list loses nothing.
#[test]
fn a_crosstable_that_is_too_wide_is_a_list() {
    let narrow = on_terminal(80, &format!("standings --crosstable {CUP} --color never"), &[]).stdout;
    let narrow = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
    let players = run(&["rank", "--csv", CUP]).stdout;
    let names: Vec<_> = players.lines().skip(1).filter_map(|line| line.split('"').nth(1)).collect();
    assert!(names.len() > 5, "{players}");
    assert!(names.iter().all(|name| narrow.contains(name)), "{names:?} in {narrow}");
    assert!(narrow.contains("games: 14 · wins: 9 · draws: 1 · losses: 4 · score: 9.5 · Buchholz: 93"), "{narrow}");
}

#[test]
fn a_pipe_gets_lines_of_any_length() {
    let help = run(&["help", "verify", "--lang", "en"]).stdout;
    assert!(help.lines().any(|line| line.chars().count() > 120), "{help}");
    let table = run(&["standings", "--crosstable", CUP]).stdout;
    assert!(table.lines().any(|line| line.chars().count() > 120), "{table}");
}

#[test]
fn a_long_replay_is_shown_in_a_pager() {
    let replay = format!("replay {CUP} --record 1 --color never");
    let lines =
        |arguments: &str, environment: &[(&str, &str)]| on_terminal(80, arguments, environment).stdout.lines().count();
    let all = run(&["replay", CUP, "--record", "1"]).stdout.lines().count();
    assert!(all > 100, "{all}");
    assert_eq!(lines(&replay, &[("QUIPU_PAGER", "head -n 2")]), 2);
    assert_eq!(lines(&replay, &[("PAGER", "head -n 3")]), 3);
    assert_eq!(lines(&replay, &[("PAGER", "head -n 3"), ("QUIPU_PAGER", "head -n 2")]), 2);
    assert_eq!(lines(&replay, &[("PAGER", "head -n 3"), ("QUIPU_PAGER", "")]), all);
    assert_eq!(lines(&format!("{replay} --no-pager"), &[("PAGER", "head -n 3")]), all);
    // A text that fits is shown without it, and so is data.
    assert!(lines(&format!("{replay} --ply 1"), &[("PAGER", "head -n 3")]) > 3);
    assert!(lines(&format!("{replay} --positions"), &[("PAGER", "head -n 3")]) > 24);
    // A pipe is not a terminal.
    let piped = command(&["replay", CUP, "--record", "1"]).env("QUIPU_PAGER", "head -n 2").output();
    assert_eq!(Run::from(piped.expect("quipu runs")).stdout.lines().count(), all);
    let failed = on_terminal(200, &replay, &[("QUIPU_PAGER", "no-such-pager")]);
    assert!(failed.stdout.contains("cannot start the pager “no-such-pager”"), "{failed:#?}");
    assert!(failed.stdout.lines().count() > all, "{failed:#?}");
}

#[test]
fn a_terminal_with_nothing_to_read_is_told_at_once() {
    for call in ["verify", "fmt", "convert --to csv", "score", "replay", "draw"] {
        let run = on_terminal(80, call, &[]);
        assert_eq!(run.status, Some(2), "{call}: {run:#?}");
        assert!(run.stdout.contains("name a file") || run.stdout.contains("name files or folders"), "{call}: {run:#?}");
    }
}

#[test]
fn a_closed_output_is_told() {
    let call = |more: &str| {
        let line = format!("'{}' verify --lang en {CUP} {more}", path().display());
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(root()).env("XDG_CONFIG_HOME", "/nonexistent").stdin(Stdio::null());
        Run::from(shell.output().expect("there is a shell"))
    };
    let closed = call(">&-");
    assert_eq!(closed.stderr, "standard output is closed: whatever is written to it is lost\n");
    for fine in [">/dev/null", "", "-q >&-"] {
        assert_eq!(call(fine).stderr, "", "{fine}");
    }
}
