//! Prepared inserts of a transaction. Looking a statement up by its text in the cache of a connection takes a tenth of the time
//! that a record takes as a whole.

use std::cell::{OnceCell, RefCell};

use super::{
    database::{Connection, Statement, Value},
    error::StoreError,
};

/// Rows that are inserted for records and new names, in the order of their foreign keys: the discriminant is the `order` of
/// [`Statement::insert_buffered`].
#[derive(Clone, Copy)]
pub(super) enum Insert {
    Change,
    Record,
    Verdict,
    Player,
    Event,
    NameWord,
    Card,
    Part,
    Sheet,
    Entry,
}

impl Insert {
    const ALL: usize = Self::Entry as usize + 1;

    /// The order, for [`Statement::insert_buffered`], of other rows, which may refer to these.
    pub(super) const AFTER_ALL: usize = Self::ALL;

    fn sql(self) -> &'static str {
        match self {
            Self::Change => "INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Self::Record => "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)",
            Self::Verdict => "INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Self::Player => "INSERT INTO player (number, name, folded, normal, root) VALUES (?, ?, ?, ?, ?)",
            Self::Event => "INSERT INTO event (number, name, records, games, changed) VALUES (?, ?, 0, 0, ?)",
            Self::NameWord => {
                "INSERT INTO name_word (kind, number, word, rest, name) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            }
            Self::Card => {
                "INSERT INTO card (number, place, id, at, state, verdict, status, game, event, round, one, two, date, result,
                   termination, points, plies)
                 VALUES (?, ?, ?, ?, 'current', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            }
            Self::Part => {
                "INSERT INTO part VALUES (?, ?, ?) ON CONFLICT (player, record) DO UPDATE SET other = excluded.other"
            }
            Self::Sheet => "INSERT INTO sheet VALUES (?, ?, ?, ?, ?, ?, ?)",
            Self::Entry => "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        }
    }
}

/// A connection with prepared inserts.
pub(super) trait InsertRows {
    fn connection(&self) -> &Connection;

    /// Inserts a row.
    fn insert(&self, row: Insert, values: &[Value<'_>]) -> Result<(), StoreError>;
}

/// A connection with its inserts, each prepared when it is first used.
pub(super) struct PreparedInserts<'c> {
    connection: &'c Connection,
    statements: [OnceCell<RefCell<Statement<'c>>>; Insert::ALL],
}

impl<'c> PreparedInserts<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection, statements: [const { OnceCell::new() }; Insert::ALL] }
    }
}

impl InsertRows for PreparedInserts<'_> {
    fn connection(&self) -> &Connection {
        self.connection
    }

    fn insert(&self, row: Insert, values: &[Value<'_>]) -> Result<(), StoreError> {
        let cell = &self.statements[row as usize];
        let statement = if let Some(statement) = cell.get() {
            statement
        } else {
            let statement = self.connection.prepare(row.sql())?;
            cell.get_or_init(|| RefCell::new(statement))
        };
        Ok(statement.borrow_mut().insert_buffered(row as usize, values)?)
    }
}
