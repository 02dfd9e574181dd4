//! The figures of one player, each with its parts.

use std::cmp::Reverse;

use quipu_notation::Side;
use quipu_referee::competition::{Half, Quarter};
use serde::Serialize;

use super::{TournamentTieBreak, score_table::ScoreTable};
use crate::model::{PlayerId, Slot};

/// A figure of a player, and its parts. They add up to it, or their mean is it: of the average rating, and of the direct
/// encounter for each opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// The tie-break.
    pub tie_break: TournamentTieBreak,
    /// The value; nothing where the tie-break says nothing about the player.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>", range(min = 0)))]
    pub value: Option<Quarter>,
    /// The parts in the order of rounds.
    pub parts: Vec<Part>,
}

/// A part of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "FigurePart"))]
pub struct Part {
    /// The round, from 1.
    pub round: u32,
    /// The opponent; nothing for a round without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent: Option<PlayerId>,
    /// The value.
    #[cfg_attr(feature = "schema", schemars(with = "f64", range(min = 0)))]
    pub value: Quarter,
    /// True for a part that does not count.
    pub cut: bool,
}

/// A part before cuts.
struct Raw {
    part: Part,
    is_voluntary: bool,
}

/// The figure of a player; that of the direct encounter needs the others and comes from [`super::direct`].
pub(super) fn figure(score_table: &ScoreTable, player: usize, tie_break: TournamentTieBreak) -> Figure {
    let parts = match tie_break {
        TournamentTieBreak::Buchholz => buchholz(score_table, player, 0, 0),
        TournamentTieBreak::BuchholzCut1 => buchholz(score_table, player, 1, 0),
        TournamentTieBreak::BuchholzCut2 => buchholz(score_table, player, 2, 0),
        TournamentTieBreak::BuchholzMedian => buchholz(score_table, player, 1, 1),
        TournamentTieBreak::SonnebornBerger => sonneborn_berger(score_table, player),
        TournamentTieBreak::Progressive => progressive(score_table, player),
        TournamentTieBreak::Wins => rounds(score_table, player, |_, score| Some(whole(score == Half::ONE))),
        TournamentTieBreak::Score => rounds(score_table, player, |_, score| Some(score.into())),
        TournamentTieBreak::WinsSide2 => {
            parts(score_table.counted(player), |_, score, side| Some(whole(score == Half::ONE && side == Side::Two)))
        }
        TournamentTieBreak::Encounters => {
            parts(score_table.counted(player), |_, score, _| Some(whole(score == Half::ONE)))
        }
        TournamentTieBreak::Koya => koya(score_table, player),
        TournamentTieBreak::AverageRating => return average_rating(score_table, player),
        TournamentTieBreak::Points => points(score_table, player, false),
        TournamentTieBreak::PointsWithBonus => points(score_table, player, true),
        TournamentTieBreak::DirectEncounter => Vec::new(),
    };
    let has_value = !(parts.is_empty() && matches!(tie_break, TournamentTieBreak::DirectEncounter));
    let value = has_value.then(|| sum(&parts));
    Figure { tie_break, value, parts }
}

fn sum(parts: &[Part]) -> Quarter {
    parts.iter().filter(|part| !part.cut).map(|part| part.value).sum()
}

fn whole(is_one: bool) -> Quarter {
    Half::whole(is_one.into()).into()
}

fn number(round: usize) -> u32 {
    u32::try_from(round).map_or(u32::MAX, |round| round.saturating_add(1))
}

fn opponent(slot: &Slot) -> Option<PlayerId> {
    if let Slot::Encounter { opponent, .. } = slot { Some(*opponent) } else { None }
}

fn rounds(score_table: &ScoreTable, player: usize, value: impl Fn(usize, Half) -> Option<Quarter>) -> Vec<Part> {
    let history = score_table.histories[player].iter().enumerate();
    let parts = history.filter_map(|(round, slot)| {
        let value = value(round, score_table.score_of(slot))?;
        Some(Part { round: number(round), opponent: opponent(slot), value, cut: false })
    });
    parts.collect()
}

fn parts(
    encounters: impl Iterator<Item = (usize, PlayerId, Half, Side)>,
    value: impl Fn(PlayerId, Half, Side) -> Option<Quarter>,
) -> Vec<Part> {
    let parts = encounters.filter_map(|(round, opponent, score, side)| {
        let value = value(opponent, score, side)?;
        Some(Part { round: number(round), opponent: Some(opponent), value, cut: false })
    });
    parts.collect()
}

/// The opponents' scores without the lowest ones (C.07, 8.1, 14.1). Voluntary unplayed rounds are cut before all others
/// (16.5).
fn buchholz(score_table: &ScoreTable, player: usize, lowest: usize, highest: usize) -> Vec<Part> {
    let mut parts: Vec<Raw> = score_table.histories[player]
        .iter()
        .enumerate()
        .filter_map(|(round, slot)| {
            let opponent = score_table.opponent_score(player, slot)?;
            let part =
                Part { round: number(round), opponent: opponent.player, value: opponent.score.into(), cut: false };
            Some(Raw { part, is_voluntary: slot.is_voluntary() && !score_table.is_predetermined() })
        })
        .collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|index| (!parts[*index].is_voluntary, parts[*index].part.value));
    for index in order.drain(..lowest.min(order.len())) {
        parts[index].part.cut = true;
    }
    order.sort_by_key(|index| Reverse(parts[*index].part.value));
    for index in order.into_iter().take(highest) {
        parts[index].part.cut = true;
    }
    parts.into_iter().map(|raw| raw.part).collect()
}

/// The opponents' scores times the scores against them (9.1).
fn sonneborn_berger(score_table: &ScoreTable, player: usize) -> Vec<Part> {
    let history = score_table.histories[player].iter().enumerate();
    let parts = history.filter_map(|(round, slot)| {
        let opponent = score_table.opponent_score(player, slot)?;
        let quarters = score_table.score_of(slot).halves() * opponent.score.halves();
        let value = Quarter::quarter_of(quarters);
        Some(Part { round: number(round), opponent: opponent.player, value, cut: false })
    });
    parts.collect()
}

/// The score after each round (7.5).
fn progressive(score_table: &ScoreTable, player: usize) -> Vec<Part> {
    let mut after = Half::ZERO;
    let history = score_table.histories[player].iter().enumerate();
    let parts = history.map(|(round, slot)| {
        after = after + score_table.score_of(slot);
        Part { round: number(round), opponent: opponent(slot), value: after.into(), cut: false }
    });
    parts.collect()
}

/// The score against those with at least half of the possible points (9.2).
fn koya(score_table: &ScoreTable, player: usize) -> Vec<Part> {
    parts(score_table.counted(player), |opponent, score, _| {
        let opponent = ScoreTable::index(opponent);
        let is_strong = score_table.scores[opponent] + score_table.scores[opponent] >= score_table.possible(opponent);
        is_strong.then(|| score.into())
    })
}

/// The mean rating of rated opponents in played rounds, half a point up (10.1).
fn average_rating(score_table: &ScoreTable, player: usize) -> Figure {
    let parts = parts(score_table.played(player), |opponent, _, _| {
        let rating = score_table.tournament.rating(opponent);
        (rating > 0).then(|| Half::whole(rating.into()).into())
    });
    let count = parts.len() as u64;
    let total: u64 = parts
        .iter()
        .filter_map(|part| part.opponent)
        .map(|opponent| u64::from(score_table.tournament.rating(opponent)))
        .sum();
    let value = (count > 0).then(|| Half::whole((2 * total + count) / (2 * count)).into());
    Figure { tie_break: TournamentTieBreak::AverageRating, value, parts }
}

/// Points of encounters that count them, with the bonus of the winner or without (Andes 5.1, 9.4).
fn points(score_table: &ScoreTable, player: usize, with_bonus: bool) -> Vec<Part> {
    let history = score_table.histories[player].iter().enumerate();
    let parts = history.filter_map(|(round, slot)| {
        let Slot::Encounter { index, opponent, result: Some(result), .. } = slot else { return None };
        let points = Half::whole(result.tallies?[*index].points.into());
        let bonus = if with_bonus { result.bonus()[*index] } else { Half::ZERO };
        Some(Part { round: number(round), opponent: Some(*opponent), value: (points + bonus).into(), cut: false })
    });
    parts.collect()
}
