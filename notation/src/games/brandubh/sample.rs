//! Records for tests.

use crate::record::{Chunk, Record};

/// Calls back with a record of Brandubh that has these tags and moves.
#[track_caller]
pub(super) fn with_record<T>(text: &str, check: impl FnOnce(&Record<'_>) -> T) -> T {
    let text = format!("[Game \"brandubh\"]\n{text}");
    check(&Chunk::new(text.as_bytes()).records().next().unwrap().unwrap())
}
