//! Notation: reads the text of game records into typed values and writes it back.
//!
//! This crate knows the *form* of records: tag pairs, movetext, clocks, squares, piece letters, move tokens and
//! position strings of each game, each with its span. It does not know the laws: legal moves, ends of games and the
//! meaning of results belong to the referee.
//!
//! - [`record`]: the container that all games share, [`record::Reader`] to stream it and [`record::write`] to write it.
//! - [`games`]: the table of games, one folder for each.
//! - [`Span`], [`LineColumn`]: places, in bytes for programs and in lines and columns for people.

pub mod games;
pub mod record;
mod side;
mod span;

pub use side::Side;
pub use span::{LineColumn, LineIndex, Span};
