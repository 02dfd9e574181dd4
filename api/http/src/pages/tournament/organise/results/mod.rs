//! The form for the results of a round, board by board. Only fields that were changed count, so that organisers with old pages
//! overwrite nothing; and the response names each board that was not saved.

use quipu_archive::store::StoredTournament;
use quipu_tournament::model::Change;

use super::{
    super::{
        parameters::round_of,
        tournament_page::{TournamentPage, page_of},
    },
    change::{Refused, by, change, respond, sign_in},
    fields::{BOARD, DO, Fields},
};
use crate::{
    pages::frame::View,
    problem::HandlerResult,
    request::RequestContext,
    routes::tournaments::{missing, no_round},
};

mod entered;
mod page;

use entered::{Entered, entered, has_players, is_there, step};
use page::{CLOSE, SAVE, Saved, page};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let (number, first) = (round_of(&context).unwrap_or_default(), first_board(&context));
    page_of(&context, move |cup| {
        let round = cup.tournament().round(number).ok_or_else(|| no_round(cup.stored, number))?;
        Ok(page(cup, number, round, first, &Fields::default(), &Saved::default()))
    })
    .await
}

/// The index of the first board of the page.
fn first_board(context: &RequestContext) -> usize {
    context.number(BOARD.name).and_then(|board| usize::try_from(board - 1).ok()).unwrap_or_default()
}

pub(super) async fn save(mut context: RequestContext) -> HandlerResult {
    let (view, fields) = (View::of(&context), Fields::of(&mut context).await?);
    let (number, round, first) =
        (context.path_number("number"), round_of(&context).unwrap_or_default(), first_board(&context));
    let entered = entered(&fields);
    let tried = try_save(&mut context, &view, round, &fields, &entered).await;
    let stored = context.read_slowly(move |reading| reading.tournament(number)).await?;
    let stored = stored.ok_or_else(|| missing(number))?;
    let paired = stored.tournament.round(round).ok_or_else(|| no_round(&stored, round))?;
    let is_done = tried.is_ok();
    let is_left = |one: &&Entered| !has_players(&stored, round, one) || is_done && !is_there(&stored, round, one);
    let mut left: Vec<_> = entered.iter().filter(is_left).map(|one| one.board).collect();
    left.dedup();
    let (saved, problem) = match tried {
        Ok(is_changed) => {
            let is_closing = fields.raw(DO) == CLOSE;
            let key = match (is_closing && paired.is_closed, is_changed) {
                (true, _) => "tournament.done.closed",
                (false, true) => "tournament.saved",
                (false, false) => "tournament.nothing-new",
            };
            let is_open = is_closing && !paired.is_closed;
            (Saved { done: Some(view.say(key)), left, is_open, ..Saved::default() }, None)
        }
        Err(refused) => {
            let (problem, said) = refused.problem_and_sentence(&context, &view, &fields);
            (Saved { refusal: Some(said), left, ..Saved::default() }, Some(problem))
        }
    };
    let kept = if is_done { Fields::default() } else { fields };
    let cup = TournamentPage { view: &view, stored: &stored };
    respond(&context, view.write(&page(&cup, round, paired, first, &kept, &saved)), problem)
}

/// Saves the results, and closes the round if that is asked for and none of them is left. Returns false if there is nothing to do.
async fn try_save(
    context: &mut RequestContext,
    view: &View,
    round: u32,
    fields: &Fields,
    entered: &[Entered],
) -> Result<bool, Refused> {
    let number = context.path_number("number");
    let is_closing = match fields.raw(DO) {
        SAVE => false,
        CLOSE => true,
        _ => return Err(Refused::Said(view.say("tournament.no-button").to_owned())),
    };
    let bearer = sign_in(context, fields)?;
    for one in entered {
        let wrong = |key| Err(Refused::Said(view.fill(key, &[("board", &one.board)])));
        match one.points {
            Err(()) => return wrong("tournament.points-wrong"),
            Ok(_) if one.outcome.is_none() && one.before.is_none() => return wrong("tournament.points-alone"),
            Ok(_) => {}
        }
    }
    let by = by(context, view, fields, entered.iter().any(|one| one.outcome.is_none()))?;
    let entered = entered.to_vec();
    let steps = move |stored: &StoredTournament| {
        let is_left = |one: &Entered| !is_there(stored, round, one) && step(stored, round, one).is_none();
        let mut steps: Vec<_> = entered.iter().filter_map(|one| step(stored, round, one)).collect();
        let is_open = stored.tournament.round(round).is_none_or(|round| !round.is_closed);
        if is_closing && is_open && !entered.iter().any(is_left) {
            steps.push(Change::Close { round });
        }
        Ok(steps)
    };
    change(context, bearer, number, by, steps).await
}
