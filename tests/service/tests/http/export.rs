//! The export: what comes out can go in again, and goes on where it was cut off.

use quipu_archive::model::{Attribution, Submission};
use quipu_notation::record::Format;
use quipu_referee::{Status, report::hex};
use quipu_tests_service::{
    bytes, each_chunk, each_chunk_in,
    server::{Response, Server},
};
use serde_json::Value;

use super::records::fixtures;

const NDJSON: &str = "application/x-ndjson";

fn export(server: &Server, query: &str, media: &str) -> Response {
    let response = server.ask("GET", &format!("/v1/export{query}")).header("Accept", media).send();
    assert_eq!(response.status, 200, "{}", response.text());
    response
}

fn ids(lines: &[Value]) -> Vec<String> {
    lines.iter().map(|line| line["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn every_record_comes_out_in_its_order() {
    let (server, all) = (Server::start(), fixtures());
    server.keep_all(&all);
    let response = export(&server, "", NDJSON);
    assert_eq!(response.header("quipu-last-change"), all.len().to_string());
    let lines = response.lines();
    assert_eq!(ids(&lines), all.iter().map(|one| hex(&one.id)).collect::<Vec<_>>());
    for (change, (line, one)) in (1..).zip(lines.iter().zip(&all)) {
        assert_eq!(
            (&line["change"], &line["status"]),
            (&Value::from(change), &Value::from(one.verdict.status.as_str()))
        );
        assert_eq!(line["state"], "current");
        if one.verdict.status == Status::Unreadable {
            assert_eq!(line["record"], Value::Null);
            continue;
        }
        let record = line["record"].to_string();
        let mut again = Vec::new();
        each_chunk_in(Some(Format::Json), record.as_bytes(), |chunk| again.extend(Submission::all(chunk)));
        assert_eq!(again.len(), 1);
        assert_eq!((again[0].verdict.id, again[0].verdict.status), (one.verdict.id, one.verdict.status), "{record}");
    }
}

#[test]
fn exported_text_can_be_imported_again() {
    let (server, all) = (Server::start(), fixtures());
    server.keep_all(&all);
    let response = export(&server, "", "text/plain");
    let mut again = Vec::new();
    each_chunk(&response.body[..], |chunk| again.extend(Submission::all(chunk).map(|one| one.verdict)));
    let readable: Vec<_> = all.iter().filter(|one| one.verdict.status != Status::Unreadable).collect();
    assert_eq!(again.len(), readable.len());
    for (again, one) in again.iter().zip(&readable) {
        assert_eq!((again.id, again.status), (one.verdict.id, one.verdict.status));
    }
    let places: Vec<_> = response.text().lines().filter(|line| line.starts_with("% change ")).collect();
    let expected = (1..).zip(&all).map(|(change, one)| {
        let unreadable = if one.verdict.status == Status::Unreadable { " unreadable" } else { "" };
        format!("% change {change} id {}{unreadable}", hex(&one.id))
    });
    assert_eq!(places, expected.collect::<Vec<_>>());
}

#[test]
fn it_goes_on_where_it_was_cut_off() {
    let (server, all) = (Server::start(), fixtures());
    server.keep_all(&all);
    let whole = ids(&export(&server, "", NDJSON).lines());
    for since in [1, 31, 32, 33, all.len() - 1, all.len()] {
        assert_eq!(ids(&export(&server, &format!("?since={since}"), NDJSON).lines()), whole[since..], "{since}");
    }
    let last = export(&server, "", NDJSON).header("quipu-last-change").to_owned();
    let new = server.keep(&bytes("andes/cup.quipu")[..]);
    let more = ids(&export(&server, &format!("?since={last}"), NDJSON).lines());
    assert_eq!(more, new.iter().map(|id| hex(id)).collect::<Vec<_>>());
}

#[test]
fn filters_are_those_of_the_list() {
    let (server, all) = (Server::start(), fixtures());
    server.keep_all(&all);
    let id = all[0].id;
    let by = Attribution { submitter: "mesa".to_owned(), author: None, reason: None };
    server.store.write(move |writing| writing.retract(&id, &by)).wait().expect("it stands");
    for query in
        ["", "?state=all", "?state=retracted", "?game=querni&status=rejected", "?q=random&result=1-0", "?player=x"]
    {
        let (mut listed, mut cursor) = (Vec::new(), String::new());
        let glue = if query.is_empty() { '?' } else { '&' };
        loop {
            let page = server.get(&format!("/v1/records{query}{glue}limit=200{cursor}")).json();
            listed.extend(ids(page["items"].as_array().expect("items")));
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        listed.reverse();
        assert_eq!(ids(&export(&server, query, NDJSON).lines()), listed, "{query}");
        assert_eq!(listed.is_empty(), query == "?player=x");
    }
    server.get("/v1/export?game=chess").problem(400, "api.parameter");
    server.get("/v1/export?limit=1").problem(400, "api.parameter");
    server.ask("GET", "/v1/export").header("Accept", "text/csv").send().problem(406, "api.not-acceptable");
}

#[test]
fn only_so_many_at_once() {
    let settings = quipu_options::settings::Settings { max_streams: 0, ..Default::default() };
    let busy = Server::with(settings).get("/v1/export");
    busy.problem(503, "api.busy");
    assert!(busy.header("retry-after").parse::<u64>().is_ok());
}
