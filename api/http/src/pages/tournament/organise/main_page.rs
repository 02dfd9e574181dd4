//! The page of the organiser: names, pairing, rounds, presence and undoing.

use maud::{Markup, html};
use quipu_archive::store::{Store, StoreError, StoredTournament, TournamentChange};
use quipu_tournament::model::System;

use super::{
    super::{
        changes, pairing,
        parameters::PLACE,
        tournament_page::{Tab, TournamentPage, page_of},
    },
    actions::{self, FormResult},
    change::{Refused, respond},
    codes::{DEFAULT_HOURS, HOURS, MAX_HOURS},
    fields::{CHANGE, DO, Fields, LAST, SCRIPTS, SEEN, reason_field, token_field},
    forbidden,
};
use crate::{
    pages::frame::{Page, View, line, time},
    problem::HandlerResult,
    request::RequestContext,
    routes::tournaments::missing,
};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let store = context.store().clone();
    page_of(&context, move |cup| {
        let last = last_change(&store, cup.stored)?;
        Ok(page(cup, &Fields::default(), &FormResult::default(), &last))
    })
    .await
}

/// The last change of a tournament that holds.
fn last_change(store: &Store, stored: &StoredTournament) -> Result<TournamentChange, StoreError> {
    let number = stored.changed;
    let found = store.read(|reading| reading.tournament_change(number))?;
    found.ok_or_else(|| StoreError::Corrupt(format!("change {number} is missing")))
}

pub(super) async fn act(mut context: RequestContext) -> HandlerResult {
    let (view, fields, number) = (View::of(&context), Fields::of(&mut context).await?, context.path_number("number"));
    let action = fields.raw(DO);
    // A refused form still says what it saw, so that the next press means the same.
    let (told, kept, problem) = match actions::act(&mut context, &view, number, &fields).await {
        Ok(told) if told.done.is_some() => (told, fields.without(&actions::taken(action)).without(&SEEN), None),
        Ok(told) => (told, fields.without(&SEEN), None),
        Err(refused) => {
            let kept = if matches!(refused, Refused::Moved(_)) { fields.without(&SEEN) } else { fields.clone() };
            let plan = if let Refused::OtherPlan(plan) = &refused { Some((**plan).clone()) } else { None };
            let (problem, said) = refused.problem_and_sentence(&context, &view, &fields);
            (FormResult { refusal: Some(said), plan, ..FormResult::default() }, kept, Some(problem))
        }
    };
    let stored = context.read_slowly(move |reading| reading.tournament(number)).await?;
    let stored = stored.ok_or_else(|| missing(number))?;
    let last = last_change(context.store(), &stored)?;
    let cup = TournamentPage { view: &view, stored: &stored };
    respond(&context, view.write(&page(&cup, &kept, &told, &last)), problem)
}

fn page(cup: &TournamentPage<'_>, fields: &Fields, told: &FormResult, last: &TournamentChange) -> Page {
    let name = &cup.tournament().settings.name;
    let title = cup.view.fill("tournament.organise-of", &[("name", name)]);
    let body = html! {
        h1 { (title) }
        (cup.tabs(Tab::Other))
        @if let Some(refusal) = &told.refusal { p.notice role="alert" { (refusal) } }
        @if let Some(done) = &told.done { p.hint role="status" { (done) } }
        form #organise action=(cup.href("/organise")) method="post" data-resend {
            (token_field(cup.view))
            @if cup.tournament().entrants.is_empty() {
                (names(cup, fields, told))
                (round(cup, fields, told))
            } @else {
                (round(cup, fields, told))
                (names(cup, fields, told))
                (presence(cup, fields))
                (forbidden::section(cup, fields))
            }
            (order(cup))
            (corrections(cup, fields, last))
        }
    };
    Page { scripts: SCRIPTS, ..Page::new(title.clone(), PLACE, body) }
}

fn button(view: &View, value: &str, key: &'static str) -> Markup {
    html! { button name=(DO) value=(value) { (view.say(key)) } }
}

/// The last round, and the pairing of the next one.
fn round(cup: &TournamentPage<'_>, fields: &Fields, told: &FormResult) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let last = cup.last_round();
    let round = tournament.round(last);
    html! {
        section aria-labelledby="round" {
            h2 #round { (view.say("tournament.rounds")) }
            input type="hidden" name=(LAST) value=(fields.sent_or(LAST, &last));
            @if let Some(round) = round {
                p { (view.fill("tournament.round", &[("round", &last)])) ": " (cup.state(round)) }
                (line([
                    Some(html! { a href=(cup.href(&format!("/rounds/{last}/results"))) { (view.say("tournament.enter-results")) } }),
                    Some(html! { a href=(cup.href(&format!("/rounds/{last}/sheets.pdf"))) { (view.say("tournament.sheets")) } }),
                    Some(html! { a href=(cup.href("/files")) { (view.say("pile.link")) } }),
                    Some(html! { a href=(view.href("/check", &[])) { (view.say("tournament.send-records")) } }),
                    Some(html! { a href=(cup.href(&format!("/rounds/{last}"))) { (view.say("tournament.boards")) } }),
                ]))
                (codes(cup, fields, last))
                @if !round.is_closed && cup.missing(round).is_empty() { p { (button(view, "close", "tournament.close")) } }
            }
            @if last < tournament.round_count() { (next_round(cup, fields, told, last + 1)) }
        }
    }
}

/// The button for scoresheets whose codes may keep score. Its answer is a file, in a window of its own.
fn codes(cup: &TournamentPage<'_>, fields: &Fields, round: u32) -> Markup {
    let view = cup.view;
    if let Some(reason) = view.no_codes() {
        return html! { p.note { (reason) } };
    }
    html! {
        details {
            summary { (view.say("tournament.codes")) }
            p.note { (view.say("tournament.codes-note")) }
            p.line {
                label for="hours" { (view.say("tournament.code-hours")) }
                input #hours name=(HOURS) type="number" min="1" max=(MAX_HOURS) value=(fields.sent_or(HOURS, &DEFAULT_HOURS));
                button formaction=(cup.href(&format!("/rounds/{round}/sheets.pdf"))) formtarget="_blank" { (view.say("tournament.codes-print")) }
            }
        }
    }
}

fn next_round(cup: &TournamentPage<'_>, fields: &Fields, told: &FormResult, next: u32) -> Markup {
    let view = cup.view;
    html! {
        h3 { (view.fill("tournament.next", &[("round", &next)])) }
        input type="hidden" name="round" value=(next);
        @if cup.tournament().settings.system == System::Manual || !fields.raw(actions::BY_HAND).is_empty() {
            (by_hand(cup, fields))
        } @else {
            details { summary { (view.say("tournament.by-hand")) } (by_hand(cup, fields)) }
        }
        p { (button(view, "pair-check", "tournament.pair-check")) }
        @if let Some(plan) = &told.plan {
            section aria-labelledby="plan" {
                h4 #plan { (view.fill("tournament.plan", &[("round", &plan.pairing.round)])) }
                @for remark in &plan.remarks { p.hint { (cup.sentence(remark)) } }
                (pairing::system(cup))
                ol.names { @for board in &plan.pairing.boards { li { (pairing::board(cup, board)) } } }
                @if let Some(bye) = plan.pairing.bye { p { (view.say("tournament.bye.allocated")) ": " (cup.name(bye)) } }
                input type="hidden" name=(actions::SHOWN) value=(actions::shown(plan));
                p { (button(view, "pair", "tournament.pair")) }
            }
        }
    }
}

/// The fields for a pairing by hand.
fn by_hand(cup: &TournamentPage<'_>, fields: &Fields) -> Markup {
    let view = cup.view;
    html! {
        p {
            label for="by-hand" { (view.say("tournament.by-hand-boards")) }
            textarea #by-hand name=(actions::BY_HAND) rows="4" { "\n" (fields.raw(actions::BY_HAND)) }
        }
        p {
            label {
                input type="checkbox" name=(actions::FORCE) value="yes" checked[fields.text(actions::FORCE).is_some()];
                " " (view.say("tournament.force"))
            }
        }
    }
}

fn names(cup: &TournamentPage<'_>, fields: &Fields, told: &FormResult) -> Markup {
    let view = cup.view;
    html! {
        section aria-labelledby="names" {
            h2 #names { (view.say("tournament.entries")) }
            p { (view.fill("tournament.players-count", &[("players", &cup.tournament().entrants.len())])) " · " a href={ (cup.href("")) "#entries" } { (view.say("tournament.entries")) } }
            @if let Some(list) = &told.names {
                div role="status" {
                    p.hint { (view.fill("tournament.names.read", &[("new", &list.new.len()), ("known", &list.known.len())])) }
                    @for fault in &list.faults { p.notice { (cup.sentence(fault)) } }
                    ol.names {
                        @for player in &list.new {
                            li { (player.name) @if let Some(rating) = player.rating { " " span.meta { (view.fill("tournament.rated", &[("rating", &rating)])) } } }
                        }
                    }
                    @if !list.numbered.is_empty() { p.notice { (view.say("tournament.names.numbered")) " " (list.numbered.join("; ")) } }
                    @if !list.known.is_empty() { p.note { (view.say("tournament.names.known")) " " (list.known.join("; ")) } }
                }
            }
            label for="pasted" { (view.say("tournament.names")) }
            textarea #pasted name=(actions::NAMES) rows="8" spellcheck="false" aria-describedby="names-note" { "\n" (fields.raw(actions::NAMES)) }
            p.note #names-note { (view.say("tournament.names.note")) }
            p.line { (button(view, "names-check", "tournament.names.check")) (button(view, "names", "tournament.names.enter")) }
        }
    }
}

/// Withdrawals and absences.
fn presence(cup: &TournamentPage<'_>, fields: &Fields) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    html! {
        section aria-labelledby="presence" {
            h2 #presence { (view.say("tournament.presence")) }
            div.fields {
                div {
                    label for="player" { (view.say("figure.player")) }
                    select #player name="player" {
                        @for (id, entrant) in tournament.ids().zip(&tournament.entrants) {
                            option value=(id.0) selected[fields.raw("player") == id.to_string()] { (id.0) ". " (entrant.player.name) }
                        }
                    }
                }
                div {
                    label for="step" { (view.say("tournament.step")) }
                    select #step name="step" {
                        @for (name, key, _) in actions::PRESENCE {
                            option value=(name) selected[fields.raw("step") == name] { (view.say(key)) }
                        }
                    }
                }
                div {
                    label for="from" { (view.say("tournament.from-round")) }
                    input #from name="from" type="number" min="1" value=(fields.sent_or("from", &(cup.last_round() + 1)));
                }
            }
            p { (button(view, "presence", "tournament.save")) }
        }
    }
}

/// The tie-breaks in force, which have a page of their own.
fn order(cup: &TournamentPage<'_>) -> Markup {
    let view = cup.view;
    html! {
        section aria-labelledby="order" {
            h2 #order { (view.say("tournament.tie-breaks")) }
            p { (cup.tie_breaks()) " · " a href=(cup.href("/tie-breaks")) { (view.say("order.change")) } }
        }
    }
}

/// Steps that take something back.
fn corrections(cup: &TournamentPage<'_>, fields: &Fields, last: &TournamentChange) -> Markup {
    let (view, what, last) = (cup.view, changes::effect(cup, last), &last.change);
    let author = last.by.author.as_ref().unwrap_or(&last.by.submitter);
    let round = cup.tournament().round(cup.last_round());
    html! {
        section aria-labelledby="corrections" {
            h2 #corrections { (view.say("tournament.corrections")) }
            (reason_field(view, fields))
            input type="hidden" name=(CHANGE) value=(fields.sent_or(CHANGE, &last.number));
            (line([
                Some(html! { (view.fill("tournament.last-change", &[("number", &last.number), ("author", author), ("what", &what)])) }),
                Some(time(last.at)),
            ]))
            p.line {
                @match round {
                    Some(round) if round.is_closed => (button(view, "reopen", "tournament.reopen")),
                    Some(_) => (button(view, "unpair", "tournament.unpair")),
                    None => {}
                }
                (button(view, "undo", "tournament.undo"))
            }
            p { a href=(cup.href("/history")) { (view.say("tournament.undo-older")) } }
        }
    }
}
