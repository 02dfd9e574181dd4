//! `quipu tournament boards`: a round with its results and their records.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{report::RoundReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::{messages::catalog, model::Board};

use super::{NotDone, explain_pairing, pair, read, round_of};
use crate::{
    args::number,
    commands::archive::short,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let form = TableFormat::from_args(context, matches)?;
    let stored = read(context, matches)?;
    let round = match round_of(&stored, number(matches, "round")) {
        Ok(round) => round,
        Err(fault) => return NotDone::from(fault).tell(context, stored.number),
    };
    let mut out = stdout();
    if matches.get_flag("explain") {
        match form {
            TableFormat::Text => explain_pairing::write(context, &stored, round, &mut out)?,
            TableFormat::Json => explain_pairing::write_json(&stored, round, &mut out)?,
            _ => return Err(CommandError::Usage(context.say("tournament.boards.explain-form").to_owned())),
        }
        out.flush()?;
        return Ok(ExitStatus::Clean);
    }
    if form == TableFormat::Json {
        report::write(&RoundReport::new(&stored, round, context.lang), &mut out)?;
    } else {
        table::print(context, form, &[table_of(context, &stored, round)], &mut out)?;
        if form == TableFormat::Text {
            pair::print_byes(context, &stored, round, &mut out)?;
        }
    }
    out.flush()?;
    if form != TableFormat::Json {
        for misfit in &stored.bindings.misfits {
            let what = harmless(&catalog().fault(&misfit.fault, context.lang));
            let record = short(&misfit.record);
            print_to_stderr(context.fill("tournament.boards.misfit", &[("record", &record), ("what", &what)]));
        }
    }
    Ok(ExitStatus::Clean)
}

fn table_of(context: Context, stored: &StoredTournament, round: u32) -> Table {
    let tournament = &stored.tournament;
    let (boards, is_closed) =
        tournament.round(round).map_or((&[][..], false), |round| (&round.boards[..], round.is_closed));
    let columns = vec![
        TableColumn::number("board", context.say("tournament.column.board")),
        TableColumn::text("player1", context.say("tournament.column.side1")),
        TableColumn::text("player2", context.say("tournament.column.side2")),
        TableColumn::text("games", context.say("tournament.column.games")),
        TableColumn::figures("score1", context.say("tournament.column.score1")),
        TableColumn::figures("score2", context.say("tournament.column.score2")),
        TableColumn::text("origin", context.say("tournament.column.origin")),
    ];
    let rows = (1..).zip(boards).map(|(number, board): (i32, &Board)| {
        let [one, two] = board.players.map(|id| TableCell::foreign(tournament.name(id)));
        let scores = board.result(tournament.settings.encounter).map(|result| result.scores);
        vec![
            TableCell::of(number),
            one,
            two,
            TableCell::of(board.written()),
            TableCell::maybe(scores.map(|scores| scores[0])),
            TableCell::maybe(scores.map(|scores| scores[1])),
            TableCell::maybe(origin(board).map(|key| context.say(key))),
        ]
    });
    let state = context.say(if is_closed { "tournament.boards.closed" } else { "tournament.boards.open" });
    let rounds = tournament.round_count();
    let heading =
        context.fill("tournament.boards.heading", &[("round", &round), ("rounds", &rounds), ("state", &state)]);
    Table { headings: vec![heading], columns, rows: rows.collect() }
}

/// The key of the origin of a board's results: the arbiter's until every game has a record.
fn origin(board: &Board) -> Option<&'static str> {
    Some(if board.is_verified()? { "tournament.origin.record" } else { "tournament.origin.arbiter" })
}
