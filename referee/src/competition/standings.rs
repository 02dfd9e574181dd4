//! Standings of any game: scores, tie-breaks, places.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use quipu_notation::{Side, games::GameNotation};

use super::{Entry, Half, Quarter, State, TieBreak, encounters, grouped, names};

/// The standings of one game in one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// The game.
    pub game: &'static GameNotation,
    /// The event, if it has a name.
    pub event: Option<String>,
    /// The tie-breaks, the first one first. The score ranks before them unless it is one of them.
    pub order: Vec<TieBreak>,
    /// The players, the best first; players equal in everything in the order of their names.
    pub rows: Vec<StandingsRow>,
}

/// One player's place, and the figures behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingsRow {
    /// From 1; players equal in everything share a place, and the next places are skipped.
    pub place: u64,
    /// The name.
    pub name: String,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// One for each win, a half for each draw.
    pub score: Half,
    /// Points and encounters, in games that count points.
    pub tally: Option<Tally>,
    /// The tie-breaks in their order; nothing where one does not apply to the player.
    pub figures: Vec<Option<Quarter>>,
    /// The result of the direct encounter, if it is among the tie-breaks.
    pub direct: Option<Direct>,
    /// The games in the order of entry.
    pub played: Vec<Played>,
}

/// The points and encounters of a player in the games of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Points in all games, without bonus.
    pub points: u64,
    /// Bonuses of the encounters won (9.4).
    pub bonus: Half,
    /// Encounters won.
    pub won: u64,
    /// Encounters that nobody won.
    pub tied: u64,
    /// Encounters lost.
    pub lost: u64,
}

/// The players of a direct encounter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direct {
    /// Nobody is equal with the player so far.
    Alone,
    /// Not all players that are equal so far have met each other.
    Apart,
    /// All have met each other: the indices of their rows, with that of the player.
    Among(Vec<usize>),
}

/// One game as a player sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its number in the order of entry.
    pub game: u64,
    /// Index of the opponent's row.
    pub opponent: usize,
    /// The score of the game.
    pub score: Half,
    /// The player's points in it, in games that count points.
    pub points: Option<u32>,
}

impl StandingsRow {
    fn new(name: &str) -> Self {
        Self {
            place: 0,
            name: name.to_owned(),
            wins: 0,
            draws: 0,
            losses: 0,
            score: Half::ZERO,
            tally: None,
            figures: Vec::new(),
            direct: None,
            played: Vec::new(),
        }
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.played.len() as u64
    }
}

impl Tally {
    /// Points plus bonuses.
    pub fn points_with_bonus(&self) -> Half {
        Half::whole(self.points) + self.bonus
    }
}

impl Played {
    /// The share of the game in the player's Sonneborn-Berger, for this score of the opponent: all of it for a win,
    /// half of it for a draw.
    pub fn sonneborn_berger(&self, opponent: Half) -> Quarter {
        match self.score {
            Half::ONE => opponent.into(),
            Half::HALF => opponent.half(),
            _ => Quarter::default(),
        }
    }
}

/// The standings of each game and event, in the order of their first games.
pub fn standings<'e>(entries: impl IntoIterator<Item = &'e Entry>, order: &[TieBreak]) -> Vec<Standings> {
    let groups = grouped(entries, |entry| (entry.game.id, &entry.event));
    groups.iter().filter_map(|games| Standings::of(games, order)).collect()
}

impl Standings {
    /// The standings after games that share game and event, in the order of entry; nothing if there are none.
    pub fn of(games: &[&Entry], order: &[TieBreak]) -> Option<Self> {
        let first = games.first()?;
        let mut rows = unranked(games);
        let scores: Vec<_> = rows.iter().map(|row| row.score).collect();
        let mut groups = vec![(0..rows.len()).collect()];
        if !order.contains(&TieBreak::Score) {
            groups = split(groups, &scores);
        }
        for &tie_break in order {
            let figures: Vec<Option<Quarter>> = match tie_break {
                TieBreak::Buchholz => rows.iter().map(|row| Some(buchholz(row, &scores).into())).collect(),
                TieBreak::SonnebornBerger => rows.iter().map(|row| Some(sonneborn_berger(row, &scores))).collect(),
                TieBreak::Direct => direct(&mut rows, &groups),
                TieBreak::Wins => rows.iter().map(|row| Some(Half::whole(row.wins).into())).collect(),
                TieBreak::Points => tallied(&rows, |tally| Half::whole(tally.points)),
                TieBreak::PointsWithBonus => tallied(&rows, Tally::points_with_bonus),
                TieBreak::Encounters => tallied(&rows, |tally| Half::whole(tally.won)),
                TieBreak::Score => scores.iter().map(|score| Some((*score).into())).collect(),
            };
            groups = split(groups, &figures);
            for (row, figure) in rows.iter_mut().zip(figures) {
                row.figures.push(figure);
            }
        }
        Some(Self { game: first.game, event: first.event.clone(), order: order.to_vec(), rows: ranked(rows, groups) })
    }
}

/// Splits groups of rows by a figure, the greatest first.
fn split<T: Ord>(groups: Vec<Vec<usize>>, figures: &[T]) -> Vec<Vec<usize>> {
    let parts = groups.into_iter().flat_map(|mut group| {
        group.sort_by_key(|&row| Reverse(&figures[row]));
        let parts = group.chunk_by(|&one, &other| figures[one] == figures[other]);
        parts.map(<[usize]>::to_vec).collect::<Vec<_>>()
    });
    parts.collect()
}

/// All players with their scores and tallies, in the order of their first games.
fn unranked(games: &[&Entry]) -> Vec<StandingsRow> {
    let mut rows: Vec<StandingsRow> = Vec::new();
    let mut indices: HashMap<&str, usize> = HashMap::new();
    for entry in games {
        let [one, two] = entry.players.each_ref().map(|name| {
            *indices.entry(name).or_insert_with(|| {
                rows.push(StandingsRow::new(name));
                rows.len() - 1
            })
        });
        for (side, index, opponent) in [(Side::One, one, two), (Side::Two, two, one)] {
            let score = entry.score(side);
            let row = &mut rows[index];
            match entry.outcome.winner() {
                Some(winner) if winner == side => row.wins += 1,
                Some(_) => row.losses += 1,
                None => row.draws += 1,
            }
            row.score = row.score + score;
            let points = entry.points.map(|points| points.0[side.index()].points);
            row.played.push(Played { game: entry.place, opponent, score, points });
        }
    }
    for row in &mut rows {
        let points: Option<u64> = row.played.iter().map(|played| played.points.map(u64::from)).sum();
        row.tally = points.map(|points| Tally { points, ..Tally::default() });
    }
    for encounter in encounters(games.iter().copied()) {
        let bonus = encounter.bonus();
        for (index, name) in encounter.players.iter().enumerate() {
            let tally = indices.get(name.as_str()).and_then(|&row| rows[row].tally.as_mut());
            if let Some(tally) = tally {
                tally.bonus = tally.bonus + bonus[index];
                match encounter.state {
                    State::Won(winner) if winner == index => tally.won += 1,
                    State::Won(_) => tally.lost += 1,
                    State::Tied => tally.tied += 1,
                    State::Open | State::Irregular(_) => {}
                }
            }
        }
    }
    rows
}

fn buchholz(row: &StandingsRow, scores: &[Half]) -> Half {
    row.played.iter().map(|played| scores[played.opponent]).sum()
}

fn sonneborn_berger(row: &StandingsRow, scores: &[Half]) -> Quarter {
    row.played.iter().map(|played| played.sonneborn_berger(scores[played.opponent])).sum()
}

/// The direct encounter of each row with those it is equal with so far.
fn direct(rows: &mut [StandingsRow], groups: &[Vec<usize>]) -> Vec<Option<Quarter>> {
    let mut group_of = vec![0; rows.len()];
    for (number, group) in groups.iter().enumerate() {
        for &row in group {
            group_of[row] = number;
        }
    }
    let among = |row: usize| {
        let group_of = &group_of;
        rows[row].played.iter().filter(move |played| group_of[played.opponent] == group_of[row])
    };
    let opponents = |row: usize| among(row).map(|played| played.opponent).collect::<HashSet<_>>().len();
    let mut found = vec![(Direct::Alone, None); rows.len()];
    for group in groups.iter().filter(|group| group.len() > 1) {
        let met = group.iter().all(|&row| opponents(row) + 1 == group.len());
        for &row in group {
            found[row] = if met {
                let score: Half = among(row).map(|played| played.score).sum();
                (Direct::Among(group.clone()), Some(score.into()))
            } else {
                (Direct::Apart, None)
            };
        }
    }
    let (found, figures): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    for (row, direct) in rows.iter_mut().zip(found) {
        row.direct = Some(direct);
    }
    figures
}

/// A figure of the tallies.
fn tallied(rows: &[StandingsRow], figure: impl Fn(&Tally) -> Half) -> Vec<Option<Quarter>> {
    rows.iter().map(|row| row.tally.as_ref().map(|tally| figure(tally).into())).collect()
}

/// Rows in their order with their places, from groups of those that are equal in everything.
fn ranked(rows: Vec<StandingsRow>, groups: Vec<Vec<usize>>) -> Vec<StandingsRow> {
    let mut order = Vec::with_capacity(rows.len());
    let mut places = Vec::with_capacity(rows.len());
    for mut group in groups {
        group.sort_by_cached_key(|&row| names::order(&rows[row].name));
        places.extend(group.iter().map(|_| order.len() as u64 + 1));
        order.extend(group);
    }
    let mut now = vec![0; rows.len()];
    for (index, &before) in order.iter().enumerate() {
        now[before] = index;
    }
    let mut rows: Vec<_> = now.iter().copied().zip(rows).collect();
    rows.sort_unstable_by_key(|(index, _)| *index);
    for ((_, row), place) in rows.iter_mut().zip(places) {
        row.place = place;
        for played in &mut row.played {
            played.opponent = now[played.opponent];
        }
        if let Some(Direct::Among(group)) = &mut row.direct {
            for row in group.iter_mut() {
                *row = now[*row];
            }
            group.sort_unstable();
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}
