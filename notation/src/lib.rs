//! Notation: reads the text of game records into typed values and writes it back.
//!
//! This crate knows the *form* of records: tag pairs, movetext, clocks, squares, piece letters, move tokens and
//! position strings of each game, each with its span. It does not know the laws: legal moves, ends of games and the
//! meaning of results belong to the referee.
//!
//! - [`record`]: the container that all games share, [`record::Reader`] to stream it and [`record::write`] to write it.
//! - [`games`]: the table of games, one folder for each.
//! - [`Span`], [`LineColumn`]: places, in bytes for programs and in lines and columns for people.
//!
//! ```
//! use quipu_notation::{LineColumn, record::{Chunk, Outcome, Reader, write::as_written}};
//!
//! let text = "[Game \"andes\"]\n[Sol \"Ana\"]\n\n1. 0d3 { the centre } 0A3 *\n";
//! let mut reader = Reader::new(text.as_bytes());
//! let chunk = reader.next_chunk()?.expect("the text is not empty");
//! let record = chunk.records().next().expect("the chunk has a record").expect("its syntax is correct");
//! assert_eq!(record.value("Sol"), Some("Ana"));
//! assert_eq!(record.movetext.plies[1].token, "0A3");
//! assert_eq!(chunk.place(record.movetext.plies[1].span.start as usize), LineColumn { line: 4, column: 23 });
//! assert_eq!(record.result.map(|result| result.value), Some(Outcome::Open));
//! assert_eq!(as_written(&record), "[Game \"andes\"]\n[Sol \"Ana\"]\n\n1. 0d3 {the centre} 0A3\n*\n\n");
//!
//! let broken = Chunk::new(b"[Game \"andes\"]\n\n1. 0d3 {no end").records().next().expect("a record");
//! assert_eq!(broken.expect_err("the comment is not closed").span.range(), 23..24);
//! # Ok::<(), std::io::Error>(())
//! ```

#![warn(clippy::float_arithmetic, reason = "records are equal on every machine")]

pub mod games;
pub mod record;
mod side;
mod span;

pub use side::Side;
pub use span::{LineColumn, LineIndex, Span};
