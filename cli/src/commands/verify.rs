//! `quipu verify`: judges records on all cores and prints the verdicts in the order of the input.

mod render;

use std::{
    io::Write,
    sync::{Mutex, PoisonError},
};

use clap::ArgMatches;
use quipu_notation::record::Chunk;
use quipu_referee::{
    Diagnostic, Status,
    advice::{PlayerName, Players},
    verify::{self, Ids, Judged},
};

use self::render::{ReportFormat, Tally};
use crate::{
    args::{jobs, reading},
    context::{CommandResult, Context, ExitStatus, complain, stdout},
    input,
    pool::{self, JudgedRecord, Slice, Work},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let paths = matches.get_many("path").unwrap_or_default();
    let (sources, mut failures) = if paths.len() == 0 {
        return Err(crate::context::CommandError::Usage(context.say("verify.no-path").to_owned()));
    } else {
        input::sources(context, paths, reading(matches))
    };
    let printed = match (matches.get_flag("json"), matches.get_flag("boards")) {
        (true, _) => ReportFormat::Json,
        (false, boards) => ReportFormat::People { boards },
    };
    let mut tally = Tally::default();
    let mut out = stdout();
    let work = Rendering { context, form: printed, players: Mutex::default() };
    pool::run(context, jobs(matches), &sources, reading(matches), &work, &mut |(text, part), failure| {
        tally += &part;
        failures.extend(failure);
        Ok(out.write_all(&text)?)
    })?;
    if printed != ReportFormat::Json {
        write!(out, "{}", tally.summary(context, sources.len()))?;
    }
    out.flush()?;
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
    }
    let refused = tally.count(Status::Rejected) + tally.count(Status::Unreadable);
    Ok(match (failures.is_empty(), refused) {
        (false, _) => ExitStatus::Failed,
        (true, 0) => ExitStatus::Clean,
        (true, _) => ExitStatus::Findings,
    })
}

/// Prints verdicts, and counts them by status.
struct Rendering {
    context: Context,
    form: ReportFormat,
    /// The names of the input so far.
    players: Mutex<Players>,
}

impl Work for Rendering {
    type Item<'b> = JudgedRecord<'b>;
    type Part = (Vec<u8>, Tally);

    fn records<'b>(&self, chunks: impl Iterator<Item = Chunk<'b>>) -> impl Iterator<Item = JudgedRecord<'b>> {
        let ids = if self.form == ReportFormat::Json { Ids::Computed } else { Ids::Skipped };
        verify::chunks(chunks, ids)
    }

    fn in_order(&self, records: &mut [JudgedRecord<'_>]) {
        let mut players = self.players.lock().unwrap_or_else(PoisonError::into_inner);
        for (chunk, Judged { record, verdict }) in records {
            if players.is_full() {
                break;
            }
            for name in record.iter().flat_map(|record| PlayerName::all(record)) {
                let found = players.note(&name).map(|found| {
                    let place = found.span.map(|span| chunk.place(span.start as usize));
                    Diagnostic { place, ..found }
                });
                verdict.advice.extend(found);
            }
        }
    }

    fn part(&self, slice: Slice<'_, JudgedRecord<'_>>) -> Self::Part {
        let (mut text, mut tally) = (Vec::new(), Tally::default());
        let path = slice.source.path();
        for (number, (chunk, judged)) in (slice.before.in_source + 1..).zip(&slice.records) {
            tally.add(judged.verdict.status);
            let part = chunk.part().and_then(|part| slice.parts.get(part - 1)).map(String::as_str);
            let source = render::From { path: path.as_deref(), part, name: slice.name_of(chunk) };
            render::record(self.context, self.form, &source, number, chunk, judged, &mut text);
        }
        (text, tally)
    }
}
