//! Standings: scores, the tie-breaks of FIDE (C.07) with their rules for unplayed rounds, and places.
//!
//! The rules for unplayed rounds are those in force from March 2026: the dummy opponent of an unplayed round has at most the
//! points of a draw in every round (16.4.2). Ratings of unrated opponents are left out of the average.

mod direct;
mod figures;
mod ranking;
mod score_table;
mod tie_break;
mod what_if;

pub use figures::{Figure, Part};
pub use ranking::{TournamentRow, TournamentStandings, standings};
pub use tie_break::TournamentTieBreak;
pub use what_if::{Method, Needed, OUTCOMES, PlayerProspects, Prospects, prospects, prospects_within};
