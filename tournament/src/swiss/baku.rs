//! Baku acceleration: virtual points for the upper half of the list in the first rounds (C.04.7; C.04.5.1 in older
//! editions).
//!
//! Half of the rounds, rounded up, are accelerated. In the first half of those, rounded up, the players of group A have one
//! virtual point, in the others half a point. Group A is the first half of the list of round 1, rounded up to an even number;
//! its last player stays the last one when late entries come.

use std::cmp::Reverse;

use crate::model::{PlayerId, System, Tournament};

/// The virtual half points of each player in each paired round and in the next one.
pub(crate) fn virtual_points(tournament: &Tournament) -> Vec<Vec<u64>> {
    let next = tournament.next_round();
    let is_accelerated = matches!(tournament.settings.system, System::Swiss { accelerated: true });
    let seeds = tournament.seeding(1);
    let size = (2 * seeds.len().div_ceil(4)).min(seeds.len());
    let rank = |id: PlayerId| (Reverse(tournament.rating(id)), id);
    let last = seeds.get(size.wrapping_sub(1)).map(|id| rank(*id)).filter(|_| is_accelerated);
    let is_in_a = |id: PlayerId| last.is_some_and(|last| rank(id) <= last);
    let accelerated = tournament.round_count().div_ceil(2);
    let halves = |round: u32| if round <= accelerated.div_ceil(2) { 2 } else { u64::from(round <= accelerated) };
    let of = |id| (1..=next).map(|round| if is_in_a(id) { halves(round) } else { 0 }).collect();
    tournament.ids().map(of).collect()
}
