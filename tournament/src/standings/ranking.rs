//! Places: by score, then by each tie-break in turn.

use std::cmp::Reverse;

use quipu_referee::competition::Half;
use serde::Serialize;

use super::{
    TournamentTieBreak, direct,
    figures::{Figure, figure},
    score_table::ScoreTable,
};
use crate::model::{PlayerId, Slot, Tournament};

/// The standings after a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TournamentStandings {
    /// The last round that counts.
    pub round: u32,
    /// The tie-breaks. The score ranks before them unless it is one of them.
    pub order: Vec<TournamentTieBreak>,
    /// The players, the best first; equal ones in the order of their pairing numbers.
    pub rows: Vec<TournamentRow>,
}

/// A player's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TournamentRow {
    /// From 1; players equal in everything share a place, and the next places are skipped.
    pub place: u32,
    /// The player.
    pub player: PlayerId,
    /// The score.
    pub score: Half,
    /// Encounters won, tied and lost that no player forfeited.
    pub played: [u32; 3],
    /// The figures in the order of the tie-breaks.
    pub figures: Vec<Figure>,
}

/// The standings after a round; after the last paired one without a number. Encounters without a result do not count.
pub fn standings(tournament: &Tournament, round: Option<u32>) -> TournamentStandings {
    let paired = tournament.next_round() - 1;
    let round = round.unwrap_or(paired).min(paired);
    let score_table = ScoreTable::new(tournament, tournament.histories(), round as usize);
    let mut figures: Vec<Vec<Figure>> = vec![Vec::new(); tournament.entrants.len()];
    let groups = ranked(&score_table, |player, figure| figures[player].push(figure));
    let mut rows = Vec::with_capacity(figures.len());
    for group in groups {
        let place = u32::try_from(rows.len() + 1).unwrap_or(u32::MAX);
        for player in group {
            let count = |score: Half| {
                let found = score_table.played(player).filter(|(_, _, found, _)| *found == score).count();
                u32::try_from(found).unwrap_or(u32::MAX)
            };
            rows.push(TournamentRow {
                place,
                player: PlayerId(u32::try_from(player + 1).unwrap_or(u32::MAX)),
                score: score_table.scores[player],
                played: [Half::ONE, Half::HALF, Half::ZERO].map(count),
                figures: std::mem::take(&mut figures[player]),
            });
        }
    }
    TournamentStandings { round, order: tournament.tie_breaks.clone(), rows }
}

/// Groups of players that are equal in everything, the best first. Each player's figures are handed over in their order.
pub(super) fn ranked(score_table: &ScoreTable, mut note: impl FnMut(usize, Figure)) -> Vec<Vec<usize>> {
    let tournament = score_table.tournament;
    let is_in = |player: &usize| {
        tournament.entrants[*player].first <= tournament.next_round()
            || score_table.histories[*player].iter().any(|slot| *slot != Slot::Out)
    };
    let mut all: Vec<usize> = (0..tournament.entrants.len()).filter(is_in).collect();
    all.sort_by_key(|player| (Reverse(tournament.entrants[*player].player.rating.unwrap_or(0)), *player));
    let mut groups = vec![all];
    if !tournament.tie_breaks.contains(&TournamentTieBreak::Score) {
        groups = split(groups, |player| score_table.scores[player]);
    }
    for tie_break in &tournament.tie_breaks {
        if *tie_break == TournamentTieBreak::DirectEncounter {
            groups = groups
                .into_iter()
                .flat_map(|group| direct::split(score_table, &group))
                .map(|equal| {
                    equal
                        .into_iter()
                        .map(|(player, figure)| {
                            note(player, figure);
                            player
                        })
                        .collect()
                })
                .collect();
        } else {
            let mut values = vec![None; tournament.entrants.len()];
            for player in groups.iter().flatten() {
                let figure = figure(score_table, *player, *tie_break);
                values[*player] = figure.value;
                note(*player, figure);
            }
            groups = split(groups, |player| values[player]);
        }
    }
    groups
}

/// Splits groups by a value, the greatest first.
fn split<V: Ord>(groups: Vec<Vec<usize>>, value: impl Fn(usize) -> V) -> Vec<Vec<usize>> {
    let mut finer = Vec::new();
    for mut group in groups {
        group.sort_by_key(|player| Reverse(value(*player)));
        finer.extend(group.chunk_by(|one, two| value(*one) == value(*two)).map(<[usize]>::to_vec));
    }
    finer
}
