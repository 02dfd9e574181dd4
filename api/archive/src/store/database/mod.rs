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
//! | `sqlite` | SQLite: the file, its log, checkpoints, backups and the full-text index |

mod connection;
mod error;
pub(super) mod sqlite;
mod statement;
mod transaction;
mod value;

pub(super) use connection::Connection;
pub(super) use error::{Error, OptionalRow, Result};
pub(super) use statement::{Row, Rows, Statement};
pub(super) use transaction::Transaction;
pub(super) use value::{Column, Parameter, Parameters, Value, params};
