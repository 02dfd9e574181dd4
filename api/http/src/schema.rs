//! The referee's reports under the names that their schemas have in the OpenAPI document.

pub(crate) use quipu_archive::report::Verdict;
use quipu_referee::report::{
    competition::{CrossRowReport, EncounterReport, PlayerReport, RowReport, StandingsReport},
    sheets::DifferenceReport,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The standings of one game in one event.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Table<'c>(pub(crate) StandingsReport<'c, RowReport<'c>>);

/// The same with the games of each player against each other.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CrossTable<'c>(pub(crate) StandingsReport<'c, CrossRowReport<'c>>);

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Encounter<'c>(pub(crate) EncounterReport<'c>);

/// The sums of a player's games in an event.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Score<'c>(pub(crate) PlayerReport<'c>);

/// The difference between two records.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Difference<'c>(pub(crate) DifferenceReport<'c>);
