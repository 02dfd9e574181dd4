//! The laws of the games, and what follows from them.
//!
//! A [`Record`](quipu_notation::record::Record) goes in, a [`Verdict`] comes out: each move replayed under the laws
//! of its game, each claim checked, each fault with its place, its code and the article. An unlawful game is a
//! successful verdict, not an error.
//!
//! - [`games`]: the table of games. [`Referee`] and [`Board`] are one game as programs call it, [`Game`] and
//!   [`Position`] one as its author writes it; one adapter joins the two.
//! - [`verify`]: from records to verdicts. [`report`]: their public JSON.
//! - [`competition`]: what verified games amount to: encounters, bonuses, levels, standings.
//! - [`codes`]: the table of [`Code`]s. [`words`]: what they are called in Spanish and English.
//! - [`slips`]: how moves are miswritten, and what may have been meant.
//! - [`replay`]: a game ply by ply. [`drawing`]: a board as a picture without pixels. [`scoring`]: a game that is being kept.
//!
//! Nothing here knows of files, networks, databases or the time of the machine.

pub mod code;
pub mod codes;
pub mod competition;
pub mod drawing;
mod game;
pub mod games;
mod judge;
mod message;
mod perft;
mod points;
pub mod record;
mod record_id;
mod referee;
pub mod replay;
pub mod report;
pub mod scoring;
pub mod sha256;
pub mod slips;
mod suggest;
mod tap;
pub mod termination;
mod verdict;
pub mod verify;
pub mod words;

pub use code::{Code, Severity};
pub use game::{Arrangement, End, Game, Position, Remark, RuleSet};
pub use message::{Fact, Located, Message, harmless, is_active, shown};
pub use points::{Count, Points};
pub use referee::{Board, Referee};
pub use verdict::{Diagnostic, Finding, Status, Verdict};
pub use words::Lang;
