//! Games in progress: opened, saved move by move, followed by spectators, and in the end judged and stored like any
//! record.

use std::{borrow::Cow, sync::Arc};

use actix_web::{http::StatusCode, web::Bytes};
use chrono::{DateTime, SubsecRound, Utc};
use quipu_notation::record::{Chunk, Format};
use quipu_referee::{Lang, report};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{
    desk::too_long,
    enum_values::yes_or_no,
    idempotency::{self, Job, JobError},
    ingest::{self, single_record},
    record_body::ONE_RECORD,
    records,
    shared::{CURSOR, FROM, IDEMPOTENCY, IF_MATCH, KEEP, LAST_EVENT, LIMIT, NUMBER, SINCE, WRITE, seen_version},
    sse::{self, EventSource, StreamEnd},
    stored_record::{self, RecordOutcome, Stored},
    submit,
};
use crate::{
    budget,
    endpoint::Endpoint,
    live_events::LiveEvent,
    paging::List,
    params::{Kind, Param},
    permits,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Answer, Content, GET, Method, Route},
    service::Service,
    token_limit::AllowedGames,
};
use quipu_archive::{
    model::{self, Attribution, Clocks, Draft, Id, Number, SingleRecord, Submission},
    report::time,
    store::{LiveRefusal, Store, StoreError, WriteTx},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/live",
            id: "live-open",
            limited: true,
            group: "live",
            access: WRITE,
            params: &[FROM, IDEMPOTENCY],
            body: ONE_RECORD,
            answers: &[Answer::created(&[Content::json::<LiveGame<'_>>()])],
            problems: &[problem::CONFLICT, problem::INCOMPLETE, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(create(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/live",
            id: "live-list",
            group: "live",
            params: &[LIMIT, CURSOR],
            answers: &[Answer::ok(&[Content::json::<List<LiveCard>>()])],
            problems: &[problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/live/{number}",
            id: "live",
            group: "live",
            params: &[NUMBER],
            answers: &[Answer::ok(&[Content::json::<LiveGame<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Put,
            path: "/v1/live/{number}",
            id: "live-save",
            limited: true,
            group: "live",
            access: WRITE,
            params: &[NUMBER, FROM, CLOCK_ONE, CLOCK_TWO, RUNNING, IF_MATCH.required()],
            body: ONE_RECORD,
            answers: &[Answer::ok(&[Content::json::<LiveGame<'_>>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::INCOMPLETE],
            ..GET
        },
        handler: |context| Box::pin(update(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/live/{number}/feed",
            id: "live-feed",
            group: "live",
            params: &[NUMBER, SINCE, LAST_EVENT],
            answers: &[Answer::ok(&[Content::events::<Event>()])],
            problems: &[problem::NOT_FOUND],
            streams: true,
            ..GET
        },
        handler: |context| Box::pin(feed(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/live/{number}/finish",
            id: "live-finish",
            limited: true,
            group: "live",
            access: WRITE,
            params: &[NUMBER, KEEP, IF_MATCH.required(), IDEMPOTENCY],
            answers: &[Answer::created(&[Content::json::<Stored<'_>>()]), Answer::ok(&[Content::json::<Stored<'_>>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::INCOMPLETE, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(finish(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/live/{number}/close",
            id: "live-close",
            limited: true,
            group: "live",
            access: WRITE,
            params: &[NUMBER, IF_MATCH.required()],
            answers: &[Answer::ok(&[Content::json::<LiveGame<'_>>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT],
            ..GET
        },
        handler: |context| Box::pin(close(context)),
    },
];

/// The milliseconds that each side has left.
const CLOCK_ONE: Param = Param::query("clock_one", Kind::Number(0));
const CLOCK_TWO: Param = Param::query("clock_two", Kind::Number(0));
/// Yes if the clock of the side to move runs.
const RUNNING: Param = Param::query("running", Kind::Choice(yes_or_no));

/// A game in progress in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LiveCard {
    /// Its number.
    #[schemars(range(min = 1))]
    live: Number,
    /// Number of times it was saved.
    #[schemars(range(min = 1))]
    version: Number,
    /// The game.
    game: &'static str,
    /// The event, if it names one.
    event: Option<String>,
    /// The round, if it names one.
    round: Option<String>,
    /// The players, side 1 first.
    #[schemars(length(equal = 2))]
    players: Vec<Option<String>>,
    /// Number of legal plies.
    plies: u64,
    /// Time of opening.
    #[schemars(extend("format" = "date-time"))]
    opened: String,
    /// Time of the last save.
    #[schemars(extend("format" = "date-time"))]
    changed: String,
    /// The token that opened it.
    by: String,
    /// Milliseconds left of each side at the last save, side 1 first; null where no client has reported them.
    #[schemars(length(equal = 2))]
    clocks_ms: Vec<Option<u64>>,
    /// True if the clock of the side to move has run since the last save; null if no client has reported it.
    running: Option<bool>,
    /// Id of the record of the game, if it is finished.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    finished: Option<String>,
}

/// A game in progress.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LiveGame<'r> {
    #[serde(flatten)]
    card: LiveCard,
    /// Its text.
    text: &'r str,
    /// The same as JSON.
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
            opened: time(live.opened),
            changed: time(live.changed),
            by: live.submitter.clone(),
            clocks_ms: live.clocks.left.to_vec(),
            running: live.clocks.running,
            finished: live.finished.as_ref().map(|id| report::hex(id)),
        }
    }
}

/// Builds the JSON form of a game and passes it on.
fn whole<T>(live: &model::Live, make: impl FnOnce(&LiveGame<'_>) -> T) -> Result<T, Problem> {
    let text = &live.draft.text;
    let block = Chunk::in_form(text.as_bytes(), Format::Quipu);
    // The text was parsed before it was stored.
    let Some(Ok(record)) = block.records().next() else { return Err(Problem::new(problem::ARCHIVE)) };
    Ok(make(&LiveGame { card: live.into(), text, record: records::Record(&record) }))
}

/// The problem of a refused change.
fn refused(refusal: LiveRefusal, number: Number) -> Problem {
    let conflict = |variant| Problem::variant(problem::CONFLICT, variant).extension("conflict", &variant);
    match refusal {
        LiveRefusal::Store(error) => error.into(),
        LiveRefusal::Missing => missing(number),
        LiveRefusal::Outdated(version) => {
            Problem::variant(problem::VERSION, "other").with("found", version).extension("version", &version)
        }
        LiveRefusal::Finished(id) => {
            let id = report::hex(&id);
            conflict("live-finished").with("found", number).with("by", &id).extension("id", &id)
        }
        LiveRefusal::Other(game) => conflict("live-game").with("found", number).with("game", game),
        LiveRefusal::Many(max) => conflict("live-many").with("max", max),
    }
}

/// The problem of a game that does not exist.
pub(crate) fn missing(number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, "live").with("found", number)
}

/// The game in progress with the number in the path.
pub(crate) fn found(context: &RequestContext) -> Result<model::Live, Problem> {
    let number = context.path_number("number");
    context.read(|reading| reading.live(number))?.ok_or_else(|| missing(number))
}

/// The version in `If-Match`; none for `*`.
fn seen(context: &RequestContext) -> Result<Option<Number>, Problem> {
    seen_version(context, "form", str::parse)
}

/// The clocks in the query.
fn clocks(context: &RequestContext) -> Clocks {
    let left = |name| context.number(name).and_then(|left| u64::try_from(left).ok());
    Clocks {
        left: [CLOCK_ONE, CLOCK_TWO].map(|side| left(side.name)),
        running: context.text(RUNNING.name).map(|running| running == "yes"),
    }
}

/// The draft in a body, with the body itself.
async fn draft(context: &mut RequestContext) -> Result<(Draft, Bytes), Problem> {
    let body = context.body().await?;
    let (form, lang, looked_at) = (ingest::form(context), context.lang, body.clone());
    let draft = context.work(move || match single_record(&looked_at, form)? {
        SingleRecord::Nothing => Err(ingest::nothing()),
        SingleRecord::Several => Err(Problem::variant(problem::BODY, "several")),
        SingleRecord::One(submission) => kept(&submission, lang),
    });
    Ok((draft.await?, body))
}

fn kept(submission: &Submission, lang: Lang) -> Result<Draft, Problem> {
    let draft = Draft::new(submission).ok_or_else(|| stored_record::refused(&submission.verdict, lang))?;
    if draft.text.len() > Draft::MOST { Err(too_long()) } else { Ok(draft) }
}

/// A response with a game in its current version.
fn answered(context: &RequestContext, live: &model::Live) -> HandlerResult {
    let answer = whole(live, |game| context.json(game))?;
    Ok(context.with_etag(answer, CachePolicy::UntilChange, format_args!("{}", live.version)))
}

async fn create(mut context: RequestContext) -> HandlerResult {
    let (draft, body) = draft(&mut context).await?;
    let (games, submitter) = (context.allowed_games().await?, context.submitter());
    let job = Arc::new(OpenJob { games, draft, submitter });
    let executed = idempotency::execute(&context, &body, &job).await;
    let executed = executed.map_err(|error| error.into_problem(|refusal| refused(refusal, 0)))?;
    let Opened { live: number, at } = executed.outcome;
    // The game as it was opened, also if it was saved since.
    let live = model::Live {
        number,
        submitter: job.submitter.clone(),
        opened: at,
        changed: at,
        version: 1,
        finished: None,
        draft: job.draft.clone(),
        clocks: Clocks::default(),
    };
    whole(&live, |game| executed.json(Some(&format!("/v1/live/{number}")), game))
}

/// A game to open.
struct OpenJob {
    games: AllowedGames,
    draft: Draft,
    submitter: String,
}

/// An opened game.
#[derive(Debug, Serialize, Deserialize)]
struct Opened {
    live: Number,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
}

impl Job for OpenJob {
    type Outcome = Opened;
    type Refusal = LiveRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<Opened, JobError<LiveRefusal>> {
        self.games.now(writing)?.save(&self.draft)?;
        let live = writing.open_live(&self.draft, &self.submitter).map_err(JobError::Refused)?;
        Ok(Opened { live, at: writing.now().trunc_subsecs(3) })
    }
}

async fn index(context: RequestContext) -> HandlerResult {
    let (before, limit) = (context.cursor()?, context.limit());
    let page = context.read_page(limit, move |reading| reading.lives(before, limit)).await?;
    Ok(context.page(page.items.iter().map(LiveCard::from).collect(), page.next.as_ref()))
}

async fn show(context: RequestContext) -> HandlerResult {
    let live = found(&context)?;
    answered(&context, &live)
}

async fn update(mut context: RequestContext) -> HandlerResult {
    let (number, seen) = (context.path_number("number"), seen(&context)?);
    let clocks = clocks(&context);
    let (draft, _) = draft(&mut context).await?;
    let (games, submitter) = (context.allowed_games().await?, context.submitter());
    let saved = context.write(move |writing: &WriteTx<'_>| -> Result<model::Live, Problem> {
        let before = writing.live(number)?.ok_or_else(|| missing(number))?;
        let games = games.now(writing)?;
        // A name of the tournament may have been corrected since this token opened the game: now the game gets it too.
        if before.submitter != submitter {
            games.save(&before.draft)?;
        }
        games.save(&draft)?;
        writing.save_live(number, seen, &draft, clocks).map_err(|refusal| refused(refusal, number))?;
        writing.live(number)?.ok_or_else(|| missing(number))
    });
    answered(&context, &saved.await?)
}

async fn finish(context: RequestContext) -> HandlerResult {
    let seen = seen(&context)?;
    let live = found(&context)?;
    let (number, text) = (live.number, live.draft.text);
    let judged = context
        .work(move || Submission::again(text.as_bytes(), Format::Quipu).ok_or_else(|| Problem::new(problem::ARCHIVE)));
    let submission = judged.await?;
    // The judged version is the one to finish: if the game was saved since, the client must see that first.
    let version = seen.or(Some(live.version));
    let (by, keep_refused) = (context.by(None, None), submit::keeps_refused(&context));
    let games = context.allowed_games().await?;
    let job = Arc::new(FinishJob { games, number, version, submission, by, keep_refused });
    match idempotency::execute(&context, b"", &job).await {
        Ok(executed) => stored_record::respond(&context, &executed, &job.submission),
        Err(error) => Err(error.into_problem(|refusal| match refusal {
            FinishRefusal::Live(refusal) => refused(refusal, number),
            FinishRefusal::NoRecord(id) => records::no_record(&id),
            FinishRefusal::NotStored => submit::not_stored(&job.submission, context.lang),
        })),
    }
}

/// A game to finish: its record is added to the archive.
struct FinishJob {
    games: AllowedGames,
    number: Number,
    version: Option<Number>,
    submission: Submission,
    by: Attribution,
    keep_refused: bool,
}

enum FinishRefusal {
    Live(LiveRefusal),
    NoRecord(Id),
    /// The record is not verified, and was not to be stored.
    NotStored,
}

impl Job for FinishJob {
    type Outcome = RecordOutcome;
    type Refusal = FinishRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<RecordOutcome, JobError<FinishRefusal>> {
        let refused = |refusal| JobError::Refused(FinishRefusal::Live(refusal));
        let live = writing.live(self.number)?.ok_or_else(|| refused(LiveRefusal::Missing))?;
        self.games.now(writing)?.save(&live.draft)?;
        if let Some(id) = &live.finished {
            let (change, _) = writing.find(id)?.ok_or(JobError::Refused(FinishRefusal::NoRecord(*id)))?;
            return Ok(RecordOutcome::current(writing, id, change, false)?);
        }
        if self.version != Some(live.version) {
            return Err(refused(LiveRefusal::Outdated(live.version)));
        }
        let added = RecordOutcome::add(writing, &self.submission, &self.by, self.keep_refused)?;
        let added = added.ok_or(JobError::Refused(FinishRefusal::NotStored))?;
        writing.finish_live(self.number, self.version, &self.submission.id).map_err(refused)?;
        Ok(added)
    }

    fn status(outcome: &RecordOutcome) -> StatusCode {
        outcome.status()
    }
}

async fn close(context: RequestContext) -> HandlerResult {
    let (number, seen) = (context.path_number("number"), seen(&context)?);
    let (games, submitter) = (context.allowed_games().await?, context.submitter());
    let closed = context.write(move |writing: &WriteTx<'_>| -> Result<model::Live, Problem> {
        let live = writing.live(number)?.ok_or_else(|| missing(number))?;
        if live.submitter != submitter {
            games.now(writing)?.save(&live.draft)?;
        }
        writing.close_live(number, seen).map_err(|refusal| refused(refusal, number))?;
        Ok(live)
    });
    // The response contains the deleted game for the last time.
    whole(&closed.await?, |game| context.json(game))
}

/// An event as OpenAPI describes it: its fields, and the schema of its data.
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

async fn feed(context: RequestContext) -> HandlerResult {
    let number = context.path_number("number");
    let now = match current(&context.service, number).await {
        Ok(now) => now.ok_or_else(|| missing(number))?,
        Err(StreamEnd::Failed(error)) => return Err(error.into()),
        Err(StreamEnd::Ended | StreamEnd::Later) => {
            return Err(Problem::variant(problem::BUSY, "memory").retry_after(1));
        }
    };
    let seen = context.number("Last-Event-ID").or_else(|| context.number("since")).unwrap_or_default();
    // A version in the future belongs to another archive.
    let seen = if seen > now.version { 0 } else { seen };
    let ended = now.finished && seen == now.version;
    let spectator = Spectator { store: context.store().clone(), number, last: Some(now), seen, ended };
    context.events(sse::stream(&context, "", spectator))
}

/// The current version of a game, or none if it is closed. Spectators who ask while it is rendered wait for it.
async fn current(service: &Service, number: Number) -> Result<Option<LiveEvent>, StreamEnd> {
    let mut events = service.live_events.lock().await;
    let Some(version) = service.store.read(|reading| reading.live_version(number))? else { return Ok(None) };
    if let Some(event) = events.find(number, version) {
        return Ok(Some(event));
    }
    // Spectators that stop reading hold the bytes sent to them, so these have a memory budget of their own.
    let Ok(mut reservation) = service.spool.events().reserve(Draft::MOST) else { return Err(StreamEnd::Later) };
    let store = service.store.clone();
    let render = move || -> Result<_, StreamEnd> {
        let Some(live) = store.read(|reading| reading.live(number))? else { return Ok(None) };
        let mut json = Vec::new();
        // Writing to memory does not fail, and ends the line.
        let written = whole(&live, |game| drop(report::write(game, &mut json)));
        written.map_err(|_| StreamEnd::Failed(StoreError::Corrupt(format!("game in progress {number}"))))?;
        Ok(Some((live.version, live.finished.is_some(), json)))
    };
    let rendered = permits::in_background(move || Ok(render()));
    // Fails if no thread can be started now.
    let rendered = rendered.await.unwrap_or(Err(StreamEnd::Later))?;
    let Some((version, finished, json)) = rendered else { return Ok(None) };
    reservation.grow_to(json.len()).map_err(|_| StreamEnd::Later)?;
    reservation.shrink_to(json.len());
    let event = LiveEvent { version, finished, json: reservation.share(json) };
    events.insert(number, &event);
    Ok(Some(event))
}

/// A spectator. Of several saves in a row only the last is sent: it contains all moves before.
struct Spectator {
    store: Store,
    number: Number,
    /// The game in its last known version; none if a later one could not be rendered for lack of memory.
    last: Option<LiveEvent>,
    /// The version sent last.
    seen: Number,
    /// True if no event can follow.
    ended: bool,
}

impl EventSource for Spectator {
    async fn poll(&mut self, service: &Service) -> Result<Option<Vec<Bytes>>, StreamEnd> {
        if self.ended {
            return Err(StreamEnd::Ended);
        }
        let number = self.number;
        if self.store.read(|reading| reading.live_version(number))? == Some(self.seen) {
            return Ok(None);
        }
        let current = current(service, number).await;
        let kind = match current.inspect_err(|_| self.last = None)? {
            None => "closed",
            Some(now) => {
                self.seen = now.version;
                let kind = if now.finished { "finished" } else { "saved" };
                self.last = Some(now);
                kind
            }
        };
        self.ended = kind != "saved";
        let Some(LiveEvent { version, json, .. }) = &self.last else { return Err(StreamEnd::Ended) };
        let head = format!("id: {version}\nevent: {kind}\ndata: ");
        Ok(Some(vec![head.into(), budget::shared(Arc::clone(json)), Bytes::from_static(b"\n")]))
    }
}
