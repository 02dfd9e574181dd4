//! The table of the sides with players, clocks and points.

use maud::{Markup, html};
use quipu_notation::{Side, games::GameNotation, record::clock};

use super::frame::View;

/// The data of both sides, side 1 first.
pub(super) struct Sides {
    pub(super) game: &'static GameNotation,
    /// The side to move; none if the game is over.
    pub(super) to_move: Option<Side>,
    pub(super) players: [Markup; 2],
    /// Remaining milliseconds of each side, if known; none in a game without clocks.
    pub(super) clocks: Option<[Option<u64>; 2]>,
    pub(super) points: Option<[u32; 2]>,
}

impl Sides {
    pub(super) fn table(&self, view: &View) -> Markup {
        html! {
            table.sides data-part="sides" {
                caption.unseen { (view.say("game.sides")) }
                thead {
                    tr {
                        th scope="col" { (view.say("figure.side")) }
                        th scope="col" { (view.say("figure.player")) }
                        @if self.clocks.is_some() { th.number scope="col" { (view.say("figure.clock")) } }
                        @if self.points.is_some() { th.number scope="col" { (view.say("figure.points")) } }
                    }
                }
                tbody { @for side in Side::BOTH { (self.row(view, side)) } }
            }
        }
    }

    fn row(&self, view: &View, side: Side) -> Markup {
        let clock = |left: Option<u64>| left.map_or_else(|| "–".to_owned(), clock_text);
        html! {
            tr {
                th scope="row" {
                    (self.game.side(side).tag)
                    @if self.to_move == Some(side) { " " span.turn { (view.say("game.to-move")) } }
                }
                td { (self.players[side.index()]) }
                @if let Some(clocks) = self.clocks { td.number { (clock(clocks[side.index()])) } }
                @if let Some(points) = self.points { td.number { (points[side.index()]) } }
            }
        }
    }
}

/// A duration for people: `0:11:55`, with thousandths if there are any.
pub(super) fn clock_text(millis: u64) -> String {
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = clock::write(millis, &mut text);
    text.strip_suffix(".000").map_or(text.clone(), str::to_owned)
}
