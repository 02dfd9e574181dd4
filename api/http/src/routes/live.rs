//! Games in progress: opened, saved move by move, followed by spectators, and in the end judged and stored like any
//! record.

use std::sync::Arc;

use actix_web::{http::StatusCode, web::Bytes};
use chrono::{DateTime, SubsecRound, Utc};
use quipu_notation::record::Format;
use quipu_referee::{Lang, report};
use serde::{Deserialize, Serialize};

use super::{
    desk::too_long,
    enum_values::yes_or_no,
    idempotency::{self, Job, JobError},
    ingest::{self, single_record},
    live_feed,
    live_game::{LiveCard, LiveGame, missing, whole},
    record_body::ONE_RECORD,
    records,
    shared::{CURSOR, FROM, IDEMPOTENCY, IF_MATCH, KEEP, LAST_EVENT, LIMIT, NUMBER, SINCE, WRITE, seen_version},
    stored_record::{self, RecordOutcome, Stored},
    submit,
};
use crate::{
    endpoint::Endpoint,
    paging::List,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, GET, Method, Response, Route},
    token_limit::AllowedGames,
};
use quipu_archive::{
    model::{self, Attribution, Clocks, Draft, Id, Number, SingleRecord, Submission},
    store::{LiveRefusal, WriteTx},
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
            responses: &[Response::created(&[Content::json::<LiveGame<'_>>()])],
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
            responses: &[Response::ok(&[Content::json::<List<LiveCard>>()])],
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
            responses: &[Response::ok(&[Content::json::<LiveGame<'_>>()])],
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
            responses: &[Response::ok(&[Content::json::<LiveGame<'_>>()])],
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
            responses: &[Response::ok(&[Content::events::<live_feed::Event>()])],
            problems: &[problem::NOT_FOUND],
            streams: true,
            ..GET
        },
        handler: |context| Box::pin(live_feed::feed(context)),
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
            responses: &[
                Response::created(&[Content::json::<Stored<'_>>()]),
                Response::ok(&[Content::json::<Stored<'_>>()]),
            ],
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
            responses: &[Response::ok(&[Content::json::<LiveGame<'_>>()])],
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
    let (form, lang, looked_at) = (ingest::body_format(context), context.lang, body.clone());
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
    let response = whole(live, |game| context.json(game))?;
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{}", live.version)))
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

struct OpenJob {
    games: AllowedGames,
    draft: Draft,
    submitter: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Opened {
    live: Number,
    #[serde(with = "chrono::serde::ts_milliseconds")]
    at: DateTime<Utc>,
}

impl Job for OpenJob {
    type Output = Opened;
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
    let games = context.allowed_games().await?;
    let saved = context.write(move |writing: &WriteTx<'_>| -> Result<model::Live, Problem> {
        let before = writing.live(number)?.ok_or_else(|| missing(number))?;
        let games = games.now(writing)?;
        // A name of the tournament may have been corrected since the game was opened: now the game gets it too.
        if !games.is_own(&before)? {
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
    type Output = RecordOutcome;
    type Refusal = FinishRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<RecordOutcome, JobError<FinishRefusal>> {
        let refused = |refusal| JobError::Refused(FinishRefusal::Live(refusal));
        let live = writing.live(self.number)?.ok_or_else(|| refused(LiveRefusal::Missing))?;
        self.games.now(writing)?.finish(&live)?;
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
    let games = context.allowed_games().await?;
    let closed = context.write(move |writing: &WriteTx<'_>| -> Result<model::Live, Problem> {
        let live = writing.live(number)?.ok_or_else(|| missing(number))?;
        let games = games.now(writing)?;
        if !games.is_own(&live)? {
            games.save(&live.draft)?;
        }
        writing.close_live(number, seen).map_err(|refusal| refused(refusal, number))?;
        Ok(live)
    });
    // The response contains the deleted game for the last time.
    whole(&closed.await?, |game| context.json(game))
}
