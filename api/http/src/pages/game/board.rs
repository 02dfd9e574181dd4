//! The board of a game on a page, between its players, with its controls and the chart of points.

use maud::{Markup, html};
use quipu_notation::Side;

use super::replay::ReplayedGame;
use crate::pages::{
    boards, charts,
    frame::View,
    sides::{Clock, Sides},
};

pub(crate) struct BoardView<'p> {
    pub(crate) view: &'p View,
    pub(crate) base: String,
    /// True if the board is seen from the other side.
    pub(crate) flip: bool,
    /// Side 1 first.
    pub(crate) players: [Markup; 2],
    pub(crate) game: &'p ReplayedGame,
    pub(crate) picture: BoardPicture<'p>,
    pub(crate) clocks: CurrentClocks,
}

/// The clocks of a game in progress as they are now.
#[derive(Clone, Copy, Default)]
pub(crate) struct CurrentClocks {
    /// Milliseconds left of each side, side 1 first, if they differ from those in the record.
    pub(crate) left: [Option<u64>; 2],
    /// The Unix time in milliseconds since which the clock of the side to move runs, if it runs.
    pub(crate) since: Option<i64>,
}

/// The address of the board's picture.
pub(crate) enum BoardPicture<'p> {
    /// A stored record, by its id.
    Record(&'p str),
    /// The position before the move, by the rule set of the game.
    Move(Option<&'p str>),
}

impl BoardView<'_> {
    pub(crate) fn at(&self, ply: usize) -> String {
        self.look(ply, self.flip)
    }

    fn look(&self, ply: usize, flip: bool) -> String {
        let ply = ply.to_string();
        let flip = flip.then_some(("flip", "yes"));
        self.view.href(&self.base, &[("ply", &*ply)].into_iter().chain(flip).collect::<Vec<_>>())
    }

    /// The last move in one line, with the end of the game if it was the last.
    fn now(&self) -> String {
        let (view, game) = (self.view, self.game);
        let line = match game.at.checked_sub(1).and_then(|index| game.plies.get(index)) {
            Some(ply) => {
                let (at, side) = (game.at, game.tag(ply.side));
                view.fill("game.now", &[("ply", &at), ("last", &game.last()), ("side", &side), ("token", &ply.token)])
            }
            None => view.say("game.start").to_owned(),
        };
        let Some((outcome, termination)) = game.end() else { return line };
        let ended = termination.map(|word| view.fill("game.ended", &[("end", &view.word(word))]));
        [Some(line), ended, Some(outcome.as_str().to_owned())].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// The board between its players.
    pub(crate) fn board(&self) -> Markup {
        let (view, game) = (self.view, self.game);
        let label = view.fill("game.after", &[("ply", &game.at)]);
        let drawing = &game.shown.drawing;
        let below = if self.flip { !drawing.below } else { drawing.below };
        let large = |source: &boards::Source<'_>| boards::large(view, game.referee, drawing, &label, source);
        let sides = self.sides();
        html! {
            div data-part="above" { (sides.line(view, !below)) }
            @match self.picture {
                BoardPicture::Record(id) => (large(&boards::of_record(view, id, game.at as u64, self.flip))),
                BoardPicture::Move(rules) => {
                    @let (position, token) = &game.shown.from;
                    (large(&boards::of_move(view, game.referee, rules, (position, token.as_deref()), self.flip)))
                }
            }
            div data-part="below" { (sides.line(view, below)) }
        }
    }

    /// Links to other plies. At the ends they lead to the same ply, so that keyboard focus is not lost.
    pub(crate) fn steps(&self) -> Markup {
        let (view, at, last) = (self.view, self.game.at, self.game.last());
        let link = |go: &str, href: String, sign: &str, key: &str| {
            html! {
                a data-go=(go) href=(href) aria-label=(view.say(key)) title=(view.say(key)) {
                    span aria-hidden="true" { (sign) }
                }
            }
        };
        let step = |go: &str, ply: usize, sign: &str, key: &str| link(go, self.at(ply), sign, key);
        let (play, pause) = (view.say("game.play"), view.say("game.pause"));
        html! {
            nav.steps aria-label=(view.say("game.steps")) {
                (step("first", 0, "«", "game.first"))
                (step("previous", at.saturating_sub(1), "‹", "game.previous"))
                button #play type="button" hidden aria-label=(play) title=(play) data-play=(play) data-pause=(pause) {
                    span aria-hidden="true" { "▶" }
                }
                (step("next", (at + 1).min(last), "›", "game.next"))
                (step("last", last, "»", "game.last"))
                (link("flip", self.look(at, !self.flip), "⇅", "game.flip"))
            }
            p.now data-part="now" role="status" { (self.now()) }
            p.notice #unreached hidden role="alert" { (view.say("game.unreached")) }
            p.slider hidden {
                label.unseen for="ply" { (view.say("game.ply")) }
                input #ply type="range" min="0" max=(last) value=(at) autocomplete="off";
                span.keys { (view.say("game.keys")) }
            }
        }
    }

    /// The players with clocks and points.
    fn sides(&self) -> Sides<'_> {
        let game = self.game;
        let to_move = game.end().is_none().then_some(game.shown.turn);
        let CurrentClocks { left, since } = self.clocks;
        let clock = |side: Side| {
            let since = since.filter(|_| to_move == Some(side));
            Clock { left: left[side.index()].or_else(|| game.clock(side)), since }
        };
        let has_clocks = game.has_clocks() || left.iter().any(Option::is_some);
        Sides {
            game: game.referee,
            board: &game.shown.drawing,
            to_move,
            players: &self.players,
            clocks: has_clocks.then(|| Side::BOTH.map(clock)),
            points: game.points.get(game.at).copied(),
        }
    }

    /// Sentences about the position.
    pub(crate) fn notes(&self) -> Markup {
        html! { div data-part="notes" { @for note in &self.game.shown.notes { p { (note) } } } }
    }

    /// The board in words, for people who do not see it.
    pub(crate) fn words(&self) -> Markup {
        html! {
            details {
                summary { (self.view.say("game.words")) }
                p data-part="words" { (self.game.shown.words) }
            }
        }
    }

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
                figcaption { (view.say("game.points")) " " span.key.one { (first) } " " span.key.two { (second) } }
                (charts::points(&said, &game.points, game.at))
            }
        }
    }
}
