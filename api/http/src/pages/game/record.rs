//! A record with everything that its page shows.

use quipu_notation::{LineColumn, record::Format};
use quipu_referee::report::hex;

use super::replay::ReplayedGame;
use crate::{
    pages::{check, snippet::Snippet},
    problem::{self, Problem},
    request::RequestContext,
    routes::{
        positions,
        records::{no_record, with_source_now},
    },
};
use quipu_archive::{
    model::{Source, StoredDiagnostic},
    store::{History, Neighbours, StoreError},
};

/// A page of a record at the requested ply, written on another thread.
pub(super) async fn replayed(
    context: &RequestContext,
    write: impl FnOnce(&RecordPage) -> Result<String, Problem> + Send + 'static,
) -> Result<String, Problem> {
    let (id, lang) = (context.record(), context.lang);
    let flip = context.text("flip") == Some("yes");
    let at = context.number("ply").map(|ply| usize::try_from(ply).unwrap_or(usize::MAX));
    let store = context.store().clone();
    with_source_now(context, &id, move |source| {
        let found = store.read(|reading| {
            let Some(history) = reading.history(&id)? else { return Ok(None) };
            let neighbours = reading.neighbours(history.card.number)?;
            Ok::<_, StoreError>(Some((history, neighbours)))
        })?;
        let (history, neighbours) = found.ok_or_else(|| no_record(&id))?;
        let record = positions::readable(&id, source).ok();
        let game = record.as_ref().and_then(|record| ReplayedGame::of(record, at, lang)).transpose()?;
        let snippets = snippets(&history, source);
        if at.is_some() && game.is_none() {
            return Err(nothing_to_show(&hex(&id)));
        }
        let (id, form, readable) = (hex(&id), source.format, record.is_some());
        write(&RecordPage { id, history, neighbours, form, readable, game, flip, snippets })
    })
    .await
}

/// The problem of a record that cannot be replayed.
pub(super) fn nothing_to_show(id: &str) -> Problem {
    Problem::variant(problem::NOT_FOUND, "replay").with("found", id)
}

pub(super) struct RecordPage {
    pub(super) id: String,
    pub(super) history: History,
    pub(super) neighbours: Neighbours,
    /// The format as submitted.
    pub(super) form: Format,
    pub(super) readable: bool,
    pub(super) game: Option<ReplayedGame>,
    /// True if the board is seen from the other side.
    pub(super) flip: bool,
    /// The lines around each of the first diagnostics of the current verdict.
    pub(super) snippets: Vec<Option<Snippet>>,
}

/// The lines of the submitted bytes around each finding.
pub(super) fn snippets(history: &History, source: &Source) -> Vec<Option<Snippet>> {
    let found = history.judgements.last().map(|judgement| &*judgement.diagnostics).unwrap_or_default();
    let around = |one: &StoredDiagnostic| {
        let place = LineColumn { line: one.line?, column: one.column? };
        Some(Snippet::at(&source.bytes, place, one.token.as_deref().unwrap_or_default()))
    };
    found.iter().take(check::EXPLAINED).map(around).collect()
}
