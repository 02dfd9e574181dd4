//! The state of the page of a board after its form was sent.

use quipu_referee::repaired::MergedSheets;

use crate::pages::check::FormChoice;

/// The result of the form, and the game of the sheets that contradict each other.
#[derive(Default)]
pub(super) struct PageState {
    pub(super) refusal: Option<String>,
    pub(super) done: Option<&'static str>,
    /// The number of the game, from 0, and the merged game.
    pub(super) merged: Option<(usize, MergedSheets<'static>)>,
    pub(super) choice: FormChoice,
    /// The search was skipped: the client has asked for too much.
    pub(super) is_paused: bool,
    /// No game has the moves that were chosen.
    pub(super) is_impossible: bool,
}
