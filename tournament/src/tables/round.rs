//! Rounds: with all that is known of them, and as lists to hang on the wall.

use quipu_notation::Side;
use quipu_referee::competition::folded;

use super::{Column, Tables, TournamentTable, Value};
use crate::model::{Board, PlayerId, Round};

/// The order of a list of pairings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// By boards.
    #[default]
    Board,
    /// By the names of players, each with the board.
    Name,
}

impl ListOrder {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Board, Self::Name];

    /// Its name in options and addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Name => "name",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.as_str() == name)
    }
}

impl Tables<'_> {
    /// A paired round with numbers, ratings, results and their origin; then the players without a board.
    pub fn round(&self, number: u32) -> Option<TournamentTable> {
        let round = self.tournament.round(number)?;
        let encounter = self.tournament.settings.encounter;
        let of_side =
            |key, side: Side| Column { heading: format!("{} {}", self.word(key), side.index() + 1), is_number: true };
        let player = |side| Column { heading: self.side_heading(side), is_number: false };
        let has_points =
            round.boards.iter().flat_map(|board| board.games.iter().flatten()).any(|game| game.tallies.is_some());
        let mut columns = vec![
            self.numbers("column.board"),
            of_side("column.number", Side::One),
            player(Side::One),
            of_side("column.rating", Side::One),
            self.texts("column.result"),
            of_side("column.number", Side::Two),
            player(Side::Two),
            of_side("column.rating", Side::Two),
            of_side("column.score", Side::One),
            of_side("column.score", Side::Two),
        ];
        if has_points {
            columns.extend(Side::BOTH.map(|side| of_side("column.points", side)));
        }
        columns.push(self.texts("column.origin"));
        let width = columns.len();
        let mut rows: Vec<_> = (1..)
            .zip(&round.boards)
            .map(|(place, board): (u32, &Board)| {
                let result = board.result(encounter);
                let [one, two] = board.players.map(|id| self.named(id));
                let mut row = vec![Value::whole(place)];
                row.extend(one);
                row.push(if board.games.iter().any(Option::is_some) {
                    Value::Text(board.written())
                } else {
                    Value::Empty
                });
                row.extend(two);
                row.extend([0, 1].map(|index| Value::or_empty(result, |result| Value::number(result.scores[index]))));
                if has_points {
                    let tallies = result.and_then(|result| result.tallies);
                    row.extend(
                        [0, 1].map(|index| Value::or_empty(tallies, |tallies| Value::whole(tallies[index].points))),
                    );
                }
                let origin = |is_verified| self.word(if is_verified { "origin.record" } else { "origin.arbiter" });
                row.push(Value::or_empty(board.is_verified(), |is_verified| Value::text(origin(is_verified))));
                row
            })
            .collect();
        rows.extend(round.byes.iter().map(|(id, bye)| {
            let mut row = vec![Value::Empty; width];
            for (cell, value) in row[1..].iter_mut().zip(self.named(*id)) {
                *cell = value;
            }
            row[4] = Value::Text(self.word("table.bye-of").to_owned());
            row[8] = Value::number(bye.score(self.tournament.settings.bye));
            row
        }));
        Some(self.of_round(number, columns, rows))
    }

    /// The pairings of a round to hang on the wall.
    pub fn pairings(&self, number: u32, order: ListOrder) -> Option<TournamentTable> {
        let round = self.tournament.round(number)?;
        Some(match order {
            ListOrder::Board => self.by_board(number, round),
            ListOrder::Name => self.by_name(number, round),
        })
    }

    fn by_board(&self, number: u32, round: &Round) -> TournamentTable {
        let player = |side| Column { heading: self.side_heading(side), is_number: false };
        let columns =
            vec![self.numbers("column.board"), player(Side::One), self.texts("column.result"), player(Side::Two)];
        let name = |id: PlayerId| Value::text(self.tournament.name(id));
        let boards = (1..).zip(&round.boards).map(|(place, board)| {
            let has_results = board.games.iter().any(Option::is_some);
            let result = if has_results { Value::Text(board.written()) } else { Value::Empty };
            vec![Value::whole(place), name(board.players[0]), result, name(board.players[1])]
        });
        let byes =
            round.byes.iter().map(|(id, bye)| vec![Value::Empty, name(*id), Value::Empty, Value::Text(self.bye(*bye))]);
        self.of_round(number, columns, boards.chain(byes).collect())
    }

    fn by_name(&self, number: u32, round: &Round) -> TournamentTable {
        let is_one = self.tournament.settings.encounter.games() == 1;
        let columns = vec![
            self.texts("column.player"),
            self.numbers("column.board"),
            self.texts(if is_one { "column.side" } else { "column.first-side" }),
            self.texts("column.opponent"),
        ];
        let mut rows = Vec::with_capacity(2 * round.boards.len() + round.byes.len());
        for (place, board) in (1..).zip(&round.boards) {
            for (index, id) in board.players.into_iter().enumerate() {
                let side = self.game.side(Board::side(index, 0)).tag;
                let opponent = self.tournament.name(board.players[1 - index]);
                rows.push((id, [Value::whole(place), Value::text(side), Value::text(opponent)]));
            }
        }
        rows.extend(
            round.byes.iter().map(|(id, bye)| (*id, [Value::Empty, Value::Empty, Value::Text(self.bye(*bye))])),
        );
        rows.sort_by_cached_key(|(id, _)| (folded(self.tournament.name(*id)), *id));
        let rows = rows.into_iter().map(|(id, rest)| {
            let mut row = vec![Value::text(self.tournament.name(id))];
            row.extend(rest);
            row
        });
        self.of_round(number, columns, rows.collect())
    }

    /// Number, name and rating of a player.
    fn named(&self, id: PlayerId) -> [Value; 3] {
        let rating = self.tournament.entrant(id).and_then(|entrant| entrant.player.rating);
        [Value::whole(id.0), Value::text(self.tournament.name(id)), Value::or_empty(rating, Value::whole)]
    }

    fn of_round(&self, number: u32, columns: Vec<Column>, rows: Vec<Vec<Value>>) -> TournamentTable {
        let (name, event) = (self.fill("table.round", &[("round", &number)]), &self.tournament.settings.name);
        let title = self.fill("table.title", &[("event", event), ("table", &name)]);
        TournamentTable { name, title, columns, fixed: 1, rows, note: None }
    }
}
