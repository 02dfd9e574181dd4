//! The game of several sheets with the disputed plies side by side. Buttons choose the move of a disputed ply.

use maud::{Markup, html};
use quipu_referee::{
    Board, games,
    repair::{Disputed, DisputedReading},
    repaired::MergedSheets,
};

use super::fields::{CHOICE, FormChoice};
use crate::pages::frame::{View, captioned_table};

/// The form in which moves are chosen.
pub(crate) struct ChoiceForm {
    pub(crate) id: &'static str,
    /// The address that the buttons lead to, if it is not that of the form.
    pub(crate) action: Option<String>,
}

/// The numbers of plies and the disputed ones, in which moves can be chosen if there is a form.
pub(crate) fn disputed(
    view: &View,
    merged: &MergedSheets<'_>,
    choice: &FormChoice,
    form: Option<&ChoiceForm>,
) -> Markup {
    let game = &merged.merged;
    let (plies, agreed, disputed) = (game.moves.len(), game.agreed, game.disputed.len());
    let counts = view.fill("check.merged.counts", &[("plies", &plies), ("agreed", &agreed), ("disputed", &disputed)]);
    let sheet = |sheet: &usize| view.fill("check.merged.sheet", &[("sheet", &(sheet + 1))]);
    let numbers: Vec<_> = (0..game.sheets.len()).collect();
    let rows = disputed_rows(merged, choice, form);
    let head = html! {
        th.number scope="col" { (view.say("check.merged.ply")) }
        th scope="col" { (view.say("check.merged.move")) }
        @for number in &numbers { th scope="col" { (sheet(number)) } }
    };
    let body = html! {
        tbody { @for row in &rows { (row.body(view)) } }
    };
    html! {
        p { (counts) }
        @if !game.is_complete { p { (view.say("check.readings.incomplete")) } }
        @if let Some(form) = form {
            @for (ply, token) in &choice.plies {
                input form=(form.id) type="hidden" name=(CHOICE) value={ (ply) " " (token) };
            }
        }
        @if disputed > 0 {
            @if form.is_some() { p { (view.say("check.merged.choose")) } }
            (captioned_table(view.say("check.merged.disputed"), &head, &body))
        }
    }
}

/// A button that chooses, at a ply, a move or none.
fn choose(form: &ChoiceForm, value: &str, title: Option<&str>, said: &str) -> Markup {
    html! {
        button.choice form=(form.id) formaction=[&form.action] name=(CHOICE) value=(value) title=[title] { (said) }
    }
}

struct DisputedRow<'m> {
    disputed: &'m Disputed,
    token: &'m str,
    /// True if a person chose the move.
    is_chosen: bool,
    /// The board before the ply, where moves can be chosen.
    board: Option<Box<dyn Board>>,
    form: Option<&'m ChoiceForm>,
}

/// The rows of all disputed plies. The game is replayed once.
fn disputed_rows<'m>(
    merged: &'m MergedSheets<'_>,
    choice: &FormChoice,
    form: Option<&'m ChoiceForm>,
) -> Vec<DisputedRow<'m>> {
    let moves = &merged.merged.moves;
    let start = || games::find(merged.record.value("Game")?)?.start(&merged.record).ok();
    let mut board = form.and_then(|_| start());
    let mut played = 0;
    let row = |disputed: &'m Disputed| {
        let index = usize::try_from(disputed.ply - 1).unwrap_or(usize::MAX).min(moves.len());
        for token in &moves[played..index] {
            board = board.take().and_then(|mut board| board.play(token).is_ok().then_some(board));
        }
        played = index;
        let token = moves.get(index).map_or("", |token| token);
        let is_chosen = choice.plies.iter().any(|(ply, _)| *ply == disputed.ply);
        DisputedRow { disputed, token, is_chosen, board: board.as_ref().map(|board| board.copied()), form }
    };
    merged.merged.disputed.iter().map(row).collect()
}

impl DisputedRow<'_> {
    fn body(&self, view: &View) -> Markup {
        let mut others = Vec::new();
        let mut written = Vec::new();
        for reading in &self.disputed.readings {
            match reading {
                DisputedReading::Other(token, _) => others.push(self.alternative(view, token)),
                DisputedReading::Sheet(_, Some(text)) => written.push(self.alternative(view, text)),
                DisputedReading::Sheet(_, None) => written.push(html! { (view.say("check.merged.missing")) }),
            }
        }
        let ply = self.disputed.ply;
        html! {
            tr {
                th.number scope="row" { (ply) }
                td {
                    code { (self.token) }
                    @if let Some(form) = self.form.filter(|_| self.is_chosen) {
                        " " (choose(form, &ply.to_string(), None, view.say("check.merged.undo")))
                    }
                    @for other in &others { " " (other) }
                }
                @for cell in &written { td { (cell) } }
            }
        }
    }

    /// A text for the ply: a button if it is another legal move.
    fn alternative(&self, view: &View, text: &str) -> Markup {
        let token = self.board.as_ref().and_then(|board| board.copied().play(text).ok());
        let ply = self.disputed.ply;
        let token = token.filter(|token| token != self.token);
        let Some((form, token)) = self.form.zip(token) else { return html! { code { (text) } } };
        let label = view.fill("check.merged.take", &[("ply", &ply), ("move", &token)]);
        choose(form, &format!("{ply} {token}"), Some(&label), text)
    }
}
