//! The page that checks records.

use quipu_archive::store::StoreError;
use quipu_options::settings::Settings;
use quipu_tests_service::server::{Response, Server};

use super::{
    super::submit::{BAD, OPEN, UNREADABLE, game, in_other_forms},
    BROWSER, PROGRAM, attributes, check, open,
};

const FORM: &str = "application/x-www-form-urlencoded";

/// Sends the form of the page.
pub(crate) fn checked(server: &Server, media: &str, body: impl Into<Vec<u8>>) -> Response {
    server.ask("POST", "/check").header("Accept", BROWSER).header("Accept-Language", "en").body(media, body).send()
}

fn urlencoded(text: &str) -> String {
    let bytes: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("text={bytes}")
}

#[test]
fn a_scoresheet_that_is_refused() {
    let server = Server::start();
    let multipart = |name: &str| {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\r\n");
        format!("{head}{BAD}\r\n--x--\r\n")
    };
    for (media, body) in [
        (FORM, urlencoded(BAD)),
        (FORM, urlencoded(&BAD.replace('\n', "\r\n"))),
        ("multipart/form-data; boundary=x", multipart("file")),
        ("multipart/form-data; boundary=x", multipart("text")),
        ("text/plain", BAD.to_owned()),
    ] {
        let response = checked(&server, media, body);
        check("/check", &response, 200, "en");
        let page = response.text();
        assert!(page.contains("1. 0d3 <mark>2A1</mark> *") || page.contains("1. 0d3 <mark>2A1</mark>\n"), "{page}");
        assert!(page.contains("href=\"/rules/andes.3.6\"") && page.contains("line 4, column 8"), "{page}");
        assert!(
            page.contains("The board before ply 2, which is rejected") && page.contains("Legal moves here: "),
            "{page}"
        );
        let board = attributes(page, "src").into_iter().find(|src| src.starts_with("/v1/positions.svg"));
        assert_eq!(server.get(&board.expect("the board")).status, 200);
        assert!(page.contains("you may have meant: <code>"), "{page}");
    }
    let last = server.store.read(|reading| -> Result<_, StoreError> { reading.last_change() });
    assert_eq!(last.expect("it can be read"), 0, "nothing is kept");
}

#[test]
fn scoresheets_of_every_form_and_status() {
    let server = Server::start();
    for (media, body) in in_other_forms("Ana", "Beto") {
        let response = checked(&server, media, body.clone());
        check("/check", &response, 200, "en");
        assert!(response.text().contains("class=\"status verified\""), "{media}: {body}");
        let response = checked(&server, FORM, urlencoded(&body));
        assert!(response.text().contains("Ana – Beto <span class=\"status verified\""), "{body}");
    }
    let all = [&*game("Ana", "Beto"), OPEN, BAD, UNREADABLE].join("\n");
    let page = checked(&server, "text/plain", all).text().to_owned();
    for status in ["verified", "incomplete", "rejected", "unreadable"] {
        assert!(page.contains(&format!("class=\"status {status}\"")), "{status}");
    }
    assert!(page.contains("Records checked: 4"));
    // Bytes that are not text are shown as what they are not.
    let broken = checked(&server, "text/plain", &b"[Game \"andes\"]\n[Event \"\xff\"]\n\n1. 0d3\n*\n"[..]);
    assert!(broken.text().contains("<mark>\u{fffd}</mark>"), "{}", broken.text());
}

#[test]
fn forms_with_nothing_in_them_are_given_back() {
    let server = Server::start();
    let blank = "There is nothing to check. Paste a scoresheet into the box or choose a file";
    for (media, body, status, code, said) in [
        (FORM, String::new(), 400, "api.body", blank),
        (FORM, "text=".to_owned(), 400, "api.body", blank),
        ("multipart/form-data; boundary=x", "--x--\r\n".to_owned(), 400, "api.body", blank),
        (FORM, "text=%".to_owned(), 400, "api.body", "The form could not be read"),
        ("multipart/form-data", "--x--\r\n".to_owned(), 400, "api.body", "The form could not be read"),
        ("image/png", "x".to_owned(), 415, "api.media", "The form could not be read"),
    ] {
        let response = checked(&server, media, body.clone());
        check("/check", &response, status, "en");
        let page = response.text();
        assert!(page.contains(said) && page.contains("<textarea"), "{body}: {page}");
        assert!(said != blank || !page.contains("HTTP"), "{body}: {page}");
        server.ask("POST", "/check").header("Accept", PROGRAM).body(media, body).send().problem(status, code);
    }
}

#[test]
fn very_many_scoresheets() {
    let server = Server::start();
    let many = |count: usize| (0..count).map(|number| game("Ana", &format!("B{number}"))).collect::<String>();
    let page = checked(&server, "text/plain", many(20)).text().to_owned();
    assert_eq!((page.matches("<article").count(), page.contains("The other records")), (20, false));
    let page = checked(&server, "text/plain", many(600)).text().to_owned();
    assert_eq!(page.matches("<article").count(), 20);
    assert!(page.contains("Ana – B519 ") && !page.contains("Ana – B520 "));
    assert!(page.contains("Records checked: 600 · verified: 600") && page.contains("… and 80 more"));
    let limited = Server::with(Settings { max_records: 3, max_body: 10_000, ..Settings::default() });
    for (body, status) in [(many(3), 200), (many(4), 413), ("x".repeat(10_001), 413)] {
        check("/check", &checked(&limited, "text/plain", body), status, "en");
    }
}

/// All faults of a sheet are shown, errors first and a cascade once, and advice is marked as such.
#[test]
fn findings_as_people_read_them() {
    let server = Server::start();
    let rows: String = (1..=14).map(|number| format!("{number},0d3,soon,2A3,later\n")).collect();
    let sheet = format!("#Game: andes\nn,sol,sol_clock,luna,luna_clock\n{rows}");
    let page = checked(&server, "text/csv", sheet).text().to_owned();
    assert_eq!(page.matches("class=\"found error\"").count(), 28);
    assert_eq!(page.matches("Correct the cell at the place given.").count(), 1, "the correction is that of cells");

    let record = "[Game \"brandubh\"]\n[Soll \"x\"]\n[Rond \"1\"]\n\n\
                  1. d3-c3 d2-c2 3. c3-d3 c2-d2 4. d3-c3 d2-c2 5. c3-d3 9x9\n*\n";
    let response = checked(&server, "text/plain", record);
    check("/check", &response, 200, "en");
    let page = response.text();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} in {page}"));
    let order = [
        place("found error"),
        place("From 3 on, every number is one too high: a turn is missing between 1 and 3."),
        place("found advice"),
        place("did you mean Round?"),
    ];
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(page.matches("class=\"found warning\"").count(), 1);
    assert!(page.contains("advice <a href=\"/rules/advice.tag\">"), "{page}");
    check("/rules/advice.tag", &open(&server, "/rules/advice.tag", "en"), 200, "en");
}
