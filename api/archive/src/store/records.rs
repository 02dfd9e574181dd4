//! Records: one, lists of them, and what happened to them.

use std::{collections::BTreeSet, fmt::Write};

use chrono::NaiveDate;
use quipu_notation::{
    games,
    record::{Chunk, Format, Outcome},
};
use quipu_referee::Status;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use serde::{Deserialize, Serialize};

use super::{
    ReadTx, StoreError,
    listing::{Extent, listed},
    rejudge::HOLDS,
    rows,
};
use crate::model::{By, Card, Change, Facts, Id, Judgement, Kind, Number, Source, State, read_points, words};

/// Which records a list is of. What is not said does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Identifier of the game.
    pub game: Option<String>,
    /// Number of a player, whatever side and name it has in the record.
    pub player: Option<i64>,
    /// Number of an event.
    pub event: Option<i64>,
    /// The round, to the letter.
    pub round: Option<String>,
    /// The result that the referee found.
    pub result: Option<Outcome>,
    /// How it ended, as data has it.
    pub termination: Option<String>,
    /// What the referee says of it.
    pub status: Option<Status>,
    /// Whether it stands.
    pub state: Option<State>,
    /// Played on this day or later.
    pub from: Option<NaiveDate>,
    /// Played on this day or before.
    pub to: Option<NaiveDate>,
    /// Words in its tags.
    pub text: Option<TextFilter>,
}

/// Words that all stand in the tags of a record: each whole or as the beginning of one, whatever marks and case its
/// letters have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFilter(Vec<String>);

impl TextFilter {
    /// The words of a text, each once; nothing if there is none in it.
    pub fn new(text: &str) -> Option<Self> {
        let words: Vec<_> = Self::words(text).into_iter().collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// How many different words a text has.
    pub fn count(text: &str) -> usize {
        Self::words(text).len()
    }

    /// What stands together is one: of `2026.11.20` the parts are looked for one behind the other.
    fn words(text: &str) -> BTreeSet<String> {
        let parts = text.split(|letter: char| letter.is_whitespace() || letter.is_control() || letter == '"');
        parts.map(words).filter(|word| !word.is_empty()).collect()
    }
}

/// Letters of the longest beginnings that the index of words keeps as words.
const KEPT: usize = 2;
/// Bytes of records that are exported at once, but for the last.
const EXPORTED: usize = 256 * 1024;
/// Words with the same beginning that are looked for one by one.
const ONE_BY_ONE: usize = 16;

/// The words of a text that are looked for by their beginning in the table of words.
pub(super) fn terms(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|word| is_term(word))
}

fn is_term(word: &str) -> bool {
    word.chars().nth(KEPT).is_some() && !word.contains(' ')
}

/// Where a list of records goes on: behind the record that stood last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// Its number.
    pub number: Number,
    /// Its day, in lists that are ordered by days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<NaiveDate>,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T, C = Cursor> {
    /// What is in it.
    pub items: Vec<T>,
    /// Where the list goes on, if it does.
    pub next: Option<C>,
}

/// How large a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The form it came in.
    pub form: Format,
    /// Bytes of what was handed in, or of its canonical text if that is longer.
    pub record: usize,
    /// Bytes of what its verdicts found, all of them together.
    pub verdicts: usize,
}

/// What happened to a record.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The record.
    pub card: Card,
    /// Who handed it in.
    pub by: By,
    /// The verdicts on it, the first first.
    pub judgements: Vec<Judgement>,
    /// The changes that touched it, that which brought it first.
    pub changes: Vec<Change>,
}

/// How many records there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// The game; an empty text where none is known.
    pub game: String,
    /// What the referee says of them.
    pub status: Status,
    /// Whether they stand.
    pub state: State,
    /// How many.
    pub records: u64,
}

impl Filter {
    /// Whether a list of it is ordered by the days that games were played on, and not by the order of entry.
    pub fn is_by_date(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

/// In which order records are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The first that came first.
    Entry,
    /// The last that came first.
    Latest,
    /// The last that were played first.
    Dates,
}

impl ReadTx<'_> {
    /// The number and state of a record.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn find(&self, id: &Id) -> Result<Option<(Number, State)>, StoreError> {
        let mut find = self.connection.prepare_cached(
            "SELECT card.number, state FROM record JOIN card ON card.number = record.number WHERE record.id = ?",
        )?;
        let found = find.query_row([id], |row| Ok((row.get(0)?, rows::parsed(row, "state", State::parse)?)));
        Ok(found.optional()?)
    }

    /// A record as lists show it.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn card(&self, id: &Id) -> Result<Option<Card>, StoreError> {
        let Some((number, _)) = self.find(id)? else { return Ok(None) };
        self.card_of(number)
    }

    pub(super) fn card_of(&self, number: Number) -> Result<Option<Card>, StoreError> {
        let mut card = self.connection.prepare_cached(&cards_of("SELECT ?1 AS number"))?;
        Ok(card.query_row([number], |row| card_row(row, &mut Extent::default())).optional()?)
    }

    /// How large a record is, without reading it.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn size(&self, id: &Id) -> Result<Option<Size>, StoreError> {
        let mut size = self.connection.prepare_cached(
            "SELECT form, octet_length(source) AS source, ifnull(octet_length(canonical), 0) AS canonical,
               (SELECT ifnull(sum(octet_length(diagnostics)), 0) FROM verdict
                WHERE verdict.number = record.number OR verdict.record = record.number) AS verdicts
             FROM record WHERE id = ?",
        )?;
        let size = size.query_row([id], |row| {
            let [source, canonical]: [usize; 2] = [row.get("source")?, row.get("canonical")?];
            Ok(Size { form: rows::form(row, "form")?, record: source.max(canonical), verdicts: row.get("verdicts")? })
        });
        Ok(size.optional()?)
    }

    /// A record as it was handed in.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn source(&self, id: &Id) -> Result<Option<Source>, StoreError> {
        let mut source =
            self.connection.prepare_cached("SELECT number, form, source, canonical FROM record WHERE id = ?")?;
        Ok(source.query_row([id], source_row).optional()?)
    }

    /// The verdict that holds for a record. Neither its card nor the record itself is read for that.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn judgement(&self, id: &Id) -> Result<Option<Judgement>, StoreError> {
        let mut verdict = self.connection.prepare_cached(&format!(
            "SELECT verdict.*, record.id FROM record JOIN verdict ON verdict.number = {HOLDS} WHERE record.id = ?"
        ))?;
        Ok(verdict.query_row([id], judgement_row).optional()?)
    }

    /// What happened to a record.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn history(&self, id: &Id) -> Result<Option<History>, StoreError> {
        let Some(card) = self.card(id)? else { return Ok(None) };
        let mut verdicts = self.connection.prepare_cached(
            "SELECT verdict.*, record.id FROM verdict JOIN record ON record.number = ?1
             WHERE verdict.number = ?1 OR (verdict.record = ?1 AND verdict.record <> verdict.number) ORDER BY verdict.number",
        )?;
        let judgements = verdicts.query_map([card.number], judgement_row)?.collect::<Result<_, _>>()?;
        let numbers = "SELECT ?1 AS number UNION SELECT number FROM change WHERE record = ?1 AND kind <> 'record'
             UNION SELECT number FROM change WHERE corrects = ?1";
        let undone = format!("{numbers} UNION SELECT number FROM change WHERE undoes IN ({numbers})");
        let mut changes = self.connection.prepare_cached(&changes_of(&undone))?;
        let changes: Vec<Change> = changes
            .query_map([card.number], |row| change_row(row, &mut Extent::default()))?
            .collect::<Result<_, _>>()?;
        let by = changes.first().map(|change| change.by.clone());
        let by = by.ok_or_else(|| StoreError::Corrupt(format!("change {} is missing", card.number)))?;
        Ok(Some(History { card, by, judgements, changes }))
    }

    /// A list of records, the last that came first, or where days are asked for the last that were played.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn cards(&self, filter: &Filter, after: Option<&Cursor>, limit: usize) -> Result<Page<Card>, StoreError> {
        let order = if filter.is_by_date() { Order::Dates } else { Order::Latest };
        let question = Question::new(self, filter, order, after, limit + 1)?;
        let mut cards = self.connection.prepare_cached(&cards_of(&question.sql))?;
        let cards = listed(cards.query(rusqlite::params_from_iter(&question.values))?, limit, card_row)?;
        Ok(cards.page(|card| Cursor { number: card.number, date: card.date.filter(|_| filter.is_by_date()) }))
    }

    /// Records in the order of entry behind a number, with what was handed in: up to `limit` of them, or fewer where they
    /// are large. Nothing where there are no more. One of more than `largest` bytes comes without what was handed in.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn export(
        &self,
        filter: &Filter,
        since: Number,
        limit: usize,
        largest: usize,
    ) -> Result<Vec<(Card, Option<Source>)>, StoreError> {
        let after = Cursor { number: since, date: None };
        let question = Question::new(self, filter, Order::Entry, Some(&after), limit)?;
        let mut cards = self.connection.prepare_cached(&cards_of(&question.sql))?;
        let mut cards = cards.query(rusqlite::params_from_iter(&question.values))?;
        let mut source =
            self.connection.prepare_cached("SELECT number, form, source, canonical FROM record WHERE number = ?")?;
        let mut size = self.connection.prepare_cached(
            "SELECT octet_length(source) + ifnull(octet_length(canonical), 0) FROM record WHERE number = ?",
        )?;
        let (mut records, mut bytes) = (Vec::new(), 0);
        while bytes < EXPORTED
            && let Some(row) = cards.next()?
        {
            let card = card_row(row, &mut Extent::default())?;
            let size: usize = size.query_row([card.number], |row| row.get(0))?;
            let is_small = size <= largest;
            let source = if is_small { Some(source.query_row([card.number], source_row)?) } else { None };
            bytes += if is_small { size } else { 0 };
            records.push((card, source));
        }
        Ok(records)
    }

    /// Changes behind a number, in their order; the page goes on behind the number of its last.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn changes(&self, since: Number, limit: usize) -> Result<Page<Change, Number>, StoreError> {
        let numbers = "SELECT number FROM change WHERE number > ?1 ORDER BY number LIMIT ?2";
        let mut changes = self.connection.prepare_cached(&changes_of(numbers))?;
        Ok(listed(changes.query(params![since, limit + 1])?, limit, change_row)?.page(|change| change.number))
    }

    /// The next change behind a number, with the record that it is about.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn change_after(&self, since: Number) -> Result<Option<(Change, Option<Card>)>, StoreError> {
        let Some(change) = self.changes(since, 1)?.items.pop() else { return Ok(None) };
        let card = change.record.map(|id| self.card(&id)).transpose()?.flatten();
        Ok(Some((change, card)))
    }

    /// The number of the last change; 0 if there is none.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn last_change(&self) -> Result<Number, StoreError> {
        let mut last = self.connection.prepare_cached("SELECT ifnull(max(number), 0) FROM change")?;
        Ok(last.query_row([], |row| row.get(0))?)
    }

    /// What the index of words is asked for. For the beginning of a word SQLite puts together all records that have a word
    /// beginning so before it gives the first; those that have a word it finds as the list goes on. So where few words
    /// begin so these are asked for, and a page costs the same however many records have them.
    fn expression(&self, TextFilter(words): &TextFilter) -> Result<String, StoreError> {
        let mut begin = self.connection.prepare_cached("SELECT term FROM term WHERE term >= ? AND term < ? LIMIT ?")?;
        let mut all = String::new();
        for word in words {
            if !all.is_empty() {
                all.push_str(" AND ");
            }
            let mut found: Vec<String> = Vec::new();
            if is_term(word) {
                let among = params![word, format!("{word}\u{10ffff}"), ONE_BY_ONE + 1];
                found = begin.query_map(among, |row| row.get(0))?.collect::<Result<_, _>>()?;
            }
            let _ = match found.len() {
                1..=ONE_BY_ONE => write!(all, "(\"{}\")", found.join("\" OR \"")),
                _ => write!(all, "\"{word}\"*"),
            };
        }
        Ok(all)
    }

    /// How many records there are of each kind.
    ///
    /// # Errors
    /// If the archive fails.
    pub fn totals(&self) -> Result<Vec<Total>, StoreError> {
        let mut totals = self.connection.prepare_cached("SELECT * FROM total ORDER BY game, status, state")?;
        let totals = totals.query_map([], |row| {
            Ok(Total {
                game: row.get("game")?,
                status: rows::status(row, "status")?,
                state: rows::parsed(row, "state", State::parse)?,
                records: row.get("records")?,
            })
        })?;
        Ok(totals.collect::<Result<_, _>>()?)
    }
}

/// What SQLite is asked for: the numbers of records in their order.
struct Question {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Question {
    /// Goes through that index first which leaves the fewest records to look at; what it cannot tell is looked at
    /// record by record.
    fn new(
        reading: &ReadTx<'_>,
        filter: &Filter,
        order: Order,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<Self, StoreError> {
        let mut question = Self { sql: String::new(), values: Vec::new() };
        let source = if filter.text.is_some() {
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
        };
        let number = match (&filter.text, filter.player) {
            (Some(_), _) => "search.rowid",
            (None, Some(_)) => "part.record",
            (None, None) => "card.number",
        };
        let _ = write!(question.sql, "SELECT card.number AS number FROM {source} WHERE true");
        if let Some(text) = &filter.text {
            question.with("search MATCH", reading.expression(text)?);
        }
        if let Some(player) = filter.player {
            if filter.text.is_some() {
                question.sql.push_str(" AND EXISTS (SELECT 1 FROM part WHERE part.record = card.number");
            }
            // Who is merged into another is that one.
            question.with("part.player = (SELECT root FROM player WHERE number =", player);
            question.sql.push_str(if filter.text.is_some() { "))" } else { ")" });
        }
        if let Some(event) = filter.event {
            question.with("card.event =", event);
        }
        // These are words of ours. A partial index is used where its condition stands in the question to the letter.
        if let Some(status) = filter.status {
            let _ = write!(question.sql, " AND card.status = '{}'", status.as_str());
            if status != Status::Verified {
                question.sql.push_str(" AND card.status <> 'verified'");
            }
        }
        if let Some(state) = filter.state {
            let _ = write!(question.sql, " AND card.state = '{}'", state.as_str());
            if state != State::Current {
                question.sql.push_str(" AND card.state <> 'current'");
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
                question.with(column, text);
            }
        }
        if let Some(Cursor { number: last, date }) = after {
            match (order, date) {
                (Order::Entry, _) => question.with(&format!("{number} >"), *last),
                (Order::Dates, Some(date)) => {
                    question.values.push(Box::new(date.to_string()));
                    question.values.push(Box::new(*last));
                    question.sql.push_str(" AND (card.date, card.number) < (?, ?)");
                }
                (Order::Latest | Order::Dates, _) => question.with(&format!("{number} <"), *last),
            }
        }
        let _ = match order {
            Order::Entry => write!(question.sql, " ORDER BY {number}"),
            Order::Latest => write!(question.sql, " ORDER BY {number} DESC"),
            Order::Dates => write!(question.sql, " ORDER BY card.date DESC, card.number DESC"),
        };
        question.sql.push_str(" LIMIT ?");
        question.values.push(Box::new(limit));
        Ok(question)
    }

    fn with(&mut self, column: &str, value: impl ToSql + 'static) {
        let _ = write!(self.sql, " AND {column} ?");
        self.values.push(Box::new(value));
    }
}

/// The cards of the numbers that a question finds, in its order, with the columns that [`card_row`] reads by their places.
fn cards_of(numbers: &str) -> String {
    format!(
        "SELECT card.number, card.id, card.at, state, status, game, card.event, event.name, round,
           card.one, one.name, card.two, two.name, date, result, termination, points, plies
         FROM ({numbers}) AS wanted
         CROSS JOIN card ON card.number = wanted.number
         LEFT JOIN event ON event.number = card.event
         LEFT JOIN player AS one ON one.number = card.one
         LEFT JOIN player AS two ON two.number = card.two"
    )
}

fn card_row(row: &Row<'_>, extent: &mut Extent) -> rusqlite::Result<Card> {
    let mut named = |number: usize| -> rusqlite::Result<Option<(i64, String)>> {
        Ok(row.get::<_, Option<i64>>(number)?.zip(rows::shown(row, number + 1, extent)?))
    };
    let (event, players) = (named(6)?, [named(9)?, named(11)?]);
    Ok(Card {
        number: row.get(0)?,
        id: rows::id(row, 1)?,
        at: rows::time(row, 2)?,
        state: rows::parsed(row, 3, State::parse)?,
        status: rows::status(row, 4)?,
        game: rows::maybe(row, 5, games::find)?,
        event,
        round: rows::shown(row, 8, extent)?,
        players,
        date: rows::date(row, 13)?,
        result: row.get(14)?,
        termination: row.get(15)?,
        points: rows::maybe(row, 16, read_points)?,
        plies: row.get(17)?,
    })
}

pub(super) fn source_row(row: &Row<'_>) -> rusqlite::Result<Source> {
    Ok(Source {
        number: row.get("number")?,
        form: rows::form(row, "form")?,
        bytes: row.get("source")?,
        canonical: row.get("canonical")?,
    })
}

/// The changes of the numbers that a question finds, in their order.
fn changes_of(numbers: &str) -> String {
    format!(
        "SELECT change.*, record.id AS record_id, corrected.id AS corrects_id, undo.number AS undone_by
         FROM ({numbers}) AS wanted
         CROSS JOIN change ON change.number = wanted.number
         LEFT JOIN record ON record.number = change.record
         LEFT JOIN record AS corrected ON corrected.number = change.corrects
         LEFT JOIN change AS undo ON undo.undoes = change.number
         ORDER BY change.number"
    )
}

fn change_row(row: &Row<'_>, extent: &mut Extent) -> rusqlite::Result<Change> {
    let names = rows::shown(row, "name", extent)?.zip(rows::shown(row, "into_name", extent)?);
    let reason: Option<String> = row.get("reason")?;
    extent.count(reason.as_ref().map_or(0, String::len));
    Ok(Change {
        number: row.get("number")?,
        at: rows::time(row, "at")?,
        kind: rows::parsed(row, "kind", Kind::parse)?,
        by: By { submitter: row.get("submitter")?, author: row.get("author")?, reason },
        record: row.get("record_id")?,
        corrects: row.get("corrects_id")?,
        names: names.map(<[String; 2]>::from),
        undoes: row.get("undoes")?,
        undone_by: row.get("undone_by")?,
    })
}

pub(super) fn judgement_row(row: &Row<'_>) -> rusqlite::Result<Judgement> {
    let parse = |text: &str| serde_json::from_str(text).ok();
    let named: bool = row.get("named")?;
    let id = rows::id(row, "id")?;
    Ok(Judgement {
        number: row.get("number")?,
        edition: row.get("edition")?,
        program: row.get("program")?,
        game: row.get("game")?,
        rules: row.get("rules")?,
        status: rows::status(row, "status")?,
        plies: row.get("plies")?,
        position: row.get("position")?,
        termination: row.get("termination")?,
        result: rows::maybe(row, "result", Outcome::parse)?,
        points: rows::maybe(row, "points", read_points)?,
        diagnostics: rows::maybe(row, "diagnostics", parse)?.unwrap_or_default(),
        id: named.then_some(id),
    })
}

/// The verdict of a number.
pub(super) fn judgement(connection: &Connection, number: Number) -> Result<Judgement, StoreError> {
    let mut verdict = connection.prepare_cached(
        "SELECT verdict.*, record.id FROM verdict JOIN record ON record.number = verdict.record WHERE verdict.number = ?",
    )?;
    Ok(verdict.query_row([number], judgement_row)?)
}

/// What is known of a stored record, with this verdict on it.
pub(super) fn stored_facts(
    connection: &Connection,
    record: Number,
    judgement: &Judgement,
) -> Result<Facts, StoreError> {
    let mut source =
        connection.prepare_cached("SELECT number, form, source, canonical FROM record WHERE number = ?")?;
    let source = source.query_row([record], source_row)?;
    let read = Chunk::in_form(&source.bytes, source.form).records_without_notes().next();
    let Some(Ok(record)) = read else { return Ok(Facts::default()) };
    Ok(Facts::new(&record, &judgement.verdict()))
}
