//! Faults of a text that is being read: the reader stops at the first, or collects all of them.

use super::{JsonFault, Limit, ReadError, ReadErrorKind, SyntaxFault, limits};
use crate::Span;

/// The collected faults; `None` if the reader stops at the first.
#[derive(Debug, Default)]
pub(super) struct Faults(Option<Vec<ReadError>>);

impl Faults {
    /// Collects all faults.
    pub(super) fn collecting() -> Self {
        Self(Some(Vec::new()))
    }

    /// Reports a fault.
    ///
    /// # Errors
    /// The fault, if the reader stops at it.
    #[cold]
    pub(super) fn add(&mut self, fault: ReadError) -> Result<(), ReadError> {
        let Some(found) = &mut self.0 else { return Err(fault) };
        if is_final(fault.kind) {
            return Err(fault);
        }
        if found.len() >= limits::FAULTS {
            return Err(ReadError::limit(Limit::Faults, fault.span));
        }
        found.push(fault);
        Ok(())
    }

    /// The value that was read; `None` if its fault was collected.
    ///
    /// # Errors
    /// The fault, if the reader stops at it.
    pub(super) fn collect<T>(&mut self, read: Result<T, ReadError>) -> Result<Option<T>, ReadError> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(fault) => self.add(fault).map(|()| None),
        }
    }

    /// The collected faults, and the one that ended reading.
    pub(super) fn finish(self, end: Result<(), ReadError>) -> Vec<ReadError> {
        let mut found = self.0.unwrap_or_default();
        found.extend(end.err());
        found
    }
}

/// True for a fault after which nothing can be read.
const fn is_final(kind: ReadErrorKind) -> bool {
    matches!(
        kind,
        ReadErrorKind::Limit(Limit::Plies | Limit::Nesting | Limit::Faults | Limit::Record)
            | ReadErrorKind::Syntax(SyntaxFault::Json(JsonFault::Form | JsonFault::End))
    )
}

/// The text with a digit in place of each byte that is not UTF-8, so that it can be read and places stay correct; and a
/// fault for the first byte of each run of them.
pub(super) fn readable(bytes: &[u8]) -> (String, Vec<ReadError>) {
    let (mut text, mut found) = (String::with_capacity(bytes.len()), Vec::<ReadError>::new());
    let mut last = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let Some(&byte) = chunk.invalid().first() else { continue };
        let at = text.len();
        if last != Some(at) && found.len() < limits::FAULTS {
            found.push(ReadError { kind: ReadErrorKind::Encoding { byte }, span: Span::new(at, at + 1) });
        }
        text.extend(chunk.invalid().iter().map(|_| '0'));
        last = Some(text.len());
    }
    (text, found)
}

/// All faults of a text: the `first`, at which strict reading stops, then the others in the order of the text. After a byte
/// that is not UTF-8, faults on the same line are dropped: the byte may be their cause.
pub(super) fn in_order(
    first: ReadError,
    text: &str,
    foreign: Vec<ReadError>,
    others: Vec<ReadError>,
) -> Vec<ReadError> {
    let bytes: Vec<_> = foreign.iter().map(|byte| byte.span.start).collect();
    let mut rest = [foreign, others].concat();
    rest.sort_by_key(|fault| fault.span.start);
    // Of several faults at one place only the first is reported.
    rest.dedup_by_key(|fault| fault.span.start);
    if !bytes.is_empty() {
        let (mut line, mut seen, mut is_behind) = (text.as_bytes(), 0, false);
        rest.retain(|ReadError { kind, span }| {
            let behind = line.get(span.start as usize - seen..).unwrap_or_default();
            is_behind &= memchr::memchr(b'\n', &line[..line.len() - behind.len()]).is_none();
            (line, seen) = (behind, span.start as usize);
            let next = bytes.partition_point(|byte| byte < &span.start);
            let is_byte = matches!(kind, ReadErrorKind::Encoding { .. });
            let covers = bytes.get(next).is_some_and(|byte| *byte < span.end);
            let is_told = is_byte || !(is_behind || covers);
            is_behind |= is_byte;
            is_told
        });
    }
    rest.retain(|fault| fault.span.start != first.span.start);
    rest.truncate(limits::FAULTS);
    rest.insert(0, first);
    rest
}
