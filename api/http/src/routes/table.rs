//! The table itself: what each route takes, what it answers, and who may call it.

use std::ops::RangeInclusive;

use schemars::{JsonSchema, SchemaGenerator};

use super::{
    super::{
        call::Page,
        pages::{self, MULTIPART, URLENCODED},
        params::{Kind, Param},
        problem, schema,
    },
    Access, Answer, BYTES, CSS, CSV, Content, EVENTS, GIF, HTML, JSON, Method, NDJSON, PDF, PNG, Route, SCRIPT, SVG,
    TEXT, changes, corrections, desk,
    enum_values::{game_ids, results, states, statuses, terminations, themes, tie_breaks, yes_or_no},
    events, export, feed, games_and_rules, history, ingest, live, pictures, players, positions, receipts, records,
    service, submit, verify,
};
use quipu_archive::receipts::{Consistency, Keys, Receipt, SignedHead};
use quipu_options::Scope;
use quipu_pictures::{MOVING_WIDTHS, SHEETS, TITLE_LENGTH, WIDTHS};

/// JSON of a type.
const fn json<T: JsonSchema>() -> Content {
    Content { media: "application/json", schema: Some(SchemaGenerator::subschema_for::<T>) }
}

/// A line of JSON of a type for each item.
const fn ndjson<T: JsonSchema>() -> Content {
    Content { media: NDJSON, schema: Some(SchemaGenerator::subschema_for::<T>) }
}

/// A stream of events of a type.
const fn events<T: JsonSchema>() -> Content {
    Content { media: EVENTS, schema: Some(SchemaGenerator::subschema_for::<T>) }
}

/// Text of some media type.
const fn text(media: &'static str) -> Content {
    Content { media, schema: None }
}

/// Records in any form that can be read.
const RECORDS: &[Content] = &[
    text("text/plain"),
    text("application/json"),
    text("application/x-ndjson"),
    text("text/csv"),
    text("application/octet-stream"),
];

/// The same in a form of a page, or as they are.
const FORMS: &[Content] = &[
    text(MULTIPART),
    text(URLENCODED),
    text("text/plain"),
    text("application/json"),
    text("application/x-ndjson"),
    text("text/csv"),
    text("application/octet-stream"),
];

/// What most routes have.
const GET: Route = Route {
    method: Method::Get,
    path: "",
    id: "",
    group: "",
    access: Access::Read,
    params: &[],
    body: &[],
    answers: &[],
    problems: &[],
    streams: false,
    free: false,
    framed: false,
    handler: |_| unreachable!("each route has a handler of its own"),
};

const RECORD: Param = Param::path("id", Kind::Id);
const PLY: Param = Param::path("ply", Kind::Number(0));
const SHOWN: Param = Param::query("ply", Kind::Number(0));
const NUMBER: Param = Param::path("number", Kind::Number(1));
const LIMIT: Param = Param::query("limit", Kind::Limit);
const CURSOR: Param = Param::query("cursor", Kind::Cursor);
const LANG: Param = Param::query("lang", Kind::Choice(|| vec!["es", "en"]));
const GAME: Param = Param::query("game", Kind::Choice(game_ids));
const RULES: Param = Param::query("rules", Kind::Text(NAME));
const POSITION: Param = Param::query("position", Kind::Text(NAME));
const SINCE: Param = Param::query("since", Kind::Number(0));
const TIE_BREAKS: Param = Param::query("tie_breaks", Kind::Choices(tie_breaks));
const FROM: Param = Param::query("from", Kind::Choice(ingest::forms));
const SEEN: Param = Param::header("If-Match", Kind::Key(255));
const LAST_EVENT: Param = Param::header("Last-Event-ID", Kind::Number(0));
const IDEMPOTENCY: Param = Param::header("Idempotency-Key", Kind::Key(255));
const THEME: Param = Param::query("theme", Kind::Choice(themes));
const TITLE: Param = Param::query("title", Kind::Text(TITLE_LENGTH));
const FLIP: Param = Param::query("flip", Kind::Choice(yes_or_no));
const MARKS: Param = Param::query("marks", Kind::Choice(yes_or_no));
const SIZE: Param = Param::query("size", between(&WIDTHS));
const MOVING_SIZE: Param = Param::query("size", between(&MOVING_WIDTHS));

const fn between(range: &RangeInclusive<u32>) -> Kind {
    Kind::Between(*range.start() as i64, *range.end() as i64)
}

/// Characters of a name that is asked for, at the most.
const NAME: usize = 256;

/// What lists of records are narrowed by.
macro_rules! filters {
    ($make:ident; $($more:expr),* $(,)?) => {
        &[
            Param::$make("game", Kind::Choice(game_ids)),
            Param::$make("player", Kind::Text(NAME)),
            Param::$make("event", Kind::Text(NAME)),
            Param::$make("round", Kind::Text(NAME)),
            Param::$make("result", Kind::Choice(results)),
            Param::$make("termination", Kind::Choice(terminations)),
            Param::$make("status", Kind::Choice(statuses)),
            Param::$make("state", Kind::Choice(|| [&states()[..], &["all"]].concat())),
            Param::$make("from", Kind::Date),
            Param::$make("to", Kind::Date),
            Param::$make("q", Kind::Text(NAME)),
            $($more),*
        ]
    };
}

const WRITE: Access = Access::Scope(Scope::RecordsWrite);
const DECIDE: Access = Access::Scope(Scope::EventsAdmin);

/// Where a player is that was merged into another.
const MERGED: Answer = Answer { status: 307, content: &[json::<players::Player>()] };

/// What pages have.
const PAGE: Route =
    Route { group: "pages", params: &[LANG], answers: &[Answer { status: 200, content: &[text(HTML)] }], ..GET };
/// The beginning of names, as a form asks for it.
const BEGINNING: Param = Param::field("q", Kind::Text(NAME));

/// A record as a file, in one form.
const fn file(path: &'static str, id: &'static str, answers: &'static [Answer]) -> Route {
    Route {
        path,
        id,
        group: "pages",
        params: &[RECORD],
        answers,
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
        handler: |call| Box::pin(records::file(call)),
        ..GET
    }
}

/// What pages are made of besides themselves.
const fn asset(path: &'static str, id: &'static str, answers: &'static [Answer]) -> Route {
    Route {
        path,
        id,
        group: "pages",
        access: Access::Open,
        answers,
        handler: |call| Box::pin(pages::assets::asset(call)),
        ..GET
    }
}

/// Every route.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/v1/verify",
        id: "verify",
        group: "records",
        params: &[FROM],
        body: RECORDS,
        answers: &[Answer { status: 200, content: &[json::<verify::Verdicts<'_>>(), ndjson::<verify::Line<'_>>()] }],
        streams: true,
        handler: |call| Box::pin(verify::verify(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/records",
        id: "submit",
        group: "records",
        access: WRITE,
        params: &[FROM, Param::query("keep", Kind::Choice(|| vec!["refused"])), IDEMPOTENCY],
        body: RECORDS,
        answers: &[
            Answer { status: 201, content: &[json::<submit::Stored<'_>>()] },
            Answer { status: 200, content: &[json::<submit::Stored<'_>>(), ndjson::<submit::Line<'_>>()] },
        ],
        problems: &[problem::INCOMPLETE, problem::IDEMPOTENCY],
        streams: true,
        handler: |call| Box::pin(submit::submit(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/desk",
        id: "desk",
        group: "live",
        params: &[FROM, THEME, FLIP, LANG],
        body: RECORDS,
        answers: &[Answer { status: 200, content: &[json::<desk::Desk<'_>>()] }],
        problems: &[problem::INCOMPLETE],
        handler: |call| Box::pin(desk::desk(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/live",
        id: "live-open",
        group: "live",
        access: WRITE,
        params: &[FROM, IDEMPOTENCY],
        body: RECORDS,
        answers: &[Answer { status: 201, content: &[json::<live::LiveGame<'_>>()] }],
        problems: &[problem::CONFLICT, problem::INCOMPLETE, problem::IDEMPOTENCY],
        handler: |call| Box::pin(live::open(call)),
        ..GET
    },
    Route {
        path: "/v1/live",
        id: "live-list",
        group: "live",
        params: &[LIMIT, CURSOR],
        answers: &[Answer { status: 200, content: &[json::<Page<live::LiveCard>>()] }],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(live::list(call)),
        ..GET
    },
    Route {
        path: "/v1/live/{number}",
        id: "live",
        group: "live",
        params: &[NUMBER],
        answers: &[Answer { status: 200, content: &[json::<live::LiveGame<'_>>()] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(live::one(call)),
        ..GET
    },
    Route {
        method: Method::Put,
        path: "/v1/live/{number}",
        id: "live-save",
        group: "live",
        access: WRITE,
        params: &[NUMBER, FROM, SEEN],
        body: RECORDS,
        answers: &[Answer { status: 200, content: &[json::<live::LiveGame<'_>>()] }],
        problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::VERSION, problem::INCOMPLETE],
        handler: |call| Box::pin(live::save(call)),
        ..GET
    },
    Route {
        path: "/v1/live/{number}/feed",
        id: "live-feed",
        group: "live",
        params: &[NUMBER, SINCE, LAST_EVENT],
        answers: &[Answer { status: 200, content: &[events::<live::Event>()] }],
        problems: &[problem::NOT_FOUND],
        streams: true,
        handler: |call| Box::pin(live::feed(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/live/{number}/finish",
        id: "live-finish",
        group: "live",
        access: WRITE,
        params: &[NUMBER, Param::query("keep", Kind::Choice(|| vec!["refused"])), SEEN, IDEMPOTENCY],
        answers: &[
            Answer { status: 201, content: &[json::<submit::Stored<'_>>()] },
            Answer { status: 200, content: &[json::<submit::Stored<'_>>()] },
        ],
        problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::VERSION, problem::INCOMPLETE, problem::IDEMPOTENCY],
        handler: |call| Box::pin(live::finish(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/live/{number}/close",
        id: "live-close",
        group: "live",
        access: WRITE,
        params: &[NUMBER, SEEN],
        answers: &[Answer { status: 200, content: &[json::<live::LiveGame<'_>>()] }],
        problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::VERSION],
        handler: |call| Box::pin(live::close(call)),
        ..GET
    },
    Route {
        path: "/v1/games/{game}/deal",
        id: "deal",
        group: "live",
        access: Access::Open,
        params: &[
            Param::path("game", Kind::Choice(game_ids)),
            Param::query("seed", Kind::Number(0)),
            Param::query("first", Kind::Text(NAME)),
        ],
        answers: &[Answer { status: 200, content: &[json::<desk::Deal>()] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(desk::deal(call)),
        ..GET
    },
    Route {
        path: "/v1/records",
        id: "records",
        group: "records",
        params: filters![query; LIMIT, CURSOR],
        answers: &[Answer { status: 200, content: &[json::<Page<records::Card>>()] }],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(records::list(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}",
        id: "record",
        group: "records",
        params: &[RECORD],
        answers: &[Answer { status: 200, content: &[json::<records::Record<'_>>(), text(TEXT), text(CSV)] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
        handler: |call| Box::pin(records::one(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/source",
        id: "source",
        group: "records",
        params: &[RECORD],
        answers: &[Answer { status: 200, content: &[text(TEXT), text(JSON), text(CSV), text(BYTES)] }],
        problems: &[problem::ID, problem::NOT_FOUND],
        handler: |call| Box::pin(records::source(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/verdict",
        id: "verdict",
        group: "records",
        params: &[RECORD],
        answers: &[Answer { status: 200, content: &[json::<schema::Verdict<'_>>()] }],
        problems: &[problem::ID, problem::NOT_FOUND],
        handler: |call| Box::pin(records::verdict(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/receipt",
        id: "receipt",
        group: "receipts",
        params: &[RECORD],
        answers: &[Answer { status: 200, content: &[json::<Receipt>()] }],
        problems: &[problem::ID, problem::NOT_FOUND],
        handler: |call| Box::pin(receipts::receipt(call)),
        ..GET
    },
    Route {
        path: "/v1/log",
        id: "log",
        group: "receipts",
        answers: &[Answer { status: 200, content: &[json::<SignedHead>()] }],
        handler: |call| Box::pin(receipts::head(call)),
        ..GET
    },
    Route {
        path: "/v1/log/consistency",
        id: "log-consistency",
        group: "receipts",
        params: &[Param::query("from", Kind::Number(0)).required(), Param::query("to", Kind::Number(0))],
        answers: &[Answer { status: 200, content: &[json::<Consistency>()] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(receipts::consistency(call)),
        ..GET
    },
    Route {
        path: "/v1/keys",
        id: "keys",
        group: "receipts",
        access: Access::Open,
        answers: &[Answer { status: 200, content: &[json::<Keys>()] }],
        problems: &[problem::ARCHIVE],
        handler: |call| Box::pin(receipts::keys(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/history",
        id: "history",
        group: "records",
        params: &[RECORD],
        answers: &[Answer { status: 200, content: &[json::<history::History<'_>>()] }],
        problems: &[problem::ID, problem::NOT_FOUND],
        handler: |call| Box::pin(history::history(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/positions",
        id: "positions",
        group: "records",
        params: &[RECORD],
        answers: &[Answer { status: 200, content: &[json::<positions::Positions<'_>>()] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
        streams: true,
        handler: |call| Box::pin(positions::positions(call)),
        ..GET
    },
    // Before the one below, which would take the ending for part of the number.
    Route {
        path: "/v1/records/{id}/positions/{ply}.svg",
        id: "position-svg",
        group: "pictures",
        params: &[RECORD, PLY, THEME, SIZE, TITLE, FLIP, MARKS, LANG],
        answers: &[Answer { status: 200, content: &[text(SVG)] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
        handler: |call| Box::pin(pictures::position(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/positions/{ply}.png",
        id: "position-png",
        group: "pictures",
        params: &[RECORD, PLY, THEME, SIZE, TITLE, FLIP, MARKS, LANG],
        answers: &[Answer { status: 200, content: &[text(PNG)] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
        handler: |call| Box::pin(pictures::position(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/positions/{ply}",
        id: "position",
        group: "records",
        params: &[RECORD, PLY],
        answers: &[Answer { status: 200, content: &[json::<positions::Position>()] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
        handler: |call| Box::pin(positions::position(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/replay.gif",
        id: "replay-gif",
        group: "pictures",
        params: &[RECORD, THEME, MOVING_SIZE, TITLE, FLIP, MARKS, LANG],
        answers: &[Answer { status: 200, content: &[text(GIF)] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE, problem::PICTURE],
        handler: |call| Box::pin(pictures::gif(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/replay.html",
        id: "replay-html",
        group: "pictures",
        params: &[RECORD, THEME, TITLE, FLIP, MARKS, LANG],
        answers: &[Answer { status: 200, content: &[text(HTML)] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE, problem::PICTURE],
        handler: |call| Box::pin(pictures::html(call)),
        ..GET
    },
    Route {
        path: "/v1/records/{id}/verdict.pdf",
        id: "verdict-pdf",
        group: "pictures",
        params: &[RECORD, TITLE, LANG],
        answers: &[Answer { status: 200, content: &[text(PDF)] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE, problem::PICTURE],
        handler: |call| Box::pin(pictures::verdict(call)),
        ..GET
    },
    Route {
        path: "/v1/positions.svg",
        id: "arrangement-svg",
        group: "pictures",
        access: Access::Open,
        params: &[GAME.required(), RULES, POSITION, THEME, SIZE, TITLE, FLIP, LANG],
        answers: &[Answer { status: 200, content: &[text(SVG)] }],
        problems: &[problem::PICTURE],
        handler: |call| Box::pin(pictures::arrangement(call)),
        ..GET
    },
    Route {
        path: "/v1/positions.png",
        id: "arrangement-png",
        group: "pictures",
        access: Access::Open,
        params: &[GAME.required(), RULES, POSITION, THEME, SIZE, TITLE, FLIP, LANG],
        answers: &[Answer { status: 200, content: &[text(PNG)] }],
        problems: &[problem::PICTURE],
        handler: |call| Box::pin(pictures::arrangement(call)),
        ..GET
    },
    Route {
        path: "/v1/games/{game}/sheet.pdf",
        id: "sheet",
        group: "pictures",
        access: Access::Open,
        params: &[Param::path("game", Kind::Choice(game_ids)), Param::query("number", between(&SHEETS)), LANG],
        answers: &[Answer { status: 200, content: &[text(PDF)] }],
        handler: |call| Box::pin(pictures::sheet(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/records/{id}/corrections",
        id: "correct",
        group: "changes",
        access: DECIDE,
        params: &[RECORD, IDEMPOTENCY],
        body: &[json::<corrections::Correction>()],
        answers: &[Answer { status: 201, content: &[json::<submit::Stored<'_>>()] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::CONFLICT, problem::INCOMPLETE, problem::IDEMPOTENCY],
        handler: |call| Box::pin(corrections::correct(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/records/{id}/retractions",
        id: "retract",
        group: "changes",
        access: DECIDE,
        params: &[RECORD, IDEMPOTENCY],
        body: &[json::<corrections::Reason>()],
        answers: &[Answer { status: 201, content: &[json::<changes::Change>()] }],
        problems: &[problem::ID, problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
        handler: |call| Box::pin(corrections::retract(call)),
        ..GET
    },
    Route {
        path: "/v1/export",
        id: "export",
        group: "records",
        params: filters![query; SINCE],
        answers: &[Answer { status: 200, content: &[ndjson::<export::Line<'_>>(), text(TEXT)] }],
        streams: true,
        handler: |call| Box::pin(export::export(call)),
        ..GET
    },
    Route {
        path: "/v1/changes",
        id: "changes",
        group: "changes",
        params: &[SINCE, LIMIT],
        answers: &[Answer { status: 200, content: &[json::<Page<changes::Change>>()] }],
        handler: |call| Box::pin(changes::list(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/changes/{number}/undo",
        id: "undo",
        group: "changes",
        access: DECIDE,
        params: &[NUMBER, IDEMPOTENCY],
        body: &[json::<corrections::Reason>()],
        answers: &[Answer { status: 201, content: &[json::<changes::Change>()] }],
        problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
        handler: |call| Box::pin(corrections::undo(call)),
        ..GET
    },
    Route {
        path: "/v1/players",
        id: "players",
        group: "players",
        params: &[Param::query("q", Kind::Text(NAME)), LIMIT, CURSOR],
        answers: &[Answer { status: 200, content: &[json::<Page<players::Player>>()] }],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(players::list(call)),
        ..GET
    },
    Route {
        path: "/v1/players/{number}",
        id: "player",
        group: "players",
        params: &[NUMBER],
        answers: &[Answer { status: 200, content: &[json::<players::PlayerPage>()] }, MERGED],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(players::one(call)),
        ..GET
    },
    Route {
        path: "/v1/players/{number}/history",
        id: "levels",
        group: "players",
        params: &[NUMBER, GAME.required(), LIMIT, CURSOR],
        answers: &[Answer { status: 200, content: &[json::<Page<players::LevelStep>>()] }, MERGED],
        problems: &[problem::NOT_FOUND, problem::CURSOR],
        handler: |call| Box::pin(players::history(call)),
        ..GET
    },
    Route {
        method: Method::Post,
        path: "/v1/players/{number}/merges",
        id: "merge",
        group: "changes",
        access: DECIDE,
        params: &[NUMBER, IDEMPOTENCY],
        body: &[json::<corrections::Merge>()],
        answers: &[Answer { status: 201, content: &[json::<changes::Change>()] }],
        problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
        handler: |call| Box::pin(corrections::merge(call)),
        ..GET
    },
    Route {
        path: "/v1/rankings",
        id: "rankings",
        group: "players",
        params: &[GAME.required(), LIMIT, CURSOR],
        answers: &[Answer { status: 200, content: &[json::<Page<players::Ranked>>()] }],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(players::ranking(call)),
        ..GET
    },
    Route {
        path: "/v1/events",
        id: "events",
        group: "events",
        params: &[Param::query("q", Kind::Text(NAME)), LIMIT, CURSOR],
        answers: &[Answer { status: 200, content: &[json::<Page<events::Event>>()] }],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(events::list(call)),
        ..GET
    },
    Route {
        path: "/v1/events/{number}",
        id: "event",
        group: "events",
        params: &[NUMBER],
        answers: &[Answer { status: 200, content: &[json::<events::EventPage>()] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(events::one(call)),
        ..GET
    },
    Route {
        path: "/v1/events/{number}/standings",
        id: "standings",
        group: "events",
        params: &[NUMBER, GAME, TIE_BREAKS],
        answers: &[Answer { status: 200, content: &[json::<events::Standings<'_>>()] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(events::standings(call)),
        ..GET
    },
    Route {
        path: "/v1/events/{number}/crosstable",
        id: "crosstable",
        group: "events",
        params: &[NUMBER, GAME, TIE_BREAKS],
        answers: &[Answer { status: 200, content: &[json::<events::Crosstables<'_>>()] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(events::crosstable(call)),
        ..GET
    },
    Route {
        path: "/v1/events/{number}/encounters",
        id: "encounters",
        group: "events",
        params: &[NUMBER],
        answers: &[Answer { status: 200, content: &[json::<events::EventScores<'_>>()] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(events::encounters(call)),
        ..GET
    },
    Route {
        path: "/v1/feed",
        id: "feed",
        group: "changes",
        params: &[SINCE, LAST_EVENT],
        answers: &[Answer { status: 200, content: &[events::<feed::Event>()] }],
        streams: true,
        handler: |call| Box::pin(feed::feed(call)),
        ..GET
    },
    Route {
        path: "/v1/games",
        id: "games",
        group: "laws",
        access: Access::Open,
        answers: &[Answer { status: 200, content: &[json::<games_and_rules::Games>()] }],
        handler: |call| Box::pin(games_and_rules::games(call)),
        ..GET
    },
    Route {
        path: "/v1/rules",
        id: "rules",
        group: "laws",
        access: Access::Open,
        answers: &[Answer { status: 200, content: &[json::<games_and_rules::Rules>()] }],
        handler: |call| Box::pin(games_and_rules::rules(call)),
        ..GET
    },
    Route {
        path: "/v1/rules/{code}",
        id: "rule",
        group: "laws",
        access: Access::Open,
        params: &[Param::path("code", Kind::Text(NAME)), LANG],
        answers: &[Answer { status: 200, content: &[json::<games_and_rules::Rule>(), text(HTML)] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(games_and_rules::rule(call)),
        ..GET
    },
    Route {
        path: "/healthz",
        id: "health",
        group: "service",
        access: Access::Open,
        answers: &[Answer { status: 200, content: &[json::<service::Health>()] }],
        free: true,
        handler: |call| Box::pin(service::health(call)),
        ..GET
    },
    Route {
        path: "/readyz",
        id: "ready",
        group: "service",
        access: Access::Open,
        answers: &[Answer { status: 200, content: &[json::<service::Health>()] }],
        problems: &[problem::STOPPING, problem::ARCHIVE, problem::READ_ONLY, problem::FULL],
        free: true,
        handler: |call| Box::pin(service::ready(call)),
        ..GET
    },
    Route {
        path: "/metrics",
        id: "metrics",
        group: "service",
        answers: &[Answer { status: 200, content: &[text("text/plain; version=0.0.4; charset=utf-8")] }],
        handler: |call| Box::pin(service::metrics(call)),
        ..GET
    },
    Route {
        path: "/openapi.json",
        id: "openapi",
        group: "service",
        access: Access::Open,
        params: &[LANG],
        answers: &[Answer { status: 200, content: &[json::<serde_json::Map<String, serde_json::Value>>()] }],
        handler: |call| Box::pin(service::openapi(call)),
        ..GET
    },
    Route {
        path: "/docs",
        id: "docs",
        group: "service",
        access: Access::Open,
        handler: |call| Box::pin(pages::docs::docs(call)),
        ..PAGE
    },
    Route { path: "/", id: "page-start", handler: |call| Box::pin(pages::home::start(call)), ..PAGE },
    Route {
        path: "/records",
        id: "page-records",
        params: filters![field; CURSOR, LANG],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(pages::records::list(call)),
        ..PAGE
    },
    Route {
        path: "/records/{id}",
        id: "page-record",
        params: &[RECORD, SHOWN, LANG],
        problems: &[problem::ID, problem::NOT_FOUND],
        handler: |call| Box::pin(pages::game::page(call)),
        ..PAGE
    },
    file("/records/{id}/game.quipu", "file-quipu", &[Answer { status: 200, content: &[text(TEXT)] }]),
    file("/records/{id}/game.json", "file-json", &[Answer { status: 200, content: &[json::<records::Record<'_>>()] }]),
    file("/records/{id}/game.csv", "file-csv", &[Answer { status: 200, content: &[text(CSV)] }]),
    Route {
        path: "/embed/{id}",
        id: "page-embed",
        params: &[RECORD, SHOWN, LANG],
        problems: &[problem::ID, problem::NOT_FOUND],
        framed: true,
        handler: |call| Box::pin(pages::game::embedded(call)),
        ..PAGE
    },
    Route {
        path: "/players",
        id: "page-players",
        params: &[BEGINNING, CURSOR, LANG],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(pages::players::list(call)),
        ..PAGE
    },
    Route {
        path: "/players/{number}",
        id: "page-player",
        params: &[NUMBER, LANG],
        answers: &[Answer { status: 200, content: &[text(HTML)] }, Answer { status: 307, content: &[text(HTML)] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(pages::players::one(call)),
        ..PAGE
    },
    Route {
        path: "/rankings",
        id: "page-rankings",
        params: &[Param::field("game", Kind::Choice(game_ids)), CURSOR, LANG],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(pages::rankings::rankings(call)),
        ..PAGE
    },
    Route {
        path: "/events",
        id: "page-events",
        params: &[BEGINNING, CURSOR, LANG],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(pages::events::list(call)),
        ..PAGE
    },
    Route {
        path: "/events/{number}",
        id: "page-event",
        params: &[NUMBER, Param::query("view", Kind::Choice(pages::events::views)), LANG],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(pages::events::one(call)),
        ..PAGE
    },
    Route {
        path: "/rules",
        id: "page-rules",
        access: Access::Open,
        handler: |call| Box::pin(pages::rules::list(call)),
        ..PAGE
    },
    Route {
        path: "/rules/{code}",
        id: "page-rule",
        access: Access::Open,
        params: &[Param::path("code", Kind::Text(NAME)), LANG],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(pages::rules::one(call)),
        ..PAGE
    },
    Route { path: "/check", id: "page-check", handler: |call| Box::pin(pages::check::ask(call)), ..PAGE },
    Route {
        method: Method::Post,
        path: "/check",
        id: "check",
        params: &[FROM, LANG],
        body: FORMS,
        streams: true,
        handler: |call| Box::pin(pages::check::check(call)),
        ..PAGE
    },
    asset("/assets/style.css", "asset-style", &[Answer { status: 200, content: &[text(CSS)] }]),
    asset("/assets/icon.svg", "asset-icon", &[Answer { status: 200, content: &[text(SVG)] }]),
    asset("/assets/game.js", "asset-game", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    Route {
        path: "/keep",
        id: "page-keep",
        params: &[Param::field("game", Kind::Choice(game_ids)), LANG],
        handler: |call| Box::pin(pages::keep::start(call)),
        ..PAGE
    },
    Route { path: "/keep/desk", id: "page-keep-desk", handler: |call| Box::pin(pages::keep::desk(call)), ..PAGE },
    Route {
        path: "/live",
        id: "page-lives",
        params: &[CURSOR, LANG],
        problems: &[problem::CURSOR],
        handler: |call| Box::pin(pages::live::list(call)),
        ..PAGE
    },
    Route {
        path: "/live/{number}",
        id: "page-live",
        params: &[NUMBER, LANG],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(pages::live::one(call)),
        ..PAGE
    },
    Route {
        path: "/live/{number}/game.quipu",
        id: "file-live",
        group: "pages",
        params: &[NUMBER],
        answers: &[Answer { status: 200, content: &[text(TEXT)] }],
        problems: &[problem::NOT_FOUND],
        handler: |call| Box::pin(live::file(call)),
        ..GET
    },
    asset("/assets/keep.js", "asset-keep", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/clock.js", "asset-clock", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/desk.js", "asset-desk", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/device.js", "asset-device", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/entry.js", "asset-entry", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/score.js", "asset-score", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/sync.js", "asset-sync", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/ui.js", "asset-ui", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/live.js", "asset-live", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
    asset("/assets/check.js", "asset-check", &[Answer { status: 200, content: &[text(SCRIPT)] }]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quipu_referee::Lang;

    use super::*;
    use crate::{params::Place, problem::CODES, words};

    /// The names in braces of a path.
    fn places(path: &str) -> BTreeSet<&str> {
        path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).collect()
    }

    #[test]
    fn every_route_is_whole() {
        let mut routes = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for route in ROUTES {
            let Route { path, id, .. } = route;
            assert!(routes.insert((path, route.method.as_str())), "{path} is there twice");
            assert!(ids.insert(id), "the id {id} is there twice");
            let declared = route.params.iter().filter(|param| param.place == Place::Path);
            let declared: BTreeSet<_> = declared.map(|param| param.name).collect();
            assert_eq!(places(path), declared, "{path}");
            assert!(!route.answers.is_empty(), "{path} has no answer");
            for code in route.problems() {
                assert!(CODES.contains(&code), "{path}: {}", code.id);
            }
        }
    }

    #[test]
    fn every_route_has_words() {
        for lang in Lang::ALL {
            for route in ROUTES {
                assert!(!words::get(&format!("route.{}", route.id), lang).is_empty());
                assert!(!words::get(&format!("group.{}", route.group), lang).is_empty());
                for param in route.params {
                    assert!(words::param(route, param, lang).is_some(), "{}: {}", route.id, param.name);
                }
            }
        }
    }

    #[test]
    fn every_code_has_words() {
        let places = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0.to_owned())).collect()
        };
        for code in CODES {
            let words = words::code(code.id).unwrap_or_else(|| panic!("no words for {}", code.id));
            assert!(!words.detail.is_empty(), "{}", code.id);
            for text in [&words.title, &words.right].into_iter().chain(words.detail.values()) {
                assert!(!text.es.is_empty() && !text.en.is_empty(), "{}", code.id);
                assert_eq!(places(&text.es), places(&text.en), "{}: {}", code.id, text.en);
            }
        }
        for id in words::codes() {
            assert!(CODES.iter().any(|code| code.id == id), "words for {id}, which is no code");
        }
    }
}
