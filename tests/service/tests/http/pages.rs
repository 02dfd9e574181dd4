//! Pages for people, as they come from the server: every one in both languages, on an empty archive and on a full one,
//! all links, what names of others may do to them, and what is shown of a record that is checked.
//!
//! Their behaviour in a browser is tested in `tests/service/tests/browser`; figures and verdicts, elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quipu_archive::store::StoreError;
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::{codes, games, report::hex};
use quipu_tests_service::{
    bytes,
    sample_archive::sample_archive,
    server::{Answer, Server},
};

use super::{
    players::merge,
    submit::{BAD, OPEN, UNREADABLE, game, in_other_forms},
};

/// The Accept header of a browser that opens an address.
pub(super) const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// The Accept header of a program that prefers anything else.
const PROGRAM: &str = "application/json, text/html;q=0.1";
/// The Content-Security-Policy of pages.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";
const FORM: &str = "application/x-www-form-urlencoded";

/// Opens an address as a browser does.
pub(crate) fn open(server: &Server, path: &str, languages: &str) -> Answer {
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
pub(crate) fn check(path: &str, answer: &Answer, status: u16, lang: &str) {
    let page = answer.text();
    assert_eq!((answer.status, answer.header("content-type")), (status, "text/html; charset=utf-8"), "{path}: {page}");
    assert_eq!(answer.header("content-language"), lang, "{path}");
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
            let answer = open(&server, &path, lang);
            // A name that is merged into another leads there.
            let status = if answer.status == 307 { 307 } else { 200 };
            check(&path, &answer, status, lang);
            titles.insert(between(answer.text(), "<title>", "</title>").to_owned());
            for expected in ["content-security-policy", "x-frame-options"] {
                let value = if expected == "x-frame-options" { "DENY" } else { POLICY };
                assert_eq!(answer.header(expected), value, "{path}");
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
        let answer = open(&server, &path, "es");
        assert!(matches!(answer.status, 200 | 307), "{path}: {} {}", answer.status, answer.text());
        if !answer.header("content-type").starts_with("text/html") || path.contains("/replay.html") {
            continue;
        }
        let page = answer.text().to_owned();
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
            let answer = open(&server, path, lang);
            check(path, &answer, status, lang);
            assert!(answer.text().contains(&format!("data-code=\"{code}\"")), "{path}: {}", answer.text());
            assert!(answer.text().contains(answer.header("x-request-id")), "{path}");
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
        let answer = open(&server, path, "en");
        check(path, &answer, 401, "en");
        assert!(answer.text().contains("A valid token is required"), "{path}");
        assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"quipu\"");
    }
    // A route of data answers with the document, also to a browser.
    open(&server, "/v1/records", "en").problem(401, "api.token");
    for path in ["/rules", "/rules/andes.3.6", "/docs", "/assets/style.css", "/assets/game.js", "/assets/icon.svg"] {
        assert_eq!(open(&server, path, "en").status, 200, "{path}");
    }
    let token = server.token(Scope::RecordsWrite);
    let answer = server.ask("GET", "/").token(&token).header("Accept", BROWSER).send();
    assert_eq!((answer.status, answer.header("cache-control")), (200, "private, no-cache"));
}

#[test]
fn a_game_ply_by_ply() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    let positions = server.get(&format!("/v1/records/{id}/positions")).json();
    let items = positions["items"].as_array().expect("a list");
    let last = items.len() - 1;
    for ply in [0, 1, 2, last / 2, last - 1, last] {
        let path = format!("/records/{id}?ply={ply}");
        let page = open(&server, &path, "en").text().to_owned();
        assert!(page.contains(&format!("/v1/records/{id}/positions/{ply}.svg?theme=light&amp;lang=en")), "{path}");
        assert!(page.contains(&format!("data-last=\"{last}\"")), "{path}");
        let go = |go: &str| plain(between(&page, &format!("data-go=\"{go}\" href=\""), "\""));
        let at = |ply: usize| format!("/records/{id}?ply={ply}");
        assert_eq!([go("first"), go("previous")], [at(0), at(ply.saturating_sub(1))], "{path}");
        assert_eq!([go("next"), go("last")], [at((ply + 1).min(last)), at(last)], "{path}");
        let item = &items[ply];
        let points = item["points"].as_object().expect("points");
        for (side, tag) in [("sol", "Sol"), ("luna", "Luna")] {
            assert!(page.contains(&format!("data-points=\"{tag}\">{}</strong>", points[side])), "{path}: {side}");
        }
        let now = between(&page, "data-part=\"now\" role=\"status\">", "</p>");
        if ply == 0 {
            assert_eq!(now, "Start position");
        } else {
            assert!(now.contains(item["move"].as_str().expect("a move")), "{path}: {now}");
            assert_eq!(page.matches("aria-current=\"step\"").count(), 1, "{path}");
        }
        assert_eq!(now.contains("ended by"), !item["end"].is_null(), "{path}: {now}");
    }
    // Each move leads to the position after it, and without a ply it is the last one.
    let page = open(&server, &format!("/records/{id}"), "en").text().to_owned();
    let moves: Vec<_> = attributes(&page, "data-ply");
    assert_eq!(moves, (1..=last).map(|ply| ply.to_string()).collect::<Vec<_>>());
    assert!(page.contains(&format!("/positions/{last}.svg?theme=light")));
    for ply in [last + 1, usize::MAX >> 12] {
        let path = format!("/records/{id}?ply={ply}");
        check(&path, &open(&server, &path, "en"), 404, "en");
    }
    // The board in words is what the picture says.
    let drawn = server.get(&format!("/v1/records/{id}/positions/{last}.svg?lang=en"));
    let words = between(drawn.text(), "<desc id=", "</desc>").split_once('>').expect("a name").1;
    assert_eq!(between(&page, "data-part=\"words\">", "</p>"), words);
}

#[test]
fn clocks_are_those_of_the_last_moves() {
    let server = Server::start();
    let record = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result \"*\"]\n\n\
                  1. 0a1 {[%clk 0:11:55.120]} 0D0 {[%clk 0:11:50]}\n2. 0b0\n*\n";
    let id = hex(&server.keep(record.as_bytes())[0]);
    for (ply, sol, luna) in
        [(0, "–", "–"), (1, "0:11:55.120", "–"), (2, "0:11:55.120", "0:11:50"), (3, "0:11:55.120", "0:11:50")]
    {
        let page = open(&server, &format!("/records/{id}?ply={ply}"), "en").text().to_owned();
        let clock = |tag: &str| between(&page, &format!("data-clock=\"{tag}\">"), "<").to_owned();
        assert_eq!(["Sol", "Luna"].map(clock), [sol, luna], "{ply}");
    }
}

#[test]
fn records_that_are_not_as_they_should_be() {
    let server = Server::start();
    let keep = |record: &str| hex(&server.keep(record.as_bytes())[0]);
    let (bad, unreadable) = (keep(BAD), keep(UNREADABLE));
    let page = open(&server, &format!("/records/{bad}"), "en").text().to_owned();
    assert!(page.contains("Ply 2 was rejected: <code>2A1</code>") && page.contains("href=\"/rules/andes.3.6\""));
    assert!(page.contains(&format!("/v1/records/{bad}/positions/1.svg")));
    assert!(between(&page, "<pre class=\"excerpt\"", "</pre>").contains("<mark>2A1</mark>"), "{page}");
    let page = open(&server, &format!("/records/{unreadable}"), "en").text().to_owned();
    assert!(page.contains("There is no board to show") && page.contains("href=\"/rules/record.syntax\""), "{page}");
    assert!(page.contains(&format!("/v1/records/{unreadable}/source")) && !page.contains("game.quipu"));
    for path in [format!("/embed/{unreadable}"), format!("/records/{unreadable}?ply=0")] {
        check(&path, &open(&server, &path, "en"), 404, "en");
    }
    let (server, ids) = sample_archive(Settings::default());
    let [corrected, retracted] = [&ids[14], &ids[16]];
    let page = open(&server, &format!("/records/{corrected}"), "en").text().to_owned();
    assert!(page.contains("Replaced by:") && page.contains("prueba"), "{page}");
    let new = plain(between(&page, "Replaced by: <a href=\"", "\""));
    assert!(open(&server, &new, "en").text().contains(&format!("href=\"/records/{corrected}\"")));
    assert!(open(&server, &format!("/records/{retracted}"), "en").text().contains("retracted"));
}

/// A page lists a thousand plies; with the others it is joined by links.
#[test]
fn the_moves_of_a_long_game() {
    let server = Server::start();
    let plies = 2_500;
    // The pieces only go to and fro.
    let tokens = ["d3-c3", "d1-c1", "c3-d3", "c1-d1"].iter().cycle().take(plies);
    let record = format!("[Game \"brandubh\"]\n\n{} *\n", tokens.copied().collect::<Vec<_>>().join(" "));
    let id = hex(&server.keep(record.as_bytes())[0]);
    let all = server.get(&format!("/v1/records/{id}/positions")).json();
    assert_eq!(all["items"].as_array().map(Vec::len), Some(plies + 1), "{}", all["items"][0]);
    let listed = |ply: usize| {
        let page = open(&server, &format!("/records/{id}?ply={ply}"), "en").text().to_owned();
        let plies: Vec<usize> =
            attributes(&page, "data-ply").iter().map(|ply| ply.parse().expect("a number")).collect();
        assert!(plies.is_empty() || ply == 0 || plies.contains(&ply), "{ply}");
        (plies.first().copied(), plies.last().copied(), page)
    };
    for (ply, first, last) in [(0, 1, 1000), (1000, 1, 1000), (1001, 1001, 2000), (2500, 2001, 2500)] {
        let (from, to, page) = listed(ply);
        assert_eq!((from, to), (Some(first), Some(last)), "{ply}");
        assert_eq!(page.contains("Earlier moves"), first > 1, "{ply}");
        assert_eq!(page.contains("Later moves"), last < plies, "{ply}");
        // A game that is too long for one picture is not offered as one.
        assert!(!page.contains("replay.gif") && !page.contains("verdict.pdf") && page.contains("game.csv"), "{ply}");
    }
}

#[test]
fn a_record_in_every_form() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    for (ending, media) in [("quipu", "text/plain"), ("json", "application/json"), ("csv", "text/csv")] {
        let file = open(&server, &format!("/records/{id}/game.{ending}"), "es");
        let same = server.ask("GET", &format!("/v1/records/{id}")).header("Accept", media).send();
        assert_eq!((file.status, &file.body), (200, &same.body), "{ending}");
        assert_eq!(file.header("content-disposition"), format!("attachment; filename=\"{id}.{ending}\""));
        assert_eq!(file.header("etag"), same.header("etag"));
    }
    let unreadable = hex(&server.keep(UNREADABLE.as_bytes())[0]);
    server.get(&format!("/records/{unreadable}/game.quipu")).problem(409, "api.unreadable");
}

#[test]
fn a_board_may_be_shown_elsewhere_and_nothing_else() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    let path = format!("/embed/{id}?ply=3&lang=en");
    let answer = open(&server, &path, "es");
    check(&path, &answer, 200, "en");
    assert_eq!(answer.header("x-frame-options"), "");
    let policy = answer.header("content-security-policy").to_owned();
    assert_eq!(policy, POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"));
    assert!(answer.text().contains("positions/3.svg") && !answer.text().contains("<header"));
    assert!(answer.text().contains(&format!("href=\"/records/{id}?ply=3&amp;lang=en\"")));
    let page = open(&server, &format!("/records/{id}?ply=3"), "es").text().to_owned();
    let snippet = plain(&plain(between(&page, "id=\"snippet\"", "</textarea>")));
    assert!(snippet.contains(&format!("<iframe src=\"/embed/{id}?ply=3&lang=es\"")), "{snippet}");
    let problem = open(&server, &format!("/embed/{id}?ply=999"), "es");
    assert_eq!((problem.status, problem.header("x-frame-options")), (404, ""));
}

#[test]
fn pages_are_not_sent_twice() {
    let server = Server::start();
    let id = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    let paths =
        ["/", "/players/1", "/events/1", "/rankings", "/rules", "/rules/andes.3.6", "/check", "/docs", "/docs/records"];
    let own = [format!("/records/{id}"), format!("/embed/{id}"), "/assets/style.css".to_owned()];
    let paths: Vec<_> = paths.iter().map(|path| (*path).to_owned()).chain(own).collect();
    let tag = |path: &str, lang: &str| {
        let answer = open(&server, path, lang);
        let tag = answer.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.contains(env!("CARGO_PKG_VERSION")), "{path}: {tag}");
        let again = server.ask("GET", path).header("Accept", BROWSER).header("Accept-Language", lang);
        let again = again.header("If-None-Match", &tag).send();
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        // A browser takes these in the place of those that it has.
        for name in ["content-security-policy", "x-frame-options", "cache-control", "vary", "etag"] {
            assert_eq!(again.header(name), answer.header(name), "{path}: {name}");
        }
        tag
    };
    let before: Vec<_> = paths.iter().map(|path| [tag(path, "es"), tag(path, "en")]).collect();
    assert!(before.iter().all(|[es, en]| es != en));
    server.keep(game("Ana", "Beto").as_bytes());
    for (path, [es, _]) in paths.iter().zip(&before) {
        let lasting = path.starts_with("/embed")
            || ["/rules", "/check", "/docs", "/assets"].iter().any(|of| path.starts_with(of));
        assert_eq!(tag(path, "es") == *es, lasting, "{path}");
    }
}

#[test]
fn fields_that_nobody_filled_in_say_nothing() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let empty = "q=&game=&status=&state=&result=&player=&event=&round=&from=&to=";
    let cards = |query: &str| {
        let page = open(&server, &format!("/records?{query}"), "en").text().to_owned();
        attributes(&page, "href").into_iter().filter(|href| href.starts_with("/records/")).collect::<Vec<_>>()
    };
    assert_eq!(cards(empty), cards(""));
    assert_eq!(cards("").len(), 50);
    let some = cards("q=mamani&game=andes&status=&from=");
    assert!(!some.is_empty() && some.len() < 50, "{some:?}");
    // A form shows what it was sent with.
    let page = open(&server, "/records?q=mamani&status=verified&from=2026-01-02", "en").text().to_owned();
    for shown in ["value=\"mamani\"", "<option value=\"verified\" selected>", "value=\"2026-01-02\"", "<details open>"]
    {
        assert!(page.contains(shown), "{shown}");
    }
    assert!(!open(&server, "/records?q=mamani", "en").text().contains("<details open>"));
    server.get("/v1/records?q=").problem(400, "api.parameter");
}

#[test]
fn lists_go_on() {
    let server = Server::start();
    let ids = server.keep(&bytes("andes/cup.quipu")[..]);
    let mut seen = BTreeSet::new();
    let mut next = Some("/records?lang=en".to_owned());
    while let Some(path) = next {
        let answer = open(&server, &path, "es");
        check(&path, &answer, 200, "en");
        let page = answer.text();
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
    let answer = open(&server, &format!("{path}?lang=en"), "es");
    check(&path, &answer, 307, "en");
    let place = answer.header("location").to_owned();
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
    let answer = open(&server, "/events/1?view=nothing", "en");
    check("/events/1?view=nothing", &answer, 400, "en");
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

/// Sends the form of the page.
pub(crate) fn checked(server: &Server, media: &str, body: impl Into<Vec<u8>>) -> Answer {
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
        let answer = checked(&server, media, body);
        check("/check", &answer, 200, "en");
        let page = answer.text();
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
        let answer = checked(&server, media, body.clone());
        check("/check", &answer, 200, "en");
        assert!(answer.text().contains("class=\"status verified\""), "{media}: {body}");
        let answer = checked(&server, FORM, urlencoded(&body));
        assert!(answer.text().contains("Ana – Beto <span class=\"status verified\""), "{body}");
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
        let answer = checked(&server, media, body.clone());
        check("/check", &answer, status, "en");
        let page = answer.text();
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
    let answer = checked(&server, "text/plain", record);
    check("/check", &answer, 200, "en");
    let page = answer.text();
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
