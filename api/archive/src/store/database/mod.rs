//! The database below the store: connections, statements, rows and values. Only this folder names a database library.
//!
//! The store speaks SQL to a [`Connection`], whatever engine it belongs to. The interface is synchronous and as small as the store
//! needs: statements are cached by their text, parameters are borrowed, columns are read by index or name. Each engine has a
//! folder for all that is its own.
//!
//! | file | contents |
//! | --- | --- |
//! | `value` | values of parameters and columns, and the types that they are read as |
//! | `error` | failures, by what they mean for the store |
//! | `connection` | a connection, its transactions and savepoints |
//! | `statement` | a prepared statement and the rows of its result |
//! | `transaction` | a write transaction that is rolled back on drop |
//! | `lease` | the counted connections of a store |
//! | `aside` | tables that are built beside those of an archive |
//! | `open_database` | a database that is open, and all that its engine does in its own way |
//! | `text_match` | a search in the full-text index |
//! | `sqlite` | SQLite: the file, its log, checkpoints, backups and the full-text index |
//! | `postgres` | PostgreSQL: addresses, time limits, the turn to write and the full-text index |

#![cfg_attr(
    not(feature = "postgres"),
    allow(
        dead_code,
        unused_imports,
        unused_variables,
        clippy::unnecessary_wraps,
        reason = "the interface is that of several engines"
    )
)]

mod aside;
mod connection;
mod error;
mod lease;
mod open_database;
#[cfg(feature = "postgres")]
pub(super) mod postgres;
pub(super) mod sqlite;
mod statement;
mod text_match;
mod transaction;
mod value;

pub(super) use aside::Aside;
pub(super) use connection::Connection;
pub(super) use error::{Error, OptionalRow, Result};
pub(super) use lease::Leased;
pub(super) use open_database::{OpenDatabase, Scratch};
pub(super) use statement::{Row, Rows, Statement};
pub(super) use text_match::TextMatch;
pub(super) use transaction::Transaction;
pub(super) use value::{Column, FromValue, OwnedValue, Parameter, Parameters, Value, params};
