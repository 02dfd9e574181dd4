//! Results of a search: the next moves as a table, each a link to the position after it, and the games.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::{Board, Referee, report::hex};

use super::editor::Editor;
use crate::{
    pages::{
        frame::{View, captioned_table, line, list_end},
        records,
    },
    paging::Address,
};
use quipu_archive::store::{GameAtPosition, PositionGames};

/// The games of a position.
pub(super) struct Found {
    pub(super) board: Box<dyn Board>,
    pub(super) games: PositionGames,
}

impl Found {
    pub(super) fn results(&self, view: &View, game: &dyn Referee, editor: &Editor, address: &Address) -> Markup {
        let PositionGames { totals, page } = &self.games;
        let next = page.next.as_ref().and_then(|next| address.next_page(next));
        html! {
            h2 { (view.say("positions.moves")) }
            @if totals.outcomes == [0; 3] { p { (view.say("positions.none")) } } @else { (self.moves(view, game, editor)) }
            @if !totals.is_exact { p.note { (view.say("positions.not-exact")) } }
            @if !page.items.is_empty() {
                h2 { (view.say("positions.games")) }
                ul.cards { @for item in &page.items { li { (item_of(view, item)) } } }
            }
            @if next.is_some() { (list_end(view, 1, next)) }
        }
    }

    fn moves(&self, view: &View, game: &dyn Referee, editor: &Editor) -> Markup {
        let head = html! {
            th scope="col" { (view.say("positions.move")) }
            th.number scope="col" { (view.say("figure.games")) }
            @for side in Side::BOTH { th.number scope="col" { (view.word(game.side_words()[side.index()])) } }
            th.number scope="col" { (view.say("figure.draws")) }
        };
        let row = |name: &Markup, outcomes: [u64; 3]| {
            html! {
                tr {
                    th scope="row" { (name) }
                    td.number { (outcomes.iter().sum::<u64>()) }
                    @for games in outcomes { td.number { (games) } }
                }
            }
        };
        let link = |token: &str| {
            let mut after = self.board.copied();
            let is_played = after.play(token).is_ok();
            html! {
                @if is_played { a href=(editor.address(view, game, &after.position())) { (token) } } @else { (token) }
            }
        };
        let body = html! {
            tbody {
                @for next in &self.games.totals.moves { (row(&link(&next.token), next.outcomes)) }
                @if self.games.totals.ended != [0; 3] { (row(&html! { (view.say("positions.ended")) }, self.games.totals.ended)) }
                (row(&html! { (view.say("positions.all")) }, self.games.totals.outcomes))
            }
        };
        captioned_table(view.say("positions.outcomes"), &head, &body)
    }
}

/// A game, as a link to the position in it.
fn item_of(view: &View, GameAtPosition { card, ply }: &GameAtPosition) -> Markup {
    let id = hex(&card.id);
    let href = view.href(&format!("/records/{id}"), &[("ply", &ply.to_string())]);
    html! {
        p.title {
            a href=(href) { (records::title(card, &id)) }
            @if let Some(result) = records::result(card) { " " (result) }
        }
        (line(
            [Some(html! { (view.fill("positions.ply", &[("ply", ply)])) })]
                .into_iter()
                .chain(records::event_facts(view, card)),
        ))
    }
}
