//! Changes of a tournament: the steps of one decision, which hold together and are undone together.

use std::sync::Arc;

use quipu_archive::{
    model::{Attribution, Number},
    report::FaultReport,
    store::{StoredTournament, WriteTx},
};
use quipu_tournament::{exchange::csv::entries, model::Change};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{file, refusal::TournamentRefusal, seen, text_of};
use crate::{
    auth::Bearer,
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, JSON, Method, Response, Route},
    routes::{
        changes::{DECIDE, LINE, NOT_BLANK, by, fingerprint},
        idempotency::{self, Job, JobError},
        shared::{IDEMPOTENCY, IF_MATCH, NUMBER},
    },
};

/// Most steps of a change.
pub(super) const STEPS: usize = 10_000;

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        method: Method::Post,
        path: "/v1/tournaments/{number}/changes",
        id: "tournament-change",
        limited: true,
        group: "tournaments",
        access: DECIDE,
        params: &[NUMBER, IF_MATCH, IDEMPOTENCY],
        body: &[Content::json::<TournamentDecision>(), Content::text("text/csv")],
        responses: &[Response::created(&[Content::json::<ChangedTournament>()])],
        problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::TOURNAMENT, problem::VERSION, problem::IDEMPOTENCY],
        ..GET
    },
    handler: |context| Box::pin(change(context)),
}];

/// A change of a tournament.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TournamentDecision {
    /// The steps in their order.
    #[schemars(length(min = 1, max = STEPS))]
    steps: Vec<Change>,
    /// The reason, which some steps require.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::REASON), regex(pattern = NOT_BLANK))]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// A change that was made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ChangedTournament {
    #[schemars(range(min = 1))]
    tournament: Number,
    /// The change, whose number is the new version.
    #[schemars(range(min = 1))]
    change: Number,
    /// Columns of an entry list that are not used.
    remarks: Vec<FaultReport>,
}

async fn change(mut context: RequestContext) -> HandlerResult {
    let number = context.path_number("number");
    let (steps, remarks, by, request) = if context.body_media == JSON {
        let decision: TournamentDecision = context.body_json().await?;
        let request = fingerprint(&decision);
        let TournamentDecision { steps, reason, author } = decision;
        if steps.is_empty() {
            return Err(Problem::variant(problem::BODY, "missing").with("name", "steps"));
        }
        check(&steps)?;
        Bearer::checked(context.bearer.as_ref(), |bearer| bearer.may_change(number, &steps))?;
        (Steps::Given(steps), Vec::new(), by(&context, reason.as_deref(), author)?, request)
    } else {
        Bearer::checked(context.bearer.as_ref(), |bearer| bearer.may_direct(Some(number)))?;
        let (body, lang) = (file(&mut context).await?, context.lang);
        let request = body.to_vec();
        let refused = move |fault| TournamentRefusal::Unreadable(Box::new(fault)).into_problem(number, lang);
        let read = context.work(move || entries(&text_of(&body), 1).map_err(refused));
        let (steps, remarks) = read.await?;
        (Steps::Entries(steps), remarks, context.by(None, None), request)
    };
    let order = match &steps {
        Steps::Given(steps) => steps.iter().rev().find_map(|step| match step {
            Change::TieBreaks { order } => Some(order.clone()),
            _ => None,
        }),
        Steps::Entries(_) => None,
    };
    // A body that cannot be read is the first problem, whatever the version.
    let job = Arc::new(ChangeJob { number, seen: seen(&context)?, steps, by });
    let executed = idempotency::execute(&context, &request, &job).await;
    let executed =
        executed.map_err(|error| error.into_problem(|refusal| refusal.into_problem(number, context.lang)))?;
    // The system is that of the creation, so that a repeated request gets the same remark.
    let on_order = match order {
        Some(order) => {
            let read = context.read_slowly(move |reading| reading.unbound_tournament(number)).await?;
            read.and_then(|stored| stored.tournament.settings.system.remark(&order))
        }
        None => None,
    };
    let remarks = remarks.iter().chain(&on_order).map(|fault| FaultReport::new(fault, executed.lang())).collect();
    Ok(executed.json(None, &ChangedTournament { tournament: number, change: executed.outcome, remarks }))
}

/// Fails for too many steps, and for steps that have a route of their own.
pub(super) fn check(steps: &[Change]) -> Result<(), Problem> {
    if steps.len() > STEPS {
        return Err(Problem::variant(problem::TOO_LARGE, "steps").with("max", STEPS));
    }
    let elsewhere = steps.iter().zip(1..).find_map(|(step, number): (_, usize)| match step {
        Change::Create { .. } => Some((number, "create")),
        Change::Pair { .. } => Some((number, "pair")),
        _ => None,
    });
    match elsewhere {
        Some((step, found)) => {
            Err(Problem::variant(problem::BODY, "elsewhere").with("step", step).with("found", found))
        }
        None => Ok(()),
    }
}

/// The steps of a change.
enum Steps {
    Given(Vec<Change>),
    /// An entry list, whose players begin with the next round.
    Entries(Vec<Change>),
}

impl Steps {
    fn of(&self, stored: &StoredTournament) -> Vec<Change> {
        match self {
            Self::Given(steps) => steps.clone(),
            Self::Entries(steps) => {
                let mut steps = steps.clone();
                for step in &mut steps {
                    if let Change::Enter { first, .. } = step {
                        *first = stored.tournament.next_round();
                    }
                }
                steps
            }
        }
    }
}

struct ChangeJob {
    number: Number,
    /// The version that the client has seen.
    seen: Option<Number>,
    steps: Steps,
    by: Attribution,
}

impl Job for ChangeJob {
    /// Number of the change.
    type Output = Number;
    type Refusal = TournamentRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<Number, JobError<TournamentRefusal>> {
        let steps = |stored: &StoredTournament| {
            check_version(stored, self.seen)?;
            Ok(self.steps.of(stored))
        };
        let changed = writing.change_tournament(self.number, &self.by, steps);
        changed.and_then(|change| change.ok_or(TournamentRefusal::Nothing)).map_err(JobError::Refused)
    }
}

/// Fails unless a tournament has the version that a client has seen, if it has seen one.
pub(super) fn check_version(stored: &StoredTournament, seen: Option<Number>) -> Result<(), TournamentRefusal> {
    match seen {
        Some(seen) if seen != stored.version => Err(TournamentRefusal::Outdated(stored.version)),
        _ => Ok(()),
    }
}
