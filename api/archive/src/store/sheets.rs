//! Sheets of one game, and records that contradict each other.

use quipu_referee::competition::Difference;

use super::{
    database::{OptionalRow, params},
    error::StoreError,
    read_tx::ReadTx,
    record_rows::stored_sheet,
    rows,
    write_tx::WriteTx,
};
use crate::model::{Id, Number};

/// Sheets of one game in a list, at most.
const LISTED: usize = 200;
/// Bytes of a record that is compared move by move, at most.
const COMPARED: usize = 256 * 1024;
/// Records of the same event, round, leg and players with which a record is compared, at most.
const PAIRED_RECORDS: usize = 100;

/// A record by its number and id.
pub type RecordId = (Number, Id);

/// Two records that should be sheets of one game, and differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The two, in the order of entry.
    pub records: [RecordId; 2],
    /// The difference; none if a record is larger than the limit for comparisons.
    pub difference: Option<Difference>,
}

/// The relations of a record to earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relations {
    /// The record that counts for the same game.
    pub sheet_of: Option<Id>,
    /// The first record that it contradicts.
    pub contradicts: Option<Contradiction>,
}

impl Contradiction {
    /// The id of the record that was entered before the other.
    pub fn earlier(&self) -> Id {
        let [(_, id), _] = self.records;
        id
    }
}

impl WriteTx<'_> {
    /// [`ReadTx::relations`], without a query for a record that is known to have none.
    pub fn relations(&self, record: Number) -> Result<Relations, StoreError> {
        let is_unrelated = self.deferred.tx_cache.borrow().is_unrelated(record);
        if is_unrelated { Ok(Relations::default()) } else { ReadTx::relations(self, record) }
    }
}

impl ReadTx<'_> {
    /// The relations of a record to earlier ones.
    pub fn relations(&self, record: Number) -> Result<Relations, StoreError> {
        if !self.has_relations(record)? {
            return Ok(Relations::default());
        }
        Ok(Relations { sheet_of: self.sheet_of(record)?, contradicts: self.contradicted(record)? })
    }

    /// False if a record has no relations to earlier ones, as nearly all records.
    fn has_relations(&self, record: Number) -> Result<bool, StoreError> {
        let mut related = self.connection.prepare(
            "SELECT own.first <> own.record OR EXISTS
               (SELECT 1 FROM sheet AS other WHERE other.event = own.event AND other.seat = own.seat
                AND other.seat IS NOT NULL AND other.place < own.place)
             FROM sheet AS own WHERE own.record = ?",
        )?;
        Ok(related.query_row([record], |row| row.get(0)).optional()?.unwrap_or(false))
    }

    /// The record that counts for the game of a record, if it is a different record.
    pub fn sheet_of(&self, record: Number) -> Result<Option<Id>, StoreError> {
        let mut first = self.connection.prepare(
            "SELECT record.id FROM sheet JOIN record ON record.number = sheet.first
             WHERE sheet.record = ? AND sheet.first <> sheet.record",
        )?;
        Ok(first.query_row([record], |row| rows::id(row, 0)).optional()?)
    }

    /// The sheets of the game of a record in the order of entry, the counted one first; none if there is only one.
    pub fn sheets(&self, record: Number) -> Result<Vec<RecordId>, StoreError> {
        let mut first = self.connection.prepare("SELECT first FROM sheet WHERE record = ?")?;
        let first: Option<Number> = first.query_row([record], |row| row.get(0)).optional()?;
        first.map_or(Ok(Vec::new()), |first| self.sheets_of(first))
    }

    /// The sheets of a game by the record that counts.
    fn sheets_of(&self, first: Number) -> Result<Vec<RecordId>, StoreError> {
        let mut others = self.connection.prepare(
            "SELECT sheet.record, record.id FROM sheet CROSS JOIN record ON record.number = sheet.record
             WHERE sheet.first = ? AND sheet.first <> sheet.record ORDER BY sheet.place LIMIT ?",
        )?;
        let others = others.query_map(params![first, LISTED], |row| Ok((row.get(0)?, rows::id(row, 1)?)))?;
        let mut sheets = others.collect::<Result<Vec<_>, _>>()?;
        if !sheets.is_empty() {
            sheets.insert(0, (first, self.id_of(first)?));
        }
        Ok(sheets)
    }

    fn id_of(&self, record: Number) -> Result<Id, StoreError> {
        let mut id = self.connection.prepare("SELECT id FROM record WHERE number = ?")?;
        Ok(id.query_row([record], |row| rows::id(row, 0))?)
    }

    /// The games of an event with several sheets, each with all of them: up to `limit`, in the order of entry.
    pub fn sheets_in(&self, event: i64, limit: usize) -> Result<Vec<Vec<RecordId>>, StoreError> {
        let mut firsts = self.connection.prepare(
            "SELECT entry.record FROM entry WHERE entry.event = ?1 AND entry.event <> 0
               AND EXISTS (SELECT 1 FROM sheet WHERE sheet.first = entry.record AND sheet.first <> sheet.record)
             ORDER BY entry.place LIMIT ?2",
        )?;
        let firsts = firsts.query_map(params![event, limit], |row| row.get(0))?.collect::<Result<Vec<_>, _>>()?;
        firsts.into_iter().map(|first| self.sheets_of(first)).collect()
    }

    /// The first record that a record contradicts.
    pub fn contradicted(&self, record: Number) -> Result<Option<Contradiction>, StoreError> {
        let mut others = self.connection.prepare(
            "SELECT other.record, other.key <> own.key FROM sheet AS own
             CROSS JOIN sheet AS other ON other.event = own.event AND other.seat = own.seat
             WHERE own.record = ? AND other.seat IS NOT NULL AND other.place < own.place
             ORDER BY other.place LIMIT ?",
        )?;
        let others = others.query_map(params![record, PAIRED_RECORDS], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for other in others {
            let (other, differs): (Number, bool) = other?;
            if differs && let Some(found) = self.contradiction(other, record)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Games of an event that contradict another: up to `limit`, in the order of entry, each with the first that it contradicts.
    pub fn contradictions(&self, event: i64, limit: usize) -> Result<Vec<Contradiction>, StoreError> {
        let mut pairings = self.connection.prepare(
            "SELECT seat, key, record FROM sheet WHERE event = ? AND seat IS NOT NULL AND event <> 0 AND first = record
             ORDER BY seat, place",
        )?;
        let mut rows = pairings.query([event])?;
        let mut pairs: Vec<[Number; 2]> = Vec::new();
        // The first games with two different keys of a pairing: every other game differs from one of them.
        let mut games: Vec<([u8; 16], [u8; 16], Number)> = Vec::new();
        while let Some(row) = rows.next()? {
            let (pairing, key, record) = (row.get(0)?, row.get(1)?, row.get(2)?);
            if games.first().is_some_and(|(other, ..)| *other != pairing) {
                games.clear();
            }
            let other = games.iter().find(|(_, other, _)| *other != key);
            pairs.extend(other.map(|(.., other)| [*other, record]));
            if games.is_empty() || games.len() == 1 && other.is_some() {
                games.push((pairing, key, record));
            }
        }
        pairs.sort_unstable_by_key(|[_, later]| *later);
        let found = pairs.into_iter().filter_map(|[one, other]| self.contradiction(one, other).transpose());
        found.take(limit).collect()
    }

    /// The difference between two records of one pairing; none if only their rule sets or start positions differ.
    fn contradiction(&self, one: Number, other: Number) -> Result<Option<Contradiction>, StoreError> {
        let records = [(one, self.id_of(one)?), (other, self.id_of(other)?)];
        if !self.is_small(one)? || !self.is_small(other)? {
            return Ok(Some(Contradiction { records, difference: None }));
        }
        let sheets = [stored_sheet(self.connection, one)?, stored_sheet(self.connection, other)?];
        let [Some(one), Some(other)] = sheets else { return Ok(None) };
        Ok(one.difference(&other).map(|difference| Contradiction { records, difference: Some(difference) }))
    }

    fn is_small(&self, record: Number) -> Result<bool, StoreError> {
        let mut size = self
            .connection
            .prepare("SELECT octet_length(source) + ifnull(octet_length(canonical), 0) FROM record WHERE number = ?")?;
        Ok(size.query_row([record], |row| row.get::<usize>(0))? <= COMPARED)
    }
}
