//! Queries for lists of records: filters, orders and cursors, and the SQL that they become.

use std::fmt::Write;

use chrono::NaiveDate;
use quipu_notation::record::Outcome;
use quipu_referee::Status;
use rusqlite::ToSql;
use serde::{Deserialize, Serialize};

use super::{error::StoreError, read_tx::ReadTx, search_index::TextFilter};
use crate::model::{Number, State};

/// The filter of a list of records. A field without a value matches all records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Identifier of the game.
    pub game: Option<String>,
    /// Number of a player, on either side and under any of its names.
    pub player: Option<i64>,
    /// Number of an event.
    pub event: Option<i64>,
    /// The round, compared exactly.
    pub round: Option<String>,
    /// The result of the verdict.
    pub result: Option<Outcome>,
    /// The termination of the verdict, as in JSON.
    pub termination: Option<String>,
    /// The status of the verdict.
    pub status: Option<Status>,
    /// The state of the record.
    pub state: Option<State>,
    /// Played on this day or later.
    pub from: Option<NaiveDate>,
    /// Played on this day or before.
    pub to: Option<NaiveDate>,
    /// Words in the tags.
    pub text: Option<TextFilter>,
}

impl Filter {
    /// True if the list is ordered by day of play; false if by order of entry.
    pub fn is_by_date(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

/// Position in a list of records: the last record of the previous page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// Its number.
    pub number: Number,
    /// Its day of play, in lists that are ordered by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<NaiveDate>,
}

/// Order of a list of records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Oldest change first.
    Entry,
    /// Newest change first.
    Latest,
    /// Latest day of play first.
    Dates,
}

/// A query for the numbers of records, with the values of its parameters.
pub(super) struct CardQuery {
    pub(super) sql: String,
    pub(super) values: Vec<Box<dyn ToSql>>,
}

impl CardQuery {
    pub(super) fn new(
        reading: &ReadTx<'_>,
        filter: &Filter,
        order: Order,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<Self, StoreError> {
        let number = match (&filter.text, filter.player) {
            (Some(_), _) => "search.rowid",
            (None, Some(_)) => "part.record",
            (None, None) => "card.number",
        };
        let sql = format!("SELECT card.number AS number FROM {} WHERE true", source(filter, order));
        let mut query = Self { sql, values: Vec::new() };
        if let Some(text) = &filter.text {
            query.and("search MATCH", reading.match_expression(text)?);
        }
        query.and_filter(filter);
        if let Some(cursor) = after {
            query.and_behind(cursor, order, number);
        }
        let _ = match order {
            Order::Entry => write!(query.sql, " ORDER BY {number}"),
            Order::Latest => write!(query.sql, " ORDER BY {number} DESC"),
            Order::Dates => write!(query.sql, " ORDER BY card.date DESC, card.number DESC"),
        };
        query.sql.push_str(" LIMIT ?");
        query.values.push(Box::new(limit));
        Ok(query)
    }

    /// The conditions of a filter, without its text.
    fn and_filter(&mut self, filter: &Filter) {
        if let Some(player) = filter.player {
            if filter.text.is_some() {
                self.sql.push_str(" AND EXISTS (SELECT 1 FROM part WHERE part.record = card.number");
            }
            // A merged player counts as its root.
            self.and("part.player = (SELECT root FROM player WHERE number =", player);
            self.sql.push_str(if filter.text.is_some() { "))" } else { ")" });
        }
        if let Some(event) = filter.event {
            self.and("card.event =", event);
        }
        // Literals, because SQLite uses a partial index only if the query contains its condition literally.
        if let Some(status) = filter.status {
            let _ = write!(self.sql, " AND card.status = '{}'", status.as_str());
            if status != Status::Verified {
                self.sql.push_str(" AND card.status <> 'verified'");
            }
        }
        if let Some(state) = filter.state {
            let _ = write!(self.sql, " AND card.state = '{}'", state.as_str());
            if state != State::Current {
                self.sql.push_str(" AND card.state <> 'current'");
            }
        }
        let texts = [
            ("card.game =", filter.game.clone()),
            ("card.round =", filter.round.clone()),
            ("card.result =", filter.result.map(|result| result.as_str().to_owned())),
            ("card.termination =", filter.termination.clone()),
            ("card.date >=", filter.from.map(|day| day.to_string())),
            ("card.date <=", filter.to.map(|day| day.to_string())),
        ];
        for (column, text) in texts {
            if let Some(text) = text {
                self.and(column, text);
            }
        }
    }

    /// The condition that records come after a cursor.
    fn and_behind(&mut self, Cursor { number: last, date }: &Cursor, order: Order, number: &str) {
        match (order, date) {
            (Order::Entry, _) => self.and(&format!("{number} >"), *last),
            (Order::Dates, Some(date)) => {
                self.values.push(Box::new(date.to_string()));
                self.values.push(Box::new(*last));
                self.sql.push_str(" AND (card.date, card.number) < (?, ?)");
            }
            (Order::Latest | Order::Dates, _) => self.and(&format!("{number} <"), *last),
        }
    }

    fn and(&mut self, column: &str, value: impl ToSql + 'static) {
        let _ = write!(self.sql, " AND {column} ?");
        self.values.push(Box::new(value));
    }
}

/// The tables of a query. The index that leaves the fewest records comes first; the other conditions are checked row by row.
fn source(filter: &Filter, order: Order) -> &'static str {
    if filter.text.is_some() {
        "search CROSS JOIN card ON card.number = search.rowid"
    } else if filter.player.is_some() {
        "part CROSS JOIN card ON card.number = part.record"
    } else if filter.event.is_some() {
        "card INDEXED BY card_event"
    } else if order == Order::Dates {
        "card INDEXED BY card_date"
    } else if filter.state.is_some_and(|state| state != State::Current) {
        "card INDEXED BY card_state"
    } else if filter.status.is_some_and(|status| status != Status::Verified) {
        "card INDEXED BY card_status"
    } else if filter.termination.is_some() {
        "card INDEXED BY card_termination"
    } else if filter.result.is_some() {
        "card INDEXED BY card_result"
    } else if filter.game.is_some() {
        "card INDEXED BY card_game"
    } else {
        "card NOT INDEXED"
    }
}
