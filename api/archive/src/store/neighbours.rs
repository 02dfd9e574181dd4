//! The games beside a record: those before and after it in its round, and the other leg of its encounter.

use super::{
    database::{OptionalRow, params},
    error::StoreError,
    read_tx::ReadTx,
};
use crate::model::{Card, Number};

/// Records of an event that are looked at on either side of a record, at most: the games of a round are entered together.
const MAX_SCANNED: usize = 500;

/// The games beside a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbours {
    /// The game of the same event and round entered before it.
    pub previous: Option<Card>,
    /// The game of the same event and round entered after it.
    pub next: Option<Card>,
    /// The other leg of its encounter.
    pub other_leg: Option<Card>,
}

impl ReadTx<'_> {
    /// The games beside a record.
    pub fn neighbours(&self, record: Number) -> Result<Neighbours, StoreError> {
        let card =
            |number: Option<Number>| Ok::<_, StoreError>(number.map(|one| self.card_of(one)).transpose()?.flatten());
        Ok(Neighbours {
            previous: card(self.of_round(record, "<", "DESC")?)?,
            next: card(self.of_round(record, ">", "ASC")?)?,
            other_leg: card(self.other_leg(record)?)?,
        })
    }

    /// The closest record of the same game, event and round on one side in the order of entry. Sheets of a game that counts
    /// by another one are left out.
    fn of_round(&self, record: Number, side: &str, order: &str) -> Result<Option<Number>, StoreError> {
        let mut closest = self.connection.prepare(&format!(
            "SELECT near.number
             FROM card AS own CROSS JOIN (
               SELECT number, game, round, state, status FROM card INDEXED BY card_event
               WHERE event = (SELECT event FROM card WHERE number = ?1) AND event IS NOT NULL AND number {side} ?1
               ORDER BY number {order} LIMIT ?2
             ) AS near ON near.game IS NOT DISTINCT FROM own.game
             WHERE own.number = ?1 AND near.round = own.round
               AND near.state = 'current' AND near.status IN ('verified', 'incomplete')
               AND NOT EXISTS (SELECT 1 FROM sheet WHERE sheet.record = near.number AND sheet.first <> sheet.record)
             ORDER BY near.number {order} LIMIT 1"
        ))?;
        Ok(closest.query_row(params![record, MAX_SCANNED], |row| row.get(0)).optional()?)
    }

    /// The other leg of the encounter of a game, in games that count points: same event, round and players, another `Leg`.
    fn other_leg(&self, record: Number) -> Result<Option<Number>, StoreError> {
        let mut other = self.connection.prepare(
            "SELECT other.record
             FROM entry AS own CROSS JOIN entry AS other INDEXED BY entry_encounter
               ON other.low = own.low AND other.high = own.high AND other.event = own.event
               AND other.round = own.round AND other.game = own.game AND other.points IS NOT NULL
             WHERE own.record = ?1 AND own.event <> 0 AND own.round <> '' AND other.leg <> own.leg
             ORDER BY other.place LIMIT 1",
        )?;
        Ok(other.query_row([record], |row| row.get(0)).optional()?)
    }
}
