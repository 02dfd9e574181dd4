//! Problems and empty lists as people meet them: words about the page, and links that lead on.

use quipu_options::settings::Settings;
use quipu_tests_service::server::{Response, Server};

use crate::{pages::check, submit::game};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

fn open(server: &Server, path: &str, lang: &str) -> Response {
    server.ask("GET", path).header("Accept", BROWSER).header("Accept-Language", lang).send()
}

/// The page before its technical details.
fn for_people(response: &Response) -> &str {
    let (_, main) = response.text().split_once("<main").expect("a page");
    main.split_once("<details>").expect("details").0
}

#[test]
fn problems_speak_about_the_page_and_lead_on() {
    let server = Server::start();
    let none = "0".repeat(64);
    for (path, status, es, en, way) in [
        ("/nothing", 404, "Esta página no existe", "This page does not exist", "/records"),
        (&*format!("/records/{none}"), 404, "Esta página no existe", "This page does not exist", "/records"),
        ("/players/9", 404, "No existe el jugador número 9", "There is no player number 9", "/players"),
        ("/events/x", 400, "Esta dirección no funciona", "This address does not work", "/events"),
        ("/records/xyz", 400, "Esta dirección no funciona", "This address does not work", "/records"),
        ("/records?cursor=x", 400, "Esta parte de la lista", "This part of the list", "/records"),
        ("/rules/no.such", 404, "Esta página no existe", "This page does not exist", "/rules"),
        ("/v1/nothing", 404, "Esta página no existe", "This page does not exist", "/docs"),
    ] {
        for (lang, said) in [("es", es), ("en", en)] {
            let response = open(&server, path, lang);
            check(path, &response, status, lang);
            let page = for_people(&response);
            assert!(page.contains(said), "{path}: {page}");
            for way in ["/", way] {
                assert!(page.contains(&format!("<li><a href=\"{way}\">")), "{path}: no way to {way} in {page}");
            }
            assert!(page.contains("action=\"/records\""), "{path}: the search is there");
            for word in ["HTTP", "Accept", "/docs ", "body", "Retry-After"] {
                assert!(!page.contains(word), "{path}: {word} in {page}");
            }
            assert!(response.text().contains("<dt>HTTP</dt>"), "{path}: the details are there");
        }
    }
    let chosen = open(&server, "/players/9?lang=es", "en");
    assert!(for_people(&chosen).contains("href=\"/players?lang=es\""), "the language stays");
}

#[test]
fn a_page_that_is_asked_for_too_often_says_how_long_to_wait() {
    let server = Server::with(Settings { address_rate: 2, ..Settings::default() });
    let response = [(); 3].map(|()| open(&server, "/players?q=ana", "en")).into_iter().last().expect("three");
    check("/players", &response, 429, "en");
    let (seconds, page) = (response.header("retry-after"), for_people(&response));
    assert!(seconds.parse().is_ok_and(|seconds: u64| seconds > 0), "{seconds}");
    assert!(page.contains(&format!("Wait {seconds} s and open the page again.")), "{page}");
    assert!(page.contains("<a href=\"/players?q=ana&amp;lang=en\">Open this page again</a>"), "{page}");
    let form = server.ask("POST", "/check").header("Accept", BROWSER).body("text/plain", game("Ana", "Beto")).send();
    assert!(form.status == 429 && form.text().contains("<textarea"), "{}", form.text());
}

/// The OpenAPI document has HTML in the errors of the operations that answer with it, and of no others.
#[test]
fn errors_are_pages_where_the_document_says_so() {
    let server = Server::with(Settings { address_rate: 1_000_000, ..Settings::default() });
    let document = server.get("/openapi.json").json();
    let (mut pages, mut data) = (0, 0);
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let reference = operation["responses"]["400"]["$ref"].as_str().expect("a parameter may be wrong");
            let response = document.pointer(reference.trim_start_matches('#')).expect("a response");
            let has_page = response["content"].get("text/html; charset=utf-8").is_some();
            // A parameter ends its part of the path, or stands before an extension.
            let parts = path.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
            let path = format!("{}?no_such_parameter=1", parts.collect::<Vec<_>>().join("1"));
            let response = server.ask(&method.to_uppercase(), &path).header("Accept", BROWSER).send();
            assert!((400..500).contains(&response.status), "{method} {path}: {}", response.status);
            let expected = if has_page { "text/html; charset=utf-8" } else { "application/problem+json" };
            assert_eq!(response.header("content-type"), expected, "{method} {path}");
            *(if has_page { &mut pages } else { &mut data }) += 1;
        }
    }
    assert!(pages > 10 && data > 30, "{pages} {data}");
}

#[test]
fn empty_lists_offer_a_way_on() {
    let server = Server::start();
    server.keep(game("Ana", "Beto").as_bytes());
    for (path, clear, games) in [
        ("/records?q=nobody", Some("/records"), false),
        ("/players?q=x&lang=es", Some("/players?lang=es"), true),
        ("/events?q=x", Some("/events"), true),
        ("/rankings?game=querni", Some("/rankings"), true),
    ] {
        let lang = if path.contains("lang=es") { "es" } else { "en" };
        let response = open(&server, path, lang);
        check(path, &response, 200, lang);
        let (_, main) = response.text().split_once("<main").expect("a page");
        if let Some(clear) = clear {
            assert!(main.contains(&format!("<p class=\"meta\"><a href=\"{clear}\">")), "{path}: {main}");
        }
        let all = [" · <a href=\"/records\">All games</a>", " · <a href=\"/records?lang=es\">Todas las partidas</a>"];
        assert_eq!(all.iter().any(|all| main.contains(all)), games, "{path}: {main}");
    }
}
