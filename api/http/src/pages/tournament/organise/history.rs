//! The history of a tournament: its changes, the last one first, each with a button that undoes it.

use maud::{Markup, html};
use quipu_archive::{
    model::{Attribution, Number},
    store::{ReadTx, Refusal, StoreError, StoredTournament, TournamentChange, WriteTx},
};
use quipu_tournament::messages::catalog;

use super::{
    super::{
        changes::{effect, origin},
        parameters::{PATH, PLACE},
        tournament_page::{Tab, TournamentPage},
    },
    change::{Refused, by, respond, sign_in},
    fields::{DO, Fields, REASON, SCRIPTS, token_field},
};
use crate::{
    pages::frame::{LISTED, Page, View, list_end, page_response},
    paging::Address,
    problem::HandlerResult,
    request::RequestContext,
    routes::{changes::undo_refused, tournaments::missing},
};

/// The beginning of the value of a button, before the number of the change.
const UNDO: &str = "undo ";

/// The field with the place of the page: its changes are before this one.
const BEFORE: &str = "before";

struct History {
    stored: StoredTournament,
    changes: Vec<TournamentChange>,
    /// The last one on this page, if there are more.
    next: Option<Number>,
}

/// The result of the form.
#[derive(Default)]
struct Undone {
    refusal: Option<String>,
    done: Option<String>,
}

/// The place of a page in the history.
struct Place {
    own: Address,
    /// Its changes are before this one.
    before: Option<Number>,
}

impl History {
    fn read(reading: &ReadTx<'_>, number: Number, before: Option<Number>) -> Result<Option<Self>, StoreError> {
        let Some(stored) = reading.unbound_tournament(number)? else { return Ok(None) };
        let mut changes = reading.latest_tournament_changes(number, before, LISTED + 1)?;
        let next = (changes.len() > LISTED).then(|| changes[LISTED - 1].change.number);
        changes.truncate(LISTED);
        Ok(Some(Self { stored, changes, next }))
    }
}

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let (number, before) = (context.path_number("number"), context.cursor::<Number>()?);
    let (view, place) = (View::of(&context), Place { own: context.own_address(), before });
    let read = move |reading: &ReadTx<'_>| History::read(reading, number, before);
    let write = move |found: Option<History>| {
        let history = found.ok_or_else(|| missing(number))?;
        Ok(view.write(&page(&view, &place, &history, &Fields::default(), &Undone::default())))
    };
    let page = context.read_then(read, write).await?;
    Ok(context.cacheable(page_response(&context, page)))
}

pub(super) async fn act(mut context: RequestContext) -> HandlerResult {
    let number = context.path_number("number");
    let (view, fields) = (View::of(&context), Fields::of(&mut context).await?);
    let before = fields.number(BEFORE);
    let place = Place { own: context.own_address(), before };
    let (undone, kept, problem) = match undo(&mut context, &view, &fields).await {
        Ok(change) => {
            let done = Some(view.fill("history.undone", &[("number", &change)]));
            (Undone { done, refusal: None }, Fields::default(), None)
        }
        Err(refused) => {
            let (problem, said) = refused.problem_and_sentence(&context, &view, &fields);
            (Undone { refusal: Some(said), done: None }, fields, Some(problem))
        }
    };
    let found = context.read_slowly(move |reading| History::read(reading, number, before)).await?;
    let page = match (found, undone.done) {
        (Some(history), done) => page(&view, &place, &history, &kept, &Undone { done, ..undone }),
        (None, Some(done)) => gone(&view, &done),
        (None, None) => return Err(missing(number)),
    };
    respond(&context, view.write(&page), problem)
}

/// Undoes the change of the button that was pressed. Returns its number.
async fn undo(context: &mut RequestContext, view: &View, fields: &Fields) -> Result<Number, Refused> {
    let number = context.path_number("number");
    let pressed = fields.raw(DO).strip_prefix(UNDO).and_then(|change| change.parse::<Number>().ok());
    let change = pressed.ok_or_else(|| Refused::Said(view.say("tournament.no-button").to_owned()))?;
    let bearer = sign_in(context, fields)?;
    // A token for a tournament does not undo its creation.
    bearer.may_direct((change != number).then_some(number))?;
    let by = by(context, view, &Fields::with(REASON, fields.raw(&reason(change))), true)?;
    let lang = view.lang;
    let undo = move |writing: &WriteTx<'_>| -> Result<Number, Refused> {
        if writing.tournament_of(change)? != Some(number) {
            return Err(undo_refused(Refusal::NoChange, change).into());
        }
        writing.undo(change, &by).map_err(|refusal| match refusal {
            Refusal::BreaksLaterChange(later, fault) => {
                Refused::Dependent { later, why: catalog().fault(&fault, lang) }
            }
            Refusal::Tournament(fault) => (*fault).into(),
            refusal => undo_refused(refusal, change).into(),
        })
    };
    context.write(undo).await?;
    Ok(change)
}

/// The name of the field for the reason to undo a change.
fn reason(change: Number) -> String {
    format!("{REASON}-{change}")
}

fn page(view: &View, place: &Place, history: &History, fields: &Fields, undone: &Undone) -> Page {
    let cup = &TournamentPage { view, stored: &history.stored };
    let title = view.fill("history.of", &[("name", &cup.tournament().settings.name)]);
    let next = history.next.and_then(|next| place.own.next_page(&next));
    let body = html! {
        h1 { (title) }
        (cup.tabs(Tab::Other))
        p { a href=(cup.href("/organise")) { (view.say("tournament.organise")) } }
        @if let Some(refusal) = &undone.refusal { p.notice role="alert" { (refusal) } }
        @if let Some(done) = &undone.done { p.hint role="status" { (done) } }
        p.note { (view.say("history.note")) }
        form #history action=(cup.href("/history")) method="post" data-resend {
            (token_field(view))
            @if let Some(before) = place.before { input type="hidden" name=(BEFORE) value=(before); }
            ul.cards.bare { @for change in &history.changes { (self::change(cup, change, fields)) } }
        }
        (list_end(view, history.changes.len(), next))
    };
    Page { scripts: SCRIPTS, ..Page::new(title.clone(), PLACE, body) }
}

/// A change, with the change that undid it or the fields to undo it.
fn change(cup: &TournamentPage<'_>, one: &TournamentChange, fields: &Fields) -> Markup {
    let (view, number) = (cup.view, one.change.number);
    let (reason, button) = (reason(number), format!("{UNDO}{number}"));
    html! {
        li {
            p.title { (view.fill("history.change", &[("number", &number), ("what", &effect(cup, one))])) }
            p.meta { (origin(cup, &one.change)) }
            @match &one.undo {
                Some(undo) => p.meta { strong { (view.fill("history.undone-by", &[("number", &undo.number)])) } " · " (origin(cup, undo)) },
                None => details open[fields.raw(DO) == button] {
                    summary { (view.fill("history.undo", &[("number", &number)])) }
                    label for=(reason) { (view.say("tournament.reason")) }
                    p.line {
                        input id=(reason) name=(reason) value=(fields.raw(&reason)) maxlength=(Attribution::REASON);
                        button name=(DO) value=(button) { (view.say("history.undo-now")) }
                    }
                },
            }
        }
    }
}

/// The page after the creation of the tournament was undone.
fn gone(view: &View, done: &str) -> Page {
    let title = view.say("history.gone");
    let body = html! {
        h1 { (title) }
        p.hint role="status" { (done) }
        p { a href=(view.href(PATH, &[])) { (view.say("tournament.title")) } }
        p { a href=(view.href("/tournaments/new", &[])) { (view.say("tournament.new")) } }
    };
    Page::new(title, PLACE, body)
}
