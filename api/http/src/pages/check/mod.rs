//! The check of a scoresheet: records are pasted, dropped or chosen in any format and judged. Each finding is shown with its
//! place in the text, the board before the fault, the legal moves, and the law. The form stands below with the text; its
//! buttons put a reading or a chosen game into the text, replay a record, and submit verified ones with a token. Nothing
//! else is stored.

use std::io::Cursor;

use actix_web::web;
use maud::{Markup, html};
use quipu_referee::games;

use super::{
    form_data::{FormData, MULTIPART, URLENCODED},
    frame::{Page, View, page_response},
};
use crate::{
    budget::Reservation,
    endpoint::Endpoint,
    negotiate,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, HTML, Method, Route},
    routes::{
        ingest::{self, Ingest, RequestInfo},
        record_body::form_or_records,
        shared::COST,
        shared::{FROM, LANG, PAGE},
    },
};

mod fields;
mod findings;
mod form;
mod judged;
mod merged;
mod readings;
mod replay;
mod result;
mod submission;
mod text;

use fields::{Action, FormContent, Options};
use result::{CheckResult, gather};
use submission::Submitted;
use text::{BoxState, BoxText, Source, TextCopy};

pub(super) use fields::{CHOICE, FormChoice};
pub(super) use findings::{outcome, place};
pub(super) use form::{PATH, empty_form};
pub(super) use judged::EXPLAINED;
pub(super) use merged::{ChoiceForm, disputed};
pub(super) use readings::stamp;

/// Media types of the form of the page, and of records as they are.
const FORMS: &[Content] = &form_or_records([Content::any(MULTIPART), Content::any(URLENCODED)]);

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint { route: Route { path: "/check", id: "page-check", ..PAGE }, handler: |context| Box::pin(show(context)) },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/check",
            id: "check",
            params: &[FROM, LANG],
            body: FORMS,
            problems: &[problem::SCOPE, problem::READ_ONLY, problem::FULL, problem::UNCONFIRMED],
            streams: true,
            ..PAGE
        },
        handler: |context| Box::pin(check(context)),
    },
];

pub(super) const SCRIPTS: &[&str] = &["/assets/check.js"];
async fn show(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let title = view.say("check.title");
    let body = html! {
        h1 { (title) }
        p.lead { (view.say("check.lead")) }
        (form::empty_form(&view))
        section aria-labelledby="sheets" {
            h2 #sheets { (view.say("check.sheets")) }
            ul.downloads {
                @for game in games::ALL {
                    @let path = format!("/v1/games/{}/sheet.pdf", game.notation().id);
                    li { a href=(view.href_in_language(&path, &[])) { (view.word(game.name())) " (PDF)" } }
                }
            }
        }
    };
    let page = view.write(&Page { scripts: SCRIPTS, ..Page::new(title, PATH, body) });
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("check")))
}

#[derive(Default)]
struct ResultPage {
    options: Options,
    /// Sentences about the text.
    hints: Vec<String>,
    submitted: Option<Submitted>,
    result: CheckResult,
    /// The reason that the form was refused, with a sentence for people. Programs get it instead of the page.
    refusal: Option<(Problem, String)>,
}

async fn check(mut context: RequestContext) -> HandlerResult {
    let (form, body) = (FormData::of(&context), context.body().await?);
    let mut room = context.take_body_reservation();
    room.grow(form.copies(&body))?;
    let parse = move || fields::content(form, body);
    let fields = web::block(parse).await.unwrap_or_else(|_| Err(Problem::new(problem::INTERNAL)))?;
    let FormContent { records, is_file, options, action, choice, token } = fields;
    let view = View::of(&context);
    let mut page = ResultPage { options, ..ResultPage::default() };
    if records.trim_ascii().is_empty() {
        page.refusal = Some((ingest::nothing(), view.say("check.empty").to_owned()));
        return page.response(&context, &view);
    }
    let encoding = page.options.encoding().filter(|_| is_file);
    let form = ingest::body_format(&context).with(page.options.format(), encoding);
    let mut source = Source { bytes: records, form };
    if let Some(game) = page.options.game {
        let added;
        (source, added) = context.work(move || source.with_game(game)).await?;
        if added > 0 {
            let name = games::find(game).map_or(game, |game| view.word(game.name()));
            page.hints.push(view.fill("check.game.added", &[("game", &name), ("count", &added)]));
        }
    }
    // Buttons are about the text in the box. A file that was chosen since is checked first.
    let action = if is_file && action != Action::Submit(None) { Action::Check } else { action };
    // A choice starts a search, as the check of a rejected record does.
    let is_charged = matches!(action, Action::Take { .. } | Action::TakeMerged) || !choice.plies.is_empty();
    if is_charged {
        context.charge(COST)?;
    }
    match action {
        Action::Check => {}
        Action::Take { .. } | Action::TakeMerged => {
            let (own, choice) = (source.clone(), choice.clone());
            let taken = context.work(move || match action {
                Action::Take { record, reading } => readings::taken(&own, record, reading, choice.person.as_deref()),
                _ => readings::taken_merged(&own, &choice),
            });
            if let Some(taken) = taken.await? {
                // It may be in another format.
                page.options.format = None;
                source = taken;
                page.hints.push(view.say("check.taken").to_owned());
            }
        }
        Action::Submit(only) => {
            let submitted = submission::submit(&mut context, &source, only, token.as_deref()).await;
            let problem = match submitted {
                Ok((mut submitted, rest)) => {
                    source = rest;
                    let problem = submitted.problem.take();
                    page.submitted = Some(submitted);
                    problem
                }
                Err(problem) => Some(problem),
            };
            page.refusal = problem.map(|problem| {
                let said = submission::refusal(&view, &problem, token.as_deref());
                (problem, said)
            });
        }
        Action::Replay { record, ply } => {
            let (own, lang) = (source.clone(), context.lang);
            let replay = move || {
                own.with_record(record, |chunk, found| replay::Replayed::of(chunk, found, record + 1, ply, lang))
            };
            if let Some(replayed) = context.work(replay).await? {
                let title = replayed.title(&view);
                let body = html! {
                    h1 { (title) }
                    (replayed.body(&view))
                    p { button form=(form::ID) { (view.say("check.replay.back")) } }
                    h2 { (view.say("check.another")) }
                    (page.form(&view, &BoxText::of(Some(source.bytes.to_vec()))))
                };
                return Ok(page_response(&context, written(&view, &title, body)));
            }
            page.hints.push(view.say("check.replay.nothing").to_owned());
        }
    }
    if !source.bytes.trim_ascii().is_empty() {
        let text = source.bytes.clone();
        match judged(&context, source, room).await {
            Ok((found, _room)) => page.add(&context, &view, found, choice, is_charged).await?,
            Err(problem) => page.refuse(&view, problem, &text),
        }
    }
    page.response(&context, &view)
}

/// The verdicts on a source, without readings, with the memory that they take.
async fn judged(
    context: &RequestContext,
    source: Source,
    mut room: Reservation,
) -> Result<(CheckResult, Reservation), Problem> {
    let info = RequestInfo::of(context);
    let (copy, permit) = (TextCopy::default(), context.permit().await?);
    let body = Cursor::new(source.bytes);
    let ingest = Ingest::in_format(context, body, judged::judge, source.form).copying(Box::new(copy.clone()));
    let ingest = ingest.at_once(permit);
    let work = move || Ok((gather(ingest, &copy, &info, &mut room)?.with_refusals(), room));
    context.work_with((), work).await
}

/// A whole page with the form.
fn written(view: &View, title: &str, body: Markup) -> String {
    view.write(&Page { scripts: SCRIPTS, ..Page::new(title, PATH, body) })
}

impl ResultPage {
    /// Adds the verdicts, with readings if the client may search for them.
    async fn add(
        &mut self,
        context: &RequestContext,
        view: &View,
        found: CheckResult,
        choice: FormChoice,
        is_charged: bool,
    ) -> Result<(), Problem> {
        self.result = if !found.is_searched() {
            found
        } else if is_charged || context.charge(COST).is_ok() {
            context.work(move || Ok(found.with_readings(choice))).await?
        } else {
            self.hints.push(view.say("check.readings.paused").to_owned());
            found
        };
        if self.options.game.is_none() && self.result.lacks_game() {
            self.hints.push(view.say("check.game.choose").to_owned());
        }
        Ok(())
    }

    /// Keeps the text of records that could not be judged, with the reason, unless there is one already.
    fn refuse(&mut self, view: &View, problem: Problem, text: &[u8]) {
        self.result.text = BoxText::of((text.len() <= text::MAX_TEXT).then(|| text.to_vec()));
        let is_nothing = problem.code() == problem::BODY.id;
        let said = if is_nothing { view.say("check.nothing").to_owned() } else { problem.detail(view.lang) };
        self.refusal.get_or_insert((problem, said));
    }

    /// The page, with the status of the reason that the form was refused.
    fn response(mut self, context: &RequestContext, view: &View) -> HandlerResult {
        if self.result.text.is_of_cells && self.options.format.is_none() {
            self.options.format = Some("tsv");
        }
        let title = view.say(if self.result.count_all() > 0 { "check.result" } else { "check.title" });
        let (problem, said) = self.refusal.take().unzip();
        let page = written(view, title, self.body(view, title, said));
        match problem {
            None => Ok(page_response(context, page)),
            Some(problem) if negotiate::prefers_pages(context.request.headers()) => {
                Ok(context.with_language(problem.builder(HTML).body(page)))
            }
            Some(problem) => Err(problem),
        }
    }

    fn body(&self, view: &View, title: &str, refusal: Option<String>) -> Markup {
        let Self { hints, submitted, result, .. } = self;
        let is_checked = result.count_all() > 0;
        html! {
            h1 { (title) }
            @if is_checked { (result.summary(view)) }
            @if let Some(refusal) = refusal { p.notice role="alert" { (refusal) } }
            @for hint in hints { p.hint role="status" { (hint) } }
            @if let Some(submitted) = submitted { (submitted.body(view)) }
            @if is_checked {
                p { a href={ "#" (form::ID) } { (view.say("check.again")) } }
                // Enter in a field presses the first button of a form; this one does nothing.
                button form=(form::ID) disabled hidden {}
                (result.body(view))
                h2 { (view.say("check.another")) }
            }
            (self.form(view, &result.text))
        }
    }

    /// The form with the text that was read.
    fn form(&self, view: &View, text: &BoxText) -> Markup {
        let hint = match text.state {
            BoxState::Whole => None,
            BoxState::Guessed => Some(view.say("check.box.guessed").to_owned()),
            BoxState::Changed => Some(view.say("check.box.changed").to_owned()),
            BoxState::Missing => Some(view.fill("check.box.missing", &[("max", &(text::MAX_TEXT / 1024))])),
        };
        html! {
            @if let Some(hint) = hint { p.hint { (hint) } }
            (form::form(view, &text.text, &self.options))
        }
    }
}
