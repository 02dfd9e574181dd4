//! Pages of records: a game ply by ply, its clocks, formats and boards, and records with faults.

use quipu_options::settings::Settings;
use quipu_referee::report::hex;
use quipu_tests_service::{bytes, sample_archive::sample_archive, server::Server};

use super::{
    super::submit::{BAD, UNREADABLE, game},
    BROWSER, POLICY, attributes, between, check, open, plain,
};

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
    let response = open(&server, &path, "es");
    check(&path, &response, 200, "en");
    assert_eq!(response.header("x-frame-options"), "");
    let policy = response.header("content-security-policy").to_owned();
    assert_eq!(policy, POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"));
    assert!(response.text().contains("positions/3.svg") && !response.text().contains("<header"));
    assert!(response.text().contains(&format!("href=\"/records/{id}?ply=3&amp;lang=en\"")));
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
        let response = open(&server, path, lang);
        let tag = response.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.contains(env!("CARGO_PKG_VERSION")), "{path}: {tag}");
        let again = server.ask("GET", path).header("Accept", BROWSER).header("Accept-Language", lang);
        let again = again.header("If-None-Match", &tag).send();
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        // A browser takes these in the place of those that it has.
        for name in ["content-security-policy", "x-frame-options", "cache-control", "vary", "etag"] {
            assert_eq!(again.header(name), response.header(name), "{path}: {name}");
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
