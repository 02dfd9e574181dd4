//! The board of a game on a page, with its controls, players, clocks and points.

use maud::{Markup, html};
use quipu_notation::Side;

use super::{record::RecordPage, replay::ReplayedGame};
use crate::pages::{boards, charts, frame::View, players, sides::Sides};

/// A game on a page, with the path of that page.
pub(super) struct BoardView<'p> {
    pub(super) view: &'p View,
    pub(super) base: String,
    pub(super) whole: &'p RecordPage,
    pub(super) game: &'p ReplayedGame,
}

impl BoardView<'_> {
    pub(super) fn at(&self, ply: usize) -> String {
        self.view.href(&self.base, &[("ply", &ply.to_string())])
    }

    /// The last move in one line.
    pub(super) fn now(&self) -> String {
        let (view, game) = (self.view, self.game);
        let Some(ply) = game.at.checked_sub(1).and_then(|index| game.plies.get(index)) else {
            return view.say("game.start").to_owned();
        };
        let (at, side) = (game.at, game.tag(ply.side));
        let line =
            view.fill("game.now", &[("ply", &at), ("last", &game.last()), ("side", &side), ("token", &ply.token)]);
        match game.shown.end {
            Some(end) => {
                let ended = view.fill("game.ended", &[("end", &view.word(end.termination.word))]);
                format!("{line} · {ended} · {}", end.outcome.as_str())
            }
            None => line,
        }
    }

    pub(super) fn board(&self) -> Markup {
        let (view, game) = (self.view, self.game);
        let label = view.fill("game.after", &[("ply", &game.at)]);
        let board = boards::after(view, &self.whole.id, game.at, game.referee, &game.shown.drawing, &label);
        html! {
            (board)
            p.now data-part="now" role="status" { (self.now()) }
        }
    }

    /// Links to other plies. At the ends they lead to the same ply, so that keyboard focus is not lost.
    pub(super) fn steps(&self) -> Markup {
        let (view, at, last) = (self.view, self.game.at, self.game.last());
        let step = |go: &str, ply: usize, sign: &str, key: &str| {
            html! {
                a data-go=(go) href=(self.at(ply)) aria-label=(view.say(key)) title=(view.say(key)) {
                    span aria-hidden="true" { (sign) }
                }
            }
        };
        html! {
            nav.steps aria-label=(view.say("game.steps")) {
                (step("first", 0, "«", "game.first"))
                (step("previous", at.saturating_sub(1), "‹", "game.previous"))
                (step("next", (at + 1).min(last), "›", "game.next"))
                (step("last", last, "»", "game.last"))
            }
            p.slider hidden {
                label for="ply" { (view.say("game.ply")) }
                input #ply type="range" min="0" max=(last) value=(at) autocomplete="off";
                span.keys { (view.say("game.keys")) }
            }
        }
    }

    /// The players, clocks and points of the sides.
    pub(super) fn sides(&self) -> Markup {
        let game = self.game;
        let sides = Sides {
            game: game.referee.notation(),
            to_move: game.shown.end.is_none().then_some(game.shown.turn),
            players: Side::BOTH.map(|side| self.player(side)),
            clocks: game.has_clocks().then(|| Side::BOTH.map(|side| game.clock(side))),
            points: game.points.get(game.at).copied(),
        };
        sides.table(self.view)
    }

    pub(super) fn player(&self, side: Side) -> Markup {
        let player = self.whole.history.card.players[side.index()].as_ref();
        player.map_or_else(|| html! { "?" }, |(number, name)| players::name(self.view, *number, name))
    }

    /// The chart of the points.
    pub(super) fn chart(&self) -> Markup {
        let (view, game) = (self.view, self.game);
        let Some([one, two]) = game.points.get(game.at).filter(|_| game.points.len() > 1) else { return html! {} };
        let [first, second] = Side::BOTH.map(|side| game.tag(side));
        let said = view.fill(
            "game.chart",
            &[("ply", &game.at), ("first", &first), ("one", one), ("second", &second), ("two", two)],
        );
        html! {
            figure data-part="chart" {
                figcaption {
                    (view.say("game.points")) " "
                    span.key.one { (first) " " strong { (one) } } " " span.key.two { (second) " " strong { (two) } }
                }
                (charts::points(&said, &game.points, game.at))
            }
        }
    }
}
