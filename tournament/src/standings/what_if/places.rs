//! The places that are still possible, as they are told.

use quipu_referee::competition::Half;
use serde::Serialize;

use crate::model::PlayerId;

/// The way in which places were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProspectsMethod"))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// All outcomes were looked at: each place can be reached.
    Exact,
    /// From the first figure of the order alone: no better and no worse place can be reached.
    Bounds,
}

/// The prospects of all players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prospects {
    /// The way in which they were found.
    pub method: Method,
    /// Encounters without a result that are known.
    pub open: usize,
    /// One for each player of the standings, in the order of entry.
    pub players: Vec<PlayerProspects>,
}

/// The prospects of one player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerProspects {
    /// The player.
    pub player: PlayerId,
    /// The best place.
    pub best: u32,
    /// The worst place.
    pub worst: u32,
    /// One way to the best place: the encounters left with their scores; of bounds, the player's own.
    pub takes: Vec<Needed>,
}

/// An encounter that a way to the best place needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Needed {
    /// The round.
    pub round: u32,
    /// The players.
    pub players: [PlayerId; 2],
    /// Their scores.
    pub scores: [Half; 2],
}
