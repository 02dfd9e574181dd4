//! The page of a board: its records side by side, with the plies in which they differ, the game that explains them best, and the
//! decision which of them counts.

use quipu_referee::repaired;

use super::{
    super::{
        parameters::{PLACE, round_of},
        tournament_page::TournamentPage,
    },
    change::respond,
    fields::{DO, Fields, SCRIPTS},
};
use crate::{
    pages::{
        check::CHOICE,
        frame::{Page, View, page_response},
    },
    problem::{HandlerResult, Problem},
    request::RequestContext,
    routes::{
        shared::COST,
        tournaments::{self, board as boards, missing, no_round},
    },
};

mod decide;
mod page;
mod page_state;
mod sheets;

use page_state::PageState;
use sheets::BoardSheets;

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let board = read(&context).await?;
    let shown = merged(&context, &board, PageState::default()).await?;
    let page = page(&View::of(&context), &board, &Fields::default(), &shown);
    Ok(page_response(&context, page))
}

pub(super) async fn act(mut context: RequestContext) -> HandlerResult {
    let (view, fields) = (View::of(&context), Fields::of(&mut context).await?);
    let mut board = read(&context).await?;
    let mut shown = PageState { choice: decide::choice(&fields), ..PageState::default() };
    let (mut kept, mut problem) = (fields.clone(), None);
    // A button that chooses a move decides nothing yet.
    if fields.has(DO) || !fields.has(CHOICE) {
        match decide::act(&mut context, &view, &fields, &board).await {
            Ok(done) => {
                let was_cut = board.is_cut;
                board = read(&context).await?;
                // Records that were not read may contradict each other still.
                let is_left = was_cut && done == decide::SETTLED && board.first_disputed().is_some();
                let done = if is_left { "board.settled-partly" } else { done };
                (shown, kept) = (PageState { done: Some(done), ..PageState::default() }, Fields::default());
            }
            Err(refused) => {
                let (told, said) = refused.problem_and_sentence(&context, &view, &fields);
                (problem, shown.refusal) = (Some(told), Some(said));
            }
        }
    }
    let shown = merged(&context, &board, shown).await?;
    respond(&context, page(&view, &board, &kept, &shown), problem)
}

fn page(view: &View, board: &BoardSheets, fields: &Fields, shown: &PageState) -> String {
    let (title, body) = page::whole(&TournamentPage { view, stored: &board.stored }, board, fields, shown);
    view.write(&Page { scripts: SCRIPTS, ..Page::new(title, PLACE, body) })
}

/// The board in the path with its records.
async fn read(context: &RequestContext) -> Result<BoardSheets, Problem> {
    let number = context.path_number("number");
    let round = round_of(context).unwrap_or_default();
    let board = tournaments::small(context, boards::BOARD.name).unwrap_or_default();
    let read = context.read_slowly(move |reading| BoardSheets::read(reading, number, round, board)).await?;
    let read = read.ok_or_else(|| missing(number))?;
    if read.stored.tournament.round(round).is_none() {
        return Err(no_round(&read.stored, round));
    }
    if read.board().is_none() {
        return Err(boards::missing(&read.stored, round, board));
    }
    Ok(read)
}

/// The same with the game of the first sheets that contradict each other.
async fn merged(context: &RequestContext, board: &BoardSheets, mut shown: PageState) -> Result<PageState, Problem> {
    let Some(game) = board.first_disputed() else { return Ok(shown) };
    let Some(records) = decide::mergeable(&board.games[game]) else { return Ok(shown) };
    if context.charge(COST).is_err() {
        shown.is_paused = true;
        return Ok(shown);
    }
    let mut choice = shown.choice.clone();
    let found = move || {
        let chosen = repaired::merge_with(&records, &choice.plies).ok();
        let is_impossible = chosen.is_none() && choice.plies.pop().is_some();
        let merged =
            chosen.or_else(|| is_impossible.then(|| repaired::merge_with(&records, &choice.plies).ok()).flatten());
        Ok((merged, choice, is_impossible))
    };
    let (merged, choice, is_impossible) = context.work(found).await?;
    Ok(PageState { merged: merged.map(|merged| (game, merged)), choice, is_impossible, ..shown })
}
