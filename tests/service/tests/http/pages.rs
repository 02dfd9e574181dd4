//! Pages for people, as they come from the server: every one in both languages, on an empty archive and on a full one,
//! all links, what names of others may do to them, and what is shown of a record that is checked.
//!
//! Their behaviour in a browser is tested in `tests/service/tests/browser`; figures and verdicts, elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quipu_options::{Scope, settings::Settings};
use quipu_referee::{codes, games, report::hex};
use quipu_tests_service::{
    bytes,
    sample_archive::sample_archive,
    server::{Response, Server},
};

use super::{players::merge, submit::game};

mod records;
pub(super) mod scoresheets;

/// The Accept header of a browser that opens an address.
pub(super) const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// The Accept header of a program that prefers anything else.
const PROGRAM: &str = "application/json, text/html;q=0.1";
/// The Content-Security-Policy of pages.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Opens an address as a browser does.
pub(crate) fn open(server: &Server, path: &str, languages: &str) -> Response {
    server.ask("GET", path).header("Accept", BROWSER).header("Accept-Language", languages).send()
}

/// The values of an attribute, with what they were escaped for.
pub(crate) fn attributes(page: &str, name: &str) -> Vec<String> {
    let start = format!(" {name}=\"");
    let values = page.split(&start).skip(1).filter_map(|rest| rest.split_once('"'));
    values.map(|(value, _)| plain(value)).collect()
}

pub(crate) fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The levels of the headings in their order.
fn headings(page: &str) -> Vec<u32> {
    let tags = page.match_indices("<h").filter_map(|(at, _)| page[at + 2..].chars().next()?.to_digit(10));
    tags.collect()
}

/// The text between two marks.
#[track_caller]
pub(crate) fn between<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    let (_, rest) = page.split_once(start).unwrap_or_else(|| panic!("no {start:?} in {page}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} in {page}")).0
}

/// Checks what holds of every page, whatever is on it.
#[track_caller]
pub(crate) fn check(path: &str, response: &Response, status: u16, lang: &str) {
    let page = response.text();
    assert_eq!(
        (response.status, response.header("content-type")),
        (status, "text/html; charset=utf-8"),
        "{path}: {page}"
    );
    assert_eq!(response.header("content-language"), lang, "{path}");
    assert!(page.starts_with(&format!("<!DOCTYPE html><html lang=\"{lang}\">")), "{path}");
    let title = between(page, "<title>", "</title>");
    assert!(title == "quipu" || title.len() > " · quipu".len() && title.ends_with(" · quipu"), "{path}: {title}");
    let levels = headings(page);
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1, "{path}: {levels:?}");
    assert!(levels.first() == Some(&1), "{path}: {levels:?}");
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{path}: {levels:?}");
    // Nothing from elsewhere, nothing that a page with its policy would have to refuse.
    for name in ["src", "href", "action", "srcset", "poster"] {
        for value in attributes(page, name) {
            let is_inside = value.starts_with("data:image/svg+xml;base64,");
            assert!(is_inside || value.starts_with(['/', '#']) && !value.starts_with("//"), "{path}: {name} {value}");
        }
    }
    for forbidden in ["<style", " style=", "javascript:", " onload=", " onclick=", " onerror=\"", "<script>"] {
        assert!(!page.contains(forbidden), "{path}: {forbidden}");
    }
    let ids = attributes(page, "id");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{path}: an id is there twice: {ids:?}");
    for (table, rest) in page.split("<table").skip(1).map(|rest| (rest.split("</table>").next().unwrap_or(rest), rest))
    {
        assert!(table.contains("<caption") && table.contains(" scope=\"col\""), "{path}: {rest}");
    }
}

/// A record of each kind in an eventful archive: verified, incomplete, rejected, unreadable, corrected, undone.
fn some(ids: &[String]) -> Vec<&String> {
    [0, 3, 6, 9, 14, 15, 16].into_iter().map(|at| &ids[at]).collect()
}

/// Every page, those of things by their ids and numbers.
fn all(ids: &[&String]) -> Vec<String> {
    let fixed = [
        "/",
        "/records",
        "/players",
        "/positions",
        "/rankings",
        "/events",
        "/tournaments",
        "/tournaments/new",
        "/rules",
        "/rules?q=persona",
        "/check",
        "/docs",
        "/docs/records",
    ];
    let mut all: Vec<_> = fixed.map(str::to_owned).into();
    all.extend(games::ALL.iter().map(|game| format!("/rules/{}", game.notation().id)));
    all.extend(games::ALL.iter().map(|game| format!("/rankings?game={}", game.notation().id)));
    all.extend(games::ALL.iter().map(|game| format!("/positions?game={}", game.notation().id)));
    all.extend(["/records?q=cusco&game=&from=", "/records?state=all", "/players?q=a", "/events?q="].map(str::to_owned));
    all.extend(ids.iter().map(|id| format!("/records/{id}")));
    all
}

#[test]
fn every_page_of_an_empty_archive_in_both_languages() {
    let server = Server::start();
    for path in all(&[]) {
        for lang in ["es", "en"] {
            check(&path, &open(&server, &path, lang), 200, lang);
        }
    }
    assert!(open(&server, "/", "es").text().contains("Todavía no hay ninguna partida"));
}

#[test]
fn every_page_of_a_full_archive_in_both_languages() {
    let (server, ids) = sample_archive(Settings::default());
    let mut paths = all(&some(&ids));
    let players = server.get("/v1/players?limit=100").json();
    let players = players["items"].as_array().expect("a list");
    paths.extend(players.iter().map(|player| format!("/players/{}", player["number"])));
    let views = ["", "?view=standings", "?view=crosstable", "?view=encounters"];
    let events = server.get("/v1/events?limit=8").json();
    for event in events["items"].as_array().expect("a list") {
        paths.extend(views.map(|view| format!("/events/{}{view}", event["number"])));
    }
    let of_tournament =
        ["", "/standings", "/screen", "/players/1", "/rounds/1", "/rounds/1/pairing", "/rounds/1/results", "/organise"];
    paths.extend(of_tournament.map(|page| format!("/tournaments/1{page}")));
    paths.extend(["andes.3.6", "record.syntax", "record.limit", "api.busy"].map(|code| format!("/rules/{code}")));
    paths.extend(["0", "1", "7"].map(|ply| format!("/records/{}?ply={ply}", ids[0])));
    let mut titles = BTreeSet::new();
    for path in paths {
        for lang in ["es", "en"] {
            let response = open(&server, &path, lang);
            // A name that is merged into another leads there.
            let status = if response.status == 307 { 307 } else { 200 };
            check(&path, &response, status, lang);
            titles.insert(between(response.text(), "<title>", "</title>").to_owned());
            for expected in ["content-security-policy", "x-frame-options"] {
                let value = if expected == "x-frame-options" { "DENY" } else { POLICY };
                assert_eq!(response.header(expected), value, "{path}");
            }
        }
    }
    assert!(titles.len() > 30, "{titles:#?}");
}

/// The address says the language, above what the browser asks for; then all links do, and so does the way back.
#[test]
fn the_language_of_the_address_goes_with_the_links() {
    let (server, ids) = sample_archive(Settings::default());
    for path in
        ["/".to_owned(), "/records?q=a".to_owned(), format!("/records/{}?ply=1", ids[0]), "/events/1".to_owned()]
    {
        let spanish = open(&server, &path, "es");
        let other = attributes(spanish.text(), "href").into_iter().find(|href| href.contains("lang=en"));
        let other = other.expect("the other language");
        let english = open(&server, &other, "es");
        check(&other, &english, 200, "en");
        let query = other.replace("?lang=en", "").replace("&lang=en", "");
        assert_eq!(query, path);
        for href in attributes(english.text(), "href") {
            let of_page = href.starts_with('/') && !href.starts_with("/assets/") && !href.starts_with("/v1/");
            let of_page = of_page && !href.contains("/game.");
            assert!(!of_page || href.contains("lang="), "{other}: {href}");
        }
    }
}

/// A path with the ids and numbers in it replaced: pages of one kind are the same in this.
fn kind(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let part = |part: &str| {
        let known = part.len() == 64 || part.split('.').next().is_some_and(|first| first.parse::<u64>().is_ok());
        if known { format!("*{}", part.trim_start_matches(|c: char| c.is_ascii_hexdigit())) } else { part.to_owned() }
    };
    let path: Vec<_> = path.split('/').map(part).collect();
    let names: BTreeSet<_> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
    format!("{}?{names:?}", path.join("/"))
}

/// From the start every link, picture, form, style and script of every kind of page is there.
#[test]
fn every_link_leads_somewhere() {
    const EACH: usize = 6;
    let (server, ids) = sample_archive(Settings { address_rate: 10_000_000, ..Settings::default() });
    let mut seen = BTreeSet::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut fragments = Vec::new();
    let mut waiting: VecDeque<String> = ["/".to_owned(), "/?lang=en".to_owned()].into();
    waiting.extend(some(&ids).into_iter().map(|id| format!("/records/{id}")));
    let mut pages = BTreeMap::new();
    while let Some(address) = waiting.pop_front() {
        let (path, fragment) = address.split_once('#').unwrap_or((&address, ""));
        if !fragment.is_empty() {
            fragments.push((path.to_owned(), fragment.to_owned()));
        }
        let path = path.to_owned();
        if !seen.insert(path.clone()) {
            continue;
        }
        let count = kinds.entry(kind(&path)).or_default();
        *count += 1;
        if *count > EACH {
            continue;
        }
        let response = open(&server, &path, "es");
        assert!(matches!(response.status, 200 | 307), "{path}: {} {}", response.status, response.text());
        if !response.header("content-type").starts_with("text/html") || path.contains("/replay.html") {
            continue;
        }
        let page = response.text().to_owned();
        for name in ["href", "src", "srcset", "action"] {
            for link in attributes(&page, name) {
                let link = if link.starts_with('#') { format!("{path}{link}") } else { link };
                waiting.push_back(link);
            }
        }
        pages.insert(path, page);
    }
    // At the desk it says which game, and is the script's to read.
    for (path, fragment) in fragments.into_iter().filter(|(path, _)| !path.starts_with("/keep/desk")) {
        if let Some(page) = pages.get(&path) {
            assert!(attributes(page, "id").contains(&fragment), "{path}#{fragment}");
        }
    }
    for expected in
        ["/records/*?", "/records/*?{\"ply\"}", "/players/*?", "/events/*?", "/embed/*?", "/v1/positions.svg"]
    {
        assert!(kinds.keys().any(|kind| kind.starts_with(expected)), "{expected}: {kinds:#?}");
    }
    assert!(pages.len() > 60, "{:#?}", pages.keys());
}

/// Text of a record is text on a page and nothing else.
#[test]
fn names_of_others_are_text() {
    let server = Server::start();
    let (script, picture) = ("<script>alert(1)</script>", "\\\"><img src=x onerror=alert(1)>");
    let record =
        game(script, picture).replace("[Result", "[Event \"<b>Copa</b> & más\"]\n[Round \"<i>1</i>\"]\n[Result");
    let ids = server.keep(record.as_bytes());
    let id = hex(&ids[0]);
    let paths = ["/", "/records", "/players", "/events", "/rankings", "/players/1", "/events/1", "/records?q=<script>"];
    let views = ["/events/1?view=crosstable", "/events/1?view=encounters", "/players/2"];
    let own = [format!("/records/{id}"), format!("/embed/{id}"), format!("/records/{id}?ply=2")];
    for path in paths.iter().chain(&views).map(|path| (*path).to_owned()).chain(own) {
        let path = path.replace('<', "%3C").replace('>', "%3E");
        let page = open(&server, &path, "en").text().to_owned();
        for raw in ["<script>", "<img src=x", "<b>Copa", "<i>1"] {
            assert!(!page.contains(raw), "{path}: {raw}");
        }
        let shown = page.contains("&lt;script&gt;") || path.starts_with("/events") && page.contains("&lt;b&gt;Copa");
        assert!(shown, "{path}: {page}");
    }
    let checked = server.ask("POST", "/check").header("Accept", BROWSER).body("text/plain", record).send();
    assert!(checked.text().contains("&lt;script&gt;") && !checked.text().contains("<script>"));
    let foreign = server.ask("POST", "/check").body("text/plain", "<script>alert(1)</script>").send();
    assert!(foreign.text().contains("<mark>&lt;</mark>script&gt;"), "{}", foreign.text());
    assert!(!foreign.text().contains("<script>"), "{}", foreign.text());
}

#[test]
fn problems_are_pages_for_browsers() {
    let server = Server::start();
    let none = "0".repeat(64);
    for (path, status, code) in [
        ("/nothing", 404, "api.not-found"),
        ("/v1/nothing", 404, "api.not-found"),
        (&*format!("/records/{none}"), 404, "api.not-found"),
        (&*format!("/v1/records/{none}"), 404, "api.not-found"),
        ("/records/xyz", 400, "api.id"),
        ("/players/0", 400, "api.parameter"),
        ("/records?cursor=x", 400, "api.cursor"),
        ("/rankings?cursor=x", 400, "api.cursor"),
        ("/records?nothing=1", 400, "api.parameter"),
        ("/rules/no.such", 404, "api.not-found"),
        ("/assets/nothing", 404, "api.not-found"),
    ] {
        for lang in ["es", "en"] {
            let response = open(&server, path, lang);
            check(path, &response, status, lang);
            assert!(response.text().contains(&format!("data-code=\"{code}\"")), "{path}: {}", response.text());
            assert!(response.text().contains(response.header("x-request-id")), "{path}");
        }
        // Programs are told as ever.
        server.get(path).problem(status, code);
        server.ask("GET", path).header("Accept", PROGRAM).send().problem(status, code);
    }
    check("/nothing?lang=en", &open(&server, "/nothing?lang=en", "es"), 404, "en");
    let method = server.ask("DELETE", "/records").header("Accept", BROWSER).send();
    assert_eq!((method.status, method.header("allow")), (405, "GET, HEAD, OPTIONS"));
    check("/records", &method, 405, "es");
    // No address of another machine comes of what was asked for.
    for path in ["//example.org/x", "/%5Cexample.org"] {
        let page = open(&server, path, "es").text().to_owned();
        let hrefs = attributes(&page, "href");
        assert!(hrefs.iter().all(|href| !href.starts_with("//") && !href.starts_with("/\\")), "{path}: {hrefs:?}");
    }
}

#[test]
fn a_private_service_says_so_on_a_page() {
    let server = Server::with(Settings { private: true, ..Settings::default() });
    for path in ["/", "/records", "/players", "/rankings", "/events", "/check"] {
        let response = open(&server, path, "en");
        check(path, &response, 401, "en");
        assert!(response.text().contains("A valid token is required"), "{path}");
        assert_eq!(response.header("www-authenticate"), "Bearer realm=\"quipu\"");
    }
    // A route of data answers with the document, also to a browser.
    open(&server, "/v1/records", "en").problem(401, "api.token");
    for path in ["/rules", "/rules/andes.3.6", "/docs", "/assets/style.css", "/assets/game.js", "/assets/icon.svg"] {
        assert_eq!(open(&server, path, "en").status, 200, "{path}");
    }
    let token = server.token(Scope::RecordsWrite);
    let response = server.ask("GET", "/").token(&token).header("Accept", BROWSER).send();
    assert_eq!((response.status, response.header("cache-control")), (200, "private, no-cache"));
}

#[test]
fn lists_go_on() {
    let server = Server::start();
    let ids = server.keep(&bytes("andes/cup.quipu")[..]);
    let mut seen = BTreeSet::new();
    let mut next = Some("/records?lang=en".to_owned());
    while let Some(path) = next {
        let response = open(&server, &path, "es");
        check(&path, &response, 200, "en");
        let page = response.text();
        let own = attributes(page, "href").into_iter().filter(|href| href.starts_with("/records/"));
        seen.extend(own.map(|href| href[9..73].to_owned()));
        next = page.contains("rel=\"next\"").then(|| {
            let link = page.split("<a ").find(|link| link.contains("rel=\"next\"")).expect("it is there");
            plain(between(link, "href=\"", "\""))
        });
    }
    assert_eq!(seen, ids.iter().map(|id| hex(id)).collect());
}

#[test]
fn a_player_with_the_level() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let ranking = server.get("/v1/rankings?game=andes").json();
    for ranked in ranking["items"].as_array().expect("a list") {
        let (number, name) = (&ranked["player"]["number"], ranked["player"]["name"].as_str().expect("a name"));
        let page = open(&server, &format!("/players/{number}"), "en").text().to_owned();
        assert!(page.contains(&format!("<h1>{name}</h1>")), "{name}");
        let Some(level) = ranked["level"].as_u64() else { continue };
        assert!(page.contains(&format!("aria-label=\"Level {level} of 360, tier ")), "{name}");
        assert!(page.contains("class=\"gauge\"") && page.contains("Level history"), "{name}");
        let history = server.get(&format!("/v1/players/{number}/history?game=andes")).json();
        let steps = history["items"].as_array().expect("a list").len();
        let table = between(&page, "<caption>Level history</caption>", "</table>");
        assert_eq!(table.matches("<th scope=\"row\">").count(), steps, "{name}");
    }
    merge(&server, "Quispe Mamani, Rosa", "Toconás Vilte, Elena");
    let players = server.get("/v1/players?q=Quispe+Mamani").json();
    let path = format!("/players/{}", players["items"][0]["number"]);
    let response = open(&server, &format!("{path}?lang=en"), "es");
    check(&path, &response, 307, "en");
    let place = response.header("location").to_owned();
    assert!(place.ends_with("?lang=en") && place != format!("{path}?lang=en"), "{place}");
    assert!(open(&server, &place, "es").text().contains("<h1>Toconás Vilte, Elena</h1>"));
}

#[test]
fn an_event_with_its_tables() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let rows = |view: &str| {
        let page = open(&server, &format!("/events/1?view={view}"), "en").text().to_owned();
        (page.matches("<th scope=\"row\"").count(), page)
    };
    let standings = server.get("/v1/events/1/standings").json();
    let players = standings["tables"][0]["players"].as_array().expect("a list").clone();
    let (count, page) = rows("standings");
    assert_eq!(count, players.len());
    for player in &players {
        assert!(page.contains(player["name"].as_str().expect("a name")), "{player}");
    }
    let (count, page) = rows("crosstable");
    assert_eq!(count, players.len());
    let games: u64 = players.iter().map(|player| player["games"].as_u64().expect("a count")).sum();
    assert_eq!(attributes(&page, "href").iter().filter(|href| href.starts_with("/records/")).count() as u64, games);
    let encounters = server.get("/v1/events/1/encounters").json();
    assert_eq!(rows("encounters").0, encounters["encounters"].as_array().expect("a list").len());
    let response = open(&server, "/events/1?view=nothing", "en");
    check("/events/1?view=nothing", &response, 400, "en");
}

#[test]
fn every_code_has_a_page() {
    let server = Server::with(Settings { address_rate: 1_000_000, ..Settings::default() });
    let list = open(&server, "/rules", "en").text().to_owned();
    for code in codes::all() {
        let path = format!("/rules/{}", code.id);
        assert!(list.contains(&format!("href=\"{path}\"")), "{path}");
        let page = open(&server, &path, "en");
        check(&path, &page, 200, "en");
        assert!(page.text().contains("<blockquote lang=\"es\">"), "{path}");
        for drawn in attributes(page.text(), "src").iter().filter(|src| src.starts_with("/v1/positions.svg")) {
            assert_eq!(server.get(drawn).status, 200, "{path}: {drawn}");
        }
        // It is the page that the type of a problem names, too.
        let same = open(&server, &format!("/v1{path}"), "en");
        let without = |page: &str| page.replace(&format!("/v1{path}?lang="), &format!("{path}?lang="));
        assert_eq!(without(same.text()), without(page.text()), "{path}");
    }
    let drawn = open(&server, "/rules/andes.3.6", "en");
    assert!(drawn.text().contains("/v1/positions.svg?game=andes"));
}
