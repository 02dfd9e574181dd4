//! The page of the tie-breaks: their order, the changes of it with their reasons, and the form for another one.

use maud::{Markup, html};
use quipu_archive::store::{ReadTx, StoredTournament, TournamentChange};
use quipu_tournament::{model::Change, standings::TournamentTieBreak};

use super::{
    super::{
        changes,
        parameters::PLACE,
        tournament_page::{Tab, TournamentPage, page_with_orders, tie_break},
    },
    change::{Refused, by, change, respond, sign_in_to_direct},
    fields::{Fields, SCRIPTS, reason_field, token_field},
};
use crate::{
    pages::frame::{Page, View},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    routes::tournaments::missing,
};

/// The order that the form showed.
const HAD: &str = "had";
/// Fields of the form: two more than tie-breaks in force, and at least these.
const FIELDS: usize = 6;

/// The result of the form.
#[derive(Default)]
struct Saved {
    refusal: Option<String>,
    done: Option<&'static str>,
}

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    page_with_orders(&context, |cup, orders| Ok(page(cup, orders, &Fields::default(), &Saved::default()))).await
}

pub(super) async fn save(mut context: RequestContext) -> HandlerResult {
    let (view, fields, number) = (View::of(&context), Fields::of(&mut context).await?, context.path_number("number"));
    let (saved, kept, problem) = match try_save(&mut context, &view, &fields).await {
        Ok(is_changed) => {
            let done = Some(view.say(if is_changed { "tournament.saved" } else { "tournament.nothing-new" }));
            (Saved { done, refusal: None }, Fields::default(), None)
        }
        Err(refused) => {
            let (problem, said) = refused.problem_and_sentence(&context, &view, &fields);
            (Saved { refusal: Some(said), done: None }, fields, Some(problem))
        }
    };
    let read = move |reading: &ReadTx<'_>| {
        let Some(stored) = reading.tournament(number)? else { return Ok(None) };
        let orders = reading.order_changes(&stored)?;
        Ok(Some((stored, orders)))
    };
    let (stored, orders) = context.read_slowly(read).await?.ok_or_else(|| missing(number))?;
    let cup = TournamentPage { view: &view, stored: &stored };
    respond(&context, view.write(&page(&cup, &orders, &kept, &saved)), problem)
}

/// Records another order. Returns false if it is in force already.
async fn try_save(context: &mut RequestContext, view: &View, fields: &Fields) -> Result<bool, Refused> {
    let number = context.path_number("number");
    let bearer = sign_in_to_direct(context, fields, Some(number))?;
    let order = chosen(fields)?;
    let by = by(context, view, fields, true)?;
    let had = fields.raw(HAD).to_owned();
    change(context, bearer, number, by, move |stored: &StoredTournament| {
        let now = &stored.tournament.tie_breaks;
        if *now == order {
            return Ok(Vec::new());
        }
        if written(now) != had {
            return Err(Refused::Moved("tournament.moved"));
        }
        Ok(vec![Change::TieBreaks { order: order.clone() }])
    })
    .await
}

/// The name of a field, from 1.
fn field(place: usize) -> String {
    format!("order-{place}")
}

/// The tie-breaks in the form, without the empty fields.
fn chosen(fields: &Fields) -> Result<Vec<TournamentTieBreak>, Problem> {
    let places = (1..=TournamentTieBreak::ALL.len()).map(field);
    let names: Vec<_> = places.filter_map(|name| fields.text(&name).map(str::to_owned)).collect();
    let parse = |name: &String| TournamentTieBreak::parse(name).ok_or_else(|| Problem::variant(problem::BODY, "form"));
    names.iter().map(parse).collect()
}

/// An order as the form says it back.
fn written(order: &[TournamentTieBreak]) -> String {
    order.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(",")
}

fn page(cup: &TournamentPage<'_>, orders: &[TournamentChange], fields: &Fields, saved: &Saved) -> Page {
    let (view, tournament) = (cup.view, cup.tournament());
    let title = view.fill("order.of", &[("name", &tournament.settings.name)]);
    let body = html! {
        h1 { (title) }
        (cup.tabs(Tab::Other))
        p { a href=(cup.href("/organise")) { (view.say("tournament.organise")) } }
        @if let Some(refusal) = &saved.refusal { p.notice role="alert" { (refusal) } }
        @if let Some(done) = &saved.done { p.hint role="status" { (done) } }
        section aria-labelledby="now" {
            h2 #now { (view.say("order.now")) }
            ol.names {
                @if !tournament.tie_breaks.contains(&TournamentTieBreak::Score) { li { (tie_break(view, TournamentTieBreak::Score)) } }
                @for one in &tournament.tie_breaks { li { (tie_break(view, *one)) } }
            }
            @if let Some(remark) = tournament.settings.system.remark(&tournament.tie_breaks) { p.hint { (cup.sentence(&remark)) } }
            (changes::orders(cup, orders))
        }
        section aria-labelledby="other" {
            h2 #other { (view.say("order.change")) }
            p.note { (view.say("order.note")) }
            form #order action=(cup.href("/tie-breaks")) method="post" data-resend {
                (token_field(view))
                input type="hidden" name=(HAD) value=(fields.sent_or(HAD, &written(&tournament.tie_breaks)));
                (choices(cup, fields))
                (reason_field(view, fields))
                p { button { (view.say("tournament.save")) } }
            }
        }
    };
    Page { scripts: SCRIPTS, ..Page::new(title.clone(), PLACE, body) }
}

/// A field for each place in the order.
fn choices(cup: &TournamentPage<'_>, fields: &Fields) -> Markup {
    let (view, now) = (cup.view, &cup.tournament().tie_breaks);
    let count = (now.len() + 2).clamp(FIELDS, TournamentTieBreak::ALL.len());
    let counts_points = cup.stored.point_rule().is_some();
    let fits = |one: &TournamentTieBreak| {
        counts_points
            || now.contains(one)
            || !matches!(one, TournamentTieBreak::Points | TournamentTieBreak::PointsWithBonus)
    };
    html! {
        div.fields {
            @for place in 1..=count {
                @let (name, stored) = (field(place), now.get(place - 1).map_or("", |one| one.as_str()));
                @let chosen = fields.sent_or(&name, &stored);
                div {
                    label for=(name) { (view.fill("order.place", &[("place", &place)])) }
                    select id=(name) name=(name) {
                        option value="" { "–" }
                        @for one in TournamentTieBreak::ALL.iter().filter(|one| fits(one)) {
                            option value=(one.as_str()) selected[chosen == one.as_str()] { (tie_break(view, *one)) }
                        }
                    }
                }
            }
        }
    }
}
