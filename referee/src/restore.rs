//! Restores cells of a scoresheet that a spreadsheet has changed, if exactly one reading of them is legal.
//!
//! The search replays the sheet with every reading of every changed move. The number of plies is bounded, so that a sheet
//! made to slow down the search is rejected.

use std::collections::HashMap;

use quipu_notation::{
    Side,
    record::{Damaged, DamagedCell, Record, Spanned, clock},
};

use crate::{
    Diagnostic, Game, Position, Severity,
    judge::{self, Clocks},
    record::Breach,
};

/// Plies that the search plays, at most.
const PLIES: u32 = 200_000;
/// Changed moves of a sheet, at most.
const MOVES: usize = 64;
/// Legal readings of the whole sheet, at most; then the search stops.
const READINGS: usize = 32;
/// Readings of a cell that a message lists, at most.
const LISTED: usize = 8;

/// A record with the restored cells, and the diagnostics about them.
pub(crate) struct Restored<'a> {
    pub(crate) record: Record<'a>,
    pub(crate) found: Vec<Diagnostic>,
}

/// Restores the changed cells of a record of the game `G`.
pub(crate) fn record<G: Game>(mut record: Record<'_>) -> Restored<'_> {
    let damaged = std::mem::take(&mut record.damaged);
    let Ok(start) = judge::start::<G>(&record) else { return Restored { record, found: Vec::new() } };
    let mut found: Vec<_> = clocks::<G>(&mut record, &damaged, start.turn()).into_iter().collect();
    let moves: Vec<_> = damaged.iter().filter_map(|cell| Some((ply_of(cell)?, cell))).collect();
    let tags: Vec<_> = damaged.iter().filter_map(|cell| Some((tag_of(cell)?, cell))).collect();
    if moves.len() > MOVES {
        let (index, cell) = moves[0];
        found.push(at(index, cell, Breach::DamagedMany { found: cell.found.to_string(), count: moves.len() }));
        return Restored { record: Record { damaged, ..record }, found };
    }
    if moves.is_empty() && tags.is_empty() {
        return Restored { record, found };
    }
    let mut search = Search::<G>::new(&record, &moves, &tags);
    search.play(start, 0, &mut Vec::new());
    let Search { complete, farthest, exhausted, .. } = search;
    let decided = match (&complete[..], exhausted) {
        ([only], false) => Some(only.clone()),
        ([], false) => farthest.only(),
        _ => None,
    };
    let Some(reading) = decided else {
        let readings = if complete.is_empty() { &farthest.readings } else { &complete };
        found.extend(undecided(&moves, readings, !complete.is_empty() && !exhausted));
        return Restored { record: Record { damaged, ..record }, found };
    };
    for (&(index, cell), text) in moves.iter().zip(&reading.moves) {
        found.push(at(index, cell, Breach::Restored { found: cell.found.to_string(), reading: text.clone() }));
        record.movetext.plies[index].token = text.clone().into();
    }
    for (&(index, cell), text) in tags.iter().zip(&reading.tags) {
        let name = record.tags[index].name.to_string();
        let breach = Breach::RestoredTag { name, found: cell.found.to_string(), reading: text.clone() };
        found.push(Diagnostic::new(breach.into(), Some(cell.span)));
        record.tags[index].value = text.clone().into();
    }
    if let Some(&(index, cell)) = moves.get(reading.moves.len()).filter(|(index, _)| *index == farthest.index) {
        // No reading of this move can be played.
        found.push(at(index, cell, Breach::DamagedNone { found: cell.found.to_string() }));
    }
    Restored { record, found }
}

fn ply_of(cell: &Damaged<'_>) -> Option<usize> {
    if let DamagedCell::Ply(index) = cell.cell { Some(index) } else { None }
}

fn tag_of(cell: &Damaged<'_>) -> Option<usize> {
    if let DamagedCell::Tag(index) = cell.cell { Some(index) } else { None }
}

fn at(index: usize, cell: &Damaged<'_>, breach: Breach) -> Diagnostic {
    let diagnostic = Diagnostic::new(breach.into(), Some(cell.span));
    Diagnostic { ply: Some(index as u64 + 1), ..diagnostic }
}

/// The diagnostic about the first move whose readings differ.
fn undecided(moves: &[(usize, &Damaged<'_>)], readings: &[Reading], legal: bool) -> Option<Diagnostic> {
    for (number, &(index, cell)) in moves.iter().enumerate() {
        let mut texts: Vec<_> = readings.iter().filter_map(|reading| reading.moves.get(number)).collect();
        texts.sort_unstable();
        texts.dedup();
        if texts.len() > 1 {
            let more = texts.len() > LISTED;
            let mut listed = texts.into_iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
            listed.push_str(if more { ", …" } else { "" });
            let found = cell.found.to_string();
            let breach = if legal {
                Breach::DamagedSeveral { found, readings: listed }
            } else {
                Breach::DamagedUnsure { found, readings: listed }
            };
            return Some(at(index, cell, breach));
        }
    }
    let &(index, cell) = moves.first()?;
    Some(at(index, cell, Breach::DamagedNone { found: cell.found.to_string() }))
}

/// Chooses the readings of clocks in other forms. All clocks of a sheet are written in one way, so they share the index of
/// their reading.
fn clocks<G: Game>(record: &mut Record<'_>, damaged: &[Damaged<'_>], starts: Side) -> Option<Diagnostic> {
    let cells: Vec<_> = damaged
        .iter()
        .filter_map(|cell| match cell.cell {
            DamagedCell::Clock(index) => Some((index, cell)),
            _ => None,
        })
        .collect();
    let &(first, cell) = cells.first()?;
    let longest = cells.iter().map(|(_, cell)| cell.readings.len()).max().unwrap_or_default();
    let mut legal: Vec<Vec<u64>> = Vec::new();
    for place in 0..longest {
        let reading = |cell: &Damaged<'_>| {
            let text = cell.readings.get(place).or(cell.readings.first());
            text.and_then(|text| clock::parse_bare(text)).unwrap_or_default()
        };
        let millis: Vec<_> = cells.iter().map(|(_, cell)| reading(cell)).collect();
        if are_legal::<G>(record, &cells, &millis, starts) && !legal.contains(&millis) {
            legal.push(millis);
        }
    }
    let found = cell.found.to_string();
    let chosen = match &legal[..] {
        [] => return Some(restored_clocks(first, cell, cells.len())),
        [only] => only,
        _ => {
            let readings = cell.readings.join(", ");
            return Some(at(first, cell, Breach::DamagedClocks { found, readings }));
        }
    };
    for ((index, cell), millis) in cells.iter().zip(chosen) {
        record.movetext.plies[*index].clock = Some(Spanned { value: *millis, span: cell.span });
    }
    let reading = clock::text(chosen[0]);
    Some(at(first, cell, Breach::RestoredClocks { found, reading, count: cells.len() }))
}

/// The diagnostic for clocks of which no reading is legal; the judge reports their faults.
fn restored_clocks(index: usize, cell: &Damaged<'_>, count: usize) -> Diagnostic {
    let reading = cell.readings.first().cloned().unwrap_or_default();
    at(index, cell, Breach::RestoredClocks { found: cell.found.to_string(), reading, count })
}

/// True if no clock rises or begins above the time control.
fn are_legal<G: Game>(record: &Record<'_>, cells: &[(usize, &Damaged<'_>)], millis: &[u64], starts: Side) -> bool {
    let mut clocks = Clocks::new(record.value("TimeControl"), G::TIME_CONTROL);
    let mut changed = cells.iter().map(|(index, _)| *index).zip(millis.iter().copied()).peekable();
    let mut side = starts;
    record.movetext.plies.iter().enumerate().all(|(index, ply)| {
        let written = ply.clock.map(|clock| clock.value);
        let clock = changed.next_if(|(at, _)| *at == index).map(|(_, millis)| millis).or(written);
        let legal = !clocks.flag(side) && clock.is_none_or(|clock| clocks.set(side, clock, "").is_none());
        side = !side;
        legal
    })
}

/// A reading of the sheet: the texts of the changed moves in order, as far as they were played, and those of the changed
/// tags.
#[derive(Clone, Debug, PartialEq)]
struct Reading {
    moves: Vec<String>,
    tags: Vec<String>,
}

/// The readings that can be played the farthest.
#[derive(Default)]
struct Farthest {
    index: usize,
    readings: Vec<Reading>,
}

impl Farthest {
    fn note(&mut self, index: usize, moves: &[&str]) {
        if index > self.index {
            self.index = index;
            self.readings.clear();
        }
        if index == self.index && self.readings.len() < READINGS {
            let moves = moves.iter().map(|text| (*text).to_owned()).collect();
            self.readings.push(Reading { moves, tags: Vec::new() });
        }
    }

    /// The reading, if there is only one.
    fn only(&self) -> Option<Reading> {
        if let [only] = &self.readings[..] { Some(only.clone()) } else { None }
    }
}

/// Replays a record with all readings of its changed cells.
struct Search<'s, 'a, G> {
    record: &'s Record<'a>,
    moves: HashMap<usize, &'s [String]>,
    order: Vec<usize>,
    tags: Vec<(usize, &'s [String])>,
    complete: Vec<Reading>,
    farthest: Farthest,
    left: u32,
    exhausted: bool,
    game: std::marker::PhantomData<G>,
}

impl<'s, 'a, G: Game> Search<'s, 'a, G> {
    fn new(record: &'s Record<'a>, moves: &[(usize, &'s Damaged<'a>)], tags: &[(usize, &'s Damaged<'a>)]) -> Self {
        Self {
            record,
            moves: moves.iter().map(|&(index, cell)| (index, &cell.readings[..])).collect(),
            order: moves.iter().map(|(index, _)| *index).collect(),
            tags: tags.iter().map(|&(index, cell)| (index, &cell.readings[..])).collect(),
            complete: Vec::new(),
            farthest: Farthest::default(),
            left: PLIES,
            exhausted: false,
            game: std::marker::PhantomData,
        }
    }

    /// Plays from the ply at `index` on.
    fn play(&mut self, mut position: G::Position, mut index: usize, chosen: &mut Vec<&'s str>) {
        let record = self.record;
        while let Some(ply) = record.movetext.plies.get(index) {
            if self.left == 0 || self.complete.len() >= READINGS {
                self.exhausted |= self.left == 0;
                return;
            }
            self.left -= 1;
            if position.end().is_some() {
                return self.farthest.note(index, chosen);
            }
            if let Some(readings) = self.moves.get(&index).copied() {
                return self.branch(position, index, readings, chosen);
            }
            let Ok(mv) = position.resolve(&ply.token) else { return self.farthest.note(index, chosen) };
            position.play(mv);
            index += 1;
        }
        self.end(index, chosen);
    }

    /// Continues with each reading that is legal here. Two spellings of one move are one reading.
    fn branch(&mut self, position: G::Position, index: usize, readings: &'s [String], chosen: &mut Vec<&'s str>) {
        let mut seen = Vec::new();
        for reading in readings {
            let Ok(mv) = position.resolve(reading) else { continue };
            if seen.contains(&mv) {
                continue;
            }
            seen.push(mv);
            let mut next = position;
            next.play(mv);
            chosen.push(reading);
            self.play(next, index + 1, chosen);
            chosen.pop();
        }
        if seen.is_empty() {
            self.farthest.note(index, chosen);
        }
    }

    /// All moves were played: keeps the readings that agree with result, points and all other claims.
    fn end(&mut self, index: usize, chosen: &[&str]) {
        let mut record = self.record.clone();
        for (index, text) in self.order.iter().zip(chosen) {
            record.movetext.plies[*index].token = (*text).to_owned().into();
        }
        let plies = u32::try_from(record.movetext.plies.len()).unwrap_or(u32::MAX);
        let before = self.complete.len();
        // Points is the only tag that is restored.
        let values: Vec<Vec<String>> = match &self.tags[..] {
            [] => vec![Vec::new()],
            [(_, readings), ..] => readings.iter().map(|text| vec![text.clone()]).collect(),
        };
        for tags in values {
            self.left = self.left.saturating_sub(plies);
            for ((index, _), value) in self.tags.iter().zip(&tags) {
                record.tags[*index].value = value.clone().into();
            }
            let verdict = judge::verdict::<G>(&record, None);
            if verdict.diagnostics.iter().all(|diagnostic| diagnostic.severity() == Severity::Warning) {
                let moves = chosen.iter().map(|text| (*text).to_owned()).collect();
                self.complete.push(Reading { moves, tags });
            }
        }
        if self.complete.len() == before {
            self.farthest.note(index, chosen);
        }
    }
}
