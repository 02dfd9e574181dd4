//! `quipu tournament list`: the tournaments of an archive, newest first.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{report::ListedReport, store::StoreError};
use quipu_referee::report;
use quipu_tournament::model::System;

use crate::{
    commands::archive::{failure, open_store},
    context::{CommandResult, Context, ExitStatus, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

/// Tournaments in a list, at most.
const LISTED: usize = 1_000;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = open_store(context, matches)?;
    let all = store.read(|reading| reading.tournaments(None, LISTED));
    let all = all.map_err(|error: StoreError| failure(context, &error))?;
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&all.iter().map(ListedReport::from).collect::<Vec<_>>(), &mut out)?;
    } else {
        let columns = vec![
            TableColumn::number("tournament", context.say("tournament.column.number")),
            TableColumn::text("name", context.say("tournament.column.name")),
            TableColumn::text("game", context.say("tournament.column.game")),
            TableColumn::text("system", context.say("tournament.column.system")),
            TableColumn::number("players", context.say("tournament.column.players")),
            TableColumn::text("rounds", context.say("tournament.column.rounds")),
        ];
        let rows = all.iter().map(|listed| {
            vec![
                TableCell::of(listed.number),
                TableCell::foreign(&listed.name),
                TableCell::of(listed.game.id),
                TableCell::of(context.say(system(listed.system))),
                TableCell::of(listed.players),
                TableCell::of(format!("{}/{}", listed.paired, listed.rounds)),
            ]
        });
        let table = Table { headings: Vec::new(), columns, rows: rows.collect() };
        table::print(context, TableFormat::Text, &[table], &mut out)?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The key of the words of a system.
const fn system(system: System) -> &'static str {
    match system {
        System::Swiss { .. } => "tournament.system.swiss",
        System::RoundRobin { .. } => "tournament.system.round-robin",
        System::Knockout { .. } => "tournament.system.knockout",
        System::Manual => "tournament.system.manual",
    }
}
