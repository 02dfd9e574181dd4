//! The bodies of changes of tournaments.

use quipu_notation::games::GameNotation;
use quipu_tournament::{
    fault::Fault,
    model::{Change, Tournament, TournamentSettings},
};
use serde::{Deserialize, Serialize};

use super::Attribution;

/// The steps of one change: one decision of an organiser, such as forty entries, or closing a round and pairing the next.
/// They hold together, and are undone together.
///
/// As JSON: `{"game":"andes","steps":[{"change":"create",…}]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentSteps {
    /// Identifier of the game, in the change that creates the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The steps in their order.
    pub steps: Vec<Change>,
}

impl TournamentSteps {
    /// Most bytes of a stored change. Each reading of the tournament replays it.
    pub const MOST: usize = 16 << 20;

    /// True if a step requires a reason, and the decision has none.
    pub(crate) fn lack_reason(&self, by: &Attribution) -> bool {
        by.reason.is_none() && self.steps.iter().any(Change::needs_reason)
    }
}

/// A tournament to create, with the steps that follow its creation. They apply.
#[derive(Clone, Debug)]
pub struct Creation {
    pub(crate) game: &'static GameNotation,
    pub(crate) name: String,
    pub(crate) steps: TournamentSteps,
    remark: Option<Fault>,
}

impl Creation {
    /// Checks the settings and the steps.
    ///
    /// # Errors
    /// The fault of a setting, or of a step with its number.
    pub fn new(game: &'static GameNotation, settings: TournamentSettings, steps: Vec<Change>) -> Result<Self, Fault> {
        let mut tournament = Tournament::new(settings)?;
        let rule = quipu_referee::games::find(game.id).and_then(quipu_referee::Referee::point_rule);
        for (step, number) in steps.iter().zip(1..) {
            let applied = tournament.apply(step).and_then(|()| step.check_points(rule));
            applied.map_err(|fault| fault.at(number, steps.len()))?;
        }
        let remark = tournament.settings.system.remark(&tournament.tie_breaks);
        let settings = tournament.settings;
        let name = settings.name.clone();
        let steps = [Change::Create { settings }].into_iter().chain(steps).collect();
        Ok(Self { game, name, steps: TournamentSteps { game: Some(game.id.to_owned()), steps }, remark })
    }

    /// The name of the tournament.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A remark on its tie-breaks.
    pub fn remark(&self) -> Option<&Fault> {
        self.remark.as_ref()
    }
}
