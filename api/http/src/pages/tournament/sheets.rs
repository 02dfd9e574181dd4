//! The scoresheets of a round, with names, round, board and leg, to print.

use actix_web::http::header::{self, HeaderValue};
use quipu_archive::store::StoredTournament;
use quipu_pictures::{self as pictures, SheetHead};
use quipu_referee::games;
use quipu_tournament::model::RoundGame;

use super::parameters::round_of;
use crate::{
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    routes::tournaments::{no_round, shown},
};

pub(super) async fn file(context: RequestContext) -> HandlerResult {
    let (round, lang) = (round_of(&context).unwrap_or_default(), context.lang);
    let name = format!("attachment; filename=\"sheets-{}-{round}.pdf\"", context.path_number("number"));
    let write = move |stored: &StoredTournament| {
        if stored.tournament.round(round).is_none() {
            return Err(no_round(stored, round));
        }
        let game = games::find(stored.game.id).ok_or_else(|| Problem::new(problem::INTERNAL))?;
        let head = |game: RoundGame<'_>| SheetHead {
            players: game.players.map(str::to_owned),
            event: stored.tournament.settings.name.clone(),
            round,
            board: game.board,
            leg: game.leg,
        };
        let heads: Vec<_> = stored.tournament.games_of(round).into_iter().map(head).collect();
        Ok(pictures::sheets_pdf(game, &heads, lang))
    };
    let mut answer = shown(&context, write).await?;
    if let Ok(name) = HeaderValue::from_str(&name) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(answer)
}
