//! The list of tournaments.

use maud::html;
use quipu_archive::{
    model::Number,
    store::{ListedTournament, ReadTx},
};

use super::{
    parameters::{PATH, PLACE},
    tournament_page::system,
};
use crate::{
    pages::frame::{LISTED, Page, View, game_name, joined, list_end, page_response},
    problem::HandlerResult,
    request::RequestContext,
};

pub(super) async fn index(context: RequestContext) -> HandlerResult {
    let (before, address, view) = (context.cursor::<Number>()?, context.own_address(), View::of(&context));
    let read = move |reading: &ReadTx<'_>| reading.tournaments(before, LISTED + 1);
    let write = move |mut found: Vec<ListedTournament>| {
        let next = (found.len() > LISTED).then(|| found[LISTED - 1].number);
        found.truncate(LISTED);
        let title = view.say("tournament.title");
        let body = html! {
            h1 { (title) }
            p.lead { (view.say("tournament.lead")) }
            @if found.is_empty() { p { (view.say("tournament.none")) } }
            ul.names {
                @for one in &found {
                    li {
                        a href=(view.href(&format!("{PATH}/{}", one.number), &[])) { (one.name) }
                        " "
                        span.meta {
                            (joined([
                                Some(html! { (game_name(&view, one.game)) }),
                                Some(html! { (system(&view, one.system)) }),
                                Some(html! { (view.fill("tournament.players-count", &[("players", &one.players)])) }),
                                Some(html! { (view.fill("tournament.rounds-of", &[("round", &one.paired), ("rounds", &one.rounds)])) }),
                            ]))
                        }
                    }
                }
            }
            p { a href=(view.href("/tournaments/new", &[])) { (view.say("tournament.new")) } }
            @if !found.is_empty() { (list_end(&view, found.len(), next.and_then(|next| address.next_page(&next)))) }
        };
        Ok(view.write(&Page::new(title, PLACE, body)))
    };
    let page = context.read_then(read, write).await?;
    Ok(context.cacheable(page_response(&context, page)))
}
