//! `quipu archive list`, `show`, `correct`, `retract`, `merge` and `undo`: the same records, refusals and effects as over
//! HTTP, while a service has the archive open.

use quipu_archive::model::RecordState;
use quipu_options::Scope;
use quipu_referee::report::hex;
use quipu_tests_service::{
    bytes,
    program::{Run, command, run, run_with},
    server::Server,
};
use serde_json::{Value, json};

use crate::{BAD, serve::Service, with};

/// A game that Sol wins.
fn game(sol: &str, luna: &str, round: u32) -> String {
    format!(
        "[Game \"andes\"]\n[Event \"Copa\"]\n[Date \"2026.08.{:02}\"]\n[Round \"{round}\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n\
         [Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n",
        10 + round
    )
}

/// A running service and commands about its archive.
struct Commands {
    server: Server,
    data: String,
    token: String,
}

impl Commands {
    fn new() -> Self {
        let server = Server::start();
        let folder = server.store.path().parent().expect("it is in a folder");
        let data = folder.to_str().expect("our paths are UTF-8").to_owned();
        let token = server.token(Scope::EventsAdmin);
        Self { server, data, token }
    }

    /// Stores records in the archive and returns their ids.
    fn keep(&self, records: &[String]) -> Vec<String> {
        self.server.keep(records.join("\n").as_bytes()).iter().map(|id| hex(id)).collect()
    }

    fn archive(&self, lang: &str, arguments: &[&str]) -> Run {
        run(&with(&["archive", "--lang", lang], &with(arguments, &["--data", &self.data])))
    }

    /// Runs a command that succeeds without messages, and returns its output.
    #[track_caller]
    fn good(&self, arguments: &[&str]) -> String {
        let run = self.archive("en", arguments);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}: {run:#?}");
        run.stdout
    }

    #[track_caller]
    fn objects(&self, arguments: &[&str]) -> Vec<Value> {
        let out = self.good(&with(arguments, &["--json"]));
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// All items of a list over HTTP.
    fn items(&self, query: &str) -> Vec<Value> {
        let (mut items, mut path) = (Vec::new(), format!("/v1/records?limit=200&{query}"));
        loop {
            let page = self.server.get(&path).json();
            items.extend(page["items"].as_array().expect("items").iter().cloned());
            let Some(next) = page["next"].as_str() else { return items };
            path = format!("/v1/records?limit=200&{query}&cursor={next}");
        }
    }

    fn state(&self, id: &str) -> Option<String> {
        self.server.get(&format!("/v1/records/{id}/history")).json()["state"].as_str().map(str::to_owned)
    }

    fn post(&self, lang: &str, path: &str, body: &Value) -> Value {
        let ask = self.server.ask("POST", path).token(&self.token).header("Accept-Language", lang);
        serde_json::from_str(ask.json(body).send().text()).expect("JSON")
    }
}

#[test]
fn lists_are_those_over_http() {
    let commands = Commands::new();
    commands.server.keep(&bytes("andes/cup.quipu")[..]);
    commands.server.keep(&bytes("andes/mutants.quipu")[..]);
    commands.server.keep(&bytes("brandubh/games.quipu")[..]);
    let id = commands.good(&["list", "--game", "andes"])[..64].to_owned();
    commands.good(&["retract", &id, "--reason", "a friendly game"]);
    let same: [(&[&str], &str); 13] = [
        (&[], ""),
        (&["--game", "brandubh"], "game=brandubh"),
        (&["--player", "Quispe Mamani, Rosa"], "player=Quispe%20Mamani%2C%20Rosa"),
        (&["--player", "1"], "player=1"),
        (&["--event", "Copa de los Andes", "--round", "1"], "event=Copa%20de%20los%20Andes&round=1"),
        (&["--event", "1"], "event=1"),
        (&["--result", "0-1"], "result=0-1"),
        (&["--termination", "resignation"], "termination=resignation"),
        (&["--status", "rejected"], "status=rejected"),
        (&["--state", "retracted"], "state=retracted"),
        (&["--state", "all"], "state=all"),
        (&["--after", "2026-08-10", "--before", "2026-09-10"], "from=2026-08-10&to=2026-09-10"),
        (&["--text", "quispe rosa"], "q=quispe%20rosa"),
    ];
    let mut all = 0;
    for (options, query) in same {
        let listed = commands.objects(&with(&["list"], options));
        assert_eq!(listed, commands.items(query), "{options:?}");
        assert!(!listed.is_empty(), "{options:?}");
        let lines = commands.good(&with(&["list"], options));
        let ids: Vec<_> = lines.lines().map(|line| &line[..64]).collect();
        assert_eq!(ids, listed.iter().map(|card| card["id"].as_str().expect("an id")).collect::<Vec<_>>());
        all = all.max(listed.len());
    }
    assert!(all > 100, "more than one page: {all}");
    for (options, expected) in [
        (["--player", "Nadie"], "the archive has no player “Nadie”"),
        (["--event", "Nada"], "the archive has no event “Nada”"),
        (["--after", "12.8.2026"], "“12.8.2026” is not a date for --after"),
        (["--text", "!"], "contains no word to search for"),
        (["--cursor", "x"], "“x” is not the cursor of a list in this order"),
    ] {
        let run = commands.archive("en", &with(&["list"], &options));
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{options:?}");
        assert!(run.stderr.contains(expected), "{options:?}: {run:#?}");
    }
}

#[test]
fn a_list_goes_on_from_the_cursor_that_it_names() {
    let commands = Commands::new();
    commands.server.keep(&bytes("andes/cup.quipu")[..]);
    for (options, query) in [(&[][..], ""), (&["--after", "2026-01-01"], "&from=2026-01-01")] {
        let (mut ids, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let more = cursor.as_ref().map_or(vec![], |cursor| vec!["--cursor", cursor]);
            let page = commands.archive("en", &with(&with(&["list", "--limit", "11"], options), &more));
            assert_eq!(page.status, Some(0), "{page:#?}");
            ids.extend(page.stdout.lines().map(|line| line[..64].to_owned()));
            let over_http = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
            let over_http = commands.server.get(&format!("/v1/records?limit=11{query}{over_http}")).json();
            let Some(next) = over_http["next"].as_str() else {
                assert_eq!(page.stderr, "");
                break;
            };
            assert_eq!(page.stderr, format!("there are more records; continue with --cursor {next}\n"));
            cursor = Some(next.to_owned());
        }
        assert_eq!(ids.len(), 56);
        let whole = commands.good(&with(&["list"], options));
        assert_eq!(ids, whole.lines().map(|line| &line[..64]).collect::<Vec<_>>());
    }
    // A cursor of a list by day is invalid in a list by entry.
    let by_day = commands.archive("en", &["list", "--limit", "1", "--after", "2026-01-01"]).stderr;
    let cursor = by_day.trim().rsplit(' ').next().expect("a cursor");
    assert_eq!(commands.archive("en", &["list", "--cursor", cursor]).status, Some(2));
}

#[test]
fn a_record_is_shown_as_over_http() {
    let commands = Commands::new();
    let ids = commands.keep(&[game("Ana", "Beto", 1), game("Ana", "Carla", 2), BAD.to_owned()]);
    commands.good(&["retract", &ids[1], "--reason", "a friendly game", "--author", "Árbitra"]);
    for id in &ids {
        let mut shown = commands.objects(&["show", id]).remove(0);
        let record = shown.as_object_mut().expect("an object").remove("record").expect("a record");
        let ask = |path: &str| commands.server.ask("GET", path).header("Accept-Language", "en").send().json();
        assert_eq!(shown, ask(&format!("/v1/records/{id}/history")));
        assert_eq!(record, ask(&format!("/v1/records/{id}")));
        let text = commands.server.ask("GET", &format!("/v1/records/{id}")).header("Accept", "text/plain").send();
        let shown = commands.good(&["show", id]);
        assert!(shown.starts_with(&format!("{id}\n")) && shown.ends_with(text.text()), "{shown}");
    }
    let shown = commands.good(&["show", &ids[1]]);
    assert!(shown.contains("\nAna – Carla · andes · Copa · round 2 · 2026-08-12 · submitted as quipu · retracted\n"));
    assert!(shown.contains(&format!("retracted {}  (quipu archive retract, Árbitra): a friendly game\n", ids[1])));
    let shown = commands.good(&["show", &ids[2]]);
    assert!(shown.contains("verdict: rejected") && shown.contains("    4:8: andes.3.6: "), "{shown}");

    assert_eq!(commands.good(&["show", &ids[0][..12]]), commands.good(&["show", &ids[0]]));
    assert_eq!(commands.good(&["show", &ids[0][..63]]), commands.good(&["show", &ids[0]]));
    let missing = if ids.iter().any(|id| id.starts_with("0123")) { "4567" } else { "0123" };
    let run = commands.archive("en", &["show", missing]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains(&format!("no record has an id that begins with “{missing}”")), "{run:#?}");

    for wrong in ["abc", "0123g", &ids[0].to_uppercase(), ""] {
        let run = commands.archive("en", &["show", wrong]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{wrong}");
        assert!(run.stderr.contains("an id has 64 hexadecimal digits"), "{wrong}: {run:#?}");
    }
}

#[test]
fn a_text_that_cannot_be_read_is_shown_as_it_was_submitted() {
    let commands = Commands::new();
    let id = &commands.keep(&["[Game \"andes\"]\n\n1. 0d3 {open \u{1b}[2J\n*\n".to_owned()])[0];
    assert_eq!(commands.objects(&["show", id])[0]["record"], Value::Null);
    let shown = commands.good(&["show", id]);
    assert!(shown.contains("verdict: unreadable") && shown.contains("1. 0d3 {open "), "{shown}");
}

#[test]
fn decisions_have_their_effects_at_once() {
    let commands = Commands::new();
    let ids = commands.keep(&[game("Ana", "Beto", 1), game("Ana", "Carla", 2)]);
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("right.quipu");
    std::fs::write(&file, game("Ana", "Berta", 1)).expect("there is room");
    let file = file.to_str().expect("our paths are UTF-8");

    let made = &commands.objects(&["correct", &ids[0], file, "--reason", "misread", "--author", "Árbitra"])[0];
    let new = made["record"].as_str().expect("an id").to_owned();
    assert_eq!((&made["number"], &made["kind"], &made["corrects"]), (&json!(3), &json!("correction"), &json!(ids[0])));
    let told = (&made["submitter"], &made["author"], &made["reason"]);
    assert_eq!(told, (&json!("quipu archive correct"), &json!("Árbitra"), &json!("misread")));
    assert_eq!(*made, commands.server.get("/v1/changes?since=2").json()["items"][0]);
    assert_eq!(
        [&ids[0], &new].map(|id| commands.state(id)),
        ["corrected", "current"].map(|state| Some(state.to_owned()))
    );

    let undone = commands.good(&["undo", "3", "--reason", "it was right"]);
    assert!(undone.starts_with("4  ") && undone.contains("undid the change 3  (quipu archive undo): it was right\n"));
    assert_eq!(commands.state(&ids[0]).as_deref(), Some("current"));

    let merged = commands.good(&["merge", "Berta", "Beto", "--reason", "the same person"]);
    assert!(merged.contains("“Berta” counts as “Beto”"), "{merged}");
    let player = |name: &str| {
        let found = commands.server.store.read(|reading| reading.player_named(name));
        let found: Result<_, quipu_archive::store::StoreError> = found;
        found.expect("the archive answers").expect("there is this player")
    };
    let (berta, beto) = (player("Berta"), player("Beto"));
    assert_eq!(berta.counts_as, Some((beto.number, beto.name)));
    commands.good(&["undo", "5", "--reason", "they are sisters"]);
    // By numbers too.
    commands.good(&["merge", &berta.number.to_string(), &beto.number.to_string(), "--reason", "no, the same"]);

    commands.good(&["retract", &ids[1], "--reason", "a friendly game"]);
    assert_eq!(commands.state(&ids[1]).as_deref(), Some(RecordState::Retracted.as_str()));
    let from_stdin = run_with(
        &["archive", "correct", &ids[0], "-", "--reason", "misread", "--data", &commands.data],
        game("Ana", "Carla", 2).as_bytes(),
    );
    assert_eq!(from_stdin.status, Some(0), "a retracted record takes a place again: {from_stdin:#?}");
    let check = commands.archive("en", &["check"]);
    assert_eq!(check.status, Some(0), "{check:#?}");
}

/// An impossible decision is refused with the same message as over HTTP, in both languages.
#[test]
fn refusals_have_the_words_of_http() {
    let commands = Commands::new();
    let ids = commands.keep(&[game("Ana", "Beto", 1), game("Ana", "Carla", 2), game("Eva", "Dora", 3)]);
    let folder = tempfile::tempdir().expect("there is room");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("there is room");
        path.to_str().expect("our paths are UTF-8").to_owned()
    };
    let [first, second, new] = [game("Ana", "Beto", 1), game("Ana", "Carla", 2), game("Ana", "Berta", 1)];
    let [same, there, fresh] =
        [("same", &first), ("there", &second), ("fresh", &new)].map(|(name, text)| file(name, text));
    let why = ["--reason", "why"];
    commands.good(&with(&["correct", &ids[2], &fresh], &why)); // 4
    commands.good(&with(&["retract", &ids[1]], &why)); // 5
    commands.good(&with(&["undo", "5"], &why)); // 6
    commands.good(&with(&["merge", "Ana", "Eva"], &why)); // 7
    let fresh_id = commands.items("round=1")[0]["id"].as_str().expect("an id").to_owned();
    commands.good(&with(&["retract", &fresh_id], &why)); // 8
    let nothing = "0".repeat(64);
    let reason = json!({ "reason": "why" });
    let record = |text: &str| json!({ "reason": "why", "record": text });
    let number = |name: &str| {
        let found: Result<_, quipu_archive::store::StoreError> =
            commands.server.store.read(|reading| reading.player_named(name));
        found.expect("the archive answers").expect("there is this player").number
    };
    let (ana, beto) = (number("Ana"), number("Beto"));
    let merge = |into: &str| json!({ "reason": "why", "into": into });
    let cases: [(i32, Vec<&str>, String, Value); 13] = [
        (2, vec!["retract", &nothing], format!("/v1/records/{nothing}/retractions"), reason.clone()),
        (2, vec!["correct", &nothing, &same], format!("/v1/records/{nothing}/corrections"), record(&first)),
        (1, vec!["retract", &ids[2]], format!("/v1/records/{}/retractions", ids[2]), reason.clone()),
        (1, vec!["correct", &ids[2], &same], format!("/v1/records/{}/corrections", ids[2]), record(&first)),
        (1, vec!["retract", &fresh_id], format!("/v1/records/{fresh_id}/retractions"), reason.clone()),
        (1, vec!["correct", &ids[0], &same], format!("/v1/records/{}/corrections", ids[0]), record(&first)),
        (1, vec!["correct", &ids[0], &there], format!("/v1/records/{}/corrections", ids[0]), record(&second)),
        (1, vec!["merge", "Ana", "Beto"], format!("/v1/players/{ana}/merges"), merge("Beto")),
        (1, vec!["merge", "Beto", "Beto"], format!("/v1/players/{beto}/merges"), merge("Beto")),
        (2, vec!["merge", "Beto", "Zoe"], format!("/v1/players/{beto}/merges"), merge("Zoe")),
        (1, vec!["undo", "1"], "/v1/changes/1/undo".to_owned(), reason.clone()),
        (1, vec!["undo", "5"], "/v1/changes/5/undo".to_owned(), reason.clone()),
        (1, vec!["undo", "4"], "/v1/changes/4/undo".to_owned(), reason.clone()),
    ];
    for lang in ["en", "es"] {
        for (status, arguments, path, body) in &cases {
            let run = commands.archive(lang, &with(arguments, &why));
            let detail = commands.post(lang, path, body)["detail"].clone();
            let detail = detail.as_str().expect("a refusal");
            assert_eq!((run.status, run.stdout.as_str()), (Some(*status), ""), "{arguments:?}: {run:#?}");
            assert_eq!(run.stderr.lines().next(), Some(format!("error: {detail}").as_str()), "{arguments:?}");
        }
        let unknown = commands.archive(lang, &with(&["undo", "99"], &why));
        let detail = commands.post(lang, "/v1/changes/99/undo", &reason)["detail"].clone();
        assert_eq!(unknown.status, Some(2));
        assert_eq!(unknown.stderr.lines().next(), detail.as_str().map(|detail| format!("error: {detail}")).as_deref());
    }
    assert_eq!(
        commands.server.get("/v1/changes").json()["items"].as_array().map(Vec::len),
        Some(8),
        "nothing was changed"
    );
}

#[test]
fn a_correction_is_one_verified_record() {
    let commands = Commands::new();
    let id = &commands.keep(&[game("Ana", "Beto", 1)])[0];
    let arguments = ["archive", "correct", id, "-", "--reason", "misread", "--data", &commands.data, "--lang", "en"];
    for (input, expected) in [
        (String::new(), "error: - contains no record\n".to_owned()),
        (
            format!("{}\n{}", game("Ana", "Carla", 1), game("Ana", "Carla", 2)),
            "error: one record is expected, and - contains several\n".to_owned(),
        ),
    ] {
        let run = run_with(&arguments, input.as_bytes());
        assert_eq!((run.status, run.stdout.as_str(), run.stderr), (Some(1), "", expected));
    }
    let run = run_with(&arguments, BAD.as_bytes());
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:#?}");
    assert!(run.stderr.starts_with("-: andes.3.6: "), "{run:#?}");
    assert!(run.stderr.ends_with("error: -: the correction is not verified\n"), "{run:#?}");
    assert_eq!(commands.state(id).as_deref(), Some("current"));
    // In any format, as everywhere.
    let csv = run_with(&["convert", "-", "--to", "csv"], game("Ana", "Carla", 1).as_bytes()).stdout;
    assert_eq!(run_with(&arguments, csv.as_bytes()).status, Some(0));
}

#[test]
fn a_decision_has_a_reason() {
    let commands = Commands::new();
    let id = &commands.keep(&[game("Ana", "Beto", 1)])[0];
    let long = "a".repeat(2_001);
    for (options, expected) in [
        (&[][..], "--reason is missing"),
        (&["--reason", " \t"], "“--reason” is a text of 1 to 2000 characters that is not blank"),
        (&["--reason", &long], "“--reason” is a text of 1 to 2000 characters that is not blank"),
        (&["--reason", "why", "--author", ""], "“--author” is a text of 1 to 200 characters"),
        (&["--reason", "why", "--author", "A\u{1b}[2J"], "“--author” is a text of 1 to 200 characters"),
        (&["--reason", "why", "--author", &long[..201]], "“--author” is a text of 1 to 200 characters"),
    ] {
        for words in [&["retract", id][..], &["correct", id, "-"], &["merge", "Ana", "Beto"], &["undo", "1"]] {
            let run = commands.archive("en", &with(words, options));
            assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{words:?} {options:?}");
            assert!(run.stderr.contains(expected), "{words:?} {options:?}: {run:#?}");
        }
    }
    assert_eq!(commands.state(id).as_deref(), Some("current"));
    commands.good(&["retract", id, "--reason", &long[..2_000], "--author", &long[..200]]);
}

/// The archive of another process, as `archive import` uses it too.
#[test]
fn a_service_that_runs_sees_what_is_decided() {
    let folder = tempfile::tempdir().expect("there is room");
    let data = folder.path().to_str().expect("our paths are UTF-8");
    let service = Service::start(command(&["serve", "--data", data, "--listen", "127.0.0.1:0"]));
    let import = run_with(&["archive", "import", "-", "--data", data, "--json"], game("Ana", "Beto", 1).as_bytes());
    assert_eq!(import.status, Some(0), "{import:#?}");
    let id = run(&["archive", "list", "--data", data]).stdout[..64].to_owned();
    let retract = run(&["archive", "retract", &id, "--reason", "a friendly game", "--data", data]);
    assert_eq!(retract.status, Some(0), "{retract:#?}");
    let history = service.get(&format!("/v1/records/{id}/history"));
    assert!(history.contains("\"state\":\"retracted\"") && history.contains("a friendly game"), "{history}");
}

#[test]
fn without_an_archive_there_is_nothing_to_list_or_to_decide() {
    let folder = tempfile::tempdir().expect("there is room");
    let data = folder.path().join("none");
    let data = data.to_str().expect("our paths are UTF-8");
    let id = "0".repeat(64);
    for words in
        [&["list"][..], &["show", &id], &["retract", &id, "--reason", "why"], &["undo", "1", "--reason", "why"]]
    {
        let run = run(&with(&["archive", "--lang", "en"], &with(words, &["--data", data])));
        assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""), "{words:?}: {run:#?}");
        assert!(run.stderr.contains("there is no archive"), "{words:?}: {run:#?}");
    }
    assert!(!folder.path().join("none").exists(), "none is made");
}

/// Lists mark further sheets and contradictions, and so do records by themselves.
#[test]
fn relations_are_shown() {
    let commands = Commands::new();
    let first = game("Ana", "Beto", 1);
    let sheet = first.replace("[Result", "[Arbiter \"Caro\"]\n[Result");
    let other = first.replace("0D0C", "0D0E");
    let ids = commands.keep(&[first, sheet, other]);
    let short = format!("{}…", &ids[0][..12]);
    let listed = commands.good(&["list"]);
    let ends: Vec<_> = listed.lines().rev().map(|line| line.split(" · ").skip(3).collect::<Vec<_>>()).collect();
    let [sheet, contradicts] = [format!("another sheet of {short}"), format!("contradicts {short}")];
    assert_eq!(ends, [vec![], vec![sheet.as_str()], vec![contradicts.as_str()]], "{listed}");
    let spanish = commands.archive("es", &["list"]).stdout;
    assert!(spanish.contains(&format!(" · otra planilla de {short}")), "{spanish}");
    assert!(spanish.contains(&format!(" · contradice a {short}")), "{spanish}");

    let shown = |index: usize| commands.good(&["show", &ids[index]]);
    assert!(shown(0).contains(&format!("another sheet of the same game, which does not count: {}\n", ids[1])));
    assert!(shown(1).contains(&format!("another sheet of a game that is counted by {}\n", ids[0])));
    let said = format!(
        "this record contradicts {}: they differ at ply 4; “0D0C” there, “0D0E” here; both count, except in a tournament, until one of them is corrected or retracted\n",
        ids[0]
    );
    assert!(shown(2).contains(&said), "{}", shown(2));
    assert!(!shown(0).contains("contradicts"), "{}", shown(0));
    // JSON is that of HTTP, which has the sheets.
    let cards = commands.objects(&["list"]);
    let sheet_of: Vec<_> = cards.iter().map(|card| card["sheet_of"].as_str()).collect();
    assert_eq!(sheet_of, [None, Some(ids[0].as_str()), None]);
}

#[test]
fn an_abbreviated_id_names_one_record() {
    let commands = Commands::new();
    // Of a thousand random ids, some pair shares its first 4 digits.
    let sheets: Vec<_> = (0..1_000).map(|round| game("Ana", "Beto", round)).collect();
    let mut ids = commands.keep(&sheets);
    ids.sort();
    let shared = ids.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).expect("a pair");
    let run = commands.archive("en", &["show", &shared[0][..4]]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("give more digits"), "{run:#?}");
}
