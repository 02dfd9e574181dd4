//! `quipu verify`: verdicts on piles of records, by all cores, in the order of the input.

mod pool;
mod render;

use std::{io::Write, num::NonZero};

use clap::ArgMatches;
use quipu_referee::Status as Verdicted;

use self::render::{Form, Tally};
use crate::{
    context::{Context, Outcome, Status, complain, stdout},
    input,
    parse::number,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> Outcome {
    let paths = matches.get_many("path").unwrap_or_default();
    let (sources, mut failures) = if paths.len() == 0 {
        return Err(crate::context::Stop::Usage(context.say("verify.no-path").to_owned()));
    } else {
        input::sources(context, paths)
    };
    let form = match (matches.get_flag("json"), matches.get_flag("boards")) {
        (true, _) => Form::Json,
        (false, boards) => Form::People { boards },
    };
    let jobs = jobs(matches);
    let mut tally = Tally::default();
    let mut out = stdout();
    let ended = pool::run(context, form, jobs, &sources, &mut |text, part, failure| {
        tally += part;
        if let Some(failure) = failure {
            failures.push(failure);
        }
        out.write_all(text)
    });
    ended?;
    if form != Form::Json {
        write!(out, "{}", tally.summary(context, sources.len()))?;
    }
    out.flush()?;
    for failure in &failures {
        complain(context.fill("error", &[("what", failure)]));
    }
    let refused = tally.count(Verdicted::Rejected) + tally.count(Verdicted::Unreadable);
    Ok(match (failures.is_empty(), refused) {
        (false, _) => Status::Failed,
        (true, 0) => Status::Clean,
        (true, _) => Status::Findings,
    })
}

/// How many threads to use: as asked, else all cores.
pub(super) fn jobs(matches: &ArgMatches) -> NonZero<usize> {
    let asked = number(matches, "jobs").and_then(|jobs| NonZero::new(jobs as usize));
    asked.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}
