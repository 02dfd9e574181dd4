//! File names in the folder of an archive, and the mark in the header of the database.

/// The SQLite database.
pub const DATABASE: &str = "quipu.db";
/// Locked by the service.
pub const LOCK: &str = "quipu.lock";
/// The key that signs receipts.
pub const KEY: &str = "quipu.key";
/// The pinned head: the last signed head of the receipt log.
pub const HEAD: &str = "quipu.head";
/// Written to test for free space.
pub const PROBE: &str = "quipu.room";
/// Settings of the service.
pub const SETTINGS: &str = "quipu.toml";

/// Suffix of SQLite's write-ahead log.
pub const WAL: &str = "-wal";
/// Suffix of the index of the write-ahead log.
pub const WAL_INDEX: &str = "-shm";
/// Suffix of SQLite's rollback journal.
pub const JOURNAL: &str = "-journal";
/// Suffix of the note that the database is the whole archive, while its log is being removed or created.
pub const CHECKPOINTED: &str = "-checkpointed";
/// Suffixes of all files beside a database.
pub const BESIDE: [&str; 4] = [WAL, WAL_INDEX, JOURNAL, CHECKPOINTED];

/// SQLite's `application_id` of an archive: the bytes `quip`.
pub const APPLICATION_ID: u32 = 0x7175_6970;
