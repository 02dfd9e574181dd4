//! Changes of a tournament with a token that was typed into a form, and the sentences about those that are refused.

use actix_web::HttpResponse;
use quipu_archive::{
    model::{Attribution, Number, UnfitText},
    store::{Refusal, StoreError, StoredTournament, WriteTx},
};
use quipu_options::Scope;
use quipu_tournament::{fault::Fault, model::Change, pairing::Plan};

use super::fields::{AUTHOR, Fields, REASON};
use crate::{
    auth::{self, Bearer},
    negotiate,
    pages::frame::{View, page_response},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Access, HTML},
    routes::tournaments::TournamentRefusal,
};

/// The reason that a form changes nothing.
pub(super) enum Refused {
    Problem(Problem),
    Tournament(TournamentRefusal),
    /// In words.
    Said(String),
    /// A later change would not apply without the one that is to be undone.
    Dependent {
        later: Number,
        why: String,
    },
    /// The tournament is not as the form saw it; the key of the sentence.
    Moved(&'static str),
    /// The pairing is not the one that the form showed, but this one.
    OtherPlan(Box<Plan>),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::Tournament(refusal.into())
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Problem(error.into())
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Tournament(TournamentRefusal::Faults(vec![fault]))
    }
}

impl Refused {
    /// The problem, and its sentence for people.
    pub(super) fn problem_and_sentence(
        self,
        context: &RequestContext,
        view: &View,
        fields: &Fields,
    ) -> (Problem, String) {
        let problem = match self {
            Self::Problem(problem) => problem,
            Self::Tournament(refusal) => {
                let number = context.declares("number").then(|| context.path_number("number"));
                refusal.into_problem(number.unwrap_or_default(), view.lang)
            }
            Self::Said(reason) => Problem::new(problem::TOURNAMENT).with("reason", reason),
            Self::Dependent { later, why } => {
                let reason = view.fill("history.dependent", &[("later", &later), ("why", &why)]);
                Problem::new(problem::TOURNAMENT).with("reason", reason)
            }
            Self::Moved(key) => Problem::new(problem::TOURNAMENT).with("reason", view.say(key)),
            Self::OtherPlan(_) => Problem::new(problem::TOURNAMENT).with("reason", view.say("tournament.moved")),
        };
        let said = match problem.code() {
            code if code == problem::TOKEN.id && fields.token().is_none() => view.say("tournament.no-token").to_owned(),
            code if code == problem::TOKEN.id || code == problem::TOKEN_EXPIRED.id => {
                view.say("tournament.wrong-token").to_owned()
            }
            _ => problem.detail(view.lang),
        };
        (problem, said)
    }
}

/// Takes the token of a form as that of the request.
///
/// # Errors
/// `api.token`, `api.token-expired` or `api.scope`.
pub(super) fn sign_in(context: &mut RequestContext, fields: &Fields) -> Result<Bearer, Refused> {
    let access = Access::Scope(Scope::EventsAdmin);
    let bearer = auth::holder_in_form(fields.token(), access, context.store(), context.settings().query_timeout)?;
    context.bearer = Some(bearer.clone());
    Ok(bearer)
}

/// The same for a change that a token for one board may not make.
///
/// # Errors
/// As [`sign_in`].
pub(super) fn sign_in_to_direct(
    context: &mut RequestContext,
    fields: &Fields,
    tournament: Option<Number>,
) -> Result<Bearer, Refused> {
    let bearer = sign_in(context, fields)?;
    bearer.may_direct(tournament)?;
    Ok(bearer)
}

/// The attribution of a change with the reason and the author of the form, if it has them.
///
/// # Errors
/// If the reason is missing although it `is_needed`, or one of both is too long.
pub(super) fn by(
    context: &RequestContext,
    view: &View,
    fields: &Fields,
    is_needed: bool,
) -> Result<Attribution, Refused> {
    let (reason, author) = (fields.text(REASON), fields.text(AUTHOR).map(str::to_owned));
    if is_needed && reason.is_none() {
        return Err(Refused::Said(view.say("tournament.reason-needed").to_owned()));
    }
    Attribution::decision(context.submitter(), reason, author).map_err(|invalid| {
        Refused::Said(match invalid {
            UnfitText::Reason => view.fill("tournament.reason-long", &[("max", &Attribution::REASON)]),
            UnfitText::Author => view.fill("tournament.author-wrong", &[("max", &Attribution::AUTHOR)]),
        })
    })
}

/// Changes a tournament by the steps that `steps` makes of its present state, if the token may make them. Returns false if there is nothing to do.
pub(super) async fn change(
    context: &RequestContext,
    bearer: Bearer,
    number: Number,
    by: Attribution,
    steps: impl Fn(&StoredTournament) -> Result<Vec<Change>, Refused> + Send + 'static,
) -> Result<bool, Refused> {
    let steps = move |stored: &StoredTournament| -> Result<_, Refused> {
        let steps = steps(stored)?;
        bearer.may_change(number, &steps)?;
        Ok(steps)
    };
    let changed = context.write(move |writing: &WriteTx<'_>| writing.change_tournament(number, &by, &steps));
    Ok(changed.await?.is_some())
}

/// A page with the status of the reason that its form was refused. Programs get the problem instead.
pub(super) fn respond(context: &RequestContext, page: String, problem: Option<Problem>) -> HandlerResult {
    let response: HttpResponse = match problem {
        None => page_response(context, page),
        Some(problem) if negotiate::prefers_pages(context.request.headers()) => {
            context.with_language(problem.builder(HTML).body(page))
        }
        Some(problem) => return Err(problem),
    };
    Ok(response)
}
