//! Explains a player's figures: every figure with the games it comes from and its article.

use std::fmt::Display;

use anstyle::Style;
use clap::ArgMatches;
use quipu_notation::{Side, record::Outcome};
use quipu_referee::competition::{
    Basis, Direct, Encounter, Entry, Half, Played, Player, Standings, StandingsRow, State, Step, TieBreak, encounters,
};
use quipu_referee::games;

use crate::{
    args::text,
    competition::Input,
    context::{CommandError, Context, harmless},
    table::{self, Table, TableCell, TableColumn, TableFormat, list},
};

/// Refuses `--explain` with a format other than text.
///
/// # Errors
/// [`CommandError::Usage`] for JSON, CSV and Markdown.
pub(crate) fn alone(context: Context, matches: &ArgMatches, form: TableFormat) -> Result<(), CommandError> {
    match text(matches, "explain") {
        Some(_) if form != TableFormat::Text => Err(CommandError::Usage(context.say("breakdown.alone").to_owned())),
        _ => Ok(()),
    }
}

/// A sum with its parts: `22 + 19 = 41`.
fn sum(parts: impl IntoIterator<Item = impl Display>, total: impl Display) -> String {
    let parts = parts.into_iter().map(|part| part.to_string()).collect::<Vec<_>>().join(" + ");
    let total = total.to_string();
    if parts.is_empty() || parts == total { total } else { format!("{parts} = {total}") }
}

/// The explanation of one player's figures, as it is written.
struct Breakdown<'t> {
    context: Context,
    input: &'t Input,
    name: &'t str,
    text: String,
}

impl<'t> Breakdown<'t> {
    fn new(context: Context, input: &'t Input, name: &'t str) -> Self {
        let heading = context.paint(Style::new().bold(), harmless(name));
        Self { context, input, name, text: format!("{heading}\n") }
    }

    fn part(&mut self, heading: &str) {
        let heading = self.context.paint(Style::new().bold(), harmless(heading));
        self.text.extend(["\n", &heading, "\n"]);
    }

    /// Writes a line, with active characters from records replaced.
    fn line(&mut self, line: &str) {
        self.text.extend([&harmless(line), "\n"]);
    }

    fn table(&mut self, columns: Vec<TableColumn>, rows: Vec<Vec<TableCell>>) {
        let mut out = Vec::new();
        let table = Table { headings: Vec::new(), columns, rows };
        // Writing to memory does not fail.
        drop(table::print(self.context, TableFormat::Text, &[table], &mut out));
        self.text += &String::from_utf8_lossy(&out);
    }

    /// The game at a place in the input, if this player played it, and the player's side.
    fn entry(&self, place: u64) -> Option<(&'t Entry, Side)> {
        let entry = self.input.count.entries.at(place)?;
        Some((entry, entry.side_of(self.name)?))
    }

    /// The columns that identify a game.
    fn game_columns(&self) -> Vec<TableColumn> {
        let say = |key| self.context.say(key);
        vec![
            TableColumn::number("game", say("breakdown.column.game")),
            TableColumn::text("file", say("breakdown.column.file")),
            TableColumn::number("record", say("breakdown.column.record")),
            TableColumn::text("start", say("breakdown.column.start")),
            TableColumn::text("event", say("breakdown.column.event")),
            TableColumn::text("round", say("breakdown.column.round")),
            TableColumn::text("leg", say("breakdown.column.leg")),
            TableColumn::text("side", say("breakdown.column.side")),
            TableColumn::text("opponent", say("breakdown.column.opponent")),
            TableColumn::text("result", say("breakdown.column.result")),
            TableColumn::text("termination", say("breakdown.column.end")),
        ]
    }

    /// The cells of one game in these columns.
    fn game_cells(&self, entry: &Entry, side: Side) -> Vec<TableCell> {
        let (file, number) = self.input.origin(entry.place);
        vec![
            TableCell::of(entry.place),
            TableCell::foreign(file),
            TableCell::of(number),
            TableCell::of(entry.start),
            TableCell::maybe_foreign(entry.event.as_deref()),
            TableCell::maybe_foreign(entry.round.as_deref()),
            TableCell::maybe_foreign(entry.leg.as_deref()),
            TableCell::of(entry.game.side(side).tag),
            TableCell::foreign(entry.player(!side)),
            TableCell::of(entry.outcome.as_str()),
            TableCell::of(entry.termination.name),
        ]
    }

    /// Lists the player's games with points, and returns them.
    fn counted_games(&mut self) -> Vec<(&'t Entry, Side)> {
        let entries = self.input.count.entries.all().iter();
        let games: Vec<_> = entries.filter_map(|entry| Some((entry, entry.side_of(self.name)?))).collect();
        let mut columns = self.game_columns();
        columns.push(TableColumn::number("points", self.context.say("breakdown.column.points")));
        columns.push(TableColumn::number("opponent_points", self.context.say("breakdown.column.opponent-points")));
        let rows = games.iter().map(|(entry, side)| {
            let mut cells = self.game_cells(entry, *side);
            cells.extend([*side, !*side].map(|side| TableCell::maybe(points_of(entry, side))));
            cells
        });
        let rows = rows.collect();
        self.part(self.context.say("breakdown.games"));
        self.table(columns, rows);
        games
    }

    fn encounter(&mut self, encounter: &Encounter, index: usize) {
        let context = self.context;
        let entries = || encounter.games.iter().filter_map(|&place| self.entry(place));
        let parts = |opponent: bool| {
            entries().filter_map(move |(entry, side)| points_of(entry, if opponent { !side } else { side }))
        };
        let [own, other] = [index, 1 - index].map(|index| encounter.sums[index].points);
        let round = match (encounter.event.as_deref(), encounter.round.as_deref()) {
            (None, None) => context.say("count.eventless").to_owned(),
            (event, round) => event.into_iter().chain(round).collect::<Vec<_>>().join(" · "),
        };
        let (opponent, games) = (&encounter.players[1 - index], list(&encounter.games, ", "));
        let (sum_own, sum_other) = (sum(parts(false), own), sum(parts(true), other));
        let state = self.state(encounter, index);
        let line = context.fill(
            "breakdown.encounter",
            &[
                ("round", &round),
                ("opponent", opponent),
                ("games", &games),
                ("own", &sum_own),
                ("other", &sum_other),
                ("state", &state),
            ],
        );
        self.line(&line);
        let bonus = encounter.bonus()[index];
        if bonus > Half::ZERO {
            let line = context.fill("breakdown.bonus", &[("points", &own), ("bonus", &bonus)]);
            self.line(&line);
        }
    }

    /// The state of an encounter with the article that decides it.
    fn state(&self, encounter: &Encounter, index: usize) -> String {
        let context = self.context;
        if let State::Irregular(irregularity) = encounter.state {
            return context.fill("breakdown.irregular", &[("reason", &context.word(irregularity.word()))]);
        }
        let Some(basis) = encounter.basis() else { return context.say("breakdown.open").to_owned() };
        let key = match encounter.state {
            State::Won(winner) if winner == index => "breakdown.won",
            State::Won(_) => "breakdown.lost",
            _ => "breakdown.tied",
        };
        let state = context.say(key);
        match basis {
            Basis::Result => context.fill("breakdown.by-result", &[("state", &state)]),
            Basis::Points => context.fill("breakdown.by-points", &[("state", &state)]),
            Basis::Pieces(count) => {
                let pieces = context.word(Basis::PIECES[count]);
                let [own, other] = [index, 1 - index].map(|index| encounter.sums[index].breaks[count]);
                context.fill(
                    "breakdown.by-pieces",
                    &[("state", &state), ("pieces", &pieces), ("own", &own), ("other", &other)],
                )
            }
            Basis::Nothing => context.fill("breakdown.by-nothing", &[("state", &state)]),
        }
    }

    fn level(&mut self, player: &Player) {
        self.part(self.context.say("breakdown.level"));
        if player.history.is_empty() {
            self.line(self.context.say("breakdown.no-level"));
        }
        for Step { game, last, previous, level } in &player.history {
            let line = match level {
                None => self.context.fill("breakdown.no-step", &[("game", game)]),
                Some(level) => {
                    let (greatest, value) = (last.max(previous), level.value());
                    let tier = self.context.word(level.tier().word());
                    self.context.fill(
                        "breakdown.step",
                        &[
                            ("game", game),
                            ("last", last),
                            ("previous", previous),
                            ("greatest", greatest),
                            ("level", &value),
                            ("tier", &tier),
                        ],
                    )
                }
            };
            self.line(&line);
        }
    }
}

/// A side's points in a game.
fn points_of(entry: &Entry, side: Side) -> Option<u32> {
    entry.points.map(|points| points.0[side.index()].points)
}

/// A player's points, encounters, bonuses and levels.
///
/// # Errors
/// If there is no such player.
pub(crate) fn points(
    context: Context,
    input: &Input,
    encounters: &[Encounter],
    players: &[Player],
    wanted: &str,
) -> Result<String, CommandError> {
    let name = input.player(context, wanted)?;
    let mut trace = Breakdown::new(context, input, name);
    let games = trace.counted_games();
    let won = games.iter().filter(|(entry, side)| entry.outcome == Outcome::Win(*side)).map(|(entry, _)| entry.place);
    let won: Vec<_> = won.collect();
    trace.line(&match won.len() {
        0 => context.say("breakdown.no-won-games").to_owned(),
        count => context.fill("breakdown.won-games", &[("count", &count), ("games", &list(&won, ", "))]),
    });

    trace.part(context.say("breakdown.encounters"));
    let own: Vec<_> = encounters.iter().filter_map(|encounter| Some((encounter, encounter.index_of(name)?))).collect();
    for (encounter, index) in &own {
        trace.encounter(encounter, *index);
    }

    let Some(player) = players.iter().find(|player| player.name == name) else { return Ok(trace.text) };
    trace.part(context.say("breakdown.points"));
    let parts = games.iter().filter_map(|(entry, side)| points_of(entry, *side));
    let line = context.fill("breakdown.points-sum", &[("sum", &sum(parts, player.points))]);
    trace.line(&line);
    let bonuses = own.iter().map(|(encounter, index)| encounter.bonus()[*index]).filter(|bonus| *bonus > Half::ZERO);
    let line = context.fill("breakdown.bonus-sum", &[("sum", &sum(bonuses, player.bonus))]);
    trace.line(&line);
    let with_bonus = format!("{} + {} = {}", player.points, player.bonus, player.points_with_bonus());
    let line = context.fill("breakdown.with-bonus", &[("sum", &with_bonus)]);
    trace.line(&line);

    trace.level(player);
    Ok(trace.text)
}

/// A player's score, tie-breaks and place in each event.
///
/// # Errors
/// If there is no such player.
pub(crate) fn standings(
    context: Context,
    input: &Input,
    all: &[Standings],
    wanted: &str,
) -> Result<String, CommandError> {
    let name = input.player(context, wanted)?;
    let mut trace = Breakdown::new(context, input, name);
    for standings in all {
        if let Some(row) = standings.rows.iter().find(|row| row.name == name) {
            trace.standings(standings, row);
        }
    }
    Ok(trace.text)
}

impl Breakdown<'_> {
    fn standings(&mut self, standings: &Standings, row: &StandingsRow) {
        let context = self.context;
        self.part(&heading(context, standings));
        let mut columns = self.game_columns();
        columns.push(TableColumn::number("score", context.say("breakdown.column.score")));
        columns.push(TableColumn::number("opponent_score", context.say("breakdown.column.opponent-score")));
        let score_of = |played: &Played| standings.rows[played.opponent].score;
        let rows = row.played.iter().filter_map(|played| {
            let (entry, side) = self.entry(played.game)?;
            let mut cells = self.game_cells(entry, side);
            cells.extend([TableCell::of(played.score), TableCell::of(score_of(played))]);
            Some(cells)
        });
        let rows = rows.collect();
        self.table(columns, rows);
        let score = sum(row.played.iter().map(|played| played.score), row.score);
        let line = context.fill("breakdown.score", &[("sum", &score)]);
        self.line(&line);
        for (tie_break, figure) in standings.order.iter().zip(&row.figures) {
            let figure = figure.map(|figure| figure.to_string()).unwrap_or_default();
            let how = match tie_break {
                TieBreak::Buchholz => sum(row.played.iter().map(score_of), figure),
                TieBreak::SonnebornBerger => {
                    let part = |played: &Played| match played.score {
                        Half::ZERO => None,
                        Half::ONE => Some(score_of(played).to_string()),
                        _ => Some(format!("{} / 2", score_of(played))),
                    };
                    sum(row.played.iter().filter_map(part), figure)
                }
                TieBreak::Direct => self.direct(standings, row, &figure),
                TieBreak::Wins | TieBreak::Score => figure,
                TieBreak::Points | TieBreak::PointsWithBonus | TieBreak::Encounters if row.tally.is_none() => {
                    context.say("breakdown.pointless").to_owned()
                }
                TieBreak::Points => sum(row.played.iter().filter_map(|played| played.points), figure),
                TieBreak::PointsWithBonus => {
                    let sum = self.with_bonus(standings, row, &figure);
                    context.fill("breakdown.see-score", &[("sum", &sum)])
                }
                TieBreak::Encounters => context.fill("breakdown.see-encounters", &[("won", &figure)]),
            };
            let line = format!("{}: {how}", context.word(tie_break.word()));
            self.line(&line);
        }
        let equal = standings.rows.iter().filter(|other| other.place == row.place).count();
        let (place, count) = (row.place, standings.rows.len());
        let line = if equal > 1 {
            context.fill("breakdown.shared", &[("place", &place), ("count", &count), ("equal", &equal)])
        } else {
            context.fill("breakdown.place", &[("place", &place), ("count", &count)])
        };
        self.line(&line);
    }

    /// Points in all games of an event plus the bonuses of its encounters.
    fn with_bonus(&self, standings: &Standings, row: &StandingsRow, total: &str) -> String {
        let entries = self.input.count.entries.all().iter();
        let of_event = entries.filter(|entry| entry.game == standings.game && entry.event == standings.event);
        let bonuses = encounters(of_event).into_iter().filter_map(|encounter| {
            let index = encounter.index_of(self.name)?;
            Some(encounter.bonus()[index])
        });
        let points = row.tally.map(|tally| Half::whole(tally.points));
        sum(points.into_iter().chain(bonuses.filter(|bonus| *bonus > Half::ZERO)), total)
    }

    fn direct(&self, standings: &Standings, row: &StandingsRow, figure: &str) -> String {
        let context = self.context;
        match &row.direct {
            None | Some(Direct::Alone) => context.say("breakdown.direct-alone").to_owned(),
            Some(Direct::Apart) => context.say("breakdown.direct-apart").to_owned(),
            Some(Direct::Among(group)) => {
                let among: Vec<_> = row.played.iter().filter(|played| group.contains(&played.opponent)).collect();
                let games: Vec<_> = among.iter().map(|played| played.game).collect();
                let (games, score) = (list(&games, ", "), sum(among.iter().map(|played| played.score), figure));
                let others = group.iter().map(|index| &*standings.rows[*index].name).filter(|name| *name != row.name);
                let others =
                    others.map(|name| context.fill("quote", &[("text", &name)])).collect::<Vec<_>>().join(", ");
                context.fill("breakdown.direct", &[("sum", &score), ("games", &games), ("others", &others)])
            }
        }
    }
}

/// Heading of the standings of an event.
pub(crate) fn heading(context: Context, standings: &Standings) -> String {
    let game = games::find(standings.game.id).map_or(standings.game.id, |game| context.word(game.name()));
    let event = standings.event.as_deref().unwrap_or(context.say("count.eventless"));
    harmless(&format!("{event} · {game}"))
}
