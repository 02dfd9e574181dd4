//! Bodies as people save them: workbooks, compressed files, other encodings, and files that are not records.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use quipu_notation::record::{
    Reader,
    write::{LabelLanguage, ScoresheetWorkbook},
};
use quipu_options::Scope;
use quipu_tests_service::server::{Response, Server};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;

use crate::submit::{BYTES, CSV, TEXT, game};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A scoresheet with letters that are not ASCII.
const SHEET: &str =
    "Juego;andes\nSol;Muñoz, Ana\nLuna;Peña, Luis\nResultado;1-0\nNo.;Sol;Luna\n1;0a1;0D0\n2;0b0;0D0C\n";

fn verify(server: &Server, media: &str, body: impl Into<Vec<u8>>) -> Response {
    server.ask("POST", "/v1/verify").header("Accept-Language", "en").body(media, body).send()
}

/// The id of the one record of a body.
#[track_caller]
fn id(response: &Response) -> String {
    let verdicts = &response.json()["verdicts"];
    assert_eq!(verdicts.as_array().map(Vec::len), Some(1), "{verdicts}");
    verdicts[0]["id"].as_str().unwrap_or_else(|| panic!("{verdicts}")).to_owned()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(content).expect("memory does not fail");
    compressed.finish().expect("memory does not fail")
}

fn zstd(content: &[u8]) -> Vec<u8> {
    compress_to_vec(content, CompressionLevel::Fastest)
}

/// A workbook with a sheet for each record of a text.
pub(crate) fn workbook(text: &str) -> Vec<u8> {
    let mut workbook = ScoresheetWorkbook::new(LabelLanguage::Spanish);
    let mut reader = Reader::new(text.as_bytes());
    while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
        for record in chunk.records() {
            workbook.add(&record.expect("it can be read")).expect("it is small");
        }
    }
    workbook.finish().expect("it is small")
}

#[test]
fn bodies_are_read_by_their_content() {
    let server = Server::start();
    let expected = id(&verify(&server, TEXT, SHEET));
    let latin: Vec<u8> = SHEET.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1")).collect();
    let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(SHEET.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let sheet = SHEET.as_bytes();
    for (media, body) in [
        (CSV, sheet.to_vec()),
        ("text/tab-separated-values", SHEET.replace(';', "\t").into_bytes()),
        ("application/gzip", gzip(sheet)),
        ("application/zstd", zstd(sheet)),
        (BYTES, gzip(sheet)),
        (BYTES, utf16),
        ("text/csv; charset=windows-1252", latin.clone()),
        ("text/plain; charset=ISO-8859-1", latin.clone()),
    ] {
        assert_eq!(id(&verify(&server, media, body)), expected, "{media}");
    }
    let response = server.ask("POST", "/v1/verify").header("Content-Encoding", "gzip").body(CSV, gzip(sheet)).send();
    assert_eq!(id(&response), expected);
    let refused = verify(&server, CSV, latin).json();
    let found = &refused["verdicts"][0]["diagnostics"][0];
    assert_eq!(found["code"], "record.encoding");
    assert!(found["message"].as_str().is_some_and(|said| said.contains("“ñ”") && said.contains("“Muñoz”")), "{found}");
}

#[test]
fn workbooks_are_verified_and_stored_like_any_record() {
    let server = Server::start();
    let text = format!("{}{}", game("Ana", "Beto"), game("Eva", "Luis"));
    let ids = |response: Response| -> Vec<Value> {
        response.json()["verdicts"].as_array().expect("a list").iter().map(|verdict| verdict["id"].clone()).collect()
    };
    let expected = ids(verify(&server, TEXT, text.clone()));
    assert_eq!(expected.len(), 2);
    let body = workbook(&text);
    assert_eq!(ids(verify(&server, XLSX, body.clone())), expected);
    assert_eq!(ids(verify(&server, BYTES, body)), expected);
    let one = game("Ana", "Beto");
    let token = server.token(Scope::RecordsWrite);
    let post = |media, body: Vec<u8>| server.ask("POST", "/v1/records").token(&token).body(media, body).send();
    let stored = post(XLSX, workbook(&one));
    assert_eq!(stored.status, 201, "{}", stored.text());
    let again = post(TEXT, one.into_bytes());
    assert_eq!(again.status, 200, "the same record: {}", again.text());
}

#[test]
fn other_files_and_bombs_are_refused_by_name() {
    let server = Server::start();
    for (media, body, said) in [
        (BYTES, b"\xff\xd8\xff\xe0\0\x10JFIF".to_vec(), "a JPEG picture"),
        (BYTES, b"%PDF-1.7".to_vec(), "a PDF document"),
        ("application/gzip", gzip(SHEET.as_bytes())[..30].to_vec(), "incomplete or damaged"),
        ("application/zstd", zstd(&vec![b' '; 40 << 20]), "too large"),
        ("application/zip", b"PK\x03\x04".to_vec(), "incomplete or damaged"),
    ] {
        let response = verify(&server, media, body).json();
        let verdicts = response["verdicts"].as_array().expect("a list");
        let found = &verdicts.last().expect("one")["diagnostics"][0];
        assert_eq!(found["code"], "record.foreign", "{found}");
        assert!(found["message"].as_str().is_some_and(|message| message.contains(said)), "{found}");
    }
}
