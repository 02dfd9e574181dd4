//! Webhooks: created, listed, paused and deleted by the holder of an administrator's token, with their deliveries. The secret of
//! a webhook is in the response that makes it and nowhere else.

use std::sync::Arc;

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use quipu_archive::{
    model::{EventType, Number, Webhook, WebhookState},
    report::{DeliveryReport, WebhookReport},
    store::{ReadTx, WebhookRefusal},
};
use quipu_options::Scope;
use quipu_webhooks::{UrlFault, receiver_url, secret_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::enum_values::game_ids;
use crate::{
    endpoint::Endpoint,
    paging::List,
    params::{Kind, MAX_NUMBER, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Access, Content, GET, Method, Response, Route},
};

pub(crate) const ADMIN: Access = Access::Scope(Scope::Admin);
const WEBHOOK: Param = Param::path("webhook", Kind::Key(Webhook::ID));
/// Template of the routes.
const ROUTE: Route = Route { group: "webhooks", access: ADMIN, ..GET };
/// Template of the routes of one webhook.
const OF_WEBHOOK: Route = Route { params: &[WEBHOOK], problems: &[problem::NOT_FOUND], volatile: true, ..ROUTE };

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/webhooks",
            id: "webhook-add",
            body: &[Content::json::<NewWebhook>()],
            responses: &[Response::created(&[Content::json::<MadeWebhook<'_>>()])],
            problems: &[problem::CONFLICT],
            ..ROUTE
        },
        handler: |context| Box::pin(add(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/webhooks",
            id: "webhooks",
            responses: &[Response::ok(&[Content::json::<List<WebhookReport<'_>>>()])],
            volatile: true,
            ..ROUTE
        },
        handler: |context| Box::pin(index(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/webhooks/{webhook}",
            id: "webhook",
            responses: &[Response::ok(&[Content::json::<WebhookReport<'_>>()])],
            ..OF_WEBHOOK
        },
        handler: |context| Box::pin(show(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Delete,
            path: "/v1/webhooks/{webhook}",
            id: "webhook-delete",
            responses: &[Response::ok(&[Content::json::<WebhookReport<'_>>()])],
            ..OF_WEBHOOK
        },
        handler: |context| Box::pin(delete(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Put,
            path: "/v1/webhooks/{webhook}/state",
            id: "webhook-state",
            body: &[Content::json::<NewState>()],
            responses: &[Response::ok(&[Content::json::<WebhookReport<'_>>()])],
            ..OF_WEBHOOK
        },
        handler: |context| Box::pin(set_state(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/webhooks/{webhook}/secret",
            id: "webhook-secret",
            responses: &[Response::ok(&[Content::json::<MadeWebhook<'_>>()])],
            ..OF_WEBHOOK
        },
        handler: |context| Box::pin(rotate(context)),
    },
    Endpoint {
        route: Route {
            method: Method::Post,
            path: "/v1/webhooks/{webhook}/ping",
            id: "webhook-ping",
            responses: &[Response::ok(&[Content::json::<DeliveryReport>()])],
            ..OF_WEBHOOK
        },
        handler: |context| Box::pin(ping(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/webhooks/{webhook}/deliveries",
            id: "webhook-deliveries",
            responses: &[Response::ok(&[Content::json::<List<DeliveryReport>>()])],
            ..OF_WEBHOOK
        },
        handler: |context| Box::pin(deliveries(context)),
    },
];

fn event_types() -> [&'static str; EventType::ALL.len()] {
    EventType::ALL.map(EventType::as_str)
}

/// A webhook to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWebhook {
    /// Address of the receiver.
    #[schemars(length(min = 1, max = Webhook::URL), regex(pattern = "^https?://[!-~]+$"))]
    url: String,
    /// The types of events that it gets; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = json!({ "type": "string", "enum": event_types() })))]
    events: Vec<String>,
    /// The games whose changes it gets; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = json!({ "type": "string", "enum": game_ids() })))]
    games: Vec<String>,
    /// The change after which it begins; the last one, if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = MAX_NUMBER))]
    since: Option<Number>,
}

/// A webhook that was made, or has a new secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MadeWebhook<'w> {
    /// The secret that signs deliveries.
    secret: String,
    #[serde(flatten)]
    report: WebhookReport<'w>,
}

/// A state that an administrator gives a webhook.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewWebhookState")]
pub(crate) struct NewState {
    #[schemars(extend("enum" = ["enabled", "paused"]))]
    state: String,
}

async fn add(mut context: RequestContext) -> HandlerResult {
    let NewWebhook { url, events, games, since } = context.body_json().await?;
    let allows_private = context.settings().webhook_private_networks;
    receiver_url(&url, allows_private).map_err(|fault| refused_url(fault, &url))?;
    let mut types = Vec::new();
    for name in &events {
        let event = EventType::ALL.into_iter().find(|event| event.as_str() == name);
        let event = event.ok_or_else(|| choice("events", name, &event_types()))?;
        if !types.contains(&event) {
            types.push(event);
        }
    }
    if let Some(unknown) = games.iter().find(|game| !game_ids().contains(&&***game)) {
        return Err(choice("games", unknown, &game_ids()));
    }
    let games: Vec<_> =
        game_ids().into_iter().filter(|id| games.iter().any(|game| game == id)).map(str::to_owned).collect();
    if let Some(since) = since.filter(|since| !(0..=MAX_NUMBER).contains(since)) {
        let problem = Problem::variant(problem::BODY, "number").with("name", "since").with("found", since);
        return Err(problem.with("max", MAX_NUMBER));
    }
    let made = context
        .write(move |writing| writing.add_webhook(&url, &types, &games, since).map_err(|refusal| refused(refusal, "")));
    let webhook: Webhook = made.await?;
    tracing::info!(id = webhook.id, by = context.submitter(), "webhook made");
    let mut response = HttpResponse::Created();
    response.insert_header((header::LOCATION, format!("/v1/webhooks/{}", webhook.id)));
    Ok(context.json_with(response, &made_report(&webhook)))
}

#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
async fn index(context: RequestContext) -> HandlerResult {
    let webhooks = context.read_slowly(|reading| reading.webhooks()).await?;
    let list = List { items: webhooks.iter().map(WebhookReport::new).collect(), next: None };
    Ok(unstored(context.json(&list)))
}

async fn show(context: RequestContext) -> HandlerResult {
    let webhook = found(&context, context.read(|reading| reading.webhook(id(&context)))?)?;
    Ok(unstored(context.json(&WebhookReport::new(&webhook))))
}

async fn delete(context: RequestContext) -> HandlerResult {
    let own = id(&context).to_owned();
    let deleted = context.write(move |writing| writing.delete_webhook(&own).map_err(|refusal| refused(refusal, &own)));
    let webhook: Webhook = deleted.await?;
    tracing::info!(id = webhook.id, by = context.submitter(), "webhook deleted");
    Ok(context.json(&WebhookReport::new(&webhook)))
}

async fn set_state(mut context: RequestContext) -> HandlerResult {
    let NewState { state } = context.body_json().await?;
    let allowed = [WebhookState::Enabled, WebhookState::Paused];
    let new = allowed.into_iter().find(|allowed| allowed.as_str() == state);
    let new = new.ok_or_else(|| choice("state", &state, &allowed.map(WebhookState::as_str)))?;
    let own = id(&context).to_owned();
    let set =
        context.write(move |writing| writing.set_webhook_state(&own, new).map_err(|refusal| refused(refusal, &own)));
    let webhook: Webhook = set.await?;
    tracing::info!(id = webhook.id, state, by = context.submitter(), "webhook changed");
    Ok(context.json(&WebhookReport::new(&webhook)))
}

async fn rotate(context: RequestContext) -> HandlerResult {
    let own = id(&context).to_owned();
    let rotated =
        context.write(move |writing| writing.rotate_webhook_secret(&own).map_err(|refusal| refused(refusal, &own)));
    let webhook: Webhook = rotated.await?;
    tracing::info!(id = webhook.id, by = context.submitter(), "secret of a webhook rotated");
    Ok(context.json(&made_report(&webhook)))
}

async fn ping(context: RequestContext) -> HandlerResult {
    let (webhooks, own) = (Arc::clone(&context.service.webhooks), id(&context).to_owned());
    // It waits for the receiver, so it takes no permit for work.
    let sent = context.work_with((), move || Ok(webhooks.ping(&own)?)).await?;
    Ok(context.json(&DeliveryReport::from(&found(&context, sent)?)))
}

async fn deliveries(context: RequestContext) -> HandlerResult {
    let own = id(&context).to_owned();
    let query = move |reading: &ReadTx<'_>| {
        let webhook = reading.webhook(&own)?;
        webhook.map(|webhook| reading.deliveries(&webhook.id)).transpose()
    };
    let deliveries = found(&context, context.read_slowly(query).await?)?;
    let list = List { items: deliveries.iter().map(DeliveryReport::from).collect(), next: None };
    Ok(unstored(context.json(&list)))
}

/// The id in the path.
fn id(context: &RequestContext) -> &str {
    context.text("webhook").unwrap_or_default()
}

fn made_report(webhook: &Webhook) -> MadeWebhook<'_> {
    MadeWebhook { secret: secret_text(&webhook.secret), report: WebhookReport::new(webhook) }
}

/// A response that no cache keeps.
fn unstored(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn found<T>(context: &RequestContext, found: Option<T>) -> Result<T, Problem> {
    found.ok_or_else(|| missing(id(context)))
}

fn missing(id: &str) -> Problem {
    Problem::variant(problem::NOT_FOUND, "webhook").with_quoted("found", id)
}

fn choice(name: &'static str, found: &str, known: &[&str]) -> Problem {
    let problem = Problem::variant(problem::BODY, "choice").with("name", name).with_quoted("found", found);
    problem.with("known", known.join(", "))
}

/// The problem of an address. One with a password is not shown.
fn refused_url(fault: UrlFault, url: &str) -> Problem {
    match fault {
        UrlFault::Syntax => Problem::variant(problem::BODY, "url").with_quoted("found", url),
        UrlFault::TooLong => Problem::variant(problem::BODY, "url-long").with("max", Webhook::URL),
        UrlFault::Scheme => Problem::variant(problem::BODY, "url-scheme").with_quoted("found", url),
        UrlFault::UserInfo => Problem::variant(problem::BODY, "url-user"),
        UrlFault::Fragment => Problem::variant(problem::BODY, "url-fragment").with_quoted("found", url),
        UrlFault::Address => Problem::variant(problem::BODY, "url-address").with_quoted("found", url),
    }
}

/// The problem of a webhook that cannot be made or changed.
fn refused(refusal: WebhookRefusal, id: &str) -> Problem {
    match refusal {
        WebhookRefusal::Store(error) => error.into(),
        WebhookRefusal::Missing => missing(id),
        WebhookRefusal::TooMany(most) => {
            let problem = Problem::variant(problem::CONFLICT, "webhook-many").with("max", most);
            problem.extension("conflict", &"webhook-many")
        }
    }
}
