//! Records: one by its id, and lists of them.

use std::{collections::BTreeMap, iter};

use quipu_notation::{games, record::Format};
use quipu_referee::Status;

use super::{
    database::{self, OptionalRow, Parameter, Row, Value, params},
    error::StoreError,
    filter::{Filter, RecordOrder},
    listing::{ListPage, PageBytes, listed},
    query::{CardQuery, Cursor},
    read_tx::{AutocommitRead, ReadTx},
    record_rows::{CURRENT_VERDICT, judgement, judgement_row, source_row},
    rows,
};
use crate::{
    model::{Card, Id, Judgement, Number, RecordState, Source, read_points},
    receipts::Hex,
};

/// Bytes of records after which [`ReadTx::export`] returns.
const EXPORTED: usize = 256 * 1024;
/// Cards that [`ReadTx::cards_of_numbers`] reads in one query.
const CARDS: usize = 32;

/// Size of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The format of the source.
    pub format: Format,
    /// Bytes of the source, or of the canonical text if that is longer.
    pub record: usize,
    /// Bytes of the diagnostics of all its verdicts.
    pub verdicts: usize,
}

/// The source of a record, or the fact that it is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitedSource {
    /// The source, with the canonical text.
    Source(Source),
    /// One of the two has more bytes than the limit.
    TooLarge,
}

/// Number of records of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// Id of the game; empty if unknown.
    pub game: String,
    /// The status of the verdict.
    pub status: Status,
    /// The state of the record.
    pub state: RecordState,
    /// Number of records.
    pub records: u64,
}

/// Number of records that match a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number, or the number up to which they were counted.
    pub records: u64,
    /// False if there are more.
    pub is_exact: bool,
}

/// SQL for number and state of the record of an id.
pub(super) const FIND: &str =
    "SELECT card.number, state FROM record JOIN card ON card.number = record.number WHERE record.id = ?";

/// SQL for the form of the record of an id, and the bytes of its texts and of the findings of its verdicts. The index of later
/// verdicts has no first ones, so that the condition must leave them out to use it.
const SIZE: &str = "SELECT form, octet_length(source) AS source, ifnull(octet_length(canonical), 0) AS canonical,
       (SELECT ifnull(sum(octet_length(diagnostics)), 0) FROM verdict WHERE verdict.number = record.number
          OR (verdict.record = record.number AND verdict.record <> verdict.number)) AS verdicts
     FROM record WHERE id = ?";
/// SQL for the source of the record of an id.
const SOURCE: &str = "SELECT number, form, source, canonical FROM record WHERE id = ?";

/// SQL for the source of the record of an id, if neither it nor the canonical text is larger than a limit.
const SMALL_SOURCE: &str = "SELECT number, form, is_small,
       CASE WHEN is_small THEN source END AS source, CASE WHEN is_small THEN canonical END AS canonical
     FROM (SELECT *, octet_length(source) <= ?2 AND ifnull(octet_length(canonical), 0) <= ?2 AS is_small
       FROM record WHERE id = ?1) AS found";

impl AutocommitRead<'_> {
    /// The source of a record, if it and the canonical text have at most `most` bytes each; none without such a record.
    pub fn source(self, id: &Id, most: usize) -> Result<Option<LimitedSource>, StoreError> {
        let mut source = self.0.connection.prepare(SMALL_SOURCE)?;
        let source = source.query_row(params![id, most], |row| {
            let is_small: bool = row.get("is_small")?;
            if is_small { source_row(row).map(LimitedSource::Source) } else { Ok(LimitedSource::TooLarge) }
        });
        Ok(source.optional()?)
    }
}

impl ReadTx<'_> {
    /// Number and state of a record.
    pub fn find(&self, id: &Id) -> Result<Option<(Number, RecordState)>, StoreError> {
        let mut find = self.connection.prepare(FIND)?;
        let found = find.query_row([id], |row| Ok((row.get(0)?, rows::parsed(row, "state", RecordState::parse)?)));
        Ok(found.optional()?)
    }

    /// The ids that begin with these hexadecimal digits, in their order, at most `most`.
    pub fn ids_with_prefix(&self, digits: &str, most: usize) -> Result<Vec<Id>, StoreError> {
        let filled = |fill: &str| format!("{digits}{}", fill.repeat(64_usize.saturating_sub(digits.len())));
        let (Some(Hex(first)), Some(Hex(last))) = (Hex::<32>::parse(&filled("0")), Hex::<32>::parse(&filled("f")))
        else {
            return Ok(Vec::new());
        };
        let mut find = self.connection.prepare("SELECT id FROM record WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?")?;
        let found = find.query_map(params![first, last, most], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// A record as lists show it.
    pub fn card(&self, id: &Id) -> Result<Option<Card>, StoreError> {
        let Some((number, _)) = self.find(id)? else { return Ok(None) };
        self.card_of(number)
    }

    pub(super) fn card_of(&self, number: Number) -> Result<Option<Card>, StoreError> {
        let mut card = self.connection.prepare(&cards_of("SELECT CAST(?1 AS INTEGER) AS number"))?;
        Ok(card.query_row([number], |row| card_row(row, &mut PageBytes::default())).optional()?)
    }

    /// Size of a record, without reading it.
    pub fn size(&self, id: &Id) -> Result<Option<Size>, StoreError> {
        let mut size = self.connection.prepare(SIZE)?;
        let size = size.query_row([id], |row| {
            let [source, canonical]: [usize; 2] = [row.get("source")?, row.get("canonical")?];
            Ok(Size {
                format: rows::format(row, "form")?,
                record: source.max(canonical),
                verdicts: row.get("verdicts")?,
            })
        });
        Ok(size.optional()?)
    }

    /// The source of a record.
    pub fn source(&self, id: &Id) -> Result<Option<Source>, StoreError> {
        let mut source = self.connection.prepare(SOURCE)?;
        Ok(source.query_row([id], source_row).optional()?)
    }

    /// The current verdict of a record. It reads neither the card nor the source.
    pub fn judgement(&self, id: &Id) -> Result<Option<Judgement>, StoreError> {
        let mut verdict = self.connection.prepare(&current_verdict())?;
        Ok(verdict.query_row([id], judgement_row).optional()?)
    }

    /// The verdict of a change.
    pub fn verdict(&self, number: Number) -> Result<Option<Judgement>, StoreError> {
        Ok(judgement(self.connection, number).optional()?)
    }

    /// A list of records in the order of its filter.
    pub fn cards(
        &self,
        filter: &Filter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<ListPage<Card, Cursor>, StoreError> {
        self.cards_in(filter.order(), filter, after, limit)
    }

    /// A list of records in this order.
    pub fn cards_in(
        &self,
        order: RecordOrder,
        filter: &Filter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<ListPage<Card, Cursor>, StoreError> {
        let mut query = CardQuery::new(self, filter, order, after, limit + 1)?;
        if filter.text.is_some() && !self.connection.is_file() {
            let Some(found) = self.find_numbers_first(&query, order, limit + 1)? else {
                return Ok(ListPage { items: Vec::new(), next: None });
            };
            query = found;
        }
        let mut cards = self.connection.prepare(&self.cards_in_order(&query.sql, order))?;
        let cards = listed(cards.query(&query.values[..])?, limit, card_row)?;
        Ok(cards.page(|card| Cursor { number: card.number, date: card.date.filter(|_| order.is_by_date()) }))
    }

    /// Runs a search, and returns a query for the records that it found; none if there are none. A server plans a search anew for
    /// each text, because a rare word needs another plan than a common one, and planning it together with the columns of a card
    /// takes longer than both queries.
    fn find_numbers_first(
        &self,
        query: &CardQuery,
        order: RecordOrder,
        limit: usize,
    ) -> Result<Option<CardQuery>, StoreError> {
        let mut numbers = self.connection.prepare(&query.sql)?;
        let numbers = numbers.query_map(&query.values[..], |row| row.get(0))?;
        let mut numbers: Vec<Number> = numbers.collect::<Result<_, _>>()?;
        let Some(last) = numbers.last().copied() else { return Ok(None) };
        // Few different numbers of places, so that the server keeps the plans.
        numbers.resize(numbers.len().next_multiple_of(CARDS), last);
        let filter = Filter { records: Some(numbers), ..Filter::default() };
        Ok(Some(CardQuery::new(self, &filter, order, None, limit)?))
    }

    /// Records after a number in the order of entry, with their sources: up to `limit`, or fewer if they are large; none at the
    /// end. A record of more than `largest` bytes comes without its source.
    pub fn export(
        &self,
        filter: &Filter,
        since: Number,
        limit: usize,
        largest: usize,
    ) -> Result<Vec<(Card, Option<Source>)>, StoreError> {
        let after = Cursor { number: since, date: None };
        let query = CardQuery::new(self, filter, RecordOrder::FirstEntered, Some(&after), limit)?;
        let mut cards = self.connection.prepare(&self.cards_in_order(&query.sql, RecordOrder::FirstEntered))?;
        let mut cards = cards.query(&query.values[..])?;
        let mut source =
            self.connection.prepare("SELECT number, form, source, canonical FROM record WHERE number = ?")?;
        let mut size = self
            .connection
            .prepare("SELECT octet_length(source) + ifnull(octet_length(canonical), 0) FROM record WHERE number = ?")?;
        let (mut records, mut bytes) = (Vec::new(), 0);
        while bytes < EXPORTED
            && let Some(row) = cards.next()?
        {
            let card = card_row(&row, &mut PageBytes::default())?;
            let size: usize = size.query_row([card.number], |row| row.get(0))?;
            let is_small = size <= largest;
            let source = if is_small { Some(source.query_row([card.number], source_row)?) } else { None };
            bytes += if is_small { size } else { 0 };
            records.push((card, source));
        }
        Ok(records)
    }

    /// The cards of records, by their numbers.
    pub(super) fn cards_of_numbers(&self, numbers: &[Number]) -> Result<BTreeMap<Number, Card>, StoreError> {
        let mut found = BTreeMap::new();
        let mut cards = self.connection.prepare(&cards_of(&format!(
            "SELECT number FROM card WHERE number IN ({})",
            vec!["?"; CARDS].join(", ")
        )))?;
        for numbers in numbers.chunks(CARDS) {
            let Some(last) = numbers.last() else { continue };
            // The query always has as many places, so that it is prepared once.
            let values: Vec<Value<'_>> =
                numbers.iter().chain(iter::repeat(last)).take(CARDS).map(Parameter::value).collect();
            let cards = cards.query_map(&values[..], |row| card_row(row, &mut PageBytes::default()))?;
            for card in cards {
                let card = card?;
                found.insert(card.number, card);
            }
        }
        Ok(found)
    }

    /// [`cards_of`] with the order of the query, which SQLite keeps by itself.
    fn cards_in_order(&self, numbers: &str, order: RecordOrder) -> String {
        let mut sql = cards_of(numbers);
        if !self.connection.is_file() {
            sql.push_str(" ORDER BY ");
            sql.push_str(&order.by());
        }
        sql
    }

    /// Number of records of each game, status and state.
    pub fn totals(&self) -> Result<Vec<Total>, StoreError> {
        let mut totals = self.connection.prepare("SELECT * FROM total ORDER BY game, status, state")?;
        let totals = totals.query_map(params![], |row| {
            Ok(Total {
                game: row.get("game")?,
                status: rows::status(row, "status")?,
                state: rows::parsed(row, "state", RecordState::parse)?,
                records: row.get("records")?,
            })
        })?;
        Ok(totals.collect::<Result<_, _>>()?)
    }

    /// Number of records that match a filter in a list of this order: from sums if they tell, else counted up to `most`; none
    /// if no single index answers the filter.
    pub fn count(&self, filter: &Filter, order: RecordOrder, most: u64) -> Result<Option<Count>, StoreError> {
        let Filter { games, statuses, states, event, .. } = filter;
        let sums =
            Filter { games: games.clone(), statuses: statuses.clone(), states: states.clone(), ..Filter::default() };
        let in_entry_order = !order.is_by_date();
        if in_entry_order && *filter == sums {
            let named = |name: &str, names: &[String]| names.is_empty() || names.iter().any(|own| own == name);
            let matches = |total: &Total| {
                named(&total.game, games)
                    && (statuses.is_empty() || statuses.contains(&total.status))
                    && (states.is_empty() || states.contains(&total.state))
            };
            let records = self.totals()?.iter().filter(|total| matches(total)).map(|total| total.records).sum();
            return Ok(Some(Count { records, is_exact: true }));
        }
        let of_event = Filter { event: *event, states: vec![RecordState::Current], ..Filter::default() };
        if let Some(event) = event.filter(|_| in_entry_order && *filter == of_event) {
            let records = self.event(event)?.map_or(0, |event| event.records);
            return Ok(Some(Count { records, is_exact: true }));
        }
        if !filter.is_quick(order) {
            return Ok(None);
        }
        let limit = usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1);
        let query = CardQuery::new(self, filter, order, None, limit)?;
        let mut count = self.connection.prepare(&format!("SELECT count(*) FROM ({}) AS found", query.sql))?;
        let records: u64 = count.query_row(&query.values[..], |row| row.get(0))?;
        Ok(Some(Count { records: records.min(most), is_exact: records <= most }))
    }

    /// Number of records of all kinds.
    pub(super) fn record_count(&self) -> Result<u64, StoreError> {
        Ok(self.totals()?.iter().map(|total| total.records).sum())
    }
}

/// SQL for the current verdict of the record of an id.
fn current_verdict() -> String {
    format!(
        "SELECT verdict.*, record.id FROM record JOIN verdict ON verdict.number = {CURRENT_VERDICT} WHERE record.id = ?"
    )
}

/// SQL for the cards whose numbers a query finds, in its order, with the columns in the order that [`card_row`] expects.
fn cards_of(numbers: &str) -> String {
    format!(
        "SELECT card.number, card.id, card.at, state, status, game, card.event, event.name, round,
           card.one, one.name, card.two, two.name, date, result, termination, points, plies, counted.id
         FROM ({numbers}) AS wanted
         CROSS JOIN card ON card.number = wanted.number
         LEFT JOIN event ON event.number = card.event
         LEFT JOIN player AS one ON one.number = card.one
         LEFT JOIN player AS two ON two.number = card.two
         LEFT JOIN sheet ON sheet.record = card.number AND sheet.first <> sheet.record
         LEFT JOIN record AS counted ON counted.number = sheet.first"
    )
}

fn card_row(row: &Row<'_>, bytes: &mut PageBytes) -> database::Result<Card> {
    let mut named = |number: usize| -> database::Result<Option<(i64, String)>> {
        Ok(row.get::<Option<i64>>(number)?.zip(rows::shown(row, number + 1, bytes)?))
    };
    let (event, players) = (named(6)?, [named(9)?, named(11)?]);
    Ok(Card {
        number: row.get(0)?,
        id: rows::id(row, 1)?,
        at: rows::time(row, 2)?,
        state: rows::parsed(row, 3, RecordState::parse)?,
        status: rows::status(row, 4)?,
        game: rows::maybe(row, 5, games::find)?,
        event,
        round: rows::shown(row, 8, bytes)?,
        players,
        date: rows::date(row, 13)?,
        result: row.get(14)?,
        termination: row.get(15)?,
        points: rows::maybe(row, 16, read_points)?,
        plies: row.get(17)?,
        sheet_of: row.get(18)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, history};

    /// A record of a large archive is read as fast as one of a small one.
    #[test]
    fn one_record_is_found_by_indexes() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        let queries = [
            FIND.to_owned(),
            SIZE.to_owned(),
            SOURCE.to_owned(),
            SMALL_SOURCE.replace("?2", "1"),
            current_verdict(),
            cards_of("SELECT CAST(?1 AS INTEGER) AS number"),
            history::VERDICTS.to_owned(),
            history::changes_of_record(),
        ];
        let of_table =
            |step: &String| step.starts_with("SCAN") && !step.contains("CONSTANT ROW") && step != "SCAN wanted";
        for sql in queries {
            let plan = store.read(|reading| {
                let mut explain = reading.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                let steps = explain.query_map([1], |row| row.get("detail"))?;
                Ok::<_, StoreError>(steps.collect::<Result<Vec<String>, _>>()?)
            });
            let plan = plan.expect("a plan");
            assert!(plan.iter().any(|step| step.starts_with("SEARCH")), "{sql}: {plan:#?}");
            assert!(!plan.iter().any(of_table), "{sql}: {plan:#?}");
        }
    }
}
