//! Verification of records without storing them.

use std::{io::Read, ops::AddAssign};

use quipu_notation::record::{Chunk, Record};
use quipu_referee::{
    Status,
    advice::{PlayerName, Players},
    report::{self, VerdictReport},
    verify,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ingest::{Ingest, RequestInfo},
    record_body::RECORDS,
    shared::FROM,
};
use crate::{
    budget::Reservation,
    endpoint::Endpoint,
    problem::{HandlerResult, Problem, ProblemDocument},
    request::RequestContext,
    route::{Content, GET, Method, NDJSON, Response, Route},
    schema::Verdict,
    stream::{End, Sink},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        method: Method::Post,
        path: "/v1/verify",
        id: "verify",
        group: "records",
        params: &[FROM],
        body: RECORDS,
        responses: &[Response::ok(&[Content::json::<Verdicts<'_>>(), Content::ndjson::<Line<'_>>()])],
        streams: true,
        ..GET
    },
    handler: |context| Box::pin(verify(context)),
}];

/// All verdicts at once. [`whole`] writes it piece by piece.
#[expect(dead_code, reason = "it is there for its schema")]
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Verdicts<'v> {
    /// One per record, in the order of the body.
    verdicts: Vec<Verdict<'v>>,
    /// Number of records by status.
    summary: Summary,
}

/// A line of a streamed response.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "VerdictLine")]
pub(crate) enum Line<'v> {
    /// The verdict on the next record.
    Verdict(Box<Verdict<'v>>),
    /// The last line of a complete response.
    Summary(Closing),
    /// The last line after an error. The records after it are not judged.
    Problem(Box<ProblemDocument>),
}

/// The last line of a streamed response.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VerdictClosing", deny_unknown_fields)]
pub(crate) struct Closing {
    /// Number of records by status.
    pub(super) summary: Summary,
}

/// Number of records by status.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "VerdictSummary", deny_unknown_fields)]
pub(crate) struct Summary {
    pub(super) records: u64,
    /// Legal to the end.
    verified: u64,
    /// Legal so far.
    incomplete: u64,
    /// Against the rules.
    rejected: u64,
    /// Not records.
    unreadable: u64,
}

impl AddAssign<Status> for Summary {
    fn add_assign(&mut self, status: Status) {
        self.records += 1;
        *match status {
            Status::Verified => &mut self.verified,
            Status::Incomplete => &mut self.incomplete,
            Status::Rejected => &mut self.rejected,
            Status::Unreadable => &mut self.unreadable,
        } += 1;
    }
}

/// A verdict, the names of the players of its record, and the number of the part of the body that it stands in.
struct NamedVerdict {
    verdict: quipu_referee::Verdict,
    players: Vec<PlayerName<'static>>,
    part: Option<usize>,
}

impl NamedVerdict {
    /// The verdict, with advice on names that are close to those before.
    fn compared(self, players: &mut Players) -> quipu_referee::Verdict {
        let mut verdict = self.verdict;
        verdict.advice.extend(self.players.iter().filter_map(|name| players.note(name)));
        verdict
    }
}

type VerdictIngest<R> = Ingest<R, NamedVerdict>;

fn judge(chunk: &Chunk<'_>, most: usize) -> Vec<NamedVerdict> {
    let judged = verify::chunk(chunk).take(most).map(|judged| NamedVerdict {
        players: player_names(chunk, judged.record.as_ref()),
        verdict: judged.verdict,
        part: chunk.part(),
    });
    judged.collect()
}

/// The names of the players of a record, with their places.
pub(crate) fn player_names(chunk: &Chunk<'_>, record: Option<&Record<'_>>) -> Vec<PlayerName<'static>> {
    let names = record.into_iter().flat_map(|record| PlayerName::all(record));
    names.map(|name| name.clone().at(chunk.place(name.span().start as usize))).collect()
}

async fn verify(mut context: RequestContext) -> HandlerResult {
    let info = RequestInfo::of(&context);
    if context.media == NDJSON {
        let body = context.body_reader();
        let mut ingest = Ingest::new(&context, body, judge).counting_unfinished(&context);
        let response = context.stream_of_body(move |sink| lines(&mut ingest, &info, sink)).await?;
        return Ok(context.with_language(response));
    }
    let body = context.body().await?;
    let turn = context.permit().await?;
    let ingest = Ingest::new(&context, std::io::Cursor::new(body), judge).at_once(turn);
    let mut reservation = context.take_body_reservation();
    let write = move || {
        let json = whole(ingest, &info, &mut reservation)?;
        reservation.shrink_to(json.len());
        Ok((reservation, json))
    };
    let (reservation, json) = context.work_with((), write).await?;
    Ok(context.with_language(context.json_reserved(reservation, json)))
}

/// All verdicts as one object, written as they are given: a small body can have a very large response.
fn whole(
    mut ingest: VerdictIngest<impl Read>,
    info: &RequestInfo,
    reservation: &mut Reservation,
) -> Result<Vec<u8>, Problem> {
    let (mut json, mut summary) = (b"{\"verdicts\":[".to_vec(), Summary::default());
    let mut players = Players::default();
    while let Some(verdicts) = ingest.next_batch()? {
        let before = json.len();
        for judged in verdicts {
            let part = ingest.part_name(judged.part);
            let verdict = judged.compared(&mut players);
            info.count(verdict.status);
            if summary.records > 0 {
                json.push(b',');
            }
            summary += verdict.status;
            // Writing to memory does not fail.
            let report = report::verdict(&verdict, summary.records, info.lang);
            drop(report::write(&Verdict(VerdictReport { part: part.as_deref(), ..report }), &mut json));
        }
        reservation.grow(json.len() - before)?;
    }
    json.extend_from_slice(b"],\"summary\":");
    drop(report::write(&summary, &mut json));
    json.extend_from_slice(b"}");
    Ok(json)
}

/// One line per verdict, and a last line.
fn lines(ingest: &mut VerdictIngest<impl Read>, info: &RequestInfo, sink: &mut Sink) -> Result<(), End> {
    let (mut summary, mut players) = (Summary::default(), Players::default());
    loop {
        let verdicts = match ingest.next_batch() {
            Ok(Some(verdicts)) => verdicts,
            Ok(None) => return sink.line(&Line::Summary(Closing { summary })),
            Err(problem) if summary.records == 0 => return Err(problem.into()),
            Err(problem) => return sink.line(&Line::Problem(Box::new(info.line(&problem)))),
        };
        for judged in verdicts {
            let part = ingest.part_name(judged.part);
            let verdict = judged.compared(&mut players);
            info.count(verdict.status);
            summary += verdict.status;
            let report = report::verdict(&verdict, summary.records, info.lang);
            let report = VerdictReport { part: part.as_deref(), ..report };
            sink.line(&Line::Verdict(Box::new(Verdict(report))))?;
        }
    }
}
