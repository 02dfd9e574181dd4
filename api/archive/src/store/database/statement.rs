//! Prepared statements and the rows of their results.

#[cfg(feature = "postgres")]
use super::postgres;
use super::{
    error::{Error, Result},
    sqlite::engine,
    value::{Column, FromValue, Parameters, Value},
};

/// A prepared statement. It returns to the cache of its connection on drop.
pub(in crate::store) enum Statement<'c> {
    Sqlite(engine::Statement<'c>),
    #[cfg(feature = "postgres")]
    Postgres(postgres::engine::Statement<'c>),
}

impl Statement<'_> {
    /// Runs it; returns the number of rows that it wrote.
    pub(in crate::store) fn execute(&mut self, values: impl Parameters) -> Result<usize> {
        match self {
            Self::Sqlite(statement) => values.bound(|values| engine::execute(statement, values)),
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => values.bound(|values| statement.execute(values)),
        }
    }

    /// Runs it; an engine need not wait for the result. A failure shows at the latest when the transaction is committed.
    pub(in crate::store) fn execute_later(&mut self, values: impl Parameters) -> Result<()> {
        match self {
            Self::Sqlite(statement) => values.bound(|values| engine::execute(statement, values)).map(drop),
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => values.bound(|values| statement.execute_later(values)),
        }
    }

    /// The rows that it finds.
    pub(in crate::store) fn query(&mut self, values: impl Parameters) -> Result<Rows<'_>> {
        match self {
            Self::Sqlite(statement) => values.bound(|values| engine::query(statement, values)).map(Rows::Sqlite),
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => values.bound(|values| statement.query(values)).map(Rows::Postgres),
        }
    }

    /// The first row that it finds.
    ///
    /// # Errors
    /// [`Error::NoRow`] if there is none.
    pub(in crate::store) fn query_row<T>(
        &mut self,
        values: impl Parameters,
        row: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        row(&self.query(values)?.next()?.ok_or(Error::NoRow)?)
    }

    /// The rows of a run with each of these lists of parameters. An engine need not wait for one before it sends the next.
    pub(in crate::store) fn query_pipelined<T>(
        &mut self,
        lists: &[Vec<Value<'_>>],
        row: impl Fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        match self {
            Self::Sqlite(_) => lists.iter().map(|values| self.query_map(&values[..], &row)?.collect()).collect(),
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => {
                let of_run = |rows: &Vec<_>| rows.iter().map(|found| row(&Row::Postgres(found))).collect();
                statement.query_pipelined(lists)?.iter().map(of_run).collect()
            }
        }
    }

    /// Inserts a row. A server gets it together with other rows, before any other statement: rows of a smaller `order` first, so
    /// that foreign keys hold. A second statement of the same `order` first sends the rows of the other. A failure shows as that of
    /// [`Statement::execute_later`] does.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "a server needs it"))]
    pub(in crate::store) fn insert_buffered(&mut self, order: usize, values: impl Parameters) -> Result<()> {
        match self {
            Self::Sqlite(statement) => values.bound(|values| engine::execute(statement, values)).map(drop),
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => values.bound(|values| statement.insert_buffered(order, values)),
        }
    }

    /// The rows that it finds, each read by `row`.
    pub(in crate::store) fn query_map<T, F: FnMut(&Row<'_>) -> Result<T>>(
        &mut self,
        values: impl Parameters,
        row: F,
    ) -> Result<MappedRows<'_, F>> {
        Ok(MappedRows { rows: self.query(values)?, row })
    }

    /// Names of the columns of its result.
    pub(in crate::store) fn column_names(&self) -> Vec<String> {
        match self {
            Self::Sqlite(statement) => statement.column_names().map(str::to_owned).collect(),
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => statement.column_names(),
        }
    }

    /// Number of columns of its result.
    pub(in crate::store) fn column_count(&self) -> usize {
        match self {
            Self::Sqlite(statement) => statement.column_count(),
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => statement.column_count(),
        }
    }

    /// Calls `row` with each row that it finds, in bounded memory. No other statement may run on the connection meanwhile.
    pub(in crate::store) fn for_each<E: From<Error>>(
        &mut self,
        values: impl Parameters,
        mut row: impl FnMut(&Row<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        match self {
            Self::Sqlite(_) => {
                let mut rows = self.query(values)?;
                while let Some(found) = rows.next()? {
                    row(&found)?;
                }
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(statement) => {
                values.bound(|values| statement.for_each(values, |found| row(&Row::Postgres(found))))
            }
        }
    }
}

/// The rows of a result.
pub(in crate::store) enum Rows<'s> {
    Sqlite(engine::Rows<'s>),
    #[cfg(feature = "postgres")]
    Postgres(postgres::engine::Rows),
}

impl Rows<'_> {
    /// The next row.
    pub(in crate::store) fn next(&mut self) -> Result<Option<Row<'_>>> {
        match self {
            Self::Sqlite(rows) => Ok(engine::next(rows)?.map(Row::Sqlite)),
            #[cfg(feature = "postgres")]
            Self::Postgres(rows) => Ok(rows.next().map(Row::Postgres)),
        }
    }
}

/// The rows of a result, read as values of a type.
pub(in crate::store) struct MappedRows<'s, F> {
    rows: Rows<'s>,
    row: F,
}

impl<T, F: FnMut(&Row<'_>) -> Result<T>> Iterator for MappedRows<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next() {
            Ok(row) => row.map(|row| (self.row)(&row)),
            Err(error) => Some(Err(error)),
        }
    }
}

/// A row of a result.
pub(in crate::store) enum Row<'r> {
    Sqlite(engine::Row<'r>),
    #[cfg(feature = "postgres")]
    Postgres(postgres::engine::Row<'r>),
}

impl<'r> Row<'r> {
    /// A column as a value of a type.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if its value is none of this type.
    #[inline]
    pub(in crate::store) fn get<T: FromValue>(&self, column: impl Column) -> Result<T> {
        T::from_value(self.value(column)?).map_err(|error| match error {
            Error::Corrupt(text) => Error::Corrupt(format!("column {column}: {text}")),
            other => other,
        })
    }

    /// The value of a column.
    #[inline]
    pub(in crate::store) fn value(&self, column: impl Column) -> Result<Value<'r>> {
        match self {
            Self::Sqlite(row) => engine::value(row, column.place()),
            #[cfg(feature = "postgres")]
            Self::Postgres(row) => postgres::engine::value(row, column.place()),
        }
    }
}
