//! A tournament as its changes made it.

use std::{cmp::Reverse, collections::BTreeSet};

use quipu_notation::Side;
use quipu_referee::competition::Half;

use super::{About, Board, Bye, EncounterResult, Entrant, PlayerId, System, TournamentSettings};
use crate::standings::TournamentTieBreak;

/// A paired round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The boards, from board 1.
    pub boards: Vec<Board>,
    /// The players without a board, by their numbers.
    pub byes: Vec<(PlayerId, Bye)>,
    /// True once its results are complete.
    pub is_closed: bool,
}

impl Round {
    /// A board, from 1.
    pub fn board(&self, number: u32) -> Option<&Board> {
        self.boards.get((number as usize).checked_sub(1)?)
    }
}

/// A tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tournament {
    /// The settings; their tie-breaks and their time control are those of the creation.
    pub settings: TournamentSettings,
    /// Facts for exchange files.
    pub about: About,
    /// The players in the order of entry.
    pub entrants: Vec<Entrant>,
    /// Pairs of players who must not meet, the lower number first.
    pub forbidden: BTreeSet<[PlayerId; 2]>,
    /// The paired rounds, round 1 first; at most the last one is open.
    pub rounds: Vec<Round>,
    /// The tie-breaks in force, the first one first; those of the settings until a change replaces them.
    pub tie_breaks: Vec<crate::standings::TournamentTieBreak>,
    /// The seconds with which each player starts a game.
    pub time_control: Option<u32>,
}

/// A round as a player sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Not in the tournament yet, or withdrawn.
    Out,
    /// A bye.
    Bye(Bye),
    /// An encounter with an opponent.
    Encounter {
        /// The board, counted from 0.
        board: usize,
        /// The index of the player on it.
        index: usize,
        /// The opponent.
        opponent: PlayerId,
        /// The side in the first game.
        side: Side,
        /// The result, once all games have one.
        result: Option<EncounterResult>,
    },
}

impl Slot {
    /// The score of the round; nothing for an encounter without a result.
    pub fn score(&self, bye: Bye) -> Half {
        match self {
            Self::Out | Self::Encounter { result: None, .. } => Half::ZERO,
            Self::Bye(kind) => kind.score(bye),
            Self::Encounter { index, result: Some(result), .. } => result.scores[*index],
        }
    }

    /// True for an encounter that no player forfeited.
    pub fn was_played(&self) -> bool {
        matches!(self, Self::Encounter { result: Some(result), .. } if result.was_played)
    }

    /// True for a bye that was asked for, and for a round out of the tournament (C.07, 16.1.1).
    pub fn is_requested_bye(&self) -> bool {
        matches!(self, Self::Out | Self::Bye(Bye::Half | Bye::Zero))
    }

    /// True for a voluntary unplayed round (C.07, 16.1.2): a requested bye or a loss by forfeit.
    pub fn is_voluntary(&self) -> bool {
        match self {
            Self::Encounter { index, result: Some(result), .. } => {
                !result.was_played && result.scores[*index] == Half::ZERO
            }
            _ => self.is_requested_bye(),
        }
    }
}

impl Bye {
    /// The score; `allocated` is the one of the bye that the pairing gives.
    pub fn score(self, allocated: Self) -> Half {
        match self {
            Self::Full => Half::ONE,
            Self::Half => Half::HALF,
            Self::Zero => Half::ZERO,
            Self::Allocated if allocated == Self::Allocated => Half::ONE,
            Self::Allocated => allocated.score(Self::Full),
        }
    }
}

/// A game of a round, as its scoresheet names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundGame<'t> {
    /// The numbers of the players, side 1 first.
    pub ids: [PlayerId; 2],
    /// The names of the players, side 1 first.
    pub players: [&'t str; 2],
    /// The board, from 1.
    pub board: u32,
    /// The game of the encounter, from 1; nothing if it has one only.
    pub leg: Option<u32>,
}

impl Tournament {
    /// The games of a paired round, by boards and legs.
    pub fn games_of(&self, round: u32) -> Vec<RoundGame<'_>> {
        let games = self.settings.encounter.games();
        let boards = self.round(round).map_or(&[][..], |round| &round.boards);
        let of_board = |(board, paired): (u32, &Board)| {
            let [one, two] = paired.players;
            (1..=games).map(move |game| {
                let ids = if game % 2 == 1 { [one, two] } else { [two, one] };
                RoundGame { ids, players: ids.map(|id| self.name(id)), board, leg: (games > 1).then_some(game) }
            })
        };
        (1..).zip(boards).flat_map(of_board).collect()
    }

    /// The players by their numbers.
    pub fn ids(&self) -> impl Iterator<Item = PlayerId> + use<> {
        (1..=u32::try_from(self.entrants.len()).unwrap_or(u32::MAX)).map(PlayerId)
    }

    /// The player with this number; none for a number that nobody has.
    pub fn entrant(&self, id: PlayerId) -> Option<&Entrant> {
        self.entrants.get((id.0 as usize).checked_sub(1)?)
    }

    /// True if the order of the standings adds up points of games.
    pub fn counts_points(&self) -> bool {
        self.tie_breaks
            .iter()
            .any(|tie_break| matches!(tie_break, TournamentTieBreak::Points | TournamentTieBreak::PointsWithBonus))
    }

    /// A player's name; empty for a number that nobody has.
    pub fn name(&self, id: PlayerId) -> &str {
        self.entrant(id).map_or("", |entrant| &entrant.player.name)
    }

    /// A paired round, from 1.
    pub fn round(&self, number: u32) -> Option<&Round> {
        self.rounds.get((number as usize).checked_sub(1)?)
    }

    /// The number of the round that is paired next.
    pub fn next_round(&self) -> u32 {
        u32::try_from(self.rounds.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The players in a round, the one with pairing number 1 first: by rating, then in the order of entry (C.04.2, article 2).
    /// Those who withdrew keep their numbers.
    pub fn seeding(&self, round: u32) -> Vec<PlayerId> {
        let entered =
            |entrant: &Entrant| entrant.first <= round && entrant.withdrawn.is_none_or(|from| from > entrant.first);
        let mut ids: Vec<_> = self.ids().filter(|id| self.entrant(*id).is_some_and(entered)).collect();
        ids.sort_by_key(|id| (Reverse(self.rating(*id)), *id));
        ids
    }

    /// True if the pairings of all rounds follow from the players of the first.
    pub fn has_fixed_field(&self) -> bool {
        matches!(self.settings.system, System::RoundRobin { .. } | System::Knockout { .. })
    }

    /// The rating of a player; 0 for an unrated one.
    pub fn rating(&self, id: PlayerId) -> u32 {
        self.entrant(id).and_then(|entrant| entrant.player.rating).unwrap_or(0)
    }

    /// The players to be paired in a round. In a round robin and a knock-out these are all: an absent player loses by forfeit.
    pub fn playing(&self, round: u32) -> Vec<PlayerId> {
        if self.has_fixed_field() {
            return self.seeding(1);
        }
        self.ids().filter(|id| self.entrant(*id).is_some_and(|entrant| entrant.plays_in(round))).collect()
    }

    /// The number of rounds.
    pub fn round_count(&self) -> u32 {
        let players = u32::try_from(self.seeding(1).len()).unwrap_or(u32::MAX);
        match self.settings.system {
            System::Swiss { .. } | System::Manual => self.settings.rounds,
            System::RoundRobin { double } => {
                let single = players.saturating_sub(1 - players % 2);
                if double { 2 * single } else { single }
            }
            System::Knockout { .. } => players.max(1).next_power_of_two().ilog2(),
        }
    }

    /// The rounds of each player, by the order of entry.
    pub fn histories(&self) -> Vec<Vec<Slot>> {
        let mut histories = vec![vec![Slot::Out; self.rounds.len()]; self.entrants.len()];
        for (round, paired) in self.rounds.iter().enumerate() {
            for (number, board) in paired.boards.iter().enumerate() {
                let result = board.result(self.settings.encounter);
                for (index, player) in board.players.into_iter().enumerate() {
                    let (opponent, side) = (board.players[1 - index], Board::side(index, 0));
                    histories[player.0 as usize - 1][round] =
                        Slot::Encounter { board: number, index, opponent, side, result };
                }
            }
            for (player, bye) in &paired.byes {
                histories[player.0 as usize - 1][round] = Slot::Bye(*bye);
            }
        }
        histories
    }
}
