//! The rules of the games for people: every example of their texts on the referee's board, the pages with their boards and
//! anchors, the links between articles and codes, and the search for codes.

use std::collections::BTreeSet;

use quipu_referee::{Board, Referee, code::Source, games};
use quipu_tests_service::{
    contract::document,
    server::{Response, Server},
};

use super::pages::{attributes, check, open};
use quipu_options::settings::Settings;

/// A board in a text: rule set, position, move and caption.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    rules: Option<String>,
    position: String,
    token: Option<String>,
    caption: String,
}

/// The text of the rules of a game.
fn text(game: &dyn Referee, lang: &str) -> String {
    let ending = if lang == "es" { ".es.md" } else { ".md" };
    document(&format!("docs/rules/{}{ending}", game.notation().id))
}

fn examples(text: &str) -> Vec<Example> {
    let blocks = text.split("\n```board").skip(1).map(|block| block.split("\n```").next().unwrap_or_default());
    let example = |block: &str| {
        let (info, lines) = block.split_once('\n').expect("a position");
        let mut lines = lines.lines().peekable();
        Example {
            rules: Some(info.trim().to_owned()).filter(|rules| !rules.is_empty()),
            position: lines.next().expect("a position").to_owned(),
            token: lines.next_if(|line| !line.contains(' ')).map(str::to_owned),
            caption: lines.collect::<Vec<_>>().join(" "),
        }
    };
    blocks.map(example).collect()
}

impl Example {
    /// The board after the move.
    #[track_caller]
    fn board(&self, game: &dyn Referee) -> Box<dyn Board> {
        let mut board = game.board(self.rules.as_deref(), Some(&self.position)).unwrap_or_else(|_| panic!("{self:?}"));
        if let Some(token) = &self.token {
            board.play(token).unwrap_or_else(|breach| panic!("{self:?}: {breach:?}"));
        }
        board
    }
}

/// The moves of a text that stand behind a position in a row of a table.
fn rows(text: &str) -> Vec<[&str; 2]> {
    let codes = |row: &'static str| -> Vec<&str> { row.split('`').skip(1).step_by(2).collect() };
    let text: &'static str = text.to_owned().leak();
    let rows = text.lines().filter(|line| line.starts_with("| `")).map(codes);
    rows.filter_map(|codes| match codes[..] {
        [position, token, ..] if position.contains(' ') && position.contains('/') => Some([position, token]),
        _ => None,
    })
    .collect()
}

#[test]
fn every_example_of_the_rules_is_legal() {
    for game in games::ALL {
        let id = game.notation().id;
        let [es, en] = ["es", "en"].map(|lang| examples(&text(*game, lang)));
        let boards = |all: &[Example]| -> Vec<_> {
            all.iter().map(|one| (one.rules.clone(), one.position.clone(), one.token.clone())).collect()
        };
        assert_eq!(boards(&es), boards(&en), "{id}: both languages show the same");
        assert!(es.len() >= 3, "{id}: a start, a move and an end");
        let mut ends = 0;
        for example in es.iter().chain(&en) {
            let board = example.board(*game);
            let is_end = ["An end. ", "Another end. ", "Un final. ", "Otro final. "]
                .iter()
                .any(|words| example.caption.starts_with(words));
            assert_eq!(board.end().is_some(), is_end, "{id}: {example:?}");
            ends += usize::from(is_end);
            assert!(!example.caption.is_empty(), "{id}: {example:?}");
        }
        assert!(ends >= 2, "{id}: no end is shown");
        for lang in ["es", "en"] {
            for [position, token] in rows(&text(*game, lang)) {
                let mut board = game.board(None, Some(position)).unwrap_or_else(|_| panic!("{id}: {position}"));
                // An example may show a move that is illegal, with the code that it breaks.
                let played = board.play(token);
                let is_told =
                    |code: &str| text(*game, lang).lines().any(|line| line.contains(token) && line.contains(code));
                assert!(played.as_ref().err().is_none_or(|breach| is_told(breach.code.id)), "{id}: {position} {token}");
            }
        }
    }
}

fn server() -> Server {
    Server::with(Settings { address_rate: 1_000_000, ..Settings::default() })
}

/// Every figure and each picture of the page is there.
#[track_caller]
fn has_boards(server: &Server, page: &Response, figures: usize) {
    assert_eq!(page.text().matches("<figure class=\"example\"").count(), figures);
    assert_eq!(page.text().matches("<picture class=\"board\"").count(), figures);
    let pictures: BTreeSet<_> = attributes(page.text(), "src")
        .into_iter()
        .chain(attributes(page.text(), "srcset"))
        .filter(|address| address.starts_with("/v1/positions.svg"))
        .collect();
    assert!(pictures.len() > figures);
    for picture in pictures {
        assert_eq!(server.get(&picture).status, 200, "{picture}");
    }
}

#[test]
fn every_game_has_a_page_of_rules() {
    let server = server();
    for game in games::ALL {
        let id = game.notation().id;
        for lang in ["es", "en"] {
            let path = format!("/rules/{id}");
            let page = open(&server, &path, lang);
            check(&path, &page, 200, lang);
            assert!(page.text().len() < 120 * 1024, "{path}: {}", page.text().len());
            has_boards(&server, &page, examples(&text(*game, lang)).len());
            // The page begins with the way to play, then tells how moves are written.
            let ids = attributes(page.text(), "id");
            let place =
                |id: &str| ids.iter().position(|own| own == id).unwrap_or_else(|| panic!("{path}#{id}: {ids:?}"));
            let [play, write, legend, about] = match lang {
                "es" => ["cómo-se-juega-en-dos-minutos", "cómo-se-escribe-una-jugada", "legend", "about"],
                _ => ["how-to-play-in-two-minutes", "writing-moves", "legend", "about"],
            }
            .map(place);
            assert!(play < write && write < legend && legend < about, "{path}");
            for link in attributes(page.text(), "href") {
                if let Some(id) = link.strip_prefix('#').filter(|id| *id != "main") {
                    place(id);
                }
            }
            // Markdown is no text for people.
            for mark in ["](", "```", "| --- |", "**"] {
                assert!(!page.text().contains(mark), "{path}: {mark}");
            }
        }
    }
    server.get("/rules/damas").problem(404, "api.not-found");
}

/// A code leads to its article in the rules of its game, which lead to the code.
#[test]
fn articles_and_codes_lead_to_each_other() {
    let server = server();
    for game in games::ALL {
        let id = game.notation().id;
        let rules = open(&server, &format!("/rules/{id}?lang=en"), "es");
        let ids = attributes(rules.text(), "id");
        let links = attributes(rules.text(), "href");
        for code in game.codes() {
            assert!(links.contains(&format!("/rules/{}?lang=en", code.id)), "{}", code.id);
            let page = open(&server, &format!("/rules/{}?lang=en", code.id), "es");
            let to = attributes(page.text(), "href");
            assert!(to.contains(&format!("/rules/{id}?lang=en")), "{}: {to:?}", code.id);
            let (Source::Article(article) | Source::Ruling(article) | Source::Follows(article)) = code.source else {
                continue;
            };
            assert!(to.contains(&format!("/rules/{id}?lang=en#{article}")), "{}: {to:?}", code.id);
            assert!(ids.iter().any(|own| own == article), "{id}#{article}");
        }
    }
    // An article is anchored where the text states it.
    let page = open(&server, "/rules/andes", "en").text().to_owned();
    let stated = |id: &str, words: &str| {
        let (_, rest) = page.split_once(&format!(" id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
        let near: String = rest.chars().take(200).collect();
        let before: String =
            page[..page.len() - rest.len()].chars().rev().take(200).collect::<String>().chars().rev().collect();
        assert!(format!("{before}{near}").contains(words), "{id}: {before} … {near}");
    };
    stated("3.6", "only a persona on a light one");
    stated("5.1", "The higher total wins");
    stated("R-6", "The resulting position decides");
}

#[test]
fn the_overview_leads_to_the_games_and_finds_codes() {
    let server = server();
    for lang in ["es", "en"] {
        let page = open(&server, "/rules", lang);
        check("/rules", &page, 200, lang);
        for game in games::ALL {
            let links = attributes(page.text(), "href");
            assert!(links.contains(&format!("/rules/{}", game.notation().id)));
        }
    }
    let page = open(&server, "/rules", "en").text().to_owned();
    assert!(page.contains("Andes is a game for two on a map of seven by seven squares"), "{page}");
    let found = |query: &str, lang: &str| {
        let page = open(&server, &format!("/rules?q={query}"), lang);
        check(&format!("/rules?q={query}"), &page, 200, lang);
        let codes = attributes(page.text(), "href")
            .into_iter()
            .filter_map(|link| link.strip_prefix("/rules/").map(str::to_owned));
        codes.filter(|code| !code.contains('#')).collect::<Vec<_>>()
    };
    assert_eq!(found("3.6", "en"), ["andes.3.6"]);
    assert_eq!(found("BORDE+clara", "es"), ["andes.3.6"]);
    assert_eq!(found("querni.q-7", "en"), ["querni.Q-7"]);
    assert!(found("too+many+requests", "en").contains(&"api.rate".to_owned()));
    assert_eq!(found("nadaquever", "es"), [""; 0]);
    assert!(open(&server, "/rules?q=%3Cb%3E", "en").text().contains("No code matches “&lt;b&gt;”."));
    // From the start, each game leads to its rules.
    let start = attributes(open(&server, "/", "en").text(), "href");
    for game in games::ALL {
        assert!(start.contains(&format!("/rules/{}", game.notation().id)));
    }
}

/// The legend is that of the pages of games.
#[test]
fn a_legend_of_pieces_and_terrain() {
    let server = server();
    let legend = |game: &str, lang: &str| {
        let page = open(&server, &format!("/rules/{game}"), lang).text().to_owned();
        let (_, rest) = page.split_once("<h2 id=\"legend\">").expect("a legend");
        rest.split_once("</section>").expect("its end").0.to_owned()
    };
    for (game, lang, words) in [
        ("andes", "en", &["persona, with the hole towards its player", "sierra", "ocean"][..]),
        ("pastores", "es", &["guerrero"]),
        ("querni", "es", &["ficha, con su número del 1 al 16"]),
        ("brandubh", "en", &["king", "pawn", "corner"]),
    ] {
        let legend = legend(game, lang);
        for word in words {
            assert!(legend.contains(&format!("<span>{word}</span>")), "{word}: {legend}");
        }
    }
    // Four kinds of two sides, and the grounds.
    assert!(legend("andes", "en").matches("<svg").count() >= 8 + 3);
}
