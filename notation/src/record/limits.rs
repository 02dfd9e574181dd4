//! Limits of the reader. Exactly the limit is allowed; one more is `record.limit`.

/// Bytes of a move token.
pub const TOKEN: usize = 256;
/// Bytes of a tag's value, escapes resolved.
pub const VALUE: usize = 64 * 1024;
/// Bytes of a comment, between its braces or after its `;`.
pub const COMMENT: usize = 64 * 1024;
/// Variations inside one another.
pub const NESTING: usize = 64;
/// Bytes of a record, from its first to its last that is not white space.
pub const RECORD: usize = 16 * 1024 * 1024;
/// Plies of a record, variations not counted.
pub const PLIES: usize = 100_000;
/// Faults of a record that are listed, besides the one at which strict reading stops.
pub const FAULTS: usize = 1000;
/// Largest number of an annotation `$n`.
pub const NAG: u32 = u32::MAX;
/// Uncompressed bytes that a compressed source of any size may have.
pub const DECOMPRESSED_BASE: u64 = 16 * 1024 * 1024;
/// Beyond that, uncompressed bytes for each byte of a compressed source.
pub const DECOMPRESSED_RATIO: u64 = 200;
/// Bytes of a workbook or a zip.
pub const WORKBOOK: usize = 16 * 1024 * 1024;
/// Uncompressed bytes of a workbook or a zip.
pub const WORKBOOK_UNPACKED: usize = 64 * 1024 * 1024;
/// Filled cells of a workbook, all its sheets together.
pub const CELLS: usize = 1_000_000;
/// Sheets of a workbook, or files in a zip.
pub const PARTS: usize = 10_000;
