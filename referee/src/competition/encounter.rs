//! Encounters of one game or two legs (9.2, 9.3), and their bonus (9.4).

use std::cmp::Ordering;

use quipu_notation::games::GameNotation;

use super::{Entry, Half, grouped};
use crate::Count;

/// The games of two players that share event and round, and their sums.
#[derive(Clone, Debug, PartialEq)]
pub struct Encounter {
    /// The game.
    pub game: &'static GameNotation,
    /// The event, if it has a name.
    pub event: Option<String>,
    /// The round, if it has a name.
    pub round: Option<String>,
    /// Its games by their numbers in the order of entry.
    pub games: Vec<u64>,
    /// The two players, in the order of the sides of the first game.
    pub players: [String; 2],
    /// The sums of each player over all its games.
    pub sums: [Count; 2],
    /// The status.
    pub state: State,
}

/// The state of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The player with this index won it.
    Won(usize),
    /// Complete, with no winner.
    Tied,
    /// The other leg is missing.
    Open,
    /// Its games are neither one single game nor two legs.
    Irregular(Irregularity),
}

/// A fault in the games of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Irregularity {
    /// A `Leg` that is neither 1 nor 2.
    Leg,
    /// Several single games.
    Single,
    /// Single games and legs.
    Mixed,
    /// The same leg more than once.
    SameLeg,
    /// Two legs with the same sides.
    Sides,
}

/// The count that decided an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The result of its single game.
    Result,
    /// The sums of points.
    Points,
    /// The first summed piece count that differs (5.2), by its index.
    Pieces(usize),
    /// All sums are equal.
    Nothing,
}

impl State {
    /// Its name in JSON and CSV.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Won(_) => "won",
            Self::Tied => "tied",
            Self::Open => "open",
            Self::Irregular(_) => "irregular",
        }
    }

    /// Key of the word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Won(_) => "encounter.won",
            Self::Tied => "encounter.tied",
            Self::Open => "encounter.open",
            Self::Irregular(_) => "encounter.irregular",
        }
    }
}

impl Basis {
    /// Keys of the words for the piece counts of 5.2, in their order.
    pub const PIECES: [&'static str; 3] = ["pieces.board", "pieces.attacked", "pieces.reserve"];
}

impl Irregularity {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Leg, Self::Single, Self::Mixed, Self::SameLeg, Self::Sides];

    /// Key of the words for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Leg => "irregular.leg",
            Self::Single => "irregular.single",
            Self::Mixed => "irregular.mixed",
            Self::SameLeg => "irregular.same-leg",
            Self::Sides => "irregular.sides",
        }
    }
}

impl Encounter {
    /// The encounter of games that share game, event, round and players, in the order of entry; nothing without games.
    pub fn of(games: &[&Entry]) -> Option<Self> {
        let first = *games.first()?;
        let mut sums = [Count::default(); 2];
        for (entry, points) in games.iter().filter_map(|entry| Some((entry, entry.points?))) {
            for (player, sum) in first.players.iter().zip(&mut sums) {
                if let Some(side) = entry.side_of(player) {
                    *sum += points.0[side.index()];
                }
            }
        }
        Some(Self {
            game: first.game,
            event: first.event.clone(),
            round: first.round.clone(),
            games: games.iter().map(|entry| entry.place).collect(),
            players: first.players.clone(),
            sums,
            state: state(games, sums),
        })
    }

    /// The winner, if there is one.
    pub fn winner(&self) -> Option<&str> {
        match self.state {
            State::Won(index) => Some(&self.players[index]),
            State::Tied | State::Open | State::Irregular(_) => None,
        }
    }

    /// The bonus of each player: the winner gets half of the points obtained in the encounter (9.4). It does not count
    /// towards the encounter itself.
    pub fn bonus(&self) -> [Half; 2] {
        let mut bonus = [Half::ZERO; 2];
        if let State::Won(index) = self.state {
            bonus[index] = Half::half_of(self.sums[index].points.into());
        }
        bonus
    }

    /// The deciding count, if the encounter is decided.
    pub fn basis(&self) -> Option<Basis> {
        match self.state {
            State::Open | State::Irregular(_) => None,
            State::Won(_) | State::Tied if self.games.len() == 1 => Some(Basis::Result),
            State::Won(_) | State::Tied => {
                let [one, two] = self.sums;
                if one.points != two.points {
                    return Some(Basis::Points);
                }
                let differs = one.breaks.iter().zip(two.breaks).position(|(one, two)| *one != two);
                Some(differs.map_or(Basis::Nothing, Basis::Pieces))
            }
        }
    }

    /// The index of a player.
    pub fn index_of(&self, player: &str) -> Option<usize> {
        self.players.iter().position(|name| name == player)
    }
}

/// The state that the games of an encounter give it; `sums` are in the order of the sides of the first game.
fn state(games: &[&Entry], sums: [Count; 2]) -> State {
    if let [single] = games
        && single.leg.is_none()
    {
        // 9.2: the winner of the single game wins the encounter, with any termination.
        return single.outcome.winner().map_or(State::Tied, |side| State::Won(side.index()));
    }
    if let Some(irregularity) = irregularity(games) {
        return State::Irregular(irregularity);
    }
    if games.len() == 1 {
        return State::Open;
    }
    // 9.3: the sums of points decide, then 5.2 on the summed piece counts, with any termination.
    match sums[0].cmp(&sums[1]) {
        Ordering::Greater => State::Won(0),
        Ordering::Less => State::Won(1),
        Ordering::Equal => State::Tied,
    }
}

/// The fault in games that should be legs of one encounter, if there is one.
fn irregularity(games: &[&Entry]) -> Option<Irregularity> {
    let singles = games.iter().filter(|entry| entry.leg.is_none()).count();
    let count = |leg: &str| games.iter().filter(|entry| entry.leg.as_deref() == Some(leg)).count();
    let [first, second] = ["1", "2"].map(count);
    if singles + first + second < games.len() {
        Some(Irregularity::Leg)
    } else if singles == games.len() {
        Some(Irregularity::Single)
    } else if singles > 0 {
        Some(Irregularity::Mixed)
    } else if first > 1 || second > 1 {
        Some(Irregularity::SameLeg)
    } else {
        let swapped = games.windows(2).all(|pair| pair[0].players != pair[1].players);
        (!swapped).then_some(Irregularity::Sides)
    }
}

/// The encounters of all games that count points, in the order of their first games.
pub fn encounters<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<Encounter> {
    let entries = entries.into_iter().filter(|entry| entry.points.is_some());
    let groups = grouped(entries, |entry| {
        // Sides are swapped between legs.
        let mut players = entry.players.each_ref();
        players.sort_unstable();
        (entry.game.id, &entry.event, &entry.round, players)
    });
    groups.iter().filter_map(|games| Encounter::of(games)).collect()
}
