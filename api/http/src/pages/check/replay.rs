//! A checked record on a board, ply by ply. Each ply is a button of the form, so that it needs no script and no address; a
//! script replaces the board without loading the page again.

use maud::{Markup, html};
use quipu_notation::{
    Side,
    record::{Chunk, Record},
};
use quipu_referee::{
    End, Lang, Referee,
    drawing::Drawing,
    replay::{Played, Replay},
    verify,
};

use super::{fields, form, judged::title};
use crate::pages::{
    boards,
    frame::{View, line},
    sides::clock_text,
};
use quipu_pictures as pictures;

/// Plies listed at once.
const LISTED: usize = 1_000;

/// A game as far as it is legal, at a ply.
pub(super) struct Replayed {
    number: usize,
    title: String,
    game: &'static dyn Referee,
    plies: Vec<Played>,
    /// The illegal move.
    refused: Option<String>,
    at: usize,
    shown: ShownPosition,
}

/// The position at the shown ply.
struct ShownPosition {
    drawing: Drawing,
    words: String,
    points: Option<[u32; 2]>,
    end: Option<End>,
}

impl ShownPosition {
    fn of(replay: &Replay<'_>, lang: Lang) -> Self {
        let (game, board) = (replay.game(), replay.board());
        let drawing = board.drawing();
        Self {
            words: pictures::description(game, &drawing, lang),
            points: board.points().map(|points| points.counted()),
            end: board.end(),
            drawing,
        }
    }
}

impl Replayed {
    /// The record with this number in a text at a ply, or at its last one; none if it has no start position.
    pub(super) fn of(chunk: &Chunk<'_>, record: Record<'_>, number: usize, at: usize, lang: Lang) -> Option<Self> {
        // Cells that a spreadsheet has changed are restored.
        let record = verify::of_chunk(chunk, Ok(record)).record?;
        let mut replay = Replay::of(&record)?;
        let mut plies = Vec::new();
        let mut shown = (at == 0).then(|| ShownPosition::of(&replay, lang));
        while let Some(played) = replay.play() {
            plies.push(played);
            if plies.len() == at {
                shown = Some(ShownPosition::of(&replay, lang));
            }
        }
        let refused = record.movetext.plies.get(plies.len());
        Some(Self {
            number,
            title: title(&record),
            game: replay.game(),
            refused: refused.map(|ply| quipu_referee::shown(ply.token.as_bytes())),
            at: at.min(plies.len()),
            plies,
            shown: shown.unwrap_or_else(|| ShownPosition::of(&replay, lang)),
        })
    }

    pub(super) fn title(&self, view: &View) -> String {
        let number = view.fill("check.replay.of", &[("number", &self.number)]);
        if self.title.is_empty() { number } else { format!("{number}: {}", self.title) }
    }

    fn tag(&self, side: Side) -> &'static str {
        self.game.notation().side(side).tag
    }

    /// The last move in one line.
    fn now(&self, view: &View) -> String {
        let Some(Played { ply, side, token, .. }) = self.at.checked_sub(1).and_then(|index| self.plies.get(index))
        else {
            return view.say("game.start").to_owned();
        };
        let (last, side) = (self.plies.len(), self.tag(*side));
        let now = view.fill("game.now", &[("ply", ply), ("last", &last), ("side", &side), ("token", token)]);
        match self.shown.end {
            Some(end) => {
                let ended = view.fill("game.ended", &[("end", &view.word(end.termination.word))]);
                format!("{now} · {ended} · {}", end.outcome.as_str())
            }
            None => now,
        }
    }

    /// The remaining time of a side.
    fn clock(&self, side: Side) -> Option<u64> {
        self.plies[..self.at].iter().rev().filter(|ply| ply.side == side).find_map(|ply| ply.clock)
    }

    /// Clocks and points at the shown ply.
    fn state(&self, view: &View) -> Markup {
        let clock =
            |side| self.clock(side).map(|millis| html! { (self.tag(side)) " " span.clock { (clock_text(millis)) } });
        let points = self.shown.points.map(|[one, two]| {
            let [first, second] = Side::BOTH.map(|side| self.tag(side));
            html! { (view.fill("records.points", &[("first", &first), ("one", &one), ("second", &second), ("two", &two)])) }
        });
        line(Side::BOTH.map(clock).into_iter().chain([points]))
    }

    pub(super) fn body(&self, view: &View) -> Markup {
        let label = view.fill("game.after", &[("ply", &self.at)]);
        html! {
            div.game data-replay=(self.number) {
                section.shown aria-label=(view.say("game.board")) {
                    (boards::inside(view, self.game, &self.shown.drawing, &label))
                    p.now role="status" { (self.now(view)) }
                    (self.steps(view))
                    (self.state(view))
                    details { summary { (view.say("game.words")) } p { (self.shown.words) } }
                }
                (self.moves(view))
            }
        }
    }

    /// The buttons to other plies. At the ends they lead to the same ply, so that keyboard focus is not lost.
    fn steps(&self, view: &View) -> Markup {
        let last = self.plies.len();
        let step = |go: &str, ply: usize, sign: &str, key: &str| {
            let content = html! { span aria-hidden="true" { (sign) } };
            step(self.number, ply, Some((go, view.say(key))), &content)
        };
        html! {
            div.steps role="group" aria-label=(view.say("game.steps")) {
                (step("first", 0, "«", "game.first"))
                (step("previous", self.at.saturating_sub(1), "‹", "game.previous"))
                (step("next", (self.at + 1).min(last), "›", "game.next"))
                (step("last", last, "»", "game.last"))
            }
        }
    }

    /// The moves in pairs: all of them, or those around the one that is shown.
    fn moves(&self, view: &View) -> Markup {
        let start = self.at.saturating_sub(1) / LISTED * LISTED;
        let end = (start + LISTED).min(self.plies.len());
        let first = self.plies.first().map_or(Side::One, |ply| ply.side);
        let cell = |index: usize| {
            let Some(Played { token, .. }) = self.plies.get(index).filter(|_| index < end) else {
                return html! { td {} };
            };
            let content = html! { (token) };
            html! {
                td aria-current=[(self.at == index + 1).then_some("step")] {
                    (step(self.number, index + 1, None, &content))
                }
            }
        };
        let table = html! {
            table {
                caption.unseen { (view.say("game.moves")) }
                thead {
                    tr {
                        th.number scope="col" { (view.say("figure.number")) }
                        @for side in [first, !first] { th scope="col" { (self.tag(side)) } }
                    }
                }
                tbody {
                    @for index in (start..end).step_by(2) {
                        tr { th.number scope="row" { (Record::expected_number(index)) } (cell(index)) (cell(index + 1)) }
                    }
                }
            }
        };
        html! {
            div.moves {
                @if start < end { div.list role="region" aria-label=(view.say("game.moves")) tabindex="0" { (table) } }
                @if let Some(token) = self.refused.as_ref().filter(|_| end == self.plies.len()) {
                    p.found.error {
                        (view.fill("game.refused", &[("ply", &(self.plies.len() + 1))])) " " code { (token) }
                    }
                }
            }
        }
    }
}

/// A button that shows a record of the text at a ply.
fn step(record: usize, ply: usize, name: Option<(&str, &str)>, content: &Markup) -> Markup {
    let [go, label] = [name.map(|(go, _)| go), name.map(|(_, label)| label)];
    html! {
        button form=(form::ID) name=(fields::REPLAY) value={ (record) " " (ply) } data-go=[go] aria-label=[label] title=[label] {
            (content)
        }
    }
}

/// The button that opens the replay of a record at a ply.
pub(super) fn open(view: &View, record: usize, ply: u64) -> Markup {
    html! {
        button.plain form=(form::ID) name=(fields::REPLAY) value={ (record) " " (ply) } { (view.say("check.replay")) }
    }
}
