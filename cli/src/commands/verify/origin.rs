//! The origin of a record, as reports name it.

use std::path::Path;

/// The place of a record: path, part and number for programs, name for people.
pub(super) struct Origin<'s> {
    pub(super) path: Option<&'s str>,
    pub(super) file: Option<&'s Path>,
    pub(super) part: Option<&'s str>,
    pub(super) name: &'s str,
    /// Number of the record in the source.
    pub(super) number: u64,
}
