//! Records without end: every one that passes the filters, in the order of entry.

use actix_web::http::header::{HeaderName, HeaderValue};
use quipu_referee::{Status, report::hex};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        call::Call,
        stream::{End, Sink},
    },
    Answered, TEXT,
    filters::Asked,
    records::{self, Record},
};
use crate::{
    archive::{Card, Number, Source},
    store::{Filter, Store},
};

/// Records that are taken from the archive at once. They may be large, and the archive waits for nobody who reads slowly.
const PAGE: usize = 32;

/// The number of the last change that the answer knows of; who goes on `since` that misses nothing.
const LAST_CHANGE: HeaderName = HeaderName::from_static("quipu-last-change");

/// A record and its place in the archive.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExportLine", deny_unknown_fields)]
pub(crate) struct Line<'r> {
    /// The change that brought it.
    #[schemars(range(min = 1))]
    change: Number,
    /// Its id.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// What the referee says of it.
    #[schemars(extend("enum" = super::choices::statuses()))]
    status: &'static str,
    /// Whether it stands.
    #[schemars(extend("enum" = super::choices::states()))]
    state: &'static str,
    /// The record; null if it cannot be read.
    record: Option<Record<'r>>,
}

pub(super) async fn export(call: Call) -> Answered {
    let asked = Asked::of(&call)?;
    let since = call.number("since").unwrap_or_default();
    let (last, filter) = call.read(|reading| Ok((reading.last_change()?, asked.filter(reading)?)))?;
    let write = if call.media == TEXT { text } else { line };
    let store = call.store().clone();
    let export = move |sink: &mut Sink| match filter {
        Some(filter) => each(&store, &filter, since, last, |card, source| write(sink, card, source)),
        None => Ok(()),
    };
    let mut answer = call.stream(export).await?;
    answer.headers_mut().insert(LAST_CHANGE, HeaderValue::from(last));
    Ok(answer)
}

/// Hands on every record behind `since`, up to the change that was the last when it was asked.
fn each(
    store: &Store,
    filter: &Filter,
    mut since: Number,
    last: Number,
    mut write: impl FnMut(&Card, &Source) -> Result<(), End>,
) -> Result<(), End> {
    while since < last {
        let page = store.read(|reading| reading.export(filter, since, PAGE))?;
        for (card, source) in page.iter().take_while(|(card, _)| card.number <= last) {
            write(card, source)?;
        }
        since = page.last().filter(|_| page.len() == PAGE).map_or(last, |(card, _)| card.number);
    }
    Ok(())
}

/// Writes a record as a line of JSON.
fn line(sink: &mut Sink, card: &Card, source: &Source) -> Result<(), End> {
    let record = records::block(source).records().next().and_then(Result::ok);
    sink.line(&Line {
        change: card.number,
        id: hex(&card.id),
        status: card.status.as_str(),
        state: card.state.as_str(),
        record: record.as_ref().map(Record),
    })
}

/// Writes a record in canonical text, behind a line that a reader passes over. Of what cannot be read there is only that
/// line.
fn text(sink: &mut Sink, card: &Card, source: &Source) -> Result<(), End> {
    let place = format!("% change {} id {}", card.number, hex(&card.id));
    if card.status == Status::Unreadable {
        return sink.write(format!("{place} unreadable\n\n").as_bytes());
    }
    sink.write(format!("{place}\n").as_bytes())?;
    sink.write(records::block(source).text())
}
