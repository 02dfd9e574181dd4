//! Changes in their order, and the history of a record.

use chrono::{DateTime, Utc};

use super::{
    database::{self, OptionalRow, Row, params},
    error::StoreError,
    listing::{ListPage, PageBytes, listed},
    read_tx::ReadTx,
    record_rows::judgement_row,
    rows,
    sheets::RecordId,
};
use crate::model::{Attribution, Card, Change, ChangeKind, Id, Judgement, Number};

/// The history of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The record now.
    pub card: Card,
    /// The submitter.
    pub by: Attribution,
    /// The verdicts on it, oldest first.
    pub judgements: Vec<Judgement>,
    /// The changes of it, beginning with the one that added it.
    pub changes: Vec<Change>,
    /// The sheets of its game in the order of entry, the counted one first; none if there is no other.
    pub sheets: Vec<RecordId>,
}

impl History {
    /// The corrections of it or by it that hold, in their order.
    fn corrections(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.changes.iter().filter(|change| change.kind == ChangeKind::Correction && change.undone_by.is_none())
    }

    /// The records that it replaces.
    pub fn replaces(&self) -> impl Iterator<Item = Id> {
        let own = self.corrections().filter(|change| change.record == Some(self.card.id));
        own.filter_map(|change| change.corrects)
    }

    /// The record that replaces it.
    pub fn replaced_by(&self) -> Option<Id> {
        let mut others = self.corrections().filter(|change| change.corrects == Some(self.card.id));
        others.next_back().and_then(|change| change.record)
    }
}

/// SQL for the verdicts on a record.
pub(super) const VERDICTS: &str = "SELECT verdict.*, record.id FROM verdict JOIN record ON record.number = ?1
     WHERE verdict.number = ?1 OR (verdict.record = ?1 AND verdict.record <> verdict.number) ORDER BY verdict.number";

impl ReadTx<'_> {
    /// The history of a record.
    pub fn history(&self, id: &Id) -> Result<Option<History>, StoreError> {
        let Some(card) = self.card(id)? else { return Ok(None) };
        let mut verdicts = self.connection.prepare(VERDICTS)?;
        let judgements = verdicts.query_map([card.number], judgement_row)?.collect::<Result<_, _>>()?;
        let mut changes = self.connection.prepare(&changes_of_record())?;
        let changes: Vec<Change> = changes
            .query_map([card.number], |row| change_row(row, &mut PageBytes::default()))?
            .collect::<Result<_, _>>()?;
        let by = changes.first().map(|change| change.by.clone());
        let by = by.ok_or_else(|| StoreError::Corrupt(format!("change {} is missing", card.number)))?;
        let sheets = self.sheets(card.number)?;
        Ok(Some(History { card, by, judgements, changes, sheets }))
    }

    /// Changes after a number, in their order. The cursor of the page is the number of its last change.
    pub fn changes(&self, since: Number, limit: usize) -> Result<ListPage<Change, Number>, StoreError> {
        let numbers = "SELECT number FROM change WHERE number > ?1 ORDER BY number LIMIT ?2";
        let mut changes = self.connection.prepare(&changes_of(numbers))?;
        Ok(listed(changes.query(params![since, limit + 1])?, limit, change_row)?.page(|change| change.number))
    }

    /// Number of the last change; 0 if there is none.
    pub fn last_change(&self) -> Result<Number, StoreError> {
        let mut last = self.connection.prepare("SELECT ifnull(max(number), 0) FROM change")?;
        Ok(last.query_row(params![], |row| row.get(0))?)
    }

    /// Time of the last change; none without changes.
    pub fn last_change_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let mut last = self.connection.prepare("SELECT at FROM change ORDER BY number DESC LIMIT 1")?;
        Ok(last.query_row(params![], |row| rows::time(row, "at")).optional()?)
    }
}

/// SQL for the changes of a record, and those that undo them.
pub(super) fn changes_of_record() -> String {
    let numbers =
        "SELECT CAST(?1 AS INTEGER) AS number UNION SELECT number FROM change WHERE record = ?1 AND kind <> 'record'
         UNION SELECT number FROM change WHERE corrects = ?1";
    changes_of(&format!("{numbers} UNION SELECT number FROM change WHERE undoes IN ({numbers})"))
}

/// SQL for the changes whose numbers a query finds, in their order.
pub(super) fn changes_of(numbers: &str) -> String {
    format!(
        "SELECT change.*, record.id AS record_id, corrected.id AS corrects_id, undo.number AS undone_by,
           tournament_change.tournament
         FROM ({numbers}) AS wanted
         CROSS JOIN change ON change.number = wanted.number
         LEFT JOIN record ON record.number = change.record
         LEFT JOIN record AS corrected ON corrected.number = change.corrects
         LEFT JOIN change AS undo ON undo.undoes = change.number
         LEFT JOIN tournament_change ON tournament_change.number = change.number
         ORDER BY change.number"
    )
}

pub(super) fn change_row(row: &Row<'_>, bytes: &mut PageBytes) -> database::Result<Change> {
    let names = rows::shown(row, "name", bytes)?.zip(rows::shown(row, "into_name", bytes)?);
    let reason: Option<String> = row.get("reason")?;
    bytes.count(reason.as_ref().map_or(0, String::len));
    Ok(Change {
        number: row.get("number")?,
        at: rows::time(row, "at")?,
        kind: rows::parsed(row, "kind", ChangeKind::parse)?,
        by: Attribution { submitter: row.get("submitter")?, author: row.get("author")?, reason },
        record: row.get("record_id")?,
        corrects: row.get("corrects_id")?,
        names: names.map(<[String; 2]>::from),
        tournament: row.get("tournament")?,
        undoes: row.get("undoes")?,
        undone_by: row.get("undone_by")?,
    })
}
