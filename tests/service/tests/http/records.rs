//! Lists of records, one record in its forms, its source, verdict, history and positions.

use std::{collections::BTreeSet, slice};

use quipu_archive::model::{Attribution, Id, Submission};
use quipu_notation::record::{Chunk, Format, write::OutputFormat};
use quipu_options::settings::Settings;
use quipu_referee::{Lang, Status, games, report, report::hex};
pub(crate) use quipu_tests_service::sample_archive::{UNKNOWN, fixtures};
use quipu_tests_service::{
    bytes, each_chunk,
    server::{Response, Server},
};
use serde_json::{Value, json};

use crate::submit::game;

/// Text that is no record, with a byte that is not UTF-8.
const BROKEN: &[u8] = b"[Game \"andes\"]\n[Event \"\xff\n";
fn by(reason: &str) -> Attribution {
    Attribution { submitter: "mesa".to_owned(), author: Some("Ana".to_owned()), reason: Some(reason.to_owned()) }
}

#[test]
fn every_record_has_the_verdict_of_the_referee_in_both_languages() {
    let (server, all) = (Server::start(), fixtures());
    server.keep_all(&all);
    for one in &all {
        for lang in Lang::ALL {
            let path = format!("/v1/records/{}/verdict", hex(&one.id));
            let response = server.ask("GET", &path).header("Accept-Language", lang.as_str()).send();
            let mut expected = serde_json::to_value(report::verdict(&one.verdict, 1, lang)).expect("a tree");
            // An archive stores what receipts sign, and suggestions are not part of it.
            for diagnostic in expected["diagnostics"].as_array_mut().expect("a list") {
                diagnostic.as_object_mut().expect("an object").remove("suggestions");
            }
            assert_eq!(response.json(), expected);
            assert_eq!(response.header("content-language"), lang.as_str());
        }
    }
}

/// The one record of a text of some form, judged.
#[track_caller]
fn judged(text: &[u8], form: Format) -> Submission {
    Submission::all(&Chunk::in_format(text, form)).next().expect("a record")
}

#[test]
fn every_record_is_the_same_in_every_form() {
    let (server, all) = (Server::start(), fixtures());
    server.keep_all(&all);
    let forms =
        [("application/json", Format::Json), ("text/plain; charset=utf-8", Format::Quipu), ("text/csv", Format::Csv)];
    for one in &all {
        let id = hex(&one.id);
        for (media, form) in forms {
            let response = server.ask("GET", &format!("/v1/records/{id}")).header("Accept", media).send();
            if one.verdict.status == Status::Unreadable {
                let problem = response.problem(409, "api.unreadable");
                assert_eq!(problem["source"], format!("/v1/records/{id}/source"));
                continue;
            }
            assert_eq!(response.status, 200, "{}", response.text());
            assert!(response.header("content-type").starts_with(media), "{}", response.header("content-type"));
            let again = judged(&response.body, form);
            assert_eq!(again.verdict.id, one.verdict.id, "{id} {media}");
            let facts = |one: &Submission| (one.verdict.status, one.verdict.plies, one.verdict.end);
            assert_eq!(facts(&again), facts(one), "{id} {media}");
            if form == Format::Quipu {
                let canonical = one.canonical.as_deref().map_or(&one.source[..], str::as_bytes);
                assert_eq!(response.body, canonical, "{id}");
            }
        }
    }
}

/// One record in each form, and one that cannot be read.
fn in_all_forms() -> Vec<(Submission, &'static str)> {
    let text = bytes("andes/games.quipu");
    let mut sources = Vec::new();
    each_chunk(text.as_slice(), |chunk| {
        let record = chunk.records().next().expect("a record").expect("it can be read");
        let layout = [OutputFormat::Quipu, OutputFormat::Json, OutputFormat::Csv].get(sources.len()).copied();
        sources.extend(layout.map(|layout| (layout.write(&record).0.into_bytes(), layout.input_format())));
    });
    sources.push((bytes("brandubh/replay.otg"), Format::Otg));
    sources.push((BROKEN.to_vec(), Format::Quipu));
    let media = ["text/plain; charset=utf-8", "application/json", "text/csv; charset=utf-8"];
    let media = media.into_iter().chain(["text/plain; charset=utf-8", "application/octet-stream"]);
    sources.iter().map(|(text, form)| judged(text, *form)).zip(media).collect()
}

#[test]
fn a_source_is_what_was_handed_in() {
    let server = Server::start();
    for (one, media) in in_all_forms() {
        server.keep_all(slice::from_ref(&one));
        let id = hex(&one.id);
        let response = server.get(&format!("/v1/records/{id}/source"));
        assert_eq!((response.status, &response.body), (200, &one.source));
        assert_eq!(response.header("content-type"), media);
        let name = format!("attachment; filename=\"{id}.{}\"", one.format.as_str());
        assert_eq!(response.header("content-disposition"), name);
        for accept in ["image/png", ""] {
            let response = server.ask("GET", &format!("/v1/records/{id}/source")).header("Accept", accept).send();
            assert_eq!((response.status, response.header("content-type")), (200, media));
        }
    }
    assert_eq!(server.ask("GET", "/v1/records").header("Accept", "").send().status, 200, "no wish is no wish");
}

#[track_caller]
fn check_cache(settings: Settings, path: &str, expected: &str) {
    let private = settings.private;
    let server = Server::with(settings);
    let ids = server.keep(&bytes("andes/cup.quipu")[..]);
    let token = server.token(quipu_options::Scope::RecordsWrite);
    let path = path.replace("{id}", &hex(&ids[0]));
    let ask = || {
        let ask = server.ask("GET", &path);
        if private { ask.token(&token) } else { ask }
    };
    let response = ask().send();
    assert_eq!(response.status, 200);
    assert_eq!(response.header("cache-control"), expected, "{path}");
    let tag = response.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.len() > 2, "{path}: {tag}");
    let again = ask().header("If-None-Match", &tag).send();
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("etag"), tag);
    let other = ask().header("If-None-Match", "\"other\"").send();
    assert_eq!((other.status, &other.body), (200, &response.body));
}

#[test]
fn immutable_responses_are_cached_by_clients() {
    let forever = "max-age=31536000, immutable";
    for path in ["/v1/records/{id}", "/v1/records/{id}/source"] {
        check_cache(Settings::default(), path, &format!("public, {forever}"));
        check_cache(Settings { private: true, ..Settings::default() }, path, &format!("private, {forever}"));
    }
    for path in ["verdict", "history", "positions", "positions/0"] {
        check_cache(Settings::default(), &format!("/v1/records/{{id}}/{path}"), "no-cache");
    }
}

#[test]
fn tags_differ_by_language_and_form() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    let tag = |path: &str, name: &str, value: &str| {
        server.ask("GET", &format!("/v1/records/{id}{path}")).header(name, value).send().header("etag").to_owned()
    };
    assert_ne!(tag("/verdict", "Accept-Language", "es"), tag("/verdict", "Accept-Language", "en"));
    assert_ne!(tag("", "Accept", "text/plain"), tag("", "Accept", "text/csv"));
}

/// All items of a list, page by page as the header `Link` leads.
#[track_caller]
pub(crate) fn all_items(server: &Server, path: &str) -> Vec<Value> {
    let (mut items, mut path) = (Vec::new(), path.to_owned());
    loop {
        let response = server.get(&path);
        let page = response.json();
        items.extend(page["items"].as_array().expect("items").iter().cloned());
        let link = response.header("link");
        assert_eq!(link.is_empty(), page["next"].is_null());
        match link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\"")) {
            Some(next) => next.clone_into(&mut path),
            None => return items,
        }
    }
}

/// Checks that a filter finds what an honest look at every record finds, and neither nothing nor everything.
#[track_caller]
fn check_filter(server: &Server, all: &[Value], filter: &str, fits: impl Fn(&Value) -> bool) {
    let found = all_items(server, &format!("/v1/records?{filter}&limit=7"));
    let mut expected: Vec<_> = all.iter().filter(|card| fits(card)).cloned().collect();
    if filter.contains("from=") || filter.contains("to=") {
        expected.sort_by_key(|card| std::cmp::Reverse((card["date"].to_string(), card["change"].as_i64())));
    }
    assert!(!expected.is_empty() && expected.len() < all.len(), "{filter}: {} of {}", expected.len(), all.len());
    assert_eq!(found, expected, "{filter}");
}

#[test]
fn lists_by_every_filter() {
    let server = Server::start();
    let cup = server.keep(&bytes("andes/cup.quipu")[..]);
    server.keep_all(&fixtures());
    server.keep(UNKNOWN);
    let all = all_items(&server, "/v1/records?limit=200");
    let changes: Vec<_> = all.iter().map(|card| card["change"].as_i64()).collect();
    assert!(changes.is_sorted_by(|one, other| one > other), "the latest first");
    assert_eq!(all.len(), cup.len() + fixtures().len() + 1);
    assert_eq!(all_items(&server, "/v1/records"), all);

    let card = |id: &Id| all.iter().find(|card| card["id"] == hex(id)).expect("it is listed");
    let first = card(&cup[0]);
    assert_eq!(first["event"]["name"], "Copa de los Andes");
    assert_eq!(first["players"][0]["side"], "sol");
    assert_eq!(first["players"][0]["name"], "Quispe Mamani, Rosa");
    assert_eq!(first["points"], json!({ "sol": 12, "luna": 22 }));
    assert_eq!((&first["date"], &first["round"]), (&json!("2026-08-12"), &json!("1")));
    let player = first["players"][0]["number"].as_i64().expect("a number");
    let event = first["event"]["number"].as_i64().expect("a number");

    let plays = |card: &Value, name: &str| (0..2).any(|side| card["players"][side]["name"] == name);
    let rosa = |card: &Value| plays(card, "Quispe Mamani, Rosa");
    let is = |field: &'static str, value: &'static str| move |card: &Value| card[field] == value;
    check_filter(&server, &all, "game=querni", is("game", "querni"));
    check_filter(&server, &all, "player=Quispe%20Mamani,%20Rosa", rosa);
    check_filter(&server, &all, &format!("player={player}"), rosa);
    check_filter(&server, &all, "event=Copa+de+los+Andes", |card| card["event"]["name"] == "Copa de los Andes");
    check_filter(&server, &all, &format!("event={event}"), |card| card["event"]["number"] == event);
    check_filter(&server, &all, "round=2", is("round", "2"));
    check_filter(&server, &all, "result=1/2-1/2", is("result", "1/2-1/2"));
    check_filter(&server, &all, "result=*", is("result", "*"));
    check_filter(&server, &all, "termination=continent", is("termination", "continent"));
    for status in ["verified", "incomplete", "rejected", "unreadable"] {
        check_filter(&server, &all, &format!("status={status}"), |card| card["status"] == status);
    }
    let date = |card: &Value| card["date"].as_str().map(str::to_owned);
    let day = |card: &Value| date(card).unwrap_or_default();
    check_filter(&server, &all, "from=2026-08-12&to=2026-08-12", |card| day(card) == "2026-08-12");
    check_filter(&server, &all, "to=2026-08-12", |card| date(card).is_some_and(|day| &*day <= "2026-08-12"));
    check_filter(&server, &all, "from=2026-08-13", |card| &*day(card) >= "2026-08-13");
    check_filter(&server, &all, "q=quisp+MAMANI&game=andes", |card| {
        (0..2).any(|side| card["players"][side]["name"].as_str().is_some_and(|name| name.contains("Quispe Mamani")))
    });
    check_filter(
        &server,
        &all,
        "game=andes&result=0-1&player=Quispe%20Mamani,%20Rosa&event=Copa+de+los+Andes",
        |card| rosa(card) && card["result"] == "0-1" && card["event"]["number"] == event,
    );
}

#[test]
fn filters_that_match_nothing_give_an_empty_list() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    for filter in ["player=Nadie", "player=999", "event=Ninguno", "q=inexistente", "q=%21%21", "from=2030-01-01"] {
        let page = server.get(&format!("/v1/records?{filter}")).json();
        assert_eq!(page, json!({ "items": [], "next": null, "total": null }), "{filter}");
    }
    assert_eq!(server.get("/v1/records?from=2026-08-14&to=2026-08-12").json()["items"], json!([]));
}

#[test]
fn problems_of_filters_list_the_known_values() {
    let server = Server::start();
    for (filter, known) in [
        ("game=chess", "andes, pastores, querni, brandubh"),
        ("status=good", "verified, incomplete, rejected, unreadable"),
        ("state=gone", "current, corrected, retracted, all"),
        ("result=2-0", "1-0, 0-1, 1/2-1/2, *"),
        ("termination=boredom", "resignation"),
        ("players=1", "game, player, against, event"),
    ] {
        let problem = server.ask("GET", &format!("/v1/records?{filter}")).header("Accept-Language", "en").send();
        let problem = problem.problem(400, "api.parameter");
        assert!(problem["detail"].as_str().expect("a text").contains(known), "{problem}");
    }
    for query in ["from=2026-13-01", "limit=0", "limit=201", "game=", "game=andes&game=andes"] {
        server.get(&format!("/v1/records?{query}")).problem(400, "api.parameter");
    }
    for cursor in ["x", "e30", "bnVsbA"] {
        server.get(&format!("/v1/records?cursor={cursor}")).problem(400, "api.cursor");
    }
}

#[test]
fn only_so_many_words_are_looked_for() {
    let server = Server::start();
    assert_eq!(server.get("/v1/records?q=a+b+c+d+e+f+g+h+a+b").status, 200);
    for path in ["/v1/records", "/v1/export"] {
        let problem = server.get(&format!("{path}?q=a+b+c+d+e+f+g+h+i")).problem(400, "api.parameter");
        assert!(problem["detail"].as_str().expect("a text").contains('8'), "{problem}");
    }
}

/// Years beyond 9999 would be sorted before all others.
#[test]
fn only_whole_days_are_days() {
    let server = Server::start();
    for day in ["2026.11.22", "+12026.01.01", "2026.1.2", " 2026.01.02"] {
        server.keep(game("Ana", day).replace("[Result", &format!("[Date \"{day}\"]\n[Result")).as_bytes());
        let all = server.get("/v1/records?from=0000-01-01&to=9999-12-31").json()["items"].as_array().map(Vec::len);
        assert_eq!(all, Some(1), "{day}");
    }
}

#[test]
fn a_link_has_one_cursor_however_the_last_was_written() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let next = |response: &Response| {
        let link = response.header("link");
        link.strip_prefix('<').and_then(|link| link.split_once('>')).map(|(path, _)| path.to_owned()).expect("a link")
    };
    let first = next(&server.get("/v1/records?limit=2"));
    let written = first.replace("cursor=", "%63ursor=");
    assert_ne!(first, written);
    assert_eq!(server.get(&next(&server.get(&written))).status, 200);
}

#[test]
fn a_cursor_is_of_one_list() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let next = |query: &str| server.get(query).json()["next"].as_str().expect("there is more").to_owned();
    let (entry, dates) = (next("/v1/records?limit=2"), next("/v1/records?limit=2&from=2026-01-01"));
    server.get(&format!("/v1/records?limit=2&cursor={dates}")).problem(400, "api.cursor");
    server.get(&format!("/v1/records?limit=2&from=2026-01-01&cursor={entry}")).problem(400, "api.cursor");
}

#[test]
fn the_history_of_a_record_is_reported() {
    let server = Server::start();
    let mut all = fixtures();
    all.retain(|one| one.verdict.status == Status::Verified);
    let [first, second, third, new] = [0, 1, 2, 3].map(|index| all[index].clone());
    server.keep_all(&[first.clone(), second.clone(), third.clone()]);
    let (old, replacement) = (first.id, new.clone());
    let corrected = server.store.write(move |writing| writing.correct(&old, &replacement, &by("planilla"))).wait();
    assert_eq!(corrected.expect("it stands"), 4);
    let old = second.id;
    let retracted = server.store.write(move |writing| writing.retract(&old, &by("repetida"))).wait();
    assert_eq!(retracted.expect("it stands"), 5);
    assert_eq!(server.store.write(move |writing| writing.undo(5, &by("no lo era"))).wait().expect("it stands"), 6);

    let list = |state: &str| -> Vec<Value> {
        let cards = all_items(&server, &format!("/v1/records{state}"));
        cards.iter().map(|card| card["id"].clone()).collect()
    };
    let ids = [&new, &third, &second, &first].map(|one| json!(hex(&one.id)));
    assert_eq!(list(""), ids[..3]);
    assert_eq!(list("?state=corrected"), ids[3..]);
    assert_eq!(list("?state=retracted"), [json!(null); 0]);
    assert_eq!(list("?state=all"), ids);

    let history = |one: &Submission| server.get(&format!("/v1/records/{}/history", hex(&one.id)));
    let of_old = history(&first);
    let successor = format!("</v1/records/{}>; rel=\"successor-version\"", hex(&new.id));
    assert_eq!(of_old.header("link"), successor);
    let told = of_old.json();
    assert_eq!((&told["state"], &told["replaced_by"]), (&json!("corrected"), &json!(hex(&new.id))));
    assert_eq!((&told["submitter"], &told["author"], &told["form"]), (&json!("test"), &json!(null), &json!("quipu")));
    let kinds = |told: &Value| -> Vec<Value> {
        told["changes"].as_array().expect("changes").iter().map(|change| change["kind"].clone()).collect()
    };
    assert_eq!(kinds(&told), ["record", "correction"]);
    assert_eq!(told["changes"][1]["reason"], "planilla");
    assert_eq!(told["changes"][1]["author"], "Ana");
    assert_eq!(told["verdicts"][0]["edition"], quipu_referee::verify::EDITION);
    assert_eq!(told["verdicts"][0]["at"], told["at"]);
    let verdict = serde_json::to_value(report::verdict(&first.verdict, 1, Lang::Es)).expect("a tree");
    assert_eq!(told["verdicts"][0]["verdict"], verdict);

    let told = history(&new).json();
    assert_eq!((&told["state"], &told["replaces"]), (&json!("current"), &json!([hex(&first.id)])));
    assert_eq!(kinds(&told), ["correction"]);
    assert_eq!(told["reason"], "planilla");

    let told = history(&second).json();
    assert_eq!((&told["state"], &told["replaced_by"]), (&json!("current"), &json!(null)));
    assert_eq!(kinds(&told), ["record", "retraction", "undo"]);
    assert_eq!((&told["changes"][1]["undone_by"], &told["changes"][2]["undoes"]), (&json!(6), &json!(5)));
}

#[test]
fn a_merged_name_finds_its_player() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let [name, into] = ["Quispe Mamani, Rosa", "Toconás Vilte, Elena"];
    let of = |name: &str| {
        let encoded = name.replace(' ', "+").replace('á', "%C3%A1");
        all_items(&server, &format!("/v1/records?player={encoded}"))
    };
    let (one, other) = (of(name), of(into));
    let together: BTreeSet<String> = one.iter().chain(&other).map(Value::to_string).collect();
    assert!(together.len() > one.len().max(other.len()));
    server.store.write(|writing| writing.merge(name, into, &by("la misma"))).wait().expect("players");
    for name in [name, into] {
        assert_eq!(of(name).iter().map(Value::to_string).collect::<BTreeSet<_>>(), together);
    }
}

#[test]
fn positions_are_those_of_the_replay() {
    let (server, all) = (Server::start(), fixtures());
    server.keep_all(&all);
    let mut streamed = 0;
    for one in &all {
        let path = format!("/v1/records/{}/positions", hex(&one.id));
        let response = server.get(&path);
        let verdict = serde_json::to_value(report::verdict(&one.verdict, 1, Lang::Es)).expect("a tree");
        if one.verdict.status == Status::Unreadable {
            response.problem(409, "api.unreadable");
            server.get(&format!("{path}/0")).problem(409, "api.unreadable");
            continue;
        }
        let positions = response.json();
        let items = positions["items"].as_array().expect("items");
        let Some(last) = items.last() else {
            assert_eq!(verdict["position"], json!(null), "{verdict}");
            server.get(&format!("{path}/0")).problem(404, "api.not-found");
            continue;
        };
        assert_eq!(items.len() as u64 - 1, one.verdict.plies.expect("plies"));
        assert_eq!((&last["position"], &last["points"]), (&verdict["position"], &verdict["points"]));
        assert!((0..).zip(items).all(|(ply, item): (u64, _)| item["ply"] == ply && item.get("legal_moves").is_none()));
        if !last["end"].is_null() {
            assert_eq!(last["end"]["termination"], verdict["termination"]);
            assert_eq!(last["end"]["winner"], verdict["winner"]);
            assert_eq!(last["end"]["result"], verdict["result"]);
        }
        let ended = |item: &Value| item["end"].is_null() == item["to_move"].is_null();
        assert!(!items.iter().any(ended), "somebody moves until it is over, and nobody after that");
        streamed += usize::from(one.source.len() > 8 * 1024);
        let beyond = server.get(&format!("{path}/{}", items.len())).problem(404, "api.not-found");
        assert!(beyond["detail"].as_str().expect("a text").contains(&(items.len() - 1).to_string()), "{beyond}");
    }
    assert!(streamed > 0, "some are long");
}

#[test]
fn a_position_says_what_can_be_played() {
    let (server, all) = (Server::start(), fixtures());
    for game in games::ALL {
        let of_game = |one: &&Submission| one.verdict.game == Some(game.notation().id);
        let one = all.iter().filter(of_game).find(|one| one.verdict.status == Status::Verified).expect("a game");
        server.keep_all(slice::from_ref(one));
        let path = format!("/v1/records/{}/positions", hex(&one.id));
        let items = server.get(&path).json()["items"].as_array().expect("items").clone();
        for (ply, item) in items.iter().enumerate() {
            let mut position = server.get(&format!("{path}/{ply}")).json();
            let legal = position.as_object_mut().and_then(|position| position.remove("legal_moves")).expect("moves");
            assert_eq!(&position, item);
            let moves = legal["moves"].as_array().expect("they are few");
            assert_eq!(legal["count"], moves.len());
            match items.get(ply + 1) {
                Some(next) => assert!(moves.contains(&next["move"]), "{} in {legal}", next["move"]),
                None => assert!(moves.is_empty() || item["end"].is_null()),
            }
        }
    }
}

#[test]
fn more_moves_than_anybody_reads_are_counted() {
    let [_, position, ..] = quipu_tests_service::rows::<6>("querni/hard.tsv")[0].clone();
    let (server, text) = (Server::start(), format!("[Game \"querni\"]\n[Setup \"{position}\"]\n\n*\n"));
    let id = hex(&server.keep(text.as_bytes())[0]);
    let count = server.get(&format!("/v1/records/{id}/positions/0")).json()["legal_moves"].clone();
    assert_eq!(count["moves"], json!(null));
    assert!(count["count"].as_u64().expect("a count") > 1_000, "{count}");
}

#[test]
fn unknown_records_are_not_found() {
    let server = Server::start();
    server.keep(UNKNOWN);
    let absent = "0".repeat(64);
    for path in ["", "/source", "/verdict", "/history", "/positions", "/positions/0"] {
        let problem = server.get(&format!("/v1/records/{absent}{path}")).problem(404, "api.not-found");
        assert!(problem["detail"].as_str().expect("a text").contains(&absent));
        for id in ["x", &absent[1..], &"A".repeat(64)] {
            server.get(&format!("/v1/records/{id}{path}")).problem(400, "api.id");
        }
    }
    server.get(&format!("/v1/records/{absent}/positions/-1")).problem(400, "api.parameter");
}
