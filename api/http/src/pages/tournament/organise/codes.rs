//! Scoresheets whose codes may keep score: each has a token for its board in the fragment of the address, which browsers do not
//! send. A holder of a sheet can score the games of its board, until the token expires.

use actix_web::http::header::{self, HeaderValue};
use chrono::{TimeDelta, Utc};
use quipu_archive::store::WriteTx;

use super::{
    super::{parameters::round_of, sheets},
    change::{Refused, sign_in_to_direct},
    fields::Fields,
};
use crate::{
    pages::frame::View,
    problem::{HandlerResult, Problem},
    request::RequestContext,
    routes::{
        shared::COST,
        tokens,
        tournaments::{TournamentRefusal, missing, no_round},
    },
};

/// The field for the hours until the tokens expire.
pub(super) const HOURS: &str = "hours";
/// Hours by default, and the most.
pub(super) const DEFAULT_HOURS: i64 = 24;
pub(super) const MAX_HOURS: i64 = 168;

pub(super) async fn print(mut context: RequestContext) -> HandlerResult {
    let (view, fields) = (View::of(&context), Fields::of(&mut context).await?);
    match printed(&mut context, &view, &fields).await {
        Ok(pdf) => {
            let mut response = context.with_language(context.bytes(pdf));
            sheets::name(&context, round_of(&context).unwrap_or_default(), &mut response);
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            Ok(response)
        }
        Err(refused) => Err(refused.problem_and_sentence(&context, &view, &fields).0),
    }
}

async fn printed(context: &mut RequestContext, view: &View, fields: &Fields) -> Result<Vec<u8>, Refused> {
    let (number, round) = (context.path_number("number"), round_of(context).unwrap_or_default());
    let bearer = sign_in_to_direct(context, fields, Some(number))?;
    context.charge(COST)?;
    if let Some(reason) = view.no_codes() {
        return Err(Refused::Said(reason));
    }
    let service = context.settings().public_url.clone();
    let hours = if fields.text(HOURS).is_none() { Some(DEFAULT_HOURS) } else { fields.number(HOURS) };
    let hours = hours.filter(|hours| (1..=MAX_HOURS).contains(hours));
    let hours =
        hours.ok_or_else(|| Refused::Said(view.fill("tournament.code-hours-wrong", &[("most", &MAX_HOURS)])))?;
    let stored = context.read_slowly(move |reading| reading.tournament(number)).await?;
    let stored = stored.ok_or_else(|| missing(number))?;
    let boards = stored.tournament.round(round).ok_or_else(|| no_round(&stored, round))?.boards.iter();
    let boards: Vec<_> = boards.map(|board| board.players).collect();
    let (maker, version) = (String::from_utf8_lossy(&bearer.id).into_owned(), stored.version);
    let name = {
        let view = view.clone();
        move |board: u32, count: usize| {
            view.fill(
                "tournament.code-token",
                &[("tournament", &number), ("round", &round), ("board", &board), ("count", &count)],
            )
        }
    };
    let made = context.write(move |writing: &WriteTx<'_>| -> Result<_, Refused> {
        // The codes are for the players who were read.
        if writing.tournament_version(number)? != Some(version) {
            return Err(Refused::Tournament(TournamentRefusal::Moved));
        }
        let wanted = Utc::now() + TimeDelta::hours(hours);
        let expires = writing.token(&maker)?.and_then(|maker| maker.expires).map_or(wanted, |last| last.min(wanted));
        let made = writing.add_board_tokens(number, round, &boards, expires, &name);
        made.map_err(|refusal| Refused::Problem(tokens::refused(refusal, "")))
    });
    let made = made.await?;
    tracing::info!(tournament = number, round, count = made.len(), by = context.submitter(), "tokens of boards made");
    let tokens: Vec<_> = made.iter().map(|token| format!("#token={}", token.reveal())).collect();
    let lang = view.lang;
    let fragment = move |board: u32| {
        let index = (board as usize).checked_sub(1);
        index.and_then(|index| tokens.get(index)).cloned().unwrap_or_default()
    };
    let pdf = move || -> Result<_, Problem> { sheets::pdf(&stored, round, &service, lang, fragment) };
    Ok(context.work(pdf).await?)
}
