//! Failures of a database, by what they mean for the store.

use std::{fmt, result};

/// The result of an operation on a database.
pub(in crate::store) type Result<T> = result::Result<T, Error>;

/// A failure of a database. The texts are those of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) enum Error {
    /// A query that must find a row found none.
    NoRow,
    /// Another program holds a lock for longer than the time limit.
    Busy,
    /// The disk is full.
    Full,
    /// The database cannot be written.
    ReadOnly,
    /// The query was cancelled, because of its time limit or because the store closes.
    Interrupted,
    /// The file cannot be opened.
    CannotOpen(String),
    /// The file is no database.
    NotADatabase(String),
    /// The database is damaged, or a column has a value that no version stores.
    Corrupt(String),
    /// The server cannot be reached, or the connection to it was lost.
    Unreachable(String),
    /// The server that accepts writes lacks acknowledged changes; its name.
    Behind(String),
    /// The server refuses the user or has no such database.
    Denied(String),
    /// The connection to the server was lost during a commit, which may have taken place.
    Unconfirmed(String),
    /// A row breaks a constraint.
    Constraint(String),
    /// Any other failure.
    Other(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRow => f.write_str("the query found no row"),
            Self::Busy => f.write_str("the database is locked"),
            Self::Full => f.write_str("the disk is full"),
            Self::ReadOnly => f.write_str("the database cannot be written"),
            Self::Interrupted => f.write_str("the query was cancelled"),
            Self::CannotOpen(text)
            | Self::NotADatabase(text)
            | Self::Corrupt(text)
            | Self::Unreachable(text)
            | Self::Behind(text)
            | Self::Denied(text)
            | Self::Unconfirmed(text)
            | Self::Constraint(text)
            | Self::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

/// The result of a query for one row that need not exist.
pub(in crate::store) trait OptionalRow<T> {
    /// `None` if there was no row.
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalRow<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(row) => Ok(Some(row)),
            Err(Error::NoRow) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
