//! The feed: every change, once, in order, whoever wrote it.

use std::{
    io::{BufRead, BufReader, Read},
    thread,
    time::{Duration, Instant},
};

use quipu_archive::{model::Submission, store::Store};
use quipu_notation::record::Format;
use quipu_options::settings::Settings;
use quipu_tests_service::{bytes, server::Server};
use serde_json::{Value, json};

use super::records::fixtures;

/// An open feed.
struct Feed(BufReader<Box<dyn Read>>);

/// One event.
#[derive(Debug, Default, PartialEq)]
struct Event {
    id: i64,
    kind: String,
    data: Value,
}

impl Feed {
    #[track_caller]
    fn open(server: &Server, query: &str, last: Option<i64>) -> Self {
        Self::open_after(server, query, last.map(|last| last.to_string()).as_deref())
    }

    #[track_caller]
    fn open_after(server: &Server, query: &str, last: Option<&str>) -> Self {
        let ask = server.ask("GET", &format!("/v1/feed{query}"));
        let response = match last {
            Some(last) => ask.header("Last-Event-ID", last).open(),
            None => ask.open(),
        };
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        Self(BufReader::new(Box::new(response.into_body().into_reader())))
    }

    /// The lines up to the next empty one; nothing at the end.
    fn part(&mut self) -> Option<Vec<String>> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("it ends well") == 0 {
                assert!(lines.is_empty(), "cut off within an event: {lines:?}");
                return None;
            }
            match line.trim_end() {
                "" => return Some(lines),
                line => lines.push(line.to_owned()),
            }
        }
    }

    /// The number that it begins behind.
    #[track_caller]
    fn begins(&mut self) -> i64 {
        let first = self.part().expect("a beginning");
        let [retry, comments @ .., id] = &first[..] else { panic!("{first:?}") };
        assert!(retry.starts_with("retry: ") && comments.iter().all(|comment| comment.starts_with(": ")), "{first:?}");
        id.strip_prefix("id: ").and_then(|id| id.parse().ok()).expect("a number")
    }

    /// The next event.
    fn event(&mut self) -> Option<Event> {
        loop {
            let (mut event, lines) = (Event::default(), self.part()?);
            for line in &lines {
                match line.split_once(": ") {
                    Some(("id", id)) => event.id = id.parse().expect("a number"),
                    Some(("event", kind)) => kind.clone_into(&mut event.kind),
                    Some(("data", data)) => event.data = serde_json::from_str(data).expect("JSON"),
                    _ => assert_eq!(line, ":"),
                }
            }
            // An event with only an id says how far the feed is.
            if event.id > 0 && !event.kind.is_empty() {
                return Some(event);
            }
        }
    }
}

#[test]
fn it_tells_what_happens_from_now_on() {
    let server = Server::start();
    let all = fixtures();
    server.keep_all(&all[..2]);
    let mut feed = Feed::open(&server, "", None);
    assert_eq!(feed.begins(), 2);
    server.keep_all(&all[2..3]);
    let event = feed.event().expect("an event");
    let list = server.get("/v1/records?limit=1").json();
    let changes = server.get("/v1/changes?since=2").json();
    let expected = json!({ "change": changes["items"][0], "record": list["items"][0] });
    assert_eq!(event, Event { id: 3, kind: "record".to_owned(), data: expected });
}

#[test]
fn it_goes_on_behind_any_change() {
    let server = Server::start();
    let all = fixtures();
    server.keep_all(&all[..120]);
    let rest = |mut feed: Feed, since: i64| {
        assert_eq!(feed.begins(), since);
        let ids: Vec<_> = (since..120).map(|_| feed.event().expect("an event").id).collect();
        assert_eq!(ids, (since + 1..=120).collect::<Vec<_>>());
    };
    rest(Feed::open(&server, "?since=0", None), 0);
    rest(Feed::open(&server, "?since=51", None), 51);
    rest(Feed::open(&server, "?since=0", Some(119)), 119);
    // A number of the future is of another archive: nothing from now on is left out.
    let mut feed = Feed::open(&server, "", Some(1_000));
    assert_eq!(feed.begins(), 120);
    server.keep_all(&all[120..121]);
    assert_eq!(feed.event().map(|event| event.id), Some(121));
    server.get("/v1/feed?since=x").problem(400, "api.parameter");
}

/// A browser that gets an error for its last id never connects again.
#[test]
fn an_id_that_is_none_is_ignored_and_reported() {
    let server = Server::start();
    server.keep_all(&fixtures()[..3]);
    for strange in ["x", "-1", "1.5", "99999999999999999999", "ñ", "\t7 8"] {
        let mut feed = Feed::open_after(&server, "", Some(strange));
        let first = feed.part().expect("a beginning");
        assert_eq!(first[2..], ["id: 3"], "{strange}: {first:?}");
        assert!(first[1].starts_with(": Last-Event-ID "), "{strange}: {first:?}");
        assert_eq!(Feed::open_after(&server, "?since=1", Some(strange)).begins(), 1, "{strange}");
    }
    let english = server.ask("GET", "/v1/feed").header("Last-Event-ID", "x").header("Accept-Language", "en").open();
    let mut lines = BufReader::new(english.into_body().into_reader()).lines().skip(1);
    let comment = lines.next().expect("a comment").expect("a line");
    assert_eq!(comment, ": Last-Event-ID is not the number of an event of this feed, and is ignored");
    let fine = Feed::open_after(&server, "", Some("2")).part().expect("a beginning");
    assert_eq!(fine[1..], ["id: 2"]);
}

#[test]
fn it_tells_of_one_game_event_or_player() {
    let server = Server::start();
    let listen = |query: &str| {
        let mut feed = Feed::open(&server, &format!("?{query}"), None);
        feed.begins();
        feed
    };
    let mut feeds = ["game=andes,querni", "event=Copa", "player=Carla", "event=1", "game=brandubh"].map(listen);
    let game = |one: &str, two: &str, event: &str| {
        super::submit::game(one, two).replacen("[Sol", &format!("[Event \"{event}\"]\n[Sol"), 1)
    };
    for (one, two, event) in [("Ana", "Beto", "Copa"), ("Ana", "Carla", "Liga"), ("Carla", "Dora", "Copa")] {
        server.keep(game(one, two, event).as_bytes());
    }
    let of_brandubh = |one: &Submission| one.verdict.game == Some("brandubh");
    server.keep_all(&[fixtures().into_iter().find(of_brandubh).expect("a game")]);
    server.keep(game("Carla", "Eva", "Copa").as_bytes());
    let expected: [&[i64]; 5] = [&[1, 2, 3, 5], &[1, 3, 5], &[2, 3, 5], &[1, 3, 5], &[4]];
    for (feed, expected) in feeds.iter_mut().zip(expected) {
        let ids: Vec<_> = expected.iter().map(|_| feed.event().expect("an event").id).collect();
        assert_eq!(ids, expected);
    }
}

/// A listener of something rare is told how far the feed is, so that it does not begin at the beginning again.
#[test]
fn a_feed_that_passes_over_much_says_how_far_it_is() {
    let server = Server::start();
    server.keep_all(&many(1_200));
    server.keep(super::submit::game("Rara", "Avis").as_bytes());
    let mut feed = Feed::open(&server, "?since=0&player=Rara", None);
    assert_eq!(feed.begins(), 0);
    assert_eq!(feed.part(), Some(vec!["id: 500".to_owned()]));
    assert_eq!(feed.part(), Some(vec!["id: 1000".to_owned()]));
    assert_eq!(feed.event().map(|event| event.id), Some(1_201));
}

/// So many records that differ.
pub(crate) fn many(count: usize) -> Vec<Submission> {
    let game = super::submit::game("Ana", "Beto");
    let record = |number: usize| game.replacen("[Sol", &format!("[Site \"{number}\"]\n[Sol"), 1);
    let again = |text: String| Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
    (0..count).map(|number| again(record(number))).collect()
}

#[test]
fn nothing_is_left_out_or_told_twice() {
    let server = Server::start();
    let all = fixtures();
    let mut feeds = [Feed::open(&server, "?since=0", None), Feed::open(&server, "", None)];
    for feed in &mut feeds {
        assert_eq!(feed.begins(), 0);
    }
    thread::scope(|scope| {
        scope.spawn(|| all[..300].chunks(7).for_each(|some| server.keep_all(some)));
        for mut feed in feeds {
            for expected in 1..=300 {
                assert_eq!(feed.event().map(|event| event.id), Some(expected));
            }
        }
    });
}

#[test]
fn it_tells_what_another_program_wrote() {
    let server = Server::start();
    let mut feed = Feed::open(&server, "", None);
    assert_eq!(feed.begins(), 0);
    let other = Store::open(server.store.path().parent().expect("a folder")).expect("an archive");
    let one = fixtures().swap_remove(0);
    let by = quipu_archive::model::Attribution { submitter: "otro".to_owned(), author: None, reason: None };
    other.write(move |writing| writing.add(&one, &by, true)).wait().expect("it is stored");
    let event = feed.event().expect("an event");
    assert_eq!(event.data["change"]["submitter"], "otro");
}

#[test]
fn it_ends_when_the_service_stops() {
    let mut server = Server::start();
    let mut feed = Feed::open(&server, "", None);
    feed.begins();
    server.begin_to_stop();
    assert_eq!(feed.event(), None);
    server.stop();
}

#[test]
fn a_listener_that_reconnects_misses_nothing() {
    let server = Server::start();
    server.keep(&bytes("andes/cup.quipu")[..]);
    let mut feed = Feed::open(&server, "", None);
    let since = feed.begins();
    drop(feed);
    let server = server.restart();
    server.keep_all(&fixtures()[..1]);
    let mut feed = Feed::open(&server, "", Some(since));
    assert_eq!(feed.begins(), since);
    assert_eq!(feed.event().map(|event| event.id), Some(since + 1));
}

#[test]
fn a_silent_feed_is_alive() {
    let server = Server::start();
    let mut feed = Feed::open(&server, "", None);
    feed.begins();
    let begun = Instant::now();
    assert_eq!(feed.part(), Some(vec![":".to_owned()]));
    // Not before its time; how long after it the machine decides.
    assert!(begun.elapsed() > Duration::from_secs(13), "{:?}", begun.elapsed());
}

#[test]
fn only_so_many_listen() {
    let server = Server::with(Settings { max_listeners: 1, ..Settings::default() });
    let mut feed = Feed::open(&server, "", None);
    feed.begins();
    let busy = server.get("/v1/feed");
    busy.problem(503, "api.busy");
    assert_eq!(busy.header("retry-after"), "5");
    assert_eq!(server.ask("HEAD", "/v1/feed").send().status, 503);
    // A listener that leaves makes room, even without an event.
    drop(feed);
    let again = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(20));
        server.ask("HEAD", "/v1/feed").send().status == 200
    });
    assert!(again);
}
