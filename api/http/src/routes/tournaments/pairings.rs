//! The pairing of the next round: shown with its reasons, or made.

use std::sync::Arc;

use quipu_archive::{
    model::{Attribution, Number},
    report::FaultReport,
    store::{StoredTournament, WriteTx},
};
use quipu_referee::Lang;
use quipu_tournament::{
    model::{Change, PlayerId},
    pairing::{Plan, Wanted},
    swiss::Explained,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{decisions::check_version, missing, plan, refusal::TournamentRefusal, seen};
use crate::{
    auth::Bearer,
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, Method, Response, Route},
    routes::{
        changes::{DECIDE, LINE, NOT_BLANK, by, fingerprint},
        enum_values::yes_or_no,
        idempotency::{self, Executed, Job, JobError},
        shared::{IDEMPOTENCY, IF_MATCH, NUMBER},
    },
};

const DRY_RUN: Param = Param::query("dry_run", Kind::Choice(yes_or_no));
/// Times that a round is paired again because the tournament changed meanwhile.
const ATTEMPTS: usize = 3;

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        method: Method::Post,
        path: "/v1/tournaments/{number}/pairings",
        id: "tournament-pair",
        limited: true,
        group: "tournaments",
        access: DECIDE,
        params: &[NUMBER, DRY_RUN, IF_MATCH, IDEMPOTENCY],
        body: &[Content::json::<NewPairing>()],
        responses: &[
            Response::created(&[Content::json::<MadePairing>()]),
            Response::ok(&[Content::json::<MadePairing>()]),
        ],
        problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::TOURNAMENT, problem::VERSION, problem::IDEMPOTENCY],
        ..GET
    },
    handler: |context| Box::pin(pair(context)),
}];

/// The pairing of a round: by the system of the tournament or, with boards or a bye, by hand.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPairing {
    /// The round that is meant: the request is refused if it is not the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    round: Option<u32>,
    /// The players of each board by their numbers; the first one has side 1 in the first game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boards: Option<Vec<[PlayerId; 2]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bye: Option<PlayerId>,
    /// True to break the absolute criteria of the Swiss system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    force: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::REASON), regex(pattern = NOT_BLANK))]
    reason: Option<String>,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Attribution::AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// A paired round.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct MadePairing {
    #[schemars(range(min = 1))]
    tournament: Number,
    /// The change that made it, whose number is the new version; null for a dry run.
    #[schemars(range(min = 1))]
    change: Option<Number>,
    #[schemars(range(min = 1))]
    round: u32,
    boards: Vec<MadeBoard>,
    /// The players without a board.
    byes: Vec<String>,
    /// Remarks on a pairing by hand.
    remarks: Vec<FaultReport>,
}

/// A board of a paired round.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct MadeBoard {
    /// The number of the board.
    #[schemars(range(min = 1))]
    board: u32,
    /// The names of the players, side 1 first.
    players: [String; 2],
    /// The reasons of a Swiss pairing, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explained>,
}

/// A pairing of a tournament in a certain state.
struct Planned {
    stored: StoredTournament,
    plan: Plan,
}

impl Planned {
    fn new(stored: StoredTournament, seen: Option<Number>, wanted: &Wanted) -> Result<Self, TournamentRefusal> {
        check_version(&stored, seen)?;
        let plan = plan(&stored.tournament, wanted)?;
        Ok(Self { stored, plan })
    }

    /// The report; with the reasons if no change made it.
    fn report(&self, change: Option<Number>, lang: Lang) -> MadePairing {
        let mut tournament = self.stored.tournament.clone();
        // A plan is checked with the same rules.
        self.plan.steps.iter().for_each(|step| drop(tournament.apply(step)));
        let name = |id: PlayerId| tournament.name(id).to_owned();
        let round = self.plan.pairing.round;
        let byes = tournament.round(round).map_or(&[][..], |round| &round.byes);
        let boards = self.plan.pairing.boards.iter().zip(1..).map(|(board, number)| MadeBoard {
            board: number,
            players: board.players.map(name),
            explanation: board.explanation.clone().filter(|_| change.is_none()),
        });
        MadePairing {
            tournament: self.stored.number,
            change,
            round,
            boards: boards.collect(),
            byes: byes.iter().map(|(id, _)| name(*id)).collect(),
            remarks: self.plan.remarks.iter().map(|fault| FaultReport::new(fault, lang)).collect(),
        }
    }
}

async fn pair(mut context: RequestContext) -> HandlerResult {
    let (number, lang) = (context.path_number("number"), context.lang);
    Bearer::checked(context.bearer.as_ref(), |bearer| bearer.may_direct(Some(number)))?;
    let asked: NewPairing = context.body_json().await?;
    let request = fingerprint(&asked);
    let NewPairing { round, boards, bye, force, reason, author } = asked;
    let by_hand = (boards.is_some() || bye.is_some()).then(|| (boards.unwrap_or_default(), bye));
    let wanted = Arc::new(Wanted { round, by_hand, force: force == Some(true) });
    let by = by(&context, reason.as_deref(), author)?;
    let seen = seen(&context)?;
    let refused = |refusal: TournamentRefusal| refusal.into_problem(number, lang);
    let is_dry = context.text(DRY_RUN.name) == Some("yes");
    if !is_dry && let Some(executed) = idempotency::replayed(&context, &request).await? {
        return Ok(made(&executed));
    }
    for _ in 0..ATTEMPTS {
        // Pairing takes too long for the thread that writes, so it is done before, and made if nothing has changed.
        let planned = planned(&context, number, seen, Arc::clone(&wanted)).await?;
        if is_dry {
            return Ok(context.json(&planned.map_err(refused)?.report(None, lang)));
        }
        let job = Arc::new(PairJob { number, seen, planned, by: by.clone(), lang });
        match idempotency::execute(&context, &request, &job).await {
            Ok(executed) => return Ok(made(&executed)),
            Err(JobError::Refused(TournamentRefusal::Moved)) => {}
            Err(error) => return Err(error.into_problem(refused)),
        }
    }
    Err(refused(TournamentRefusal::Moved))
}

fn made(executed: &Executed<serde_json::Value>) -> actix_web::HttpResponse {
    executed.json(None, &executed.outcome)
}

/// The pairing of the tournament as it is now, or the reason that there is none.
async fn planned(
    context: &RequestContext,
    number: Number,
    seen: Option<Number>,
    wanted: Arc<Wanted>,
) -> Result<Result<Planned, TournamentRefusal>, Problem> {
    let read = context.read_slowly(move |reading| reading.tournament(number));
    let stored = read.await?.ok_or_else(|| missing(number))?;
    context.work(move || Ok(Planned::new(stored, seen, &wanted))).await
}

struct PairJob {
    number: Number,
    /// The version that the client has seen.
    seen: Option<Number>,
    planned: Result<Planned, TournamentRefusal>,
    by: Attribution,
    lang: Lang,
}

impl Job for PairJob {
    /// The report of the pairing.
    type Output = serde_json::Value;
    type Refusal = TournamentRefusal;

    fn run(&self, writing: &WriteTx<'_>) -> Result<serde_json::Value, JobError<TournamentRefusal>> {
        let steps = |stored: &StoredTournament| -> Result<Vec<Change>, TournamentRefusal> {
            check_version(stored, self.seen)?;
            let planned = self.planned.as_ref().map_err(TournamentRefusal::clone)?;
            if stored == &planned.stored { Ok(planned.plan.steps.clone()) } else { Err(TournamentRefusal::Moved) }
        };
        let changed = writing.change_tournament(self.number, &self.by, steps);
        let change = changed.map_err(JobError::Refused)?;
        let planned = self.planned.as_ref().map_err(|refusal| JobError::Refused(refusal.clone()))?;
        let report = serde_json::to_value(planned.report(change, self.lang));
        report.map_err(|error| quipu_archive::store::StoreError::Other(error.to_string()).into())
    }
}
