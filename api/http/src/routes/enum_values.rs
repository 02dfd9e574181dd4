//! What can be chosen from, where a parameter takes one of a few values or a field of an answer has one.

use quipu_referee::{Status, competition::TieBreak, games, termination::DECLARED};

use quipu_archive::model::{Kind, State};
use quipu_pictures::Theme;

pub(super) fn game_ids() -> Vec<&'static str> {
    games::ALL.iter().map(|game| game.notation().id).collect()
}

pub(super) fn themes() -> Vec<&'static str> {
    Theme::ALL.map(Theme::as_str).to_vec()
}

pub(super) fn yes_or_no() -> Vec<&'static str> {
    vec!["yes", "no"]
}

pub(super) fn tie_breaks() -> Vec<&'static str> {
    TieBreak::ALL.map(TieBreak::as_str).to_vec()
}

pub(super) fn results() -> Vec<&'static str> {
    vec!["1-0", "0-1", "1/2-1/2", "*"]
}

pub(super) fn statuses() -> Vec<&'static str> {
    [Status::Verified, Status::Incomplete, Status::Rejected, Status::Unreadable].map(Status::as_str).to_vec()
}

pub(super) fn states() -> Vec<&'static str> {
    State::ALL.map(State::as_str).to_vec()
}

pub(super) fn kinds() -> Vec<&'static str> {
    Kind::ALL.map(Kind::as_str).to_vec()
}

pub(super) fn terminations() -> Vec<&'static str> {
    let ends = games::ALL.iter().flat_map(|game| game.ends()).chain(DECLARED);
    let mut names: Vec<_> = ends.map(|end| end.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}
