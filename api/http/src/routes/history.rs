//! The history of a record.

use actix_web::http::header::{self, HeaderValue};
use quipu_notation::record::Format;
use quipu_referee::{
    Lang,
    report::{self, hex},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    change::{self, Change},
    records::{self, no_record},
    shared::RECORD,
};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Answer, Content, GET, Route},
    schema::Verdict,
    spool::{SpoolWriter, Spooled},
};
use quipu_archive::{
    model::{Id, Judgement, Kind, Number},
    store::{self, Store},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/records/{id}/history",
        id: "history",
        group: "records",
        params: &[RECORD],
        answers: &[Answer::ok(&[Content::json::<History<'_>>()])],
        problems: &[problem::ID, problem::NOT_FOUND],
        ..GET
    },
    handler: |context| Box::pin(show(context)),
}];

/// The history of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct History<'h> {
    /// Its id.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// The change that added it.
    #[schemars(range(min = 1))]
    change: Number,
    /// Time of storage.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Status of the verdict.
    #[schemars(extend("enum" = super::enum_values::statuses()))]
    status: &'static str,
    /// State of the record.
    #[schemars(extend("enum" = super::enum_values::states()))]
    state: &'static str,
    /// Format of the submission.
    #[schemars(extend("enum" = Format::ALL.map(Format::as_str)))]
    form: &'static str,
    /// Name of the token or program that submitted it.
    submitter: &'h str,
    /// Author of the decision, if given.
    author: Option<&'h str>,
    /// Reason of the decision, if given.
    reason: Option<&'h str>,
    /// The records that it replaces.
    #[schemars(inner(regex(pattern = "^[0-9a-f]{64}$")))]
    replaces: Vec<String>,
    /// The record that replaces it.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    replaced_by: Option<String>,
    /// The sheets of its game in the order of entry. The first of them counts; the list is empty if there is no other sheet.
    #[schemars(inner(regex(pattern = "^[0-9a-f]{64}$")))]
    sheets: Vec<String>,
    /// Its verdicts, the oldest first.
    verdicts: Vec<PastVerdict<'h>>,
    /// The changes that affected it, the oldest first.
    changes: Vec<Change>,
}

/// A verdict of the past or the present.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PastVerdict<'h> {
    /// The change that added it.
    #[schemars(range(min = 1))]
    change: Number,
    /// Time of the verdict.
    #[schemars(extend("format" = "date-time"))]
    at: Option<String>,
    /// Edition of the rules.
    edition: u32,
    /// Version of the program.
    program: &'h str,
    /// The verdict.
    verdict: Verdict<'h>,
}

async fn show(context: RequestContext) -> HandlerResult {
    let (id, lang, out, store) = (context.record(), context.lang, context.spool(), context.store().clone());
    let size = records::size(&context, &id)?;
    let write = move || written(&store, &id, size.form, lang, out);
    let Written { body, links, last, sheets } =
        if size.verdicts <= records::LARGE { write()? } else { context.work_on_large_record(write).await? };
    let mut answer = context.with_language(context.spooled(body));
    for link in links {
        if let Ok(link) = HeaderValue::from_str(&link) {
            answer.headers_mut().append(header::LINK, link);
        }
    }
    Ok(context.with_etag(answer, CachePolicy::UntilChange, format_args!("{last}{sheets}")))
}

/// The history of a record as JSON, with the data of its headers.
struct Written {
    body: Spooled,
    links: Vec<String>,
    /// The last change that affected the record.
    last: Number,
    /// Numbers of the sheets of its game, which other changes affect.
    sheets: String,
}

fn written(store: &Store, id: &Id, form: Format, lang: Lang, mut out: SpoolWriter) -> Result<Written, Problem> {
    let found = store.read(|reading| reading.history(id))?;
    let store::History { card, by, judgements, changes, sheets } = found.ok_or_else(|| no_record(id))?;
    let last = changes.last().map_or(card.number, |change| change.number);
    let corrections = || changes.iter().filter(|change| change.kind == Kind::Correction && change.undone_by.is_none());
    let replaces = corrections().filter(|change| change.record == Some(*id)).filter_map(|change| change.corrects);
    let replaces: Vec<String> = replaces.map(|old| hex(&old)).collect();
    let mut replaced_by =
        corrections().filter(|change| change.corrects == Some(*id)).filter_map(|change| change.record);
    let replaced_by = replaced_by.next_back().map(|new| hex(&new));
    let links = replaces.iter().map(|old| (old, "predecessor-version"));
    let links = links.chain(replaced_by.iter().map(|new| (new, "successor-version")));
    let links = links.map(|(id, relation)| format!("</v1/records/{id}>; rel=\"{relation}\"")).collect();
    let at = |judgement: &Judgement| {
        changes.iter().find(|change| change.number == judgement.number).map(|change| change::time(change.at))
    };
    let verdicts = judgements.iter().map(|judgement| PastVerdict {
        change: judgement.number,
        at: at(judgement),
        edition: judgement.edition,
        program: &judgement.program,
        verdict: Verdict(judgement.report(lang)),
    });
    let history = History {
        id: hex(id),
        change: card.number,
        at: change::time(card.at),
        status: card.status.as_str(),
        state: card.state.as_str(),
        form: form.as_str(),
        submitter: &by.submitter,
        author: by.author.as_deref(),
        reason: by.reason.as_deref(),
        replaces,
        replaced_by,
        sheets: sheets.iter().map(|(_, id)| hex(id)).collect(),
        verdicts: verdicts.collect(),
        changes: changes.iter().cloned().map(Change::from).collect(),
    };
    // `finish` reports a response that cannot be spooled.
    drop(report::write(&history, &mut out));
    let sheets = sheets.iter().map(|(number, _)| format!("-{number}")).collect();
    Ok(Written { body: out.finish()?, links, last, sheets })
}
