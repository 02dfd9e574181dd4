//! Refused changes of tournaments as problems.

use quipu_archive::{
    model::Number,
    report::FaultReport,
    store::{Refusal, StoreError},
};
use quipu_referee::{Lang, report::hex};
use quipu_tournament::fault::Fault;

use crate::problem::{self, Problem};

/// The reason that a tournament is not created or changed.
#[derive(Clone, Debug)]
pub(crate) enum TournamentRefusal {
    Archive(Refusal),
    /// The tournament refuses it, for these reasons.
    Faults(Vec<Fault>),
    /// It has another version than the client has seen.
    Outdated(Number),
    /// An entry list cannot be read.
    Unreadable(Box<Fault>),
    /// There is nothing to change.
    Nothing,
    /// It changed while the round was being paired.
    Moved,
    /// More players than this are not paired over HTTP.
    Large(usize),
}

impl From<Refusal> for TournamentRefusal {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Tournament(fault) => Self::Faults(vec![*fault]),
            refusal => Self::Archive(refusal),
        }
    }
}

impl From<StoreError> for TournamentRefusal {
    fn from(error: StoreError) -> Self {
        Self::Archive(error.into())
    }
}

impl TournamentRefusal {
    /// The problem about the tournament of a number.
    pub(crate) fn into_problem(self, number: Number, lang: Lang) -> Problem {
        let conflict = |variant| Problem::variant(problem::CONFLICT, variant).extension("conflict", &variant);
        match self {
            Self::Faults(faults) => {
                let faults: Vec<_> = faults.iter().map(|fault| FaultReport::new(fault, lang)).collect();
                let reason = faults.iter().map(FaultReport::message).collect::<Vec<_>>().join(" ");
                Problem::new(problem::TOURNAMENT).with("reason", reason).extension("faults", &faults)
            }
            Self::Outdated(version) => {
                Problem::variant(problem::VERSION, "tournament").with("found", version).extension("version", &version)
            }
            Self::Unreadable(fault) => {
                let fault = FaultReport::new(&fault, lang);
                Problem::variant(problem::BODY, "reason").with("reason", fault.message()).extension("faults", &[&fault])
            }
            Self::Nothing => Problem::variant(problem::BODY, "empty"),
            Self::Moved => conflict("tournament-moved").with("found", number).retry_after(1),
            Self::Archive(Refusal::Store(error)) => error.into(),
            Self::Archive(Refusal::NoTournament) => super::missing(number),
            Self::Archive(Refusal::TournamentExists(other)) => {
                conflict("tournament-exists").with("by", other).extension("tournament", &other)
            }
            Self::Large(max) => conflict("tournament-large").with("found", number).with("max", max),
            Self::Archive(Refusal::HasRecord { record, step }) => {
                let record = hex(&record);
                let problem = conflict("has-record").with("by", &record).extension("id", &record);
                match step {
                    Some(step) => problem.extension("step", &step),
                    None => problem,
                }
            }
            Self::Archive(Refusal::NoReason) => Problem::variant(problem::BODY, "missing").with("name", "reason"),
            Self::Archive(Refusal::ChangeTooLong(max)) => {
                Problem::variant(problem::TOO_LARGE, "tournament").with("max", max)
            }
            // The others are about records, players and undoing.
            Self::Archive(_) => Problem::new(problem::INTERNAL),
        }
    }
}
