//! `quipu token`: a token is shown once and alone, listed without its secret, and void when it is revoked.

use quipu_archive::{
    model::TokenLimit,
    store::{Store, TokenRefusal, WriteTx},
};
use quipu_options::Scope;
use quipu_tests_service::program::{Run, run};
use serde_json::Value;
use tempfile::TempDir;

use crate::with;

fn token(folder: &TempDir, arguments: &[&str]) -> Run {
    let data = folder.path().to_str().expect("our paths are UTF-8");
    run(&with(&["token", "--lang", "en"], &with(arguments, &["--data", data])))
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room")
}

#[test]
fn a_token_is_printed_alone() {
    let folder = folder();
    let run = token(&folder, &["add", "--name", "Club", "--scope", "events:admin", "--scope", "records:write"]);
    assert_eq!(run.status, Some(0), "{run:#?}");
    let (text, rest) = run.stdout.split_once('\n').expect("a line");
    assert_eq!(rest, "");
    let parts: Vec<_> = text.splitn(3, '_').collect();
    assert_eq!((parts[0], parts[1].len(), parts[2].len()), ("quipu", 8, 43), "{text}");
    assert!(parts[2].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
    assert!(run.stderr.contains(parts[1]) && !run.stderr.contains(parts[2]), "{run:#?}");
    let other = token(&folder, &["add", "--name", "Otro", "--scope", "admin"]);
    assert_ne!(other.stdout, run.stdout);

    let list = token(&folder, &["list", "--json"]);
    let list: Value = serde_json::from_str(&list.stdout).expect("JSON");
    assert_eq!(list[0]["id"], parts[1]);
    assert_eq!(list[0]["name"], "Club");
    assert_eq!(list[0]["scopes"], serde_json::json!(["records:write", "events:admin"]));
    assert!(list[0]["created"].as_str().is_some_and(|time| time.ends_with('Z')), "{list}");
    assert_eq!(list[0]["revoked"], Value::Null);
    assert_eq!(list[1]["name"], "Otro");
    assert!(!list.to_string().contains(parts[2]), "the secret is nowhere");
    let table = token(&folder, &["list"]).stdout;
    assert!(table.contains("records:write events:admin") && !table.contains(parts[2]), "{table}");
    let kept = std::fs::read(folder.path().join("quipu.db")).expect("it is there");
    assert!(!kept.windows(43).any(|window| window == parts[2].as_bytes()), "the secret is not kept");
}

#[test]
fn a_list_names_the_limits_of_tokens() {
    let folder = folder();
    let data = folder.path().to_str().expect("our paths are UTF-8");
    let new = ["new", "Copa", "--game", "andes", "--system", "swiss", "--rounds", "3", "--data", data];
    assert_eq!(run(&with(&["tournament"], &new)).status, Some(0));
    let store = Store::open_existing(folder.path()).expect("an archive");
    for (name, board) in [("Mesa 4", Some((2, 4))), ("Sala", None)] {
        let limit = Some(TokenLimit { tournament: 1, board });
        let add = move |writing: &WriteTx<'_>| -> Result<_, TokenRefusal> {
            writing.add_limited_token(name, &[Scope::RecordsWrite], None, limit)
        };
        store.write(add).wait().expect("a token");
    }
    store.close().expect("closed");
    let table = token(&folder, &["list"]).stdout;
    let limits = ["tournament 1, round 2, board 4", "tournament 1 "];
    assert!(limits.iter().all(|limit| table.contains(limit)), "{table}");
}

#[track_caller]
fn refuses(folder: &TempDir, status: i32, arguments: &[&str], expected: &str) {
    let run = token(folder, arguments);
    assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{arguments:?}: {run:#?}");
    assert!(run.stderr.starts_with(&format!("error: {expected}")), "{arguments:?}: {run:#?}");
}

#[test]
fn wrong_usage_of_tokens_is_reported() {
    let folder = folder();
    refuses(&folder, 3, &["list"], "there is no archive in ");
    refuses(&folder, 3, &["revoke", "Club"], "there is no archive in ");
    refuses(&folder, 2, &["add", "--scope", "admin"], "--name is missing");
    refuses(&folder, 2, &["add", "--name", "Club"], "--scope is missing");
    refuses(&folder, 2, &["add", "--name", " ", "--scope", "admin"], "the name of a token has 1 to 100 characters");
    refuses(
        &folder,
        2,
        &["add", "--name", "Club", "--scope", "root"],
        "“root” is not a valid value for “--scope <records:write|events:admin|admin>”; \
         allowed: records:write, events:admin, admin",
    );
    assert_eq!(token(&folder, &["add", "--name", "Club", "--scope", "admin"]).status, Some(0));
    refuses(
        &folder,
        2,
        &["add", "--name", "Club", "--scope", "admin"],
        "“Club” is, or was, the name or id of a token; choose another",
    );
    refuses(&folder, 2, &["revoke", "Nadie"], "there is no token “Nadie”; `quipu token list` shows them");
    refuses(&folder, 2, &["revoke"], "<ID|NAME> is missing");
}

#[test]
fn an_expiry_is_listed() {
    let folder = folder();
    let add = |name: &str, more: &[&str]| {
        let run = token(&folder, &with(&["add", "--name", name, "--scope", "admin"], more));
        assert_eq!(run.status, Some(0), "{run:#?}");
    };
    add("a", &[]);
    add("b", &["--expires", "2990-12-31"]);
    add("c", &["--expires", "2990-12-31T18:00:00-05:00"]);
    add("d", &["--expires", "30d"]);
    let list: Vec<Value> = serde_json::from_str(&token(&folder, &["list", "--json"]).stdout).expect("JSON");
    let expires: Vec<_> = list.iter().map(|token| &token["expires"]).collect();
    assert_eq!(expires[..3], [&Value::Null, &"2991-01-01T00:00:00.000Z".into(), &"2990-12-31T23:00:00.000Z".into()]);
    assert!(expires[3].as_str() > list[3]["created"].as_str(), "{list:#?}");
    let table = token(&folder, &["list"]).stdout;
    assert!(table.contains("expires") && table.contains("2991-01-01T00:00:00.000Z"), "{table}");
    for past in ["2020-01-01", "0d"] {
        let arguments = ["add", "--name", "e", "--scope", "admin", "--expires", past];
        refuses(&folder, 2, &arguments, &format!("“{past}” is in the past; give a later expiry in `--expires`"));
    }
    for wrong in ["soon", "30", "1y", ""] {
        let arguments = ["add", "--name", "e", "--scope", "admin", "--expires", wrong];
        refuses(&folder, 2, &arguments, &format!("“{wrong}” is not an expiry; allowed are a date such as 2026-12-31,"));
    }
}

#[test]
fn tokens_are_revoked_by_name_or_id() {
    let folder = folder();
    let text = token(&folder, &["add", "--name", "a", "--scope", "admin"]).stdout;
    let id = text.split('_').nth(1).expect("an id").to_owned();
    token(&folder, &["add", "--name", "b", "--scope", "admin"]);
    let revoked = |expected: &str| {
        let list = token(&folder, &["list", "--json"]).stdout;
        let list: Vec<Value> = serde_json::from_str(&list).expect("JSON");
        let revoked: Vec<_> = list
            .iter()
            .filter(|token| !token["revoked"].is_null())
            .filter_map(|token| token["name"].as_str())
            .collect();
        assert_eq!(revoked.join(" "), expected);
    };
    revoked("");
    let run = token(&folder, &["revoke", &id]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""));
    assert_eq!(run.stderr, format!("revoked: {id} (“a”)\n"));
    revoked("a");
    assert_eq!(token(&folder, &["revoke", "a"]).stderr, "“a” was already revoked\n");
    assert_eq!(token(&folder, &["revoke", "b"]).status, Some(0));
    revoked("a b");
}

#[test]
fn tokens_are_limited_to_a_tournament_or_a_board() {
    let folder = folder();
    let data = folder.path().to_str().expect("our paths are UTF-8");
    let new = ["tournament", "new", "Copa", "--game", "andes", "--system", "swiss", "--rounds", "3", "--data", data];
    assert_eq!(run(&new).status, Some(0));
    let add = |name: &str, more: &[&str]| {
        let run = token(&folder, &with(&["add", "--name", name, "--scope", "events:admin"], more));
        assert_eq!(run.status, Some(0), "{run:#?}");
    };
    add("a", &["--tournament", "1"]);
    add("b", &["--tournament", "1", "--round", "2", "--board", "4"]);
    let list: Vec<Value> = serde_json::from_str(&token(&folder, &["list", "--json"]).stdout).expect("JSON");
    let limits: Vec<_> = list.iter().map(|token| &token["limit"]).collect();
    let board = serde_json::json!({"tournament": 1, "round": 2, "board": 4});
    assert_eq!(limits, [&serde_json::json!({"tournament": 1}), &board]);
    for part in [
        &["--round", "2"][..],
        &["--board", "4"],
        &["--tournament", "1", "--round", "2"],
        &["--tournament", "1", "--board", "4"],
        &["--round", "2", "--board", "4"],
    ] {
        let arguments = with(&["add", "--name", "c", "--scope", "events:admin"], part);
        refuses(&folder, 2, &arguments, "a board needs `--tournament`, `--round` and `--board`");
    }
    let admin = ["add", "--name", "c", "--scope", "admin", "--tournament", "1"];
    refuses(&folder, 2, &admin, "the scope admin takes no limit");
    let unknown = ["add", "--name", "c", "--scope", "events:admin", "--tournament", "7"];
    refuses(&folder, 2, &unknown, "there is no tournament 7");
}
