//! `quipu archive position`: the same as over HTTP, for people and for programs. Its consoles in both languages are those of the
//! guide, which `readme.rs` runs.

use std::path::Path;

use quipu_tests_service::{
    bytes,
    program::{Run, run},
    server::Server,
};
use serde_json::Value;

use crate::with;

fn position(server: &Server, arguments: &[&str]) -> Run {
    let data = server.store.path().parent().and_then(Path::to_str).expect("our paths are UTF-8");
    run(&with(&["archive", "position", "--lang", "en", "--data", data], arguments))
}

#[track_caller]
fn json(server: &Server, arguments: &[&str]) -> Value {
    let run = position(server, &with(arguments, &["--json"]));
    assert_eq!((run.status, &*run.stderr), (Some(0), ""), "{arguments:?}");
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn positions_are_those_over_http() {
    let server = Server::start();
    server.keep(&bytes("brandubh/games.quipu")[..]);
    server.keep(&bytes("pastores/games.quipu")[..]);
    let start = json(&server, &["brandubh"]);
    assert!(start["total"]["games"].as_u64() > Some(1), "{start}");
    let first = start["moves"][0]["move"].as_str().expect("a move");
    for (arguments, query) in [
        (vec!["brandubh", "--limit", "3"], "game=brandubh&limit=3".to_owned()),
        (vec!["pastores", "--limit", "50"], "game=pastores&limit=50".to_owned()),
        (
            vec!["pastores", "5/5/5/5/5 s 53-53 - 0"],
            "game=pastores&limit=20&position=5/5/5/5/5%20s%2053-53%20-%200".to_owned(),
        ),
        (
            vec!["brandubh", "--limit", "1", "--cursor", start["next"].as_str().unwrap_or("MTAwMA")],
            format!("game=brandubh&limit=1&cursor={}", start["next"].as_str().unwrap_or("MTAwMA")),
        ),
    ] {
        let over_http = server.get(&format!("/v1/positions?{query}")).json();
        assert_eq!(json(&server, &arguments), over_http, "{query}");
    }

    let shown = position(&server, &["brandubh", "--limit", "2"]);
    assert_eq!(shown.status, Some(0));
    let lines: Vec<_> = shown.stdout.lines().collect();
    assert!(lines[0].starts_with("move"), "{}", shown.stdout);
    assert!(lines.iter().any(|line| line.starts_with(first)), "{first}: {}", shown.stdout);
    assert_eq!(lines.iter().rev().take_while(|line| !line.is_empty()).count(), 2, "{}", shown.stdout);
    assert!(shown.stderr.contains("--cursor "), "{}", shown.stderr);
}

#[test]
fn wrong_positions_and_cursors_are_refused() {
    let server = Server::start();
    for (arguments, status, said) in [
        (vec!["brandubh", "7/7 n 0"], 1, "brandubh.position"),
        (vec!["brandubh", "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 0"], 1, "brandubh.position"),
        (vec!["querni"], 1, "record.setup"),
        (vec!["brandubh", "--rules", "none"], 1, "record.rules"),
        (vec!["brandubh", "--cursor", "x"], 2, "cursor"),
        (vec!["chess"], 2, "chess"),
    ] {
        let run = position(&server, &arguments);
        assert_eq!(run.status, Some(status), "{arguments:?}: {run:#?}");
        assert!(run.stderr.contains(said) && run.stdout.is_empty(), "{arguments:?}: {run:#?}");
    }
}
