//! The index of positions: the games that reached a position, and what was played next.
//!
//! The key of a position is a hash that its images under the symmetries of the game share. Blocks list, for the first 32 bits of
//! each key, the verdicts of the games with such a position. They are as immutable as the records: corrections, retractions and
//! sheets of one game change no block, because a query takes only games that count, and replays each, so that two positions with
//! equal bits are not confused. Small blocks are merged into larger ones in steps of bounded work, which the numbers of changes
//! alone decide, so a rebuilt index is the same byte by byte. Positions that many games share have their totals stored.
//!
//! | file | contents |
//! | --- | --- |
//! | `block` | entries of a block as bytes |
//! | `levels` | blocks of each level, and the step in which they are merged |
//! | `look_up` | verdicts of games that may have a position |
//! | `games` | games of verdicts, with their moves and outcomes |
//! | `scan` | the games that a query replays |
//! | `totals` | stored totals of common positions |
//! | `maintain` | the index brought up to the last change |
//! | `search` | `ReadTx`: `position_games` |

mod block;
mod games;
mod levels;
mod look_up;
mod maintain;
mod scan;
mod search;
mod totals;

pub(super) use maintain::{NewGames, update};
pub use search::{GameAtPosition, NextMove, PositionGames, PositionTotals};
pub(super) use totals::CountChange;

/// SQL that creates the tables of the index.
pub(super) const TABLES_SQL: &str = include_str!("positions.sql");

/// The tables of the index with their keys.
pub(super) const TABLES: [(&str, &str); 5] = [
    ("position_extent", "last"),
    ("position_tail", "number"),
    ("position_block", "level, prefix, segment"),
    ("position_crowd", "fingerprint"),
    ("position_total", "hash, move"),
];
