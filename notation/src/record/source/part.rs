//! A part of a source: a sheet of a workbook, a file of a zip.

use super::{super::Format, foreign::Refusal};

/// Bytes asked for at a time.
pub(super) const CHUNK: u64 = 64 * 1024;

/// A part of a source.
#[derive(Debug)]
pub(in crate::record) struct Part {
    /// Its form, if that is known.
    pub(in crate::record) form: Option<Format>,
    /// Its lines are rows and its tabs stand between cells.
    pub(in crate::record) cells: bool,
    /// Its text, or why there is none.
    pub(in crate::record) text: Result<Vec<u8>, Refusal>,
}
