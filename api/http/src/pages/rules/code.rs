//! The page of a code: its law, its correction and an example.

use maud::{Markup, html};
use quipu_referee::{Referee, Severity, codes, games};

use super::links::{PATH, address_of, page_of, source};
use crate::{
    pages::{
        about::About,
        boards,
        frame::{Page, View},
    },
    rule::Rule,
};

pub(super) fn page(view: &View, rule: &Rule) -> String {
    let code = codes::find(rule.code);
    let game = rule.code.split('.').next().and_then(games::find);
    let body = html! {
        p {
            a href=(view.href(PATH, &[])) { (view.say("rules.title")) }
            @if let Some(game) = game { " › " a href=(page_of(view, game.notation().id)) { (view.word(game.name())) } }
        }
        h1 { code { (rule.code) } " " (rule.title) }
        dl {
            dt { (view.say("rules.severity")) }
            dd { (view.word(code.map_or(Severity::Error, |code| code.severity).word())) }
            dt { (view.say("rules.source")) }
            dd { @if let Some(code) = code { (source(view, code)) } @else { (view.say("rules.service")) } }
            @if let Some(status) = rule.status { dt { "HTTP" } dd { (status) } }
        }
        @if let Some(law) = &rule.law {
            h2 { (view.say("rules.law")) }
            blockquote lang="es" { p { (law.es) } }
            blockquote lang="en" { p { (law.en) } }
        }
        h2 { (view.say("rules.right")) }
        p { (rule.right) }
        (example(view, rule, game))
    };
    let address = address_of(view, rule.code);
    let about = About { address, ..view.about(rule.right.as_str()) };
    view.write(&Page { about: Some(about), ..Page::new(format!("{} {}", rule.code, rule.title), PATH, body) })
}

/// The example of a code and its correction, with boards if it has a position: a move is marked on them.
fn example(view: &View, rule: &Rule, game: Option<&'static dyn Referee>) -> Markup {
    let Some(example) = &rule.example else { return html! {} };
    let place = game.zip(example.position.as_deref());
    let tried = |token: &str, key: &str| {
        let board = place.map(|(game, position)| boards::tried(view, game, position, token, view.say(key)));
        html! { @if example.token.is_some() { @if let Some(board) = board { (board) } } }
    };
    html! {
        h2 { (view.say("rules.example")) }
        @if let (Some((game, position)), None) = (place, &example.token) {
            (boards::position(view, game, None, position, view.say("rules.board")))
        }
        @if let Some(position) = &example.position { p { (view.say("rules.position")) } pre { (position) } }
        div.pair {
            @if let Some(text) = example.token.as_ref().or(example.record.as_ref()) {
                div { p { (view.say("rules.wrong")) } pre { (text) } (tried(text, "rules.wrong")) }
            }
            div { p { (view.say("rules.corrected")) } pre { (example.right) } (tried(&example.right, "rules.corrected")) }
        }
    }
}
