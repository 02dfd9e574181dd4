//! Events: their numbers, and how many records and games each has.

use super::projector::Projector;
use crate::store::{
    database::{OptionalRow, params},
    error::StoreError,
    names::NameKind,
};

/// SQL for the number of the event of a name.
pub(in crate::store) const FIND_EVENT: &str = "SELECT number FROM event WHERE name = ?";

impl Projector<'_> {
    /// Number of the event of a name, which is added if it is new.
    pub(super) fn event(&self, name: &str) -> Result<i64, StoreError> {
        self.deferred.event(name, || {
            let mut find = self.connection.prepare(FIND_EVENT)?;
            if let Some(number) = find.query_row([name], |row| row.get(0)).optional()? {
                return Ok(number);
            }
            let mut add = self.connection.prepare(
                "INSERT INTO event (number, name, records, games, changed)
                 SELECT ifnull(max(number), 0) + 1, ?, 0, 0, ? FROM event RETURNING number",
            )?;
            let number = add.query_row(params![name, self.change], |row| row.get(0))?;
            self.deferred.known.borrow_mut().add_new_event(number);
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
