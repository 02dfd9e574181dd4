//! Links between the rules of games, articles and codes.

use maud::{Markup, html};
use quipu_referee::{Code, code::Source, games, messages::catalog};

use crate::pages::frame::View;

pub(super) const PATH: &str = "/rules";

/// The address of the rules of a game, by its id.
pub(crate) fn page_of(view: &View, game: &str) -> String {
    view.href(&format!("{PATH}/{game}"), &[])
}

pub(super) fn address_of(view: &View, code: &str) -> String {
    view.href(&format!("{PATH}/{code}"), &[])
}

pub(crate) fn link(view: &View, code: &str) -> Markup {
    html! { a href=(address_of(view, code)) { code { (code) } } }
}

/// The source of a code in words, as a link to the article in the rules of its game.
pub(super) fn source(view: &View, code: &Code) -> Markup {
    let words = catalog().source(code, view.lang);
    let article = match code.source {
        Source::Article(article) | Source::Ruling(article) | Source::Follows(article) => Some(article),
        Source::Format => None,
    };
    let game = code.id.split('.').next().and_then(games::find);
    html! {
        @if let Some((game, article)) = game.zip(article) {
            a href={ (page_of(view, game.notation().id)) "#" (article) } { (words) }
        } @else { (words) }
    }
}
