//! The archive: records, changes, receipts, and the SQLite file that holds them.
//!
//! [`model`] defines the data without SQL. [`store`] reads and writes it, and is the only module that contains SQL.
//! [`receipts`] are the signed statements about it. Nothing here depends on HTTP: the manifest names no crate for it.

pub mod model;
pub mod receipts;
pub mod report;
pub mod store;
