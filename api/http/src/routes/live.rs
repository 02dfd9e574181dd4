//! Games that are being kept: opened, saved as they go on, followed by who looks on, and in the end judged and taken into
//! the archive as any record is.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, Weak},
};

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
    web::Bytes,
};
use quipu_notation::record::{Chunk, Format};
use quipu_referee::{Lang, report};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use tokio::sync::Mutex;

use super::{
    super::{
        budget::{self, Reserved},
        call::{Cache, Call},
        permits,
        problem::{self, Problem},
        server::Service,
    },
    Answered, changes,
    desk::too_long,
    idempotency::{self, StoredResponse},
    ingest::{self, SingleRecord},
    records,
    sse::{self, Listener, StreamEnd},
    submit,
};
use quipu_archive::{
    model::{self, Draft, Number, Submission},
    store::{LiveRefusal, Store, StoreError, WriteTx},
};

/// A game that is being kept, as lists show it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LiveCard {
    /// Its number.
    #[schemars(range(min = 1))]
    live: Number,
    /// How often it was saved.
    #[schemars(range(min = 1))]
    version: Number,
    /// The game.
    game: &'static str,
    /// The event, if it names one.
    event: Option<String>,
    /// The round, if it names one.
    round: Option<String>,
    /// Who plays, side 1 first.
    #[schemars(length(equal = 2))]
    players: Vec<Option<String>>,
    /// Lawful plies.
    plies: u64,
    /// When it was opened.
    #[schemars(extend("format" = "date-time"))]
    opened: String,
    /// When it was saved last.
    #[schemars(extend("format" = "date-time"))]
    changed: String,
    /// The token that opened it.
    by: String,
    /// Id of the record that came of it, if it is finished.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    finished: Option<String>,
}

/// A game that is being kept.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LiveGame<'r> {
    #[serde(flatten)]
    card: LiveCard,
    /// Its text.
    text: &'r str,
    /// The same in its JSON form.
    record: records::Record<'r>,
}

impl From<&model::Live> for LiveCard {
    fn from(live: &model::Live) -> Self {
        let Draft { game, event, round, players, plies, .. } = &live.draft;
        Self {
            live: live.number,
            version: live.version,
            game: game.id,
            event: event.clone(),
            round: round.clone(),
            players: players.to_vec(),
            plies: *plies,
            opened: changes::time(live.opened),
            changed: changes::time(live.changed),
            by: live.submitter.clone(),
            finished: live.finished.as_ref().map(|id| report::hex(id)),
        }
    }
}

/// Makes something of the whole of a game.
fn whole<T>(live: &model::Live, make: impl FnOnce(&LiveGame<'_>) -> T) -> Result<T, Problem> {
    let text = &live.draft.text;
    let block = Chunk::in_form(text.as_bytes(), Format::Quipu);
    // It was read before it was stored.
    let Some(Ok(record)) = block.records().next() else { return Err(Problem::new(problem::ARCHIVE)) };
    Ok(make(&LiveGame { card: live.into(), text, record: records::Record(&record) }))
}

/// Why a game is not kept as was asked, in the words of the service.
fn refused(refusal: LiveRefusal, number: Number) -> Problem {
    let conflict = |variant| Problem::variant(problem::CONFLICT, variant).member("conflict", &variant);
    match refusal {
        LiveRefusal::Store(error) => error.into(),
        LiveRefusal::Missing => missing(number),
        LiveRefusal::Outdated(version) => {
            Problem::variant(problem::VERSION, "other").with("found", version).member("version", &version)
        }
        LiveRefusal::Finished(id) => {
            let id = report::hex(&id);
            conflict("live-finished").with("found", number).with("by", &id).member("id", &id)
        }
        LiveRefusal::Other(game) => conflict("live-game").with("found", number).with("game", game),
        LiveRefusal::Many(max) => conflict("live-many").with("max", max),
    }
}

/// There is no such game.
pub(crate) fn missing(number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, "live").with("found", number)
}

/// A game that is being kept, if there is one of the number that the path names.
pub(crate) fn found(call: &Call) -> Result<model::Live, Problem> {
    let number = call.path_number("number");
    call.read(|reading| reading.live(number))?.ok_or_else(|| missing(number))
}

/// The version that the client has seen, as the tag of an answer says it; nothing where any will do.
fn seen(call: &Call) -> Result<Option<Number>, Problem> {
    let text = call.text("If-Match").ok_or_else(|| Problem::variant(problem::VERSION, "missing"))?;
    if text == "*" {
        return Ok(None);
    }
    let tag = text.trim_start_matches("W/").trim_matches('"');
    let version = tag.split('.').next().and_then(|version| version.parse().ok());
    version.map(Some).ok_or_else(|| Problem::variant(problem::VERSION, "form").with_quoted("found", text))
}

/// The record of a body as it is kept; and what of the body was read.
async fn draft(call: &mut Call) -> Result<(Draft, Bytes), Problem> {
    let body = call.body().await?;
    let (form, lang, looked_at) = (ingest::form(call), call.lang, body.clone());
    let draft = call.work(move || match SingleRecord::of(&looked_at, form) {
        SingleRecord::Nothing => Err(ingest::nothing()),
        SingleRecord::Several => Err(Problem::variant(problem::BODY, "several")),
        SingleRecord::One(submission) => kept(&submission, lang),
    });
    Ok((draft.await?, body))
}

fn kept(submission: &Submission, lang: Lang) -> Result<Draft, Problem> {
    let draft = Draft::new(submission).ok_or_else(|| submit::refused(&submission.verdict, lang))?;
    if draft.text.len() > Draft::MOST { Err(too_long()) } else { Ok(draft) }
}

/// An answer with a game as it is now.
fn answered(call: &Call, live: &model::Live) -> Answered {
    let answer = whole(live, |game| call.json(game))?;
    Ok(call.tagged(answer, Cache::Revalidate, format_args!("{}", live.version)))
}

pub(super) async fn open(mut call: Call) -> Answered {
    let (draft, body) = draft(&mut call).await?;
    let (submitter, lang) = (call.by(None, None).submitter, call.lang);
    idempotency::once(&call, &body, move |writing| {
        let number = writing.open_live(&draft, &submitter).map_err(|refusal| refused(refusal, 0))?;
        let live = writing.live(number)?.ok_or_else(|| missing(number))?;
        whole(&live, |game| StoredResponse::new(201, lang, Some(format!("/v1/live/{number}")), game))
    })
    .await
}

pub(super) async fn list(call: Call) -> Answered {
    let (before, limit) = (call.cursor()?, call.limit());
    let page = call.read_page(limit, move |reading| reading.lives(before, limit)).await?;
    Ok(call.page(page.items.iter().map(LiveCard::from).collect(), page.next.as_ref()))
}

pub(super) async fn one(call: Call) -> Answered {
    let live = found(&call)?;
    answered(&call, &live)
}

pub(super) async fn save(mut call: Call) -> Answered {
    let (number, seen) = (call.path_number("number"), seen(&call)?);
    let (draft, _) = draft(&mut call).await?;
    let saved = call.write(move |writing: &WriteTx<'_>| -> Result<model::Live, Problem> {
        writing.save_live(number, seen, &draft).map_err(|refusal| refused(refusal, number))?;
        writing.live(number)?.ok_or_else(|| missing(number))
    });
    answered(&call, &saved.await?)
}

pub(super) async fn finish(call: Call) -> Answered {
    let seen = seen(&call)?;
    let live = found(&call)?;
    let (number, text) = (live.number, live.draft.text);
    let judged = call
        .work(move || Submission::again(text.as_bytes(), Format::Quipu).ok_or_else(|| Problem::new(problem::ARCHIVE)));
    let submission = Arc::new(judged.await?);
    // What was judged is what is stored: if it was saved meanwhile, it is not this version any more.
    let judged = seen.or(Some(live.version));
    let (by, keep, lang, request) = (call.by(None, None), submit::keeps_refused(&call), call.lang, call.id.clone());
    idempotency::once(&call, b"", move |writing: &WriteTx<'_>| -> Result<idempotency::OutcomeBody, Problem> {
        let live = writing.live(number)?.ok_or_else(|| missing(number))?;
        if let Some(id) = &live.finished {
            let (change, _) = writing.find(id)?.ok_or_else(|| records::no_record(id))?;
            return Ok(submit::stored(writing, id, change, 200, lang)?.into());
        }
        if judged != Some(live.version) {
            return Err(refused(LiveRefusal::Outdated(live.version), number));
        }
        let said = submit::hand_in(writing, &submission, &by, keep, lang, request.as_str())?;
        writing.finish_live(number, judged, &submission.id).map_err(|refusal| refused(refusal, number))?;
        Ok(said)
    })
    .await
}

pub(super) async fn close(call: Call) -> Answered {
    let (number, seen) = (call.path_number("number"), seen(&call)?);
    let closed = call.write(move |writing: &WriteTx<'_>| -> Result<model::Live, Problem> {
        let live = writing.live(number)?.ok_or_else(|| missing(number))?;
        writing.close_live(number, seen).map_err(|refusal| refused(refusal, number))?;
        Ok(live)
    });
    // What is gone is handed back once more.
    whole(&closed.await?, |game| call.json(game))
}

/// The record as a file.
pub(super) async fn file(call: Call) -> Answered {
    let live = found(&call)?;
    let name = format!("attachment; filename=\"{}-{}.quipu\"", live.draft.game.id, live.number);
    let mut answer: HttpResponse = call.plain(live.draft.text);
    if let Ok(name) = HeaderValue::from_str(&name) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(call.tagged(answer, Cache::Revalidate, format_args!("{}", live.version)))
}

/// An event as OpenAPI describes it: the values of its fields, and what its data are.
pub(crate) enum Event {}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "LiveEvent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let game = generator.subschema_for::<LiveGame<'_>>();
        json_schema!({
            "type": "object",
            "required": ["id", "event", "data"],
            "properties": {
                "id": { "type": "string", "pattern": "^[1-9][0-9]*$" },
                "event": { "type": "string", "enum": ["saved", "finished", "closed"] },
                "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": game }
            }
        })
    }
}

pub(super) async fn feed(call: Call) -> Answered {
    let number = call.path_number("number");
    let now = match call.service.live_events.current(&call.service, number).await {
        Ok(now) => now.ok_or_else(|| missing(number))?,
        Err(StreamEnd::Failed(error)) => return Err(error.into()),
        Err(StreamEnd::Ended | StreamEnd::Later) => {
            return Err(Problem::variant(problem::BUSY, "memory").retry_after(1));
        }
    };
    let seen = call.number("Last-Event-ID").or_else(|| call.number("since")).unwrap_or_default();
    // What has not happened yet nobody has seen.
    let seen = if seen > now.version { 0 } else { seen };
    let over = now.finished && seen == now.version;
    let watcher = Watcher { store: call.store().clone(), number, last: Some(now), seen, over };
    call.events(sse::listen(&call, "", watcher))
}

/// Games in progress as their spectators are told of them, each written once for all.
#[derive(Default)]
pub(crate) struct LiveEvents(Mutex<HashMap<Number, Entry>>);

struct Entry {
    version: Number,
    finished: bool,
    data: Weak<Reserved<Vec<u8>>>,
}

/// A version of a game in progress, as JSON that ends its line.
#[derive(Clone)]
struct Rendered {
    version: Number,
    finished: bool,
    data: Arc<Reserved<Vec<u8>>>,
}

impl LiveEvents {
    /// The game as it is now; nothing if it was closed. Spectators who come while it is written wait for it.
    async fn current(&self, service: &Service, number: Number) -> Result<Option<Rendered>, StreamEnd> {
        let mut entries = self.0.lock().await;
        let Some(version) = service.store.read(|reading| reading.live_version(number))? else { return Ok(None) };
        if let Some(entry) = entries.get(&number)
            && entry.version == version
            && let Some(data) = entry.data.upgrade()
        {
            return Ok(Some(Rendered { version, finished: entry.finished, data }));
        }
        // Spectators that read nothing hold what they were sent, and leave half of the memory to all other responses.
        let Ok(mut reservation) = service.spool.events().reserve(Draft::MOST) else { return Err(StreamEnd::Later) };
        let store = service.store.clone();
        let render = move || -> Result<_, StreamEnd> {
            let Some(live) = store.read(|reading| reading.live(number))? else { return Ok(None) };
            let mut data = Vec::new();
            // Writing to memory does not fail, and ends the line.
            let written = whole(&live, |game| drop(report::write(game, &mut data)));
            written.map_err(|_| StreamEnd::Failed(StoreError::Corrupt(format!("game in progress {number}"))))?;
            Ok(Some((live.version, live.finished.is_some(), data)))
        };
        let written = permits::in_background(move || Ok(render()));
        // There may be no thread for it at the moment.
        let written = written.await.unwrap_or(Err(StreamEnd::Later))?;
        let Some((version, finished, data)) = written else { return Ok(None) };
        reservation.grow_to(data.len()).map_err(|_| StreamEnd::Later)?;
        reservation.shrink_to(data.len());
        let data = reservation.share(data);
        entries.retain(|_, entry| entry.data.strong_count() > 0);
        entries.insert(number, Entry { version, finished, data: Arc::downgrade(&data) });
        Ok(Some(Rendered { version, finished, data }))
    }
}

/// Somebody who looks on. Of what was saved in between only the last is sent: it has all that was before.
struct Watcher {
    store: Store,
    number: Number,
    /// The game as it was when it was looked at last, unless it has changed since and there was no memory for that.
    last: Option<Rendered>,
    /// The version that was sent last.
    seen: Number,
    /// There is nothing more to come.
    over: bool,
}

impl Listener for Watcher {
    async fn news(&mut self, service: &Service) -> Result<Option<Vec<Bytes>>, StreamEnd> {
        if self.over {
            return Err(StreamEnd::Ended);
        }
        let number = self.number;
        if self.store.read(|reading| reading.live_version(number))? == Some(self.seen) {
            return Ok(None);
        }
        let current = service.live_events.current(service, number).await;
        let kind = match current.inspect_err(|_| self.last = None)? {
            None => "closed",
            Some(now) => {
                self.seen = now.version;
                let kind = if now.finished { "finished" } else { "saved" };
                self.last = Some(now);
                kind
            }
        };
        self.over = kind != "saved";
        let Some(Rendered { version, data, .. }) = &self.last else { return Err(StreamEnd::Ended) };
        let head = format!("id: {version}\nevent: {kind}\ndata: ");
        Ok(Some(vec![head.into(), budget::shared(Arc::clone(data)), Bytes::from_static(b"\n")]))
    }
}
