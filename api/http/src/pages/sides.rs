//! The players of a game above and below its board, with clock and points.

use maud::{Markup, PreEscaped, html};
use quipu_notation::{Side, record::clock};
use quipu_referee::{
    Referee,
    drawing::{Drawing, Face, Glyph},
};

use super::frame::View;

/// A remaining time.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// Milliseconds, if known.
    pub(super) left: Option<u64>,
    /// The Unix time in milliseconds since which it runs; none if it stands.
    pub(super) since: Option<i64>,
}

/// The data of both sides, side 1 first.
pub(super) struct Sides<'s> {
    pub(super) game: &'static dyn Referee,
    pub(super) board: &'s Drawing,
    /// The side to move; none if the game is over.
    pub(super) to_move: Option<Side>,
    pub(super) players: &'s [Markup; 2],
    /// None in a game without clocks.
    pub(super) clocks: Option<[Clock; 2]>,
    pub(super) points: Option<[u32; 2]>,
}

impl Sides<'_> {
    /// One side in a line: a piece of its colour, player, name, points, clock.
    pub(super) fn line(&self, view: &View, side: Side) -> Markup {
        let moving = self.to_move == Some(side);
        let name = self.game.notation().side(side).tag;
        let piece = self.game.pieces().into_iter().find(|piece| piece.side == side);
        let piece = piece.map(|piece| Glyph { face: Face::Plain, ..piece });
        html! {
            div.player.moving[moving] role="group" aria-label=(name) {
                @if let Some(piece) = piece {
                    span.sample { (PreEscaped(quipu_pictures::piece(self.board, &piece))) }
                }
                span.who {
                    strong { (self.players[side.index()]) } " "
                    span.side { (name) @if moving { " " span.turn { (view.say("game.to-move")) } } }
                }
                span.counts {
                    @if let Some(clocks) = self.clocks { (time(view, name, clocks[side.index()])) " " }
                    @if let Some(points) = self.points {
                        span { (view.say("figure.points")) " " strong data-points=(name) { (points[side.index()]) } }
                    }
                }
            }
        }
    }
}

fn time(view: &View, name: &str, Clock { left, since }: Clock) -> Markup {
    let running = left.zip(since);
    html! {
        span {
            span.unseen { (view.say("figure.clock")) " " }
            strong.time data-clock=(name) data-left=[running.map(|(left, _)| left)] data-since=[running.map(|(_, since)| since)] {
                @if let Some(left) = left { (clock_text(left)) } @else { "–" }
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
