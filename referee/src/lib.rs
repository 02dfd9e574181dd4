//! The laws of the games: replay, verdicts, competitions.
//!
//! A [`Record`](quipu_notation::record::Record) goes in, a [`Verdict`] comes out: each move replayed under the laws of
//! its game, each claim checked, each fault with its place, its code and the article. An illegal game is a successful
//! verdict, not an error.
//!
//! - [`games`]: the table of games. Programs call [`Referee`] and [`Board`], which are the same for all games; the
//!   author of a game implements [`Game`] and [`Position`]; one adapter joins the two.
//! - [`verify`]: from records to verdicts. [`report`]: their public JSON.
//! - [`competition`]: encounters, bonuses, levels and standings of verified games.
//! - [`findings`]: what a verdict found, as people read it. [`advice`]: likely slips that break no rule.
//! - [`codes`]: the table of [`Code`]s. [`messages`]: messages in Spanish and English.
//! - [`slips`]: the error model of miswritten moves. [`repair`]: the legal games closest to a rejected sheet.
//! - [`repaired`]: readings as records with verdicts, and the game of several sheets.
//! - [`replay`]: a game ply by ply. [`drawing`]: a board as data for drawing. [`scoring`]: the state of a game in
//!   progress. [`symmetry`]: positions that are the same, turned or mirrored.
//!
//! Nothing here uses files, networks, databases or the clock of the machine.
//!
//! ```
//! use quipu_notation::record::Chunk;
//! use quipu_referee::{Lang, Status, codes, verify, messages::catalog};
//!
//! let text = "[Game \"andes\"]\n\n1. 0d3 0A3\n2. 2a1 *\n";
//! let chunk = Chunk::new(text.as_bytes());
//! let judged = verify::chunk(&chunk).next().expect("the chunk has a record");
//! assert_eq!((judged.verdict.status, judged.verdict.plies), (Status::Rejected, Some(2)));
//!
//! let found = judged.verdict.first_error().expect("a rejected record has an error");
//! assert_eq!((found.code().id, found.ply, found.place.map(|place| place.line)), ("andes.3.6", Some(3), Some(4)));
//! assert!(catalog().message(&found.message, Lang::En).starts_with("The square a1 is light"));
//! assert_eq!(codes::find("andes.3.6"), Some(found.code()));
//! ```

#![warn(clippy::float_arithmetic, reason = "half points are exact, and verdicts equal on every machine")]

pub mod advice;
mod canonical_text;
pub mod code;
pub mod codes;
pub mod competition;
pub mod drawing;
pub mod findings;
mod game;
pub mod games;
mod judge;
mod message;
pub mod messages;
mod perft;
mod points;
pub mod record;
mod record_id;
mod referee;
pub mod repair;
pub mod repaired;
pub mod replay;
pub mod report;
mod restore;
pub mod scoring;
pub mod sha256;
pub mod slips;
mod spelling;
mod suggest;
pub mod symmetry;
mod tap;
pub mod termination;
mod text;
mod verdict;
pub mod verify;

pub use code::{Code, Severity};
pub use game::{Arrangement, End, Game, Position, Remark, RuleSet};
pub use message::{Fact, Located, Message, harmless, is_active, shown};
pub use points::{Count, PointRule, Points};
pub use referee::{Board, Referee};
pub use text::Lang;
pub use verdict::{Diagnostic, GameEnd, Status, Verdict};
