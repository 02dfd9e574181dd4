//! The names of the form for a pile of files, and its state after it was sent.

use std::collections::BTreeSet;

use quipu_archive::model::Id;

use super::{fit::Fit, pile::Pile, store::Outcomes};

pub(super) const FILES: &str = "files";
/// A record that the page keeps.
pub(super) const SHEET: &str = "sheet";
/// Values of the buttons of the form.
pub(super) const CHECK: &str = "check";
pub(super) const STORE: &str = "store";

/// The pile after a form.
#[derive(Default)]
pub(super) struct PageState {
    pub(super) pile: Pile,
    pub(super) fits: Vec<Fit>,
    pub(super) outcomes: Outcomes,
    pub(super) refusal: Option<String>,
    pub(super) reason: String,
    /// Records that had a box in the form; the boxes of the others are ticked as proposed.
    pub(super) offered: BTreeSet<Id>,
    /// The boxes that were ticked, by their values.
    pub(super) chosen: BTreeSet<String>,
}
