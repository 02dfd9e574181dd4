//! Sums over a player's games: points, bonuses (9.4), the level and its history (9.5).

use std::{cmp::Reverse, collections::BTreeMap};

use super::{Encounter, Entry, Half, Level, Step, Win, history, names};

/// A player of games that count points.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// The name.
    pub name: String,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub won: u64,
    /// Points in all of them, without bonus.
    pub points: u64,
    /// Bonuses of the encounters won.
    pub bonus: Half,
    /// Levels after each won game from the second on.
    pub history: Vec<Step>,
}

impl Player {
    /// The sums of a player over these games and encounters.
    pub fn of(name: &str, games: &[&Entry], encounters: &[&Encounter]) -> Self {
        let points = games.iter().filter_map(|entry| {
            let side = entry.side_of(name)?;
            Some(u64::from(entry.points?.0[side.index()].points))
        });
        let won = games.iter().filter(|entry| entry.outcome.winner().is_some_and(|side| entry.player(side) == name));
        let bonus = encounters.iter().filter_map(|encounter| {
            let index = encounter.index_of(name)?;
            Some(encounter.bonus()[index])
        });
        let wins: Vec<_> = won.filter_map(|entry| Win::of(entry)).collect();
        Self {
            name: name.to_owned(),
            games: games.len() as u64,
            won: wins.len() as u64,
            points: points.sum(),
            bonus: bonus.sum(),
            history: history(wins),
        }
    }

    /// Points plus bonuses.
    pub fn points_with_bonus(&self) -> Half {
        Half::whole(self.points) + self.bonus
    }

    /// The current level, after the most recent won game.
    pub fn level(&self) -> Option<Level> {
        self.history.last()?.level
    }
}

/// All players of games that count points, in the order of their names.
pub fn players<'e>(entries: impl IntoIterator<Item = &'e Entry>, encounters: &[Encounter]) -> Vec<Player> {
    let mut of: BTreeMap<&str, (Vec<&Entry>, Vec<&Encounter>)> = BTreeMap::new();
    for entry in entries.into_iter().filter(|entry| entry.points.is_some()) {
        for player in &entry.players {
            of.entry(player).or_default().0.push(entry);
        }
    }
    for encounter in encounters {
        for player in &encounter.players {
            of.entry(player).or_default().1.push(encounter);
        }
    }
    let mut players: Vec<_> =
        of.into_iter().map(|(name, (games, encounters))| Player::of(name, &games, &encounters)).collect();
    players.sort_by_cached_key(|player| names::order(&player.name));
    players
}

/// Puts players into the order of a ranking: the highest level first (9.5), players without one last; players of one level
/// by their points with bonus, the most first. Equal ones stay in their order.
pub fn rank(players: &mut [Player]) {
    players.sort_by_key(|player| Reverse((player.level(), player.points_with_bonus())));
}
