//! `quipu fmt`: canonical text, printed, checked, or written in place.
//!
//! A file with an unreadable record, or without any, is never rewritten, so nothing of it is lost.

mod compare;
mod diff;

use std::{
    cell::Cell,
    ffi::OsString,
    io::{self, Read, Write},
    path::Path,
};

use clap::ArgMatches;
use quipu_notation::record::{Encoding, Format, Reader, Record, write};

use self::{
    compare::Compare,
    diff::{Diff, DiffError, MAX_TEXT},
};
use crate::{
    args::reading,
    config,
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr},
    input::{self, FoundSources, InputSource, ReadOptions},
    output::{self, Output},
    transcode::{self, Transcoded},
};

/// The use of the canonical text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FmtMode {
    Print,
    /// Names the files that differ from it.
    Check,
    /// Prints the differences from it.
    Diff,
    /// Replaces the files that differ from it, and names them.
    Write,
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let mode = match ["check", "write", "diff"].map(|name| matches.get_flag(name)) {
        [false, false, false] => FmtMode::Print,
        [true, false, false] => FmtMode::Check,
        [false, true, false] => FmtMode::Write,
        [false, false, true] => FmtMode::Diff,
        _ => return Err(CommandError::Usage(context.say("fmt.one-mode").to_owned())),
    };
    let target = output::path_asked(matches);
    if target.is_some() && matches!(mode, FmtMode::Check | FmtMode::Write) {
        return Err(CommandError::Usage(context.say("fmt.output-of-what").to_owned()));
    }
    let FoundSources { sources, failures, mut skipped } =
        input::find_sources(context, matches, ReadOptions { format: Some(Format::Quipu), encoding: None })?;
    if mode == FmtMode::Write && sources.iter().any(|source| source.path().is_none()) {
        return Err(CommandError::Usage(context.say("fmt.write-where").to_owned()));
    }
    let folder = config::usual_folder();
    if mode == FmtMode::Write {
        // Refused before any file is touched, empty files included. Other failures of a file are reported in its turn.
        let named = matches.get_many::<OsString>("path").into_iter().flatten().map(Path::new);
        for path in named.chain(sources.iter().filter_map(InputSource::file)) {
            if let Err(refused @ CommandError::Usage(_)) = output::spare_archives(context, path, folder.as_deref()) {
                return Err(refused);
            }
        }
    }
    let encoding = reading(matches).encoding;
    let mut out = match mode {
        // The escapes of its colours are quipu's own, so they are safe to print.
        FmtMode::Diff => Output::from_args(context, matches, !context.color)?,
        FmtMode::Print | FmtMode::Check | FmtMode::Write => Output::from_args(context, matches, true)?,
    };
    let mut status = ExitStatus::Clean;
    let (failed, is_broken) = (output::failed(context, matches), Cell::new(false));
    let print_failed = |error: io::Error| {
        is_broken.set(true);
        failed(error)
    };
    for failure in failures {
        print_to_stderr(context.fill("error", &[("what", &failure)]));
        status = ExitStatus::Failed;
    }
    let run = Run { context, mode, encoding, folder: folder.as_deref(), failed: &print_failed };
    let renumber = matches.get_flag("renumber");
    let mut read = Transcoded::default();
    for source in &sources {
        let mut done = Formatted { numbers: MoveNumbers { renumber, wrong: 0 }, read: Transcoded::default() };
        let ended = run.one(source, &mut out, &mut done);
        if ended.is_ok() {
            done.numbers.tell(context, mode, &source.name());
        }
        read += done.read;
        // A file that fails does not stop the others.
        status = status.max(match ended {
            // The output is the same for all.
            Err(error) if is_broken.get() => return Err(error),
            Err(CommandError::Failed(message)) => {
                print_to_stderr(context.fill("error", &[("what", &message)]));
                ExitStatus::Failed
            }
            ended => ended?,
        });
    }
    let is_part = mode == FmtMode::Print && (status > ExitStatus::Clean || read.records == 0);
    match target.filter(|path| is_part && !input::is_special(path)) {
        // An existing file must not be replaced by only a part of the records.
        Some(path) => {
            let file = harmless(&path.display().to_string());
            print_to_stderr(context.fill("convert.unwritten", &[("file", &file), ("count", &read.unreadable)]));
        }
        None => out.finish().map_err(print_failed)?,
    }
    skipped += read.skipped;
    let told = skipped.tell(context, Some(Format::Quipu), read.records, status == ExitStatus::Failed);
    Ok(status.max(told))
}

/// The outcome of formatting a source.
struct Formatted {
    numbers: MoveNumbers,
    read: Transcoded,
}

/// Wrong move numbers of a source. They reveal a missing turn, so only `--renumber` changes them.
struct MoveNumbers {
    renumber: bool,
    /// Their number.
    wrong: usize,
}

impl MoveNumbers {
    /// The canonical text of a record, with its own numbers where they are in doubt.
    fn text(&mut self, record: &Record<'_>) -> String {
        self.wrong += write::wrong_numbers(record);
        if self.renumber { write::as_written(record) } else { write::as_formatted(record) }
    }

    /// Says how many there are.
    fn tell(&self, context: Context, mode: FmtMode, file: &str) {
        let key = match (self.renumber, mode) {
            _ if self.wrong == 0 => return,
            (false, _) => "fmt.numbers",
            (true, FmtMode::Check | FmtMode::Diff) => "fmt.to-renumber",
            (true, _) => "fmt.renumbered",
        };
        print_to_stderr(context.fill(key, &[("file", &file), ("count", &self.wrong)]));
    }
}

struct Run<'r> {
    context: Context,
    mode: FmtMode,
    encoding: Option<Encoding>,
    /// Folder of the archive in use.
    folder: Option<&'r Path>,
    /// The error about the output.
    failed: &'r dyn Fn(io::Error) -> CommandError,
}

impl Run<'_> {
    /// Brings one source into canonical form.
    fn one(&self, source: &InputSource, out: &mut Output, done: &mut Formatted) -> CommandResult {
        let Self { context, mode, encoding, folder, .. } = *self;
        let failed = |error: io::Error| CommandError::Failed(source.failure(context, &error));
        if mode == FmtMode::Write && source.file().is_some_and(input::is_special) {
            // The command would read a pipe and write to it, for ever.
            return Err(failed(io::ErrorKind::NotSeekable.into()));
        }
        if mode != FmtMode::Print && source.file().is_some() && (encoding.is_some() || !source.is_plain()) {
            // The file is compressed or in another encoding, so plain text must not replace it.
            return Err(CommandError::Failed(context.fill("fmt.compressed", &[("file", &source.name())])));
        }
        let mut compare = Compare::default();
        let mut diff = Diff::default();
        let opened: Box<dyn Read> = match mode {
            FmtMode::Diff => Box::new(diff.watch(source.open().map_err(failed)?)),
            FmtMode::Print | FmtMode::Check | FmtMode::Write => Box::new(compare.watch(source.open().map_err(failed)?)),
        };
        let mut new = match (mode, source) {
            (FmtMode::Write, InputSource::File(path)) => Some((Output::file(context, path, folder)?, path)),
            _ => None,
        };
        let mut other_form = None;
        let mut reader = Reader::new(opened);
        if let Some(encoding) = encoding {
            reader = reader.with_encoding(encoding);
        }
        let transcoded = transcode::each(context, source, reader, |place, record| {
            if place.chunk.format() != Format::Quipu {
                other_form = Some(place.chunk.format());
                return Ok(());
            }
            let text = done.numbers.text(record);
            if mode == FmtMode::Diff {
                diff.expect(&text);
                return Ok(());
            }
            compare.expect(text.as_bytes());
            match (mode, &mut new) {
                (FmtMode::Print, _) => out.write_all(text.as_bytes()).map_err(self.failed)?,
                (_, Some((new, path))) => {
                    new.write_all(text.as_bytes()).map_err(|error| output::failure(context, path, &error))?;
                }
                (_, None) => {}
            }
            Ok(())
        })?;
        let Transcoded { records, unreadable: refused, .. } = transcoded;
        done.read += transcoded;
        if let Some(form) = other_form {
            return Err(CommandError::Failed(
                context.fill("fmt.other-form", &[("file", &source.name()), ("form", &form.as_str())]),
            ));
        }
        if refused > 0 {
            if new.is_some() {
                print_to_stderr(context.fill("fmt.kept", &[("file", &source.name())]));
            }
            return Ok(ExitStatus::Faults);
        }
        if records == 0 {
            // Its lines, such as `% x`, would be lost.
            return Ok(ExitStatus::Clean);
        }
        if mode == FmtMode::Diff {
            let text = diff.unified(&source.name()).map_err(|undone| {
                CommandError::Failed(match undone {
                    DiffError::Large => {
                        context.fill("fmt.diff-large", &[("file", &source.name()), ("max", &(MAX_TEXT / 1024 / 1024))])
                    }
                    DiffError::Encoded => context.fill("fmt.compressed", &[("file", &source.name())]),
                })
            })?;
            out.write_all(diff::paint(context, &text).as_bytes()).map_err(self.failed)?;
            return Ok(if text.is_empty() { ExitStatus::Clean } else { ExitStatus::Faults });
        }
        if mode == FmtMode::Print || compare.same() {
            return Ok(ExitStatus::Clean);
        }
        writeln!(out, "{}", source.name())?;
        match new {
            Some((new, path)) => {
                new.finish().map_err(|error| output::failure(context, path, &error))?;
                Ok(ExitStatus::Clean)
            }
            None => Ok(ExitStatus::Faults),
        }
    }
}
