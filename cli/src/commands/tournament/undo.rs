//! `quipu tournament undo`: undoes the last change of a tournament, or a given one.

use clap::ArgMatches;
use quipu_archive::{
    model::Number,
    store::{Refusal, WriteTx},
};

use super::{NotDone, by, number};
use crate::{
    commands::archive::{decide, open_store},
    context::{CommandResult, Context},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let by = by(context, matches, "undo", true)?;
    let (store, number) = (open_store(context, matches)?, number(matches));
    let asked = matches.get_one::<u64>("change").map(|change| Number::try_from(*change).unwrap_or(Number::MAX));
    let undo = move |writing: &WriteTx<'_>| {
        let stored = writing.tournament(number)?.ok_or(Refusal::NoTournament)?;
        let change = asked.unwrap_or(stored.changed);
        let is_own = writing.tournament_of(change)? == Some(number);
        if is_own { writing.undo(change, &by) } else { Err(Refusal::NoChange) }
    };
    match store.write(undo).wait() {
        Ok(change) => decide::done(context, matches, &store, change),
        Err(Refusal::NoTournament) => NotDone::from(Refusal::NoTournament).tell(context, number),
        Err(refusal) => NotDone::from(refusal).tell(context, asked.unwrap_or(number)),
    }
}
