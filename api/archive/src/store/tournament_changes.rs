//! Changes of tournaments. Each is checked against the tournament as it is in the same transaction, with the results of its
//! records, so that two organisers at once cannot overlook each other.

use quipu_tournament::{
    fault,
    model::{self, Origin},
    records::Place,
};

use super::{
    changes::{Refusal, Subject},
    database::params,
    error::StoreError,
    tournaments::{Misplaced, StoredTournament, replay},
    write_tx::WriteTx,
};
use crate::model::{Attribution, ChangeKind, Creation, Number, TournamentSteps};

impl From<fault::Fault> for Refusal {
    fn from(fault: fault::Fault) -> Self {
        Self::Tournament(Box::new(fault))
    }
}

impl WriteTx<'_> {
    /// Creates a tournament. Returns its number, which is that of the change.
    pub fn create_tournament(&self, creation: &Creation, by: &Attribution) -> Result<Number, Refusal> {
        if let Some(number) = self.tournament_named(creation.name(), creation.game)? {
            return Err(Refusal::TournamentExists(number));
        }
        self.append_steps(None, &creation.steps, by)
    }

    /// Changes a tournament by the steps that `steps` makes of its present state. Returns the number of the change; none if
    /// there is nothing to do.
    pub fn change_tournament<E: From<Refusal>>(
        &self,
        number: Number,
        by: &Attribution,
        steps: impl FnOnce(&StoredTournament) -> Result<Vec<model::Change>, E>,
    ) -> Result<Option<Number>, E> {
        let mut stored = self.tournament(number).map_err(Refusal::from)?.ok_or(Refusal::NoTournament)?;
        let steps = steps(&stored)?;
        for (step, number) in steps.iter().zip(1..) {
            stored.check_records(step, (steps.len() > 1).then_some(number))?;
            let applied = stored.tournament.apply(step).and_then(|()| step.check_points(stored.point_rule()));
            applied.map_err(|fault| Refusal::from(fault.at(number, steps.len())))?;
        }
        if steps.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.append_steps(Some(number), &TournamentSteps { game: None, steps }, by)?))
    }

    fn append_steps(
        &self,
        tournament: Option<Number>,
        steps: &TournamentSteps,
        by: &Attribution,
    ) -> Result<Number, Refusal> {
        if steps.lack_reason(by) {
            return Err(Refusal::NoReason);
        }
        let body = serde_json::to_string(steps).map_err(|error| StoreError::Other(error.to_string()))?;
        if body.len() > TournamentSteps::MOST {
            return Err(Refusal::ChangeTooLong(TournamentSteps::MOST));
        }
        let number = self.deferred.next_change(self.connection)?;
        self.append(number, ChangeKind::Tournament, by, &Subject::default())?;
        let mut insert = self.connection.prepare("INSERT INTO tournament_change VALUES (?, ?, ?)")?;
        insert.execute(params![number, tournament.unwrap_or(number), body])?;
        Ok(number)
    }

    /// Fails unless the changes of a tournament still apply without one of them, and mean the same.
    pub(super) fn check_undo(&self, change: Number) -> Result<(), Refusal> {
        let tournament = self.tournament_of(change)?.ok_or(Refusal::NoChange)?;
        let mut held = self.held_changes(tournament)?;
        let Some(index) = held.iter().position(|(number, _)| *number == change) else { return Err(Refusal::NoChange) };
        // Changes that do not apply are a damage, which an undo may mend.
        let with = replay(&held).ok();
        let (_, undone) = held.remove(index);
        let enters = |body: &TournamentSteps| body.steps.iter().any(|step| matches!(step, model::Change::Enter { .. }));
        // Numbers of players follow the order of entry, and never change.
        if enters(&undone)
            && let Some((later, _)) = held[index..].iter().rfind(|(_, body)| enters(body))
        {
            return Err(Refusal::BreaksLaterChange(*later, Box::new(fault::Fault::new(fault::LATER_ENTRY))));
        }
        if held.is_empty() {
            return Ok(());
        }
        let dependent = |Misplaced { change, fault }| Refusal::BreaksLaterChange(change, Box::new(fault));
        let without = replay(&held).map_err(dependent)?;
        if let Some(with) = with {
            with.check_undo(&without)?;
        }
        for step in &undone.steps {
            if let model::Change::Result { round, .. } | model::Change::Clear { round, .. } = step
                && without.round(*round).is_some_and(|round| round.is_closed)
            {
                return Err(fault::Fault::new(fault::ROUND_CLOSED).with("round", round).into());
            }
        }
        Ok(())
    }
}

impl StoredTournament {
    /// Fails for a step that contradicts the record of a game. `number` is that of the step, of several.
    fn check_records(&self, step: &model::Change, number: Option<usize>) -> Result<(), Refusal> {
        let (place, outcome) = match step {
            model::Change::Result { round, board, game, result, .. } if result.origin == Origin::Arbiter => {
                (Place { round: *round, board: *board, game: *game }, Some(result.outcome))
            }
            model::Change::Clear { round, board, game } => (Place { round: *round, board: *board, game: *game }, None),
            _ => return Ok(()),
        };
        let Some(record) = self.bindings.places.get(&place) else { return Ok(()) };
        let given = self.result(place).map(|result| result.outcome);
        if given == outcome { Ok(()) } else { Err(Refusal::HasRecord { record: *record, step: number }) }
    }

    /// The result of a game.
    pub fn result(&self, place: Place) -> Option<&model::GameResult> {
        let board = self.tournament.round(place.round)?.board(place.board)?;
        board.games.get((place.game as usize).checked_sub(1)?)?.as_ref()
    }
}
