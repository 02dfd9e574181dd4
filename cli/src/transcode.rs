//! Converts records between formats: the common part of `fmt` and `convert`.

use std::{io::Read, ops::AddAssign};

use quipu_notation::{
    LineColumn, Span,
    record::{Chunk, Reader, Record},
};
use quipu_referee::{Diagnostic, Message, games, verify};

use crate::{
    context::{CommandError, Context, print_to_stderr},
    input::InputSource,
    part,
    skipped_files::SkippedFiles,
};

/// The outcome of converting a source.
#[derive(Default)]
pub(crate) struct Transcoded {
    pub(crate) records: u64,
    /// Number of those that are unreadable.
    pub(crate) unreadable: u64,
    /// The source if it has no record, and files in a zip that are not read.
    pub(crate) skipped: SkippedFiles,
}

impl AddAssign for Transcoded {
    fn add_assign(&mut self, other: Self) {
        self.records += other.records;
        self.unreadable += other.unreadable;
        self.skipped += other.skipped;
    }
}

/// A chunk and the name of its source.
#[derive(Clone, Copy)]
pub(crate) struct ChunkPlace<'n, 'c> {
    name: &'n str,
    pub(crate) chunk: &'n Chunk<'c>,
}

impl ChunkPlace<'_, '_> {
    /// The place of a span, in the style of compilers.
    pub(crate) fn of(self, span: Span) -> String {
        part::place(self.name, self.chunk, self.chunk.place(span.start as usize))
    }
}

/// Passes every record of a source to `write`, its tokens canonical. Reports unreadable records, and parts of foreign
/// formats that a record has no place for, on standard error.
pub(crate) fn each(
    context: Context,
    source: &InputSource,
    mut reader: Reader<impl Read>,
    mut write: impl FnMut(ChunkPlace<'_, '_>, &Record<'_>) -> Result<(), CommandError>,
) -> Result<Transcoded, CommandError> {
    let mut done = Transcoded::default();
    loop {
        // The names are known once a chunk of the first part was asked for.
        let failed = |error| CommandError::Failed(source.failure(context, &error));
        let parts = reader.parts_ahead().map_err(failed)?;
        let Some(chunk) = reader.next_chunk().map_err(failed)? else { break };
        let name = part::name(&source.name(), &parts, &chunk);
        for record in chunk.records() {
            done.records += 1;
            match record {
                Ok(record) => {
                    for Diagnostic { span, message, .. } in verify::left_out(&record) {
                        let place = span.map(|span| chunk.place(span.start as usize));
                        print_to_stderr(finding(context, &name, &chunk, place, &message));
                    }
                    let game = record.value("Game").and_then(games::find);
                    let record = match game.filter(|_| !record.damaged.is_empty()) {
                        Some(game) => {
                            let (record, found) = game.restored(record);
                            for Diagnostic { span, message, .. } in &found {
                                let place = span.map(|span| chunk.place(span.start as usize));
                                print_to_stderr(finding(context, &name, &chunk, place, message));
                            }
                            record
                        }
                        None => record,
                    };
                    write(ChunkPlace { name: &name, chunk: &chunk }, &games::normalized(&record))?;
                }
                Err(error) => {
                    done.unreadable += 1;
                    for fault in verify::unreadable(&error, &chunk).diagnostics {
                        let place = fault.span.map(|span| chunk.place(span.start as usize));
                        print_to_stderr(finding(context, &name, &chunk, place, &fault.message));
                    }
                }
            }
        }
    }
    if done.records == 0 {
        done.skipped.add_without_record(&source.name(), source.size());
    }
    for file in &*reader.skipped() {
        done.skipped.add_zip_entry(&source.name(), file);
    }
    Ok(done)
}

/// A line about a finding, with its place in the style of compilers.
pub(crate) fn finding(
    context: Context,
    name: &str,
    chunk: &Chunk<'_>,
    place: Option<LineColumn>,
    message: &Message,
) -> String {
    let at = place.map_or_else(|| name.to_owned(), |place| part::place(name, chunk, place));
    format!("{at}: {}: {}", message.code.id, context.message(message))
}
