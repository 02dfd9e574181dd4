//! The places that are still possible, by trying every way to play the games that are left.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Report, Row};

/// A game of an encounter: the halves of both players, and their points.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// The halves.
    pub halves: [u64; 2],
    /// True after a forfeit.
    pub is_forfeit: bool,
    /// The points, if the game has them.
    pub points: Option<[u64; 2]>,
}

/// An encounter that lacks games.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The round, from 1.
    pub round: usize,
    /// The names of the players.
    pub names: [String; 2],
    /// The games that it has.
    pub games: Vec<Played>,
    /// The number of games that it lacks.
    pub left: usize,
    /// True if the sums of points decide, once every game has them.
    pub by_points: bool,
    /// True for a player who has withdrawn and does not come.
    pub absent: [bool; 2],
}

impl Fixture {
    /// The ways in which the next game can end.
    fn next(&self) -> Vec<Played> {
        let played = |halves, points| Played { halves, is_forfeit: false, points };
        let forfeit = |halves| vec![Played { halves, is_forfeit: true, points: None }];
        match self.absent {
            [true, true] => return forfeit([0, 0]),
            [true, false] => return forfeit([0, 2]),
            [false, true] => return forfeit([2, 0]),
            [false, false] => {}
        }
        let mut ways = vec![played([2, 0], None), played([1, 1], None), played([0, 2], None)];
        if self.by_points {
            // The same points the other way round make the sums equal.
            let last = self.games.last().and_then(|game| game.points).unwrap_or([20, 20]);
            let points = [[1_000_000, 0], [last[1], last[0]], [0, 1_000_000]];
            ways.extend(points.map(|points| played([1, 1], Some(points))));
        }
        ways
    }

    /// The encounters that this one can become.
    fn endings(&self) -> Vec<Self> {
        if self.left == 0 {
            return vec![self.clone()];
        }
        let with = |game: Played| {
            let games = self.games.iter().copied().chain([game]).collect();
            Self { games, left: self.left - 1, ..self.clone() }
        };
        self.next().into_iter().flat_map(|game| with(game).endings()).collect()
    }

    /// The letters of a report file for both players, and the sums of their points, if every game has them.
    fn result(&self) -> ([char; 2], Option<[u64; 2]>) {
        let sum = |of: &dyn Fn(&Played) -> u64| self.games.iter().map(of).sum::<u64>();
        let halves = [0, 1].map(|player| sum(&|game: &Played| game.halves[player]));
        let has_points = self.games.iter().all(|game| game.points.is_some());
        let points =
            has_points.then(|| [0, 1].map(|player| sum(&|game| game.points.map_or(0, |points| points[player]))));
        let [one, two] = points.filter(|_| self.by_points).unwrap_or(halves);
        // An encounter is forfeited by a player who comes to none of its games.
        let [absent, other] =
            [0, 1].map(|player| self.games.iter().all(|game| game.is_forfeit && game.halves[player] == 0));
        if absent || other {
            return ([absent, other].map(|is_lost| if is_lost { '-' } else { '+' }), points);
        }
        let letters = match (one > two, one < two) {
            (true, _) => ['1', '0'],
            (_, true) => ['0', '1'],
            _ => ['=', '='],
        };
        (letters, points)
    }

    /// The halves of both players in the encounter.
    fn halves(&self) -> [u64; 2] {
        self.result().0.map(|letter| match letter {
            '1' | '+' => 2,
            '=' => 1,
            _ => 0,
        })
    }
}

impl Report {
    /// Writes the result of an encounter with all its games.
    ///
    /// # Panics
    /// If a name is not in the file.
    pub fn set(&mut self, fixture: &Fixture) {
        let (letters, points) = fixture.result();
        for (index, name) in fixture.names.iter().enumerate() {
            let card = self.players.values_mut().find(|card| card.name == *name).expect("a known name");
            let cell = &mut card.cells[fixture.round - 1];
            cell.result = letters[index];
            cell.points = points.map(|points| points[index]);
        }
    }

    /// Shows the standings after every way to end these encounters. Ways that are the same to the order are tried once.
    fn each_end(&self, open: &[Fixture], order: &[&str], see: &mut impl FnMut(&[Row])) {
        let Some((first, others)) = open.split_first() else { return see(&self.standings(order)) };
        let counts_points = order.iter().any(|tie_break| tie_break.starts_with("points"));
        let mut tried = BTreeSet::new();
        for ending in first.endings() {
            let (letters, points) = ending.result();
            if !tried.insert((letters, points.filter(|_| counts_points))) {
                continue;
            }
            let mut next = self.clone();
            next.set(&ending);
            next.each_end(others, order, see);
        }
    }

    /// The best and the worst place of each player by name.
    pub fn places(&self, open: &[Fixture], order: &[&str]) -> BTreeMap<String, [usize; 2]> {
        let mut places = BTreeMap::new();
        self.each_end(open, order, &mut |rows| {
            for row in rows {
                let [best, worst] = places.entry(row.name.clone()).or_insert([row.place, row.place]);
                (*best, *worst) = (row.place.min(*best), row.place.max(*worst));
            }
        });
        places
    }

    /// The standings after these encounters ended with these halves.
    ///
    /// # Panics
    /// If one of them cannot end so.
    pub fn after(mut self, open: &[Fixture], halves: &[[u64; 2]], order: &[&str]) -> Vec<Row> {
        for (fixture, halves) in open.iter().zip(halves) {
            let ending = fixture.endings().into_iter().find(|ending| ending.halves() == *halves);
            self.set(&ending.unwrap_or_else(|| panic!("{fixture:?} does not end with {halves:?}")));
        }
        self.standings(order)
    }
}
