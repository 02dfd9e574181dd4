//! Boards on pages. Each is a picture at an address of the API, in a light and in a dark theme.

use std::{collections::BTreeMap, sync::LazyLock};

use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{Markup, html};
use quipu_referee::{Board, Referee, drawing::Drawing, games, report::hex};

use super::{
    frame::{View, address},
    legend,
};
use crate::route::SVG;
use quipu_archive::model::Card;
use quipu_pictures::{self as pictures, Coordinates, Look, Theme};

/// Width in pixels of pictures for messengers, which show at least 600.
const SHARED: &str = "600";

/// The board that each game starts from. All boards of a game are of one size.
static FIRST: LazyLock<BTreeMap<&str, Drawing>> = LazyLock::new(|| {
    let drawing = |game: &&'static dyn Referee| Some((game.notation().id, first(*game)?.drawing()));
    games::ALL.iter().filter_map(drawing).collect()
});

/// The address of a picture of a board in a theme. On a narrow screen its coordinates are inside.
pub(super) type Source<'s> = dyn Fn(&str, Coordinates) -> String + 's;

/// A board as large as the page allows.
pub(super) fn large(
    view: &View,
    game: &'static dyn Referee,
    drawing: &Drawing,
    label: &str,
    source: &Source<'_>,
) -> Markup {
    let [size, narrow] =
        [Coordinates::Around, Coordinates::Inside].map(|coordinates| pictures::size(game, drawing, coordinates));
    let label = format!("{label}. {}", pictures::pieces(game, drawing, view.lang));
    let other = |theme: &str, coordinates, media: &str, [width, height]: [u32; 2]| {
        html! { source srcset=(source(theme, coordinates)) media=(media) width=(width) height=(height); }
    };
    html! {
        picture.board {
            (other("dark", Coordinates::Inside, "(max-width: 40rem) and (prefers-color-scheme: dark)", narrow))
            (other("light", Coordinates::Inside, "(max-width: 40rem)", narrow))
            (other("dark", Coordinates::Around, "(prefers-color-scheme: dark)", size))
            img src=(source("light", Coordinates::Around)) alt=(label) title=[legend::tooltip(view, game)]
                width=(size[0]) height=(size[1]);
        }
    }
}

/// The address of the board after a ply of a stored game.
pub(super) fn of_record(view: &View, id: &str, ply: u64, flip: bool) -> impl Fn(&str, Coordinates) -> String {
    let path = format!("/v1/records/{id}/positions/{ply}.svg");
    move |theme, coordinates| {
        view.picture_address(&path, &[flip_query(flip), coordinates_query(coordinates)].concat(), theme)
    }
}

/// The address of the board after a move in a position; without a move, of the position.
pub(super) fn of_move<'v>(
    view: &'v View,
    game: &'static dyn Referee,
    rules: Option<&'v str>,
    (position, token): (&'v str, Option<&'v str>),
    flip: bool,
) -> impl Fn(&str, Coordinates) -> String + 'v {
    let given = [("rules", rules), ("move", token)].into_iter().filter_map(|(name, value)| Some((name, value?)));
    let query: Vec<_> = [("game", game.notation().id), ("position", position)].into_iter().chain(given).collect();
    move |theme, coordinates| {
        view.picture_address(
            "/v1/positions.svg",
            &[&query, flip_query(flip), coordinates_query(coordinates)].concat(),
            theme,
        )
    }
}

fn coordinates_query(coordinates: Coordinates) -> &'static [(&'static str, &'static str)] {
    const INSIDE: (&str, &str) = ("coordinates", Coordinates::Inside.as_str());
    const ABSENT: (&str, &str) = ("coordinates", Coordinates::Absent.as_str());
    match coordinates {
        Coordinates::Around => &[],
        Coordinates::Inside => &[INSIDE],
        Coordinates::Absent => &[ABSENT],
    }
}

fn flip_query(flip: bool) -> &'static [(&'static str, &'static str)] {
    if flip { &[("flip", "yes")] } else { &[] }
}

/// A position; empty if it cannot be drawn.
pub(super) fn position(
    view: &View,
    game: &'static dyn Referee,
    rules: Option<&str>,
    position: &str,
    label: &str,
) -> Markup {
    let Ok(arrangement) = game.arrange(rules, position) else { return html! {} };
    large(view, game, &arrangement.drawing, label, &of_move(view, game, rules, (position, None), false))
}

/// The board after a move in a position, or with the squares of a move that is refused; empty if there is no such position.
pub(super) fn tried(view: &View, game: &'static dyn Referee, position: &str, token: &str, label: &str) -> Markup {
    let Ok(board) = game.board(None, Some(position)) else { return html! {} };
    large(view, game, &board.tried(token), label, &of_move(view, game, None, (position, Some(token)), false))
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
    let label = view.word(game.name());
    large(view, game, &board.drawing(), label, &of_move(view, game, rules, (position, token), false))
}

/// A board with the last move marked, as a picture inside the page: for games that no address of the API has.
pub(super) fn inside(view: &View, game: &'static dyn Referee, drawing: &Drawing, label: &str) -> Markup {
    let source = |theme: &str, coordinates| {
        let usual = Look::new(view.lang);
        let look = Look { theme: Theme::parse(theme).unwrap_or(usual.theme), coordinates, ..usual };
        // The width is a valid one.
        let picture = pictures::svg(game, drawing, &look).unwrap_or_default();
        format!("data:{SVG};base64,{}", STANDARD.encode(picture))
    };
    large(view, game, drawing, label, &source)
}

/// The final position of a game as a thumbnail, which the names beside it describe; empty for a game without plies.
pub(super) fn end(view: &View, card: &Card) -> Markup {
    final_position(view, card, "lazy", Coordinates::Absent)
}

/// The same as large as its place allows, with the names of squares, for the beginning of a page: it is fetched at once.
pub(super) fn large_end(view: &View, card: &Card) -> Markup {
    final_position(view, card, "eager", Coordinates::Around)
}

fn final_position(view: &View, card: &Card, loading: &str, coordinates: Coordinates) -> Markup {
    let Some(plies) = card.plies.filter(|plies| *plies > 0) else { return html! {} };
    let game = card.game.map_or("", |game| game.id);
    small(game, loading, coordinates, &of_record(view, &hex(&card.id), plies, false))
}

/// The start position of a game as a thumbnail; one example in games that deal it.
pub(super) fn start(view: &View, game: &'static dyn Referee) -> Markup {
    let Some(position) = first(game).map(|board| board.position()) else { return html! {} };
    let source = of_move(view, game, None, (&position, None), false);
    small(game.notation().id, "lazy", Coordinates::Absent, &source)
}

/// The board that a game starts from; one example in games that deal it.
pub(super) fn first(game: &'static dyn Referee) -> Option<Box<dyn Board>> {
    game.board(None, None).ok().or_else(|| game.deal(None, 1, None).ok().flatten())
}

/// The path of a PNG of the final position of a game.
pub(super) fn end_for_sharing(view: &View, card: &Card) -> Option<String> {
    let path = format!("/v1/records/{}/positions/{}.png", hex(&card.id), card.plies?);
    card.game.map(|_| address(&path, &[("size", SHARED), ("lang", view.lang.as_str())]))
}

/// The path of a PNG of the start position of a game.
pub(super) fn start_for_sharing(view: &View, game: &'static dyn Referee) -> Option<String> {
    Some(position_for_sharing(view, game, None, (&first(game)?.position(), None)))
}

/// The path of a PNG of a position, or of the one after a move in it.
pub(super) fn position_for_sharing(
    view: &View,
    game: &'static dyn Referee,
    rules: Option<&str>,
    (position, token): (&str, Option<&str>),
) -> String {
    let given = [("rules", rules), ("move", token)].into_iter().filter_map(|(name, value)| Some((name, value?)));
    let query = [("game", game.notation().id), ("position", position), ("size", SHARED)];
    let query: Vec<_> = query.into_iter().chain(given).chain([("lang", view.lang.as_str())]).collect();
    address("/v1/positions.png", &query)
}

fn small(game: &str, loading: &str, coordinates: Coordinates, source: &Source<'_>) -> Markup {
    let size = games::find(game).zip(FIRST.get(game)).map(|(game, first)| pictures::size(game, first, coordinates));
    html! {
        picture.sign {
            source srcset=(source("dark", coordinates)) media="(prefers-color-scheme: dark)";
            img src=(source("light", coordinates)) alt="" loading=(loading) width=[size.map(|[width, _]| width)]
                height=[size.map(|[_, height]| height)];
        }
    }
}
