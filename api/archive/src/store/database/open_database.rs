//! A database that is open, and all that its engine does in its own way.

use std::{path::Path, time::Duration};

#[cfg(feature = "postgres")]
use super::postgres::server::Server;
use super::{
    connection::Connection,
    error::Result,
    lease::{Connections, Leased},
    sqlite::{
        checkpoint, copy,
        file::Opened,
        shutdown::{self, Ending},
    },
};
use crate::store::error::StoreError;

/// An open database. Clones share its connections.
#[derive(Clone, Debug)]
pub(in crate::store) enum OpenDatabase {
    Sqlite(Opened),
    #[cfg(feature = "postgres")]
    Postgres(Server),
}

/// A database beside an archive, in which derived tables are built from the changes of the archive.
pub(in crate::store) struct Scratch {
    /// It has the tables of the archive behind those of its own, and a transaction of one moment is open.
    pub(in crate::store) connection: Leased,
    /// Written before the name of a table of the archive.
    pub(in crate::store) archive: String,
}

impl OpenDatabase {
    /// True for a file, false for a database on a server.
    pub(in crate::store) fn is_file(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    /// A connection that reads.
    pub(in crate::store) fn connect(&self) -> std::result::Result<Leased, StoreError> {
        match self {
            Self::Sqlite(file) => file.connect(),
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => server.connect(),
        }
    }

    /// A connection to a standby, if the address prefers to read from one and there is one.
    pub(in crate::store) fn connect_to_standby(&self) -> Option<Leased> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => server.connect_to_standby(),
        }
    }

    /// True if the address prefers to read from a standby.
    pub(in crate::store) fn prefers_standby(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => server.prefers_standby(),
        }
    }

    /// Takes notice of a commit, by its number: reads from a standby must show it.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "a server has standbys"))]
    pub(in crate::store) fn note_commit(&self, number: i64) {
        match self {
            Self::Sqlite(_) => {}
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => server.note_commit(number),
        }
    }

    /// Looks for a server that has replaced the one in use, whose answers may be old. A file is replaced by nobody.
    pub(in crate::store) fn look_for_successor(&self) {
        match self {
            Self::Sqlite(_) => {}
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => server.look_for_successor(),
        }
    }

    /// Number of the last commit that this store has taken notice of.
    pub(in crate::store) fn noted_commit(&self) -> i64 {
        match self {
            Self::Sqlite(_) => 0,
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => server.noted_commit(),
        }
    }

    /// All connections of this store except the writer's.
    pub(in crate::store) fn connections(&self) -> &Connections {
        match self {
            Self::Sqlite(file) => file.connections(),
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => server.connections(),
        }
    }

    /// Checks that the file, its log and its index still have their names. A server has none.
    ///
    /// # Errors
    /// [`StoreError::Moved`] if one has not.
    pub(in crate::store) fn is_there(&self) -> std::result::Result<(), StoreError> {
        match self {
            Self::Sqlite(file) => file.is_there(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Checks that a megabyte can be written to the disk of the file. A server reports a full disk itself.
    ///
    /// # Errors
    /// The reason that it cannot.
    pub(in crate::store) fn has_room(&self) -> std::result::Result<(), StoreError> {
        match self {
            Self::Sqlite(file) => file.has_room(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Replaces an unspecific error by the state of the disk where that is the reason.
    pub(in crate::store) fn explain(&self, error: StoreError) -> StoreError {
        match self {
            Self::Sqlite(file) => file.explain(error),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => error,
        }
    }

    /// Connections that read at once, at most; none for a file, whose connections cost little.
    pub(in crate::store) fn most_readers(&self) -> Option<usize> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => Some(server.most_readers()),
        }
    }

    /// Interval of asking for commits of other programs.
    pub(in crate::store) fn poll(&self) -> Duration {
        match self {
            Self::Sqlite(_) => Duration::from_millis(2),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Duration::from_millis(10),
        }
    }

    /// Starts what happens beside the writer's connection.
    pub(in crate::store) fn watch(&self, writer: &mut Connection) -> Result<()> {
        match self {
            Self::Sqlite(file) => checkpoint::watch(writer, file.clone()),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Ends what happens beside the writer's connection.
    pub(in crate::store) fn unwatch(&self, writer: &mut Connection) -> Result<()> {
        match self {
            Self::Sqlite(_) => checkpoint::unwatch(writer),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Moves acknowledged changes into the file while that is possible: a log without a name is lost with the program.
    pub(in crate::store) fn rescue(&self, writer: &Connection) {
        match self {
            Self::Sqlite(file) => {
                if !file.is_replaced() {
                    let _ = checkpoint::checkpoint(writer);
                }
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {}
        }
    }

    /// Replaces the writer's connection if it was lost.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`] if there is no other.
    pub(in crate::store) fn revive(&self, writer: &mut Connection) -> std::result::Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => {
                if writer.is_broken() {
                    *writer = server.connect_to_write()?;
                }
                Ok(())
            }
        }
    }

    /// Closes the writer's connection, the last of its store.
    ///
    /// # Errors
    /// If the write-ahead log of a file could not be moved into it.
    pub(in crate::store) fn close(&self, writer: Connection, ending: &Ending) -> std::result::Result<(), StoreError> {
        match self {
            Self::Sqlite(file) => shutdown::close_log(writer, file, ending),
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => {
                server.connections().are_closed_within(shutdown::QUERIES);
                Ok(writer.close()?)
            }
        }
    }

    /// Copies the database of a connection, as of its read transaction, to a new file.
    ///
    /// # Errors
    /// [`StoreError::OnServer`] if it is on a server, which has tools of its own.
    pub(in crate::store) fn copy(
        &self,
        reader: &Connection,
        part: &Path,
        progress: impl FnMut(i32, i32),
    ) -> std::result::Result<Connection, StoreError> {
        match self {
            Self::Sqlite(_) => copy::copy_pages(reader, part, progress),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Err(StoreError::OnServer),
        }
    }

    /// A database beside the archive for derived tables.
    pub(in crate::store) fn scratch(&self) -> std::result::Result<Scratch, StoreError> {
        match self {
            Self::Sqlite(file) => {
                let connection = file.scratch()?;
                connection.execute_batch("BEGIN")?;
                Ok(Scratch { connection, archive: "archive.".to_owned() })
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(server) => {
                let connection = server.connect()?;
                connection.execute_batch("BEGIN ISOLATION LEVEL REPEATABLE READ")?;
                let archive = connection.hide_tables()?.map(|schema| format!("{schema}."));
                Ok(Scratch { connection, archive: archive.unwrap_or_default() })
            }
        }
    }
}
