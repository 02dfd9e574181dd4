//! The scoresheets of a round, with names, round, board and leg, to print. If the address of the service is known, each has a code
//! that opens the page on which its game is scored.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use quipu_archive::{model::ScoreAddress, store::StoredTournament};
use quipu_pictures::{self as pictures, SheetCode, SheetHead};
use quipu_referee::{Lang, games};
use quipu_tournament::model::RoundGame;

use super::parameters::round_of;
use crate::{
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    routes::tournaments::{no_round, shown},
};

pub(super) async fn file(context: RequestContext) -> HandlerResult {
    let (round, lang) = (round_of(&context).unwrap_or_default(), context.lang);
    let service = context.settings().public_url.clone();
    let mut response = shown(&context, move |stored| pdf(stored, round, &service, lang, |_| String::new())).await?;
    name(&context, round, &mut response);
    Ok(response)
}

/// Names the file.
pub(super) fn name(context: &RequestContext, round: u32, response: &mut HttpResponse) {
    let name = format!("attachment; filename=\"sheets-{}-{round}.pdf\"", context.path_number("number"));
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
}

/// The scoresheets of a round. `fragment` is the end of the address in the code of a board.
pub(super) fn pdf(
    stored: &StoredTournament,
    round: u32,
    service: &str,
    lang: Lang,
    fragment: impl Fn(u32) -> String,
) -> Result<Vec<u8>, Problem> {
    if stored.tournament.round(round).is_none() {
        return Err(no_round(stored, round));
    }
    let game = games::find(stored.game.id).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let code = |game: &RoundGame<'_>| {
        let address = ScoreAddress::new(stored.number, round, game);
        let whole = format!("{service}{}{}", address.path_for_players(), fragment(game.board));
        (!service.is_empty()).then(|| SheetCode::new(&whole, &format!("{service}{}", address.path())))?
    };
    let tournament = &stored.tournament;
    let head = |game: &RoundGame<'_>| SheetHead::new(tournament, round, game, code(game));
    let heads: Vec<_> = tournament.games_of(round).iter().map(head).collect();
    Ok(pictures::sheets_pdf(game, &heads, lang))
}
