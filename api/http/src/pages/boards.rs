//! Boards on pages. Each is a picture at an address of the API, in a light and in a dark theme.

use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{Markup, html};
use quipu_referee::{Board, Referee, drawing::Drawing, report::hex};

use super::frame::View;
use crate::route::SVG;
use quipu_archive::model::Card;
use quipu_pictures::{self as pictures, Look, Theme};

/// A board of a stored game, as large as the page allows.
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

/// A position of the same size; empty if it cannot be drawn.
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

/// A position, or the one after a move from it with the marks of the move, described in words; empty if it cannot be drawn.
pub(super) fn played(
    view: &View,
    game: &'static dyn Referee,
    rules: Option<&str>,
    position: &str,
    token: Option<&str>,
) -> Markup {
    let Ok(mut board) = game.board(rules, Some(position)) else { return html! {} };
    if token.is_some_and(|token| board.play(token).is_err()) {
        return html! {};
    }
    let drawing = board.drawing();
    let chosen = [("rules", rules), ("move", token)].into_iter().filter_map(|(name, value)| Some((name, value?)));
    let query: Vec<_> = [("game", game.notation().id), ("position", position)].into_iter().chain(chosen).collect();
    let source = |theme: &str| view.drawn("/v1/positions.svg", &query, theme);
    large(&source, pictures::size(game, &drawing), &pictures::description(game, &drawing, view.lang))
}

/// The query of a thumbnail: names of squares would be too small to read.
const SMALL: (&str, &str) = ("coordinates", "no");

/// A board with the last move marked, as a picture inside the page: for games that no address of the API has.
pub(super) fn inside(view: &View, game: &'static dyn Referee, drawing: &Drawing, label: &str) -> Markup {
    let source = |theme: &str| {
        let usual = Look::new(view.lang);
        let look = Look { theme: Theme::parse(theme).unwrap_or(usual.theme), ..usual };
        // The width is a valid one.
        let picture = pictures::svg(game, drawing, &look).unwrap_or_default();
        format!("data:{SVG};base64,{}", STANDARD.encode(picture))
    };
    large(&source, pictures::size(game, drawing), label)
}

/// The final position of a game as a thumbnail, which the names beside it describe; empty for a game without plies.
pub(super) fn end(view: &View, card: &Card) -> Markup {
    final_position(view, card, &[SMALL])
}

/// The same as large as its place allows, with the names of squares.
pub(super) fn large_end(view: &View, card: &Card) -> Markup {
    final_position(view, card, &[])
}

fn final_position(view: &View, card: &Card, query: &[(&str, &str)]) -> Markup {
    let Some(plies) = card.plies.filter(|plies| *plies > 0) else { return html! {} };
    let path = format!("/v1/records/{}/positions/{plies}.svg", hex(&card.id));
    small(&|theme| view.drawn(&path, query, theme))
}

/// The start position of a game as a thumbnail; one example in games that deal it.
pub(super) fn start(view: &View, game: &'static dyn Referee) -> Markup {
    let Some(position) = first(game).map(|board| board.position()) else { return html! {} };
    let query = [("game", game.notation().id), ("position", &position), SMALL];
    small(&|theme| view.drawn("/v1/positions.svg", &query, theme))
}

/// The board that a game starts from; one example in games that deal it.
pub(super) fn first(game: &'static dyn Referee) -> Option<Box<dyn Board>> {
    game.board(None, None).ok().or_else(|| game.deal(None, 1, None).ok().flatten())
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
