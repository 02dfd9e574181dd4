//! `quipu archive show`: one record of the archive with its verdicts and its history.

use std::io::{self, Write};

use clap::ArgMatches;
use quipu_archive::{
    model::{Change, ChangeKind, Id, Judgement, Source},
    receipts::Hex,
    report::{HistoryReport, RecordReport, time},
    store::{Contradiction, History, Refusal, Store, StoreError},
};
use quipu_notation::record::write::object;
use quipu_referee::report::{self, hex};

use super::{failure, in_short, list, players, refusal};
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless},
    origins::difference_message,
    output::Output,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = super::open_store(context, matches)?;
    let id = id(context, matches, &store)?;
    let found = store.read(|reading| {
        let Some((history, source)) = reading.history(&id)?.zip(reading.source(&id)?) else { return Ok(None) };
        let contradicted = reading.contradicted(history.card.number)?;
        Ok(Some((history, source, contradicted)))
    });
    let Some((history, source, contradicted)) = found.map_err(|error: StoreError| failure(context, &error))? else {
        return refusal::refused(context, &hex(&id), Refusal::NoRecord);
    };
    let mut out = Output::stdout();
    if matches.get_flag("json") {
        let chunk = source.chunk();
        let record = chunk.records().next().and_then(Result::ok);
        let history = HistoryReport::new(&history, source.format, context.lang);
        report::write(&RecordReport::new(history, record.as_ref().map(object)), &mut out)?;
    } else {
        written(context, &history, contradicted.as_ref(), &source, &mut out)?;
    }
    out.finish()?;
    Ok(ExitStatus::Clean)
}

/// Digits of an abbreviated id, at least.
const MIN_ID: usize = 4;

/// The id on the command line, whole or abbreviated to its first digits.
pub(super) fn id(context: Context, matches: &ArgMatches, store: &Store) -> Result<Id, CommandError> {
    let found = text(matches, "record-id").unwrap_or_default();
    let wrong = |key: &str| Err(CommandError::Usage(context.fill(key, &[("found", &harmless(found))])));
    if let Some(Hex(id)) = Hex::parse(found) {
        return Ok(id);
    }
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if !(MIN_ID..64).contains(&found.len()) || !found.bytes().all(is_digit) {
        return wrong("archive.show.bad-id");
    }
    match *store.read(|reading| reading.ids_with_prefix(found, 2)).map_err(|error| failure(context, &error))? {
        [] => wrong("archive.show.no-id"),
        [id] => Ok(id),
        _ => wrong("archive.show.several-ids"),
    }
}

/// Writes a record for people: the facts, the verdict, the changes, and the text.
fn written(
    context: Context,
    history: &History,
    contradicted: Option<&Contradiction>,
    source: &Source,
    out: &mut Output,
) -> io::Result<()> {
    let card = &history.card;
    writeln!(out, "{}", hex(&card.id))?;
    let mut facts = vec![players(card)];
    facts.extend(card.game.map(|game| game.id.to_owned()));
    facts.extend(list::event_line(context, card));
    facts.extend(card.date.map(|date| date.to_string()));
    facts.push(context.fill("archive.show.form", &[("form", &source.format.as_str())]));
    facts.extend(list::state(context, card.state));
    writeln!(out, "{}", facts.join(" · "))?;
    for old in history.replaces() {
        writeln!(out, "{}", context.fill("archive.show.replaces", &[("id", &hex(&old))]))?;
    }
    if let Some(new) = history.replaced_by() {
        writeln!(out, "{}", context.fill("archive.show.replaced-by", &[("id", &hex(&new))]))?;
    }
    if let Some(counted) = &card.sheet_of {
        writeln!(out, "{}", context.fill("archive.show.sheet-of", &[("id", &hex(counted))]))?;
    }
    for (_, id) in history.sheets.iter().filter(|(_, id)| *id != card.id && Some(*id) != card.sheet_of) {
        writeln!(out, "{}", context.fill("archive.show.sheet", &[("id", &hex(id))]))?;
    }
    if let Some(found) = contradicted {
        let other = hex(&found.earlier());
        let what = found
            .difference
            .as_ref()
            .map_or_else(|| other.clone(), |difference| difference_message(context, &other, difference));
        let sheet = context.say("sheets.this");
        writeln!(out, "{}", context.fill("archive.both-count", &[("sheet", &sheet), ("what", &what)]))?;
    }
    writeln!(out)?;
    for judgement in &history.judgements {
        verdict(context, judgement, out)?;
    }
    writeln!(out)?;
    for change in &history.changes {
        writeln!(out, "{}", self::change(context, change))?;
    }
    writeln!(out)?;
    let chunk = source.chunk();
    out.write_all(chunk.text())?;
    if chunk.text().ends_with(b"\n") { Ok(()) } else { writeln!(out) }
}

/// Writes a verdict with its findings.
fn verdict(context: Context, judgement: &Judgement, out: &mut Output) -> io::Result<()> {
    let said = context.fill(
        "archive.show.verdict",
        &[
            ("number", &judgement.number),
            ("verdict", &in_short(context, judgement)),
            ("edition", &judgement.edition),
            ("program", &judgement.program),
        ],
    );
    writeln!(out, "{said}")?;
    for found in &judgement.diagnostics {
        let place = found.line.zip(found.column).map(|(line, column)| format!("{line}:{column}: ")).unwrap_or_default();
        writeln!(out, "    {place}{}: {}", found.code, harmless(found.message(context.lang)))?;
    }
    Ok(())
}

/// A change in one line: number, time, effect, author and reason.
pub(super) fn change(context: Context, change: &Change) -> String {
    let id = |id: &Option<Id>| id.map(|id| hex(&id)).unwrap_or_default();
    let [name, into] =
        change.names.as_ref().map(|names| names.each_ref().map(|name| harmless(name))).unwrap_or_default();
    let key = match change.kind {
        ChangeKind::Record => "archive.change.record",
        ChangeKind::Verdict => "archive.change.verdict",
        ChangeKind::Correction => "archive.change.correction",
        ChangeKind::Retraction => "archive.change.retraction",
        ChangeKind::Merge => "archive.change.merge",
        ChangeKind::Tournament => "archive.change.tournament",
        ChangeKind::Undo => "archive.change.undo",
    };
    let did = context.fill(
        key,
        &[
            ("record", &id(&change.record)),
            ("corrects", &id(&change.corrects)),
            ("name", &name),
            ("into", &into),
            ("tournament", &change.tournament.unwrap_or_default()),
            ("undoes", &change.undoes.unwrap_or_default()),
        ],
    );
    change_line(context, change, &did)
}

/// The same with other words for the effect.
pub(in crate::commands) fn change_line(context: Context, change: &Change, did: &str) -> String {
    let by = [Some(&change.by.submitter), change.by.author.as_ref()].into_iter().flatten();
    let by = harmless(&by.map(String::as_str).collect::<Vec<_>>().join(", "));
    let mut line = format!("{}  {}  {did}  ({by})", change.number, time(change.at));
    if let Some(reason) = &change.by.reason {
        line.push_str(&format!(": {}", harmless(reason)));
    }
    if let Some(by) = change.undone_by {
        line.push_str(&context.fill("archive.change.undone", &[("by", &by)]));
    }
    line
}
