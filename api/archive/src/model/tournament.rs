//! The body of a change of a tournament.

use quipu_tournament::model;
use serde::{Deserialize, Serialize};

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
    pub steps: Vec<model::Change>,
}
