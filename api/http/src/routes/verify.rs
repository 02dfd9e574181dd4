//! Records judged and not kept.

use std::{io::Read, ops::AddAssign};

use quipu_notation::record::Chunk;
use quipu_referee::{Status, report, verify};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        budget::Reservation,
        call::Call,
        problem::{Document, Problem},
        schema::Verdict,
        stream::{End, Sink},
    },
    Answered, NDJSON,
    ingest::{Asked, Ingest},
};

/// All verdicts at once. It is written piece by piece, in [`whole`].
#[expect(dead_code, reason = "it is there for its schema")]
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Verdicts<'v> {
    /// One a record, in the order of the body.
    verdicts: Vec<Verdict<'v>>,
    /// How many came to what.
    summary: Summary,
}

/// A line of an answer that is given as the body comes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "VerdictLine")]
pub(crate) enum Line<'v> {
    /// The verdict on the next record.
    Verdict(Box<Verdict<'v>>),
    /// The last line, if all went well.
    Summary(Closing),
    /// The last line, if something failed: what was not judged before is not judged.
    Problem(Box<Document>),
}

/// What closes an answer in lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VerdictClosing", deny_unknown_fields)]
pub(crate) struct Closing {
    /// How many came to what.
    summary: Summary,
}

/// How many records came to what.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "VerdictSummary", deny_unknown_fields)]
pub(crate) struct Summary {
    /// All of them.
    records: u64,
    /// Lawful to the end.
    verified: u64,
    /// Lawful so far.
    incomplete: u64,
    /// Against the rules.
    rejected: u64,
    /// No records.
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

type Judging<R> = Ingest<R, quipu_referee::Verdict>;

fn judge(block: &Chunk<'_>, most: usize) -> Vec<quipu_referee::Verdict> {
    verify::block(block).map(|judged| judged.verdict).take(most).collect()
}

pub(super) async fn verify(mut call: Call) -> Answered {
    let asked = Asked::of(&call);
    if call.media == NDJSON {
        let body = call.body_reader();
        let mut intake = Ingest::new(&call, body, judge).counting_unfinished(&call);
        let answer = call.stream_of_body(move |sink| lines(&mut intake, &asked, sink)).await?;
        return Ok(call.spoken(answer));
    }
    let body = call.body().await?;
    let turn = call.permit().await?;
    let intake = Ingest::new(&call, std::io::Cursor::new(body), judge).at_once(turn);
    let mut room = call.take_room();
    let write = move || {
        let json = whole(intake, &asked, &mut room)?;
        room.shrink_to(json.len());
        Ok((room, json))
    };
    let (room, json) = call.work_with((), write).await?;
    Ok(call.spoken(call.json_reserved(room, json)))
}

/// All verdicts as one object, written as they are given: a small body can come to very much.
fn whole(mut intake: Judging<impl Read>, asked: &Asked, room: &mut Reservation) -> Result<Vec<u8>, Problem> {
    let (mut json, mut summary) = (b"{\"verdicts\":[".to_vec(), Summary::default());
    while let Some(verdicts) = intake.round()? {
        let before = json.len();
        for verdict in &verdicts {
            asked.count(verdict.status);
            if summary.records > 0 {
                json.push(b',');
            }
            summary += verdict.status;
            // Writing to memory does not fail.
            drop(report::write(&Verdict(report::verdict(verdict, summary.records, asked.lang)), &mut json));
        }
        room.grow(json.len() - before)?;
    }
    json.extend_from_slice(b"],\"summary\":");
    drop(report::write(&summary, &mut json));
    json.extend_from_slice(b"}");
    Ok(json)
}

/// A verdict a line as they are given, and a line that closes them.
fn lines(intake: &mut Judging<impl Read>, asked: &Asked, sink: &mut Sink) -> Result<(), End> {
    let mut summary = Summary::default();
    loop {
        let verdicts = match intake.round() {
            Ok(Some(verdicts)) => verdicts,
            Ok(None) => return sink.line(&Line::Summary(Closing { summary })),
            Err(problem) if summary.records == 0 => return Err(problem.into()),
            Err(problem) => return sink.line(&Line::Problem(Box::new(asked.line(&problem)))),
        };
        for verdict in verdicts {
            asked.count(verdict.status);
            summary += verdict.status;
            let report = report::verdict(&verdict, summary.records, asked.lang);
            sink.line(&Line::Verdict(Box::new(Verdict(report))))?;
        }
    }
}
