//! Sheets with slips, read by the referee's search and compared with the game that was played.

use std::{
    ops::AddAssign,
    time::{Duration, Instant},
};

use quipu_notation::record::{Ply, Record};
use quipu_referee::{
    Referee, Status,
    repair::Readings,
    repaired::{MergeFault, MergedSheets, merge, read},
    verify,
};
use serde_json::Value;

use crate::each_chunk;

/// A sheet with slips.
pub struct Sheet {
    /// Its number.
    pub case: u64,
    /// The sheet.
    pub record: Record<'static>,
    /// Kinds of its slips.
    pub slips: Vec<String>,
    /// Canonical tokens of the game that was played.
    pub truth: Vec<String>,
}

/// The sheets of a file such as `repair.ndjson` or `sheets.ndjson`.
///
/// # Panics
/// If it is no such file.
pub fn sheets(text: &str) -> Vec<Sheet> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines
        .flat_map(|line| {
            let names = if line["sheet"].is_null() {
                &[["a", "errors_a"], ["b", "errors_b"]][..]
            } else {
                &[["sheet", "errors"]]
            };
            names.iter().map(|names| sheet(&line, *names)).collect::<Vec<_>>()
        })
        .collect()
}

fn sheet(line: &Value, [sheet, errors]: [&str; 2]) -> Sheet {
    let texts = |value: &Value| -> Vec<String> {
        let texts = value.as_array().expect("a list").iter();
        texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
    };
    let mut records = Vec::new();
    each_chunk(line[sheet].as_str().expect("a sheet").as_bytes(), |chunk| {
        records.extend(chunk.records().map(|record| crate::slipped::owned(&record.expect("a record"))));
    });
    let slips = line[errors].as_array().expect("a list").iter();
    Sheet {
        case: line["case"].as_u64().expect("a number"),
        record: records.swap_remove(0),
        slips: slips.map(|slip| slip["kind"].as_str().expect("a kind").to_owned()).collect(),
        truth: texts(&line["truth"]),
    }
}

/// Sheets counted.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Sheets.
    pub sheets: u32,
    /// The true game is the first reading.
    pub first: u32,
    /// It is among the first three.
    pub of_three: u32,
    /// It is among all readings.
    pub found: u32,
    /// It is not the first reading, and as likely as that: nothing on the sheet tells them apart.
    pub tied: u32,
    /// The first reading is clear.
    pub clear: u32,
    /// The first reading is clear and not the true game.
    pub wrong: u32,
    /// The search was not complete.
    pub incomplete: u32,
    /// Readings that the judge does not verify.
    pub refused: u32,
    /// Times, one a sheet.
    pub times: Vec<Duration>,
}

impl Count {
    /// Adds a sheet, and returns its readings.
    pub fn add(&mut self, game: &dyn Referee, sheet: &Sheet) -> Readings {
        let start = Instant::now();
        let readings = game.readings(&sheet.record);
        self.times.push(start.elapsed());
        let place = readings.readings.iter().position(|reading| reading.moves == sheet.truth);
        self.sheets += 1;
        self.first += u32::from(place == Some(0));
        self.of_three += u32::from(place.is_some_and(|place| place < 3));
        self.found += u32::from(place.is_some());
        let costs = readings.readings.first().zip(place.map(|place| &readings.readings[place]));
        self.tied += u32::from(place != Some(0) && costs.is_some_and(|(first, truth)| first.cost == truth.cost));
        self.clear += u32::from(readings.is_clear);
        self.wrong += u32::from(readings.is_clear && place != Some(0));
        self.incomplete += u32::from(!readings.is_complete);
        for reading in &readings.readings {
            let status = verify::record(&read(&sheet.record, reading)).status;
            self.refused += u32::from(!matches!(status, Status::Verified | Status::Incomplete));
        }
        readings
    }

    /// The time that this share of the sheets took no longer than.
    pub fn time(&self, share: f64) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small number")]
        let place = (f64::from(self.sheets) * share) as usize;
        times.get(place.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.sheets += other.sheets;
        self.first += other.first;
        self.of_three += other.of_three;
        self.found += other.found;
        self.tied += other.tied;
        self.clear += other.clear;
        self.wrong += other.wrong;
        self.incomplete += other.incomplete;
        self.refused += other.refused;
        self.times.extend(other.times);
    }
}

/// The record with other moves.
pub fn with_moves<'r>(record: &Record<'r>, moves: &'r [String]) -> Record<'r> {
    let mut record = record.clone();
    let ply = |token: &'r String| Ply {
        token: token.as_str().into(),
        span: quipu_notation::Span::default(),
        number: None,
        clock: None,
        notes: None,
    };
    record.movetext.plies = moves.iter().map(ply).collect();
    record
}

/// Sheets of one game.
pub struct Pair {
    /// Its number.
    pub case: u64,
    /// The sheets.
    pub sheets: Vec<Record<'static>>,
    /// Canonical tokens of the game that was played.
    pub truth: Vec<String>,
}

/// The pairs of a file such as `sheets.ndjson`.
///
/// # Panics
/// If it is no such file.
pub fn pairs(text: &str) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for Sheet { case, record, truth, .. } in sheets(text) {
        match pairs.last_mut().filter(|pair| pair.case == case && pair.sheets.len() < 2) {
            Some(pair) => pair.sheets.push(record),
            None => pairs.push(Pair { case, sheets: vec![record], truth }),
        }
    }
    pairs
}

/// Merged pairs counted.
#[derive(Clone, Debug, Default)]
pub struct MergeCount {
    /// Pairs.
    pub pairs: u32,
    /// The merged game is the true one.
    pub right: u32,
    /// It differs from the true one at a ply that is not disputed.
    pub unmarked: u32,
    /// It is not verified.
    pub refused: u32,
    /// There is no merged game.
    pub none: u32,
    /// Disputed plies.
    pub disputed: usize,
    /// Times, one a pair.
    pub times: Vec<Duration>,
}

impl MergeCount {
    /// Adds a pair, and returns its game.
    pub fn add<'p>(&mut self, pair: &'p Pair) -> Result<MergedSheets<'p>, MergeFault> {
        let start = Instant::now();
        let merged = merge(&pair.sheets);
        self.times.push(start.elapsed());
        self.pairs += 1;
        match &merged {
            Err(_) => self.none += 1,
            Ok(found) => {
                let moves = &found.merged.moves;
                self.right += u32::from(*moves == pair.truth);
                let first = (0..moves.len().max(pair.truth.len())).find(|ply| moves.get(*ply) != pair.truth.get(*ply));
                let is_marked = |ply: usize| {
                    let ply = (ply + 1).min(moves.len()) as u64;
                    found.merged.disputed.iter().any(|disputed| disputed.ply == ply)
                };
                self.unmarked += u32::from(first.is_some_and(|ply| !is_marked(ply)));
                self.refused += u32::from(!matches!(found.verdict.status, Status::Verified | Status::Incomplete));
                self.disputed += found.merged.disputed.len();
            }
        }
        merged
    }
}
