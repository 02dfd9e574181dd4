//! The figures of a player: every round with its records, and the parts of each tie-break.

use std::{fmt::Display, io};

use quipu_archive::store::StoredTournament;
use quipu_tournament::{
    messages::catalog,
    model::{Origin, PlayerId, Slot},
    standings::{Figure, TournamentRow, TournamentStandings},
};

use crate::context::{Context, harmless};

/// Characters of the id of a record, enough for `quipu archive show`.
const ID: usize = 12;

/// Writes the figures of a player after a round.
pub(super) fn write(
    context: Context,
    stored: &StoredTournament,
    standings: &TournamentStandings,
    row: &TournamentRow,
    out: &mut impl io::Write,
) -> io::Result<()> {
    let explanation = Explanation { context, stored };
    writeln!(out, "{}", explanation.place(row, standings))?;
    let history = &stored.tournament.histories()[row.player.0 as usize - 1];
    for (round, slot) in (1..=standings.round).zip(history) {
        if let Some(line) = explanation.round(round, slot) {
            writeln!(out, "{line}")?;
        }
    }
    for figure in &row.figures {
        writeln!(out)?;
        explanation.figure(figure, out)?;
    }
    Ok(())
}

struct Explanation<'s> {
    context: Context,
    stored: &'s StoredTournament,
}

impl Explanation<'_> {
    fn place(&self, row: &TournamentRow, standings: &TournamentStandings) -> String {
        let (name, players) = (harmless(self.stored.tournament.name(row.player)), standings.rows.len());
        self.context.fill(
            "tournament.explain.place",
            &[("player", &name), ("place", &row.place), ("players", &players), ("score", &row.score)],
        )
    }

    /// A round with its score and its records; none for a round without the player.
    fn round(&self, round: u32, slot: &Slot) -> Option<String> {
        let tournament = &self.stored.tournament;
        let score = slot.score(tournament.settings.bye);
        match slot {
            Slot::Out => None,
            Slot::Bye(_) => Some(self.part(round, None, &score)),
            Slot::Encounter { opponent, result: None, .. } => Some(self.part(round, Some(*opponent), &"–")),
            Slot::Encounter { board, opponent, .. } => {
                let mut line = self.part(round, Some(*opponent), &score);
                let games = &tournament.rounds[round as usize - 1].boards[*board].games;
                let records = games.iter().flatten().filter_map(|result| match &result.origin {
                    Origin::Record(id) => Some(id.get(..ID).unwrap_or(id)),
                    Origin::Arbiter => None,
                });
                let records: Vec<_> = records.collect();
                if !records.is_empty() {
                    line.push_str(
                        &self.context.fill("tournament.explain.records", &[("records", &records.join(", "))]),
                    );
                }
                if records.len() < games.len() {
                    line.push_str(self.context.say("tournament.explain.arbiter"));
                }
                Some(line)
            }
        }
    }

    /// A round against an opponent with a value.
    fn part(&self, round: u32, opponent: Option<PlayerId>, value: &dyn Display) -> String {
        let opponent = match opponent {
            Some(id) => harmless(self.stored.tournament.name(id)),
            None => self.context.say("tournament.explain.alone").into(),
        };
        self.context.fill("tournament.explain.part", &[("round", &round), ("opponent", &opponent), ("value", value)])
    }

    fn figure(&self, figure: &Figure, out: &mut impl io::Write) -> io::Result<()> {
        let name = catalog().word(figure.tie_break.word(), self.context.lang);
        match figure.value {
            Some(value) => writeln!(out, "{name}: {value}")?,
            None => writeln!(out, "{name}: –")?,
        }
        for part in &figure.parts {
            let cut = if part.cut { self.context.say("tournament.explain.cut") } else { "" };
            writeln!(out, "    {}{cut}", self.part(part.round, part.opponent, &part.value))?;
        }
        Ok(())
    }
}
