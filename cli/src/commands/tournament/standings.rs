//! `quipu tournament standings`: places, scores and tie-breaks.

use std::io::{self, Write};

use clap::ArgMatches;
use quipu_archive::{report::StandingsReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::standings::{Standings, Tiebreaker, standings};

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
        standings.order.iter().map(|tie_break| TableColumn::number(tie_break.as_str(), context.say(words(*tie_break)))),
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

/// The key of the words of a tie-break.
const fn words(tie_break: Tiebreaker) -> &'static str {
    match tie_break {
        Tiebreaker::Buchholz => "tournament.tie-break.buchholz",
        Tiebreaker::BuchholzCut1 => "tournament.tie-break.buchholz-cut1",
        Tiebreaker::BuchholzCut2 => "tournament.tie-break.buchholz-cut2",
        Tiebreaker::BuchholzMedian => "tournament.tie-break.buchholz-median",
        Tiebreaker::SonnebornBerger => "tournament.tie-break.sonneborn-berger",
        Tiebreaker::DirectEncounter => "tournament.tie-break.direct-encounter",
        Tiebreaker::Progressive => "tournament.tie-break.progressive",
        Tiebreaker::Wins => "standings.column.wins",
        Tiebreaker::WinsSide2 => "tournament.tie-break.wins-side2",
        Tiebreaker::AverageRating => "tournament.tie-break.average-rating",
        Tiebreaker::Koya => "tournament.tie-break.koya",
        Tiebreaker::Encounters => "tournament.tie-break.encounters",
        Tiebreaker::Points => "tournament.tie-break.points",
        Tiebreaker::PointsWithBonus => "tournament.tie-break.points-with-bonus",
        Tiebreaker::Score => "tournament.tie-break.score",
    }
}
