//! The best and the worst place that is still possible for each player, and what it takes.

mod bounds;
mod open;
mod places;

use std::ops::ControlFlow;

use bounds::bounds;
use open::{Open, open, plan};
pub use places::{Method, Needed, PlayerProspects, Prospects};

use super::{ranking::ranked, score_table::ScoreTable};
use crate::model::{Slot, Tournament};

/// The most outcomes of the encounters left that are all looked at, which takes up to some minutes.
pub const OUTCOMES: u64 = 1 << 22;

/// The prospects. All outcomes are looked at if every encounter left is known, there are at most [`OUTCOMES`] of them, and
/// no tie-break depends on points of games still to be played.
///
/// Each game left is played, except those of players who have withdrawn: they lose by forfeit, and do not come back.
pub fn prospects(tournament: &Tournament) -> Prospects {
    prospects_within(tournament, OUTCOMES)
}

/// As [`prospects`], but all outcomes are looked at only if there are at most so many.
pub fn prospects_within(tournament: &Tournament, outcomes: u64) -> Prospects {
    let rounds = tournament.round_count() as usize;
    let mut histories = tournament.histories();
    let is_known = plan(tournament, &mut histories, rounds);
    let open = open(tournament, &histories);
    let all = open.iter().try_fold(1u64, |all, encounter| all.checked_mul(encounter.ends.len() as u64));
    let few = all.is_some_and(|all| all <= outcomes);
    if is_known && few && (open.is_empty() || !tournament.counts_points()) {
        exact(tournament, histories, &open, rounds)
    } else {
        bounds(tournament, &histories, &open, rounds)
    }
}

/// Calls a function for each combination of ends, by their indices.
fn each_end(open: &[Open], mut act: impl FnMut(&[usize])) {
    let mut ends = vec![0; open.len()];
    loop {
        act(&ends);
        let next = ends.iter_mut().zip(open).try_for_each(|(end, encounter)| {
            *end = (*end + 1) % encounter.ends.len();
            if *end == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if next.is_continue() {
            return;
        }
    }
}

fn exact(tournament: &Tournament, histories: Vec<Vec<Slot>>, open: &[Open], rounds: usize) -> Prospects {
    let mut score_table = ScoreTable::new(tournament, histories, rounds);
    let mut players: Vec<PlayerProspects> = tournament
        .ids()
        .map(|player| PlayerProspects { player, best: u32::MAX, worst: 0, takes: Vec::new() })
        .collect();
    each_end(open, |ends| {
        for (encounter, end) in open.iter().zip(ends) {
            for id in encounter.players {
                if let Slot::Encounter { result, .. } =
                    &mut score_table.histories[ScoreTable::index(id)][encounter.round]
                {
                    *result = Some(encounter.ends[*end]);
                }
            }
        }
        score_table.count();
        let mut place = 1;
        for group in ranked(&score_table, |_, _| {}) {
            let size = u32::try_from(group.len()).unwrap_or(u32::MAX);
            for player in group {
                let chances = &mut players[player];
                chances.worst = chances.worst.max(place);
                if place < chances.best {
                    chances.best = place;
                    let needed = open.iter().zip(ends).map(|(encounter, end)| encounter.ending(encounter.ends[*end]));
                    chances.takes = needed.collect();
                }
            }
            place += size;
        }
    });
    players.retain(|chances| chances.worst > 0);
    Prospects { method: Method::Exact, open: open.len(), players }
}
