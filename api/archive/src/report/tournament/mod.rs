//! Tournaments in JSON. Players have their names; numbers are those of the entry list.

mod entries;
mod player_card;
mod prospects;
mod round;
mod standings;
mod summary;

use std::collections::BTreeMap;

use quipu_referee::Lang;
use quipu_tournament::{fault::Fault, messages::catalog};
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Number;

pub use entries::EntriesReport;
pub use player_card::PlayerCardReport;
pub use prospects::ProspectsReport;
pub use round::{BoardReport, PairedReport, PairingReport, RoundReport};
pub use standings::StandingsReport;
pub use summary::{ListedReport, TournamentReport};

/// `{"tournament":7}`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreatedTournament")]
pub struct CreatedReport {
    /// Its number.
    #[schemars(range(min = 1))]
    pub tournament: Number,
}

/// A fault of a tournament with its sentence: the reason of a refusal, or a remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TournamentRemark", deny_unknown_fields)]
pub struct FaultReport {
    code: &'static str,
    facts: BTreeMap<&'static str, String>,
    message: String,
}

impl FaultReport {
    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The report in a language.
    pub fn new(fault: &Fault, lang: Lang) -> Self {
        Self {
            code: fault.code.id,
            facts: fault.facts.iter().cloned().collect(),
            message: catalog().fault(fault, lang),
        }
    }
}
