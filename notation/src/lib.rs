//! What is written: the text of game records to typed values and back.
//!
//! This crate knows the *form* of things: tag pairs, movetext, clocks, squares, piece letters, move tokens and
//! position strings of each game, each with the place where it stands. It does not know what is lawful: whether a
//! move can be played, whether a game is over, what a result is worth. That is the referee's.
//!
//! - [`record`]: the container that all games share, [`record::Reader`] to stream it and [`record::write`] to write it.
//! - [`games`]: one folder a game, and the table of them.
//! - [`Span`], [`LineColumn`]: where something stands, in bytes for programs and in lines and columns for people.

#![warn(clippy::float_arithmetic, reason = "records are equal on every machine")]

pub mod games;
pub mod record;
mod side;
mod span;

pub use side::Side;
pub use span::{LineColumn, LineIndex, Span};
