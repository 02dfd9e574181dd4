//! Downloads of a record, and the snippet that embeds its board in other pages.

use actix_web::http::header::{self, HeaderValue};
use maud::{Markup, html};
use quipu_referee::report::hex;

use super::{record::RecordPage, replay::ReplayedGame};
use crate::{
    pages::{frame::View, records},
    problem::HandlerResult,
    request::RequestContext,
};
use quipu_pictures::{Coordinates, MOST_FRAMES, MOST_PLIES};

/// Width in pixels of a frame with the board of a game, and of the board in it.
const EMBEDDED: u32 = 420;
const EMBEDDED_BOARD: u32 = 396;
/// Height in pixels of what is above and below the board in the frame.
const EMBEDDED_REST: u32 = 240;

/// A record as a download. The extension of the path is its format.
pub(super) async fn file(context: RequestContext) -> HandlerResult {
    let ending = context.route.path.rsplit('.').next().unwrap_or_default();
    let name = format!("attachment; filename=\"{}.{ending}\"", hex(&context.record()));
    let mut response = crate::routes::records::show(context).await?;
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

impl RecordPage {
    pub(super) fn downloads(&self, view: &View) -> Markup {
        let id = &self.id;
        let plies = self.game.as_ref().map(ReplayedGame::last);
        let file = |path: String, key: &str| html! { li { a href=(path) download { (view.say(key)) } } };
        let at = |ending: &str, ply: usize| {
            view.href_in_language(&format!("/v1/records/{id}/positions/{ply}.{ending}"), &[])
        };
        html! {
            section.saves aria-labelledby="downloads" {
                h2 #downloads { (view.say("game.downloads")) }
                ul.downloads {
                    @if self.readable {
                        (file(format!("/records/{id}/game.quipu"), "download.quipu"))
                        (file(format!("/records/{id}/game.json"), "download.json"))
                        (file(format!("/records/{id}/game.csv"), "download.csv"))
                    }
                    (file(format!("/v1/records/{id}/source"), "download.source"))
                    (file(format!("/v1/records/{id}/receipt"), "download.receipt"))
                    @if self.readable && plies.is_none_or(|plies| plies <= MOST_PLIES) {
                        (file(view.href_in_language(&format!("/v1/records/{id}/verdict.pdf"), &[]), "download.pdf"))
                    }
                    @if plies.is_some_and(|plies| plies <= MOST_PLIES) {
                        (file(view.href_in_language(&format!("/v1/records/{id}/replay.html"), &[]), "download.html"))
                    }
                    @if plies.is_some_and(|plies| plies <= MOST_FRAMES) {
                        (file(view.href_in_language(&format!("/v1/records/{id}/replay.gif"), &[]), "download.gif"))
                    }
                }
                @if let Some(game) = &self.game {
                    ul.downloads data-part="pictures" {
                        (file(at("svg", game.at), "download.svg"))
                        (file(at("png", game.at), "download.png"))
                    }
                }
            }
        }
    }

    /// The snippet with which another page shows the board.
    pub(super) fn embedding(&self, view: &View) -> Markup {
        let Some(game) = &self.game else { return html! {} };
        let flip = self.flip.then_some(("flip", "yes"));
        let ply = game.at.to_string();
        let query: Vec<_> = [("ply", &*ply)].into_iter().chain(flip).collect();
        let source = view.href_in_language(&format!("/embed/{}", self.id), &query);
        let title = records::title(&self.history.card, &self.id);
        let [width, height] = quipu_pictures::size(game.referee, &game.shown.drawing, Coordinates::Inside);
        let height = EMBEDDED_BOARD * height / width + EMBEDDED_REST;
        let snippet = html! { iframe src=(source) title=(title) width=(EMBEDDED) height=(height) loading="lazy" {} };
        html! {
            section.embedding aria-labelledby="embed" {
                h2 #embed { (view.say("game.embed")) }
                p { label for="snippet" { (view.say("game.snippet")) } }
                div data-part="embed" { textarea #snippet readonly rows="3" { (snippet.into_string()) } }
                p { a href=(view.href(&format!("/embed/{}", self.id), &[])) { (view.say("game.embedded")) } }
            }
        }
    }
}
