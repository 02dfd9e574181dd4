//! Tournaments: entries, pairing, results, standings with tie-breaks, exchange files.
//!
//! A [`Tournament`](model::Tournament) is what a list of [`Change`](model::Change)s makes of it. Undoing a change is leaving
//! it out. Storage, authors and reasons of changes belong to the callers.
//!
//! - [`model`]: settings, players, rounds, encounters of one game, two legs or several, and results.
//! - [`pairing`]: the next round by the system of the tournament, with its reasons; the check of a pairing made by hand.
//! - [`reasons`]: the reasons of a pairing in words.
//! - [`standings`]: places and figures with their parts, and the places that are still possible.
//! - [`records`]: verified records find their boards, or say why not.
//! - [`exchange`]: report files of FIDE (TRF16, TRF26), entry lists as CSV, and workbooks of Excel.
//! - [`tables`]: entry list, rounds, standings and crosstable as tables in a language, for workbooks and printed pages.
//! - [`fault`]: refused changes and remarks as codes with facts. [`messages`]: their words in Spanish and English.
//!
//! # Rules
//!
//! - **Swiss**: the Dutch system of FIDE (C.04.3), edition of 1 February 2026, which bbpPairings 6 and caissify-pairings 0.5
//!   implement; Baku acceleration (C.04.7, formerly C.04.5.1) for any number of rounds. Sides take the role of colours, and
//!   do not matter in encounters with as many games on either side.
//! - **Pairing numbers** follow ratings, then the order of entry. A late entry gets the number of its rating, and the numbers
//!   after it move.
//! - **Round robin** by Berger tables (C.05, Annex 1); the second half of a double one swaps the sides. **Knock-out** by
//!   seeds, with byes for the first seeds.
//! - **Tie-breaks** by C.07 in the edition of March 2026, with its rules for unplayed rounds.
//!
//! The weighted matching is this crate's own ([`rustworkx-core`](https://docs.rs/rustworkx-core) has one): a bracket asks for
//! hundreds of matchings with weights of several hundred bits, each near the one before, which an algorithm that starts from
//! nothing cannot give for two thousand players in seconds.
//!
//! # Example
//!
//! ```
//! use quipu_tournament::{
//!     model::{Change, GameResult, GameOutcome, Player, TournamentSettings, Tournament},
//!     pairing,
//!     standings::{TournamentTieBreak, standings},
//! };
//!
//! let settings: TournamentSettings = serde_json::from_str(
//!     r#"{"name":"Copa","system":{"kind":"swiss"},"rounds":2,"encounter":{"kind":"single"},"first_side":1}"#,
//! )?;
//! let mut changes = vec![Change::Create { settings }];
//! for (name, rating) in [("Rosa", 2100), ("Luis", 2000), ("Ana", 1900), ("Inés", 1800)] {
//!     let player = Player { name: name.to_owned(), rating: Some(rating), ..Player::default() };
//!     changes.push(Change::Enter { player, first: 1 });
//! }
//! let mut tournament = Tournament::from_changes(&changes).expect("these changes are good");
//!
//! let pairing = pairing::next(&tournament).expect("four players can be paired");
//! let names = |players: [_; 2]| players.map(|id| tournament.name(id).to_owned());
//! assert_eq!(names(pairing.boards[0].players), ["Rosa", "Ana"]);
//! assert_eq!(names(pairing.boards[1].players), ["Inés", "Luis"]);
//!
//! tournament.apply(&pairing.change()).expect("it is the next round");
//! for (board, paired) in (1..).zip(&pairing.boards) {
//!     let result = GameResult::by_arbiter(GameOutcome::First);
//!     let change = Change::Result { round: 1, board, game: 1, players: paired.players, result };
//!     tournament.apply(&change).expect("the board has no result yet");
//! }
//! let table = standings(&tournament, None);
//! assert_eq!(table.rows[0].score.to_string(), "1");
//! assert_eq!(table.order[0], TournamentTieBreak::BuchholzCut1);
//! # Ok::<(), serde_json::Error>(())
//! ```

#![warn(clippy::float_arithmetic, reason = "pairings and places are equal on every machine")]

pub mod exchange;
pub mod fault;
mod knockout;
mod matching;
pub mod messages;
pub mod model;
pub mod pairing;
pub mod random;
pub mod reasons;
pub mod records;
mod round_robin;
#[cfg(feature = "schema")]
mod schema;
pub mod standings;
pub mod summary;
pub mod swiss;
pub mod tables;
