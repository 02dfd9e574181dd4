//! `quipu score`: encounters, points and bonuses (9.2 to 9.4).

use std::io::Write;

use clap::ArgMatches;
use quipu_referee::{
    competition::{Encounter, Level, Player, State, Wanted, encounters, grouped, players},
    report::{
        self,
        competition::{Numbers, ScoreReport},
    },
};

use crate::{
    args::text,
    breakdown,
    competition::{Input, read},
    context::{CommandError, CommandResult, Context, harmless, print_to_stderr},
    output::{self, Output},
    table::{self, Table, TableCell, TableColumn, TableFormat, list},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let ScoreInput { form, input, encounters, players } = ScoreInput::read(context, matches)?;
    let failed = output::failed(context, matches);
    let mut out = Output::from_args(context, matches, false)?;
    if let Some(name) = text(matches, "explain") {
        out.write_all(breakdown::points(context, &input, &encounters, &players, name)?.as_bytes()).map_err(&failed)?;
    } else if form == TableFormat::Json {
        let unnumbered = Numbers::new();
        let report = ScoreReport {
            encounters: encounters.iter().map(|one| report::competition::encounter(one, &unnumbered)).collect(),
            players: players.iter().map(|one| report::competition::player(one, &unnumbered)).collect(),
            files: input.files(),
            sheets: input.related(),
        };
        report::write(&report, &mut out).map_err(&failed)?;
    } else {
        // CSV has one header for all, so players have a command of their own: `quipu rank`.
        let tables = if matches!(form, TableFormat::Csv(_)) {
            vec![table_of(context, &encounters.iter().collect::<Vec<_>>())]
        } else {
            let events = grouped(&encounters, |encounter| &encounter.event);
            let events = events.iter().map(|encounters| table_of(context, encounters));
            events.chain([player_table(context, &players)]).collect()
        };
        table::print(context, form, &tables, &mut out).map_err(&failed)?;
    }
    out.finish().map_err(&failed)?;
    tell_irregular(context, &encounters);
    Ok(input.status)
}

/// Games, encounters and players: the input of `score` and `rank`.
pub(super) struct ScoreInput {
    pub(super) form: TableFormat,
    pub(super) input: Input,
    pub(super) encounters: Vec<Encounter>,
    pub(super) players: Vec<Player>,
}

impl ScoreInput {
    pub(super) fn read(context: Context, matches: &ArgMatches) -> Result<Self, CommandError> {
        let form = TableFormat::from_args(context, matches)?;
        breakdown::alone(context, matches, form)?;
        let input = read(context, matches, Wanted { points: true, event: None })?;
        let encounters = encounters(input.count.entries.all());
        let players = players(input.count.entries.all(), &encounters);
        Ok(Self { form, input, encounters, players })
    }
}

/// The table of encounters; the event is a column of data and a heading for people.
fn table_of(context: Context, encounters: &[&Encounter]) -> Table {
    let say = |key| context.say(key);
    let numbered = |key, number: u8| format!("{} {number}", context.say(key));
    let columns = vec![
        TableColumn::data("event"),
        TableColumn::text("round", say("score.column.round")),
        TableColumn::text("games", say("score.column.games")),
        TableColumn::text("player_1", numbered("score.column.player", 1)),
        TableColumn::text("player_2", numbered("score.column.player", 2)),
        TableColumn::number("points_1", numbered("score.column.points", 1)),
        TableColumn::number("points_2", numbered("score.column.points", 2)),
        TableColumn::number("bonus_1", numbered("score.column.bonus", 1)),
        TableColumn::number("bonus_2", numbered("score.column.bonus", 2)),
        TableColumn::text("state", say("score.column.state")),
        TableColumn::text("winner", say("score.column.winner")),
    ];
    let rows = encounters.iter().map(|encounter| {
        let [one, two] = encounter.players.each_ref().map(|name| TableCell::foreign(name));
        let [points_one, points_two] = encounter.sums.map(|sum| TableCell::of(sum.points));
        let [bonus_one, bonus_two] = encounter.bonus().map(TableCell::of);
        vec![
            TableCell::maybe_foreign(encounter.event.as_deref()),
            TableCell::maybe_foreign(encounter.round.as_deref()),
            TableCell::of(list(&encounter.games, " ")),
            one,
            two,
            points_one,
            points_two,
            bonus_one,
            bonus_two,
            TableCell::pair(encounter.state.as_str(), context.word(encounter.state.word())),
            TableCell::maybe_foreign(encounter.winner()),
        ]
    });
    let event = encounters.first().and_then(|encounter| encounter.event.as_deref());
    let heading = event.map_or_else(|| context.say("count.eventless").to_owned(), harmless);
    Table { headings: vec![heading], columns, rows: rows.collect() }
}

/// The table of players with their totals.
fn player_table(context: Context, players: &[Player]) -> Table {
    let columns = vec![
        TableColumn::text("name", context.say("score.column.player")),
        TableColumn::number("games", context.say("score.column.games")),
        TableColumn::number("won", context.say("score.column.won")),
        TableColumn::number("points", context.say("score.column.points")),
        TableColumn::number("points_with_bonus", context.say("score.column.with-bonus")),
    ];
    let rows = players.iter().map(|player| {
        vec![
            TableCell::foreign(&player.name),
            TableCell::of(player.games),
            TableCell::of(player.won),
            TableCell::of(player.points),
            TableCell::of(player.points_with_bonus()),
        ]
    });
    Table { headings: vec![context.say("score.players").to_owned()], columns, rows: rows.collect() }
}

/// The table of players with their levels.
pub(super) fn ranked_table(context: Context, players: &[Player]) -> Table {
    let mut table = player_table(context, players);
    table.headings.clear();
    table.columns.push(TableColumn::number("level", context.say("rank.column.level")));
    table.columns.push(TableColumn::text("tier", context.say("rank.column.tier")));
    for (row, player) in table.rows.iter_mut().zip(players) {
        let level = player.level();
        row.push(TableCell::maybe(level.map(Level::value)));
        let tier = level.map(Level::tier);
        row.push(tier.map_or_else(TableCell::empty, |tier| TableCell::pair(tier.as_str(), context.word(tier.word()))));
    }
    table
}

/// Reports irregular encounters on standard error.
fn tell_irregular(context: Context, encounters: &[Encounter]) {
    for encounter in encounters {
        if let State::Irregular(irregularity) = encounter.state {
            let [one, two] = &encounter.players;
            let (games, reason) = (list(&encounter.games, ", "), context.word(irregularity.word()));
            print_to_stderr(
                context.fill("score.irregular", &[("one", one), ("two", two), ("games", &games), ("reason", &reason)]),
            );
        }
    }
}
