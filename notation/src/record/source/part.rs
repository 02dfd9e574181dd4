//! A part of a source: a sheet of a workbook, a file of a zip.

use super::{super::Format, file_kind::SourceRefusal};

/// Bytes asked for at a time.
pub(super) const CHUNK: u64 = 64 * 1024;

/// A part of a source.
#[derive(Debug)]
pub(in crate::record) struct Part {
    /// Its format, if known.
    pub(in crate::record) format: Option<Format>,
    /// True if its lines are rows of a worksheet, with tabs between the cells.
    pub(in crate::record) cells: bool,
    /// Its text, or the reason that there is none.
    pub(in crate::record) text: Result<Vec<u8>, SourceRefusal>,
}
