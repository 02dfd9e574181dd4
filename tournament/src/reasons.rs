//! The reasons of a pairing in words: brackets, floats and sides (C.04.3).

use std::fmt::Display;

use quipu_notation::Side;
use quipu_referee::{Lang, competition::Quarter, messages::fill};

use crate::{
    messages::catalog,
    model::{PlayerId, System, Tournament},
    pairing::{self, PairedBoard, Pairing},
    swiss::{Allocation, Explained, FloatKind, Placement, Strength},
};

/// The pairing that the rules give for a paired round, from the results and data of today.
#[derive(Debug)]
pub struct RulePairing(Option<Pairing>);

impl RulePairing {
    /// The pairing of a round, computed again from what was before it.
    pub fn new(tournament: &Tournament, round: u32) -> Self {
        let mut before = tournament.clone();
        before.rounds.truncate((round as usize).saturating_sub(1));
        Self(pairing::next(&before).ok())
    }

    /// The board of these players with its reasons; none if it was paired by hand, or data changed since.
    pub fn board(&self, players: [PlayerId; 2]) -> Option<&PairedBoard> {
        self.0.as_ref()?.boards.iter().find(|board| board.players == players)
    }
}

/// The words for the reasons of a tournament.
#[derive(Clone, Copy, Debug)]
pub struct Reasons<'t> {
    /// The tournament.
    pub tournament: &'t Tournament,
    /// The names of sides 1 and 2 in its game.
    pub sides: [&'t str; 2],
    /// The language.
    pub lang: Lang,
}

impl Reasons<'_> {
    /// The rule of the system.
    pub fn system(&self) -> &'static str {
        self.say(match self.tournament.settings.system {
            System::Swiss { accelerated: false } => "why.swiss",
            System::Swiss { accelerated: true } => "why.accelerated",
            System::RoundRobin { .. } => "why.round-robin",
            System::Knockout { .. } => "why.knockout",
            System::Manual => "why.manual",
        })
    }

    /// The reasons of a board of a round: sentences, none where the system alone decides.
    pub fn of(&self, board: Option<&PairedBoard>) -> Vec<String> {
        match board {
            Some(board) => board.explanation.as_ref().map_or_else(Vec::new, |explained| self.explained(explained)),
            None => vec![self.say("why.other").to_owned()],
        }
    }

    fn explained(&self, explained: &Explained) -> Vec<String> {
        let mut said = vec![self.fill("why.bracket", &[("bracket", &explained.bracket)])];
        said.extend(explained.players.iter().map(|placement| self.placement(placement)));
        if self.tournament.settings.encounter.prefers_sides() {
            said.push(self.say(allocation(explained.sides)).to_owned());
        }
        said
    }

    /// The way of a player to the board.
    fn placement(&self, placement: &Placement) -> String {
        let (name, score) = (self.tournament.name(placement.player), Quarter::from(placement.score).with_signs());
        let mut said =
            vec![self.fill("why.player", &[("player", &name), ("number", &placement.number), ("score", &score)])];
        if placement.moved_down {
            said.push(self.say("why.moved-down").to_owned());
        }
        match placement.float {
            Some(FloatKind::Down) => said.push(self.say("why.down").to_owned()),
            Some(FloatKind::Up) => said.push(self.say("why.up").to_owned()),
            None => {}
        }
        if let Some(side) = placement.prefers.filter(|_| self.tournament.settings.encounter.prefers_sides()) {
            said.push(self.preference(placement, side));
        }
        format!("{}.", said.join("; "))
    }

    fn preference(&self, placement: &Placement, side: Side) -> String {
        let strength = self.say(match placement.strength {
            Strength::None | Strength::Mild => "why.mild",
            Strength::Strong => "why.strong",
            Strength::Absolute => "why.absolute",
        });
        let granted = self.say(if placement.granted { "why.granted" } else { "why.not-granted" });
        format!("{strength} {}; {granted}", self.sides[side.index()])
    }

    fn say(&self, key: &'static str) -> &'static str {
        catalog().word(key, self.lang)
    }

    fn fill(&self, key: &'static str, values: &[(&str, &dyn Display)]) -> String {
        let value = |name: &str| values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string());
        fill(self.say(key), value)
    }
}

/// The rule that decided the sides.
const fn allocation(rule: Allocation) -> &'static str {
    match rule {
        Allocation::Both => "why.both",
        Allocation::Stronger => "why.stronger",
        Allocation::Alternation => "why.alternation",
        Allocation::Higher => "why.higher",
        Allocation::Number => "why.number",
    }
}
