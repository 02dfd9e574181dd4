//! `quipu tournament standings`: places, scores and tie-breaks.

use std::io::{self, Write};

use clap::ArgMatches;
use quipu_archive::{report::StandingsReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::{
    messages::catalog,
    standings::{Standings, standings},
};

use super::read;
use crate::{
    args::number,
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let form = TableFormat::from_args(context, matches)?;
    let stored = read(context, matches)?;
    let found = standings(&stored.tournament, number(matches, "round"));
    let mut out = stdout();
    if form == TableFormat::Json {
        report::write(&StandingsReport::new(&stored, &found), &mut out)?;
    } else {
        print(context, form, &stored, &found, &mut out)?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// Prints the standings for people.
pub(super) fn print_text(context: Context, stored: &StoredTournament) -> CommandResult {
    let mut out = stdout();
    print(context, TableFormat::Text, stored, &standings(&stored.tournament, None), &mut out)?;
    out.flush()?;
    Ok(ExitStatus::Clean)
}

fn print(
    context: Context,
    form: TableFormat,
    stored: &StoredTournament,
    standings: &Standings,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut columns = vec![
        TableColumn::number("place", context.say("tournament.column.place")),
        TableColumn::text("name", context.say("tournament.column.player")),
        TableColumn::number("score", context.say("tournament.column.score")),
        TableColumn::number("wins", context.say("tournament.column.wins")),
        TableColumn::number("draws", context.say("tournament.column.draws")),
        TableColumn::number("losses", context.say("tournament.column.losses")),
    ];
    columns.extend(
        standings
            .order
            .iter()
            .map(|tie_break| TableColumn::number(tie_break.as_str(), catalog().word(tie_break.word(), context.lang))),
    );
    let rows = standings.rows.iter().map(|row| {
        let [wins, draws, losses] = row.played;
        let mut cells = vec![
            TableCell::of(row.place),
            TableCell::foreign(stored.tournament.name(row.player)),
            TableCell::of(row.score),
            TableCell::of(wins),
            TableCell::of(draws),
            TableCell::of(losses),
        ];
        cells.extend(row.figures.iter().map(|figure| TableCell::maybe(figure.value)));
        cells
    });
    let (name, rounds) = (harmless(&stored.tournament.settings.name), stored.tournament.round_count());
    let heading = context
        .fill("tournament.standings.after", &[("name", &name), ("round", &standings.round), ("rounds", &rounds)]);
    let table = Table { headings: vec![heading], columns, rows: rows.collect() };
    table::print(context, form, &[table], out)
}
