//! The rounds of all players up to one of them, and the scores that tie-breaks are made of.

use quipu_notation::Side;
use quipu_referee::competition::Half;

use crate::model::{EncounterResult, PlayerId, Slot, System, Tournament};

/// The rounds of all players, in the order of entry.
#[derive(Debug)]
pub(super) struct ScoreTable<'t> {
    pub(super) tournament: &'t Tournament,
    pub(super) histories: Vec<Vec<Slot>>,
    pub(super) scores: Vec<Half>,
    /// The scores for the tie-breaks of opponents (C.07, 16.3).
    pub(super) adjusted: Vec<Half>,
}

impl<'t> ScoreTable<'t> {
    pub(super) fn new(tournament: &'t Tournament, mut histories: Vec<Vec<Slot>>, rounds: usize) -> Self {
        for history in &mut histories {
            history.truncate(rounds);
        }
        let mut score_table = Self { tournament, histories, scores: Vec::new(), adjusted: Vec::new() };
        score_table.count();
        score_table
    }

    /// Counts the scores again after a change of the histories.
    pub(super) fn count(&mut self) {
        let bye = self.tournament.settings.bye;
        let score = |slot: &Slot| slot.score(bye);
        self.scores = self.histories.iter().map(|history| history.iter().map(score).sum()).collect();
        self.adjusted = if self.is_predetermined() {
            // Free rounds of a round robin are no byes, and an absent player was paired (C.07, 15.2).
            self.scores.clone()
        } else {
            self.histories.iter().map(|history| adjusted(history, score)).collect()
        };
    }

    /// The points that a player can have: in a round robin not those of a free round.
    pub(super) fn possible(&self, player: usize) -> Half {
        let counts = |slot: &&Slot| !self.is_predetermined() || matches!(slot, Slot::Encounter { .. });
        Half::whole(self.histories[player].iter().filter(counts).count() as u64)
    }

    pub(super) fn score_of(&self, slot: &Slot) -> Half {
        slot.score(self.tournament.settings.bye)
    }

    pub(super) fn index(id: PlayerId) -> usize {
        id.0 as usize - 1
    }

    /// True where forfeits count against the real opponent: all pairings are known from the start (C.07, 15.2).
    pub(super) fn is_predetermined(&self) -> bool {
        matches!(self.tournament.settings.system, System::RoundRobin { .. })
    }

    /// The score of the opponent in a round, real or the dummy of an unplayed one (16.4); nothing for a round that does not
    /// count yet.
    pub(super) fn opponent_score(&self, player: usize, slot: &Slot) -> Option<Opponent> {
        let own = self.scores[player];
        let rounds = Half::half_of(self.tournament.round_count().into());
        match slot {
            Slot::Encounter { result: None, .. } => None,
            Slot::Encounter { opponent, result: Some(result), .. } => {
                let score = self.adjusted[Self::index(*opponent)];
                if result.was_played || self.is_predetermined() {
                    Some(Opponent { player: Some(*opponent), score })
                } else {
                    Some(Opponent { player: None, score: own.min(score) })
                }
            }
            Slot::Bye(_) | Slot::Out if self.is_predetermined() => None,
            Slot::Bye(_) | Slot::Out => Some(Opponent { player: None, score: own.min(rounds) }),
        }
    }

    /// Encounters that a player played, with the opponent, the score and the side in the first game.
    pub(super) fn played(&self, player: usize) -> impl Iterator<Item = (usize, PlayerId, Half, Side)> {
        self.encounters(player, |result| result.was_played)
    }

    /// The same, and in a round robin those decided by forfeit, which count as played (C.07, 15.2).
    pub(super) fn counted(&self, player: usize) -> impl Iterator<Item = (usize, PlayerId, Half, Side)> {
        self.encounters(player, |result| result.was_played || self.is_predetermined())
    }

    fn encounters(
        &self,
        player: usize,
        is_wanted: impl Fn(&EncounterResult) -> bool,
    ) -> impl Iterator<Item = (usize, PlayerId, Half, Side)> {
        let slots = self.histories[player].iter().enumerate();
        slots.filter_map(move |(round, slot)| match slot {
            Slot::Encounter { opponent, side, result: Some(result), .. } if is_wanted(result) => {
                Some((round, *opponent, self.score_of(slot), *side))
            }
            _ => None,
        })
    }
}

/// The opponent of a round as Buchholz counts one.
pub(super) struct Opponent {
    /// Nothing for a dummy.
    pub(super) player: Option<PlayerId>,
    pub(super) score: Half,
}

/// A requested bye after which only voluntary unplayed rounds follow counts as a draw (16.3.2).
fn adjusted(history: &[Slot], score: impl Fn(&Slot) -> Half) -> Half {
    let last_other = history.iter().rposition(|slot| !slot.is_voluntary());
    let is_late = |round: usize| last_other.is_none_or(|last| round > last);
    let counted = history
        .iter()
        .enumerate()
        .map(|(round, slot)| if is_late(round) && slot.is_requested_bye() { Half::HALF } else { score(slot) });
    counted.sum()
}
