//! Names in the folder of an archive, and the mark that its file has.

/// The archive itself.
pub const DATABASE: &str = "quipu.db";
/// Locked by the service of the archive.
pub const LOCK: &str = "quipu.lock";
/// The key that signs receipts.
pub const KEY: &str = "quipu.key";
/// The head of the receipt log that was signed last.
pub const HEAD: &str = "quipu.head";
/// Written to see whether there is room on the disk.
pub const PROBE: &str = "quipu.room";
/// Settings of the service.
pub const SETTINGS: &str = "quipu.toml";

/// Ending of the write-ahead log that SQLite puts beside a file.
pub const WAL: &str = "-wal";
/// Ending of the index of that log.
pub const WAL_INDEX: &str = "-shm";
/// Ending of the rollback journal.
pub const JOURNAL: &str = "-journal";

/// SQLite's `application_id` of an archive: `quip`.
pub const APPLICATION_ID: u32 = 0x7175_6970;
