//! PostgreSQL, 15 or later: the same tables in a schema of a database, which several services may share.
//!
//! Every service may write, one transaction at a time. A write transaction begins with an update of the only row of the table
//! `archive`, and has its lock until the end: so changes are numbered without gaps in the order of their commits, whoever writes
//! them, and a service that takes over needs no election. A writer that is paused in its turn would keep the others waiting, so
//! the server ends a session that is idle in a transaction, or in one statement, for longer than [`TURN`], and rolls its
//! transaction back. When the paused writer wakes up its session is gone: it can commit nothing. That is why there is neither a
//! lease nor a fencing number, which would guard against the same with clocks of several machines.
//!
//! | file | contents |
//! | --- | --- |
//! | `address` | the address of a database, its hosts tried one by one |
//! | `catalog` | tables, indexes, constraints and triggers of a schema |
//! | `dialect` | the store's SQL in the words of PostgreSQL |
//! | `engine` | connections, statements and rows in the terms of PostgreSQL's library |
//! | `failure` | failures by what they mean for the store |
//! | `full_text` | texts and searches of the full-text index |
//! | `host` | connecting to one host, and probes |
//! | `round_trip` | waiting for the server, with a time limit |
//! | `row_buffers` | rows that are inserted together |
//! | `server` | the counterpart of an open file: an address with its counted connections |
//! | `timeline` | servers that another has replaced |
//! | `tls` | TLS, and the certificates that it accepts |
//! | `values` | values of parameters and columns |
//!
//! [`TURN`]: engine::TURN

pub(in crate::store) mod address;
pub(in crate::store::database) mod catalog;
pub(in crate::store::database) mod dialect;
pub(in crate::store::database) mod engine;
mod failure;
pub(in crate::store) mod full_text;
mod host;
mod round_trip;
mod row_buffers;
pub(in crate::store) mod server;
mod timeline;
mod tls;
mod values;
