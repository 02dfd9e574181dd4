//! The list of tournaments, one as a whole, its players, and new ones.

use std::sync::Arc;

use quipu_archive::{
    model::{Attribution, Creation, Number},
    report::{CreatedReport, FaultReport, ListedReport, PlayerCardReport, TournamentReport},
    store::{ReadTx, WriteTx},
};
use quipu_notation::games::{self, GameNotation};
use quipu_tournament::{
    exchange::trf,
    model::{Change, PlayerId, TournamentSettings},
    standings::standings,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    PLAYER,
    decisions::{self, STEPS},
    file, no_player,
    refusal::TournamentRefusal,
    shown, small, text_of,
};
use crate::{
    endpoint::Endpoint,
    paging::List,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, JSON, Method, Response, Route},
    routes::{
        changes::{DECIDE, LINE, NOT_BLANK, by, fingerprint},
        enum_values::game_ids,
        events::json,
        idempotency::{self, Job, JobError},
        shared::{CURSOR, GAME, IDEMPOTENCY, LIMIT, NAME, NUMBER},
    },
};

/// The name of an imported tournament, in place of that in the file.
const NEW_NAME: Param = Param::query("name", Kind::Text(NAME));

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/v1/tournaments",
            id: "tournaments",
            group: "tournaments",
            params: &[LIMIT, CURSOR],
            responses: &[Response::ok(&[Content::json::<List<ListedReport<'_>>>()])],
            problems: &[problem::CURSOR],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/tournaments",
            id: "tournament-create",
            group: "tournaments",
            access: DECIDE,
            params: &[GAME, NEW_NAME, IDEMPOTENCY],
            body: &[Content::json::<NewTournament>(), Content::text("text/plain")],
            responses: &[Response::created(&[Content::json::<MadeTournament>()])],
            problems: &[problem::CONFLICT, problem::TOURNAMENT, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(create(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/tournaments/{number}",
            id: "tournament",
            group: "tournaments",
            params: &[NUMBER],
            responses: &[Response::ok(&[Content::json::<TournamentReport<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/tournaments/{number}/players/{player}",
            id: "tournament-player",
            group: "tournaments",
            params: &[NUMBER, PLAYER],
            responses: &[Response::ok(&[Content::json::<PlayerCardReport<'_>>()])],
            problems: &[problem::NOT_FOUND],
            ..GET
        },
        handler: |context| Box::pin(player(context)),
    },
];

/// A tournament to create.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTournament {
    #[schemars(extend("enum" = game_ids()))]
    game: String,
    /// Everything that is fixed.
    settings: TournamentSettings,
    /// Further steps of the same change, such as entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = STEPS))]
    steps: Vec<Change>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::REASON), regex(pattern = NOT_BLANK))]
    reason: Option<String>,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// A created tournament.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MadeTournament {
    #[serde(flatten)]
    created: CreatedReport,
    /// Lines of an imported file that are not used.
    remarks: Vec<FaultReport>,
}

async fn index(context: RequestContext) -> HandlerResult {
    let (before, limit) = (context.cursor::<Number>()?, context.limit());
    let found = context.read_slowly(move |reading: &ReadTx<'_>| reading.tournaments(before, limit + 1));
    let mut found = found.await?;
    let next = (found.len() > limit).then(|| found[limit - 1].number);
    found.truncate(limit);
    Ok(context.page(found.iter().map(ListedReport::from).collect(), next.as_ref()))
}

async fn show(context: RequestContext) -> HandlerResult {
    let lang = context.lang;
    shown(&context, move |stored| Ok(json(&TournamentReport::new(stored, lang)))).await
}

async fn player(context: RequestContext) -> HandlerResult {
    let player = small(&context, PLAYER.name).unwrap_or_default();
    shown(&context, move |stored| {
        let table = standings(&stored.tournament, None);
        let card = PlayerCardReport::new(stored, &table, PlayerId(player));
        card.map(|card| json(&card)).ok_or_else(|| no_player(stored, PlayerId(player)))
    })
    .await
}

async fn create(mut context: RequestContext) -> HandlerResult {
    let (job, request, unused) =
        if context.body_media == JSON { new(&mut context).await } else { imported(&mut context).await }?;
    let job = Arc::new(job);
    let executed = idempotency::execute(&context, &request, &job).await;
    let executed = executed.map_err(|error| error.into_problem(|refusal| refusal.into_problem(0, context.lang)))?;
    let tournament = executed.outcome;
    let remarks =
        unused.iter().chain(job.creation.remark()).map(|fault| FaultReport::new(fault, executed.lang())).collect();
    let made = MadeTournament { created: CreatedReport { tournament }, remarks };
    Ok(executed.json(Some(&format!("/v1/tournaments/{tournament}")), &made))
}

/// A job with the bytes of its fingerprint, and remarks on the file that it came from.
type CreateRequest = (CreateJob, Vec<u8>, Vec<quipu_tournament::fault::Fault>);

/// A tournament from its settings.
async fn new(context: &mut RequestContext) -> Result<CreateRequest, Problem> {
    if let Some(name) = [GAME.name, NEW_NAME.name].into_iter().find(|name| context.text(name).is_some()) {
        return Err(Problem::variant(problem::PARAMETER, "needs").with("name", name).with("other", "text/plain"));
    }
    let new: NewTournament = context.body_json().await?;
    let request = fingerprint(&new);
    let NewTournament { game, settings, steps, reason, author } = new;
    let known = games::find(&game).ok_or_else(|| {
        let problem = Problem::variant(problem::BODY, "choice").with("name", "game").with_quoted("found", &game);
        problem.with("known", game_ids().join(", "))
    })?;
    decisions::check(&steps)?;
    let by = by(context, reason.as_deref(), author)?;
    let creation = creation(context, known, settings, steps).await?;
    Ok((CreateJob { creation, by }, request, Vec::new()))
}

/// A tournament from a report file of FIDE.
async fn imported(context: &mut RequestContext) -> Result<CreateRequest, Problem> {
    let body = file(context).await?;
    let game = context.text(GAME.name).and_then(games::find);
    let game = game.ok_or_else(|| Problem::variant(problem::PARAMETER, "missing").with("name", GAME.name))?;
    let (name, lang) = (context.text(NEW_NAME.name).map(str::to_owned), context.lang);
    let text = body.clone();
    let refused = move |fault| TournamentRefusal::Unreadable(Box::new(fault)).into_problem(0, lang);
    let read = context.work(move || trf::read(&text_of(&text)).map_err(refused));
    let (mut steps, unused) = read.await?;
    if steps.is_empty() {
        return Err(Problem::variant(problem::BODY, "empty"));
    }
    let Change::Create { settings } = steps.remove(0) else {
        return Err(Problem::variant(problem::BODY, "empty"));
    };
    let settings = TournamentSettings { name: name.unwrap_or(settings.name), ..settings };
    let creation = creation(context, game, settings, steps).await?;
    Ok((CreateJob { creation, by: context.by(None, None) }, body.to_vec(), unused))
}

/// A tournament to create, checked: that takes too long for the thread that writes.
async fn creation(
    context: &RequestContext,
    game: &'static GameNotation,
    settings: TournamentSettings,
    steps: Vec<Change>,
) -> Result<Creation, Problem> {
    let lang = context.lang;
    let refused = move |fault| TournamentRefusal::Faults(vec![fault]).into_problem(0, lang);
    context.work(move || Creation::new(game, settings, steps).map_err(refused)).await
}

struct CreateJob {
    creation: Creation,
    by: Attribution,
}

impl Job for CreateJob {
    type Output = Number;
    type Refusal = TournamentRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<Number, JobError<TournamentRefusal>> {
        let created = writing.create_tournament(&self.creation, &self.by);
        created.map_err(|refusal| JobError::Refused(refusal.into()))
    }
}
