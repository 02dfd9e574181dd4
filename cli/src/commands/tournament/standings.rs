//! `quipu tournament standings`: places, scores and tie-breaks.

use std::io::{self, Write};

use clap::ArgMatches;
use quipu_archive::{report::StandingsReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::{
    messages::catalog,
    model::Board,
    standings::{TournamentRow, TournamentStandings, TournamentTieBreak, standings},
};

use super::{NotDone, explain, player, read};
use crate::{
    args::{number, text},
    breakdown,
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let form = TableFormat::from_args(context, matches)?;
    let stored = read(context, matches)?;
    breakdown::alone(context, matches, form)?;
    let found = standings(&stored.tournament, number(matches, "round"));
    let explained = match text(matches, "explain").map(|name| row_of(&stored, &found, name)).transpose() {
        Ok(explained) => explained,
        Err(reason) => return reason.tell(context, stored.number),
    };
    let mut out = stdout();
    if let Some(row) = explained {
        explain::write(context, &stored, &found, row, &mut out)?;
    } else if form == TableFormat::Json {
        report::write(&StandingsReport::new(&stored, &found), &mut out)?;
    } else {
        print(context, form, &stored, &found, &mut out)?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The row of a player by name or number.
fn row_of<'f>(
    stored: &StoredTournament,
    found: &'f TournamentStandings,
    name: &str,
) -> Result<&'f TournamentRow, NotDone> {
    let player = player(stored, name)?;
    let row = found.rows.iter().find(|row| row.player == player);
    row.ok_or_else(|| {
        let facts = [("player", stored.tournament.name(player).to_owned()), ("round", found.round.to_string())];
        NotDone::Conflict("tournament.explain.no-place", facts.to_vec())
    })
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
    standings: &TournamentStandings,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut columns = vec![
        TableColumn::number("place", context.say("tournament.column.place")),
        TableColumn::text("name", context.say("tournament.column.player")),
    ];
    // In an order that names the score it has a column there.
    let is_first = !standings.order.contains(&TournamentTieBreak::Score);
    columns.extend(is_first.then(|| TableColumn::number("score", context.say("tournament.column.score"))));
    columns.extend([
        TableColumn::number("wins", context.say("tournament.column.wins")),
        TableColumn::number("draws", context.say("tournament.column.draws")),
        TableColumn::number("losses", context.say("tournament.column.losses")),
    ]);
    columns.extend(
        standings
            .order
            .iter()
            .map(|tie_break| TableColumn::number(tie_break.as_str(), catalog().word(tie_break.word(), context.lang))),
    );
    let rows = standings.rows.iter().map(|row| {
        let [wins, draws, losses] = row.played;
        let mut cells = vec![TableCell::of(row.place), TableCell::foreign(stored.tournament.name(row.player))];
        cells.extend(is_first.then(|| TableCell::of(row.score)));
        cells.extend([wins, draws, losses].map(TableCell::of));
        cells.extend(row.figures.iter().map(|figure| TableCell::maybe(figure.value)));
        cells
    });
    let table = Table { headings: vec![heading(context, stored, standings.round)], columns, rows: rows.collect() };
    table::print(context, form, &[table], out)
}

/// The heading: after a round, or with encounters of it still without a result.
fn heading(context: Context, stored: &StoredTournament, number: u32) -> String {
    let tournament = &stored.tournament;
    let (name, rounds) = (harmless(&tournament.settings.name), tournament.round_count());
    let is_open = |board: &&Board| board.result(tournament.settings.encounter).is_none();
    let open = tournament.round(number).map_or(0, |round| round.boards.iter().filter(is_open).count());
    let key = if open == 0 { "tournament.standings.after" } else { "tournament.standings.during" };
    context.fill(key, &[("name", &name), ("round", &number), ("rounds", &rounds), ("open", &open)])
}
