//! SQLite: one file with a write-ahead log.
//!
//! | file | contents |
//! | --- | --- |
//! | `engine` | connections, statements, rows and failures in the terms of SQLite's library |
//! | `connect` | opening and configuration of a connection |
//! | `file` | identity of the file while it is open |
//! | `checkpoint`, `shutdown` | the write-ahead log: checkpoints beside the writer, and at the end |
//! | `copy` | a copy of the file, page by page |
//! | `full_text` | the full-text index (FTS5) |

pub(in crate::store) mod checkpoint;
pub(in crate::store) mod connect;
pub(in crate::store) mod copy;
pub(in crate::store::database) mod engine;
pub(in crate::store) mod file;
pub(in crate::store::database) mod full_text;
pub(in crate::store) mod shutdown;
