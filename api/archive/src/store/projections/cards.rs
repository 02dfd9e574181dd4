//! Cards: the row of each record as lists and filters see it, its state, and the totals.

use quipu_notation::record::Outcome;

use super::{change_effect::NewRecord, projector::Projector};
use crate::{
    model::{Facts, Number, RecordState, write_points},
    store::{
        database::{OptionalRow, params},
        error::StoreError,
        record_rows::{judgement, stored_facts},
        rows,
        statements::Insert,
    },
};

/// The columns of a card that counting needs.
pub(super) struct CardRow {
    pub(super) place: Number,
    pub(super) state: RecordState,
    pub(super) verdict: Number,
    status: String,
    game: Option<String>,
    pub(super) event: Option<i64>,
    pub(super) players: [Option<i64>; 2],
}

impl Projector<'_> {
    /// Adds the card of a record, with a place in the order of entry.
    pub(super) fn add_card(
        &self,
        record: Number,
        place: Number,
        new_record: Option<&NewRecord<'_>>,
    ) -> Result<(), StoreError> {
        let Some(NewRecord { id, at, facts, judgement }) = new_record else {
            let judgement = judgement(self.connection, record)?;
            let facts = stored_facts(self.connection, record, &judgement)?;
            let mut row = self.connection.prepare(
                "SELECT id, at FROM record JOIN change ON change.number = record.number WHERE record.number = ?",
            )?;
            let (id, at) = row.query_row([record], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let new_record = NewRecord { id: &id, at, facts: &facts, judgement: &judgement };
            return self.add_card(record, place, Some(&new_record));
        };
        let event = facts.event.as_deref().map(|name| self.event(name)).transpose()?;
        let [one, two] = &facts.players;
        let player = |name: &Option<String>| name.as_deref().map(|name| self.player(name)).transpose();
        let found = [player(one)?, player(two)?];
        let [players, roots] = [0, 1].map(|which| found.map(|found| found.map(|found: [i64; 2]| found[which])));
        self.inserts.insert(
            Insert::Card,
            &params![
                record,
                place,
                id,
                at,
                judgement.number,
                judgement.status.as_str(),
                judgement.game,
                event,
                facts.round,
                players[0],
                players[1],
                facts.date.map(|date| date.to_string()),
                judgement.result.map(Outcome::as_str),
                judgement.termination,
                judgement.points.as_ref().map(write_points),
                judgement.plies,
            ],
        )?;
        self.deferred.index_text(record, facts.text.clone());
        let card = CardRow {
            place,
            state: RecordState::Current,
            verdict: judgement.number,
            status: judgement.status.as_str().to_owned(),
            game: judgement.game.clone(),
            event,
            players,
        };
        self.take_part(record, roots)?;
        self.activate(record, &card, roots, facts)
    }

    /// Puts the verdict of this change on the card of a record.
    pub(super) fn update_verdict(&self, record: Number) -> Result<(), StoreError> {
        let before = self.card_row(record)?;
        if before.state == RecordState::Current {
            self.deactivate(record, &before)?;
        } else {
            self.add_to_total(&before, -1);
        }
        let judgement = judgement(self.connection, self.change)?;
        let mut card = self.connection.prepare(
            "UPDATE card SET verdict = ?, status = ?, game = ?, result = ?, termination = ?, points = ?, plies = ? WHERE number = ?",
        )?;
        card.execute(params![
            self.change,
            judgement.status.as_str(),
            judgement.game,
            judgement.result.map(Outcome::as_str),
            judgement.termination,
            judgement.points.as_ref().map(write_points),
            judgement.plies,
            record,
        ])?;
        let now = self.card_row(record)?;
        if now.state == RecordState::Current {
            let facts = stored_facts(self.connection, record, &judgement)?;
            self.activate(record, &now, self.roots(&now)?, &facts)
        } else {
            self.add_to_total(&now, 1);
            Ok(())
        }
    }

    pub(super) fn set_state(&self, record: Number, state: RecordState) -> Result<(), StoreError> {
        let before = self.card_row(record)?;
        if before.state == RecordState::Current {
            self.deactivate(record, &before)?;
        } else {
            self.add_to_total(&before, -1);
        }
        self.execute("UPDATE card SET state = ? WHERE number = ?", params![state.as_str(), record])?;
        let now = self.card_row(record)?;
        if state == RecordState::Current {
            let judgement = judgement(self.connection, now.verdict)?;
            let facts = stored_facts(self.connection, record, &judgement)?;
            self.activate(record, &now, self.roots(&now)?, &facts)
        } else {
            self.add_to_total(&now, 1);
            Ok(())
        }
    }

    /// Counts a record that has become current, and its game unless another sheet of it counts.
    fn activate(
        &self,
        record: Number,
        card: &CardRow,
        roots: [Option<i64>; 2],
        facts: &Facts,
    ) -> Result<(), StoreError> {
        self.add_to_total(card, 1);
        self.add_to_event(card.event, 1, 0);
        self.enter(record, card, roots, facts)
    }

    /// Takes a record that is not current any more out of the counts.
    fn deactivate(&self, record: Number, card: &CardRow) -> Result<(), StoreError> {
        self.add_to_total(card, -1);
        self.add_to_event(card.event, -1, 0);
        self.leave(record, card)
    }

    /// The place of a record before a correction gave it another: the place of the record that it had corrected before, or its
    /// own number.
    pub(super) fn place_before(&self, record: Number, correction: Number) -> Result<Number, StoreError> {
        let mut before = self.connection.prepare(
            "SELECT card.place FROM change JOIN card ON card.number = change.corrects
             WHERE change.record = ?1 AND change.kind = 'correction' AND change.number < ?2
               AND NOT EXISTS (SELECT 1 FROM change AS undo WHERE undo.undoes = change.number AND undo.number <= ?3)
             ORDER BY change.number DESC LIMIT 1",
        )?;
        let place = before.query_row([record, correction, self.change], |row| row.get(0)).optional()?;
        Ok(place.unwrap_or(record))
    }

    pub(super) fn card_row(&self, record: Number) -> Result<CardRow, StoreError> {
        let mut card = self
            .connection
            .prepare("SELECT place, state, verdict, status, game, event, one, two FROM card WHERE number = ?")?;
        Ok(card.query_row([record], |row| {
            Ok(CardRow {
                place: row.get("place")?,
                state: rows::parsed(row, "state", RecordState::parse)?,
                verdict: row.get("verdict")?,
                status: row.get("status")?,
                game: row.get("game")?,
                event: row.get("event")?,
                players: [row.get("one")?, row.get("two")?],
            })
        })?)
    }

    /// Adds to the total of a card's game, status and state.
    fn add_to_total(&self, card: &CardRow, by: i64) {
        let game = card.game.as_deref().unwrap_or_default();
        self.deferred.add_to_total(game, &card.status, card.state, by);
    }
}
