//! The values of parameters and fields that have a fixed set of them.

use std::collections::BTreeMap;

use quipu_notation::record::Format;
use quipu_referee::{
    Status,
    competition::TieBreak,
    games,
    termination::{DECLARED, Termination},
};

use quipu_archive::{
    model::{ChangeKind, RecordState},
    store::RecordOrder,
};
use quipu_pictures::{Coordinates, Theme};

pub(crate) fn game_ids() -> Vec<&'static str> {
    games::ALL.iter().map(|game| game.notation().id).collect()
}

/// Formats of a body: those of the reader, and `ndjson`.
pub(crate) fn formats() -> Vec<&'static str> {
    Format::ALL.map(Format::as_str).into_iter().chain(["ndjson"]).collect()
}

pub(crate) fn themes() -> Vec<&'static str> {
    Theme::ALL.map(Theme::as_str).to_vec()
}

pub(crate) fn coordinates() -> Vec<&'static str> {
    Coordinates::ALL.map(Coordinates::as_str).to_vec()
}

pub(crate) fn yes_or_no() -> Vec<&'static str> {
    vec!["yes", "no"]
}

pub(crate) fn tie_breaks() -> Vec<&'static str> {
    TieBreak::ALL.map(TieBreak::as_str).to_vec()
}

pub(crate) fn results() -> Vec<&'static str> {
    vec!["1-0", "0-1", "1/2-1/2", "*"]
}

pub(crate) fn statuses() -> Vec<&'static str> {
    [Status::Verified, Status::Incomplete, Status::Rejected, Status::Unreadable].map(Status::as_str).to_vec()
}

pub(crate) fn record_states() -> Vec<&'static str> {
    RecordState::ALL.map(RecordState::as_str).to_vec()
}

pub(crate) fn record_states_or_all() -> Vec<&'static str> {
    [&record_states()[..], &["all"]].concat()
}

pub(crate) fn record_orders() -> Vec<&'static str> {
    RecordOrder::ALL.map(RecordOrder::as_str).to_vec()
}

pub(crate) fn change_kinds() -> Vec<&'static str> {
    ChangeKind::ALL.map(ChangeKind::as_str).to_vec()
}

pub(crate) fn terminations() -> Vec<&'static str> {
    ends().map(|end| end.name).collect()
}

/// The terminations of all games, by their names.
pub(crate) fn ends() -> impl Iterator<Item = &'static Termination> {
    let ends = games::ALL.iter().flat_map(|game| game.ends()).chain(DECLARED);
    ends.map(|end| (end.name, end)).collect::<BTreeMap<_, _>>().into_values()
}
