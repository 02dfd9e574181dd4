//! `quipu archive check`: checks that an archive is undamaged.

use std::io::{self, Write};

use clap::ArgMatches;
use quipu_archive::store::{ArchiveFault, StoreError};
use quipu_referee::report::hex;
use quipu_tournament::messages::catalog;

use super::{super::receipt, Bar, failure, in_short};
use crate::context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr, stdout};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let kept = match matches.get_one("head").map(|path| receipt::head(context, path)).transpose()? {
        Some(Err(line)) => return Err(CommandError::Usage(line)),
        Some(Ok(head)) => Some(head),
        None => None,
    };
    let store = super::open_store(context, matches)?;
    let (mut out, mut told, bar) = (stdout(), Ok(()), Bar::new(context));
    let mut tell = |fault: &ArchiveFault| -> io::Result<()> {
        bar.suspend(|| writeln!(out, "{}", harmless(&line(context, fault))))
    };
    let seen = |fault| told = std::mem::replace(&mut told, Ok(())).and_then(|()| tell(&fault));
    let checked = store.check(|progress| bar.show(progress), seen).map_err(|error| failure(context, &error))?;
    bar.end();
    told?;
    let mut faults = checked.faults;
    if let Some((file, head)) = kept
        && !match store.read(|reading| reading.has_had(&head)) {
            // The damage was reported already.
            Err(StoreError::Corrupt(_)) => false,
            had => had.map_err(|error| failure(context, &error))?,
        }
    {
        let size = head.size;
        writeln!(out, "{}", context.fill("archive.check.not-continued", &[("file", &file), ("size", &size)]))?;
        faults += 1;
    }
    out.flush()?;
    if checked.of_other_editions > 0 {
        print_to_stderr(context.fill("archive.check.older", &[("count", &checked.of_other_editions)]));
    }
    print_to_stderr(context.fill("archive.check.summary", &[("records", &checked.records), ("faults", &faults)]));
    Ok(if faults == 0 { ExitStatus::Clean } else { ExitStatus::Faults })
}

/// The line that reports a fault.
fn line(context: Context, fault: &ArchiveFault) -> String {
    match fault {
        ArchiveFault::File(what) => context.fill("archive.corrupt", &[("what", what)]),
        ArchiveFault::Log(log) => context.fill("archive.check.log", &[("file", &harmless(&log.display().to_string()))]),
        ArchiveFault::Schema(name) => context.fill("archive.check.schema", &[("name", name)]),
        ArchiveFault::Reference { table, row, parent } => {
            let row = row.map(|row| format!(" {row}")).unwrap_or_default();
            context.fill("archive.check.reference", &[("table", table), ("row", &row), ("parent", parent)])
        }
        ArchiveFault::Gap(first, last) => context.fill("archive.check.gap", &[("first", first), ("last", last)]),
        ArchiveFault::Change(number) => context.fill("archive.check.change", &[("number", number)]),
        ArchiveFault::Record(number, what) => {
            context.fill("archive.check.record", &[("number", number), ("what", what)])
        }
        ArchiveFault::Source(number, id) => {
            context.fill("archive.check.source", &[("number", number), ("id", &hex(id))])
        }
        ArchiveFault::Id(number, id, right) => {
            context.fill("archive.check.id", &[("number", number), ("id", &hex(id)), ("right", &hex(right))])
        }
        ArchiveFault::Canonical(number, id) => {
            context.fill("archive.check.canonical", &[("number", number), ("id", &hex(id))])
        }
        ArchiveFault::Verdict { id, stored, right } => {
            let [stored, right] = [stored, right].map(|judgement| in_short(context, judgement));
            context.fill("archive.check.verdict", &[("id", &hex(id)), ("stored", &stored), ("right", &right)])
        }
        ArchiveFault::Receipt(index) => context.fill("archive.check.receipt", &[("index", index)]),
        ArchiveFault::Tree(index) => context.fill("archive.check.tree", &[("index", index)]),
        ArchiveFault::Unreceipted(number) => context.fill("archive.check.unreceipted", &[("number", number)]),
        ArchiveFault::Head(size) => context.fill("archive.check.unsigned", &[("size", size)]),
        ArchiveFault::Rewritten(head) => {
            context.fill("archive.rewritten", &[("file", &harmless(&head.display().to_string()))])
        }
        ArchiveFault::Key(number) => context.fill("archive.check.key", &[("number", number)]),
        ArchiveFault::StoredOutcome(key) => context.fill("archive.check.answer", &[("key", &harmless(key))]),
        ArchiveFault::Derived { table, rows, right } => {
            context.fill("archive.check.derived", &[("table", table), ("rows", rows), ("right", right)])
        }
        ArchiveFault::Tournament { number, change, reason } => {
            let why = harmless(&catalog().fault(reason, context.lang));
            context.fill("archive.check.tournament", &[("number", number), ("change", change), ("why", &why)])
        }
        ArchiveFault::Rebuild(what) => context.fill("archive.check.rebuild", &[("what", what)]),
    }
}
