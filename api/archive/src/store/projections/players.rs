//! Players: names, merged names, and the records of each player.

use quipu_referee::competition::{folded, normal};

use super::{cards::CardRow, projector::Projector};
use crate::{
    model::{Number, RecordState},
    store::{
        database::{OptionalRow, params},
        error::StoreError,
        names::NameKind,
        record_rows::{judgement, stored_facts},
        statements::Insert,
    },
};

/// SQL for number and root of the player of a name.
pub(in crate::store) const FIND_PLAYER: &str = "SELECT number, root FROM player WHERE name = ?";

impl Projector<'_> {
    /// Number of the player of a name, which is added if it is new, and of the root that it is merged into.
    pub(super) fn player(&self, name: &str) -> Result<[i64; 2], StoreError> {
        self.deferred.player(name, || {
            let is_absent = self.deferred.tx_cache.borrow().players.lacks(name);
            let mut find = self.connection.prepare(FIND_PLAYER)?;
            if !is_absent
                && let Some(found) = find.query_row([name], |row| Ok([row.get(0)?, row.get(1)?])).optional()?
            {
                return Ok(found);
            }
            let last = self.deferred.tx_cache.borrow().players.last();
            let number = self.next_number(last, "SELECT ifnull(max(number), 0) FROM player")?;
            self.inserts.insert(Insert::Player, &params![number, name, folded(name), normal(name), number])?;
            self.deferred.tx_cache.borrow_mut().players.add_new(name, number);
            self.add_words(NameKind::Player, number, name)?;
            Ok([number, number])
        })
    }

    /// The player that a player is merged into, or the player itself.
    pub(super) fn root(&self, player: i64) -> Result<i64, StoreError> {
        let mut root = self.connection.prepare("SELECT root FROM player WHERE number = ?")?;
        Ok(root.query_row([player], |row| row.get(0))?)
    }

    /// The roots of the players of a record.
    pub(super) fn roots(&self, card: &CardRow) -> Result<[Option<i64>; 2], StoreError> {
        let [one, two] = card.players.map(|player| player.map(|player| self.root(player)).transpose());
        Ok([one?, two?])
    }

    /// Adds a record to those of its players, or gives it the new root of an opponent.
    pub(super) fn take_part(&self, record: Number, roots: [Option<i64>; 2]) -> Result<(), StoreError> {
        let [one, two] = roots;
        if let Some(root) = one {
            self.inserts.insert(Insert::Part, &params![root, record, two])?;
        }
        // One player on both sides has that row already: PostgreSQL refuses an upsert that writes a row twice.
        if let Some(root) = two.filter(|_| one != two) {
            self.inserts.insert(Insert::Part, &params![root, record, one])?;
        }
        Ok(())
    }

    /// Computes the roots of a player and of the players merged into it again, after a merge or its undoing, and counts their
    /// records again.
    pub(super) fn regroup(&self, player: i64) -> Result<(), StoreError> {
        self.deferred.invalidate_names();
        let before = self.root(player)?;
        let moved = self.moved(before)?;
        let mut parts = self.connection.prepare("SELECT record FROM part WHERE player = ?")?;
        let records: Vec<Number> = parts.query_map([before], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut touched = Vec::new();
        for record in records {
            let card = self.card_row(record)?;
            if card.players.into_iter().flatten().any(|player| moved.iter().any(|(number, _)| *number == player)) {
                self.leave(record, &card)?;
                self.execute("DELETE FROM part WHERE record = ? AND player = ?", [record, before])?;
                touched.push((record, card));
            }
        }
        for (number, root) in moved {
            self.execute("UPDATE player SET root = ? WHERE number = ?", [root, number])?;
        }
        for (record, card) in touched {
            let roots = self.roots(&card)?;
            self.take_part(record, roots)?;
            if card.state == RecordState::Current {
                let judgement = judgement(self.connection, card.verdict)?;
                self.enter(record, &card, roots, &stored_facts(self.connection, record, &judgement)?)?;
            }
        }
        Ok(())
    }

    /// Players of the group with this root that now belong to another group, each with the new root.
    fn moved(&self, before: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        let mut group = self.connection.prepare("SELECT number, merged FROM player WHERE root = ?")?;
        let group: Vec<(i64, Option<i64>)> =
            group.query_map([before], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        // The player that was just merged leads out of this group, to the root of another.
        let root = |from: i64| -> Result<i64, StoreError> {
            let mut at = from;
            for _ in &group {
                match group.iter().find(|(number, _)| *number == at) {
                    Some((_, Some(into))) => at = *into,
                    Some((_, None)) => return Ok(at),
                    None => break,
                }
            }
            if group.iter().any(|(number, _)| *number == at) {
                return Err(StoreError::Corrupt(format!("player {at} is merged in a circle")));
            }
            self.root(at)
        };
        let roots =
            group.iter().map(|(number, _)| Ok((*number, root(*number)?))).collect::<Result<Vec<_>, StoreError>>()?;
        Ok(roots.into_iter().filter(|(_, root)| *root != before).collect())
    }
}
