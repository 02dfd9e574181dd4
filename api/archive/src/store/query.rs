//! Queries for lists of records: the SQL that filters, orders and cursors become.

use std::fmt::Write;

use chrono::NaiveDate;
use quipu_referee::Status;
use serde::{Deserialize, Serialize};

use super::{
    database::Parameter,
    error::StoreError,
    filter::{Filter, RecordOrder},
    query_source::Source,
    read_tx::ReadTx,
};
use crate::model::{Number, RecordState};

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

/// A query for the numbers of records, with the values of its parameters.
pub(super) struct CardQuery {
    pub(super) sql: String,
    pub(super) values: Vec<Box<dyn Parameter>>,
}

impl CardQuery {
    pub(super) fn new(
        reading: &ReadTx<'_>,
        filter: &Filter,
        order: RecordOrder,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<Self, StoreError> {
        let source = Source::of(filter, order);
        let mut query = Self { sql: String::new(), values: Vec::new() };
        // Several values of the column of an index are several queries of it, which SQLite merges as the list goes on.
        let parts = source.parts(filter);
        let (_, direction) = order.sql();
        // A server merges only parts that are ordered and limited themselves, and would otherwise read and sort all of them.
        let is_limited_by_part = parts.len() > 1 && !reading.connection.is_file();
        for (place, filter) in parts.iter().enumerate() {
            if place > 0 {
                query.sql.push_str(" UNION ALL ");
            }
            if is_limited_by_part {
                query.sql.push('(');
            }
            let _ = write!(query.sql, "SELECT card.number AS number FROM {} WHERE true", source.tables());
            if let Some(text) = &filter.text {
                query.and("search MATCH", reading.match_expression(text)?);
            }
            query.and_filter(filter, source);
            if order.is_by_date() {
                query.sql.push_str(" AND card.date IS NOT NULL");
            }
            if let Some(cursor) = after {
                query.and_behind(cursor, order, source.number());
            }
            if is_limited_by_part {
                let _ = write!(query.sql, " ORDER BY number {direction} LIMIT ?)");
                query.values.push(Box::new(limit));
            }
        }
        let number = if parts.len() > 1 { "number" } else { source.number() };
        let _ = match order {
            RecordOrder::LastEntered | RecordOrder::FirstEntered => write!(query.sql, " ORDER BY {number} {direction}"),
            RecordOrder::LastPlayed | RecordOrder::FirstPlayed => {
                write!(query.sql, " ORDER BY card.date {direction}, card.number {direction}")
            }
        };
        query.sql.push_str(" LIMIT ?");
        query.values.push(Box::new(limit));
        Ok(query)
    }

    /// The conditions of a filter, without its text.
    fn and_filter(&mut self, filter: &Filter, source: Source) {
        self.and_player(filter, source);
        self.and_one_of("card.number", filter.records.as_deref());
        if let Some(event) = filter.event {
            self.and("card.event =", event);
        }
        // Literals, because SQLite uses a partial index only if the query contains its condition literally.
        let statuses = filter.statuses.iter().map(|status| status.as_str());
        self.and_literals("card.status", statuses, Status::Verified.as_str());
        let states = filter.states.iter().map(|state| state.as_str());
        self.and_literals("card.state", states, RecordState::Current.as_str());
        let results: Vec<_> = filter.results.iter().map(|result| result.as_str()).collect();
        self.and_some_of("card.game", &filter.games);
        self.and_some_of("card.result", &results);
        self.and_some_of("card.termination", &filter.terminations);
        let texts = [
            ("card.round =", filter.round.clone()),
            ("card.date >=", filter.from.map(|day| day.to_string())),
            ("card.date <=", filter.to.map(|day| day.to_string())),
        ];
        for (column, text) in texts {
            if let Some(text) = text {
                self.and(column, text);
            }
        }
    }

    /// The condition that a player takes part, against another if the filter has one.
    fn and_player(&mut self, filter: &Filter, source: Source) {
        let Some(player) = filter.player else { return };
        let is_looked_up = !source.is_of_players();
        if is_looked_up {
            self.sql.push_str(" AND EXISTS (SELECT 1 FROM part WHERE part.record = card.number");
        }
        // A merged player counts as its root.
        self.and("part.player = (SELECT root FROM player WHERE number =", player);
        self.sql.push(')');
        if let Some(against) = filter.against {
            self.and("part.other = (SELECT root FROM player WHERE number =", against);
            self.sql.push_str(") AND part.other IS NOT NULL");
        }
        if is_looked_up {
            self.sql.push(')');
        }
    }

    /// The condition that records come after a cursor.
    fn and_behind(&mut self, Cursor { number: last, date }: &Cursor, order: RecordOrder, number: &str) {
        let (behind, _) = order.sql();
        match date.filter(|_| order.is_by_date()) {
            Some(date) => {
                self.values.push(Box::new(date.to_string()));
                self.values.push(Box::new(*last));
                let _ = write!(self.sql, " AND (card.date, card.number) {behind} (?, ?)");
            }
            None => self.and(&format!("{number} {behind}"), *last),
        }
    }

    fn and(&mut self, column: &str, value: impl Parameter + 'static) {
        let _ = write!(self.sql, " AND {column} ?");
        self.values.push(Box::new(value));
    }

    /// The condition that a column has one of some values; none if there are no values.
    fn and_one_of<T: Parameter + Clone + 'static>(&mut self, column: &str, values: Option<&[T]>) {
        let Some(values) = values else { return };
        let placeholders = if values.is_empty() { "NULL".to_owned() } else { vec!["?"; values.len()].join(", ") };
        let _ = write!(self.sql, " AND {column} IN ({placeholders})");
        self.values.extend(values.iter().map(|value| Box::new(value.clone()) as Box<dyn Parameter>));
    }

    /// [`CardQuery::and_one_of`] for texts, of which none means any. A single value is compared, so that an index has its order.
    fn and_some_of(&mut self, column: &str, values: &[impl AsRef<str>]) {
        let values: Vec<_> = values.iter().map(|value| value.as_ref().to_owned()).collect();
        match &values[..] {
            [] => {}
            [value] => self.and(&format!("{column} ="), value.clone()),
            values => self.and_one_of(column, Some(values)),
        }
    }

    /// The condition that a column has one of some values, as literals; and is not `usual`, unless that is one of them.
    fn and_literals(&mut self, column: &str, values: impl Iterator<Item = &'static str>, usual: &str) {
        let values: Vec<_> = values.collect();
        if values.is_empty() {
            return;
        }
        let _ = match &values[..] {
            [value] => write!(self.sql, " AND {column} = '{value}'"),
            values => write!(self.sql, " AND {column} IN ('{}')", values.join("', '")),
        };
        if !values.contains(&usual) {
            let _ = write!(self.sql, " AND {column} <> '{usual}'");
        }
    }
}

#[cfg(test)]
mod tests {
    use quipu_notation::record::Outcome;

    use super::*;
    use crate::store::Store;

    /// The plan of SQLite for a list.
    fn plan(store: &Store, filter: &Filter, order: RecordOrder, after: Option<&Cursor>) -> Vec<String> {
        let plan = store.read(|reading| {
            let query = CardQuery::new(reading, filter, order, after, 50)?;
            let mut explain = reading.connection.prepare(&format!("EXPLAIN QUERY PLAN {}", query.sql))?;
            let steps = explain.query_map(&query.values[..], |row| row.get("detail"))?;
            Ok::<_, StoreError>(steps.collect::<Result<_, _>>()?)
        });
        plan.expect("a plan")
    }

    /// A list that one index answers reads as many records as it shows, however many there are.
    #[test]
    fn quick_lists_read_an_index_in_its_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let current = Filter { states: vec![RecordState::Current], ..Filter::default() };
        let all = Filter::default();
        let day = NaiveDate::from_ymd_opt(2026, 1, 1);
        let filters = [
            all.clone(),
            Filter { games: texts(&["andes"]), ..current.clone() },
            Filter { games: texts(&["andes", "querni", "brandubh"]), ..current.clone() },
            Filter { results: vec![Outcome::Draw], ..current.clone() },
            Filter { terminations: texts(&["time", "agreement"]), ..current.clone() },
            Filter { statuses: vec![Status::Rejected], ..current.clone() },
            Filter { statuses: vec![Status::Rejected, Status::Incomplete], ..current.clone() },
            Filter { states: vec![RecordState::Corrected], ..all.clone() },
            Filter { states: vec![RecordState::Corrected, RecordState::Retracted], ..all.clone() },
            Filter { player: Some(1), ..current.clone() },
            Filter { player: Some(1), against: Some(2), ..current.clone() },
            Filter { event: Some(1), ..current.clone() },
            Filter { from: day, to: day, ..current.clone() },
            current,
        ];
        let cursors = [None, Some(Cursor { number: 7, date: None }), Some(Cursor { number: 7, date: day })];
        let mut checked = 0;
        for (filter, order) in filters.iter().flat_map(|filter| RecordOrder::ALL.map(|order| (filter, order))) {
            let fits =
                |after: &&Option<Cursor>| after.as_ref().is_none_or(|after| after.date.is_some() == order.is_by_date());
            for after in cursors.iter().filter(fits).filter(|_| filter.is_quick(order)) {
                let plan = plan(&store, filter, order, after.as_ref());
                let is_whole = |step: &String| step.starts_with("SCAN card") && !step.contains("USING INDEX");
                let all = Source::of(filter, order) == Source::All;
                assert!(all || !plan.iter().any(is_whole), "{filter:?} {order:?}: {plan:#?}");
                assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{filter:?} {order:?}: {plan:#?}");
                checked += 1;
            }
        }
        assert!(checked > 40, "{checked}");
        let some = Filter { records: Some((1..=100).collect()), ..Filter::default() };
        for order in RecordOrder::ALL {
            let plan = plan(&store, &some, order, None);
            assert!(plan[0].starts_with("SEARCH card USING INTEGER PRIMARY KEY (rowid=?)"), "{plan:#?}");
        }
    }
}
