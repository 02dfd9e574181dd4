//! Ratings: the sums of a player's games in one game.

use std::collections::BTreeMap;

use quipu_notation::{games::GameNotation, record::Outcome};

use super::{Encounter, Entry, Half, Level, Player, encounters};

/// The sums of a player in one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// The game.
    pub game: &'static GameNotation,
    /// Number of games that count.
    pub games: u64,
    /// Number of games won.
    pub wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Points without bonus; none in games that do not count points.
    pub points: Option<u64>,
    /// Bonuses of encounters (9.4).
    pub bonus: Half,
    /// The level (9.5).
    pub level: Option<Level>,
}

impl Rating {
    /// The sums of a player over these entries of one game and their encounters; nothing without entries.
    pub fn of(name: &str, entries: &[&Entry], encounters: &[&Encounter]) -> Option<Self> {
        let first = entries.first()?;
        let Player { games, points, bonus, ref history, .. } = Player::of(name, entries, encounters);
        let wins = entries.iter().filter(|entry| entry.outcome.winner().is_some_and(|side| entry.player(side) == name));
        let draws = entries.iter().filter(|entry| entry.outcome == Outcome::Draw);
        Some(Self {
            game: first.game,
            games,
            wins: wins.count() as u64,
            draws: draws.count() as u64,
            points: entries.iter().any(|entry| entry.points.is_some()).then_some(points),
            bonus,
            level: history.last().and_then(|step| step.level),
        })
    }
}

/// The games of a player in one game, and their encounters.
type Played<'e> = (Vec<&'e Entry>, Vec<&'e Encounter>);

/// The ratings of all players in each game, with their names.
pub fn ratings(entries: &[Entry]) -> Vec<(String, Rating)> {
    let encounters = encounters(entries.iter().filter(|entry| entry.points.is_some()));
    let mut of: BTreeMap<(&str, &str), Played<'_>> = BTreeMap::new();
    for entry in entries {
        for player in &entry.players {
            of.entry((entry.game.id, player)).or_default().0.push(entry);
        }
    }
    for encounter in &encounters {
        for player in &encounter.players {
            of.entry((encounter.game.id, player)).or_default().1.push(encounter);
        }
    }
    let rated = |((_, name), (entries, encounters)): ((&str, &str), Played<'_>)| {
        Rating::of(name, &entries, &encounters).map(|rating| (name.to_owned(), rating))
    };
    of.into_iter().filter_map(rated).collect()
}
