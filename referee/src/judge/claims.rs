//! Claims of a record that differ from what the board shows.

use quipu_notation::record::{Outcome, Record};

use super::replay::contradictions;
use crate::{Game, Position};

/// A claim of a record that the board contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongClaim {
    /// The tag. `Result` stands for the final token as well.
    pub(crate) tag: &'static str,
    /// The claim as it is written.
    pub(crate) written: String,
    /// The claim that the board supports.
    pub(crate) shown: String,
}

/// The claims of a record that have to change for a game that came to this position; none if no change of claims helps.
pub(crate) fn wrong_claims<G: Game>(position: G::Position, record: &Record<'_>) -> Option<Vec<WrongClaim>> {
    if contradictions::<G>(position, record) == 0 {
        return Some(Vec::new());
    }
    let end = position.end().map(|end| G::settle(end, record));
    let mut wrong = Vec::new();
    let mut change = |tag: &'static str, written: &str, shown: String| {
        if written != shown {
            wrong.push(WrongClaim { tag, written: written.to_owned(), shown });
        }
    };
    let (tag, token) = (record.value("Result"), record.result.map(|result| result.value));
    let written = match (tag, token) {
        (Some(tag), Some(token)) if tag != token.as_str() => format!("{tag} {}", token.as_str()),
        (Some(tag), _) => tag.to_owned(),
        (None, token) => token.map_or_else(String::new, |token| token.as_str().to_owned()),
    };
    if let Some(end) = end {
        if token != Some(Outcome::Open) || tag.is_some_and(|tag| tag != Outcome::Open.as_str()) {
            change("Result", &written, end.outcome.as_str().to_owned());
        }
        if let Some(declared) = record.value("Termination") {
            change("Termination", declared, end.termination.name.to_owned());
        }
    } else if let Some(token) = token.filter(|token| tag.is_some_and(|tag| tag != token.as_str())) {
        change("Result", &written, token.as_str().to_owned());
    }
    if let (Some(claimed), Some(points)) = (record.value("Points"), position.points()) {
        change("Points", claimed, points.to_string());
    }
    let holds = contradictions::<G>(position, &with_claims(record, &wrong)) == 0;
    (holds && !wrong.is_empty()).then_some(wrong)
}

/// The tags and the result of a record, with other claims.
fn with_claims<'r>(record: &'r Record<'r>, claims: &'r [WrongClaim]) -> Record<'r> {
    let mut changed = Record { tags: record.tags.clone(), result: record.result, ..Record::default() };
    for claim in claims {
        if let Some(tag) = changed.tags.iter_mut().find(|tag| tag.name == claim.tag) {
            tag.value = claim.shown.as_str().into();
        }
        if let (Some(result), "Result") = (&mut changed.result, claim.tag) {
            result.value = Outcome::parse(&claim.shown).unwrap_or(result.value);
        }
    }
    changed
}

/// True if a player resigned or ran out of time, as the record says, while the other was to move.
pub(crate) fn ends_out_of_turn<G: Game>(position: G::Position, record: &Record<'_>) -> bool {
    let is_own = matches!(record.value("Termination"), Some("resignation" | "time"));
    let winner = record.result.and_then(|result| result.value.winner());
    is_own && position.end().is_none() && winner == Some(position.turn())
}
