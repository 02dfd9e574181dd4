//! The list of moves of a game on a page.

use maud::{Markup, html};
use quipu_notation::record::Record;

use super::{board::BoardView, replay::PlayedPly};
use crate::pages::sides::clock_text;

/// Plies listed on one page.
const MOVES: usize = 1_000;

impl BoardView<'_> {
    /// The moves in pairs: all of them, or those around the one that is shown.
    pub(super) fn moves(&self) -> Markup {
        let (view, game) = (self.view, self.game);
        let start = game.at.saturating_sub(1) / MOVES * MOVES;
        let end = (start + MOVES).min(game.last());
        let sides = [game.first, !game.first];
        let label = view.say("game.moves");
        let cell = |index: usize| {
            let ply = game.plies.get(index).filter(|_| index < end);
            let Some(PlayedPly { token, clock, .. }) = ply else { return html! { td {} } };
            html! {
                td {
                    a data-ply=(index + 1) href=(self.at(index + 1)) aria-current=[(game.at == index + 1).then_some("step")] {
                        (token)
                    }
                    @if let Some(clock) = clock { " " span.clock { (clock_text(*clock)) } }
                }
            }
        };
        html! {
            div.list data-part="moves" data-start={ (start) @if self.flip { " flipped" } } role="region" aria-label=(label) tabindex="0" {
                @if game.plies.is_empty() { p { (view.say("game.no-moves")) } }
                @else {
                    @if start > 0 { p { a href=(self.at(start)) { (view.say("game.earlier")) } } }
                    table {
                        caption.unseen { (label) }
                        thead {
                            tr {
                                th.number scope="col" { (view.say("figure.number")) }
                                @for side in sides { th scope="col" { (game.tag(side)) } }
                            }
                        }
                        tbody {
                            @for index in (start..end).step_by(2) {
                                tr { th.number scope="row" { (Record::expected_number(index)) } (cell(index)) (cell(index + 1)) }
                            }
                        }
                    }
                    @if end < game.last() { p { a href=(self.at(end + 1)) { (view.say("game.later")) } } }
                }
                @if let Some((token, behind)) = game.refused.as_ref().filter(|_| end == game.last()) {
                    p.found.error {
                        (view.fill("game.refused", &[("ply", &(game.last() + 1))])) " " code { (token) }
                        @if *behind > 0 { " " (view.fill("game.unjudged", &[("count", behind)])) }
                    }
                }
            }
        }
    }
}
