//! Changes in a few words, for lists of what happened to a tournament.

use std::fmt::Display;

use quipu_referee::{Lang, messages::fill};

use crate::{
    messages::catalog,
    model::{Change, PlayerId, Tournament},
    standings::TournamentTieBreak,
};

/// The most steps, or groups of steps that are counted together, that a summary names.
const NAMED: usize = 20;

/// The steps of one decision in a few words, such as `closing of round 1; pairing of round 2`. Several entries, or results of a
/// round, are counted, and so are the steps after the first 20. Players have the names of the tournament; without one, as of steps that were undone, their numbers.
pub fn summary(steps: &[Change], tournament: Option<&Tournament>, lang: Lang) -> String {
    let summary = Summary { tournament, lang };
    let groups: Vec<_> = steps.chunk_by(are_counted).collect();
    let (named, others) = groups.split_at(groups.len().min(NAMED));
    let others: usize = others.iter().map(|steps| steps.len()).sum();
    let named = named.iter().map(|steps| summary.of(steps));
    named.chain((others > 0).then(|| summary.fill("step.others", &[("count", &others)]))).collect::<Vec<_>>().join("; ")
}

/// True for two steps that are counted together.
fn are_counted(one: &Change, two: &Change) -> bool {
    match (one, two) {
        (Change::Enter { .. }, Change::Enter { .. }) => true,
        (Change::Result { round: one, .. }, Change::Result { round: two, .. }) => one == two,
        _ => false,
    }
}

struct Summary<'t> {
    tournament: Option<&'t Tournament>,
    lang: Lang,
}

impl Summary<'_> {
    fn of(&self, steps: &[Change]) -> String {
        match steps {
            [step] => self.step(step),
            [Change::Result { round, .. }, ..] => {
                self.fill("step.results", &[("count", &steps.len()), ("round", round)])
            }
            _ => self.fill("step.entries", &[("count", &steps.len())]),
        }
    }

    fn step(&self, step: &Change) -> String {
        match step {
            Change::Create { .. } => self.fill("step.create", &[]),
            Change::Describe { .. } => self.fill("step.describe", &[]),
            Change::TieBreaks { order } => {
                let words = TournamentTieBreak::shown(order).iter().map(|one| catalog().word(one.word(), self.lang));
                let words: Vec<_> = words.collect();
                self.fill("step.tie-breaks", &[("order", &words.join(", "))])
            }
            Change::TimeControl { seconds: Some(seconds) } => self.fill("step.time-control", &[("seconds", seconds)]),
            Change::TimeControl { seconds: None } => self.fill("step.no-time-control", &[]),
            Change::Enter { player, .. } => self.fill("step.enter", &[("player", &player.name)]),
            Change::Edit { id, .. } => self.fill("step.edit", &[("player", &self.name(*id))]),
            Change::Withdraw { id, round } => self.of_player("step.withdraw", *id, *round),
            Change::Return { id, round } => self.of_player("step.return", *id, *round),
            Change::Absent { id, round, .. } => self.of_player("step.absent", *id, *round),
            Change::Present { id, round } => self.of_player("step.present", *id, *round),
            Change::Forbid { players } => self.of_pair("step.forbid", *players),
            Change::Allow { players } => self.of_pair("step.allow", *players),
            Change::Pair { round, .. } => self.fill("step.pair", &[("round", round)]),
            Change::Unpair { round } => self.fill("step.unpair", &[("round", round)]),
            Change::Result { round, board, game, players, result } => {
                let [mut one, mut two] = players.map(|id| self.name(id));
                if game.is_multiple_of(2) {
                    std::mem::swap(&mut one, &mut two);
                }
                let result = result.outcome.in_game(*game).written();
                self.fill(
                    "step.result",
                    &[
                        ("round", round),
                        ("board", board),
                        ("game", game),
                        ("one", &one),
                        ("result", &result),
                        ("two", &two),
                    ],
                )
            }
            Change::Clear { round, board, game } => {
                self.fill("step.clear", &[("round", round), ("board", board), ("game", game)])
            }
            Change::Close { round } => self.fill("step.close", &[("round", round)]),
            Change::Reopen { round } => self.fill("step.reopen", &[("round", round)]),
        }
    }

    fn of_player(&self, key: &'static str, id: PlayerId, round: u32) -> String {
        self.fill(key, &[("player", &self.name(id)), ("round", &round)])
    }

    fn of_pair(&self, key: &'static str, players: [PlayerId; 2]) -> String {
        let [one, two] = players.map(|id| self.name(id));
        self.fill(key, &[("one", &one), ("two", &two)])
    }

    fn name(&self, id: PlayerId) -> String {
        match self.tournament.and_then(|tournament| tournament.entrant(id)) {
            Some(entrant) => entrant.player.name.clone(),
            None => self.fill("step.player", &[("number", &id)]),
        }
    }

    fn fill(&self, key: &'static str, values: &[(&str, &dyn Display)]) -> String {
        let value = |name: &str| values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string());
        fill(catalog().word(key, self.lang), value)
    }
}
