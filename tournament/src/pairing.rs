//! The pairing of the next round by the system of a tournament.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{
    fault::{self, Fault, Severity},
    knockout,
    model::{Change, PlayerId, System, Tournament},
    round_robin, swiss,
    swiss::Explained,
};

/// A pairing that is not part of the tournament yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pairing {
    /// The round.
    pub round: u32,
    /// The boards, from board 1.
    pub boards: Vec<PairedBoard>,
    /// The player with the bye.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bye: Option<PlayerId>,
}

/// A board of a pairing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairedBoard {
    /// The players; the first one has side 1 in the first game.
    pub players: [PlayerId; 2],
    /// The reasons of a Swiss pairing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explained>,
}

impl Pairing {
    /// The change that makes it part of the tournament.
    pub fn change(&self) -> Change {
        let boards = self.boards.iter().map(|board| board.players).collect();
        Change::Pair { round: self.round, boards, bye: self.bye }
    }
}

/// The pairing of the next round. The same tournament gets the same pairing everywhere.
pub fn next(tournament: &Tournament) -> Result<Pairing, Fault> {
    let round = tournament.next_round();
    tournament.check_field()?;
    tournament.check_next(round)?;
    let plain = |boards: Vec<[PlayerId; 2]>, bye| {
        let boards = boards.into_iter().map(|players| PairedBoard { players, explanation: None }).collect();
        Pairing { round, boards, bye }
    };
    match tournament.settings.system {
        System::Swiss { .. } => {
            let (boards, bye) = swiss::pair(tournament)?;
            let board = |explained: Explained| PairedBoard {
                players: explained.players.each_ref().map(|placement| placement.player),
                explanation: Some(explained),
            };
            Ok(Pairing { round, boards: boards.into_iter().map(board).collect(), bye })
        }
        System::RoundRobin { double } => {
            let paired = round_robin::round(&tournament.seeding(1), round, double);
            Ok(plain(paired.boards, paired.bye))
        }
        System::Knockout { third_place } => Ok(plain(knockout::pair(tournament, third_place)?, None)),
        System::Manual => Err(Fault::new(fault::BY_HAND)),
    }
}

/// A pairing as an organiser asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The round, if a certain one is meant.
    pub round: Option<u32>,
    /// Boards and bye of a pairing by hand; none for one by the system.
    pub by_hand: Option<(Vec<[PlayerId; 2]>, Option<PlayerId>)>,
    /// True if a pairing by hand may break the absolute criteria of the Swiss system.
    pub force: bool,
}

/// A pairing that can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The changes: the round before is closed if it is open and complete.
    pub steps: Vec<Change>,
    /// The pairing.
    pub pairing: Pairing,
    /// Remarks on a pairing by hand; the errors too if it is forced.
    pub remarks: Vec<Fault>,
}

/// The changes that pair the next round as it is wanted, or the reasons not to. The rounds of a round robin and a knock-out
/// follow from each other, so nothing is forced there.
pub fn plan(tournament: &Tournament, wanted: &Wanted) -> Result<Plan, Vec<Fault>> {
    let mut tournament = tournament.clone();
    let round = tournament.next_round();
    if let Some(asked) = wanted.round.filter(|asked| *asked != round) {
        let code = if asked < round { fault::ROUND_PAIRED } else { fault::ROUND_ORDER };
        return Err(vec![Fault::new(code).with("round", asked).with("next", round)]);
    }
    let mut steps = Vec::new();
    if tournament.rounds.last().is_some_and(|last| !last.is_closed) {
        let close = Change::Close { round: round - 1 };
        tournament.apply(&close).map_err(|fault| vec![fault])?;
        steps.push(close);
    }
    let (pairing, remarks) = match &wanted.by_hand {
        None => (next(&tournament).map_err(|fault| vec![fault])?, Vec::new()),
        Some((boards, bye)) => {
            let faults = check(&tournament, boards, *bye);
            let (errors, remarks): (Vec<_>, _) =
                faults.into_iter().partition(|fault| fault.code.severity == Severity::Error);
            if !errors.is_empty() && (!wanted.force || tournament.has_fixed_field()) {
                return Err(errors);
            }
            let board = |players: &[PlayerId; 2]| PairedBoard { players: *players, explanation: None };
            let pairing = Pairing { round, boards: boards.iter().map(board).collect(), bye: *bye };
            (pairing, [errors, remarks].concat())
        }
    };
    steps.push(pairing.change());
    Ok(Plan { steps, pairing, remarks })
}

/// Checks a pairing of the next round made by hand. A round robin and a knock-out have one pairing only: every other board is an
/// error. All other tournaments follow the Swiss system: absolute criteria are errors, all other differences remarks.
pub fn check(tournament: &Tournament, boards: &[[PlayerId; 2]], bye: Option<PlayerId>) -> Vec<Fault> {
    if !tournament.has_fixed_field() {
        return swiss::check(tournament, boards, bye);
    }
    let by_rule = match next(tournament) {
        Ok(by_rule) => by_rule.boards.iter().map(|board| sorted(board.players)).collect::<BTreeSet<_>>(),
        Err(fault) => return vec![fault],
    };
    let found: BTreeSet<_> = boards.iter().copied().map(sorted).collect();
    let round = tournament.next_round();
    let fault = |code, pair: [PlayerId; 2]| {
        let [one, two] = pair.map(|id| tournament.name(id));
        Fault::new(code).with("round", round).with("one", one).with("two", two)
    };
    let missing = by_rule.difference(&found).map(|pair| fault(fault::PRESCRIBED, *pair));
    let other = found.difference(&by_rule).map(|pair| fault(fault::NOT_PRESCRIBED, *pair));
    // Nobody who is out of a knock-out has a bye.
    let is_out = |id: &PlayerId| {
        let is_knockout = matches!(tournament.settings.system, System::Knockout { .. });
        is_knockout && round > 1 && !by_rule.iter().flatten().any(|other| other == id)
    };
    let out = bye
        .filter(is_out)
        .map(|id| Fault::new(fault::NOT_PLAYING).with("player", tournament.name(id)).with("round", round));
    missing.chain(other).chain(out).collect()
}

fn sorted(mut pair: [PlayerId; 2]) -> [PlayerId; 2] {
    pair.sort_unstable();
    pair
}
