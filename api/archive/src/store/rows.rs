//! Columns of rows: from SQLite's types to those of the archive.

use std::fmt::Display;

use chrono::{DateTime, NaiveDate, Utc};
use quipu_notation::record::Format;
use quipu_referee::Status;
use rusqlite::{Row, RowIndex, types::Type};

use super::listing::PageBytes;
use crate::model::Id;

/// A column by its name, or by its index where there are many rows. (A name is compared with those of the columns before it
/// for each row, which took a third of the time of a list.)
pub(super) trait Column: RowIndex + Display + Copy {}

impl<C: RowIndex + Display + Copy> Column for C {}

/// The error for a value that no version stores.
pub(super) fn wrong(column: impl Display) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, format!("column {column}").into())
}

/// A text parsed as a value of a type.
pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, rusqlite::Error> {
    parse(row.get_ref(column)?.as_str()?).ok_or_else(|| wrong(column))
}

/// [`parsed`] for a column that may be null.
pub(super) fn maybe<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, rusqlite::Error> {
    match row.get_ref(column)?.as_str_or_null()? {
        None => Ok(None),
        Some(text) => parse(text).map(Some).ok_or_else(|| wrong(column)),
    }
}

/// A text as lists show it, cut if it is long. Its bytes count for the page.
pub(super) fn shown(
    row: &Row<'_>,
    column: impl Column,
    bytes: &mut PageBytes,
) -> Result<Option<String>, rusqlite::Error> {
    Ok(row.get_ref(column)?.as_str_or_null()?.map(|text| bytes.shown(text)))
}

/// [`shown`] for a column that is never null.
pub(super) fn shown_name(row: &Row<'_>, column: impl Column, bytes: &mut PageBytes) -> Result<String, rusqlite::Error> {
    Ok(bytes.shown(row.get_ref(column)?.as_str()?))
}

pub(super) fn id(row: &Row<'_>, column: impl Column) -> Result<Id, rusqlite::Error> {
    row.get(column)
}

pub(super) fn time(row: &Row<'_>, column: impl Column) -> Result<DateTime<Utc>, rusqlite::Error> {
    DateTime::from_timestamp_millis(row.get(column)?).ok_or_else(|| wrong(column))
}

pub(super) fn date(row: &Row<'_>, column: impl Column) -> Result<Option<NaiveDate>, rusqlite::Error> {
    maybe(row, column, |text| text.parse().ok())
}

pub(super) fn status(row: &Row<'_>, column: impl Column) -> Result<Status, rusqlite::Error> {
    parsed(row, column, |text| Status::ALL.into_iter().find(|status| status.as_str() == text))
}

pub(super) fn form(row: &Row<'_>, column: impl Column) -> Result<Format, rusqlite::Error> {
    parsed(row, column, Format::parse)
}
