//! `quipu receipt check` and `quipu archive rotate-key`: a receipt is checked with a key and nothing else, and what is wrong
//! with one is said; and that others can check it with their own tools, as the guide shows.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use quipu_archive::store::Store;
use quipu_tests_service::{
    program::{Run, run},
    server::Server,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::with;

/// A game of Andes that is over.
const GAME: &str = "[Game \"andes\"]\n[Site \"Lima\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n";

/// Receipts and keys that a service handed out, in files.
struct Files {
    folder: TempDir,
    public: String,
    /// As it came: what is signed of a verdict depends on the order of its members.
    text: String,
    receipt: Value,
    keys: Value,
}

impl Files {
    fn new() -> Self {
        let server = Server::start();
        let others = (0..5).map(|site| GAME.replace("Lima", &format!("Sala {site}")));
        let all: Vec<_> = others.chain([GAME.to_owned()]).collect();
        let ids = server.keep(all.join("\n").as_bytes());
        let id = quipu_referee::report::hex(&ids[5]);
        let text = server.get(&format!("/v1/records/{id}/receipt")).text().to_owned();
        let receipt = serde_json::from_str(&text).expect("JSON");
        let keys = server.get("/v1/keys").json();
        let public = keys["keys"][0]["public"].as_str().expect("a text").to_owned();
        Self { folder: tempfile::tempdir().expect("there is room"), public, text, receipt, keys }
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("there is room");
        path.to_str().expect("our paths are UTF-8").to_owned()
    }

    fn check(&self, receipt: &Value, more: &[&str]) -> Run {
        let file = self.write("receipt.json", &receipt.to_string());
        run(&with(&["receipt", "check", &file, "--lang", "en", "--key", &self.public], more))
    }

    /// Checks that a receipt is rejected for this reason.
    #[track_caller]
    fn refused(&self, receipt: &Value, more: &[&str], why: &str) {
        let run = self.check(receipt, more);
        assert_eq!(run.status, Some(1), "{run:#?}");
        assert!(run.stderr.contains(why), "{run:#?}");
    }
}

#[test]
fn a_receipt_that_holds() {
    let files = Files::new();
    let run = files.check(&files.receipt, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:#?}");
    let id = files.receipt["id"].as_str().expect("an id");
    assert!(run.stdout.contains(id) && run.stdout.contains("receipt log: 5 (from 0) of 6"), "{run:#?}");
    // The key can be in a file, and what is a receipt can come by standard input.
    let key = files.write("key", &format!("{}\n", files.public));
    let file = files.write("receipt.json", &files.receipt.to_string());
    for arguments in [["--key", &key], ["--key", &files.public]] {
        let run = quipu_tests_service::program::run(&with(&["receipt", "check", &file], &arguments));
        assert_eq!(run.status, Some(0), "{run:#?}");
        assert!(run.stdout.contains("Recibo válido"), "{run:#?}");
    }
    let list = files.write("keys.json", &files.keys.to_string());
    assert_eq!(files.check(&files.receipt, &["--keys", &list]).status, Some(0));
}

/// A head that somebody kept, and the archive of today.
#[test]
fn a_head_that_was_kept() {
    let files = Files::new();
    let folder = tempfile::tempdir().expect("there is room");
    let data = folder.path().to_str().expect("our paths are UTF-8");
    let games = files.write("games.quipu", GAME);
    assert_eq!(run(&["archive", "import", &games, "--data", data]).status, Some(0));
    let store = Store::open(folder.path()).expect("an archive");
    store.unlock().expect("a key");
    let signer = store.signer().expect("a key");
    let head = store.read(|reading| reading.signed_head(&signer)).expect("it answers");
    drop(store);
    let check = |head: &str| run(&["archive", "check", "--data", data, "--lang", "en", "--head", head]);
    let own = check(&files.write("head.json", &serde_json::to_string(&head).expect("JSON")));
    assert_eq!((own.status, own.stdout.as_str()), (Some(0), ""), "{own:#?}");
    // That of another log, as it stands in a receipt of its.
    let another = check(&files.write("receipt.json", &files.receipt.to_string()));
    assert_eq!(another.status, Some(1), "{another:#?}");
    assert!(
        another.stdout.contains("is not a continuation of the one in") && another.stderr.contains("faults: 1"),
        "{another:#?}"
    );
    let none = check(&files.write("none.json", "{}"));
    assert!(
        none.status == Some(2) && none.stderr.contains("is neither a head as in /v1/log nor a receipt"),
        "{none:#?}"
    );
    assert_eq!(check("no-such.json").status, Some(3));
    // An archive that is put in the place of this one is neither sound nor served, and both say why.
    let aside = tempfile::tempdir().expect("there is room");
    let other = aside.path().to_str().expect("our paths are UTF-8");
    let games = files.write("games.quipu", &GAME.replace("Lima", "Cusco"));
    assert_eq!(run(&["archive", "import", &games, "--data", other]).status, Some(0));
    fs::copy(aside.path().join("quipu.db"), folder.path().join("quipu.db")).expect("there is room");
    let found = run(&["archive", "check", "--data", data]);
    assert!(found.status == Some(1) && found.stdout.contains("quipu.head: el registro de recibos"), "{found:#?}");
    let served = run(&["serve", "--data", data, "--listen", "127.0.0.1:0"]);
    assert!(served.status == Some(3) && served.stderr.contains("quipu.head: el registro de recibos"), "{served:#?}");
}

#[test]
fn the_record_at_hand() {
    let files = Files::new();
    let other = GAME.replace("Lima", "Cusco");
    for (text, status, said) in [
        (GAME.to_owned(), 0, "byte by byte"),
        (format!("{other}\n{GAME}"), 0, "byte by byte"),
        (GAME.replace("1. 0a1", "1.  0a1"), 0, "submitted in another form"),
        (other, 1, "belongs to another record"),
        (String::new(), 1, "has no record"),
    ] {
        let record = files.write("game.quipu", &text);
        let run = files.check(&files.receipt, &["--record", &record]);
        assert_eq!(run.status, Some(status), "{text}: {run:#?}");
        assert!(format!("{}{}", run.stdout, run.stderr).contains(said), "{text}: {run:#?}");
    }
    let run = files.check(&files.receipt, &["--record", "no-such.quipu"]);
    assert_eq!(run.status, Some(3), "{run:#?}");
}

#[test]
fn receipts_that_do_not_hold() {
    let files = Files::new();
    let changed = |pointer: &str, value: Value| {
        let mut receipt = files.receipt.clone();
        *receipt.pointer_mut(pointer).expect("it is there") = value;
        receipt
    };
    let zeros = |bytes: usize| json!("0".repeat(2 * bytes));
    files.refused(&changed("/verdict/result", json!("0-1")), &[], "the signature does not match its content");
    files.refused(&changed("/signature", zeros(64)), &[], "the signature does not match its content");
    files.refused(&changed("/head/size", json!(7)), &[], "the signature does not match the head of the receipt log");
    files.refused(&changed("/proof/0", zeros(32)), &[], "does not lead to the root");
    files.refused(&changed("/key", zeros(32)), &[], "which is neither the trusted key nor a successor");
    files.refused(&changed("/head/key", zeros(32)), &[], "the head of the receipt log was signed by the key");
    files.refused(&changed("/index", json!("5")), &[], "is not a receipt: line 1");
    files.refused(&changed("/state", json!("verified by all")), &[], "unknown record state");
    files.refused(&json!({}), &[], "is not a receipt: line 1");
    let mut list = files.keys.clone();
    list["keys"][0]["key"] = zeros(32);
    let list = files.write("keys.json", &list.to_string());
    files.refused(&files.receipt, &["--keys", &list], "invalid list of keys");
    let none = files.write("keys.json", "[]");
    files.refused(&files.receipt, &["--keys", &none], "is not a list of keys");
    let told = files.check(&changed("/state", json!("retracted")), &[]);
    assert_eq!(told.status, Some(0));
    assert!(told.stderr.contains("was retracted"), "{told:#?}");
    for (arguments, status) in [
        (&["receipt", "check", "no-such.json", "--key", &files.public][..], 3),
        (&["receipt", "check", "Cargo.toml"], 2),
        (&["receipt", "check", "Cargo.toml", "--key", "Cargo.toml"], 2),
        (&["receipt", "check", "Cargo.toml", "--key", "no-such"], 3),
        // As many digits as a key has, which are none.
        (&["receipt", "check", "Cargo.toml", "--key", &"0".repeat(64)], 2),
    ] {
        let run = run(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{run:#?}");
    }
}

/// Growth of the receipt log, from a stored head or a receipt to the current head.
#[test]
fn a_log_that_grew() {
    let files = Files::new();
    let server = Server::start();
    let get = |path: &str| server.get(path).json();
    let games =
        |from: u32| (from..from + 3).map(|site| GAME.replace("Lima", &format!("Mesa {site}"))).collect::<String>();
    let ids = server.keep(games(0).as_bytes());
    let (kept, receipt) =
        (get("/v1/log"), get(&format!("/v1/records/{}/receipt", quipu_referee::report::hex(&ids[0]))));
    server.keep(games(3).as_bytes());
    let (now, proof) = (get("/v1/log"), get("/v1/log/consistency?from=3&to=6"));
    let key = get("/v1/keys")["keys"][0]["public"].as_str().expect("a text").to_owned();
    let follow = |key: &str, documents: [&Value; 3]| {
        let names = ["before.json", "now.json", "proof.json"];
        let paths: Vec<_> =
            names.iter().zip(documents).map(|(name, one)| files.write(name, &one.to_string())).collect();
        run(&["receipt", "follow", &paths[0], &paths[1], &paths[2], "--lang", "en", "--key", key])
    };
    for before in [&kept, &receipt] {
        let run = follow(&key, [before, &now, &proof]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:#?}");
        assert!(run.stdout.contains("from 3 to 6 receipts"), "{run:#?}");
    }
    let mut other = proof.clone();
    other["proof"][0] = json!("0".repeat(64));
    let mut changed = now.clone();
    changed["root"] = kept["root"].clone();
    let refused: [(&str, [&Value; 3], &str); 7] = [
        (&key, [&kept, &now, &other], "does not show that the receipt log with 6"),
        (&key, [&now, &kept, &proof], "does not show that the receipt log with 3"),
        (&key, [&kept, &kept, &proof], "does not show"),
        (&key, [&kept, &changed, &proof], "now.json: invalid head: the signature does not match its content"),
        (&files.public, [&kept, &now, &proof], "before.json: invalid head: it was signed by the key"),
        (&key, [&proof, &now, &proof], "neither a head as in"),
        (&key, [&kept, &now, &now], "is not a proof as"),
    ];
    for (key, documents, why) in refused {
        let run = follow(key, documents);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{why}: {run:#?}");
        assert!(run.stderr.contains(why), "{why}: {run:#?}");
    }
}

#[test]
fn a_key_that_is_lost() {
    let folder = tempfile::tempdir().expect("there is room");
    let data = folder.path().to_str().expect("our paths are UTF-8");
    let rotate = |more: &[&str]| run(&with(&["archive", "rotate-key", "--lang", "en", "--data", data], more));
    let imported = run(&["archive", "import", "fixtures/brandubh/games.quipu", "--data", data]);
    assert_eq!(imported.status, Some(0), "{imported:#?}");
    assert_eq!(rotate(&[]).status, Some(0));
    fs::remove_file(folder.path().join("quipu.key")).expect("it is there");
    let serve = run(&["serve", "--lang", "en", "--listen", "127.0.0.1:0", "--data", data]);
    for run in [&serve, &rotate(&[])] {
        assert_eq!(run.status, Some(3), "{run:#?}");
        assert!(run.stderr.contains("is missing") && run.stderr.contains("rotate-key --lost"), "{run:#?}");
        assert!(!folder.path().join("quipu.key").exists(), "none is made unasked");
    }
    assert_eq!(rotate(&["--lost"]).status, Some(0));
    assert_eq!(rotate(&[]).status, Some(0), "it signs the next");
}

#[test]
fn another_key_is_made_while_nobody_serves() {
    let folder = tempfile::tempdir().expect("there is room");
    let data = folder.path().to_str().expect("our paths are UTF-8");
    let rotate = || run(&["archive", "rotate-key", "--lang", "en", "--data", data]);
    assert_eq!(rotate().status, Some(3), "there is no archive yet");
    let imported = run(&["archive", "import", "fixtures/brandubh/games.quipu", "--data", data]);
    assert_eq!(imported.status, Some(0), "{imported:#?}");
    let (first, second) = (rotate(), rotate());
    assert_eq!((first.status, second.status), (Some(0), Some(0)), "{first:#?}");
    let is_key = |run: &Run| run.stdout.len() == 65 && run.stdout.trim().bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_key(&first) && is_key(&second) && first.stdout != second.stdout);
    let secret = fs::read_to_string(folder.path().join("quipu.key")).expect("a key");
    for run in [&first, &second] {
        assert!(!format!("{run:?}").contains(secret.trim()), "the secret is never printed");
    }
    let check = run(&["archive", "check", "--data", data]);
    assert_eq!(check.status, Some(0), "{check:#?}");
    let store = quipu_archive::store::Store::open(folder.path()).expect("an archive");
    let _lock = store.serve_lock().expect("nobody serves it");
    let refused = rotate();
    assert_eq!(refused.status, Some(3), "{refused:#?}");
    assert!(refused.stderr.contains("serves this archive"), "{refused:#?}");
}

/// The program of the guide, which uses nothing of ours, finds the same.
#[test]
fn others_check_it_with_their_own_tools() {
    let files = Files::new();
    for page in ["docs/receipts.md", "docs/receipts.es.md"] {
        let text = fs::read_to_string(quipu_tests_service::root().join(page)).expect("a page");
        let (_, program) = text.split_once("```python\n").expect("a program");
        let (program, _) = program.split_once("```").expect("its end");
        let program = PathBuf::from(files.write("check.py", program));
        let python = |receipt: &Path| {
            let mut python = Command::new("python3");
            let done = python.arg(&program).arg(receipt).arg(&files.public).stdin(Stdio::null()).output();
            Run::from(done.expect("python3 runs"))
        };
        let good = files.write("receipt.json", &files.text);
        let done = python(good.as_ref());
        assert_eq!(done.status, Some(0), "{page}: {done:#?}");
        let zeros = "0".repeat(64);
        let step = files.receipt["proof"][1].as_str().expect("a hash");
        for (said, other) in [("\"plies\":4", "\"plies\":3"), (step, &*zeros), ("\"size\":6", "\"size\":7")] {
            let changed = files.text.replacen(said, other, 1);
            assert_ne!(changed, files.text, "{said}");
            let changed = files.write("other.json", &changed);
            let done = python(changed.as_ref());
            assert_eq!(done.status, Some(1), "{page}: {said}: {done:#?}");
        }
    }
}
