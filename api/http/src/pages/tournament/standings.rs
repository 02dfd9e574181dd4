//! Standings after a round. Each score leads to the games behind it, each tie-break to its parts.

use actix_web::http::header::{self, HeaderValue};
use maud::{Markup, html};
use quipu_archive::store::TournamentChange;
use quipu_tournament::standings::{TournamentStandings, TournamentTieBreak, standings};

use super::{
    changes,
    parameters::{PLACE, round_of, rows_of},
    tournament_page::{Tab, TournamentPage, page_with_orders, tie_break},
};
use crate::{
    pages::frame::{Page, captioned_table, fraction},
    problem::HandlerResult,
    request::RequestContext,
    routes::tournaments::{self, no_round},
};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let (round, rows) = (round_of(&context), rows_of(&context));
    page_with_orders(&context, move |cup, orders| {
        if let Some(round) = round.filter(|round| cup.tournament().round(*round).is_none()) {
            return Err(no_round(cup.stored, round));
        }
        let table = standings(cup.tournament(), round);
        let name = &cup.tournament().settings.name;
        let title = cup.view.fill("tournament.standings-of", &[("name", name), ("round", &table.round)]);
        Ok(Page::new(title.clone(), PLACE, body(cup, &table, orders, &title, rows)))
    })
    .await
}

fn body(
    cup: &TournamentPage<'_>,
    table: &TournamentStandings,
    orders: &[TournamentChange],
    title: &str,
    rows: usize,
) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let path = cup.path("/standings");
    let names_score = TournamentTieBreak::shown(&table.order).contains(&TournamentTieBreak::Score);
    let order = if names_score { "tournament.ordered-by" } else { "tournament.ordered" };
    html! {
        h1 { (title) }
        (cup.tabs(Tab::Standings))
        @if cup.last_round() > 1 {
            nav.tabs aria-label=(view.say("tournament.after")) {
                ul {
                    @for round in 1..=cup.last_round() {
                        li { a href=(view.href(&path, &[("round", &round.to_string())])) aria-current=[(round == table.round).then_some("page")] {
                            (view.fill("tournament.after-round", &[("round", &round)]))
                        } }
                    }
                }
            }
        }
        @if let Some(round) = tournament.round(table.round).filter(|round| !round.is_closed) {
            p.hint { (view.fill("tournament.round", &[("round", &table.round)])) ": " (cup.state(round)) ". " (view.say("tournament.so-far")) }
        }
        p.note { (view.fill(order, &[("order", &cup.tie_breaks())])) }
        (changes::orders(cup, orders))
        @if !orders.is_empty() { p { a href=(cup.href("/history")) { (view.say("history.title")) } } }
        (ranking(cup, table, title, rows))
        (cup.cut(rows, table.rows.len()))
        ul.downloads { li { a href=(csv(cup, table.round)) download { (view.say("event.csv")) } } (cup.files()) }
    }
}

/// The standings as a download.
pub(super) async fn file(context: RequestContext) -> HandlerResult {
    let name = format!("attachment; filename=\"standings-{}.csv\"", context.path_number("number"));
    let mut response = tournaments::standings::show(context).await?;
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// The address of the standings as CSV.
fn csv(cup: &TournamentPage<'_>, round: u32) -> String {
    let path = cup.path("/standings.csv");
    let text = round.to_string();
    let query = if round == 0 { Vec::new() } else { vec![("round", text.as_str())] };
    cup.view.href(&path, &query)
}

fn ranking(cup: &TournamentPage<'_>, table: &TournamentStandings, caption: &str, rows: usize) -> Markup {
    let view = cup.view;
    let round = table.round.to_string();
    let after = if table.round == 0 { Vec::new() } else { vec![("round", round.as_str())] };
    // In an order that names the score it has a column there.
    let score_is_first = !table.order.contains(&TournamentTieBreak::Score);
    let card = |player| view.href(&cup.path(&format!("/players/{player}")), &after);
    let head = html! {
        th.number scope="col" { (view.say("figure.place")) }
        th.name scope="col" { (view.say("figure.player")) }
        @if score_is_first { th.number scope="col" { (view.say("tournament.score")) } }
        @for one in &table.order { th.number scope="col" { span.label { (tie_break(view, *one)) } } }
        th.number scope="col" { (view.say("tournament.wins")) }
        th.number scope="col" { (view.say("tournament.draws")) }
        th.number scope="col" { (view.say("tournament.losses")) }
    };
    let body = html! {
        tbody {
            @for row in table.rows.iter().take(rows) {
                @let card = card(row.player);
                @let name = cup.tournament().name(row.player);
                tr {
                    td.number { (row.place) }
                    th scope="row" { a href=(card) { (name) } }
                    @let score = html! {
                        a href={ (card) "#games" } aria-label=(view.fill("tournament.games-of", &[("player", &name), ("score", &fraction(row.score))])) { (fraction(row.score)) }
                    };
                    @if score_is_first { td.number { (score) } }
                    @for figure in &row.figures {
                        td.number {
                            @if figure.tie_break == TournamentTieBreak::Score { (score) }
                            @else if let Some(value) = figure.value {
                                a href={ (card) "#" (figure.tie_break.as_str()) } { (fraction(value)) }
                            } @else { "–" }
                        }
                    }
                    @for count in row.played { td.number { (count) } }
                }
            }
        }
    };
    captioned_table(caption, &head, &body)
}
