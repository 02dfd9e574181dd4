//! Sheets of one game. Only one of them has a row in `entry`, the table of games that count: the first current one in the
//! order of entry.

use quipu_referee::competition::{COMPARED, EventTags, SheetKey, group};

use super::{cards::CardRow, projector::Projector};
use crate::{
    model::{Facts, Number},
    store::{
        database::{OptionalRow, params},
        error::StoreError,
        record_rows::{judgement, stored_facts},
        statements::Insert,
    },
};

/// SQL for a key: true if a sheet has it. With `EXISTS`, a server without statistics about the table expects a matching row on its first
/// page, and reads all pages if there is none.
pub(in crate::store) const HAS_SHEETS: &str =
    "SELECT count(*) > 0 FROM (SELECT 1 FROM sheet WHERE key = ? ORDER BY place LIMIT 1) AS one";

/// SQL for an event and the key of a pairing: true if a sheet has it.
pub(in crate::store) const HAS_PAIRING: &str = "SELECT EXISTS (SELECT 1 FROM sheet WHERE event = ? AND seat = ?)";

/// A sheet among those with the same key.
struct SheetRow {
    record: Number,
    event: i64,
    event_tags: EventTags,
    /// The record that counts for the game; 0 until the sheet is compared with the others.
    first: Number,
}

impl Projector<'_> {
    /// Adds the sheet of a record that has become current, if its game could count, and counts the game unless another
    /// sheet of it is counted already.
    pub(super) fn enter(
        &self,
        record: Number,
        card: &CardRow,
        roots: [Option<i64>; 2],
        facts: &Facts,
    ) -> Result<(), StoreError> {
        self.deferred.tx_cache.borrow_mut().forget_unrelated();
        let (Some(entry), Some(sheet), [Some(one), Some(two)]) = (&facts.entry, &facts.sheet, roots) else {
            return Ok(());
        };
        if one == two {
            return Ok(());
        }
        // Players that are not merged count under the names of the record.
        let merged = if roots == card.players {
            None
        } else {
            let names = [self.name_of(one)?, self.name_of(two)?];
            Some(sheet.clone().with_players(names.each_ref().map(String::as_str)))
        };
        let sheet = merged.as_ref().unwrap_or(sheet);
        let Some(key) = sheet.key() else { return Ok(()) };
        let is_absent = self.deferred.tx_cache.borrow().lacks_sheet(&key);
        let is_alone = is_absent || !self.has_sheets(&key)?;
        let first = if is_alone { record } else { 0 };
        let event_tags =
            serde_json::to_string(sheet.event_tags()).map_err(|error| StoreError::Other(error.to_string()))?;
        let event = card.event.unwrap_or_default();
        self.inserts
            .insert(Insert::Sheet, &params![record, card.place, key, event_tags, event, sheet.pairing_key(), first])?;
        let pairing = facts.event.as_deref().zip(sheet.pairing_key());
        if self.deferred.tx_cache.borrow_mut().add_sheet(&key, pairing) && is_alone {
            self.deferred.tx_cache.borrow_mut().set_unrelated(record);
        }
        if !is_alone {
            self.group_sheets(&key)?;
            // A sheet beyond the limit is not compared, and counts as a separate game.
            let mut beyond =
                self.connection.prepare("UPDATE sheet SET first = record WHERE record = ? AND first = 0")?;
            if beyond.execute([record])? == 0 {
                return Ok(());
            }
        }
        if self.count(record, card, roots, entry)? {
            self.add_to_event(card.event, 0, 1);
        }
        Ok(())
    }

    /// Removes the sheet of a record. If it was the counted one, the next sheet counts.
    pub(super) fn leave(&self, record: Number, card: &CardRow) -> Result<(), StoreError> {
        let mut sheet = self.connection.prepare("SELECT key, first FROM sheet WHERE record = ?")?;
        let sheet = sheet.query_row([record], |row| Ok((row.get::<SheetKey>(0)?, row.get(1)?)));
        let Some((key, first)) = sheet.optional()? else { return Ok(()) };
        self.execute("DELETE FROM sheet WHERE record = ?", [record])?;
        if self.uncount(record)? {
            self.add_to_event(card.event, 0, -1);
        }
        if first != record {
            self.touch_event(first)?;
        }
        if self.has_sheets(&key)? { self.group_sheets(&key) } else { Ok(()) }
    }

    fn name_of(&self, player: i64) -> Result<String, StoreError> {
        let mut name = self.connection.prepare("SELECT name FROM player WHERE number = ?")?;
        Ok(name.query_row([player], |row| row.get(0))?)
    }

    fn has_sheets(&self, key: &SheetKey) -> Result<bool, StoreError> {
        let mut sheets = self.connection.prepare(HAS_SHEETS)?;
        Ok(sheets.query_row([key], |row| row.get(0))?)
    }

    /// Groups the sheets with a key again, and counts the first of each group.
    fn group_sheets(&self, key: &SheetKey) -> Result<(), StoreError> {
        let rows = self.sheets_of(key)?;
        let compared = &rows[..rows.len().min(COMPARED)];
        let mut firsts = group(compared.iter().map(|row| &row.event_tags));
        // A sheet beyond the limit may have been within it before.
        firsts.extend(compared.len()..rows.len());
        let changed: Vec<_> = rows
            .iter()
            .zip(firsts)
            .map(|(row, first)| (row, &rows[first]))
            .filter(|(row, first)| row.first != first.record)
            .collect();
        for (row, first) in &changed {
            if row.first == row.record && self.uncount(row.record)? {
                self.add_to_event(Some(row.event).filter(|event| *event != 0), 0, -1);
            }
            self.execute("UPDATE sheet SET first = ? WHERE record = ?", params![first.record, row.record])?;
            self.touch_event(row.first)?;
            self.touch_event(first.record)?;
        }
        for (row, first) in changed {
            if first.record == row.record {
                let card = self.card_row(row.record)?;
                let judgement = judgement(self.connection, card.verdict)?;
                let facts = stored_facts(self.connection, row.record, &judgement)?;
                let Some(entry) = &facts.entry else { continue };
                if self.count(row.record, &card, self.roots(&card)?, entry)? {
                    self.add_to_event(card.event, 0, 1);
                }
            }
        }
        Ok(())
    }

    /// The sheets with a key in the order of entry: those that are compared, and the next one.
    fn sheets_of(&self, key: &SheetKey) -> Result<Vec<SheetRow>, StoreError> {
        let mut sheets = self
            .connection
            .prepare("SELECT record, event, occasion, first FROM sheet WHERE key = ? ORDER BY place, record LIMIT ?")?;
        let rows = sheets.query_map(params![key, COMPARED + 1], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<String>(2)?, row.get(3)?))
        })?;
        rows.map(|row| {
            let (record, event, event_tags, first) = row?;
            let event_tags = serde_json::from_str(&event_tags)
                .map_err(|_| StoreError::Corrupt(format!("the event tags of record {record}")))?;
            Ok(SheetRow { record, event, event_tags, first })
        })
        .collect()
    }

    /// Marks the event of a counted record as changed, because the sheets of its game have changed.
    fn touch_event(&self, first: Number) -> Result<(), StoreError> {
        let mut event = self.connection.prepare("SELECT event FROM sheet WHERE record = ?")?;
        let event: Option<i64> = event.query_row([first], |row| row.get(0)).optional()?;
        self.add_to_event(event.filter(|event| *event != 0), 0, 0);
        Ok(())
    }
}
