//! `quipu tournament undo`: undoes the last change of a tournament, or a given one.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{
    model::Number,
    store::{Refusal, Store, StoreError, WriteTx},
};
use quipu_tournament::summary::summary;

use super::{NotDone, by, number};
use crate::{
    commands::archive::{decide, failure, open_store, show::change_line},
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let by = by(context, matches, "undo", true)?;
    let (store, number) = (open_store(context, matches)?, number(matches));
    let asked = matches.get_one::<u64>("change").map(|change| Number::try_from(*change).unwrap_or(Number::MAX));
    let undo = move |writing: &WriteTx<'_>| {
        let stored = writing.tournament(number)?.ok_or(Refusal::NoTournament)?;
        let change = asked.unwrap_or(stored.changed);
        let is_own = writing.tournament_of(change)? == Some(number);
        let steps = writing.tournament_steps(change)?.filter(|_| is_own).ok_or(Refusal::NoChange)?.steps;
        let what = summary(&steps, Some(&stored.tournament), context.lang);
        Ok((writing.undo(change, &by)?, change, what))
    };
    match store.write(undo).wait() {
        Ok((change, ..)) if matches.get_flag("json") => decide::done(context, matches, &store, change),
        Ok((change, undone, what)) => done(context, &store, change, undone, &what),
        Err(Refusal::NoTournament) => NotDone::from(Refusal::NoTournament).tell(context, number),
        Err(refusal) => NotDone::from(refusal).tell(context, asked.unwrap_or(number)),
    }
}

/// Prints the change that was made, with the effect of the one that it undid.
fn done(context: Context, store: &Store, change: Number, undone: Number, what: &str) -> CommandResult {
    let made = store.read(|reading| Ok::<_, StoreError>(reading.changes(change - 1, 1)?.items.pop()));
    let mut out = stdout();
    if let Some(made) = made.map_err(|error| failure(context, &error))? {
        let did = context.fill("tournament.undo.done", &[("undone", &undone), ("what", &harmless(what))]);
        writeln!(out, "{}", change_line(context, &made, &did))?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}
