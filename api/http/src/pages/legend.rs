//! The legend of a game: every piece and every ground drawn beside its word, and the marks of a board.

use maud::{Markup, PreEscaped, html};
use quipu_pictures::LegendItem;
use quipu_referee::Referee;

use super::frame::View;

pub(super) fn legend(view: &View, game: &'static dyn Referee) -> Markup {
    let legend = quipu_pictures::legend(game, view.lang);
    let row = |item: &LegendItem| {
        html! {
            @for (side, picture) in &item.pictures {
                span.sample title=[side.map(|side| view.word(game.side_words()[side.index()]))] { (PreEscaped(picture)) }
            }
            span { (words(item)) }
        }
    };
    html! {
        ul.legend {
            @for item in &legend.pieces { li { (row(item)) } }
            @for item in &legend.grounds { li.ground { (row(item)) } }
        }
        p.note { (view.say("legend.turn")) " " (view.say("legend.marks")) }
    }
}

/// The pieces in one line, in games whose pieces differ by their holes.
pub(super) fn tooltip(view: &View, game: &'static dyn Referee) -> Option<String> {
    let pieces = quipu_pictures::legend(game, view.lang).pieces;
    let words: Vec<_> = pieces.iter().filter(|item| item.hole.is_some()).map(words).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

fn words(item: &LegendItem) -> String {
    item.hole.map_or_else(|| item.word.to_owned(), |hole| format!("{}, {hole}", item.word))
}
