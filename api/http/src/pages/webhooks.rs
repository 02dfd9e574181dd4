//! Webhooks and their latest deliveries, for the holder of an administrator's token, which is typed into the page.

use maud::{Markup, html};
use quipu_archive::{
    model::{Delivery, Webhook, WebhookState},
    store::{ReadTx, StoreError},
};

use super::{
    form_data::{FormData, URLENCODED},
    frame::{Page, View, captioned_table, page_response, time},
};
use crate::{
    auth,
    endpoint::Endpoint,
    negotiate,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Content, HTML, Method, Route},
    routes::{shared::PAGE, webhooks::ADMIN},
};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint { route: Route { path: PATH, id: "page-webhooks", ..PAGE }, handler: |context| Box::pin(show(context)) },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: PATH,
            id: "page-webhooks-list",
            body: &[Content::any(URLENCODED)],
            problems: &[problem::SCOPE],
            ..PAGE
        },
        handler: |context| Box::pin(list(context)),
    },
];

const PATH: &str = "/webhooks";
/// Latest deliveries of each webhook on the page.
const SHOWN: usize = 20;

/// A webhook with its latest deliveries.
type Listed = (Webhook, Vec<Delivery>);

async fn show(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let page = page(&view, None, None);
    Ok(context.with_etag(page_response(&context, page), CachePolicy::UntilChange, format_args!("webhooks")))
}

async fn list(mut context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    match listed(&mut context).await {
        Ok(webhooks) => Ok(page_response(&context, page(&view, None, Some(&webhooks)))),
        Err(problem) if negotiate::prefers_pages(context.request.headers()) => {
            let page = page(&view, Some(&problem.detail(view.lang)), None);
            Ok(context.with_language(problem.builder(HTML).body(page)))
        }
        Err(problem) => Err(problem),
    }
}

/// The webhooks with their deliveries, if the form has the token of an administrator.
async fn listed(context: &mut RequestContext) -> Result<Vec<Listed>, Problem> {
    let (form, body) = (FormData::of(context), context.body().await?);
    let parts = form.parts(&body)?.ok_or_else(|| Problem::variant(problem::BODY, "form"))?;
    let token = parts.iter().find(|part| part.name == "token").and_then(|part| str::from_utf8(&part.value).ok());
    let token = token.filter(|token| !token.trim().is_empty());
    context.bearer = Some(auth::holder_in_form(token, ADMIN, context.store(), context.settings().query_timeout)?);
    context.read_slowly(read).await
}

fn read(reading: &ReadTx<'_>) -> Result<Vec<Listed>, StoreError> {
    let with_deliveries = |webhook: Webhook| {
        let mut deliveries = reading.deliveries(&webhook.id)?;
        deliveries.truncate(SHOWN);
        Ok((webhook, deliveries))
    };
    reading.webhooks()?.into_iter().map(with_deliveries).collect()
}

fn page(view: &View, refusal: Option<&str>, webhooks: Option<&[Listed]>) -> String {
    let title = view.say("webhooks.title");
    let body = html! {
        h1 { (title) }
        p.lead { (view.say("webhooks.lead")) }
        @if let Some(refusal) = refusal { p.notice role="alert" { (refusal) } }
        @if let Some(webhooks) = webhooks {
            @if webhooks.is_empty() { p role="status" { (view.say("webhooks.none")) } }
            @for (webhook, deliveries) in webhooks { (section(view, webhook, deliveries)) }
        }
        form action=(view.href(PATH, &[])) method="post" {
            p {
                label for="token" { (view.say("keep.token-label")) }
                input #token name="token" type="password" autocomplete="off" spellcheck="false" required;
            }
            p.note { (view.say("webhooks.token")) }
            button { (view.say("webhooks.show")) }
        }
        p { a href=(view.href("/docs/webhooks", &[])) { (view.say("webhooks.docs")) } }
    };
    view.write(&Page::new(title, "", body))
}

fn section(view: &View, webhook: &Webhook, deliveries: &[Delivery]) -> Markup {
    let events = webhook.events.iter().map(|event| event.as_str()).collect::<Vec<_>>().join(", ");
    let games = webhook.games.join(", ");
    let all = view.say("webhooks.all");
    let or_all = |chosen: String| if chosen.is_empty() { all.to_owned() } else { chosen };
    html! {
        section aria-labelledby={ "webhook-" (webhook.id) } {
            h2 id={ "webhook-" (webhook.id) } { code { (webhook.id) } " · " (view.say(state_key(webhook.state))) }
            dl.figures {
                (figure(view, "webhooks.url", &html! { code { (webhook.url) } }))
                (figure(view, "webhooks.events", &html! { (or_all(events)) }))
                (figure(view, "webhooks.games", &html! { (or_all(games)) }))
                (figure(view, "webhooks.delivered", &html! { (webhook.delivered) }))
                @if let Some(since) = webhook.failing_since {
                    (figure(view, "webhooks.failing", &html! { (time(since)) " (" (webhook.attempts) ")" }))
                }
                @if let Some(next) = webhook.next_attempt {
                    (figure(view, "webhooks.next", &time(next)))
                }
            }
            @if !deliveries.is_empty() { (table(view, webhook, deliveries)) }
        }
    }
}

fn figure(view: &View, key: &str, value: &Markup) -> Markup {
    html! { div { dt { (view.say(key)) } dd { (value) } } }
}

fn table(view: &View, webhook: &Webhook, deliveries: &[Delivery]) -> Markup {
    let head = html! {
        @for key in ["webhooks.at", "webhooks.event", "webhooks.result"] { th scope="col" { (view.say(key)) } }
        @for key in ["webhooks.change", "webhooks.attempt", "webhooks.status", "webhooks.duration"] {
            th.number scope="col" { (view.say(key)) }
        }
    };
    let body = html! {
        tbody {
            @for one in deliveries {
                tr {
                    td { (time(one.at)) }
                    td { (one.event.as_str()) }
                    td { (view.say(result_key(one))) }
                    td.number { @if let Some(change) = one.change { (change) } }
                    td.number { (one.attempt) }
                    td.number { @if let Some(status) = one.status { (status) } }
                    td.number { (one.duration.as_millis()) }
                }
            }
        }
    };
    captioned_table(&view.fill("webhooks.deliveries", &[("id", &webhook.id)]), &head, &body)
}

fn state_key(state: WebhookState) -> &'static str {
    match state {
        WebhookState::Enabled => "webhooks.state.enabled",
        WebhookState::Paused => "webhooks.state.paused",
        WebhookState::Gone => "webhooks.state.gone",
        WebhookState::Failed => "webhooks.state.failed",
    }
}

fn result_key(delivery: &Delivery) -> &'static str {
    use quipu_archive::model::DeliveryFailure as Failure;
    match delivery.failure {
        None => "webhooks.result.delivered",
        Some(Failure::Status) => "webhooks.result.status",
        Some(Failure::Gone) => "webhooks.result.gone",
        Some(Failure::Redirect) => "webhooks.result.redirect",
        Some(Failure::Name) => "webhooks.result.name",
        Some(Failure::Address) => "webhooks.result.address",
        Some(Failure::Connection) => "webhooks.result.connection",
        Some(Failure::Tls) => "webhooks.result.tls",
        Some(Failure::Timeout) => "webhooks.result.timeout",
        Some(Failure::Response) => "webhooks.result.response",
    }
}
