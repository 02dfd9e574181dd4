//! A judged record as the page shows it, and the judging.

use std::{borrow::Cow, mem};

use quipu_notation::{
    Side,
    record::{Chunk, Format, Record},
};
use quipu_referee::{
    Diagnostic, Severity, Verdict, advice::PlayerName, competition, findings, games, repaired, verify,
};

use super::text;
use crate::{
    pages::snippet::Snippet,
    routes::{positions::LegalMoves, verify::player_names},
};

/// Findings explained per record, beside its errors.
pub(crate) const EXPLAINED: usize = 20;
/// Records listed with their status.
pub(super) const LISTED: usize = 500;
/// Bytes of a record that is kept for its readings, and how many times its size it takes.
pub(super) const KEPT: usize = 16 * 1024;
const SIZE_KEPT: usize = 50;
/// Bytes of a finding that is shown beside them.
const FINDING: usize = 1024;

pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) title: String,
    /// True if the record does not name its game.
    pub(super) lacks_game: bool,
    /// The findings as people read them, those that are shown, each with the lines around it.
    pub(super) told: Vec<(Diagnostic, Option<Snippet>)>,
    /// Findings that are not shown.
    pub(super) more: usize,
    /// True if a turn is likely missing before the illegal move.
    pub(super) turn_is_missing: bool,
    pub(super) players: Vec<PlayerName<'static>>,
    /// Its form, and the number of the sheet or file that it stands in.
    pub(super) sheet: Sheet,
    pub(super) part: Option<usize>,
    /// The text of the chunk that it begins, and its format, if it stands in a sheet or a file.
    pub(super) text: Option<(Format, Vec<u8>)>,
    /// The record, if it is short, for its readings, and about the bytes that it takes.
    pub(super) record: Option<Record<'static>>,
    kept: usize,
}

/// The form of a record, which its places and corrections depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sheet {
    /// A text or JSON.
    None,
    /// Rows of cells in a text.
    Csv,
    /// Rows of cells in a workbook.
    Workbook,
}

impl Sheet {
    fn of(chunk: &Chunk<'_>) -> Self {
        match chunk.format() {
            Format::Csv if chunk.is_of_cells() => Self::Workbook,
            Format::Csv => Self::Csv,
            _ => Self::None,
        }
    }
}

pub(super) fn judge(chunk: &Chunk<'_>, most: usize) -> Vec<Judged> {
    let around = |one: &Diagnostic| {
        let at = one.span.zip(one.place).filter(|_| chunk.oversized().is_none());
        at.map(|(span, place)| Snippet::of(chunk.text(), span, place))
    };
    // The referee drops comments, which a reading keeps.
    let mut whole = (chunk.text().len() <= KEPT).then(|| chunk.records());
    let is_kept = chunk.part().is_some() && chunk.text().len() <= text::MAX_TEXT;
    let mut text = is_kept.then(|| (chunk.format(), chunk.text().to_vec()));
    let judged = verify::chunk(chunk).take(most).map(|judged| {
        let found = findings::for_people(&judged.verdict, judged.record.as_ref());
        let turn_is_missing = findings::turn_is_missing(found.iter().map(|one| &**one));
        let advice = &judged.verdict.advice;
        let errors = found.iter().take_while(|one| one.severity() == Severity::Error).count();
        let shown = errors.max(EXPLAINED);
        let more = found.len().saturating_sub(shown) + advice.len().saturating_sub(EXPLAINED);
        let advice = advice.iter().take(EXPLAINED).map(Cow::Borrowed);
        let told = found.into_iter().take(shown).chain(advice).enumerate().map(|(place, one)| {
            let snippet = if place < 2 * EXPLAINED { around(&one) } else { None };
            (one.into_owned(), snippet)
        });
        let record =
            whole.as_mut().and_then(Iterator::next).and_then(Result::ok).map(|record| repaired::owned(&record));
        Judged {
            kept: if record.is_some() { SIZE_KEPT * chunk.text().len() } else { 0 },
            record,
            told: told.collect(),
            more,
            turn_is_missing,
            players: player_names(chunk, judged.record.as_ref()),
            sheet: Sheet::of(chunk),
            part: chunk.part(),
            text: text.take(),
            title: judged.record.as_ref().map(title).unwrap_or_default(),
            lacks_game: judged.record.as_ref().is_some_and(|record| record.tag("Game").is_none()),
            verdict: judged.verdict,
        }
    });
    judged.collect()
}

/// The names of the players, as far as they are written.
pub(super) fn title(record: &Record<'_>) -> String {
    let Some(game) = record.game() else { return String::new() };
    names(Side::BOTH.map(|side| competition::known_value(record, game.side(side).tag)))
}

/// The names of two players, as far as they are known.
pub(super) fn names(names: [Option<&str>; 2]) -> String {
    if names == [None; 2] {
        return String::new();
    }
    quipu_referee::shown(names.map(|name| name.unwrap_or("?")).join(" – ").as_bytes())
}

/// Alternatives to an illegal move.
pub(super) struct Alternatives {
    /// Legal moves that may have been meant.
    pub(super) suggestions: Vec<String>,
    /// All legal moves, only of the first rejected record: there may be very many, and counting them takes time.
    pub(super) legal: Option<LegalMoves>,
}

impl Judged {
    /// About the bytes of its part of the page.
    pub(super) fn size(&self) -> usize {
        let text = self.text.as_ref().map_or(0, |(_, text)| text.len());
        self.kept + text + self.title.len() + self.told.len().saturating_sub(EXPLAINED) * FINDING
    }

    /// The alternatives in the position before an illegal move.
    pub(super) fn alternatives(&self, counted: &mut bool) -> Option<Alternatives> {
        let fault = self.verdict.diagnostics.iter().find(|one| one.token.is_some())?;
        let game = self.verdict.game.and_then(games::find)?;
        let board = game.board(self.verdict.rules, self.verdict.position.as_deref()).ok()?;
        // A game that is over has no legal moves, even if its position string does not say so.
        if self.verdict.end.is_some() {
            return None;
        }
        let legal = (!mem::replace(counted, true)).then(|| LegalMoves::of(&*board));
        Some(Alternatives { suggestions: fault.suggestions.clone(), legal })
    }
}
