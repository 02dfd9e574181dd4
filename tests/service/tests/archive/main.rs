//! The archive, through what the service and the commands call: changes and what follows from them, lists, commits, the
//! file and its upkeep. Rows are looked at only to spoil them.
//!
//! Responses of the service are tested in `http`, output of the commands in `cli`.

mod clocks;
mod commits;
mod files;
mod generate;
mod lists;
mod maintenance;
mod migrations;
mod names;
mod places;
mod positions;
mod projections;
mod ratings;
mod receipts;
mod same_game;
mod stopping;
mod submissions;
mod tournaments;
