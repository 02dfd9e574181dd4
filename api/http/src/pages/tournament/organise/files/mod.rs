//! A pile of files: each record in it with the board that it belongs to, or the reason why it fits none. Nothing is stored until
//! the organiser has chosen records; the page keeps them until then.

use quipu_archive::{model::Number, store::StoredTournament};

use super::{
    super::{
        parameters::PLACE,
        tournament_page::{TournamentPage, page_of},
    },
    change::{Refused, respond},
    fields::{DO, Fields, REASON, SCRIPTS},
};
use crate::{
    pages::{
        form_data::{FormData, Part},
        frame::{Page, View},
    },
    params,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    routes::{shared::COST, tournaments::missing},
};

mod fit;
mod page;
mod page_state;
mod pile;
mod store;
mod upload;

use fit::{Fit, fits};
use page_state::{CHECK, PageState, SHEET, STORE};
use pile::Pile;
use store::Outcomes;
use upload::Files;

/// Records of a pile that cost no more than its body.
const FREE: usize = 50;

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    page_of(&context, |cup| Ok(whole(cup, &PageState::default()))).await
}

fn whole(cup: &TournamentPage<'_>, shown: &PageState) -> Page {
    let title = cup.view.fill("pile.title", &[("name", &cup.tournament().settings.name)]);
    let body = page::body(cup, &title, shown);
    Page { scripts: SCRIPTS, ..Page::new(title, PLACE, body) }
}

pub(super) async fn act(mut context: RequestContext) -> HandlerResult {
    let (view, number) = (View::of(&context), context.path_number("number"));
    let (form, body) = (FormData::of(&context), context.body().await?);
    let mut room = context.take_body_reservation();
    room.grow(form.copies(&body))?;
    let parse = move || form.parts(&body)?.ok_or_else(|| Problem::variant(problem::BODY, "form"));
    let (files, parts): (Vec<Part>, Vec<Part>) = context.work(parse).await?.into_iter().partition(Part::is_file);
    let fields = Fields::of_parts(&parts)?;
    let (kept, files) = (fields.clone(), Files::of(&context, files));
    let read = move || {
        let mut pile = Pile::kept(kept.all(SHEET), &mut room)?;
        let read = files.and_then(|files| pile.read(files, &mut room));
        Ok((pile, room, read.err()))
    };
    // Memory is reserved until the page is written.
    let (pile, _room, problem) = context.work_with((), read).await?;
    if pile.sheets.len() > FREE {
        context.charge(COST)?;
    }
    let (stored, mut pile, mut fits) = evaluated(&context, number, pile).await?;
    let done = match (problem, fields.raw(DO)) {
        (Some(problem), _) => Err(Refused::Problem(problem)),
        (None, CHECK) if pile.is_empty() => Err(Refused::Said(view.say("pile.empty").to_owned())),
        (None, CHECK) => Ok(Outcomes::new()),
        (None, STORE) => store::store(&mut context, &view, &fields, &fits, &mut pile.sheets).await,
        (None, _) => Err(Refused::Said(view.say("tournament.no-button").to_owned())),
    };
    let chosen = fields.all(store::CHOSEN).map(str::to_owned).collect();
    let offered = fields.all(store::OFFERED).filter_map(params::id).collect();
    let (mut stored, mut shown) = (stored, PageState { offered, chosen, ..PageState::default() });
    let problem = match done {
        Ok(outcomes) => {
            if !outcomes.is_empty() {
                (stored, pile, fits) = evaluated(&context, number, pile).await?;
            }
            shown.outcomes = outcomes;
            None
        }
        Err(refused) => {
            let (problem, said) = refused.problem_and_sentence(&context, &view, &fields);
            (shown.refusal, shown.reason) = (Some(said), fields.raw(REASON).to_owned());
            Some(problem)
        }
    };
    let shown = PageState { pile, fits, ..shown };
    let cup = TournamentPage { view: &view, stored: &stored };
    respond(&context, view.write(&whole(&cup, &shown)), problem)
}

/// The tournament, with the boards of the records of a pile.
async fn evaluated(
    context: &RequestContext,
    number: Number,
    pile: Pile,
) -> Result<(StoredTournament, Pile, Vec<Fit>), Problem> {
    let (pile, found) = context
        .read_slowly(move |reading| {
            let found = fits(reading, number, &pile.sheets)?;
            Ok((pile, found))
        })
        .await?;
    let (stored, fits) = found.ok_or_else(|| missing(number))?;
    Ok((stored, pile, fits))
}
