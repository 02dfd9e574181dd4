//! The encounters without a result, and the results that they can still have.

use quipu_referee::competition::Half;

use super::{super::score_table::ScoreTable, places::Needed};
use crate::{
    model::{Board, Encounter, EncounterResult, GameOutcome, GameResult, PlayerId, Slot, System, Tournament},
    round_robin,
};

/// An encounter without a result.
pub(super) struct Open {
    pub(super) round: usize,
    pub(super) players: [PlayerId; 2],
    /// The results that it can end with, the best for the first player first.
    pub(super) ends: Vec<EncounterResult>,
}

impl Open {
    /// The best result for one of its players, with the index of that player.
    pub(super) fn best_of(&self, player: PlayerId) -> Option<(usize, EncounterResult)> {
        let index = self.players.iter().position(|id| *id == player)?;
        Some((index, *self.ends.iter().max_by_key(|end| end.scores[index])?))
    }

    pub(super) fn ending(&self, end: EncounterResult) -> Needed {
        let round = u32::try_from(self.round + 1).unwrap_or(u32::MAX);
        Needed { round, players: self.players, scores: end.scores }
    }
}

/// Adds the rounds to come of a round robin to the histories. True if all encounters left are known then.
pub(super) fn plan(tournament: &Tournament, histories: &mut [Vec<Slot>], rounds: usize) -> bool {
    let first = tournament.next_round();
    if first as usize > rounds {
        return true;
    }
    let System::RoundRobin { double } = tournament.settings.system else { return false };
    for round in first..=tournament.round_count() {
        let pairing = round_robin::round(&tournament.seeding(1), round, double);
        for history in histories.iter_mut() {
            history.push(Slot::Out);
        }
        for (board, players) in pairing.boards.into_iter().enumerate() {
            for (index, id) in players.into_iter().enumerate() {
                let side = Board::side(index, 0);
                let slot = Slot::Encounter { board, index, opponent: players[1 - index], side, result: None };
                if let Some(last) = histories[ScoreTable::index(id)].last_mut() {
                    *last = slot;
                }
            }
        }
    }
    true
}

/// The encounters without a result, round by round of each player in the order of entry.
pub(super) fn open(tournament: &Tournament, histories: &[Vec<Slot>]) -> Vec<Open> {
    let mut open = Vec::new();
    for (id, history) in tournament.ids().zip(histories) {
        for (round, slot) in history.iter().enumerate() {
            if let Slot::Encounter { board, index: 0, opponent, result: None, .. } = slot {
                let players = [id, *opponent];
                let paired = tournament.rounds.get(round).and_then(|round| round.boards.get(*board)).cloned();
                let board = paired.unwrap_or_else(|| Board::new(players, tournament.settings.encounter));
                open.push(Open { round, players, ends: ends(tournament, round, &board) });
            }
        }
    }
    open
}

/// The results that a board can still have, the best for the first player first. The games that it has decide with those that
/// are left: after a first leg won without points only its winner can still win the encounter.
fn ends(tournament: &Tournament, round: usize, board: &Board) -> Vec<EncounterResult> {
    let encounter = tournament.settings.encounter;
    let left = board.games.iter().filter(|game| game.is_none()).count();
    let has_withdrawn = |id| {
        let withdrawn = tournament.entrant(id).and_then(|entrant| entrant.withdrawn);
        withdrawn.is_some_and(|from| from as usize <= round + 1)
    };
    let outcomes = match board.players.map(has_withdrawn) {
        [true, true] => vec![vec![GameOutcome::DoubleForfeit; left]],
        [false, true] => vec![vec![GameOutcome::ForfeitToFirst; left]],
        [true, false] => vec![vec![GameOutcome::ForfeitToSecond; left]],
        [false, false] if is_open_by_points(encounter, board) => {
            let scores = [[Half::ONE, Half::ZERO], [Half::HALF, Half::HALF], [Half::ZERO, Half::ONE]];
            return scores.map(|scores| EncounterResult { scores, was_played: true, tallies: None }).to_vec();
        }
        [false, false] => (0..=2 * left).map(|lost| outcomes(left, lost)).collect(),
    };
    let mut ends = Vec::new();
    for outcomes in outcomes {
        let mut outcomes = outcomes.into_iter().map(GameResult::by_arbiter);
        let games = board.games.iter().map(|game| game.clone().or_else(|| outcomes.next())).collect();
        if let Some(end) = (Board { players: board.players, games }).result(encounter).filter(|end| !ends.contains(end))
        {
            ends.push(end);
        }
    }
    ends
}

/// True if points of the second leg can still turn the first one (Andes 9.3).
fn is_open_by_points(encounter: Encounter, board: &Board) -> bool {
    encounter == Encounter::TwoLegs && board.games.iter().flatten().all(|game| game.tallies.is_some())
}

/// Outcomes of games of which the first player loses so many half points.
fn outcomes(games: usize, lost: usize) -> Vec<GameOutcome> {
    let outcome = |game: usize| match lost.saturating_sub(2 * game) {
        0 => GameOutcome::First,
        1 => GameOutcome::Draw,
        _ => GameOutcome::Second,
    };
    (0..games).map(outcome).collect()
}
