//! The pages of tournaments: a small cup with the forms of the organiser, the forms that are refused, and what the public sees.

use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::server::{Answer, Server};
use serde_json::json;

use super::{
    pages::{BROWSER, attributes, between, check, open},
    repair::field,
    tournaments::won,
};

const FORM: &str = "application/x-www-form-urlencoded";
const NAMES: &str = "Rosa Quispe; 2000\nLuis Tapia; 1900\nAna Ruiz; 1800\nInés Soto; 1700\n";

/// A tournament that is organised in a browser.
struct Organiser {
    server: Server,
    token: String,
    path: String,
}

impl Organiser {
    fn new() -> Self {
        let server = Server::with(Settings { address_rate: 1_000_000, token_rate: 1_000_000, ..Settings::default() });
        let token = server.token(Scope::EventsAdmin);
        let mut organiser = Self { server, token, path: String::new() };
        let fields = [
            ("name", "Copa"),
            ("game", "andes"),
            ("system", "swiss"),
            ("encounter", "single"),
            ("rounds", "3"),
            ("bye", "full"),
        ];
        let page = organiser.done("/tournaments/new", &fields);
        let link = attributes(&page, "href").into_iter().find(|link| link.contains("/organise")).expect("a link");
        link.split("/organise").next().expect("a path").clone_into(&mut organiser.path);
        organiser
    }

    /// A tournament with four players.
    fn with_players() -> Self {
        let organiser = Self::new();
        organiser.done("/organise", &[("do", "names"), ("names", NAMES)]);
        organiser
    }

    /// The same with the first round paired.
    fn paired() -> Self {
        let organiser = Self::with_players();
        organiser.done("/organise", &[("do", "pair"), ("round", "1")]);
        organiser
    }

    /// Sends a form without a token.
    fn send(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let path = if path.starts_with("/tournaments") { path.to_owned() } else { format!("{}{path}", self.path) };
        let fields: Vec<_> = fields.iter().map(|(name, value)| field(name, value)).collect();
        let ask = self.server.ask("POST", &path).header("Accept", BROWSER).header("Accept-Language", "en");
        ask.body(FORM, fields.join("&")).send()
    }

    fn send_with_token(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.send(path, &[&[("token", self.token.as_str())], fields].concat())
    }

    /// The page after a form that is accepted.
    #[track_caller]
    fn done(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.send_with_token(path, fields);
        check(path, &answer, 200, "en");
        assert!(!answer.text().contains("role=\"alert\""), "{}", answer.text());
        answer.text().to_owned()
    }

    /// The sentence on the page after a form that is refused.
    #[track_caller]
    fn refused(answer: &Answer, status: u16) -> String {
        check("a refused form", answer, status, "en");
        between(answer.text(), "role=\"alert\">", "</p>").to_owned()
    }

    #[track_caller]
    fn page(&self, path: &str) -> String {
        let path = format!("{}{path}", self.path);
        for lang in ["es", "en"] {
            check(&path, &open(&self.server, &path, lang), 200, lang);
        }
        open(&self.server, &path, "en").text().to_owned()
    }
}

/// The fields of the result of a game on board 1, whose players are 1 and 3.
fn result<'f>(before: &'f str, outcome: &'f str) -> [(&'f str, &'f str); 4] {
    [("do", "save"), ("players-1", "1-3"), ("before-1-1", before), ("result-1-1", outcome)]
}

#[test]
fn a_cup_with_forms_alone() {
    let cup = Organiser::with_players();
    let plan = cup.send("/organise", &[("do", "pair-check"), ("round", "1")]);
    check("a preview", &plan, 200, "en");
    assert!(plan.text().contains("not confirmed") && plan.text().contains("Rosa Quispe: number 1, score 0"));
    cup.done("/organise", &[("do", "pair"), ("round", "1")]);
    let first = cup.page("/rounds/1");
    let sides = attributes(&first, "href");
    assert!(sides.iter().any(|href| href.ends_with("/players/3")), "{first}");
    // The lot decides the sides of board 1.
    let results = cup.page("/rounds/1/results");
    let players = |board: usize| {
        let hidden = format!("name=\"players-{board}\" value=\"");
        between(&results, &hidden, "\"").to_owned()
    };
    let (one, two) = (players(1), players(2));
    let fields = [
        ("do", "close"),
        ("players-1", one.as_str()),
        ("before-1-1", ""),
        ("result-1-1", "0"),
        ("players-2", two.as_str()),
        ("before-2-1", ""),
        ("result-2-1", "2"),
    ];
    let closed = cup.done("/rounds/1/results", &fields);
    assert!(closed.contains("The round is closed."), "{closed}");
    let standings = cup.page("/standings");
    assert!(standings.contains("Buchholz") && standings.contains("after round 1"), "{standings}");
    let winner = one.split('-').next().expect("a player");
    assert!(standings.contains(&format!("{}/players/{winner}?round=1#games", cup.path)), "{standings}");
    // Each figure leads to its parts.
    for link in
        attributes(&standings, "href").into_iter().filter(|href| href.contains("/players/") && href.contains('#'))
    {
        let (path, fragment) = link.split_once('#').expect("a fragment");
        let card = open(&cup.server, path, "en");
        assert!(attributes(card.text(), "id").contains(&fragment.to_owned()), "{link}");
    }
    let csv = open(&cup.server, &format!("{}/standings.csv?round=1", cup.path), "en");
    assert!(csv.header("content-type").starts_with("text/csv") && csv.text().lines().count() == 5, "{}", csv.text());
    assert!(cup.page("/rounds/1/pairing").contains("the number of the higher ranked player decides"));
    let sheets = cup.server.get(&format!("{}/rounds/1/sheets.pdf", cup.path));
    assert!(sheets.status == 200 && sheets.header("content-type") == "application/pdf");
    let round = cup.page("/rounds/1");
    for (page, links, media, start) in [
        (&standings, 2, "application/", &b""[..]),
        (&cup.page(""), 2, "application/", b""),
        (&round, 2, "application/pdf", b"%PDF"),
    ] {
        let files: Vec<_> =
            attributes(page, "href").into_iter().filter(|href| href.starts_with("/v1/tournaments/")).collect();
        assert_eq!(files.len(), links, "{files:?}");
        for file in files {
            let file = cup.server.get(&file.replace("&amp;", "&"));
            assert!(file.status == 200 && file.header("content-type").starts_with(media), "{file:?}");
            assert!(file.body.starts_with(start), "{file:?}");
        }
    }
    let screen = open(&cup.server, &format!("{}/screen", cup.path), "en");
    assert_eq!((screen.status, screen.header("refresh")), (200, "30"));
    assert!(open(&cup.server, "/tournaments", "en").text().contains("Copa"));
    assert!(open(&cup.server, "/events", "en").text().contains("/tournaments"));
}

#[test]
fn records_replace_results_and_say_why_they_do_not_fit() {
    let cup = Organiser::paired();
    let results = cup.page("/rounds/1/results");
    let players = between(&results, "name=\"players-1\" value=\"", "\"").to_owned();
    let names = players.split('-').map(|id| NAMES.lines().nth(id.parse::<usize>().expect("a number") - 1).expect("it"));
    let names: Vec<_> = names.map(|line| line.split(';').next().expect("a name")).collect();
    let id = &cup.server.keep(won(1, [names[0], names[1]]).as_bytes())[0];
    let id = quipu_referee::report::hex(id);
    cup.server.keep(won(1, [names[0], "Eva Paz"]).as_bytes());
    let round = cup.page("/rounds/1");
    assert!(round.contains(&format!("<a href=\"/records/{id}\"><span class=\"result\">1–0</span></a>")), "{round}");
    assert!(cup.page("").contains("“Eva Paz” is not in the tournament."));
    // A game with a record has no field.
    let results = cup.page("/rounds/1/results");
    assert!(!results.contains("name=\"result-1-1\"") && results.contains("name=\"result-2-1\""), "{results}");
    let card = cup.page(&format!("/players/{}", players.split('-').next().expect("one")));
    assert!(card.contains(&format!("/records/{id}")) && card.contains("Best possible place: 1"), "{card}");
}

#[test]
fn lists_of_names_lose_nothing() {
    let cup = Organiser::new();
    let broken = "Ana;x\nLuis\n";
    let page = cup.send("/organise", &[("do", "names-check"), ("names", broken)]);
    assert!(page.text().contains("Line 1: the rating cannot be read: “x”."), "{}", page.text());
    let page = cup.send_with_token("/organise", &[("do", "names"), ("names", broken)]);
    assert!(page.text().contains("\nAna;x\nLuis\n</textarea>"), "{}", page.text());
    assert!(cup.page("").contains("Nobody is on the list yet."));
    // The same list twice, as after a lost connection.
    for expected in ["Entered: 4. Already there: 0.", "To be entered: 0. Already there: 4."] {
        let page = cup.done("/organise", &[("do", "names"), ("names", NAMES)]);
        assert!(page.contains(expected), "{page}");
    }
    let page = cup.done("/organise", &[("do", "presence"), ("player", "4"), ("step", "absent-half"), ("from", "1")]);
    assert!(page.contains("Saved."), "{page}");
    assert!(cup.page("").contains("absent in round 1 (½)"));
}

#[test]
fn forms_that_are_refused() {
    let cup = Organiser::with_players();
    let pair = [("do", "pair"), ("round", "1")];
    assert!(Organiser::refused(&cup.send("/organise", &pair), 401).contains("Type your token"));
    let wrong = [&[("token", "wrong")], &pair[..]].concat();
    assert!(Organiser::refused(&cup.send("/organise", &wrong), 401).contains("not valid"));
    let reader = cup.server.token(Scope::RecordsWrite);
    let little = [&[("token", reader.as_str())], &pair[..]].concat();
    assert!(Organiser::refused(&cup.send("/organise", &little), 403).contains("does not allow"));
    cup.done("/organise", &pair);
    // A round is not paired twice.
    let again = cup.send_with_token("/organise", &pair);
    assert!(Organiser::refused(&again, again.status).contains("Round 1 is already paired"));
    let unpair = cup.send_with_token("/organise", &[("do", "unpair")]);
    assert!(Organiser::refused(&unpair, unpair.status).contains("needs a reason"));
    let close = cup.send_with_token("/organise", &[("do", "close")]);
    assert!(Organiser::refused(&close, close.status).contains("Results are missing in round 1: boards 1, 2."));
    let nobody = cup.send_with_token("/tournaments/new", &[("name", "Copa")]);
    assert!(Organiser::refused(&nobody, nobody.status).contains("A field is missing"));
    let missing = cup.send_with_token("/tournaments/999/organise", &pair);
    assert_eq!(missing.status, 404);
    // Programs get the problem.
    let program =
        cup.server.ask("POST", &format!("{}/organise", cup.path)).header("Accept", "application/json, text/html;q=0.1");
    let program = program.body(FORM, "do=close").send();
    program.problem(401, "api.token");
}

/// An organiser with an old page overwrites nothing, and hears of it.
#[test]
fn two_organisers_at_once() {
    let cup = Organiser::paired();
    let players = between(&cup.page("/rounds/1/results"), "name=\"players-1\" value=\"", "\"").to_owned();
    let fields = |before, outcome| {
        let mut fields = result(before, outcome);
        fields[1].1 = &players;
        fields
    };
    let saved = cup.done("/rounds/1/results", &fields("", "0"));
    assert!(saved.contains("Saved."), "{saved}");
    // The same again, as after a lost connection.
    assert!(cup.done("/rounds/1/results", &fields("", "0")).contains("nothing new"));
    let late = cup.send_with_token("/rounds/1/results", &fields("", "1"));
    assert!(Organiser::refused(&late, 200).contains("boards 1."), "{}", late.text());
    // A board that was paired again.
    let others = cup.send_with_token(
        "/rounds/1/results",
        &[("do", "save"), ("players-1", "1-2"), ("before-1-1", ""), ("result-1-1", "1")],
    );
    assert!(Organiser::refused(&others, 200).contains("boards 1."), "{}", others.text());
    // To take a result back is a change with a reason.
    let clear = cup.send_with_token("/rounds/1/results", &fields("0", ""));
    assert!(Organiser::refused(&clear, clear.status).contains("needs a reason"));
    let cleared = cup.done("/rounds/1/results", &[&fields("0", "")[..], &[("reason", "wrong board")]].concat());
    assert!(cleared.contains("Saved."), "{cleared}");
}

#[test]
fn corrections_have_reasons() {
    let cup = Organiser::paired();
    let page = cup.done("/organise", &[("do", "unpair"), ("reason", "Eva is late")]);
    assert!(page.contains("The pairing is taken back."), "{page}");
    let change = between(&page, "name=\"change\" value=\"", "\"").to_owned();
    let undo = [("do", "undo"), ("change", change.as_str()), ("reason", "Eva is here")];
    assert!(cup.done("/organise", &undo).contains("The change is undone."));
    assert!(cup.page("/rounds/1").contains("boards without a result: 2"));
    let again = cup.send_with_token("/organise", &undo);
    assert!(Organiser::refused(&again, again.status).contains("changed meanwhile"));
    // By hand, against the rules only if it is asked for.
    cup.done("/organise", &[("do", "unpair"), ("reason", "x")]);
    let wrong = cup.send_with_token("/organise", &[("do", "pair"), ("round", "1"), ("by-hand", "1 and 2")]);
    assert!(Organiser::refused(&wrong, wrong.status).contains("cannot be read"));
    cup.done("/organise", &[("do", "pair"), ("round", "1"), ("by-hand", "1-2\n3-4")]);
    assert!(cup.page("/rounds/1/pairing").contains("It was paired by hand"));
}

/// A token for one board writes the result of that board on the pages too, and nothing else.
#[test]
fn a_token_for_a_board() {
    let cup = Organiser::paired();
    let keys = cup.server.token(Scope::Admin);
    let limit = json!({ "tournament": cup.path.rsplit('/').next().expect("it").parse::<u64>().expect("a number"), "round": 1, "board": 1 });
    let body = json!({ "name": "board", "scopes": ["events:admin"], "limit": limit });
    let made = cup.server.ask("POST", "/v1/tokens").token(&keys).json(&body).send();
    assert_eq!(made.status, 201, "{}", made.text());
    let token = made.json()["token"].as_str().expect("a token").to_owned();
    let players = |board: u32| {
        between(&cup.page("/rounds/1/results"), &format!("name=\"players-{board}\" value=\""), "\"").to_owned()
    };
    let (one, two) = (players(1), players(2));
    let own = [("token", token.as_str()), ("do", "save"), ("players-1", &one), ("before-1-1", ""), ("result-1-1", "0")];
    assert!(cup.send("/rounds/1/results", &own).text().contains("Saved."));
    let other =
        [("token", token.as_str()), ("do", "save"), ("players-2", &two), ("before-2-1", ""), ("result-2-1", "0")];
    assert_eq!(cup.send("/rounds/1/results", &other).status, 403);
    for action in ["close", "unpair", "undo", "names", "presence"] {
        let fields = [
            ("token", token.as_str()),
            ("do", action),
            ("reason", "x"),
            ("names", "Eva Paz"),
            ("player", "1"),
            ("step", "withdraw"),
            ("from", "2"),
        ];
        let answer = cup.send("/organise", &fields);
        assert!(matches!(answer.status, 403 | 409), "{action}: {}", answer.text());
    }
    let create = [
        ("token", token.as_str()),
        ("name", "Otra"),
        ("game", "andes"),
        ("system", "swiss"),
        ("encounter", "single"),
        ("rounds", "3"),
    ];
    assert_eq!(cup.send("/tournaments/new", &create).status, 403);
}
