//! Boards on pages. Each is a picture of its own, at the address that the API has for it, in a light and in a dark form.

use maud::{Markup, html};
use quipu_referee::{Referee, drawing::Drawing, report::hex};

use super::frame::View;
use quipu_archive::model::Card;
use quipu_pictures as pictures;

/// A board of a stored game, as large as there is room for it.
pub(super) fn after(
    view: &View,
    id: &str,
    ply: usize,
    game: &'static dyn Referee,
    drawing: &Drawing,
    label: &str,
) -> Markup {
    large(&of_record(view, id, ply as u64), pictures::size(game, drawing), label)
}

/// A position as large; nothing where it is none that could be drawn.
pub(super) fn position(
    view: &View,
    game: &'static dyn Referee,
    rules: Option<&str>,
    position: &str,
    label: &str,
) -> Markup {
    let Ok(arrangement) = game.arrange(rules, position) else { return html! {} };
    let rules = rules.map(|rules| ("rules", rules));
    let query: Vec<_> = [("game", game.notation().id), ("position", position)].into_iter().chain(rules).collect();
    let source = |theme: &str| view.drawn("/v1/positions.svg", &query, theme);
    large(&source, pictures::size(game, &arrangement.drawing), label)
}

/// Where a game ended, as a sign beside its names, which say what it is; nothing if nothing was played.
pub(super) fn end(view: &View, card: &Card) -> Markup {
    let Some(plies) = card.plies.filter(|plies| *plies > 0) else { return html! {} };
    small(&of_record(view, &hex(&card.id), plies))
}

/// The board that a game begins on, as a sign of it; one of them where each game begins with another.
pub(super) fn start(view: &View, game: &'static dyn Referee) -> Markup {
    let board = game.board(None, None).ok().or_else(|| game.deal(None, 1, None).ok().flatten());
    let Some(position) = board.map(|board| board.position()) else { return html! {} };
    small(&|theme| view.drawn("/v1/positions.svg", &[("game", game.notation().id), ("position", &position)], theme))
}

/// The address of a board of a stored game in a theme.
fn of_record(view: &View, id: &str, ply: u64) -> impl Fn(&str) -> String {
    let path = format!("/v1/records/{id}/positions/{ply}.svg");
    move |theme| view.drawn(&path, &[], theme)
}

fn large(source: &dyn Fn(&str) -> String, [width, height]: [u32; 2], label: &str) -> Markup {
    html! {
        picture.board {
            source srcset=(source("dark")) media="(prefers-color-scheme: dark)";
            img src=(source("light")) alt=(label) width=(width) height=(height);
        }
    }
}

fn small(source: &dyn Fn(&str) -> String) -> Markup {
    html! {
        picture.sign {
            source srcset=(source("dark")) media="(prefers-color-scheme: dark)";
            img src=(source("light")) alt="" loading="lazy";
        }
    }
}
