//! The rules of a game for people: how it is played, its pieces, how a move is written, and the whole text.

use maud::{Markup, PreEscaped, html};
use quipu_referee::{Lang, Referee};

use super::{
    links::PATH,
    markdown::{Section, Text},
};
use crate::pages::{
    about::About,
    boards,
    frame::{Page, View},
    legend::legend,
};

/// Sections before the legend and the remarks on the text: how the game is played, and how a move is written.
const FIRST: usize = 2;

/// The rules of each game by its id, in Spanish and in English: the pages of `docs/rules`.
const TEXTS: &[(&str, [&str; 2])] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

pub(super) fn text(view: &View, game: &'static dyn Referee) -> Text {
    let found = TEXTS.iter().find(|(id, _)| *id == game.notation().id);
    let [es, en] = found.map_or([""; 2], |(_, texts)| *texts);
    Text::new(view, game, if view.lang == Lang::Es { es } else { en })
}

pub(super) fn page(view: &View, game: &'static dyn Referee) -> String {
    let text = text(view, game);
    let (first, rest) = text.sections.split_at(FIRST.min(text.sections.len()));
    let name = view.word(game.name());
    let section = |section: &Section| -> Markup {
        html! {
            section {
                h2 id=(section.id) { (section.title) }
                (PreEscaped(&section.html))
            }
        }
    };
    let link = |id: &str, title: &str| html! { li { a href={ "#" (id) } { (title) } } };
    let body = html! {
        p { a href=(view.href(PATH, &[])) { (view.say("rules.title")) } }
        h1 { (text.title) }
        nav.tabs aria-label=(view.say("rules.contents")) {
            ul {
                @for one in first { (link(&one.id, &one.title)) }
                (link("legend", view.say("legend.title")))
                (link("about", view.say("rules.about")))
                @for one in rest { (link(&one.id, &one.title)) }
            }
        }
        div.guide {
            @for one in first { (section(one)) }
            section {
                h2 #legend { (view.say("legend.title")) }
                (legend(view, game))
            }
            section {
                h2 #about { (view.say("rules.about")) }
                (PreEscaped(&text.preamble))
            }
            @for one in rest { (section(one)) }
        }
        p {
            a.button href=(view.href("/keep", &[("game", game.notation().id)])) { (view.say("rules.play")) } " "
            a.button href=(view.href("/records", &[("game", game.notation().id)])) { (view.fill("rules.games", &[("name", &name)])) }
        }
    };
    let about = About {
        picture: boards::start_for_sharing(view, game),
        ..view.about(view.fill("about.rules", &[("game", &name)]))
    };
    view.write(&Page { about: Some(about), ..Page::new(text.title, PATH, body) })
}
