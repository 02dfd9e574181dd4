//! `quipu standings`: the ranking of each event, with tie-breaks and crosstable.

use std::io::Write;

use clap::ArgMatches;
use quipu_referee::{
    competition::{Row, Standings, TieBreak, standings},
    report::{self, competition::TablesReport},
};

use crate::{
    args::text,
    breakdown::{self, heading},
    competition::{Wanted, read},
    context::{CommandError, CommandResult, Context, complain},
    output::{self, Output},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

/// Players in a crosstable, at most. JSON has no limit, because it has no empty cells.
const MOST_PLAYERS: usize = 1000;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let form = TableFormat::from_args(context, matches)?;
    breakdown::alone(context, matches, form)?;
    let order = tie_breaks(context, text(matches, "tie-breaks"))?;
    let crosstable = matches.get_flag("crosstable");
    let input = read(context, matches, Wanted { points: false, event: text(matches, "event") })?;
    let all = standings(input.entries.all(), &order);
    let failed = output::failed(context, matches);
    let mut out = Output::from_args(context, matches, false)?;
    if let Some(name) = text(matches, "explain") {
        out.write_all(breakdown::standings(context, &input, &all, name)?.as_bytes()).map_err(&failed)?;
    } else if form == TableFormat::Json {
        let (files, sheets) = (input.files(), input.related());
        if crosstable {
            let tables = all.iter().map(report::competition::crosstable).collect();
            report::write(&TablesReport { tables, files, sheets }, &mut out).map_err(&failed)?;
        } else {
            let tables = all.iter().map(report::competition::standings).collect();
            report::write(&TablesReport { tables, files, sheets }, &mut out).map_err(&failed)?;
        }
    } else {
        if let Some(large) = all.iter().find(|standings| crosstable && standings.rows.len() > MOST_PLAYERS) {
            let (count, max) = (large.rows.len(), MOST_PLAYERS);
            return Err(CommandError::Usage(context.fill("standings.too-many", &[("count", &count), ("max", &max)])));
        }
        let mut tables: Vec<_> = all.iter().map(|standings| table_of(context, standings, crosstable)).collect();
        if tables.is_empty() && matches!(form, TableFormat::Csv(_)) {
            let columns = columns(context, &order, crosstable.then_some(0));
            tables.push(Table { headings: Vec::new(), columns, rows: Vec::new() });
        }
        table::print(context, form, &tables, &mut out).map_err(&failed)?;
    }
    out.finish().map_err(&failed)?;
    if all.len() > 1 && text(matches, "event").is_none() {
        complain(context.fill("standings.several", &[("count", &all.len())]));
    }
    Ok(input.status)
}

/// The requested tie-breaks, in their order.
fn tie_breaks(context: Context, asked: Option<&str>) -> Result<Vec<TieBreak>, CommandError> {
    let Some(asked) = asked else { return Ok(TieBreak::DEFAULT.to_vec()) };
    let mut order = Vec::new();
    for name in asked.split(',').map(str::trim) {
        let known = || TieBreak::ALL.map(TieBreak::as_str).join(", ");
        let tie_break = TieBreak::parse(name).ok_or_else(|| {
            CommandError::Usage(context.fill("standings.unknown", &[("name", &name), ("known", &known())]))
        })?;
        if order.contains(&tie_break) {
            return Err(CommandError::Usage(context.fill("standings.twice", &[("name", &name)])));
        }
        order.push(tie_break);
    }
    Ok(order)
}

/// The tie-breaks with a column of their own, with their indices. Wins have a column anyway.
fn figures(order: &[TieBreak]) -> impl Iterator<Item = (usize, TieBreak)> {
    order.iter().copied().enumerate().filter(|(_, tie_break)| *tie_break != TieBreak::Wins)
}

/// The columns, with those of a crosstable of this many players.
fn columns(context: Context, order: &[TieBreak], crosstable: Option<usize>) -> Vec<TableColumn> {
    let say = |key| context.say(key);
    let mut columns = vec![TableColumn::data("game"), TableColumn::data("event")];
    if crosstable.is_some() {
        columns.push(TableColumn::number("number", say("standings.column.number")));
    }
    columns.extend([
        TableColumn::number("place", say("standings.column.place")),
        TableColumn::text("name", say("standings.column.player")),
        TableColumn::number("games", say("standings.column.games")),
        TableColumn::number("wins", say("standings.column.wins")),
        TableColumn::number("draws", say("standings.column.draws")),
        TableColumn::number("losses", say("standings.column.losses")),
        TableColumn::number("score", say("standings.column.score")),
    ]);
    columns.extend(figures(order).map(|(_, of)| TableColumn::number(of.as_str(), context.word(of.word()))));
    let numbers = (1..=crosstable.unwrap_or_default()).map(|number| number.to_string());
    columns.extend(numbers.map(|number| TableColumn::figures(number.clone(), number)));
    columns
}

fn table_of(context: Context, standings: &Standings, crosstable: bool) -> Table {
    let order = standings.order.iter().map(|tie_break| context.word(tie_break.word())).collect::<Vec<_>>().join(", ");
    let note = context.fill("standings.order", &[("order", &order)]);
    let columns = columns(context, &standings.order, crosstable.then_some(standings.rows.len()));
    let rows = standings.rows.iter().enumerate().map(|(index, row)| {
        let mut cells = vec![TableCell::of(standings.game.id), TableCell::maybe_foreign(standings.event.as_deref())];
        if crosstable {
            cells.push(TableCell::of(index + 1));
        }
        cells.extend([
            TableCell::of(row.place),
            TableCell::foreign(&row.name),
            TableCell::of(row.games()),
            TableCell::of(row.wins),
            TableCell::of(row.draws),
            TableCell::of(row.losses),
            TableCell::of(row.score),
        ]);
        cells.extend(figures(&standings.order).map(|(index, _)| TableCell::maybe(row.figures[index])));
        if crosstable {
            cells.extend(results(standings, index, row));
        }
        cells
    });
    Table { headings: vec![heading(context, standings), note], columns, rows: rows.collect() }
}

/// A row of the crosstable: for each opponent the games in the order of entry.
fn results(standings: &Standings, index: usize, row: &Row) -> Vec<TableCell> {
    let mut cells: Vec<_> = standings.rows.iter().map(|_| TableCell::pair("", "")).collect();
    cells[index] = TableCell::pair("x", "×");
    for meeting in row.meetings() {
        let scores: Vec<_> = meeting.games.iter().map(|played| played.score.to_string()).collect();
        let data = scores.join(" ");
        cells[meeting.opponent] = TableCell::pair(&data, data.replace("0.5", "½"));
    }
    cells
}
