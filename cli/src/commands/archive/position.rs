//! `quipu archive position`: the games that reached a position, what was played next, and how they ended.

use std::io::{self, Write};

use clap::ArgMatches;
use quipu_archive::{
    report::PositionReport,
    store::{GameAtPosition, PositionGames, cursor_of, cursor_text},
};
use quipu_notation::Side;
use quipu_referee::{
    Referee,
    report::{self, hex},
};

use super::{failure, list, players};
use crate::{
    args::{number, text},
    commands::position::{game, refuse, underline},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
    output::Output,
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

/// Games that are listed without `--limit`.
const LISTED: usize = 20;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let game = game(matches);
    let asked = text(matches, "position");
    let board = match game.board(text(matches, "rules"), asked) {
        Ok(board) => board,
        Err(faults) => {
            for fault in &faults {
                underline(context, asked.unwrap_or_default(), fault);
            }
            return Ok(refuse(context, &faults));
        }
    };
    let before = text(matches, "cursor").map(|found| {
        let wrong = || CommandError::Usage(context.fill("archive.list.bad-cursor", &[("found", &harmless(found))]));
        cursor_of(found).ok_or_else(wrong)
    });
    let before = before.transpose()?;
    let limit = number(matches, "limit").map_or(LISTED, |limit| limit as usize);
    let store = super::open_store(context, matches)?;
    let found = store.read(|reading| reading.position_games(&*board, before, limit));
    let found = found.map_err(|error| failure(context, &error))?;
    let mut out = Output::stdout();
    if matches.get_flag("json") {
        report::write(&PositionReport::new(game.notation(), board.position(), found), &mut out)?;
        out.finish()?;
        return Ok(ExitStatus::Clean);
    }
    written(context, game, &found, &mut out)?;
    out.finish()?;
    if !found.totals.is_exact {
        print_to_stderr(context.say("archive.position.not-exact"));
    }
    if let Some(cursor) = found.page.next.as_ref().and_then(cursor_text) {
        print_to_stderr(context.fill("archive.list.more-records", &[("cursor", &cursor)]));
    }
    Ok(ExitStatus::Clean)
}

/// Writes the moves as a table, then the games, one a line.
fn written(context: Context, game: &dyn Referee, found: &PositionGames, out: &mut Output) -> io::Result<()> {
    let PositionGames { totals, page } = found;
    let side = |side: Side| context.word(game.side_words()[side.index()]).to_owned();
    let mut columns = vec![
        TableColumn::text("move", context.say("archive.position.move")),
        TableColumn::number("games", context.say("shared.column.games")),
    ];
    columns.extend(Side::BOTH.map(|of| TableColumn::number(game.notation().side(of).name, side(of))));
    columns.push(TableColumn::number("draws", context.say("standings.column.draws")));
    let row = |name: String, outcomes: [u64; 3]| {
        let games = outcomes.iter().sum::<u64>();
        let numbers = [games].into_iter().chain(outcomes).map(TableCell::of);
        [TableCell::of(name)].into_iter().chain(numbers).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = totals.moves.iter().map(|next| row(next.token.clone(), next.outcomes)).collect();
    if totals.ended != [0; 3] {
        rows.push(row(context.say("archive.position.ended").to_owned(), totals.ended));
    }
    rows.push(row(context.say("archive.position.all").to_owned(), totals.outcomes));
    table::print(context, TableFormat::Text, &[Table { headings: Vec::new(), columns, rows }], out)?;
    if !page.items.is_empty() {
        writeln!(out)?;
    }
    for GameAtPosition { card, ply } in &page.items {
        let result = card.result.as_deref().unwrap_or("-");
        let ply = context.fill("archive.position.ply", &[("ply", ply)]);
        write!(out, "{}  {result:7}  {ply}  {}", hex(&card.id), players(card))?;
        match list::event_line(context, card) {
            Some(event) => writeln!(out, " · {event}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}
