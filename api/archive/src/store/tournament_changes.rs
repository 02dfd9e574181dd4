//! Changes of tournaments. Each is checked against the tournament as it is in the same transaction, with the results of its
//! records, so that two organisers at once cannot overlook each other.

use quipu_notation::games::GameNotation;
use quipu_tournament::{
    fault,
    model::{self, Origin, Settings, Tournament},
    records::Place,
};
use rusqlite::params;

use super::{
    changes::{Refusal, Subject},
    error::StoreError,
    tournaments::{Misplaced, StoredTournament, replay},
    write_tx::WriteTx,
};
use crate::model::{By, Kind, Number, TournamentSteps};

impl From<fault::Fault> for Refusal {
    fn from(fault: fault::Fault) -> Self {
        Self::Tournament(Box::new(fault))
    }
}

impl WriteTx<'_> {
    /// Creates a tournament, with steps that follow its creation. Returns its number, which is that of the change.
    pub fn create_tournament(
        &self,
        game: &GameNotation,
        settings: Settings,
        steps: Vec<model::Change>,
        by: &By,
    ) -> Result<Number, Refusal> {
        if let Some(number) = self.tournament_named(&settings.name, game)? {
            return Err(Refusal::TournamentExists(number));
        }
        let mut tournament = Tournament::new(settings.clone())?;
        steps.iter().try_for_each(|step| tournament.apply(step))?;
        let steps = [vec![model::Change::Create { settings }], steps].concat();
        Ok(self.append_steps(None, &TournamentSteps { game: Some(game.id.to_owned()), steps }, by)?)
    }

    /// Changes a tournament by the steps that `steps` makes of its present state. Returns the number of the change; none if
    /// there is nothing to do.
    pub fn change_tournament<E: From<Refusal>>(
        &self,
        number: Number,
        by: &By,
        steps: impl FnOnce(&StoredTournament) -> Result<Vec<model::Change>, E>,
    ) -> Result<Option<Number>, E> {
        let mut stored = self.tournament(number).map_err(Refusal::from)?.ok_or(Refusal::NoTournament)?;
        let steps = steps(&stored)?;
        for (step, number) in steps.iter().zip(1..) {
            let at =
                |fault: fault::Fault| Refusal::from(if steps.len() > 1 { fault.with("step", number) } else { fault });
            stored.check_records(step)?;
            stored.check_name(step).map_err(at)?;
            stored.tournament.apply(step).map_err(at)?;
        }
        if steps.is_empty() {
            return Ok(None);
        }
        let body = TournamentSteps { game: None, steps };
        Ok(Some(self.append_steps(Some(number), &body, by).map_err(Refusal::from)?))
    }

    fn append_steps(&self, tournament: Option<Number>, steps: &TournamentSteps, by: &By) -> Result<Number, StoreError> {
        let body = serde_json::to_string(steps).map_err(|error| StoreError::Other(error.to_string()))?;
        let number = self.deferred.next_change(self.connection)?;
        self.append(number, Kind::Tournament, by, &Subject::default())?;
        let mut insert = self.connection.prepare_cached("INSERT INTO tournament_change VALUES (?, ?, ?)")?;
        insert.execute(params![number, tournament.unwrap_or(number), body])?;
        Ok(number)
    }

    /// Fails unless the changes of a tournament still apply without one of them, and mean the same.
    pub(super) fn check_undo(&self, change: Number) -> Result<(), Refusal> {
        let tournament = self.tournament_of(change)?.ok_or(Refusal::NoChange)?;
        let mut held = self.held_changes(tournament)?;
        let Some(index) = held.iter().position(|(number, _)| *number == change) else { return Err(Refusal::NoChange) };
        let (_, undone) = held.remove(index);
        let enters = |body: &TournamentSteps| body.steps.iter().any(|step| matches!(step, model::Change::Enter { .. }));
        // Numbers of players follow the order of entry, and never change.
        if enters(&undone) && held[index..].iter().any(|(_, body)| enters(body)) {
            return Err(Refusal::Since);
        }
        if held.is_empty() {
            return Ok(());
        }
        let dependent = |Misplaced { change, fault }| Refusal::Dependent(change, Box::new(fault));
        let without = replay(&held).map_err(dependent)?;
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
    /// Fails for a step that contradicts the record of a game.
    fn check_records(&self, step: &model::Change) -> Result<(), Refusal> {
        let (place, outcome) = match step {
            model::Change::Result { round, board, game, result, .. } if result.origin == Origin::Arbiter => {
                (Place { round: *round, board: *board, game: *game }, Some(result.outcome))
            }
            model::Change::Clear { round, board, game } => (Place { round: *round, board: *board, game: *game }, None),
            _ => return Ok(()),
        };
        let Some(record) = self.bindings.places.get(&place) else { return Ok(()) };
        let given = self.result(place).map(|result| result.outcome);
        if given == outcome { Ok(()) } else { Err(Refusal::HasRecord(*record)) }
    }

    /// Fails for a name that another player has: records find their boards by names.
    fn check_name(&self, step: &model::Change) -> Result<(), fault::Fault> {
        let (id, player) = match step {
            model::Change::Enter { player, .. } => (None, player),
            model::Change::Edit { id, player } => (Some(*id), player),
            _ => return Ok(()),
        };
        let name = player.name.trim();
        let mut others = self.tournament.ids().filter(|other| Some(*other) != id);
        if others.any(|other| self.tournament.name(other) == name) {
            return Err(fault::Fault::new(fault::SAME_NAME).with("player", name));
        }
        Ok(())
    }

    /// The result of a game.
    pub fn result(&self, place: Place) -> Option<&model::GameResult> {
        let board = self.tournament.round(place.round)?.boards.get((place.board as usize).checked_sub(1)?)?;
        board.games.get((place.game as usize).checked_sub(1)?)?.as_ref()
    }
}
