//! Events: their numbers, and how many records and games each has.

use super::projector::Projector;
use crate::store::{
    database::{OptionalRow, params},
    error::StoreError,
    names::NameKind,
    statements::Insert,
};

/// SQL for the number of the event of a name.
pub(in crate::store) const FIND_EVENT: &str = "SELECT number FROM event WHERE name = ?";

impl Projector<'_> {
    /// Number of the event of a name, which is added if it is new.
    pub(super) fn event(&self, name: &str) -> Result<i64, StoreError> {
        self.deferred.event(name, || {
            let is_absent = self.deferred.tx_cache.borrow().events.lacks(name);
            let mut find = self.connection.prepare(FIND_EVENT)?;
            if !is_absent && let Some(number) = find.query_row([name], |row| row.get(0)).optional()? {
                return Ok(number);
            }
            let last = self.deferred.tx_cache.borrow().events.last();
            let number = self.next_number(last, "SELECT ifnull(max(number), 0) FROM event")?;
            self.inserts.insert(Insert::Event, &params![number, name, self.change])?;
            self.deferred.tx_cache.borrow_mut().events.add_new(name, number);
            self.add_words(NameKind::Event, number, name)?;
            Ok(number)
        })
    }

    /// Adds to the counts of an event, if there is one.
    pub(super) fn add_to_event(&self, event: Option<i64>, records: i64, games: i64) {
        if let Some(event) = event {
            self.deferred.add_to_event(event, records, games, self.change);
        }
    }
}
