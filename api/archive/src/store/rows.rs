//! Columns of rows: from the types of the database to those of the archive.

use std::fmt::Display;

use chrono::{DateTime, NaiveDate, Utc};
use quipu_notation::record::Format;
use quipu_referee::Status;

use super::{
    database::{self, Column, Row},
    listing::PageBytes,
};
use crate::model::Id;

/// The error for a value that no version stores.
pub(super) fn wrong(column: impl Display) -> database::Error {
    database::Error::Corrupt(format!("column {column}"))
}

/// A text parsed as a value of a type.
pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> database::Result<T> {
    parse(row.value(column)?.as_str()?).ok_or_else(|| wrong(column))
}

/// [`parsed`] for a column that may be null.
pub(super) fn maybe<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> database::Result<Option<T>> {
    match row.value(column)?.as_str_or_null()? {
        None => Ok(None),
        Some(text) => parse(text).map(Some).ok_or_else(|| wrong(column)),
    }
}

/// A text as lists show it, cut if it is long. Its bytes count for the page.
pub(super) fn shown(row: &Row<'_>, column: impl Column, bytes: &mut PageBytes) -> database::Result<Option<String>> {
    Ok(row.value(column)?.as_str_or_null()?.map(|text| bytes.shown(text)))
}

/// [`shown`] for a column that is never null.
pub(super) fn shown_name(row: &Row<'_>, column: impl Column, bytes: &mut PageBytes) -> database::Result<String> {
    Ok(bytes.shown(row.value(column)?.as_str()?))
}

pub(super) fn id(row: &Row<'_>, column: impl Column) -> database::Result<Id> {
    row.get(column)
}

pub(super) fn time(row: &Row<'_>, column: impl Column) -> database::Result<DateTime<Utc>> {
    DateTime::from_timestamp_millis(row.get(column)?).ok_or_else(|| wrong(column))
}

pub(super) fn date(row: &Row<'_>, column: impl Column) -> database::Result<Option<NaiveDate>> {
    maybe(row, column, |text| text.parse().ok())
}

pub(super) fn status(row: &Row<'_>, column: impl Column) -> database::Result<Status> {
    parsed(row, column, |text| Status::ALL.into_iter().find(|status| status.as_str() == text))
}

pub(super) fn format(row: &Row<'_>, column: impl Column) -> database::Result<Format> {
    parsed(row, column, Format::parse)
}
