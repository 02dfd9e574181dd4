//! Pages on which a game is read: players, notes, legend, neighbours, marks and clocks of a live game, and the data that a
//! shared link shows.

use std::collections::BTreeSet;

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_referee::{codes, games, messages::catalog, report::hex};
use quipu_tests_service::{bytes, sample_archive::sample_archive, server::Server};

use super::{
    pages::{attributes, between, open, plain},
    submit::{OPEN, TEXT},
};

/// A game with clocks that goes on.
const TIMED: &str = "[Game \"andes\"]\n[Event \"Copa de los Andes\"]\n[Sol \"Quispe Mamani, Rosa\"]\n[Luna \"Nadie\"]\n\
                     [Result \"*\"]\n\n1. 0a1 {[%clk 0:11:50]} 0D0 {[%clk 0:11:40]}\n2. 0b0 {[%clk 0:11:30]}\n*\n";

/// The page of the first record of a file of fixtures that has this text.
fn record_with(server: &Server, file: &str, text: &str) -> String {
    let all = String::from_utf8(bytes(file)).expect("text");
    let records = all.split("\n[Game ").map(|rest| format!("[Game {}", rest.trim_start_matches("[Game ")));
    let record = records.into_iter().find(|record| record.contains(text)).expect("a record");
    format!("/records/{}", hex(&server.keep(record.as_bytes())[0]))
}

#[track_caller]
fn in_order(page: &str, texts: &[&str]) {
    let places: Vec<_> =
        texts.iter().map(|text| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}"))).collect();
    assert!(places.is_sorted(), "{texts:?}: {places:?}");
}

#[test]
fn players_are_above_and_below_the_board() {
    let server = Server::start();
    for (file, above, below) in [
        ("andes/games.quipu", "Luna", "Sol"),
        ("pastores/games.quipu", "Norte", "Sur"),
        ("querni/games.quipu", "Rosa", "Azul"),
        ("brandubh/games.quipu", "Rojos", "Negros"),
    ] {
        let path = record_with(&server, file, "[Game ");
        for (query, above, below) in [("?ply=1", above, below), ("?ply=1&flip=yes", below, above)] {
            let page = open(&server, &format!("{path}{query}"), "en").text().to_owned();
            let [above, below] = [above, below].map(|side| format!("role=\"group\" aria-label=\"{side}\""));
            in_order(
                &page,
                &[&above, "<picture", &below, "class=\"steps\"", "data-part=\"moves\"", "data-part=\"notes\""],
            );
            assert_eq!(page.matches("(to move)").count(), 1, "{path}");
            let flipped = query.contains("flip");
            let links = attributes(&page, "href").into_iter().filter(|href| href.contains("?ply=")).collect::<Vec<_>>();
            assert!(links.len() > 6);
            // All but the one that turns the board keep it as it is.
            assert_eq!(links.iter().filter(|href| href.contains("&flip=yes") != flipped).count(), 1, "{links:?}");
            let board = attributes(&page, "src").into_iter().find(|src| src.contains("/positions/")).expect("a board");
            assert_eq!(board.contains("flip=yes"), flipped, "{board}");
        }
    }
}

#[test]
fn nobody_is_to_move_in_a_game_that_is_over() {
    let server = Server::start();
    let mut replayed = 0;
    for file in ["andes/games.quipu", "pastores/games.quipu", "querni/games.quipu", "brandubh/games.quipu"] {
        let path = record_with(&server, file, "\"resignation\"");
        let last = open(&server, &path, "en").text().to_owned();
        assert!(!last.contains("(to move)"), "{path}");
        let now = between(&last, "data-part=\"now\" role=\"status\">", "</p>");
        assert!(now.contains("ended by the resignation of a player · "), "{now}");
        let plies: u64 = between(&last, "data-last=\"", "\"").parse().expect("a number");
        // The piece beside the board is gone too.
        let pieces = |ply: u64| {
            let picture = server.get(&format!("/v1{path}/positions/{ply}.svg")).text().to_owned();
            picture.matches("transform=\"translate(").count()
        };
        assert_eq!(pieces(plies), 0, "{path}");
        let Some(earlier) = plies.checked_sub(1) else { continue };
        let before = open(&server, &format!("{path}?ply={earlier}"), "en").text().to_owned();
        let now = between(&before, "data-part=\"now\" role=\"status\">", "</p>");
        assert!(before.contains("(to move)") && !now.contains("ended by"), "{path}: {now}");
        assert_eq!(pieces(0), 1, "{path}");
        replayed += 1;
    }
    assert!(replayed > 1, "{replayed}");
}

#[test]
fn counts_are_told_in_sentences_and_only_once() {
    let server = Server::start();
    for (file, said) in [
        ("andes/cup.quipu", "<p>Left to place: Sol 7, Luna 7.</p>"),
        ("pastores/games.quipu", "Norte, pastores 5 and guerreros 3; Sur, pastores 5 and guerreros 3.</p>"),
        ("querni/games.quipu", "<p>Pieces on the board: Azul 16, Rosa 16.</p>"),
        ("brandubh/games.quipu", "<p>Pawns on the board: Black 4, Red 8.</p>"),
    ] {
        let path = record_with(&server, file, "[Game ");
        let page = open(&server, &format!("{path}?ply=0"), "en").text().to_owned();
        let notes = between(&page, "data-part=\"notes\">", "</div>");
        assert!(notes.contains(said), "{notes}");
        assert!(!notes.contains('{') && !page.contains("class=\"facts\""), "{notes}");
    }
}

/// Every kind of piece and ground is drawn beside its word; where the hole of a disc is, is told there, in the tooltip of
/// the board and in no other game.
#[test]
fn a_legend_of_pieces_and_terrain() {
    let server = Server::start();
    for (file, game, words) in [
        ("andes/games.quipu", "andes", &["militar, with the hole towards the opponent", "jungle", "island"][..]),
        ("pastores/games.quipu", "pastores", &["guerrero", "point without diagonals"]),
        ("querni/games.quipu", "querni", &["piece, with its number from 1 to 16"]),
        ("brandubh/games.quipu", "brandubh", &["king", "pawn", "corner"]),
    ] {
        let page = open(&server, &record_with(&server, file, "[Game "), "en").text().to_owned();
        let legend = between(&page, "<ul class=\"legend\">", "</ul>");
        for word in words {
            assert!(legend.contains(&format!("<span>{word}</span>")), "{word}: {legend}");
        }
        let samples = legend.matches("<svg").count();
        let pieces = games::find(game).expect("a game").pieces().len();
        assert!(samples >= pieces && legend.matches("aria-hidden=\"true\"").count() == samples, "{legend}");
        let board = between(&page, "<picture class=\"board\">", "</picture>");
        assert_eq!(board.contains("title=\"persona, with the hole towards its player; "), game == "andes", "{board}");
        assert!(!board.contains("lazy"), "{board}");
    }
    let cup = hex(&server.keep(&bytes("andes/cup.quipu")[..])[0]);
    let page = open(&server, &format!("/records/{cup}?ply=4"), "en").text().to_owned();
    let board = between(&page, "<picture class=\"board\">", "</picture>");
    assert!(
        board.contains("alt=\"Board after ply 4. Sol: militar d6; estatal to the left a3. Luna: persona "),
        "{board}"
    );
}

#[test]
fn other_games_of_the_round_are_linked() {
    let server = Server::start();
    let ids: Vec<_> = server.keep(&bytes("andes/cup.quipu")[..]).iter().map(|id| hex(id)).collect();
    let all = String::from_utf8(bytes("andes/cup.quipu")).expect("text");
    let records: Vec<_> = all.split("\n[Game ").collect();
    let tag = |record: &str, name: &str| between(record, &format!("[{name} \""), "\"").to_owned();
    let (first, second) = (records[0], records[1]);
    assert_eq!([tag(first, "Leg"), tag(first, "Sol")], ["1".to_owned(), tag(second, "Luna")]);
    let links = |id: &str| {
        let page = open(&server, &format!("/records/{id}"), "en").text().to_owned();
        let list = page.split_once("<ul class=\"others\">").map_or("", |(_, rest)| rest);
        let list = list.split_once("</ul>").map_or("", |(list, _)| list).to_owned();
        let of = |said: &str| {
            let (_, rest) = list.split_once(said)?;
            Some(plain(between(rest, "href=\"/records/", "\"")))
        };
        ["The other leg of the encounter:", "Previous game of the round:", "Next game of the round:"].map(of)
    };
    let rounds: Vec<_> = records.iter().map(|record| tag(record, "Round")).collect();
    let same = |at: usize, other: Option<usize>| {
        other.filter(|other| rounds.get(*other) == Some(&rounds[at])).map(|other| ids[other].clone())
    };
    assert_eq!(links(&ids[0]), [Some(ids[1].clone()), None, same(0, Some(1))]);
    assert_eq!(links(&ids[1])[0], Some(ids[0].clone()));
    for at in [1, 2, ids.len() / 2, ids.len() - 1] {
        let [_, previous, next] = links(&ids[at]);
        assert_eq!([previous, next], [same(at, at.checked_sub(1)), same(at, Some(at + 1))], "{at}");
    }
    // Games without a round are of no round together.
    let without = |side_one: &str| {
        let tags = format!("[Game \"brandubh\"]\n[Event \"Friendly\"]\n[Negros \"{side_one}\"]\n[Rojos \"Eva\"]\n");
        hex(&server.keep(format!("{tags}\n1. c4-c1 b4-b5\n*\n").as_bytes())[0])
    };
    for id in ["Ana", "Beto"].map(without) {
        assert_eq!(links(&id), [None, None, None]);
    }
    // A game without an event stands alone.
    let alone = hex(&server.keep(OPEN.as_bytes())[0]);
    assert_eq!(links(&alone), [None, None, None]);
}

/// A live board has the marks of the last move, also where somebody looks at an earlier one.
#[test]
fn a_live_game_with_marks_and_clocks() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let token = server.token(Scope::RecordsWrite);
    let opened = server.ask("POST", "/v1/live").token(&token).body(TEXT, TIMED).send();
    assert_eq!(opened.status, 201, "{}", opened.text());
    let save = |query: &str, record: &str| {
        let saved = server.ask("PUT", &format!("/v1/live/1{query}")).token(&token).header("If-Match", "*");
        let saved = saved.body(TEXT, record).send();
        assert_eq!(saved.status, 200, "{}", saved.text());
    };
    save("?running=yes", TIMED);
    let page = |query: &str| open(&server, &format!("/live/1{query}"), "en").text().to_owned();
    let picture = |page: &str| {
        let sources = attributes(page, "src");
        sources.into_iter().find(|src| src.starts_with("/v1/positions.svg")).expect("a board")
    };
    let last = page("");
    assert!(picture(&last).contains("&move=0b0&"), "{}", picture(&last));
    let board = server.get(&picture(&last)).text().to_owned();
    assert!(board.contains("stroke=\"#ffcd00\""), "the last move is marked");
    let earlier = page("?ply=1&flip=yes");
    assert!(picture(&earlier).contains("&move=0a1&flip=yes"), "{}", picture(&earlier));
    assert!(!page("?ply=0").contains("&amp;move="));
    // After a ply was taken back, the address of it shows the last one.
    assert_eq!(picture(&page("?ply=99")), picture(&last));
    // The clock of the side to move runs since the last save, and only on the page that follows.
    assert_eq!(last.matches("data-since=\"").count(), 1);
    assert!(last.contains("data-clock=\"Luna\" data-left=\"700000\" data-since=\""), "{last}");
    assert!(!earlier.contains("data-since"));
    save("", TIMED);
    assert!(!page("").contains("data-since"), "a client that reports no clocks");
    save("?running=yes", TIMED);
    // Names that the archive knows are links, and so is the event.
    assert!(last.contains("<a href=\"/events/1\">Copa de los Andes</a>"), "{last}");
    assert!(last.contains("\">Quispe Mamani, Rosa</a>") && !last.contains("\">Nadie</a>"), "{last}");
    // A declared end ends it.
    let over =
        TIMED.replace("[Result \"*\"]", "[Result \"1-0\"]\n[Termination \"resignation\"]").replace("\n*\n", "\n1-0\n");
    save("?running=yes", &over);
    let over = page("");
    assert!(
        !over.contains("(to move)")
            && !over.contains("data-since")
            && over.contains("ended by the resignation of a player · 1-0")
    );
}

/// The value of a `meta` element.
fn meta(page: &str, name: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("=\"{name}\" content=\""))?;
    Some(plain(rest.split_once('"')?.0))
}

#[test]
fn shared_links_show_a_board() {
    let public = "https://partidas.example.org";
    for url in ["", public] {
        let (server, ids) = sample_archive(Settings { public_url: url.to_owned(), ..Settings::default() });
        let verified = format!("/records/{}", ids[0]);
        let token = server.token(Scope::RecordsWrite);
        assert_eq!(server.ask("POST", "/v1/live").token(&token).body(TEXT, TIMED).send().status, 201);
        let mut descriptions = BTreeSet::new();
        for (path, query, shows_board) in [
            ("/", "", true),
            (&*verified, "?ply=1&flip=yes", true),
            ("/records", "?q=copa", false),
            ("/live", "", false),
            ("/live/1", "?ply=1", true),
            ("/players", "?q=a", false),
            ("/players/2", "", true),
            ("/rankings", "", false),
            ("/rankings?game=andes", "", true),
            ("/events", "", false),
            ("/events/1", "?view=crosstable", true),
            ("/rules", "?q=clock", false),
            ("/rules/querni", "", true),
            ("/rules/andes.3.6", "", false),
            ("/check", "", false),
            ("/keep", "?game=andes", false),
            ("/docs", "", false),
            ("/docs/records", "", false),
        ] {
            let page = open(&server, &format!("{path}{query}"), "en").text().to_owned();
            let title = between(&page, "<title>", "</title>").trim_end_matches(" · quipu");
            assert_eq!(meta(&page, "og:title").as_deref(), Some(plain(title)).as_deref(), "{path}");
            let description = meta(&page, "description").expect("a description");
            assert!(description.len() > 10 && !description.contains('{'), "{path}: {description}");
            assert!(descriptions.insert(description.clone()), "{path}: {description}");
            assert_eq!(meta(&page, "og:description"), Some(description), "{path}");
            // An address that other sites could not follow is left out.
            if url.is_empty() {
                assert!(!page.contains("rel=\"canonical\"") && meta(&page, "og:url").is_none(), "{path}");
                assert_eq!(meta(&page, "og:image"), None, "{path}");
                continue;
            }
            let canonical = between(&page, "rel=\"canonical\" href=\"", "\"");
            assert_eq!(canonical, format!("{url}{path}"), "{path}");
            let picture = meta(&page, "og:image");
            assert_eq!(picture.is_some(), shows_board, "{path}");
            let Some(picture) = picture else { continue };
            let own = picture.strip_prefix(url).expect("the address of the service");
            let response = server.get(own);
            assert_eq!((response.status, response.header("content-type")), (200, "image/png"), "{path}: {own}");
        }
        let spanish = open(&server, "/players/2?lang=es", "en").text().to_owned();
        let canonical = format!("rel=\"canonical\" href=\"{public}/players/2?lang=es\"");
        assert_eq!(spanish.contains(&canonical), url == public, "{spanish}");
    }
    let (server, ids) = sample_archive(Settings::default());
    let record = open(&server, &format!("/records/{}", ids[0]), "en").text().to_owned();
    let description = meta(&record, "description").expect("a description");
    assert!(description.starts_with("Andes · ") && description.ends_with(" · verified"), "{description}");
}

#[test]
fn pictures_at_the_top_load_at_once_and_all_have_their_size() {
    let (server, ids) = sample_archive(Settings::default());
    for path in ["/".to_owned(), "/records".to_owned(), "/players/1".to_owned(), format!("/records/{}", ids[0])] {
        let page = open(&server, &path, "en").text().to_owned();
        for image in page.split("<img ").skip(1).map(|rest| rest.split_once('>').expect("it ends").0) {
            assert!(image.contains(" width=\"") && image.contains(" height=\""), "{path}: {image}");
        }
    }
    let page = open(&server, "/", "en").text().to_owned();
    let first = between(&page, "<picture", "</picture>");
    assert!(!first.contains("lazy"), "{first}");
    assert!(page.contains("loading=\"lazy\""));
}

/// The boards of a code show its wrong move, which is refused, and its right one, which is not.
#[test]
fn moves_of_examples_are_marked() {
    let server = Server::with(Settings { address_rate: 1_000_000, ..Settings::default() });
    let mut marked = 0;
    for code in codes::all() {
        let Some(example) = catalog().code(code).map(|words| &words.example) else { continue };
        let game = code.id.split('.').next().and_then(games::find);
        let (Some(game), Some(position), Some(token)) = (game, &example.position, &example.token) else { continue };
        let page = open(&server, &format!("/rules/{}", code.id), "en").text().to_owned();
        let boards: Vec<_> =
            attributes(&page, "src").into_iter().filter(|src| src.starts_with("/v1/positions.svg")).collect();
        let board = game.board(None, Some(position)).expect("a position");
        assert!(boards.len() == 2 && !board.tried(example.right).refused, "{}: {boards:?}", code.id);
        let [wrong, right] = [0, 1].map(|at| server.get(&boards[at]).text().to_owned());
        let yellow = |picture: &str| picture.contains("stroke=\"#ffcd00\"");
        assert!(board.tried(token).refused && !yellow(&wrong), "{}", code.id);
        assert_eq!(yellow(&right), !board.tried(example.right).path.is_empty(), "{}", code.id);
        marked += usize::from(wrong.contains("stroke=\"#c41e3a\""));
    }
    assert!(marked > 20, "{marked}");
}

/// A picture of a move says what of it cannot be.
#[test]
fn a_position_and_a_move() {
    let server = Server::start();
    let start = "/v1/positions.svg?game=andes";
    let board = |query: &str| server.get(&format!("{start}{query}"));
    let placed = board("&move=0d3&lang=en").text().to_owned();
    assert!(placed.contains("Sol: persona d3") && placed.contains("stroke=\"#ffcd00\""), "{placed}");
    let refused = board("&move=2a1&lang=en").text().to_owned();
    assert!(!refused.contains("militar") && refused.contains("stroke=\"#c41e3a\""), "{refused}");
    let nothing = board("&move=zzz&lang=en").text().to_owned();
    assert!(!nothing.contains("stroke=\"#c41e3a\""));
    // A diagram is no position to play in.
    board("&position=7/7/7/7/7/7/7&move=0d3").problem(422, "api.picture");
    assert_ne!(board("&move=0d3").header("etag"), board("&move=0d4").header("etag"));
}
