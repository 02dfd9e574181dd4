//! The interface of the store in the terms of SQLite's library.

use rusqlite::{
    CachedStatement, ErrorCode, ToSql, ffi, params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use crate::store::database::{
    error::{Error, Result},
    value::{Place, Value},
};

/// Instructions of SQLite's virtual machine between two checks of the deadline.
const STEPS: i32 = 10_000;

pub(in crate::store::database) type Connection = rusqlite::Connection;
pub(in crate::store::database) type Statement<'c> = CachedStatement<'c>;
pub(in crate::store::database) type Rows<'s> = rusqlite::Rows<'s>;
pub(in crate::store::database) type Row<'r> = &'r rusqlite::Row<'r>;

#[inline]
pub(in crate::store::database) fn prepare<'c>(connection: &'c Connection, sql: &str) -> Result<Statement<'c>> {
    Ok(connection.prepare_cached(sql)?)
}

pub(in crate::store::database) fn execute_batch(connection: &Connection, sql: &str) -> Result<()> {
    Ok(connection.execute_batch(sql)?)
}

pub(in crate::store::database) fn close(connection: Connection) -> Result<()> {
    Ok(connection.close().map_err(|(_, error)| error)?)
}

/// Has the running query cancelled as soon as `is_due`, which is asked from time to time.
pub(in crate::store::database) fn cancel_when(
    connection: &mut Connection,
    is_due: impl FnMut() -> bool + Send + 'static,
) -> Result<()> {
    Ok(connection.progress_handler(STEPS, Some(is_due))?)
}

pub(in crate::store::database) fn in_transaction(connection: &Connection) -> bool {
    !connection.is_autocommit()
}

pub(in crate::store::database) fn rows_written(connection: &Connection) -> u64 {
    connection.total_changes()
}

#[inline]
pub(in crate::store::database) fn execute(statement: &mut Statement<'_>, values: &[Value<'_>]) -> Result<usize> {
    Ok(statement.execute(params_from_iter(values))?)
}

#[inline]
pub(in crate::store::database) fn query<'s>(
    statement: &'s mut Statement<'_>,
    values: &[Value<'_>],
) -> Result<Rows<'s>> {
    Ok(statement.query(params_from_iter(values))?)
}

#[inline]
pub(in crate::store::database) fn next<'r>(rows: &'r mut Rows<'_>) -> Result<Option<Row<'r>>> {
    Ok(rows.next()?)
}

#[inline]
pub(in crate::store::database) fn value<'r>(row: Row<'r>, place: Place<'_>) -> Result<Value<'r>> {
    let value = match place {
        Place::Index(index) => row.get_ref(index)?,
        Place::Name(name) => row.get_ref(name)?,
    };
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(text),
        ValueRef::Blob(bytes) => Value::Blob(bytes),
    })
}

impl ToSql for Value<'_> {
    #[inline]
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(number),
            Self::Real(number) => ValueRef::Real(number),
            Self::Text(text) => ValueRef::Text(text),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl From<rusqlite::Error> for Error {
    #[cold]
    fn from(error: rusqlite::Error) -> Self {
        if matches!(error, rusqlite::Error::QueryReturnedNoRows) {
            return Self::NoRow;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::OperationInterrupted) => Self::Interrupted,
            Some(ErrorCode::CannotOpen) => Self::CannotOpen(error.to_string()),
            Some(ErrorCode::NotADatabase) => Self::NotADatabase(error.to_string()),
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt(error.to_string()),
            Some(ErrorCode::ConstraintViolation) => Self::Constraint(error.to_string()),
            _ if shows_damage(&error) => Self::Corrupt(error.to_string()),
            _ => Self::Other(error.to_string()),
        }
    }
}

/// True if SQLite failed because of damage: a page or a table is missing. A failed write is not damage.
fn shows_damage(error: &rusqlite::Error) -> bool {
    const UNREAD: [i32; 3] = [ffi::SQLITE_IOERR_READ, ffi::SQLITE_IOERR_SHORT_READ, ffi::SQLITE_IOERR_CORRUPTFS];
    let is_missing = |what: &str| what.starts_with("no such table");
    match error {
        rusqlite::Error::SqliteFailure(code, what) => {
            UNREAD.contains(&code.extended_code) || what.as_deref().is_some_and(is_missing)
        }
        rusqlite::Error::SqlInputError { msg, .. } => is_missing(msg),
        _ => false,
    }
}
