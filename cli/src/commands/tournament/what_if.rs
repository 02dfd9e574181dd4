//! `quipu tournament what-if`: the places that are still possible, and what they take.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{report::ProspectsReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::standings::{Method, PlayerProspects, Prospects, prospects};

use super::{player, read};
use crate::{
    args::text,
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let stored = read(context, matches)?;
    let wanted = match text(matches, "player").map(|name| player(&stored, name)).transpose() {
        Ok(wanted) => wanted,
        Err(reason) => return reason.tell(context, stored.number),
    };
    let mut found = prospects(&stored.tournament);
    found.players.retain(|chances| wanted.is_none_or(|id| chances.player == id));
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&ProspectsReport::new(&stored, &found), &mut out)?;
    } else {
        table::print(context, TableFormat::Text, &[table_of(context, &stored, &found)], &mut out)?;
        for chances in found.players.iter().filter(|_| wanted.is_some()) {
            takes(context, &stored, chances, &mut out)?;
        }
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

fn table_of(context: Context, stored: &StoredTournament, found: &Prospects) -> Table {
    let columns = vec![
        TableColumn::text("name", context.say("tournament.column.player")),
        TableColumn::number("best", context.say("tournament.column.best")),
        TableColumn::number("worst", context.say("tournament.column.worst")),
    ];
    let rows = found.players.iter().map(|chances| {
        let name = TableCell::foreign(stored.tournament.name(chances.player));
        vec![name, TableCell::of(chances.best), TableCell::of(chances.worst)]
    });
    let key = match found.method {
        Method::Exact => "tournament.what-if.exact",
        Method::Bounds => "tournament.what-if.bounds",
    };
    Table { headings: vec![context.fill(key, &[("open", &found.open)])], columns, rows: rows.collect() }
}

/// The encounters that the best place takes.
fn takes(
    context: Context,
    stored: &StoredTournament,
    chances: &PlayerProspects,
    out: &mut impl Write,
) -> std::io::Result<()> {
    for needed in &chances.takes {
        let [one, two] = needed.players.map(|id| harmless(stored.tournament.name(id)));
        let [first, second] = needed.scores;
        let line = context.fill(
            "tournament.what-if.takes",
            &[("round", &needed.round), ("one", &one), ("first", &first), ("second", &second), ("two", &two)],
        );
        writeln!(out, "{line}")?;
    }
    Ok(())
}
