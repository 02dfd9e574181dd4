//! The pages for scoring a game: their service worker, manifest and icons, and the answers of the desk in words.

use std::collections::BTreeSet;

use quipu_tests_service::server::Server;
use serde_json::{Value, json};

/// The texts between two marks.
fn all_between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    text.split(start).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0)).collect()
}

/// The list of what the service worker keeps.
fn kept(server: &Server) -> Value {
    let script = server.get("/keep/worker.js").text().to_owned();
    let (list, _) = script.strip_prefix("const KEPT = ").and_then(|rest| rest.split_once(";\n")).expect("the list");
    serde_json::from_str(list).expect("JSON")
}

fn texts(list: &Value) -> BTreeSet<String> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

#[test]
fn the_service_worker_asks_for_nothing_but_the_pages_of_its_scope() {
    let server = Server::start();
    let response = server.get("/keep/worker.js");
    assert_eq!((response.status, response.header("content-type")), (200, "text/javascript; charset=utf-8"));
    assert_eq!(response.header("service-worker-allowed"), "/keep");
    assert_eq!(
        response.header("content-security-policy"),
        "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"
    );
    assert_eq!(response.header("cache-control"), "no-cache");
    assert!(response.header("etag").contains(kept(&server)["version"].as_str().expect("a version")));
    for path in texts(&kept(&server)["assets"]).iter().chain(&texts(&kept(&server)["pages"])) {
        assert_eq!(server.get(path).status, 200, "{path}");
        assert!(path.starts_with("/assets/") || path.starts_with("/keep"), "{path}");
    }
}

/// The worker keeps all that its pages load, and all that their modules import.
#[test]
fn the_service_worker_keeps_everything_that_its_pages_need() {
    let server = Server::start();
    let list = kept(&server);
    let assets = texts(&list["assets"]);
    let mut needed = BTreeSet::new();
    for path in texts(&list["pages"]) {
        for lang in ["es", "en"] {
            let page = server.ask("GET", &path).header("Accept-Language", lang).send();
            for name in [" src=\"", " href=\""] {
                let loaded =
                    all_between(page.text(), name, "\"").into_iter().filter(|path| path.starts_with("/assets/"));
                // Icons of installed pages are fetched when they are installed.
                needed.extend(loaded.filter(|path| !path.contains("/icon-")).map(str::to_owned));
            }
        }
    }
    for path in assets.iter().filter(|path| path.contains(".js")) {
        let script = server.get(path).text().to_owned();
        let imported = all_between(&script, "from './", "'").into_iter().chain(all_between(&script, "import './", "'"));
        needed.extend(imported.map(|name| format!("/assets/{name}")));
    }
    assert_eq!(needed, assets);
}

#[test]
fn the_pages_are_installed_with_a_name_and_icons() {
    let server = Server::start();
    for (lang, name) in [("es", "quipu · Anotar una partida"), ("en", "quipu · Score a game")] {
        let page = server.get(&format!("/keep/desk?lang={lang}")).text().to_owned();
        let path = all_between(&page, "<link rel=\"manifest\" href=\"", "\"")[0].to_owned();
        let response = server.get(&path);
        assert_eq!(response.header("content-type"), "application/manifest+json");
        let manifest: Value = serde_json::from_slice(&response.body).expect("JSON");
        assert_eq!([&manifest["name"], &manifest["lang"], &manifest["scope"]], [name, lang, "/keep"]);
        assert_eq!(server.get(manifest["start_url"].as_str().expect("an address")).status, 200);
        for icon in manifest["icons"].as_array().expect("a list") {
            let response = server.get(icon["src"].as_str().expect("an address"));
            assert_eq!(json!(response.header("content-type")), icon["type"]);
            if icon["type"] == "image/png" {
                let picture = png::Decoder::new(std::io::Cursor::new(&response.body)).read_info().expect("a PNG");
                let (width, height) = picture.info().size();
                assert_eq!(json!(format!("{width}x{height}")), icon["sizes"]);
            }
        }
    }
    // Pages of other parts are not installed.
    for path in ["/", "/records", "/live"] {
        assert!(!server.get(path).text().contains("rel=\"manifest\""), "{path}");
    }
}

/// The desk names sides as the verdicts do, and draws the pieces that are placed.
#[test]
fn the_desk_answers_in_words() {
    let server = Server::start();
    let desk = |record: &str, lang: &str| {
        server.ask("POST", &format!("/v1/desk?lang={lang}")).body("text/plain", record).send().json()
    };
    for (lang, sides, ending) in [
        ("es", ["Negros", "Rojos"], "Negros · 1-0 · la rendición de un jugador"),
        ("en", ["Black", "Red"], "Black · 1-0 · the resignation of a player"),
    ] {
        let found = desk("[Game \"brandubh\"]\n\n*\n", lang);
        assert_eq!([&found["sides"][0]["label"], &found["sides"][1]["label"]], sides);
        assert_eq!([&found["sides"][0]["tag"], &found["sides"][1]["tag"]], ["Negros", "Rojos"]);
        assert_eq!(found["endings"][0]["label"], ending);
        let cells = found["board"]["cells"].as_array().expect("a list").iter();
        let labels: Vec<_> = cells.filter_map(|cell| cell["label"].as_str()).collect();
        assert!(labels.iter().any(|label| label.ends_with(sides[1])), "{labels:?}");
    }
    let found = desk("[Game \"andes\"]\n\n*\n", "en");
    let pictures: BTreeSet<_> = found["beside"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|piece| {
            let picture = piece["picture"].as_str().expect("a picture");
            roxmltree::Document::parse(picture).expect("XML");
            picture.to_owned()
        })
        .collect();
    assert_eq!(pictures.len(), 4, "four different pieces");
}
