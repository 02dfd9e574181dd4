//! Records and faults as single lines, as tests expect them.

use std::fmt::Write;

use quipu_notation::{
    LineColumn,
    record::{Chunk, Movetext, ReadError, ReadErrorKind, Record},
};
use quipu_referee::{Diagnostic, Status, verify};

/// A record in one line: tags, comments, moves with what stands beside them, result. `@` is a clock.
pub fn record_line(record: &Record<'_>) -> String {
    let mut out = String::new();
    for tag in &record.tags {
        write!(out, "{}={} ", tag.name, tag.value).expect("a String takes everything");
    }
    show_line(&record.movetext, &mut out);
    if let Some(result) = record.result {
        write!(out, "=> {}", result.value.as_str()).expect("a String takes everything");
    }
    out.trim_end().to_owned()
}

fn show_line(line: &Movetext<'_>, out: &mut String) {
    let mut put = |text: std::fmt::Arguments<'_>| out.write_fmt(text).expect("a String takes everything");
    for comment in &line.comments {
        put(format_args!("{{{comment}}} "));
    }
    for ply in &line.plies {
        if let Some(number) = ply.number {
            put(format_args!("{}.", number.value));
        }
        put(format_args!("{} ", ply.token));
        if let Some(clock) = ply.clock {
            put(format_args!("@{} ", clock.value));
        }
        let Some(notes) = &ply.notes else { continue };
        for nag in &notes.nags {
            put(format_args!("${nag} "));
        }
        for comment in &notes.comments {
            put(format_args!("{{{comment}}} "));
        }
        for variation in &notes.variations {
            let mut inner = String::new();
            show_line(variation, &mut inner);
            put(format_args!("({}) ", inner.trim_end()));
        }
    }
}

/// The faults of a record in one line, each with code, kind, line and column in the file, and the text it covers.
pub fn fault_line(error: &ReadError, chunk: &Chunk<'_>) -> String {
    let verdict = verify::chunk(chunk)
        .map(|judged| judged.verdict)
        .find(|verdict| verdict.status == Status::Unreadable)
        .expect("it is refused");
    let faults = chunk.faults();
    assert_eq!(faults.first(), Some(error), "reading stops at the first of them: {faults:?}");
    assert_eq!(verdict.diagnostics.len(), faults.len(), "{verdict:?}");
    let lines = faults.iter().zip(&verdict.diagnostics).map(|(fault, diagnostic)| one_fault(fault, diagnostic, chunk));
    lines.collect::<Vec<_>>().join(", ")
}

fn one_fault(error: &ReadError, diagnostic: &Diagnostic, chunk: &Chunk<'_>) -> String {
    assert_eq!(diagnostic.place, Some(chunk.place(error.span.start as usize)));
    let code = diagnostic.code().id.trim_start_matches("record.");
    let kind = match error.kind {
        ReadErrorKind::Syntax(fault) => format!("{fault:?}"),
        ReadErrorKind::Encoding { byte } => format!("{byte:02x}"),
        ReadErrorKind::Tag { first } => format!("first {}", place(chunk.place(first.start as usize))),
        ReadErrorKind::Limit(limit) => format!("{limit:?}"),
        ReadErrorKind::Refused(refusal) => format!("{refusal:?}"),
    };
    let found = String::from_utf8_lossy(chunk.text().get(error.span.range()).unwrap_or_default());
    let found = if found.len() > 40 { format!("{} bytes", found.len()) } else { format!("‹{found}›") };
    format!("{code} {kind} {} {found}", place(chunk.place(error.span.start as usize)))
}

fn place(LineColumn { line, column }: LineColumn) -> String {
    format!("{line}:{column}")
}
