//! Pictures over HTTP: that they are those of the library, for whom they are kept, what is refused.

use quipu_archive::model::Submission;
use quipu_notation::record::{Chunk, Record};
use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_pictures::{self as pictures, Look, MOST_FRAMES, Theme};
use quipu_referee::{Lang, Status, games, replay::Replay, report::hex, verify};
use quipu_tests_service::{bytes, server::Server};

use super::records::fixtures;

/// A stored game of Andes, and its text.
fn one(server: &Server) -> (String, Vec<u8>) {
    let text = bytes("andes/cup.quipu");
    let id = hex(&server.keep(&text[..])[0]);
    (id.clone(), server.ask("GET", &format!("/v1/records/{id}")).header("Accept", "text/plain").send().body)
}

fn spanish() -> Look {
    Look::new(Lang::Es)
}

/// Asks for a picture of the record and compares it with what the library makes of it.
#[track_caller]
fn check(path: &str, media: &str, make: impl FnOnce(&Record<'_>) -> Vec<u8>) {
    let server = Server::start();
    let (id, text) = one(&server);
    let response = server.get(&format!("/v1/records/{id}/{path}"));
    assert_eq!((response.status, response.header("content-type")), (200, media), "{path}");
    let record = Chunk::new(&text).records().next().expect("a record").expect("it can be read");
    assert!(response.body == make(&record), "{path}");
}

/// The board after a ply.
fn drawn(record: &Record<'_>, ply: u64, look: &Look, png: bool) -> Vec<u8> {
    let mut replay = Replay::of(record).expect("it can be replayed");
    while replay.ply() < ply {
        replay.play().expect("it goes on");
    }
    let (game, drawing) = (replay.game(), replay.board().drawing());
    if png {
        return pictures::png(game, &drawing, look).expect("a good size");
    }
    pictures::svg(game, &drawing, look).expect("a good size").into_bytes()
}

#[test]
fn boards() {
    check("positions/0.svg", "image/svg+xml", |record| drawn(record, 0, &spanish(), false));
    check("positions/7.svg?lang=en", "image/svg+xml", |record| drawn(record, 7, &Look::new(Lang::En), false));
    check("positions/7.png", "image/png", |record| drawn(record, 7, &spanish(), true));
    let look = Look {
        theme: Theme::Dark,
        width: 200,
        title: Some("Copa & más".to_owned()),
        flip: true,
        marks: false,
        ..spanish()
    };
    let asked = "?theme=dark&size=200&title=Copa+%26+m%C3%A1s&flip=yes&marks=no";
    check(&format!("positions/9.svg{asked}"), "image/svg+xml", |record| drawn(record, 9, &look, false));
    check(&format!("positions/9.png{asked}"), "image/png", |record| drawn(record, 9, &look, true));
}

/// Names of rows and columns inside the squares make the squares larger; without any there is no text but on pieces.
#[test]
fn boards_with_coordinates_inside_and_without_any() {
    let server = Server::start();
    for &game in games::ALL {
        let board =
            game.deal(None, 3, None).expect("base").unwrap_or_else(|| game.board(None, None).expect("it starts"));
        let position = board.position().replace(' ', "+");
        let drawn = |options: &str| {
            let path = format!("/v1/positions.svg?game={}&position={position}{options}", game.notation().id);
            server.get(&path).text().to_owned()
        };
        let [around, inside, absent] = ["", "&coordinates=inside", "&coordinates=no"].map(drawn);
        assert_eq!(drawn("&coordinates=yes"), around);
        let names = |svg: &str| svg.matches("<text").count();
        let width = |svg: &str| {
            let size = svg.split_once("viewBox=\"0 0 ").expect("a size").1;
            size.split(' ').next().expect("a width").parse::<usize>().expect("a number")
        };
        let drawing = board.drawing();
        let edges = 2 * (drawing.columns + drawing.cells.len() / drawing.columns);
        assert_eq!([names(&inside), names(&absent) + edges], [names(&around); 2]);
        let narrow = 120 * drawing.columns + 12;
        assert_eq!(width(&absent), narrow);
        // Points have no corners to write in.
        assert_eq!(width(&inside), if drawing.lines.is_empty() { narrow } else { width(&around) });
        assert_ne!(drawn("&coordinates=inside&flip=yes"), inside);
    }
}

#[test]
fn whole_games() {
    let small = Look { width: 100, theme: Theme::Dark, ..spanish() };
    check("replay.gif?size=100&theme=dark", "image/gif", |record| {
        pictures::gif(record, &small).expect("a game").expect("it is short")
    });
    check("replay.html", "text/html; charset=utf-8", |record| {
        pictures::html(record, &spanish()).expect("a game").expect("it is short").into_bytes()
    });
    let titled = Look { title: Some("Mesa 1".to_owned()), ..Look::new(Lang::En) };
    check("verdict.pdf?lang=en&title=Mesa+1", "application/pdf", |record| {
        pictures::verdict(record, &verify::record(record), None, &titled).expect("it is short")
    });
}

#[test]
fn positions_that_come_with_the_request() {
    let server = Server::start();
    for &game in games::ALL {
        let id = game.notation().id;
        let board =
            game.deal(None, 3, None).expect("base").unwrap_or_else(|| game.board(None, None).expect("it starts"));
        let position = board.position().replace(' ', "+");
        let path = format!("/v1/positions.svg?game={id}&position={position}&theme=dark");
        let response = server.get(&path);
        assert_eq!((response.status, response.header("content-type")), (200, "image/svg+xml"), "{}", response.text());
        let look = Look { theme: Theme::Dark, ..spanish() };
        let drawing = game.arrange(None, &board.position()).expect("a position").drawing;
        assert_eq!(response.text(), pictures::svg(game, &drawing, &look).expect("a good size"));
        let png = server.get(&path.replace(".svg", ".png"));
        assert_eq!(png.body, pictures::png(game, &drawing, &look).expect("a good size"));
        let start = server.get(&format!("/v1/positions.svg?game={id}"));
        match game.board(None, None) {
            Ok(board) => {
                assert_eq!(start.text(), pictures::svg(game, &board.drawing(), &spanish()).expect("a good size"));
            }
            Err(_) => assert!(!start.problem(422, "api.picture")["faults"][0]["code"].is_null()),
        }
    }
    // After a move, with its marks or without them; a move that is refused marks its squares in the position.
    let andes = games::find("andes").expect("a game");
    let mut board = andes.board(None, None).expect("it starts");
    board.play("0d3").expect("a legal move");
    let moved = server.get("/v1/positions.svg?game=andes&move=0d3");
    assert_eq!(moved.text(), pictures::svg(andes, &board.drawing(), &spanish()).expect("a good size"));
    let bare = server.get("/v1/positions.svg?game=andes&move=0d3&marks=no");
    let look = Look { marks: false, ..spanish() };
    assert_eq!(bare.text(), pictures::svg(andes, &board.drawing(), &look).expect("a good size"));
    let start = andes.board(None, None).expect("it starts");
    let refused = server.get("/v1/positions.svg?game=andes&move=2a1");
    assert_eq!(refused.text(), pictures::svg(andes, &start.tried("2a1"), &spanish()).expect("a good size"));
    assert!(moved.header("etag") != server.get("/v1/positions.svg?game=andes").header("etag"));
    let cuervo = server.get("/v1/positions.svg?game=brandubh&rules=cuervo");
    assert_eq!(cuervo.status, 200, "{}", cuervo.text());
}

#[test]
fn positions_that_cannot_be_drawn() {
    let server = Server::start();
    for (query, code, es, en) in [
        (
            "game=andes&position=7/7",
            "andes.position",
            "La posición no se puede dibujar.",
            "The position cannot be drawn.",
        ),
        ("game=andes&position=7/7/7/7/7/7/7+s+1-1+0-0+-+-+0", "andes.position", "La posición", "The position"),
        ("game=andes&rules=other", "record.rules", "La posición", "The position"),
        ("game=andes&position=7/7&move=2a1", "andes.position", "La posición", "The position"),
    ] {
        for (lang, begins) in [("es", es), ("en", en)] {
            let response = server.get(&format!("/v1/positions.svg?{query}&lang={lang}"));
            let problem = response.problem(422, "api.picture");
            assert!(problem["detail"].as_str().expect("a text").starts_with(begins), "{problem}");
            assert_eq!(problem["faults"][0]["code"], code, "{problem}");
        }
    }
}

#[test]
fn scoresheets() {
    let server = Server::start();
    for &game in games::ALL {
        for lang in Lang::ALL {
            let path = format!("/v1/games/{}/sheet.pdf?lang={}", game.notation().id, lang.as_str());
            let response = server.get(&path);
            assert_eq!((response.status, response.header("content-type")), (200, "application/pdf"));
            assert_eq!(response.header("content-language"), lang.as_str());
            assert!(response.body == pictures::sheet_pdf(game, 1, lang), "{path}");
        }
    }
    server.get("/v1/games/chess/sheet.pdf").problem(400, "api.parameter");
}

/// A record without pictures says why, as its positions do.
#[test]
fn records_without_pictures() {
    let (server, all) = (Server::start(), fixtures());
    let of = |status: Status, plies: Option<u64>| {
        let found = all.iter().find(|one| one.verdict.status == status && one.verdict.plies == plies);
        found.unwrap_or_else(|| panic!("{status:?} {plies:?}"))
    };
    let nowhere = all.iter().find(|one| one.verdict.status == Status::Rejected && one.verdict.position.is_none());
    let chosen: [&Submission; 2] = [of(Status::Unreadable, None), nowhere.expect("one without a start")];
    server.keep_all(&chosen.map(Clone::clone));
    let [unreadable, nowhere] = chosen.map(|one| hex(&one.id));
    for path in ["positions/0.svg", "positions/0.png", "replay.gif", "replay.html"] {
        server.get(&format!("/v1/records/{unreadable}/{path}")).problem(409, "api.unreadable");
        server.get(&format!("/v1/records/{nowhere}/{path}")).problem(404, "api.not-found");
    }
    server.get(&format!("/v1/records/{unreadable}/verdict.pdf")).problem(409, "api.unreadable");
    // That there is nothing to play from is what its page says.
    assert_eq!(server.get(&format!("/v1/records/{nowhere}/verdict.pdf")).status, 200);
    let (id, _) = one(&server);
    for path in ["positions/9999.svg", "positions/9999.png"] {
        let problem = server.get(&format!("/v1/records/{id}/{path}")).problem(404, "api.not-found");
        assert!(problem["detail"].as_str().expect("a text").contains("9999"), "{problem}");
    }
}

#[test]
fn games_that_are_too_long_are_refused() {
    let server = Server::start();
    let tokens = ["d3-c3", "d1-c1", "c3-d3", "c1-d1"].iter().cycle().take(MOST_FRAMES + 1);
    let text = format!("[Game \"brandubh\"]\n\n{} *\n", tokens.copied().collect::<Vec<_>>().join(" "));
    let id = hex(&server.keep(text.as_bytes())[0]);
    for (lang, says) in [("es", "jugadas"), ("en", "plies")] {
        let problem =
            server.get(&format!("/v1/records/{id}/replay.gif?lang={lang}&size=64")).problem(422, "api.picture");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains(says) && detail.contains(&MOST_FRAMES.to_string()), "{problem}");
    }
    assert_eq!(server.get(&format!("/v1/records/{id}/replay.html")).status, 200);
}

#[test]
fn sizes_that_there_are_not() {
    let server = Server::start();
    let (id, _) = one(&server);
    for (path, sizes) in [
        (&*format!("/v1/records/{id}/positions/1.png?"), &["63", "2049", "-1", "x", "1.5"][..]),
        (&*format!("/v1/records/{id}/replay.gif?"), &["63", "801"]),
        ("/v1/positions.png?game=andes&", &["0", "99999999999"]),
    ] {
        for size in sizes {
            let problem = server.get(&format!("{path}size={size}")).problem(400, "api.parameter");
            assert!(problem["detail"].as_str().expect("a text").contains("size"), "{problem}");
        }
        assert_eq!(server.get(&format!("{path}size=64")).status, 200);
    }
    server.get(&format!("/v1/records/{id}/positions/1.png?theme=blue")).problem(400, "api.parameter");
    server.get(&format!("/v1/records/{id}/replay.html?size=100")).problem(400, "api.parameter");
    let long = "x".repeat(pictures::TITLE_LENGTH + 1);
    server.get(&format!("/v1/records/{id}/positions/1.svg?title={long}")).problem(400, "api.parameter");
}

/// A picture has a strong tag that differs with all that it depends on, and is not sent twice.
#[test]
fn pictures_are_kept_by_their_tags() {
    let server = Server::start();
    let (id, _) = one(&server);
    let mut tags = std::collections::BTreeSet::new();
    let base = format!("/v1/records/{id}");
    for path in [
        "positions/3.svg",
        "positions/4.svg",
        "positions/3.png",
        "positions/3.svg?theme=dark",
        "positions/3.svg?size=300",
        "positions/3.svg?flip=yes",
        "positions/3.svg?marks=no",
        "positions/3.svg?title=x",
        "positions/3.svg?lang=en",
        "replay.gif?size=64",
        "replay.html",
        "replay.html?theme=dark",
        "verdict.pdf",
        "verdict.pdf?lang=en",
    ] {
        let path = format!("{base}/{path}");
        let response = server.get(&path);
        assert_eq!((response.status, response.header("cache-control")), (200, "no-cache"), "{path}");
        let tag = response.header("etag").to_owned();
        assert!(tag.starts_with('"') && tags.insert(tag.clone()), "{path}: {tag}");
        let again = server.ask("GET", &path).header("If-None-Match", &tag).send();
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, &*tag), "{path}");
    }
    // That there is something is not known before it is looked at.
    for (path, status) in [("positions/3.svg", 304), ("positions/9999.svg", 404), ("replay.gif", 304)] {
        let any = server.ask("GET", &format!("{base}/{path}")).header("If-None-Match", "*").send();
        assert_eq!(any.status, status, "{path}");
    }
    let private = Server::with(Settings { private: true, ..Settings::default() });
    private.get(&format!("{base}/positions/3.svg")).problem(401, "api.token");
    assert_eq!(private.get("/v1/positions.svg?game=andes").header("cache-control"), "private, no-cache");
}

/// Pages that run a script say which, and pictures run none.
#[test]
fn pictures_have_their_content_security_policy() {
    let server = Server::start();
    let (id, _) = one(&server);
    for theme in Theme::ALL {
        let response = server.get(&format!("/v1/records/{id}/replay.html?theme={}", theme.as_str()));
        let expected = format!("{}; frame-ancestors 'none'", pictures::html_policy(theme));
        assert_eq!(response.header("content-security-policy"), expected);
    }
    for path in ["positions/0.svg", "positions/0.png"] {
        let response = server.get(&format!("/v1/records/{id}/{path}"));
        assert_eq!(response.header("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
        assert_eq!(response.header("x-content-type-options"), "nosniff");
        assert_eq!(response.header("access-control-allow-origin"), "*");
    }
}

#[test]
fn drawings_are_compressed_and_pixels_are_not() {
    let server = Server::start();
    let ask = |path: &str| server.ask("GET", path).header("Accept-Encoding", "gzip").send();
    assert_eq!(ask("/v1/positions.svg?game=andes").header("content-encoding"), "gzip");
    assert_eq!(ask("/v1/positions.png?game=andes").header("content-encoding"), "");
    // As a browser asks for what an `img` shows.
    let images =
        server.ask("GET", "/v1/positions.svg?game=andes").header("Accept", "image/webp,image/*,*/*;q=0.8").send();
    assert_eq!((images.status, images.header("content-type")), (200, "image/svg+xml"));
    server
        .ask("GET", "/v1/positions.svg?game=andes")
        .header("Accept", "image/png")
        .send()
        .problem(406, "api.not-acceptable");
}

/// A printed verdict says that its record was taken back, and nobody keeps the page of before.
#[test]
fn the_verdict_of_a_record_that_was_taken_back() {
    let server = Server::start();
    let token = server.token(Scope::EventsAdmin);
    let (id, _) = one(&server);
    let path = format!("/v1/records/{id}/verdict.pdf");
    let before = server.get(&path);
    let retract = server.ask("POST", &format!("/v1/records/{id}/retractions")).token(&token);
    assert_eq!(retract.json(&serde_json::json!({ "reason": "a friendly game" })).send().status, 201);
    let after = server.ask("GET", &path).header("If-None-Match", before.header("etag")).send();
    assert_eq!(after.status, 200);
    assert_ne!(after.body, before.body);
    let again = server.ask("GET", &path).header("If-None-Match", after.header("etag")).send();
    assert_eq!(again.status, 304);
}

/// The sheets of one game follow each other.
#[test]
fn scoresheets_that_follow() {
    let server = Server::start();
    let sheet = |number: &str| server.get(&format!("/v1/games/andes/sheet.pdf?lang=es&number={number}"));
    let andes = games::find("andes").expect("it is there");
    assert!(sheet("2").body == pictures::sheet_pdf(andes, 2, Lang::Es));
    assert_ne!(sheet("2").header("etag"), sheet("3").header("etag"));
    for number in ["0", "21"] {
        sheet(number).problem(400, "api.parameter");
    }
}
