//! The sheets of a round on a phone: a pile of files is dropped, a name and a contradiction are settled, and the round is closed;
//! and the same page without a script.

use quipu_options::Scope;
use quipu_tests_service::{
    browser::{Browser, at},
    server::Server,
};
use serde_json::json;

use super::{
    nothing_to_complain_of, paired,
    tournament::{expect_message, has_no_accessibility_violations, press},
};

fn record([one, two]: [&str; 2]) -> String {
    format!(
        "[Game \"andes\"]\n[Event \"Copa\"]\n[Round \"1\"]\n[Sol \"{one}\"]\n[Luna \"{two}\"]\n[Result \"1-0\"]\n\n\
         1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
    )
}

/// The script that makes files of names and texts.
fn files(files: &[(&str, String)]) -> String {
    format!(
        "const data = new DataTransfer();
         for (const [name, text] of {}) data.items.add(new File([text], name));",
        json!(files)
    )
}

#[test]
fn a_pile_is_settled_and_the_round_closed() {
    let (server, browser) = (Server::start(), Browser::start());
    browser.screen(360, 640, true, "light");
    let token = server.token(Scope::Admin);
    let boards = paired(&server, &token, None);
    let [one, two] = &boards[0];
    let good = record([one, two]);
    let wrong = format!("{}s", boards[1][1]);
    let pile = [
        ("acta.quipu", good.clone()),
        ("copia.txt", good.replacen("[Round", "[Site \"Lima\"]\n[Round", 1)),
        ("otra.quipu", good.replace("0D0C", "0D0E")),
        ("nombre.quipu", record([&boards[1][0], &wrong])),
    ];
    browser.open(&at(&server, "/tournaments/1/files?lang=en"));
    browser.wait_for("return document.getElementById('drop').hidden === false");
    has_no_accessibility_violations(&browser);
    browser.run(&format!(
        "{} document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}));",
        files(&pile)
    ));
    expect_message(&browser, "Records: 4. With a board: 3.");
    has_no_accessibility_violations(&browser);
    // No box is beside the screen, as in a table that is wider than it.
    let edges = "return [...document.querySelectorAll('input[name=store]')].map(box => box.getBoundingClientRect().right <= innerWidth)";
    assert_eq!(browser.run(edges), json!([true, true, true, true]), "{}", browser.address());
    browser.write("#token", &token);
    browser.write("#reason", "one person");
    browser.click("input[name=store]:not([checked])");
    press(&browser, "store", "Stored: 4.");
    has_no_accessibility_violations(&browser);
    browser.click("main td a[href*='/boards/1']");
    browser.wait_for("return document.getElementById('board') !== null");
    expect_message(&browser, "contradict each other");
    has_no_accessibility_violations(&browser);
    browser.write("#token", &token);
    browser.write("#reason", "asked both");
    browser.click("button[value^='keep ']");
    expect_message(&browser, "Settled.");
    has_no_accessibility_violations(&browser);
    browser.open(&at(&server, "/tournaments/1/organise?lang=en"));
    browser.write("#token", &token);
    press(&browser, "close", "The round is closed.");
    nothing_to_complain_of(&browser, &server);
}

#[test]
fn a_pile_and_a_board_without_a_script() {
    let (server, browser) = (Server::start(), Browser::start());
    let token = server.token(Scope::Admin);
    let boards = paired(&server, &token, None);
    let good = record(boards[0].each_ref().map(String::as_str));
    browser.scripts(false);
    browser.open(&at(&server, "/tournaments/1/files?lang=en"));
    let pile = [("acta.quipu", good.clone()), ("otra.quipu", good.replace("0D0C", "0D0E"))];
    browser.run(&format!("{} document.getElementById('files').files = data.files;", files(&pile)));
    press(&browser, "check", "Records: 2. With a board: 2.");
    browser.write("#token", &token);
    press(&browser, "store", "Stored: 2.");
    browser.open(&at(&server, "/tournaments/1/rounds/1/boards/1?lang=en"));
    browser.click("button.choice");
    expect_message(&browser, "cancel the choice");
    browser.write("#token", &token);
    browser.write("#reason", "asked both");
    browser.click("button[value='merge 0']");
    expect_message(&browser, "Settled.");
    nothing_to_complain_of(&browser, &server);
}
