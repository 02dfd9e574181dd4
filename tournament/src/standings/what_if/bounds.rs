//! Bounds of places, where not all outcomes can be looked at.

use quipu_referee::competition::{Half, Quarter};

use super::{
    super::{TournamentTieBreak, figures::figure, score_table::ScoreTable},
    open::Open,
    places::{Method, PlayerProspects, Prospects},
};
use crate::model::{PlayerId, Slot, System, Tournament};

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

/// The encounters of a player that are left.
struct Left {
    /// The score that they can bring.
    score: Half,
    /// True if a game can still be played.
    can_play: bool,
}

impl Left {
    fn new(tournament: &Tournament, player: PlayerId, history: &[Slot], open: &[Open]) -> Self {
        let own = open.iter().filter_map(|encounter| encounter.best_of(player));
        let (score, can_play) = own.fold((Half::ZERO, false), |(score, can_play), (index, end)| {
            (score + end.scores[index], can_play || end.was_played)
        });
        let to_come = rounds_to_come(tournament, player, history);
        Self { score: score + Half::whole(to_come.into()), can_play: can_play || to_come > 0 }
    }
}

/// The rounds after the known ones in which a player can still be: those before a withdrawal, and none after a defeat in a
/// knock-out, but for the encounter for the third place.
fn rounds_to_come(tournament: &Tournament, player: PlayerId, history: &[Slot]) -> u32 {
    let rounds = tournament.round_count();
    let known = u32::try_from(history.len()).unwrap_or(u32::MAX);
    let withdrawn = tournament.entrant(player).and_then(|entrant| entrant.withdrawn);
    let last = withdrawn.map_or(rounds, |from| rounds.min(from.saturating_sub(1)));
    let has_lost = |slot: &Slot| match slot {
        Slot::Encounter { index, result: Some(result), .. } => result.winner().is_some_and(|winner| winner != *index),
        _ => false,
    };
    let defeat = (1..).zip(history).find_map(|(round, slot): (u32, _)| has_lost(slot).then_some(round));
    let last = match (tournament.settings.system, defeat) {
        (System::Knockout { third_place }, Some(defeat)) if !third_place || defeat + 1 < rounds => last.min(defeat),
        _ => last,
    };
    last.saturating_sub(known)
}

/// Bounds from the first figure of the order: a player is surely before those who cannot reach it any more.
pub(super) fn bounds(tournament: &Tournament, histories: &[Vec<Slot>], open: &[Open], rounds: usize) -> Prospects {
    let paired = histories.first().map_or(0, Vec::len);
    let score_table = ScoreTable::new(tournament, histories.to_vec(), paired);
    // Nobody enters the standings after the end.
    let is_in = |id: &PlayerId| tournament.entrant(*id).is_some_and(|entrant| entrant.first as usize <= rounds + 1);
    let range = |id: PlayerId| {
        let player = ScoreTable::index(id);
        (id, first_figure(&score_table, player, &Left::new(tournament, id, &histories[player], open)))
    };
    let ranges: Vec<(PlayerId, FigureRange)> = tournament.ids().filter(is_in).map(range).collect();
    let count = |is: &dyn Fn(&FigureRange) -> bool| {
        u32::try_from(ranges.iter().filter(|(_, one)| is(one)).count()).unwrap_or(u32::MAX)
    };
    let chances = |(player, own): &(PlayerId, FigureRange)| {
        let takes = open.iter().filter_map(|encounter| Some(encounter.ending(encounter.best_of(*player)?.1)));
        let best = 1 + count(&|other| own.is_below(other));
        let worst = count(&|other| own.is_reached_by(other));
        PlayerProspects { player: *player, best, worst, takes: takes.collect() }
    };
    let players = ranges.iter().map(chances).collect();
    Prospects { method: Method::Bounds, open: open.len(), players }
}

/// The values that the figure which ranks first can have after the encounters that are left.
fn first_figure(score_table: &ScoreTable, player: usize, left: &Left) -> FigureRange {
    let order = &score_table.tournament.tie_breaks;
    let more = Quarter::from(left.score);
    let by_score = |score: Half| FigureRange { least: score.into(), most: Some(Quarter::from(score) + more) };
    match order.first() {
        Some(TournamentTieBreak::Score) => by_score(score_table.scores[player]),
        _ if !order.contains(&TournamentTieBreak::Score) => by_score(score_table.scores[player]),
        Some(
            first @ (TournamentTieBreak::Points | TournamentTieBreak::PointsWithBonus | TournamentTieBreak::Encounters),
        ) => {
            let least = figure(score_table, player, *first).value.unwrap_or_default();
            let is_bounded = !left.can_play || *first == TournamentTieBreak::Encounters;
            FigureRange { least, most: is_bounded.then_some(least + more) }
        }
        // Figures of opponents' results change without games of one's own.
        _ => FigureRange { least: Quarter::default(), most: None },
    }
}
