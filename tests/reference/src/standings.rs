//! Standings from a report file (TRF16) and the records of its encounters, by the tie-breaks of FIDE (C.07) and the laws of
//! Andes. All scores are halves, all figures quarters of a point.

use std::collections::BTreeMap;

use crate::{judge, read};

/// A tournament as its report file has it.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) players: BTreeMap<usize, Card>,
    /// The rounds of the whole tournament.
    all_rounds: u64,
    /// All pairings are known from the start.
    is_round_robin: bool,
}

/// The line of a player.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) name: String,
    rating: u64,
    pub(crate) cells: Vec<Cell>,
}

/// A round of a player.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    opponent: Option<usize>,
    colour: char,
    pub(crate) result: char,
    /// Points of all games of the encounter, if each has them.
    pub(crate) points: Option<u64>,
    /// Halves of a bye of the pairing.
    bye: u64,
}

/// Parts of a half in which means are counted.
const PARTS: u64 = 12;

/// A player in the standings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// From 1; players that are equal in everything share it.
    pub place: usize,
    /// The name.
    pub name: String,
    /// The score in halves.
    pub score: u64,
    /// The figures of the tie-breaks in quarters.
    pub figures: Vec<Option<u64>>,
    /// Encounters won, tied and lost on the board.
    pub played: [usize; 3],
}

impl Cell {
    fn halves(&self) -> u64 {
        match self.result {
            '1' | '+' | 'F' => 2,
            'U' => self.bye,
            '=' | 'H' => 1,
            _ => 0,
        }
    }

    fn was_played(&self) -> bool {
        matches!(self.result, '1' | '0' | '=')
    }

    /// A bye that was asked for (16.1.1); a blank cell is a round after a withdrawal.
    fn was_requested(&self) -> bool {
        matches!(self.result, 'H' | 'Z' | ' ') && self.opponent.is_none()
    }

    /// A voluntary unplayed round (16.1.2).
    fn is_voluntary(&self) -> bool {
        self.was_requested() || self.result == '-'
    }
}

/// The line of a player, with cells for so many rounds, and a bye of the pairing worth so many halves.
fn card(line: &str, rounds: usize, bye: u64) -> (usize, Card) {
    let padded: Vec<char> = format!("{line:width$}", width = 89 + 10 * rounds).chars().collect();
    let text = |from: usize, to: usize| padded[from..to].iter().collect::<String>().trim().to_owned();
    let cell = |round: usize| {
        let start = 89 + 10 * round;
        let opponent = text(start + 2, start + 6).parse().ok().filter(|number| *number > 0);
        Cell { opponent, colour: padded[start + 7], result: padded[start + 9], points: None, bye }
    };
    let cells = (0..rounds).map(cell).collect();
    let rating = text(48, 52).parse().unwrap_or(0);
    let number = text(4, 8).parse().expect("a player has a starting number");
    (number, Card { name: text(14, 47), rating, cells })
}

impl Report {
    /// Reads a file. One in TRF26 says too if it is of a round robin, and what the bye is worth.
    ///
    /// # Panics
    /// If a player has no starting number, or the file no number of rounds (`XXR`, `142`).
    pub fn read(file: &str) -> Self {
        let lines: Vec<&str> = file.lines().filter(|line| line.starts_with("001")).map(str::trim_end).collect();
        let rounds = |line: &&str| line.chars().count().saturating_sub(89).div_ceil(10);
        let rounds = lines.iter().map(rounds).max().unwrap_or(0);
        let field = |code: &str| file.lines().find_map(|line| line.strip_prefix(code)).map(str::trim);
        let all_rounds = field("XXR").or_else(|| field("142")).and_then(|rounds| rounds.parse().ok());
        let bye = match field("162") {
            None => 2,
            Some("P 0.5") => 1,
            Some("P 0.0") => 0,
            Some(other) => panic!("{other} are no points of a bye"),
        };
        Self {
            players: lines.into_iter().map(|line| card(line, rounds, bye)).collect(),
            all_rounds: all_rounds.expect("the number of rounds"),
            is_round_robin: field("192").is_some_and(|system| system.starts_with("BERGER")),
        }
    }

    /// Gives the encounters the points and the results of their records. Each has so many games.
    pub fn add_records(&mut self, file: &[u8], games: usize) {
        let mut found: BTreeMap<(usize, String), Vec<u64>> = BTreeMap::new();
        for record in read(file).into_iter().flatten() {
            let tag = |name: &str| record.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            let verdict = judge(Ok(&record));
            let round = tag("Round").and_then(|round| round.parse::<usize>().ok());
            if let (Some(round), Some(points), "verified") = (round, verdict.points, verdict.status) {
                for (player, points) in [tag("Sol"), tag("Luna")].into_iter().flatten().zip(points) {
                    found.entry((round, player)).or_default().push(points);
                }
            }
        }
        for card in self.players.values_mut() {
            for (round, cell) in (1..).zip(&mut card.cells) {
                let points = found.get(&(round, card.name.clone())).filter(|points| points.len() == games);
                cell.points = points.map(|points| points.iter().sum());
            }
        }
        let of = |players: &BTreeMap<usize, Card>, number: usize, round: usize| players[&number].cells[round].points;
        let before = self.players.clone();
        for card in self.players.values_mut() {
            for (round, cell) in card.cells.iter_mut().enumerate() {
                // "In two legs only the sums of points count, however each leg ended."
                let other = cell.opponent.and_then(|opponent| of(&before, opponent, round));
                match cell.points.zip(other) {
                    Some((own, other)) if own > other => cell.result = '1',
                    Some((own, other)) if own < other => cell.result = '0',
                    // Equal sums are decided by counts that a verdict does not have.
                    _ => {}
                }
            }
        }
    }

    /// The standings with tie-breaks by their names, such as `buchholz-cut1`. The score ranks first, unless it is among them.
    ///
    /// # Panics
    /// If a tie-break is unknown.
    pub fn standings(&self, order: &[&str]) -> Vec<Row> {
        let mut groups = vec![self.players.keys().copied().collect::<Vec<_>>()];
        let mut figures: BTreeMap<usize, Vec<Option<u64>>> = BTreeMap::new();
        if !order.contains(&"score") {
            groups = split(groups, |number| Some(self.score(number)));
        }
        for tie_break in order {
            if *tie_break == "direct-encounter" {
                let found: Vec<_> = groups.into_iter().flat_map(|group| self.direct(group)).collect();
                for (number, figure) in found.iter().flatten() {
                    figures.entry(*number).or_default().push(*figure);
                }
                groups = found.into_iter().map(|equal| equal.into_iter().map(|(number, _)| number).collect()).collect();
            } else {
                let value = |number: usize| self.figure(number, tie_break);
                for number in groups.iter().flatten() {
                    figures.entry(*number).or_default().push(value(*number));
                }
                groups = split(groups, value);
            }
        }
        let mut rows = Vec::new();
        for group in groups {
            let place = rows.len() + 1;
            for number in group {
                let card = &self.players[&number];
                let count = |letter: char| card.cells.iter().filter(|cell| cell.result == letter).count();
                rows.push(Row {
                    place,
                    name: card.name.clone(),
                    score: self.score(number),
                    figures: figures.remove(&number).unwrap_or_default(),
                    played: ['1', '=', '0'].map(count),
                });
            }
        }
        rows
    }

    fn cells(&self, number: usize) -> &[Cell] {
        &self.players[&number].cells
    }

    fn score(&self, number: usize) -> u64 {
        self.cells(number).iter().map(Cell::halves).sum()
    }

    /// The score as a part of the tie-breaks of opponents (16.3): a requested bye with which the player leaves is a draw. In a
    /// round robin nobody asks for a bye (15.2).
    fn adjusted(&self, number: usize) -> u64 {
        if self.is_round_robin {
            return self.score(number);
        }
        let cells = self.cells(number);
        let value = |(round, cell): (usize, &Cell)| {
            let to_the_end = cells[round..].iter().all(Cell::is_voluntary);
            if cell.was_requested() && to_the_end { 1 } else { cell.halves() }
        };
        cells.iter().enumerate().map(value).sum()
    }

    /// The score of the opponent of each round, or of the dummy of an unplayed one (16.4). In a round robin that is the
    /// opponent also after a forfeit, and a free round has none (15.2).
    fn opponents(&self, number: usize) -> Vec<(u64, &Cell)> {
        let own = self.score(number);
        let value = |cell: &Cell| match cell.opponent {
            Some(opponent) if cell.was_played() || self.is_round_robin => Some(self.adjusted(opponent)),
            Some(opponent) => Some(own.min(self.adjusted(opponent))),
            None if self.is_round_robin => None,
            None => Some(own.min(self.all_rounds)),
        };
        self.cells(number).iter().filter_map(|cell| Some((value(cell)?, cell))).collect()
    }

    /// Buchholz without the lowest and the highest parts. Voluntary unplayed rounds are cut before others (16.5).
    fn buchholz(&self, number: usize, lowest: usize, highest: usize) -> u64 {
        let opponents = self.opponents(number);
        let of = |voluntary: bool| {
            // In a round robin a forfeit is a game like others (15.2).
            let is_voluntary = |cell: &Cell| cell.is_voluntary() && !self.is_round_robin;
            let parts = opponents.iter().filter(move |(_, cell)| is_voluntary(cell) == voluntary);
            let mut values: Vec<u64> = parts.map(|(value, _)| *value).collect();
            values.sort_unstable();
            values
        };
        let mut values = [of(true), of(false)].concat();
        let mut left = values.split_off(lowest.min(values.len()));
        left.sort_unstable();
        left.truncate(left.len().saturating_sub(highest));
        2 * left.iter().sum::<u64>()
    }

    /// A tie-break but the direct encounter.
    fn figure(&self, number: usize, tie_break: &str) -> Option<u64> {
        let cells = self.cells(number);
        let played = || cells.iter().filter(|cell| cell.was_played());
        let won = |cell: &&Cell| cell.halves() == 2;
        let rated = || {
            let ratings = played().filter_map(|cell| cell.opponent).map(|one| self.players[&one].rating);
            ratings.filter(|rating| *rating > 0)
        };
        Some(match tie_break {
            "buchholz" => self.buchholz(number, 0, 0),
            "buchholz-cut1" => self.buchholz(number, 1, 0),
            "buchholz-cut2" => self.buchholz(number, 2, 0),
            "buchholz-median" => self.buchholz(number, 1, 1),
            "sonneborn-berger" => self.opponents(number).iter().map(|(value, cell)| value * cell.halves()).sum(),
            "progressive" => {
                let each = (0..cells.len()).map(|last| cells[..=last].iter().map(Cell::halves).sum::<u64>());
                2 * each.sum::<u64>()
            }
            "wins" => 4 * cells.iter().filter(won).count() as u64,
            "wins-side2" => 4 * self.counted(number).filter(won).filter(|cell| cell.colour == 'b').count() as u64,
            "encounters" => 4 * self.counted(number).filter(won).count() as u64,
            "average-rating" => {
                let (sum, count) = (rated().sum::<u64>(), rated().count() as u64);
                // Half a point rounds up.
                4 * (2 * sum + count).checked_div(2 * count)?
            }
            "koya" => {
                // At least a half for each round, or for each encounter of a round robin.
                let counts = |cell: &&Cell| !self.is_round_robin || cell.opponent.is_some();
                let half = |one: usize| self.cells(one).iter().filter(counts).count() as u64;
                let strong = |cell: &&Cell| cell.opponent.is_some_and(|one| self.score(one) >= half(one));
                2 * self.counted(number).filter(strong).map(Cell::halves).sum::<u64>()
            }
            "score" => 2 * self.score(number),
            "points" => 4 * cells.iter().filter_map(|cell| cell.points).sum::<u64>(),
            // "The winner of an encounter gets half of the points obtained in it on top. Halves are kept"
            "points-with-bonus" => {
                let parts = cells.iter().filter_map(|cell| Some((cell, cell.points?)));
                parts.map(|(cell, points)| if cell.halves() == 2 { 6 * points } else { 4 * points }).sum()
            }
            other => panic!("{other} is no tie-break"),
        })
    }

    /// Encounters that count as played: in a round robin also those that were won and lost by forfeit (15.2).
    fn counted(&self, number: usize) -> impl Iterator<Item = &Cell> {
        let is_forfeit = |cell: &Cell| cell.opponent.is_some() && matches!(cell.result, '+' | '-');
        self.cells(number).iter().filter(move |cell| cell.was_played() || self.is_round_robin && is_forfeit(cell))
    }

    /// The order of equal players by the encounters among them (6).
    fn direct(&self, mut group: Vec<usize>) -> Vec<Vec<(usize, Option<u64>)>> {
        let mut ranked = Vec::new();
        while group.len() > 1 {
            let met = |number: usize| {
                let others = group.clone();
                let is_other = move |cell: &&Cell| cell.opponent.is_some_and(|one| others.contains(&one));
                self.counted(number).filter(is_other)
            };
            // The mean of encounters with one opponent (6.1.2), in parts of a half that fit up to four of them.
            let score = |number: usize| {
                let with = |other: &usize| {
                    let all: Vec<u64> =
                        met(number).filter(|cell| cell.opponent == Some(*other)).map(Cell::halves).collect();
                    assert!(all.len() <= 4, "{number} and {other} met {} times", all.len());
                    PARTS * all.iter().sum::<u64>() / (all.len() as u64).max(1)
                };
                group.iter().map(with).sum::<u64>()
            };
            let figure = |number: usize| (number, Some(2 * score(number) / PARTS));
            let missing = |number: usize| {
                let is_missing =
                    |other: &&usize| **other != number && met(number).all(|cell| cell.opponent != Some(**other));
                group.iter().filter(is_missing).count() as u64
            };
            if group.iter().all(|number| missing(*number) == 0) {
                let equal = split(vec![group.clone()], |number| Some(score(number)));
                if equal.len() == 1 {
                    ranked.push(group.iter().map(|number| figure(*number)).collect());
                    return ranked;
                }
                // Those who stay equal are compared once more (6.2).
                for equal in equal {
                    ranked.extend(match equal[..] {
                        [one] => vec![vec![figure(one)]],
                        _ => self.direct(equal),
                    });
                }
                return ranked;
            }
            // Somebody is first who stays first even after losing all encounters that are missing, while each other wins all.
            let most = |number: usize| score(number) + 2 * PARTS * missing(number);
            let is_first = |one: &usize| group.iter().all(|other| other == one || score(*one) > most(*other));
            let Some(first) = group.iter().copied().find(is_first) else { break };
            ranked.push(vec![figure(first)]);
            group.retain(|number| *number != first);
        }
        ranked.push(group.into_iter().map(|number| (number, None)).collect());
        ranked
    }
}

/// Splits groups by a value, the greatest first.
fn split(groups: Vec<Vec<usize>>, value: impl Fn(usize) -> Option<u64>) -> Vec<Vec<usize>> {
    let mut finer = Vec::new();
    for group in groups {
        let mut by_value: BTreeMap<Option<u64>, Vec<usize>> = BTreeMap::new();
        for number in group {
            by_value.entry(value(number)).or_default().push(number);
        }
        finer.extend(by_value.into_values().rev());
    }
    finer
}
