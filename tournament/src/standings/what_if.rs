//! The best and the worst place that is still possible for each player, and what it takes.

use std::ops::ControlFlow;

use quipu_referee::competition::{Half, Quarter};
use serde::Serialize;

use super::{TieBreak, figures::figure, ranking::ranked, score_table::ScoreTable};
use crate::{
    model::{EncounterResult, PlayerId, Slot, System, Tournament},
    round_robin,
};

/// The most outcomes of the encounters left that are all looked at, which takes up to some minutes.
pub const OUTCOMES: u64 = 1 << 22;

/// The way in which places were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProspectsMethod"))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// All outcomes were looked at: each place can be reached.
    Exact,
    /// From the first figure of the order alone: no better and no worse place can be reached.
    Bounds,
}

/// The prospects of all players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prospects {
    /// The way in which they were found.
    pub method: Method,
    /// Encounters without a result that are known.
    pub open: usize,
    /// One for each player, in the order of entry.
    pub players: Vec<PlayerProspects>,
}

/// The prospects of one player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerProspects {
    /// The player.
    pub player: PlayerId,
    /// The best place.
    pub best: u32,
    /// The worst place.
    pub worst: u32,
    /// One way to the best place: the encounters that matter, with their scores.
    pub takes: Vec<Needed>,
}

/// An encounter that a way to the best place needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Needed {
    /// The round.
    pub round: u32,
    /// The players.
    pub players: [PlayerId; 2],
    /// Their scores.
    pub scores: [Half; 2],
}

/// An encounter without a result.
struct Open {
    round: usize,
    players: [PlayerId; 2],
}

/// The scores that an encounter can end with.
const ENDS: [[Half; 2]; 3] = [[Half::ONE, Half::ZERO], [Half::HALF, Half::HALF], [Half::ZERO, Half::ONE]];

/// The prospects. All outcomes are looked at if every encounter left is known, there are at most [`OUTCOMES`] of them, and
/// no tie-break depends on points of games still to be played.
pub fn prospects(tournament: &Tournament) -> Prospects {
    prospects_within(tournament, OUTCOMES)
}

/// As [`prospects`], but all outcomes are looked at only if there are at most so many.
pub fn prospects_within(tournament: &Tournament, outcomes: u64) -> Prospects {
    let rounds = tournament.round_count() as usize;
    let mut histories = tournament.histories();
    let is_known = plan(tournament, &mut histories, rounds);
    let open = open(&histories);
    let few =
        u32::try_from(open.len()).ok().and_then(|count| 3u64.checked_pow(count)).is_some_and(|all| all <= outcomes);
    if is_known && few && (open.is_empty() || !tournament.counts_points()) {
        exact(tournament, histories, &open, rounds)
    } else {
        bounds(tournament, &histories, &open, rounds)
    }
}

/// Adds the rounds to come of a round robin to the histories. True if all encounters left are known then.
fn plan(tournament: &Tournament, histories: &mut [Vec<Slot>], rounds: usize) -> bool {
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
                let side = crate::model::Board::side(index, 0);
                let slot = Slot::Encounter { board, index, opponent: players[1 - index], side, result: None };
                if let Some(last) = histories[ScoreTable::index(id)].last_mut() {
                    *last = slot;
                }
            }
        }
    }
    true
}

fn open(histories: &[Vec<Slot>]) -> Vec<Open> {
    let mut open = Vec::new();
    for (id, history) in (1..).map(PlayerId).zip(histories) {
        for (round, slot) in history.iter().enumerate() {
            if let Slot::Encounter { index: 0, opponent, result: None, .. } = slot {
                open.push(Open { round, players: [id, *opponent] });
            }
        }
    }
    open
}

/// Calls a function for each combination of ends.
fn each_end(count: usize, mut act: impl FnMut(&[usize])) {
    let mut ends = vec![0; count];
    loop {
        act(&ends);
        let next = ends.iter_mut().try_for_each(|end| {
            *end = (*end + 1) % ENDS.len();
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
    each_end(open.len(), |ends| {
        for (encounter, end) in open.iter().zip(ends) {
            for id in encounter.players {
                if let Slot::Encounter { result, .. } =
                    &mut score_table.histories[ScoreTable::index(id)][encounter.round]
                {
                    *result = Some(EncounterResult { scores: ENDS[*end], was_played: true, tallies: None });
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
                    chances.takes = open
                        .iter()
                        .zip(ends)
                        .map(|(encounter, end)| Needed {
                            round: u32::try_from(encounter.round + 1).unwrap_or(u32::MAX),
                            players: encounter.players,
                            scores: ENDS[*end],
                        })
                        .collect();
                }
            }
            place += size;
        }
    });
    Prospects { method: Method::Exact, open: open.len(), players }
}

/// The values that the first figure of the order can still have at the end.
struct FigureRange {
    least: Quarter,
    /// None without a limit: points of games to come have none that all games share.
    most: Option<Quarter>,
}

impl FigureRange {
    /// True if the other one surely ends higher.
    fn is_below(&self, other: &Self) -> bool {
        self.most.is_some_and(|most| other.least > most)
    }

    /// True if the other one can still end as high.
    fn is_reached_by(&self, other: &Self) -> bool {
        other.most.is_none_or(|most| most >= self.least)
    }
}

/// Bounds from the first figure of the order: a player is surely before those who cannot reach it any more.
fn bounds(tournament: &Tournament, histories: &[Vec<Slot>], open: &[Open], rounds: usize) -> Prospects {
    let paired = histories.first().map_or(0, Vec::len);
    let score_table = ScoreTable::new(tournament, histories.to_vec(), paired);
    let to_come = rounds.saturating_sub(paired);
    let range = |player: usize| {
        let is_out = tournament.entrants[player].withdrawn.is_some();
        let own = histories[player].iter().filter(|slot| matches!(slot, Slot::Encounter { result: None, .. })).count();
        let left = own + if is_out { 0 } else { to_come };
        first_figure(&score_table, player, left)
    };
    let ranges: Vec<FigureRange> = (0..tournament.entrants.len()).map(range).collect();
    let count = |is: &dyn Fn(&FigureRange) -> bool| {
        u32::try_from(ranges.iter().filter(|one| is(one)).count()).unwrap_or(u32::MAX)
    };
    let chances = |(player, own): (PlayerId, &FigureRange)| {
        let takes = open.iter().filter_map(|encounter| {
            let index = encounter.players.iter().position(|id| *id == player)?;
            let round = u32::try_from(encounter.round + 1).unwrap_or(u32::MAX);
            Some(Needed { round, players: encounter.players, scores: ENDS[2 * index] })
        });
        let best = 1 + count(&|other| own.is_below(other));
        let worst = count(&|other| own.is_reached_by(other));
        PlayerProspects { player, best, worst, takes: takes.collect() }
    };
    let players = tournament.ids().zip(&ranges).map(chances).collect();
    Prospects { method: Method::Bounds, open: open.len(), players }
}

/// The values that the figure which ranks first can have after so many encounters more.
fn first_figure(score_table: &ScoreTable, player: usize, left: usize) -> FigureRange {
    let order = &score_table.tournament.tie_breaks;
    let more = Quarter::from(Half::whole(left as u64));
    let by_score = |score: Half| FigureRange { least: score.into(), most: Some(Quarter::from(score) + more) };
    match order.first() {
        Some(TieBreak::Score) => by_score(score_table.scores[player]),
        _ if !order.contains(&TieBreak::Score) => by_score(score_table.scores[player]),
        Some(first @ (TieBreak::Points | TieBreak::PointsWithBonus | TieBreak::Encounters)) => {
            let least = figure(score_table, player, *first).value.unwrap_or_default();
            let is_bounded = left == 0 || *first == TieBreak::Encounters;
            FigureRange { least, most: is_bounded.then_some(least + more) }
        }
        // Figures of opponents' results change without games of one's own.
        _ => FigureRange { least: Quarter::default(), most: None },
    }
}
