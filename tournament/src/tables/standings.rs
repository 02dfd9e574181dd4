//! Standings and the crosstable, after the last closed round.

use quipu_notation::Side;
use quipu_referee::competition::{Half, Quarter};

use super::{Column, Tables, TournamentTable, Value};
use crate::{
    messages::catalog,
    model::{PlayerId, Slot},
    standings::{TournamentRow, TournamentStandings, TournamentTieBreak},
};

impl Tables<'_> {
    /// The standings.
    pub fn standings(&self) -> TournamentTable {
        let found = self.ranked();
        let mut columns = self.player_columns();
        columns.extend(self.score_column(found));
        columns.extend(["column.wins", "column.draws", "column.losses"].map(|key| self.numbers(key)));
        columns.extend(self.figure_columns(found));
        let rows = found.rows.iter().map(|row| {
            let mut cells = self.player_cells(row);
            cells.extend(score(found, row));
            cells.extend(row.played.map(Value::whole));
            cells.extend(figures(row));
            cells
        });
        self.ranking("table.standings", found, columns, rows.collect(), None)
    }

    /// The crosstable: a row for each player by place, and of each round the opponent's number, the side and the result.
    pub fn crosstable(&self) -> TournamentTable {
        let found = self.ranked();
        let histories = self.tournament.histories();
        let mut columns = self.player_columns();
        columns.extend(
            (1..=found.round)
                .map(|round| Column { heading: self.fill("column.round", &[("round", &round)]), is_number: false }),
        );
        columns.extend(self.score_column(found));
        columns.extend(self.figure_columns(found));
        let rows = found.rows.iter().map(|row| {
            let mut cells = self.player_cells(row);
            let rounds = &histories[row.player.0 as usize - 1][..found.round as usize];
            cells.extend(rounds.iter().map(|slot| self.slot(slot)));
            cells.extend(score(found, row));
            cells.extend(figures(row));
            cells
        });
        let note = (found.round > 0).then(|| {
            let [one, two] = Side::BOTH.map(|side| self.game.side(side).tag);
            let [letter1, letter2] = Side::BOTH.map(|side| self.letter(side));
            let is_one = self.tournament.settings.encounter.games() == 1;
            let key = if is_one { "table.signs" } else { "table.signs-first" };
            self.fill(key, &[("letter1", &letter1), ("side1", &one), ("letter2", &letter2), ("side2", &two)])
        });
        self.ranking("table.crosstable", found, columns, rows.collect(), note)
    }

    /// A round of a player: `12S½` against number 12, `12S+` without a game, `(½)` for a bye.
    fn slot(&self, slot: &Slot) -> Value {
        match slot {
            Slot::Out => Value::Empty,
            Slot::Bye(bye) => {
                Value::Text(format!("({})", Quarter::from(bye.score(self.tournament.settings.bye)).with_signs()))
            }
            Slot::Encounter { index, opponent, side, result, .. } => {
                let result =
                    result.map_or_else(String::new, |result| match (result.was_played, result.scores[*index]) {
                        (true, score) => Quarter::from(score).with_signs(),
                        (false, Half::ZERO) => "−".to_owned(),
                        (false, _) => "+".to_owned(),
                    });
                Value::Text(format!("{opponent}{}{result}", self.letter(*side)))
            }
        }
    }

    /// The letter of a side, a capital one: a small `l` looks like a 1.
    fn letter(&self, side: Side) -> char {
        self.game.side(side).letter.to_ascii_uppercase()
    }

    /// The columns that name a player.
    fn player_columns(&self) -> Vec<Column> {
        vec![
            self.numbers("column.place"),
            self.numbers("column.number"),
            self.texts("column.player"),
            self.numbers("column.rating"),
        ]
    }

    fn player_cells(&self, row: &TournamentRow) -> Vec<Value> {
        let rating = |id: PlayerId| self.tournament.entrant(id).and_then(|entrant| entrant.player.rating);
        vec![
            Value::whole(row.place),
            Value::whole(row.player.0),
            Value::text(self.tournament.name(row.player)),
            Value::or_empty(rating(row.player), Value::whole),
        ]
    }

    /// The column of scores, unless the order has one among its figures.
    fn score_column(&self, found: &TournamentStandings) -> Option<Column> {
        score_is_first(found).then(|| self.numbers("column.score"))
    }

    fn figure_columns(&self, found: &TournamentStandings) -> Vec<Column> {
        let heading = |key| catalog().word(key, self.lang).to_owned();
        let columns = found.order.iter().map(|one| Column { heading: heading(one.word()), is_number: true });
        columns.collect()
    }

    fn ranking(
        &self,
        key: &'static str,
        found: &TournamentStandings,
        columns: Vec<Column>,
        rows: Vec<Vec<Value>>,
        note: Option<String>,
    ) -> TournamentTable {
        let name = self.word(key).to_owned();
        let after = if found.round == 0 { "table.before" } else { "table.after" };
        let (event, rounds) = (&self.tournament.settings.name, self.tournament.round_count());
        let title =
            self.fill(after, &[("event", event), ("table", &name), ("round", &found.round), ("rounds", &rounds)]);
        TournamentTable { name, title, columns, fixed: 3, rows, note }
    }
}

/// True if the score ranks before the tie-breaks, and is none of them.
fn score_is_first(found: &TournamentStandings) -> bool {
    !found.order.contains(&TournamentTieBreak::Score)
}

/// The score of a row, for the column that is the only one of it.
fn score(found: &TournamentStandings, row: &TournamentRow) -> Option<Value> {
    score_is_first(found).then(|| Value::number(row.score))
}

/// The figures of a row, in the order of the tie-breaks.
fn figures(row: &TournamentRow) -> impl Iterator<Item = Value> + '_ {
    row.figures.iter().map(|figure| Value::or_empty(figure.value, Value::number))
}
