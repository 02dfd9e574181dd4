//! The reasons of the boards of a round, in the words of the page.

use std::io;

use quipu_archive::{report::PairingReport, store::StoredTournament};
use quipu_notation::Side;
use quipu_referee::report;
use quipu_tournament::reasons::{Reasons, RulePairing};

use super::pair;
use crate::context::{Context, harmless};

/// Writes the reasons of a round as text.
pub(super) fn write(
    context: Context,
    stored: &StoredTournament,
    round: u32,
    out: &mut impl io::Write,
) -> io::Result<()> {
    let tournament = &stored.tournament;
    let Some(paired) = tournament.round(round) else { return Ok(()) };
    let sides = Side::BOTH.map(|side| stored.game.side(side).tag);
    let reasons = Reasons { tournament, sides, lang: context.lang };
    let by_rule = RulePairing::new(tournament, round);
    writeln!(out, "{}", pair::heading(context, stored, round))?;
    writeln!(out, "{}", reasons.system())?;
    for (number, board) in (1_u32..).zip(&paired.boards) {
        let [one, two] = board.players.map(|id| harmless(tournament.name(id)));
        let heading = context.fill("tournament.boards.explained", &[("board", &number), ("one", &one), ("two", &two)]);
        writeln!(out, "\n{heading}")?;
        for reason in reasons.of(by_rule.board(board.players)) {
            writeln!(out, "    {}", harmless(&reason))?;
        }
    }
    if !paired.byes.is_empty() {
        writeln!(out)?;
    }
    pair::print_byes(context, stored, round, out)
}

/// Writes the reasons of a round as JSON.
pub(super) fn write_json(stored: &StoredTournament, round: u32, out: &mut impl io::Write) -> io::Result<()> {
    let by_rule = RulePairing::new(&stored.tournament, round);
    let paired = PairingReport::new(stored, round);
    report::write(&paired.map(|paired| paired.explained(&stored.tournament, &by_rule)), out)
}
