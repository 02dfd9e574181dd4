//! The public JSON, for the command line and for the service alike.

use std::io;

use quipu_notation::{
    games::{self, GameNotation},
    record::Outcome,
};
use serde::Serialize;

use self::line::{Line, write_value};
use crate::{
    Board, Code, Lang, Points, Verdict,
    code::Source,
    messages::{CodeWords, catalog},
    replay::Played,
};
#[cfg(feature = "schema")]
use crate::{Severity, Status};

pub mod competition;
mod line;
pub mod repair;
pub mod sheets;
pub mod standings_csv;

/// A verdict as `docs/notation.md` describes it: fields that do not apply are null.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct VerdictReport<'v> {
    /// The file the record was read from, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub file: Option<&'v str>,
    /// The sheet of a workbook, or the file in a zip, that it was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub part: Option<&'v str>,
    /// 1 for the first record of its file.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub index: u64,
    /// The game, if known.
    pub game: Option<&'v str>,
    /// The rule set, if known.
    pub rules: Option<&'v str>,
    /// `verified`, `incomplete`, `rejected` or `unreadable`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = Status::ALL.map(Status::as_str))))]
    pub status: &'v str,
    /// Legal plies replayed.
    pub plies: Option<u64>,
    /// The position after them.
    pub position: Option<&'v str>,
    /// The termination.
    pub termination: Option<&'v str>,
    /// The result that the referee found.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = or_null(Outcome::ALL.map(Outcome::as_str)))))]
    pub result: Option<&'v str>,
    /// Name of the side that won.
    pub winner: Option<&'v str>,
    /// Points by name of the side.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::collections::BTreeMap<String, u32>>"))]
    pub points: Option<PointsReport>,
    /// The findings.
    pub diagnostics: Vec<DiagnosticReport<'v>>,
    /// SHA-256 of the canonical text, in hexadecimal.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub id: Option<String>,
    /// Likely slips that break no rule and change nothing of the verdict. Left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub advice: Vec<AdviceReport<'v>>,
    /// The first sheet of the same game among the records before this one, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub sheet_of: Option<sheets::OriginReport<'v>>,
    /// A record before this one that it contradicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub contradicts: Option<sheets::ContradictsReport<'v>>,
}

/// The names, and null: for fields that may not apply.
#[cfg(feature = "schema")]
fn or_null<const N: usize>(names: [&'static str; N]) -> Vec<Option<&'static str>> {
    names.into_iter().map(Some).chain([None]).collect()
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

    fn by_name(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.game.sides.iter().map(|side| side.name).zip(self.points.counted())
    }
}

impl Serialize for PointsReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.by_name())
    }
}

/// One thing found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct DiagnosticReport<'v> {
    /// Stable name of what was found.
    pub code: &'v str,
    /// `error` or `warning`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [Severity::Error, Severity::Warning].map(Severity::as_str))))]
    pub severity: &'v str,
    /// The ply, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ply: Option<u64>,
    /// Line in the file, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub line: Option<u64>,
    /// Column, from 1, in characters.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub column: Option<u64>,
    /// The token it is about.
    pub token: Option<&'v str>,
    /// The message.
    pub message: String,
    /// Legal moves that may have been meant by a refused token, the likeliest first. Left out where there are none.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 5)))]
    pub suggestions: &'v [String],
}

/// A code with everything known about it.
#[derive(Debug, Serialize)]
pub struct CodeReport<'c> {
    /// The code.
    code: &'c str,
    /// `error` or `warning`.
    severity: &'c str,
    /// The meaning in one line.
    title: &'c str,
    /// The source of the law: `article`, `ruling`, `follows` or `format`.
    source: &'c str,
    /// The article or ruling, if there is one.
    article: Option<&'c str>,
    /// The text of the law in both languages.
    law: LawReport<'c>,
    /// The correction.
    right: &'c str,
    /// An example that triggers it, with its correction.
    example: ExampleReport<'c>,
}

#[derive(Debug, Serialize)]
struct LawReport<'c> {
    es: &'c str,
    en: &'c str,
}

#[derive(Debug, Serialize)]
struct ExampleReport<'c> {
    record: Option<&'c str>,
    position: Option<&'c str>,
    token: Option<&'c str>,
    right: &'c str,
}

impl<'c> CodeReport<'c> {
    /// A code and its words.
    pub fn new(code: &'c Code, words: &'c CodeWords, lang: Lang) -> Self {
        let (source, article) = match code.source {
            Source::Article(article) => ("article", Some(article)),
            Source::Ruling(ruling) => ("ruling", Some(ruling)),
            Source::Follows(article) => ("follows", Some(article)),
            Source::Format => ("format", None),
        };
        let example = &words.example;
        Self {
            code: code.id,
            severity: code.severity.as_str(),
            title: words.title.get(lang),
            source,
            article,
            law: LawReport { es: &words.law.es, en: &words.law.en },
            right: words.right.get(lang),
            example: ExampleReport {
                record: example.record,
                position: example.position,
                token: example.token,
                right: example.right,
            },
        }
    }
}

/// A position of a game, and the ply that led to it.
#[derive(Debug, Serialize)]
pub struct PlyReport<'p> {
    /// Plies played; 0 is the start.
    ply: u64,
    /// Name of the side that played the ply.
    side: Option<&'p str>,
    /// The move, in its canonical form.
    token: Option<&'p str>,
    /// The time left to this side, in milliseconds.
    clock: Option<u64>,
    /// The position after the ply.
    position: String,
    /// The termination, if the game is over.
    termination: Option<&'p str>,
    /// The result, if the game is over.
    result: Option<&'p str>,
}

impl<'p> PlyReport<'p> {
    /// A ply and the board after it; nothing was played at the start.
    pub fn new(game: &GameNotation, played: Option<&'p Played>, board: &dyn Board) -> Self {
        let end = board.end();
        Self {
            ply: played.map_or(0, |played| played.ply),
            side: played.map(|played| game.side(played.side).name),
            token: played.map(|played| &*played.token),
            clock: played.and_then(|played| played.clock),
            position: board.position(),
            termination: end.map(|end| end.termination.name),
            result: end.map(|end| end.outcome.as_str()),
        }
    }

    /// Writes one line of JSON.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: impl io::Write) -> io::Result<()> {
        write(self, out)
    }
}

/// A source that could not be read, in the place of its verdicts.
#[derive(Debug, Serialize)]
pub struct FailureReport<'f> {
    /// The path of the source, unless it is standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'f str>,
    /// `failed`, which no verdict has.
    status: &'f str,
    /// The kind of failure.
    code: &'f str,
    /// The message.
    message: &'f str,
}

impl<'f> FailureReport<'f> {
    /// The failure of a source.
    pub fn new(file: Option<&'f str>, code: &'f str, message: &'f str) -> Self {
        Self { file, status: "failed", code, message }
    }
}

/// A likely slip that breaks no rule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, deny_unknown_fields, description = ""))]
pub struct AdviceReport<'v> {
    /// Stable name of the kind of slip.
    pub code: &'v str,
    /// The ply, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ply: Option<u64>,
    /// Line in the file, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub line: Option<u64>,
    /// Column, from 1, in characters.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub column: Option<u64>,
    /// The message.
    pub message: String,
}

impl VerdictReport<'_> {
    /// Appends one line of JSON, the same as [`write()`]. A stream has one for each record, and most of its texts and numbers need no
    /// serializer.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        let Self { file, part, index, game, rules, status, plies, position, termination, result, winner, .. } = self;
        let Self { points, diagnostics, id, advice, sheet_of, contradicts, .. } = self;
        let mut line = Line::begin(out);
        line.text_if_any(b"\"file\":", *file);
        line.text_if_any(b"\"part\":", *part);
        line.number(b"\"index\":", Some(*index));
        line.text(b"\"game\":", *game);
        line.text(b"\"rules\":", *rules);
        line.text(b"\"status\":", Some(*status));
        line.number(b"\"plies\":", *plies);
        line.text(b"\"position\":", *position);
        line.text(b"\"termination\":", *termination);
        line.text(b"\"result\":", *result);
        line.text(b"\"winner\":", *winner);
        line.numbers(b"\"points\":", points.as_ref().map(PointsReport::by_name));
        line.list(b"\"diagnostics\":", diagnostics);
        line.text(b"\"id\":", id.as_deref());
        if !advice.is_empty() {
            line.list(b"\"advice\":", advice);
        }
        if sheet_of.is_some() {
            line.value(b"\"sheet_of\":", sheet_of.as_ref());
        }
        if contradicts.is_some() {
            line.value(b"\"contradicts\":", contradicts.as_ref());
        }
        line.end();
    }
}

/// Writes a report as one line of JSON, with active characters escaped ([`is_active`](crate::is_active)).
///
/// # Errors
/// Those of `out`.
pub fn write(report: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    write_value(report, &mut out)?;
    out.write_all(b"\n")
}

/// Lower-case hexadecimal digits of an id.
pub fn hex(id: &[u8]) -> String {
    // Lists have many ids, and collecting from an iterator took thousands of instructions for each.
    let mut text = vec![0; 2 * id.len()];
    for (digits, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(id) {
        *digits = HEX[usize::from(*byte)];
    }
    String::from_utf8(text).unwrap_or_default()
}

/// The two digits of each byte.
static HEX: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    table
};

/// A verdict with its words in one language.
pub fn verdict(verdict: &Verdict, index: u64, lang: Lang) -> VerdictReport<'_> {
    let game = verdict.game.and_then(games::find);
    let winner = verdict.end.and_then(|end| end.winner());
    VerdictReport {
        file: None,
        part: None,
        index,
        game: verdict.game,
        rules: verdict.rules,
        status: verdict.status.as_str(),
        plies: verdict.plies,
        position: verdict.position.as_deref(),
        termination: verdict.end.and_then(|end| end.termination).map(|row| row.name),
        result: verdict.end.map(|end| end.outcome).map(Outcome::as_str),
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
        advice: verdict
            .advice
            .iter()
            .map(|slip| AdviceReport {
                code: slip.code().id,
                ply: slip.ply,
                line: slip.place.map(|place| place.line),
                column: slip.place.map(|place| place.column),
                message: catalog().message(&slip.message, lang),
            })
            .collect(),
        sheet_of: None,
        contradicts: None,
    }
}
