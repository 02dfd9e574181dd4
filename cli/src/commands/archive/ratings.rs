//! `quipu archive ratings`: the list of a game, the history of a player, or the expected scores of two players.

use std::io;

use chrono::NaiveDate;
use clap::ArgMatches;
use quipu_archive::store::{Store, StoreError};
use quipu_notation::games::GameNotation;
use quipu_ratings::{
    ExpectedReport, Glicko, Period, RatedPlayer, RatingHistoryReport, RatingListReport, RatingStep, Ratings,
};
use quipu_referee::{Referee, competition::Half, report};

use super::{day, failure, open_store};
use crate::{
    args::text,
    commands::position,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless},
    output::Output,
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let (game, date, form) =
        (position::game(matches), day(context, matches, "date")?, TableFormat::from_args(context, matches)?);
    let [player, against] = ["player", "against"].map(|name| text(matches, name));
    match (player, against) {
        (None, Some(_)) => return Err(CommandError::Usage(context.say("archive.ratings.needs-player").to_owned())),
        (Some(_), None) if date.is_some() => {
            return Err(CommandError::Usage(context.say("archive.ratings.no-date").to_owned()));
        }
        _ => {}
    }
    let store = open_store(context, matches)?;
    let person = |wanted: &str| person(context, &store, wanted);
    let player = player.map(person).transpose()?;
    let against = against.map(person).transpose()?;
    if let (Some((one, name)), Some((two, _))) = (&player, &against)
        && one == two
    {
        return Err(CommandError::Usage(context.fill("archive.ratings.same", &[("name", &harmless(name))])));
    }
    let notation = game.notation();
    let ratings = store.read(|reading| quipu_ratings::compute_ratings(reading, notation));
    let ratings = ratings.map_err(|error: StoreError| failure(context, &error))?;
    let shown = Shown { context, form, game, ratings: &ratings };
    match (player, against) {
        (Some(one), Some(two)) => shown.expected(date, [one, two]),
        (Some(player), None) => shown.history(&player),
        _ => shown.list(date),
    }
}

/// Number and name of a player, by number or name.
fn person(context: Context, store: &Store, wanted: &str) -> Result<(i64, String), CommandError> {
    let found =
        store.read(|reading| reading.find_player(wanted)).map_err(|error: StoreError| failure(context, &error))?;
    let none = || CommandError::Usage(context.fill("archive.export.no-player", &[("name", &harmless(wanted))]));
    let person = found.ok_or_else(none)?;
    Ok(person.counted())
}

/// Ratings and the form in which they are printed.
struct Shown<'r> {
    context: Context,
    form: TableFormat,
    game: &'static dyn Referee,
    ratings: &'r Ratings,
}

impl Shown<'_> {
    fn list(&self, date: Option<NaiveDate>) -> CommandResult {
        let list = self.ratings.list(date);
        let json = RatingListReport::new(self.notation(), self.ratings, list.from, &list.players, None);
        let mut columns = vec![self.number("place", "archive.ratings.column.place"), self.name_column()];
        columns.extend(self.figure_columns());
        columns.push(self.number("games", "archive.ratings.column.games"));
        columns.push(TableColumn::text("last", self.context.say("archive.ratings.column.last")));
        let rows = list.players.iter().map(|row: &RatedPlayer| {
            let (_, name) = self.ratings.player(row.player);
            let mut cells = vec![TableCell::maybe(row.place), TableCell::foreign(name)];
            cells.extend(self.figures(row.glicko));
            cells.extend([TableCell::of(row.games), self.month(row.last)]);
            cells
        });
        let table = Table { headings: self.heading(list.from), columns, rows: rows.collect() };
        self.print(table, |out| report::write(&json, out))
    }

    fn history(&self, (number, name): &(i64, String)) -> CommandResult {
        let steps: Vec<&RatingStep> = match self.ratings.find(*number) {
            Some(player) => self.ratings.history(player).iter().rev().collect(),
            None => Vec::new(),
        };
        let json = RatingHistoryReport::new(self.notation(), (*number, name), steps.iter().copied(), None);
        let mut columns = vec![
            TableColumn::text("month", self.context.say("archive.ratings.column.month")),
            self.number("games", "archive.ratings.column.games"),
            self.number("score", "archive.ratings.column.score"),
        ];
        columns.extend(self.figure_columns());
        let rows = steps.into_iter().map(|step| {
            let score = Half::half_of(step.half_points.into());
            let mut cells = vec![self.month(step.period), TableCell::of(step.games), TableCell::of(score)];
            cells.extend(self.figures(step.glicko));
            cells
        });
        let heading = format!("{} · {}", self.context.word(self.game.name()), harmless(name));
        let table = Table { headings: vec![heading], columns, rows: rows.collect() };
        self.print(table, |out| report::write(&json, out))
    }

    fn expected(&self, date: Option<NaiveDate>, players: [(i64, String); 2]) -> CommandResult {
        let from = self.ratings.in_force_from(date);
        let scores = self.ratings.expected([players[0].0, players[1].0], date);
        let mut columns = vec![self.name_column()];
        columns.extend(self.figure_columns());
        columns.push(self.number("games", "archive.ratings.column.games"));
        columns.push(self.number("expected", "archive.ratings.column.expected"));
        let rows = players.iter().zip(scores).map(|((_, name), score)| {
            let mut cells = vec![TableCell::foreign(name)];
            cells.extend(self.figures(score.glicko));
            cells.extend([TableCell::of(score.games), TableCell::of(score.value())]);
            cells
        });
        let table = Table { headings: self.heading(from), columns, rows: rows.collect() };
        let json = ExpectedReport::new(self.notation(), from, players, scores);
        self.print(table, |out| report::write(&json, out))
    }

    fn notation(&self) -> &'static GameNotation {
        self.game.notation()
    }

    /// The game, and the day from which a list is in force.
    fn heading(&self, from: Option<NaiveDate>) -> Vec<String> {
        let game = self.context.word(self.game.name());
        vec![from.map_or_else(
            || game.to_owned(),
            |day| self.context.fill("archive.ratings.list", &[("game", &game), ("day", &day)]),
        )]
    }

    fn number(&self, name: &'static str, key: &str) -> TableColumn {
        TableColumn::number(name, self.context.say(key))
    }

    fn name_column(&self) -> TableColumn {
        TableColumn::text("name", self.context.say("archive.ratings.column.player"))
    }

    fn figure_columns(&self) -> [TableColumn; 4] {
        [
            self.number("rating", "archive.ratings.column.glicko"),
            self.number("deviation", "archive.ratings.column.deviation"),
            TableColumn::data("volatility"),
            TableColumn::text("status", self.context.say("archive.ratings.column.status")),
        ]
    }

    /// The cells of a rating: exact in data, and whole numbers for people.
    fn figures(&self, glicko: Glicko) -> [TableCell; 4] {
        let (status, shown) = if glicko.is_provisional() {
            ("provisional", self.context.say("archive.ratings.provisional"))
        } else {
            ("established", self.context.say("archive.ratings.established"))
        };
        [
            TableCell::pair(glicko.rating(), glicko.whole()),
            TableCell::pair(glicko.deviation(), format!("{:.0}", glicko.deviation())),
            TableCell::of(glicko.volatility()),
            TableCell::pair(status, shown),
        ]
    }

    fn month(&self, month: Option<Period>) -> TableCell {
        let undated = || TableCell::pair("", self.context.say("archive.ratings.undated"));
        month.map_or_else(undated, TableCell::of)
    }

    fn print(&self, table: Table, json: impl FnOnce(&mut Output) -> io::Result<()>) -> CommandResult {
        let mut out = Output::stdout();
        match self.form {
            TableFormat::Json => json(&mut out)?,
            form => table::print(self.context, form, &[table], &mut out)?,
        }
        out.finish()?;
        Ok(ExitStatus::Clean)
    }
}
