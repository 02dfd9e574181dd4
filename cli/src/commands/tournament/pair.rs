//! `quipu tournament pair`: pairs the next round, by the system of the tournament or by hand.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{report::PairingReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::{
    model::PlayerId,
    pairing::{self, Plan, Wanted},
};

use super::{NotDone, by, change, pair_of, player, read, remark, texts};
use crate::{
    args::{number, text},
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

/// The pairing on the command line.
struct PairArguments {
    round: Option<u32>,
    boards: Vec<String>,
    bye: Option<String>,
    force: bool,
}

/// Boards and the bye of a pairing made by hand.
type ByHand = (Vec<[PlayerId; 2]>, Option<PlayerId>);

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let arguments = PairArguments {
        round: number(matches, "round"),
        boards: texts(matches, "board"),
        bye: text(matches, "bye").map(str::to_owned),
        force: matches.get_flag("force"),
    };
    if arguments.is_by_hand() {
        match arguments.plan(&read(context, matches)?) {
            Ok(plan) => remark(context, &plan.remarks),
            Err(reason) => return reason.tell(context, super::number(matches)),
        }
    }
    let by = by(context, matches, "pair", false)?;
    change(
        context,
        matches,
        by,
        move |stored| Ok(arguments.plan(stored)?.steps),
        |stored| {
            let round = stored.tournament.next_round() - 1;
            let mut out = stdout();
            if matches.get_flag("json") {
                report::write(&PairingReport::new(stored, round), &mut out)?;
            } else {
                print(context, stored, round, &mut out)?;
            }
            out.flush()?;
            Ok(ExitStatus::Clean)
        },
    )
}

impl PairArguments {
    fn is_by_hand(&self) -> bool {
        !self.boards.is_empty() || self.bye.is_some()
    }

    fn plan(&self, stored: &StoredTournament) -> Result<Plan, NotDone> {
        let by_hand = self.is_by_hand().then(|| self.by_hand(stored)).transpose()?;
        let wanted = Wanted { round: self.round, by_hand, force: self.force };
        pairing::plan(&stored.tournament, &wanted).map_err(NotDone::Faults)
    }

    fn by_hand(&self, stored: &StoredTournament) -> Result<ByHand, NotDone> {
        let boards = self.boards.iter().map(|pair| pair_of(stored, pair)).collect::<Result<_, _>>()?;
        Ok((boards, self.bye.as_ref().map(|name| player(stored, name)).transpose()?))
    }
}

/// Prints the boards and byes of a round.
pub(super) fn print(
    context: Context,
    stored: &StoredTournament,
    round: u32,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let tournament = &stored.tournament;
    let Some(paired) = tournament.round(round) else { return Ok(()) };
    let columns = vec![
        TableColumn::number("board", context.say("tournament.column.board")),
        TableColumn::text("player1", context.say("tournament.column.side1")),
        TableColumn::text("player2", context.say("tournament.column.side2")),
    ];
    let rows = (1..).zip(&paired.boards).map(|(number, board)| {
        let [one, two] = board.players.map(|id| TableCell::foreign(tournament.name(id)));
        vec![TableCell::of(i32::to_string(&number)), one, two]
    });
    let table = Table { headings: vec![heading(context, stored, round)], columns, rows: rows.collect() };
    table::print(context, TableFormat::Text, &[table], out)?;
    print_byes(context, stored, round, out)
}

pub(super) fn heading(context: Context, stored: &StoredTournament, round: u32) -> String {
    let rounds = stored.tournament.round_count();
    context.fill("tournament.pair.heading", &[("round", &round), ("rounds", &rounds)])
}

/// Prints the players of a round without a board, with their points.
pub(super) fn print_byes(
    context: Context,
    stored: &StoredTournament,
    round: u32,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let tournament = &stored.tournament;
    let Some(paired) = tournament.round(round) else { return Ok(()) };
    for (id, bye) in &paired.byes {
        let (player, points) = (harmless(tournament.name(*id)), bye.score(tournament.settings.bye));
        writeln!(
            out,
            "{}",
            context.fill("tournament.pair.without-board", &[("player", &player), ("points", &points)])
        )?;
    }
    Ok(())
}
