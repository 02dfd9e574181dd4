//! `quipu tournament history`: the changes of a tournament, with the numbers by which they are undone.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::store::{Store, StoreError, StoredTournament};
use quipu_tournament::summary::summary;

use super::{number, read_from};
use crate::{
    commands::archive::{failure, open_store, show::change_line},
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
};

/// Changes that are read at once.
const AT_ONCE: usize = 1_000;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = open_store(context, matches)?;
    let stored = read_from(context, &store, number(matches))?;
    let mut out = stdout();
    let mut since = Some(0);
    while let Some(after) = since {
        let (lines, next) = lines(context, &store, &stored, after).map_err(|error| failure(context, &error))?;
        for line in lines {
            writeln!(out, "{line}")?;
        }
        since = next;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The changes after a number, one in each line, and the number after which the rest follows.
fn lines(
    context: Context,
    store: &Store,
    stored: &StoredTournament,
    since: i64,
) -> Result<(Vec<String>, Option<i64>), StoreError> {
    store.read(|reading| {
        let page = reading.tournament_changes(stored.number, since, AT_ONCE)?;
        let mut lines = Vec::with_capacity(page.items.len());
        for change in &page.items {
            let steps = reading.tournament_steps(change.number)?.map(|body| body.steps).unwrap_or_default();
            // The numbers of an undone change may be those of other players by now.
            let names = change.undone_by.is_none().then_some(&stored.tournament);
            lines.push(change_line(context, change, &harmless(&summary(&steps, names, context.lang))));
        }
        Ok((lines, page.next))
    })
}
