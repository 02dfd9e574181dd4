//! `quipu tournament pair`: pairs the next round, by the system of the tournament or by hand.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{report::PairingReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::{
    fault::{self, Fault, Weight},
    model::{Change, PlayerId, Tournament},
    pairing,
};

use super::{NotDone, by, change, pair_of, player, read, remark, texts};
use crate::{
    args::{number, text},
    context::{CommandResult, Context, ExitStatus, harmless, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

/// The pairing on the command line.
struct Asked {
    round: Option<u32>,
    boards: Vec<String>,
    bye: Option<String>,
    force: bool,
}

/// Boards and the bye of a pairing made by hand.
type ByHand = (Vec<[PlayerId; 2]>, Option<PlayerId>);

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let asked = Asked {
        round: number(matches, "round"),
        boards: texts(matches, "board"),
        bye: text(matches, "bye").map(str::to_owned),
        force: matches.get_flag("force"),
    };
    if asked.is_by_hand() {
        let stored = read(context, matches)?;
        match asked.by_hand(&stored) {
            Ok((boards, bye)) => remark(context, &remarks(&stored, &boards, bye, asked.forces(&stored.tournament))),
            Err(reason) => return reason.tell(context, stored.number),
        }
    }
    let by = by(context, matches, "pair", false)?;
    change(
        context,
        matches,
        by,
        move |stored| asked.steps(stored),
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

impl Asked {
    fn is_by_hand(&self) -> bool {
        !self.boards.is_empty() || self.bye.is_some()
    }

    /// Closes the round before, if it is open and complete, and pairs the next.
    fn steps(&self, stored: &StoredTournament) -> Result<Vec<Change>, NotDone> {
        let mut tournament = stored.tournament.clone();
        let round = tournament.next_round();
        if let Some(asked) = self.round.filter(|asked| *asked != round) {
            let code = if asked < round { fault::ROUND_PAIRED } else { fault::ROUND_ORDER };
            return Err(Fault::new(code).with("round", asked).with("next", round).into());
        }
        let mut steps = Vec::new();
        if tournament.rounds.last().is_some_and(|last| !last.is_closed) {
            let close = Change::Close { round: round - 1 };
            tournament.apply(&close)?;
            steps.push(close);
        }
        if self.is_by_hand() {
            let (boards, bye) = self.by_hand(stored)?;
            let faults = pairing::check(&tournament, &boards, bye);
            let errors: Vec<_> = faults.into_iter().filter(|fault| fault.code.weight == Weight::Error).collect();
            if !errors.is_empty() && !self.forces(&tournament) {
                return Err(NotDone::Faults(errors));
            }
            steps.push(Change::Pair { round, boards, bye });
        } else {
            steps.push(pairing::next(&tournament)?.change());
        }
        Ok(steps)
    }

    /// True if errors are no reason to refuse. The rounds of a round robin and a knock-out follow from each other, so nothing is
    /// forced there.
    fn forces(&self, tournament: &Tournament) -> bool {
        self.force && !tournament.has_fixed_field()
    }

    fn by_hand(&self, stored: &StoredTournament) -> Result<ByHand, NotDone> {
        let boards = self.boards.iter().map(|pair| pair_of(stored, pair)).collect::<Result<_, _>>()?;
        Ok((boards, self.bye.as_ref().map(|name| player(stored, name)).transpose()?))
    }
}

/// Remarks on a pairing by hand; with `--force`, also its errors.
fn remarks(stored: &StoredTournament, boards: &[[PlayerId; 2]], bye: Option<PlayerId>, force: bool) -> Vec<Fault> {
    let faults = pairing::check(&stored.tournament, boards, bye);
    faults.into_iter().filter(|fault| force || fault.code.weight == Weight::Remark).collect()
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
    let heading = context.fill("tournament.pair.heading", &[("round", &round), ("rounds", &tournament.round_count())]);
    let table = Table { headings: vec![heading], columns, rows: rows.collect() };
    table::print(context, TableFormat::Text, &[table], out)?;
    print_byes(context, stored, round, out)
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
