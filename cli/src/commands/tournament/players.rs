//! `quipu tournament players`: the entry list, and its changes.

use std::{ffi::OsString, io::Write};

use clap::ArgMatches;
use quipu_archive::{report::EntriesReport, store::StoredTournament};
use quipu_referee::report;
use quipu_tournament::{
    exchange::csv::entries,
    model::{Bye, Change, Player},
};

use super::{NotDone, by, change, new, pair_of, player, read, remark, texts};
use crate::{
    args::{number, text},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, stdout},
    input,
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

/// A player on the command line, and the change that takes a round.
type Presence = fn(quipu_tournament::model::PlayerId, u32, Bye) -> Change;

/// Options that change the presence of players.
const PRESENCE: [(&str, Presence); 4] = [
    ("withdraw", |id, round, _| Change::Withdraw { id, round }),
    ("back", |id, round, _| Change::Return { id, round }),
    ("absent", |id, round, bye| Change::Absent { id, round, bye }),
    ("present", |id, round, _| Change::Present { id, round }),
];

/// The changes on the command line.
struct PlayersArguments {
    /// The content of the file of `--add`.
    file: Option<String>,
    entered: Option<Player>,
    presence: Vec<(String, Presence)>,
    forbidden: Vec<String>,
    allowed: Vec<String>,
    round: Option<u32>,
    bye: Bye,
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let arguments = PlayersArguments::new(context, matches)?;
    if arguments.is_empty() {
        return show(context, matches, &read(context, matches)?);
    }
    if let Some(text) = &arguments.file {
        // Columns that are not used are no reason to refuse the list.
        let (_, unused) = match entries(text, 1) {
            Ok(read) => read,
            Err(fault) => return NotDone::from(fault).tell(context, super::number(matches)),
        };
        remark(context, &unused);
    }
    let by = by(context, matches, "players", false)?;
    change(context, matches, by, move |stored| arguments.steps(stored), |stored| show(context, matches, stored))
}

impl PlayersArguments {
    fn new(context: Context, matches: &ArgMatches) -> Result<Self, CommandError> {
        let file = matches.get_one::<OsString>("add").map(|path| input::text(context, path.as_ref())).transpose()?;
        let said = |name| text(matches, name).map(str::to_owned);
        let entered = said("enter").map(|name| Player {
            name,
            rating: number(matches, "rating"),
            id: said("id"),
            federation: said("federation"),
            club: said("club"),
            ..Player::default()
        });
        let of_player = ["rating", "id", "federation", "club"];
        if let Some(option) = of_player.into_iter().find(|option| entered.is_none() && matches.contains_id(option)) {
            let option = format!("--{option}");
            return Err(CommandError::Usage(context.fill("tournament.players.alone", &[("option", &option)])));
        }
        let presence = PRESENCE
            .into_iter()
            .flat_map(|(option, change)| texts(matches, option).into_iter().map(move |player| (player, change)));
        Ok(Self {
            file,
            entered,
            presence: presence.collect(),
            forbidden: texts(matches, "forbid"),
            allowed: texts(matches, "allow"),
            round: number(matches, "round"),
            bye: text(matches, "bye").and_then(new::bye).unwrap_or(Bye::Zero),
        })
    }

    fn is_empty(&self) -> bool {
        self.file.is_none()
            && self.entered.is_none()
            && self.presence.is_empty()
            && self.forbidden.is_empty()
            && self.allowed.is_empty()
    }

    /// The changes of the tournament. A player who is entered after the first pairing begins with the next round.
    fn steps(&self, stored: &StoredTournament) -> Result<Vec<Change>, NotDone> {
        let next = stored.tournament.next_round();
        let round = self.round.unwrap_or(next);
        let mut steps = Vec::new();
        if let Some(text) = &self.file {
            steps.extend(entries(text, round)?.0);
        }
        steps.extend(self.entered.clone().map(|player| Change::Enter { player, first: round }));
        for (wanted, change) in &self.presence {
            steps.push(change(player(stored, wanted)?, round, self.bye));
        }
        for pair in &self.forbidden {
            steps.push(Change::Forbid { players: pair_of(stored, pair)? });
        }
        for pair in &self.allowed {
            steps.push(Change::Allow { players: pair_of(stored, pair)? });
        }
        Ok(steps)
    }
}

/// Prints the entry list.
pub(super) fn show(context: Context, matches: &ArgMatches, stored: &StoredTournament) -> CommandResult {
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&EntriesReport::from(stored), &mut out)?;
    } else {
        table::print(context, TableFormat::Text, &[entry_table(context, stored)], &mut out)?;
        for pair in &stored.tournament.forbidden {
            let [one, two] = pair.map(|id| harmless(stored.tournament.name(id)));
            writeln!(out, "{}", context.fill("tournament.players.forbidden", &[("one", &one), ("two", &two)]))?;
        }
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

fn entry_table(context: Context, stored: &StoredTournament) -> Table {
    let tournament = &stored.tournament;
    let columns = vec![
        TableColumn::number("number", context.say("tournament.column.number")),
        TableColumn::text("name", context.say("tournament.column.player")),
        TableColumn::number("rating", context.say("tournament.column.rating")),
        TableColumn::text("federation", context.say("tournament.column.federation")),
        TableColumn::text("club", context.say("tournament.column.club")),
        TableColumn::text("presence", context.say("tournament.column.presence")),
    ];
    let rows = tournament.ids().zip(&tournament.entrants).map(|(id, entrant)| {
        let mut presence = Vec::new();
        if entrant.first > 1 {
            presence.push(context.fill("tournament.players.first", &[("round", &entrant.first)]));
        }
        for (round, bye) in &entrant.absences {
            let points = bye.score(tournament.settings.bye);
            presence.push(context.fill("tournament.players.absent-in", &[("round", round), ("points", &points)]));
        }
        if let Some(round) = entrant.withdrawn {
            presence.push(context.fill("tournament.players.withdrawn", &[("round", &round)]));
        }
        let player = &entrant.player;
        vec![
            TableCell::of(id),
            TableCell::foreign(&player.name),
            TableCell::maybe(player.rating),
            TableCell::maybe_foreign(player.federation.as_deref()),
            TableCell::maybe_foreign(player.club.as_deref()),
            TableCell::maybe(Some(presence.join(", ")).filter(|text| !text.is_empty())),
        ]
    });
    Table { headings: Vec::new(), columns, rows: rows.collect() }
}
