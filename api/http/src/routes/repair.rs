//! Readings of spoilt sheets, and the game of several sheets, without storing anything.

use std::io::{Cursor, Read};

use quipu_notation::record::Chunk;
use quipu_referee::{
    Status,
    repaired::{self, MOST_SHEETS, MergeFault, MergedSheets, Repair},
    report::{
        self,
        repair::{MergeReport, RepairReport},
    },
    verify,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ingest::{self, BodyFormat, Ingest, RequestInfo},
    record_body::RECORDS,
    records::LARGE,
    shared::{COST, FROM},
    stored_record,
    verify::{Closing, Summary},
};
use crate::{
    budget::Reservation,
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem, ProblemDocument},
    request::RequestContext,
    route::{Content, GET, Method, NDJSON, Response, Route},
    stream::{self, End, Sink},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/repair",
            id: "repair",
            group: "records",
            params: &[FROM],
            body: RECORDS,
            responses: &[Response::ok(&[Content::json::<Repairs<'_>>(), Content::ndjson::<RepairLine<'_>>()])],
            streams: true,
            ..GET
        },
        handler: |context| Box::pin(repair(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/merge",
            id: "merge-sheets",
            group: "records",
            params: &[FROM],
            body: RECORDS,
            responses: &[Response::ok(&[Content::json::<Merge<'_>>()])],
            problems: &[problem::MERGE],
            ..GET
        },
        handler: |context| Box::pin(merge(context)),
    },
];

/// Records of one body.
const MAX_RECORDS: usize = 20;

/// The readings of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Repair")]
struct Readings<'r>(RepairReport<'r>);

/// The game of several sheets.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MergedSheets")]
struct Merge<'m>(MergeReport<'m>);

/// All records at once. [`whole`] writes them piece by piece.
#[expect(dead_code, reason = "it is there for its schema")]
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Repairs<'r> {
    /// One per record, in the order of the body.
    repairs: Vec<Readings<'r>>,
    /// Number of records by status.
    summary: Summary,
}

/// A line of a streamed response.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum RepairLine<'r> {
    /// The readings of the next record.
    Readings(Box<Readings<'r>>),
    /// The last line of a complete response.
    Summary(Closing),
    /// The last line after an error. The records after it are not read.
    Problem(Box<ProblemDocument>),
}

/// The readings of a record; none of text that is no record.
struct RecordRepair(Option<Repair<'static>>);

type RepairIngest<R> = Ingest<R, RecordRepair>;

fn search(chunk: &Chunk<'_>, most: usize) -> Vec<RecordRepair> {
    let records = chunk.records_without_notes().take(most);
    records.map(|read| RecordRepair(read.ok().map(|record| repaired::of(&record).into_owned()))).collect()
}

impl RecordRepair {
    /// The status of the record as it stands.
    fn status(&self) -> Status {
        self.0.as_ref().map_or(Status::Unreadable, |repair| repair.verdict.status)
    }

    fn report(&self, index: u64, info: &RequestInfo) -> Readings<'_> {
        Readings(match &self.0 {
            Some(repair) => report::repair::repair(repair, index, info.lang),
            None => report::repair::unreadable(index),
        })
    }
}

async fn repair(mut context: RequestContext) -> HandlerResult {
    context.charge(COST)?;
    let info = RequestInfo::of(&context);
    if context.media == NDJSON {
        let body = context.body_reader();
        let mut ingest = Ingest::new(&context, body, search).counting_unfinished(&context).at_most(MAX_RECORDS);
        let response = context.stream_of_body(move |sink| lines(&mut ingest, &info, sink)).await?;
        return Ok(context.with_language(response));
    }
    let body = context.body().await?;
    let turn = context.permit().await?;
    let ingest = Ingest::new(&context, Cursor::new(body), search).at_once(turn).at_most(MAX_RECORDS);
    let mut reservation = context.take_body_reservation();
    let write = move || {
        let json = whole(ingest, &info, &mut reservation)?;
        reservation.shrink_to(json.len());
        Ok((reservation, json))
    };
    let (reservation, json) = context.work_with((), write).await?;
    Ok(context.with_language(context.json_reserved(reservation, json)))
}

/// The readings of all records as one object.
fn whole(
    mut ingest: RepairIngest<impl Read>,
    info: &RequestInfo,
    reservation: &mut Reservation,
) -> Result<Vec<u8>, Problem> {
    let (mut json, mut summary) = (b"{\"repairs\":[".to_vec(), Summary::default());
    while let Some(batch) = ingest.next_batch()? {
        let before = json.len();
        for found in batch {
            info.count(found.status());
            if summary.records > 0 {
                json.push(b',');
            }
            summary += found.status();
            // Writing to memory does not fail.
            drop(report::write(&found.report(summary.records, info), &mut json));
        }
        reservation.grow(json.len() - before)?;
    }
    json.extend_from_slice(b"],\"summary\":");
    drop(report::write(&summary, &mut json));
    json.extend_from_slice(b"}");
    Ok(json)
}

/// One line per record, and a last line.
fn lines(ingest: &mut RepairIngest<impl Read>, info: &RequestInfo, sink: &mut Sink) -> Result<(), End> {
    let mut summary = Summary::default();
    loop {
        let batch = match ingest.next_batch() {
            Ok(Some(batch)) => batch,
            Ok(None) => return sink.line(&RepairLine::Summary(Closing { summary })),
            Err(problem) if summary.records == 0 => return Err(problem.into()),
            Err(problem) => return sink.line(&RepairLine::Problem(Box::new(info.line(&problem)))),
        };
        for found in batch {
            info.count(found.status());
            summary += found.status();
            sink.line(&RepairLine::Readings(Box::new(found.report(summary.records, info))))?;
        }
    }
}

async fn merge(mut context: RequestContext) -> HandlerResult {
    context.charge(COST)?;
    let (lang, body) = (context.lang, context.body().await?);
    let form = ingest::body_format(&context);
    // The size of a compressed body is known only once it is read.
    let is_plain = ["text/", "application/json", NDJSON].iter().any(|media| context.body_media.starts_with(media));
    let is_large = body.len() > LARGE || !is_plain;
    let work = move || {
        let merged = merged(&body, form, lang)?;
        let mut json = Vec::new();
        // Writing to memory does not fail.
        drop(report::write(&Merge(report::repair::merge(&merged, lang)), &mut json));
        Ok(json)
    };
    let json = if is_large { context.work_on_large_record(work).await } else { context.work(work).await }?;
    Ok(context.with_language(context.bytes(json)))
}

/// The game of the sheets of a body.
///
/// # Errors
/// `api.merge` if they are not of one game, or the code of the referee if one of them is unreadable.
fn merged(body: &[u8], form: BodyFormat, lang: quipu_referee::Lang) -> Result<MergedSheets<'static>, Problem> {
    let mut reader = ingest::reader(Cursor::new(body), form);
    let mut sheets = Vec::new();
    // More are refused, so they are not read.
    while let Some(chunk) = reader.next_chunk().map_err(stream::problem)?
        && sheets.len() <= MOST_SHEETS
    {
        for record in chunk.records_without_notes().take(MOST_SHEETS + 1) {
            let refused = |error| stored_record::refused(&verify::unreadable(&error, &chunk), lang);
            sheets.push(repaired::owned(&record.map_err(refused)?));
        }
    }
    if sheets.is_empty() {
        return Err(ingest::nothing());
    }
    repaired::merge(&sheets).map_err(|fault| not_merged(&fault, lang))
}

fn not_merged(fault: &MergeFault, lang: quipu_referee::Lang) -> Problem {
    let reason = report::repair::fault_in_words(fault, lang, |sheet| (sheet + 1).to_string());
    Problem::variant(problem::MERGE, "sheets").with("reason", reason).extension("fault", &fault.code())
}
