//! The list of all codes, and the search in it.

use maud::{Markup, html};
use quipu_referee::{Code, Severity, advice, competition, competition::folded, games, messages::catalog, record};

use super::links::{PATH, link, source};
use crate::{
    messages,
    pages::frame::{View, scrollable_table, search_form},
    problem::CODES,
};

struct CodeRow<'v> {
    code: &'static str,
    title: &'v str,
    source: Markup,
    severity: &'static str,
}

/// Rows of one owner: of all records, of a game, of the service.
struct Group<'v> {
    id: &'static str,
    name: &'static str,
    rows: Vec<CodeRow<'v>>,
}

/// The codes that have all words of a search in their names or titles, in groups, with the search itself.
pub(super) fn all(view: &View, sought: &str) -> Markup {
    let words = folded(sought);
    let words: Vec<_> = words.split(' ').collect();
    let is_found = |row: &CodeRow<'_>| {
        let text = folded(&format!("{} {}", row.code, row.title));
        words.iter().all(|word| text.contains(word))
    };
    let mut groups = groups(view);
    for group in &mut groups {
        group.rows.retain(is_found);
    }
    groups.retain(|group| !group.rows.is_empty());
    html! {
        section aria-labelledby="codes" {
            h2 #codes { (view.say("rules.codes")) }
            p { (view.say("rules.codes-lead")) }
            (search_form(view, PATH, "rules.search", sought, &html! {}))
            @if !sought.is_empty() { p { a href=(view.href(PATH, &[])) { (view.say("rules.all")) } } }
            @if groups.is_empty() { p { (view.fill("rules.none", &[("text", &sought)])) } }
            nav.tabs aria-label=(view.say("rules.choice")) {
                ul { @for group in &groups { li { a href={ "#" (group.id) } { (group.name) } } } }
            }
        }
        @for group in &groups { (table(view, group)) }
    }
}

fn groups(view: &View) -> Vec<Group<'static>> {
    let of_referee = |id, name, codes: &'static [Code]| {
        let row = |code: &'static Code| CodeRow {
            code: code.id,
            title: catalog().code(code).map_or("", |words| words.title.get(view.lang)),
            source: source(view, code),
            severity: view.word(code.severity.word()),
        };
        Group { id, name, rows: codes.iter().map(row).collect() }
    };
    let of_service = CODES.iter().map(|code| CodeRow {
        code: code.id,
        title: messages::code_words(code.id).map_or("", |words| words.title.get(view.lang)),
        source: html! { "HTTP " (code.status) },
        severity: view.word(Severity::Error.word()),
    });
    let shared = [
        of_referee("record", view.say("rules.record"), record::CODES),
        of_referee("advice", view.say("rules.advice"), advice::CODES),
        of_referee("sheets", view.say("rules.sheets"), competition::CODES),
    ];
    let of_games = games::ALL.iter().map(|game| of_referee(game.notation().id, view.word(game.name()), game.codes()));
    let service = Group { id: "api", name: view.say("rules.service"), rows: of_service.collect() };
    shared.into_iter().chain(of_games).chain([service]).collect()
}

fn table(view: &View, group: &Group<'_>) -> Markup {
    let name = group.name;
    let table = html! {
        table {
            caption { (view.fill("rules.codes-of", &[("name", &name)])) }
            thead {
                tr {
                    th scope="col" { (view.say("rules.code")) }
                    th scope="col" { (view.say("rules.meaning")) }
                    th scope="col" { (view.say("rules.source")) }
                    th scope="col" { (view.say("rules.severity")) }
                }
            }
            tbody {
                @for row in &group.rows {
                    tr {
                        th scope="row" { (link(view, row.code)) }
                        td { (row.title) }
                        td { (row.source) }
                        td { (row.severity) }
                    }
                }
            }
        }
    };
    html! { section { h3 id=(group.id) { (name) } (scrollable_table(name, &table)) } }
}
