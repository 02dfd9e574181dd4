//! `quipu archive correct`, `retract`, `merge` and `undo`: decisions of people about stored records, with a reason, as
//! over HTTP.

use std::{ffi::OsString, io::Write};

use clap::ArgMatches;
use quipu_archive::{
    model::{Attribution, Id, Number, RecordState, SingleRecord, Submission, UnfitText},
    report::ChangeReport,
    store::{ReadTx, Refusal, Store, StoreError, WriteTx},
};
use quipu_notation::record::Chunk;
use quipu_referee::report::{self, hex};

use super::{
    failure,
    refusal::{refuse, refused},
    show,
};
use crate::{
    args::{reading, text},
    context::{CommandError, CommandResult, Context, ExitStatus, print_to_stderr, stdout},
    input::InputSource,
    transcode,
};

pub(crate) fn correct(context: Context, matches: &ArgMatches) -> CommandResult {
    let by = by(context, matches, "archive correct")?;
    let file: &OsString = matches.get_one("file").expect("the parser asks for it");
    let (source, mut reader) = InputSource::open_one(context, file, reading(matches))?;
    let found = SingleRecord::read(&mut reader);
    let found = found.map_err(|error| CommandError::Failed(source.failure(context, &error)))?;
    let key = match found {
        SingleRecord::One(submission) => return replace(context, matches, &source, &submission, by),
        SingleRecord::Nothing => "archive.correct.nothing",
        SingleRecord::Several => "archive.correct.several",
    };
    Ok(refuse(context, &context.fill(key, &[("file", &source.name())])))
}

/// Puts a record in the place of another.
fn replace(
    context: Context,
    matches: &ArgMatches,
    source: &InputSource,
    submission: &Submission,
    by: Attribution,
) -> CommandResult {
    let store = super::open_store(context, matches)?;
    let id = show::id(context, matches, &store)?;
    let replacement = submission.clone();
    match store.write(move |writing| writing.correct(&id, &replacement, &by)).wait() {
        Ok(change) => done(context, matches, &store, change),
        Err(refusal @ Refusal::NotVerified) => {
            for found in &submission.verdict.diagnostics {
                print_to_stderr(transcode::finding(context, &source.name(), &Chunk::new(&[]), None, &found.message));
            }
            refused(context, &source.name(), refusal)
        }
        Err(refusal @ Refusal::AlreadyStored(_)) => refused(context, &hex(&submission.id), refusal),
        Err(refusal) => of_record(context, &store, &id, refusal),
    }
}

pub(crate) fn retract(context: Context, matches: &ArgMatches) -> CommandResult {
    let by = by(context, matches, "archive retract")?;
    let store = super::open_store(context, matches)?;
    let id = show::id(context, matches, &store)?;
    match store.write(move |writing| writing.retract(&id, &by)).wait() {
        Ok(change) => done(context, matches, &store, change),
        Err(refusal) => of_record(context, &store, &id, refusal),
    }
}

pub(crate) fn merge(context: Context, matches: &ArgMatches) -> CommandResult {
    let by = by(context, matches, "archive merge")?;
    let [name, into] = ["name", "into"].map(|word| text(matches, word).unwrap_or_default().to_owned());
    let store = super::open_store(context, matches)?;
    let merged = store.write(move |writing: &WriteTx<'_>| {
        let named = |text: &str| {
            let player = writing.find_player(text)?;
            player.map(|player| player.name).ok_or_else(|| Refusal::NoPlayer(text.to_owned()))
        };
        let (name, into) = (named(&name)?, named(&into)?);
        writing.merge(&name, &into, &by)
    });
    match merged.wait() {
        Ok(change) => done(context, matches, &store, change),
        Err(refusal) => refused(context, text(matches, "name").unwrap_or_default(), refusal),
    }
}

pub(crate) fn undo(context: Context, matches: &ArgMatches) -> CommandResult {
    let by = by(context, matches, "archive undo")?;
    let asked: u64 = *matches.get_one("change").expect("the parser asks for it");
    let number = Number::try_from(asked).unwrap_or(Number::MAX);
    let store = super::open_store(context, matches)?;
    match store.write(move |writing| writing.undo(number, &by)).wait() {
        Ok(change) => done(context, matches, &store, change),
        Err(refusal) => refused(context, &asked.to_string(), refusal),
    }
}

/// The reason, which is required, and the author.
pub(in crate::commands) fn by(
    context: Context,
    matches: &ArgMatches,
    command: &str,
) -> Result<Attribution, CommandError> {
    let missing = || CommandError::Usage(context.fill("usage.missing", &[("argument", &"--reason")]));
    let reason = text(matches, "reason").ok_or_else(missing)?;
    let author = text(matches, "author").map(str::to_owned);
    Attribution::decision(format!("quipu {command}"), Some(reason), author).map_err(|unfit| {
        CommandError::Usage(match unfit {
            UnfitText::Reason => {
                context.fill("archive.bad-text", &[("name", &"--reason"), ("max", &Attribution::REASON)])
            }
            UnfitText::Author => {
                context.fill("archive.bad-line", &[("name", &"--author"), ("max", &Attribution::AUTHOR)])
            }
        })
    })
}

/// Prints the change that was made.
pub(in crate::commands) fn done(
    context: Context,
    matches: &ArgMatches,
    store: &Store,
    number: Number,
) -> CommandResult {
    let made = store.read(|reading| {
        let change = reading.changes(number - 1, 1)?.items.pop();
        change.ok_or_else(|| StoreError::Corrupt(format!("change {number} is missing")))
    });
    let change = made.map_err(|error| failure(context, &error))?;
    let mut out = stdout();
    if matches.get_flag("json") {
        report::write(&ChangeReport::from(change), &mut out)?;
    } else {
        writeln!(out, "{}", show::change(context, &change))?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The refusal of a change of a record. If the record is corrected already, the message names its replacement.
fn of_record(context: Context, store: &Store, id: &Id, refusal: Refusal) -> CommandResult {
    let found = hex(id);
    if !matches!(refusal, Refusal::NotCurrent(RecordState::Corrected)) {
        return refused(context, &found, refusal);
    }
    let by = |reading: &ReadTx<'_>| Ok(reading.history(id)?.and_then(|history| history.replaced_by()));
    let by = store.read(by).map_err(|error: StoreError| failure(context, &error))?;
    let by = by.map(|by| hex(&by)).unwrap_or_default();
    Ok(refuse(context, &context.fill("archive.refused.corrected", &[("found", &found), ("by", &by)])))
}
