//! Changes of the archive: their list, and the decisions of people: corrections, retractions, merges of players, and
//! undoing them. Each decision has a reason and is appended to the changes.

use quipu_referee::{Lang, is_active, report};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

use super::{
    change::Change,
    idempotency::{self, StoredResponse},
    ingest::{self, SingleRecord},
    shared::{IDEMPOTENCY, LIMIT, NUMBER, RECORD, SINCE},
    submit,
};
use crate::{
    endpoint::Endpoint,
    paging::List,
    params::MAX_NUMBER,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Access, Answer, Content, GET, Method, Route},
};
use quipu_archive::{
    model::{By, Id, Kind, Number, State, Submission},
    store::{Page, ReadTx, Refusal, StoreError, WriteTx},
};
use quipu_options::Scope;

/// Access to decisions about stored records.
const DECIDE: Access = Access::Scope(Scope::EventsAdmin);

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/records/{id}/corrections",
            id: "correct",
            group: "changes",
            access: DECIDE,
            params: &[RECORD, IDEMPOTENCY],
            body: &[Content::json::<Correction>()],
            answers: &[Answer::created(&[Content::json::<submit::Stored<'_>>()])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::CONFLICT, problem::INCOMPLETE, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(correct(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/records/{id}/retractions",
            id: "retract",
            group: "changes",
            access: DECIDE,
            params: &[RECORD, IDEMPOTENCY],
            body: &[Content::json::<Reason>()],
            answers: &[Answer::created(&[Content::json::<Change>()])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(retract(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/changes",
            id: "changes",
            group: "changes",
            params: &[SINCE, LIMIT],
            answers: &[Answer::ok(&[Content::json::<List<Change>>()])],
            ..GET
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/changes/{number}/undo",
            id: "undo",
            group: "changes",
            access: DECIDE,
            params: &[NUMBER, IDEMPOTENCY],
            body: &[Content::json::<Reason>()],
            answers: &[Answer::created(&[Content::json::<Change>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(undo(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/players/{number}/merges",
            id: "merge",
            group: "changes",
            access: DECIDE,
            params: &[NUMBER, IDEMPOTENCY],
            body: &[Content::json::<Merge>()],
            answers: &[Answer::created(&[Content::json::<Change>()])],
            problems: &[problem::NOT_FOUND, problem::CONFLICT, problem::IDEMPOTENCY],
            ..GET
        },
        handler: |context| Box::pin(merge(context)),
    },
];

/// Most characters of a reason.
const REASON: usize = 2_000;
/// Most characters of the name of an author.
const AUTHOR: usize = 200;
/// JSON Schema pattern of a text that is not blank: it contains a character that is not white space
/// (`char::is_whitespace`).
const NOT_BLANK: &str = r"[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";
/// The same, without characters that act on a terminal instead of being shown ([`is_active`]).
const LINE: &str = concat!(
    r"^[^\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000]",
    r"[^\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]*$"
);

/// A record that replaces another.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Correction {
    /// One record, in any format.
    #[schemars(length(min = 1), regex(pattern = NOT_BLANK))]
    record: String,
    /// The reason.
    #[schemars(length(min = 1, max = REASON), regex(pattern = NOT_BLANK))]
    reason: String,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// The reason of a decision.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reason {
    /// The reason.
    #[schemars(length(min = 1, max = REASON), regex(pattern = NOT_BLANK))]
    reason: String,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// The player into which another is merged.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Merge {
    /// Its number, or its exact name.
    into: Player,
    /// The reason.
    #[schemars(length(min = 1, max = REASON), regex(pattern = NOT_BLANK))]
    reason: String,
    /// The author of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = AUTHOR), regex(pattern = LINE))]
    author: Option<String>,
}

/// A player, by number or by name.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "the number or the name of a player")]
#[schemars(inline)]
enum Player {
    Number(
        #[serde(deserialize_with = "whole")]
        #[schemars(range(min = 1, max = MAX_NUMBER))]
        Number,
    ),
    Name(String),
}

/// A player number as JSON Schema counts whole numbers: `7.0` is one too.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
    let text = serde_json::Number::deserialize(deserializer)?.to_string();
    let number = text.strip_suffix(".0").unwrap_or(&text).parse().ok();
    number.filter(|number| (1..=MAX_NUMBER).contains(number)).ok_or_else(|| Error::custom("no number of a player"))
}

impl Player {
    fn name(&self, reading: &ReadTx<'_>) -> Result<String, Problem> {
        match self {
            Self::Number(number) => name(reading, *number),
            Self::Name(name) => Ok(name.clone()),
        }
    }
}

fn name(reading: &ReadTx<'_>, number: Number) -> Result<String, Problem> {
    let player = reading.player(number)?;
    player.map(|player| player.name).ok_or_else(|| missing("player", number))
}

fn missing(what: &'static str, number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, what).with("found", number)
}

async fn index(context: RequestContext) -> HandlerResult {
    let (since, limit) = (context.number("since").unwrap_or_default(), context.limit());
    let ask = move |reading: &ReadTx<'_>| reading.changes(since, limit);
    let Page { items, next } = context.read_page(limit, ask).await?;
    Ok(context.page_since(items.into_iter().map(Change::from).collect(), next))
}

async fn correct(mut context: RequestContext) -> HandlerResult {
    let Correction { record, reason, author } = context.body_json().await?;
    let by = by(&context, &reason, author)?;
    // The idempotency fingerprint covers the values of the decision, not the layout of its JSON.
    let asked = said(&(&record, &by.reason, &by.author));
    let submission = match context.work(move || Ok(SingleRecord::of(record.as_bytes(), None))).await? {
        SingleRecord::Nothing => return Err(ingest::nothing()),
        SingleRecord::Several => return Err(Problem::variant(problem::BODY, "several")),
        SingleRecord::One(submission) => submission,
    };
    context.count_verdicts(submission.verdict.status, 1);
    let (id, lang) = (context.record(), context.lang);
    idempotency::once(&context, &asked, move |writing| match writing.correct(&id, &submission, &by) {
        Ok(change) => Ok(submit::stored(writing, &submission.id, change, 201, lang)?),
        Err(refusal) => Err(refused(writing, refusal, &About::record(id, Some((&submission, lang))))?),
    })
    .await
}

async fn retract(mut context: RequestContext) -> HandlerResult {
    let (by, asked) = reason(&mut context).await?;
    let id = context.record();
    decide(&context, &asked, move |writing| {
        let retracted = writing.retract(&id, &by);
        retracted.or_else(|refusal| Err(refused(writing, refusal, &About::record(id, None))?))
    })
    .await
}

async fn merge(mut context: RequestContext) -> HandlerResult {
    let merge: Merge = context.body_json().await?;
    let asked = said(&merge);
    let by = by(&context, &merge.reason, merge.author)?;
    let number = context.path_number("number");
    decide(&context, &asked, move |writing| {
        let (name, into) = (name(writing, number)?, merge.into.name(writing)?);
        let merged = writing.merge(&name, &into, &by);
        merged.or_else(|refusal| Err(refused(writing, refusal, &About::named(&name))?))
    })
    .await
}

async fn undo(mut context: RequestContext) -> HandlerResult {
    let (by, asked) = reason(&mut context).await?;
    let number = context.path_number("number");
    decide(&context, &asked, move |writing| {
        let undone = writing.undo(number, &by);
        undone.or_else(|refusal| Err(refused(writing, refusal, &About::named(&number))?))
    })
    .await
}

/// Makes a decision once, and responds with the change.
async fn decide(
    context: &RequestContext,
    asked: &[u8],
    work: impl Fn(&WriteTx<'_>) -> Result<Number, Problem> + Send + 'static,
) -> HandlerResult {
    let lang = context.lang;
    idempotency::once(context, asked, move |writing| {
        let number = work(writing)?;
        let change = writing.changes(number - 1, 1)?.items.pop();
        let change = change.ok_or_else(|| StoreError::Corrupt(format!("change {number} is missing")))?;
        Ok(StoredResponse::new(201, lang, None, &Change::from(change)))
    })
    .await
}

/// The attribution in a body that has nothing else, and the bytes for its fingerprint.
async fn reason(context: &mut RequestContext) -> Result<(By, Vec<u8>), Problem> {
    let reason: Reason = context.body_json().await?;
    let asked = said(&reason);
    Ok((by(context, &reason.reason, reason.author)?, asked))
}

/// The values of a request as bytes, independent of the layout of its JSON.
fn said(asked: &impl Serialize) -> Vec<u8> {
    // Writing to memory does not fail.
    serde_json::to_vec(asked).unwrap_or_default()
}

/// The attribution of a decision, checked.
fn by(context: &RequestContext, reason: &str, author: Option<String>) -> Result<By, Problem> {
    let fits = |text: &str, max| text.chars().count() <= max && !text.trim().is_empty();
    let wrong =
        |variant, name, max: usize| Err(Problem::variant(problem::BODY, variant).with("name", name).with("max", max));
    if !fits(reason, REASON) {
        return wrong("text", "reason", REASON);
    }
    if author.as_ref().is_some_and(|author| !fits(author, AUTHOR) || author.contains(is_active)) {
        return wrong("line", "author", AUTHOR);
    }
    Ok(context.by(author, Some(reason.to_owned())))
}

/// The subject of a refused decision.
#[derive(Default)]
struct About<'a> {
    /// Its name: a record, a change, or a player by name.
    found: String,
    /// The record.
    id: Id,
    /// The replacement of the record, and the language of the verdict on it.
    new: Option<(&'a Submission, Lang)>,
}

impl<'a> About<'a> {
    fn record(id: Id, new: Option<(&'a Submission, Lang)>) -> Self {
        Self { found: report::hex(&id), id, new }
    }

    fn named(found: &impl ToString) -> Self {
        Self { found: found.to_string(), ..Self::default() }
    }
}

/// The problem of a refused decision. Its member `conflict` has the reason for programs.
fn refused(reading: &ReadTx<'_>, refusal: Refusal, about: &About<'_>) -> Result<Problem, StoreError> {
    let no = |variant| Problem::variant(problem::NOT_FOUND, variant).with("found", &about.found);
    let conflict = |variant| Problem::variant(problem::CONFLICT, variant).extension("conflict", &variant);
    let its = |variant| conflict(variant).with("found", &about.found);
    Ok(match (refusal, about.new) {
        (Refusal::Store(error), _) => return Err(error),
        (Refusal::NoRecord, _) => no("record"),
        (Refusal::NoChange, _) => no("change"),
        (Refusal::NoPlayer(name), _) => Problem::variant(problem::NOT_FOUND, "name").with_quoted("found", &name),
        (Refusal::NotCurrent(State::Corrected), _) => {
            let by = report::hex(&in_place_of(reading, &about.id)?);
            its("corrected").with("by", &by).extension("corrected_by", &by)
        }
        (Refusal::NotCurrent(_), _) => its("retracted"),
        (Refusal::Same, _) => its("same"),
        (Refusal::There(state), Some((new, _))) => {
            let new = report::hex(&new.id);
            conflict("there").with("found", &new).extension("id", &new).extension("state", &state.as_str())
        }
        (Refusal::NotVerified, Some((new, lang))) => submit::refused(&new.verdict, lang),
        // Only a correction adds a record.
        (Refusal::There(_) | Refusal::NotVerified, None) => Problem::new(problem::INTERNAL),
        (Refusal::SamePlayer, _) => conflict("same-player").with_quoted("found", &about.found),
        (Refusal::Merged(name, other), _) => {
            conflict("merged").with_quoted("found", &name).with_quoted("by", &other).extension("counts_as", &other)
        }
        (Refusal::Lasting(kind), _) => its("lasting").extension("kind", &kind.as_str()),
        (Refusal::Undone(by), _) => its("undone").with("by", by).extension("undone_by", &by),
        (Refusal::Since, _) => its("since"),
    })
}

/// The record that replaces a corrected one.
fn in_place_of(reading: &ReadTx<'_>, id: &Id) -> Result<Id, StoreError> {
    let history = reading.history(id)?;
    let changes = history.into_iter().flat_map(|history| history.changes).rev();
    let mut corrections =
        changes.filter(|change| change.kind == Kind::Correction && change.corrects.as_ref() == Some(id));
    let standing = corrections.find(|change| change.undone_by.is_none()).and_then(|change| change.record);
    standing.ok_or_else(|| StoreError::Corrupt(format!("what corrects {} is missing", report::hex(id))))
}
