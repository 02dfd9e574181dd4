//! A tournament as a whole: its state, rounds, entry list and settings.

use maud::{Markup, html};
use quipu_archive::store::TournamentChange;
use quipu_tournament::model::{Bye, Entrant};

use super::{
    changes,
    parameters::{PLACE, rows_of},
    tournament_page::{Tab, TournamentPage, page_with_orders},
};
use crate::{
    pages::frame::{Page, captioned_table, fraction, game_name, line},
    problem::HandlerResult,
    request::RequestContext,
};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let rows = rows_of(&context);
    page_with_orders(&context, move |cup, orders| {
        Ok(Page::new(cup.tournament().settings.name.clone(), PLACE, body(cup, orders, rows)))
    })
    .await
}

fn body(cup: &TournamentPage<'_>, orders: &[TournamentChange], rows: usize) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let name = &tournament.settings.name;
    html! {
        h1 { (name) }
        (line([
            Some(html! { (game_name(view, cup.stored.game)) }),
            Some(html! { (cup.system()) }),
            Some(html! { (cup.encounter()) }),
            Some(html! { (view.fill("tournament.players-count", &[("players", &tournament.entrants.len())])) }),
            Some(html! { a href=(view.href("/records", &[("event", name)])) { (view.say("tournament.records")) } }),
        ]))
        (cup.tabs(Tab::Overview))
        section aria-labelledby="rounds" {
            h2 #rounds { (view.say("tournament.rounds")) }
            @if tournament.rounds.is_empty() { p { (view.say("tournament.not-begun")) } }
            ul.names {
                @for (round, number) in tournament.rounds.iter().zip(1_u32..) {
                    li {
                        a href=(cup.href(&format!("/rounds/{number}"))) { (view.fill("tournament.round", &[("round", &number)])) }
                        " " span.meta { (cup.state(round)) }
                    }
                }
            }
            p.note { (view.fill("tournament.rounds-of", &[("round", &cup.last_round()), ("rounds", &tournament.round_count())])) }
        }
        ul.downloads { (cup.files()) }
        (cup.misfits(None))
        section {
            h2 #entries { (view.say("tournament.entries")) }
            (entries(cup, rows))
        }
        section aria-labelledby="settings" {
            h2 #settings { (view.say("tournament.settings")) }
            dl {
                dt { (view.say("tournament.system")) } dd { (cup.system()) }
                dt { (view.say("tournament.encounter")) } dd { (cup.encounter()) }
                @if let Some(seconds) = tournament.time_control {
                    dt { (view.say("tournament.time-control")) } dd { (cup.time(seconds)) }
                }
                dt { (view.say("tournament.bye-points")) } dd { (fraction(Bye::Allocated.score(tournament.settings.bye))) }
                dt { (view.say("tournament.tie-breaks")) } dd { (cup.tie_breaks()) }
            }
            (changes::orders(cup, orders))
            p { a href=(cup.href("/history")) { (view.say("history.title")) } }
            p { a.button href=(cup.href("/organise")) { (view.say("tournament.organise-link")) } }
        }
    }
}

/// The entry list.
fn entries(cup: &TournamentPage<'_>, rows: usize) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let caption = view.say("tournament.entries");
    let all = tournament.entrants.len();
    let head = html! {
        th.number scope="col" { (view.say("tournament.number")) }
        th.name scope="col" { (view.say("figure.player")) }
        th.number scope="col" { (view.say("tournament.rating")) }
        th scope="col" { (view.say("tournament.federation")) }
        th scope="col" { (view.say("tournament.club")) }
        th scope="col" { (view.say("tournament.presence")) }
    };
    let body = html! {
        tbody {
            @for (id, entrant) in tournament.ids().zip(&tournament.entrants).take(rows) {
                @let player = &entrant.player;
                tr {
                    td.number { (id.0) }
                    th scope="row" { (cup.name(id)) }
                    td.number { @if let Some(rating) = player.rating { (rating) } @else { "–" } }
                    td { (player.federation.as_deref().unwrap_or("–")) }
                    td { (player.club.as_deref().unwrap_or("–")) }
                    td { (presence(cup, entrant)) }
                }
            }
        }
    };
    let pairs = tournament.forbidden.iter().map(|pair| pair.map(|id| tournament.name(id)));
    html! {
        @if all == 0 { p { (view.say("tournament.no-players")) } } @else { (captioned_table(caption, &head, &body)) }
        (cup.cut(rows, all))
        @for [one, two] in pairs { p.note { (view.fill("tournament.forbidden", &[("one", &one), ("two", &two)])) } }
    }
}

/// Late entry, absences and withdrawal of a player.
pub(super) fn presence(cup: &TournamentPage<'_>, entrant: &Entrant) -> String {
    let (view, bye) = (cup.view, cup.tournament().settings.bye);
    let late = (entrant.first > 1).then(|| view.fill("tournament.first", &[("round", &entrant.first)]));
    let absences = entrant.absences.iter().map(|(round, kind)| {
        view.fill("tournament.absent-in", &[("round", round), ("points", &fraction(kind.score(bye)))])
    });
    let withdrawn = entrant.withdrawn.map(|round| view.fill("tournament.withdrawn-in", &[("round", &round)]));
    let said: Vec<_> = late.into_iter().chain(absences).chain(withdrawn).collect();
    if said.is_empty() { "–".to_owned() } else { said.join(", ") }
}
