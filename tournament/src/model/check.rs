//! Checks that a change passes once, when it is made. A stored change passed those of its time, and is not checked again.

use super::{Change, GameResult, Tournament};
use crate::fault::{self, Fault};

/// The most points, and the highest count, of a player in a game.
pub const MAX_POINTS: u32 = 1_000_000;

impl Tournament {
    /// Fails for a change that is not to be made.
    pub(super) fn check(&self, change: &Change) -> Result<(), Fault> {
        match change {
            Change::Result { round, board, result, .. } => check_tallies(result).map_err(|fault| match fault.code {
                fault::SETTING => fault,
                _ => fault.with("round", round).with("board", board),
            }),
            _ => Ok(()),
        }
    }
}

/// Fails for a value outside its bounds. `name` is a key of words.
pub(super) fn check_bounds(name: &str, value: u32, least: u32, most: u32) -> Result<(), Fault> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Fault::new(fault::SETTING).with("name", name).with("value", value).with("least", least).with("most", most))
}

fn check_tallies(result: &GameResult) -> Result<(), Fault> {
    let Some(tallies) = result.tallies else { return Ok(()) };
    for tally in tallies {
        for value in [tally.points].into_iter().chain(tally.counts) {
            check_bounds("setting.points", value, 0, MAX_POINTS)?;
        }
    }
    if result.outcome.was_played() { Ok(()) } else { Err(Fault::new(fault::POINTS_OF_UNPLAYED)) }
}
