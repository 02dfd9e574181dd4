//! Formats that one game brings along: those of other programs for it.

use crate::record::{Format, ReadError, Record};

/// A format of another program. A source in it is one record.
#[derive(Debug)]
pub struct ForeignFormat {
    /// The format.
    pub format: Format,
    /// Reads the whole text of a source.
    pub read: fn(&str) -> Result<Record<'_>, ReadError>,
}
