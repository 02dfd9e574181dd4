//! The games that a query replays.

use std::ops::ControlFlow;

use super::{
    block::Fingerprint,
    games::{BATCH, Candidate, each_candidate},
    look_up::each_part,
};
use crate::{
    model::Number,
    store::{database::Connection, error::StoreError},
};

/// Games and plies that a query may still replay.
struct ReplayBudget {
    games: usize,
    plies: usize,
}

impl ReplayBudget {
    /// The budget of a query. A position with more games has stored totals, unless it still waits for them, its games are spread very
    /// unevenly, or others have been made to look like it.
    const OF_QUERY: Self = Self { games: 2_048, plies: 262_144 };

    /// Takes a game with all its plies, which may be more than are left; false if nothing was left before.
    fn take(&mut self, plies: usize) -> bool {
        let is_left = self.games > 0 && self.plies > 0;
        self.games = self.games.saturating_sub(1);
        self.plies = self.plies.saturating_sub(plies);
        is_left
    }
}

/// Calls `each` with the games of verdicts before a number that have an entry of a fingerprint, the last first, until it breaks.
/// Returns the number of the first verdict that the budget of a query leaves out.
pub(super) fn scan(
    connection: &Connection,
    sought: Fingerprint,
    before: Option<Number>,
    mut each: impl FnMut(Candidate) -> ControlFlow<()>,
) -> Result<Option<Number>, StoreError> {
    let (mut budget, mut left_out) = (ReplayBudget::OF_QUERY, None);
    each_part(connection, sought, before, |numbers| {
        for numbers in numbers.chunks(BATCH) {
            let flow = each_candidate(connection, numbers, |candidate| {
                if !budget.take(candidate.game.plies()) {
                    left_out = Some(candidate.number);
                    return ControlFlow::Break(());
                }
                each(candidate)
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_ends_after_its_games_or_its_plies() {
        let games_of = |plies| {
            let mut budget = ReplayBudget::OF_QUERY;
            std::iter::repeat_with(|| budget.take(plies)).take_while(|is_left| *is_left).count()
        };
        assert_eq!([100, 0, 1_000, 300_000].map(games_of), [2_048, 2_048, 263, 1]);
    }
}
