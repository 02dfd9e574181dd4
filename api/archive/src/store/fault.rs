//! Faults that a check of an archive finds.

use std::path::PathBuf;

use quipu_tournament::fault;

use crate::model::{Id, Judgement, Number};

/// Something that is wrong with an archive.
#[derive(Clone, Debug, PartialEq)]
pub enum ArchiveFault {
    /// The file is damaged; the message of SQLite.
    File(String),
    /// The write-ahead log that belongs to the file is missing.
    Log(PathBuf),
    /// A table, index or trigger is changed, missing or unknown; its name.
    Schema(String),
    /// A row refers to a missing one.
    Reference {
        /// Table of the row.
        table: String,
        /// Number of the row, if it has one.
        row: Option<i64>,
        /// Table of the missing row.
        parent: String,
    },
    /// Changes are missing before others: the first and the last of them.
    Gap(Number, Number),
    /// A change does not have the columns of its kind, or its record or verdict is missing.
    Change(Number),
    /// A record cannot be read; the reason.
    Record(Number, String),
    /// The source of a record has another hash than when it was added.
    Source(Number, Id),
    /// The id of a record is not that of its source; the stored id and the right one.
    Id(Number, Id, Id),
    /// The canonical text of a record is not that of its source.
    Canonical(Number, Id),
    /// The verdict on a record is of the current edition of the rules, and is not what they give.
    Verdict {
        /// The record.
        id: Id,
        /// The stored verdict.
        stored: Box<Judgement>,
        /// The right one.
        right: Box<Judgement>,
    },
    /// A receipt is missing, or not that of its verdict; its index.
    Receipt(u64),
    /// From this index on, the tree is not that of the receipts.
    Tree(u64),
    /// A verdict, or its confirmation under another edition, has no receipt; its number.
    Unreceipted(Number),
    /// A signed head is not that of the receipts, or its signature is wrong; its size.
    Head(u64),
    /// The log does not continue the pinned head in this file.
    Rewritten(PathBuf),
    /// A key is not signed by the one before it; its number.
    Key(Number),
    /// A stored outcome of a request does not have its checksum; the idempotency key.
    StoredOutcome(String),
    /// A derived table differs from one built from the changes.
    Derived {
        /// The table.
        table: &'static str,
        /// Number of its rows.
        rows: u64,
        /// The right number of rows.
        right: u64,
    },
    /// A change of a tournament does not apply.
    Tournament {
        /// The tournament.
        number: Number,
        /// The change.
        change: Number,
        /// The reason.
        reason: fault::Fault,
    },
    /// The derived tables cannot be built, because the changes contradict each other; the reason.
    Rebuild(String),
}
