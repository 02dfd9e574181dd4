//! The history of a record.

use actix_web::http::header::{self, HeaderValue};
use quipu_notation::record::Format;
use quipu_referee::{
    Lang,
    report::{self, hex},
};

use super::{
    records::{self, no_record},
    shared::RECORD,
};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, GET, Response, Route},
    spool::{SpoolWriter, Spooled},
};
use quipu_archive::{
    model::{Id, Number},
    report::HistoryReport,
    store::Store,
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/v1/records/{id}/history",
        id: "history",
        group: "records",
        params: &[RECORD],
        responses: &[Response::ok(&[Content::json::<HistoryReport<'_>>()])],
        problems: &[problem::ID, problem::NOT_FOUND],
        ..GET
    },
    handler: |context| Box::pin(show(context)),
}];

async fn show(context: RequestContext) -> HandlerResult {
    let (id, lang, out, store) = (context.record(), context.lang, context.spool(), context.store().clone());
    let size = records::size(&context, &id)?;
    let write = move || written(&store, &id, size.format, lang, out);
    let Written { body, links, last, sheets } =
        if size.verdicts <= records::LARGE { write()? } else { context.work_on_large_record(write).await? };
    let mut response = context.with_language(context.spooled(body));
    for link in links {
        if let Ok(link) = HeaderValue::from_str(&link) {
            response.headers_mut().append(header::LINK, link);
        }
    }
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{last}{sheets}")))
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
    let found = store.read(|reading| reading.history(id))?.ok_or_else(|| no_record(id))?;
    let last = found.changes.last().map_or(found.card.number, |change| change.number);
    let links = found.replaces().map(|old| (old, "predecessor-version"));
    let links = links.chain(found.replaced_by().map(|new| (new, "successor-version")));
    let links = links.map(|(id, relation)| format!("</v1/records/{}>; rel=\"{relation}\"", hex(&id))).collect();
    let sheets = found.sheets.iter().map(|(number, _)| format!("-{number}")).collect();
    let history = HistoryReport::new(&found, form, lang);
    // `finish` reports a response that cannot be spooled.
    drop(report::write(&history, &mut out));
    Ok(Written { body: out.finish()?, links, last, sheets })
}
