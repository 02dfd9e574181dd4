//! The feed: every change, once, in order, whoever wrote it.

use std::{
    io::{BufRead, BufReader, Read},
    thread,
    time::{Duration, Instant},
};

use quipu_archive::store::Store;
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
        let ask = server.ask("GET", &format!("/v1/feed{query}"));
        let answer = match last {
            Some(last) => ask.header("Last-Event-ID", &last.to_string()).open(),
            None => ask.open(),
        };
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        Self(BufReader::new(Box::new(answer.into_body().into_reader())))
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
        let [retry, id] = &first[..] else { panic!("{first:?}") };
        assert!(retry.starts_with("retry: "));
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
            if event.id > 0 {
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
    server.ask("GET", "/v1/feed").header("Last-Event-ID", "x").send().problem(400, "api.parameter");
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
    let by = quipu_archive::model::By { submitter: "otro".to_owned(), author: None, reason: None };
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
