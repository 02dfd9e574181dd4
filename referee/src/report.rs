//! The public JSON, for the command line and for the service alike.

use std::io;

use quipu_notation::{
    games::{self, GameNotation},
    record::Outcome,
};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::{Lang, Points, Verdict, is_active, words::catalog};

pub mod competition;

/// A verdict as `record.md` writes it: fields that do not apply are null.
#[derive(Debug, Serialize)]
pub struct VerdictReport<'v> {
    /// The file the record was read from, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'v str>,
    /// 1 for the first record of its file.
    pub index: u64,
    /// The game, if known.
    pub game: Option<&'v str>,
    /// The rule set, if known.
    pub rules: Option<&'v str>,
    /// `verified`, `incomplete`, `rejected` or `unreadable`.
    pub status: &'v str,
    /// Lawful plies replayed.
    pub plies: Option<u64>,
    /// The position after them.
    pub position: Option<&'v str>,
    /// How it ended.
    pub termination: Option<&'v str>,
    /// The result that the referee found.
    pub result: Option<&'v str>,
    /// Name of the side that won.
    pub winner: Option<&'v str>,
    /// Points by name of the side.
    pub points: Option<PointsReport>,
    /// What was found.
    pub diagnostics: Vec<DiagnosticReport<'v>>,
    /// SHA-256 of the canonical text, in hexadecimal.
    pub id: Option<String>,
}

/// Points of both sides, each by its name.
#[derive(Debug)]
pub struct PointsReport {
    game: &'static GameNotation,
    points: Points,
}

impl PointsReport {
    /// The points of a game.
    pub fn new(game: &'static GameNotation, points: Points) -> Self {
        Self { game, points }
    }
}

impl Serialize for PointsReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.game.sides.iter().map(|side| side.name).zip(self.points.counted()))
    }
}

/// One thing found.
#[derive(Debug, Serialize)]
pub struct DiagnosticReport<'v> {
    /// Stable name of what was found.
    pub code: &'v str,
    /// `error` or `warning`.
    pub severity: &'v str,
    /// At which ply, from 1.
    pub ply: Option<u64>,
    /// Line in the file, from 1.
    pub line: Option<u64>,
    /// Column, from 1, in characters.
    pub column: Option<u64>,
    /// The token it is about.
    pub token: Option<&'v str>,
    /// The same in words.
    pub message: String,
    /// Legal moves that may have been meant by a refused token, the likeliest first. Left out where there are none.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub suggestions: &'v [String],
}

impl VerdictReport<'_> {
    /// Writes one line of JSON.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, out: impl io::Write) -> io::Result<()> {
        write(self, out)
    }
}

/// Writes a report as one line of JSON. What a terminal would act on stands as an escape in it.
///
/// # Errors
/// What `out` reports.
pub fn write(report: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    report.serialize(&mut Serializer::with_formatter(&mut out, Harmless))?;
    out.write_all(b"\n")
}

/// JSON without spaces and without control characters.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        // Nearly all that is written is printable ASCII, and need not be looked at letter by letter.
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return out.write_all(fragment.as_bytes());
        }
        for part in fragment.split_inclusive(is_active) {
            let Some(control) = part.chars().next_back().filter(|&last| is_active(last)) else {
                return out.write_all(part.as_bytes());
            };
            out.write_all(&part.as_bytes()[..part.len() - control.len_utf8()])?;
            write!(out, "\\u{:04x}", u32::from(control))?;
        }
        Ok(())
    }
}

/// Lower-case hexadecimal digits of an id.
pub fn hex(id: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    // Lists have many of these, and gathered from an iterator each took thousands of instructions.
    let mut text = String::with_capacity(2 * id.len());
    for byte in id {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// A verdict with its words in one language.
pub fn verdict(verdict: &Verdict, index: u64, lang: Lang) -> VerdictReport<'_> {
    let game = verdict.game.and_then(games::find);
    let winner = verdict.finding.and_then(|finding| finding.winner());
    VerdictReport {
        file: None,
        index,
        game: verdict.game,
        rules: verdict.rules,
        status: verdict.status.as_str(),
        plies: verdict.plies,
        position: verdict.position.as_deref(),
        termination: verdict.finding.and_then(|finding| finding.termination).map(|row| row.name),
        result: verdict.finding.map(|finding| finding.outcome).map(Outcome::as_str),
        winner: game.zip(winner).map(|(game, side)| game.side(side).name),
        points: verdict.points.zip(game).map(|(points, game)| PointsReport::new(game, points)),
        diagnostics: verdict
            .diagnostics
            .iter()
            .map(|diagnostic| DiagnosticReport {
                code: diagnostic.code().id,
                severity: diagnostic.severity().as_str(),
                ply: diagnostic.ply,
                line: diagnostic.place.map(|place| place.line),
                column: diagnostic.place.map(|place| place.column),
                token: diagnostic.token.as_deref(),
                message: catalog().message(&diagnostic.message, lang),
                suggestions: &diagnostic.suggestions,
            })
            .collect(),
        id: verdict.id.as_ref().map(|id| hex(id)),
    }
}
