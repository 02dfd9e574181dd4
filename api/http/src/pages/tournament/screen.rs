//! The pairings of the last round for a big screen. The browser reloads the page by itself, without a script.

use actix_web::http::header::{HeaderName, HeaderValue};
use maud::{Markup, html};
use quipu_archive::store::StoredTournament;
use quipu_notation::Side;

use super::{
    parameters::PATH,
    round::{byes, title},
    tournament_page::TournamentPage,
};
use crate::{pages::frame::View, problem::HandlerResult, request::RequestContext, routes::tournaments};

/// The header that makes a browser reload the page, with the interval in seconds. Error pages of this path have it too.
pub(crate) const REFRESH: (HeaderName, HeaderValue) =
    (HeaderName::from_static("refresh"), HeaderValue::from_static("30"));

/// True for the path of such a page.
pub(crate) fn is_at(path: &str) -> bool {
    path.strip_prefix(PATH).is_some_and(|rest| rest.ends_with("/screen"))
}

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let write = move |stored: &StoredTournament| {
        let cup = TournamentPage { view: &view, stored };
        let name = &stored.tournament.settings.name;
        Ok(view.document(name, "screen", &[], None, None, &body(&cup)).into_bytes())
    };
    let mut response = tournaments::shown(&context, write).await?;
    let (name, value) = REFRESH;
    response.headers_mut().insert(name, value);
    Ok(response)
}

fn body(cup: &TournamentPage<'_>) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let last = cup.last_round();
    let caption = view.say("tournament.boards");
    html! {
        main #main {
            @if let Some(round) = tournament.round(last) {
                h1 { (title(cup, last)) }
                p.meta { (cup.state(round)) " · " a href=(cup.href("")) { (view.say("tournament.overview")) } }
                table {
                    caption.unseen { (caption) }
                    thead {
                        tr {
                            th.number scope="col" { (view.say("event.board")) }
                            th scope="col" { (cup.side_heading(Side::One)) }
                            th.number scope="col" { (view.say("tournament.score")) }
                            th scope="col" { (cup.side_heading(Side::Two)) }
                        }
                    }
                    tbody {
                        @for (board, number) in round.boards.iter().zip(1_usize..) {
                            @let [one, two] = board.players.map(|id| tournament.name(id));
                            tr {
                                td.number { (number) }
                                th scope="row" { (one) }
                                td.number { @if let Some([one, two]) = cup.score(board) { (one) "–" (two) } }
                                td { (two) }
                            }
                        }
                    }
                }
                (byes(cup, round))
            } @else {
                h1 { (tournament.settings.name) }
                p { (view.say("tournament.not-begun")) " " a href=(cup.href("")) { (view.say("tournament.overview")) } }
            }
        }
    }
}
