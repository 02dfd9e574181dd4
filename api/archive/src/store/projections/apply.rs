//! The effect of one change.

use super::{
    change_effect::{ChangeEffect, NewRecord},
    projector::Projector,
};
use crate::{
    model::{Number, RecordState},
    store::{database::params, error::StoreError},
};

impl Projector<'_> {
    /// Updates the derived tables for an effect. A record that it adds is read from its rows unless `new_record` has it.
    pub(in crate::store) fn apply(
        &self,
        effect: &ChangeEffect,
        new_record: Option<&NewRecord<'_>>,
    ) -> Result<(), StoreError> {
        match effect {
            ChangeEffect::Record(record) => self.add_card(*record, *record, new_record),
            ChangeEffect::Verdict(record) => self.update_verdict(*record),
            ChangeEffect::Correction { new, old } => {
                let place = self.card_row(*old)?.place;
                self.set_state(*old, RecordState::Corrected)?;
                if *new == self.change {
                    self.add_card(*new, place, new_record)
                } else {
                    // A retracted record that is in the archive already.
                    self.execute("UPDATE card SET place = ? WHERE number = ?", params![place, new])?;
                    self.set_state(*new, RecordState::Current)
                }
            }
            ChangeEffect::Retraction(record) => self.set_state(*record, RecordState::Retracted),
            ChangeEffect::Merge { name, into } => {
                let ([player, _], [into, _]) = (self.player(name)?, self.player(into)?);
                self.execute("UPDATE player SET merged = ? WHERE number = ?", params![into, player])?;
                self.regroup(player)
            }
            ChangeEffect::Tournament => Ok(()),
            ChangeEffect::Undo(change) => self.undo(*change),
        }
    }

    fn undo(&self, change: Number) -> Result<(), StoreError> {
        let sql = format!("SELECT {} FROM change WHERE number = ?", ChangeEffect::COLUMNS);
        let mut undone = self.connection.prepare(&sql)?;
        match undone.query_row([change], |row| Ok(ChangeEffect::from_row(row)))?? {
            ChangeEffect::Correction { new, old } => {
                self.set_state(new, RecordState::Retracted)?;
                // The record returns to its own place, so that no two current records have the same.
                let place = self.place_before(new, change)?;
                self.execute("UPDATE card SET place = ? WHERE number = ?", params![place, new])?;
                self.set_state(old, RecordState::Current)
            }
            ChangeEffect::Retraction(record) => self.set_state(record, RecordState::Current),
            ChangeEffect::Merge { name, .. } => {
                let [player, _] = self.player(&name)?;
                self.execute("UPDATE player SET merged = NULL WHERE number = ?", [player])?;
                self.regroup(player)
            }
            ChangeEffect::Tournament => Ok(()),
            ChangeEffect::Record(_) | ChangeEffect::Verdict(_) | ChangeEffect::Undo(_) => {
                Err(StoreError::Corrupt(format!("change {change} is undone, but its kind cannot be")))
            }
        }
    }
}
