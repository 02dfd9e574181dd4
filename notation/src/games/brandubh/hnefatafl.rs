//! The JSON of the server hnefatafl.org, read and written as records of Brandubh.
//!
//! An object is one game: the players, the size of the board and the start position as `OpenTafl` writes them, and all moves in
//! one text. The server itself plays on larger boards, whose games are refused. A field `quipu` carries the tags of a record that
//! the server has no field for; the server ignores it.

mod names;
mod read;
#[cfg(test)]
mod tests;
mod write;

use super::NOTATION;
use crate::{games::ForeignFormat, record::Format};

/// The JSON of hnefatafl.org.
pub const HNEFATAFL: ForeignFormat = ForeignFormat {
    format: Format::Hnefatafl,
    game: NOTATION.id,
    is_single: false,
    fields: &[
        "id",
        "attackers",
        "defenders",
        "rated",
        "variant",
        "dim",
        "sw",
        "efe",
        "atkf",
        "start",
        "time_control",
        "time_remaining_ms",
        "last_move",
        "messages",
    ],
    tag: None,
    sites: &[],
    read: read::read,
    write: write::write,
};
