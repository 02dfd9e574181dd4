//! A new tournament.

use maud::{Markup, html};
use quipu_archive::{
    model::{Creation, Number},
    store::WriteTx,
};
use quipu_notation::games::{self, GameNotation};
use quipu_tournament::model::{Bye, Encounter, MAX_ROUNDS, MAX_TEXT, System, TIME_CONTROL, TournamentSettings};

use super::{
    super::{
        parameters::{PATH, PLACE},
        tournament_page::{encounter_words, system},
    },
    change::{Refused, by, respond, sign_in_to_direct},
    fields::{Fields, SCRIPTS, token_field},
};
use crate::{
    pages::frame::{Page, View, game_name, page_response},
    problem::HandlerResult,
    request::RequestContext,
    respond::CachePolicy,
};

/// The systems on offer, with their names in the form.
const SYSTEMS: [(&str, System); 7] = [
    ("swiss", System::Swiss { accelerated: false }),
    ("swiss-accelerated", System::Swiss { accelerated: true }),
    ("round-robin", System::RoundRobin { double: false }),
    ("round-robin-double", System::RoundRobin { double: true }),
    ("knockout", System::Knockout { third_place: false }),
    ("knockout-third-place", System::Knockout { third_place: true }),
    ("manual", System::Manual),
];
/// The kinds of encounters on offer.
const ENCOUNTERS: [(&str, Encounter); 4] = [
    ("two-legs", Encounter::TwoLegs),
    ("single", Encounter::Single),
    ("3", Encounter::Games { count: 3 }),
    ("4", Encounter::Games { count: 4 }),
];
/// The points of a player who is left without an opponent, with the keys of their words.
const BYES: [(&str, Bye, &str); 3] = [
    ("full", Bye::Full, "tournament.bye.full"),
    ("half", Bye::Half, "tournament.bye.half"),
    ("zero", Bye::Zero, "tournament.bye.zero"),
];

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let page = view.write(&page(&view, &Fields::default(), None));
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("tournament-new")))
}

pub(super) async fn create(mut context: RequestContext) -> HandlerResult {
    let (view, fields) = (View::of(&context), Fields::of(&mut context).await?);
    match made(&mut context, &view, &fields).await {
        Ok(number) => {
            let name = fields.text("name").unwrap_or_default();
            let body = html! {
                h1 { (name) }
                p.hint role="status" { (view.fill("tournament.created", &[("number", &number)])) }
                p { a.button href=(view.href(&format!("{PATH}/{number}/organise"), &[])) { (view.say("tournament.organise")) } }
            };
            respond(&context, view.write(&Page::new(name, PLACE, body)), None)
        }
        Err(refused) => {
            let (problem, said) = refused.problem_and_sentence(&context, &view, &fields);
            respond(&context, view.write(&page(&view, &fields, Some(said))), Some(problem))
        }
    }
}

async fn made(context: &mut RequestContext, view: &View, fields: &Fields) -> Result<Number, Refused> {
    sign_in_to_direct(context, fields, None)?;
    let (game, settings) = settings(view, fields)?;
    let by = by(context, view, fields, false)?;
    let creation = Creation::new(game, settings, Vec::new())?;
    let create = move |writing: &WriteTx<'_>| writing.create_tournament(&creation, &by).map_err(Refused::from);
    context.write(create).await
}

/// The choices of the form.
fn settings(view: &View, fields: &Fields) -> Result<(&'static GameNotation, TournamentSettings), Refused> {
    let missing = |key: &'static str| Refused::Said(view.fill("tournament.choose", &[("field", &view.say(key))]));
    let name = fields.text("name").ok_or_else(|| missing("tournament.name"))?.to_owned();
    let game = fields.text("game").and_then(games::find).ok_or_else(|| missing("records.game"))?;
    let found = |name| fields.text(name).unwrap_or_default();
    let system = SYSTEMS.into_iter().find(|(name, _)| *name == found("system"));
    let (_, system) = system.ok_or_else(|| missing("tournament.system"))?;
    let encounter = ENCOUNTERS.into_iter().find(|(name, _)| *name == found("encounter"));
    let (_, encounter) = encounter.ok_or_else(|| missing("tournament.encounter"))?;
    let bye = BYES.into_iter().find(|(name, ..)| *name == found("bye")).map_or(Bye::Full, |(_, bye, _)| bye);
    let is_fixed = matches!(system, System::RoundRobin { .. } | System::Knockout { .. });
    let rounds = fields.number("rounds").or(is_fixed.then_some(1)).ok_or_else(|| missing("tournament.rounds"))?;
    let time_control = fields.number::<u32>("minutes").map(|minutes| minutes.saturating_mul(60));
    let tie_breaks = system.usual_tie_breaks(encounter);
    Ok((
        game,
        TournamentSettings {
            name,
            system,
            rounds,
            encounter,
            seed: 0,
            first_side: None,
            bye,
            time_control,
            tie_breaks,
        },
    ))
}

fn page(view: &View, fields: &Fields, refusal: Option<String>) -> Page {
    let title = view.say("tournament.new");
    let body = html! {
        h1 { (title) }
        @if let Some(refusal) = refusal { p.notice role="alert" { (refusal) } }
        form action=(view.href("/tournaments/new", &[])) method="post" data-resend {
            (token_field(view))
            (choices(view, fields))
            button { (view.say("tournament.create")) }
        }
    };
    Page { scripts: SCRIPTS, ..Page::new(title, PLACE, body) }
}

fn choices(view: &View, fields: &Fields) -> Markup {
    html! {
        div.fields {
            div {
                label for="name" { (view.say("tournament.name")) }
                input #name name="name" value=(fields.raw("name")) maxlength=(MAX_TEXT);
            }
            div {
                label for="game" { (view.say("records.game")) }
                select #game name="game" {
                    @for game in quipu_referee::games::ALL {
                        @let id = game.notation().id;
                        option value=(id) selected[fields.raw("game") == id] { (game_name(view, game.notation())) }
                    }
                }
            }
            div {
                label for="system" { (view.say("tournament.system")) }
                select #system name="system" {
                    @for (name, one) in SYSTEMS { option value=(name) selected[fields.raw("system") == name] { (system(view, one)) } }
                }
            }
            div {
                label for="rounds" { (view.say("tournament.rounds-count")) }
                input #rounds name="rounds" type="number" min="1" max=(MAX_ROUNDS) value=(fields.raw("rounds"));
            }
            div {
                label for="encounter" { (view.say("tournament.encounter")) }
                select #encounter name="encounter" {
                    @for (name, one) in ENCOUNTERS { option value=(name) selected[fields.raw("encounter") == name] { (encounter_words(view, one)) } }
                }
            }
            div {
                label for="minutes" { (view.say("tournament.minutes-each")) }
                input #minutes name="minutes" type="number" min=(TIME_CONTROL[0] / 60) max=(TIME_CONTROL[1] / 60) value=(fields.raw("minutes"));
            }
            div {
                label for="bye" { (view.say("tournament.bye-points")) }
                select #bye name="bye" {
                    @for (name, _, key) in BYES { option value=(name) selected[fields.raw("bye") == name] { (view.say(key)) } }
                }
            }
        }
        p.note { (view.say("tournament.name-note")) }
    }
}
