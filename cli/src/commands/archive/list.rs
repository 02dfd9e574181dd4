//! `quipu archive list`: records of the archive, one a line, in pages of bounded memory.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{
    model::{Card, Id, RecordState},
    report::CardReport,
    store::{Contradiction, Cursor, ListPage, StoreError, cursor_of, cursor_text},
};
use quipu_referee::report::{self, hex};

use super::{failure, filter::filter, players, short};
use crate::{
    args::{number, text},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr, stdout},
};

/// Records in memory at once.
const PAGE: usize = 100;

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = super::open_store(context, matches)?;
    let filter = filter(context, matches, &store)?;
    let mut after =
        text(matches, "cursor").map(|found| cursor(context, found, filter.order().is_by_date())).transpose()?;
    let mut left = number(matches, "limit").map(|limit| limit as usize);
    let json = matches.get_flag("json");
    let mut out = stdout();
    loop {
        let limit = left.map_or(PAGE, |left| left.min(PAGE));
        let page = store.read(|reading| {
            let ListPage { items, next } = reading.cards(&filter, after.as_ref(), limit)?;
            let items = items.into_iter().map(|card| {
                let contradicted = if json { None } else { reading.contradicted(card.number)? };
                Ok::<_, StoreError>((card, contradicted))
            });
            Ok(ListPage { items: items.collect::<Result<Vec<_>, _>>()?, next })
        });
        let ListPage { items, next } = page.map_err(|error: StoreError| failure(context, &error))?;
        left = left.map(|left| left.saturating_sub(items.len()));
        for (card, contradicted) in items {
            if json {
                report::write(&CardReport::from(card), &mut out)?;
            } else {
                writeln!(out, "{}", line(context, &card, contradicted.as_ref()))?;
            }
        }
        after = next;
        let Some(cursor) = &after else { break };
        if left == Some(0) {
            out.flush()?;
            print_to_stderr(
                context.fill("archive.list.more-records", &[("cursor", &cursor_text(cursor).unwrap_or_default())]),
            );
            return Ok(ExitStatus::Clean);
        }
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// Parses a cursor. A cursor from a list in another order is an error, as over HTTP.
fn cursor(context: Context, found: &str, is_by_date: bool) -> Result<Cursor, CommandError> {
    let cursor: Option<Cursor> = cursor_of(found);
    let fitting = cursor.filter(|cursor| cursor.date.is_some() == is_by_date);
    fitting.ok_or_else(|| CommandError::Usage(context.fill("archive.list.bad-cursor", &[("found", &harmless(found))])))
}

/// A record in one line: columns of fixed width first, then names, then its relations to other records.
fn line(context: Context, card: &Card, contradicted: Option<&Contradiction>) -> String {
    let absent = || "-".to_owned();
    let date = card.date.map_or_else(absent, |date| date.to_string());
    let game = card.game.map_or_else(absent, |game| game.id.to_owned());
    let result = card.result.clone().unwrap_or_else(absent);
    let status = context.word(card.status.word());
    let mut line = format!("{}  {date:10}  {game:8}  {result:7}  {status:10}  {}", hex(&card.id), players(card));
    let related = |key, id: &Id| context.fill(key, &[("id", &short(id))]);
    let sheet_of = card.sheet_of.as_ref().map(|counted| related("archive.list.sheet-of", counted));
    let contradicts = contradicted.map(|found| related("archive.list.contradicts", &found.earlier()));
    for text in [event_line(context, card), state(context, card.state), sheet_of, contradicts].into_iter().flatten() {
        line.push_str(" · ");
        line.push_str(&text);
    }
    line
}

/// Event and round of a record.
pub(super) fn event_line(context: Context, card: &Card) -> Option<String> {
    let round = card.round.as_ref().map(|round| context.fill("view.round", &[("round", &harmless(round))]));
    let event = card.event.as_ref().map(|(_, name)| harmless(name));
    let parts: Vec<_> = event.into_iter().chain(round).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// The state of a record that is not current.
pub(super) fn state(context: Context, state: RecordState) -> Option<String> {
    let key = match state {
        RecordState::Current => return None,
        RecordState::Corrected => "archive.state.corrected",
        RecordState::Retracted => "archive.state.retracted",
    };
    Some(context.say(key).to_owned())
}
