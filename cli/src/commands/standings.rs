//! `quipu standings`: the ranking of each event, with tie-breaks and crosstable.

use std::io::Write;

use clap::ArgMatches;
use quipu_referee::{
    competition::{Quarter, Standings, StandingsRow, TieBreak, Wanted, standings},
    report::{
        self,
        competition::{Numbers, TablesReport},
        standings_csv,
    },
};

use crate::{
    args::text,
    breakdown::{self, heading},
    competition::read,
    context::{CommandError, CommandResult, Context, print_to_stderr},
    output::{self, Output},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

/// Players in a crosstable, at most. JSON has no limit, because it has no empty cells.
const MAX_PLAYERS: usize = 1000;
/// Columns of the event, and of the name, which people read as they are written.
const EVENT: usize = 1;
const NAME: usize = 3;
/// Column of the number in a crosstable, after the event.
const NUMBER: usize = 2;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let form = TableFormat::from_args(context, matches)?;
    breakdown::alone(context, matches, form)?;
    let order = tie_breaks(context, text(matches, "tie-breaks"))?;
    let crosstable = matches.get_flag("crosstable");
    let input = read(context, matches, Wanted { points: false, event: text(matches, "event") })?;
    let all = standings(input.count.entries.all(), &order);
    let failed = output::failed(context, matches);
    let mut out = Output::from_args(context, matches, false)?;
    if let Some(name) = text(matches, "explain") {
        out.write_all(breakdown::standings(context, &input, &all, name)?.as_bytes()).map_err(&failed)?;
    } else if form == TableFormat::Json {
        let (files, sheets, unnumbered) = (input.files(), input.related(), Numbers::new());
        if crosstable {
            let tables = all.iter().map(|table| report::competition::crosstable(table, &unnumbered)).collect();
            report::write(&TablesReport { tables, files, sheets }, &mut out).map_err(&failed)?;
        } else {
            let tables = all.iter().map(|table| report::competition::standings(table, &unnumbered)).collect();
            report::write(&TablesReport { tables, files, sheets }, &mut out).map_err(&failed)?;
        }
    } else {
        if let Some(large) = all.iter().find(|standings| crosstable && standings.rows.len() > MAX_PLAYERS) {
            let (count, max) = (large.rows.len(), MAX_PLAYERS);
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
        print_to_stderr(context.fill("standings.several", &[("count", &all.len())]));
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

/// The columns, with those of a crosstable of this many players.
fn columns(context: Context, order: &[TieBreak], crosstable: Option<usize>) -> Vec<TableColumn> {
    let column = |name: &'static str| match name {
        "game" | "event" => TableColumn::data(name),
        "place" => TableColumn::number(name, context.say("standings.column.place")),
        "name" => TableColumn::text(name, context.say("standings.column.player")),
        "games" => TableColumn::number(name, context.say("standings.column.games")),
        "wins" => TableColumn::number(name, context.say("standings.column.wins")),
        "draws" => TableColumn::number(name, context.say("standings.column.draws")),
        "losses" => TableColumn::number(name, context.say("standings.column.losses")),
        "score" => TableColumn::number(name, context.say("standings.column.score")),
        _ => TableColumn::number(name, TieBreak::parse(name).map_or(name, |of| context.word(of.word()))),
    };
    let mut columns: Vec<_> = standings_csv::columns(order).into_iter().map(column).collect();
    if let Some(players) = crosstable {
        columns.insert(NUMBER, TableColumn::number("number", context.say("standings.column.number")));
        let numbers = (1..=players).map(|number| number.to_string());
        columns.extend(numbers.map(|number| TableColumn::figures(number.clone(), number)));
    }
    columns
}

fn table_of(context: Context, standings: &Standings, crosstable: bool) -> Table {
    let order = standings.order.iter().map(|tie_break| context.word(tie_break.word())).collect::<Vec<_>>().join(", ");
    let note = context.fill("standings.order", &[("order", &order)]);
    let columns = columns(context, &standings.order, crosstable.then_some(standings.rows.len()));
    let rows = standings.rows.iter().enumerate().map(|(index, row)| {
        let data = standings_csv::cells(standings, row).into_iter();
        let mut cells: Vec<_> = data.map(|data| TableCell::maybe(Some(data).filter(|data| !data.is_empty()))).collect();
        cells[EVENT] = TableCell::maybe_foreign(standings.event.as_deref());
        cells[NAME] = TableCell::foreign(&row.name);
        if crosstable {
            cells.insert(NUMBER, TableCell::of(index + 1));
            cells.extend(results(standings, index, row));
        }
        cells
    });
    Table { headings: vec![heading(context, standings), note], columns, rows: rows.collect() }
}

/// A row of the crosstable: for each opponent the games in the order of entry.
fn results(standings: &Standings, index: usize, row: &StandingsRow) -> Vec<TableCell> {
    let mut cells: Vec<_> = standings.rows.iter().map(|_| TableCell::pair("", "")).collect();
    cells[index] = TableCell::pair("x", "×");
    for meeting in row.meetings() {
        let scores = || meeting.games.iter().map(|played| Quarter::from(played.score));
        let data: Vec<_> = scores().map(|score| score.to_string()).collect();
        let shown: Vec<_> = scores().map(Quarter::with_signs).collect();
        cells[meeting.opponent] = TableCell::pair(data.join(" "), shown.join(" "));
    }
    cells
}
