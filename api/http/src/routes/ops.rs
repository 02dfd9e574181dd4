//! What the service says of itself.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use actix_web::web;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time;

use super::shared::LANG;
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Answer, Content, GET, Route},
    service::Service,
};
use quipu_archive::store::StoreError;

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: "/healthz",
            id: "health",
            group: "service",
            access: Access::Open,
            answers: &[Answer::ok(&[Content::json::<Health>()])],
            free: true,
            ..GET
        },
        handler: |context| Box::pin(health(context)),
    },
    Endpoint {
        route: Route {
            path: "/readyz",
            id: "ready",
            group: "service",
            access: Access::Open,
            answers: &[Answer::ok(&[Content::json::<Health>()])],
            problems: &[problem::STOPPING, problem::ARCHIVE, problem::READ_ONLY, problem::FULL],
            free: true,
            ..GET
        },
        handler: |context| Box::pin(ready(context)),
    },
    Endpoint {
        route: Route {
            path: "/metrics",
            id: "metrics",
            group: "service",
            answers: &[Answer::ok(&[Content::text("text/plain; version=0.0.4; charset=utf-8")])],
            ..GET
        },
        handler: |context| Box::pin(metrics(context)),
    },
    Endpoint {
        route: Route {
            path: "/openapi.json",
            id: "openapi",
            group: "service",
            access: Access::Open,
            params: &[LANG],
            answers: &[Answer::ok(&[Content::json::<serde_json::Map<String, serde_json::Value>>()])],
            ..GET
        },
        handler: |context| Box::pin(openapi(context)),
    },
];

/// How the service is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// Version of the program.
    version: &'static str,
}

const HEALTH: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };

/// The program runs.
async fn health(context: RequestContext) -> HandlerResult {
    Ok(context.json(&HEALTH))
}

/// How long the archive may take to say that it is ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// The program can do its work: the archive answers, and no answer has shown since the start that it is damaged; what comes in can be stored, and nobody has told it to stop.
async fn ready(context: RequestContext) -> HandlerResult {
    if *context.service.stopping().borrow() {
        return Err(Problem::new(problem::STOPPING).retry_after(5));
    }
    if context.service.damaged.load(Ordering::Relaxed) {
        return Err(Problem::damaged());
    }
    match time::timeout(PATIENCE, is_ready(&context.service)).await {
        Ok(ready) => ready?,
        Err(_) => return Err(StoreError::Busy.into()),
    }
    Ok(context.json(&HEALTH))
}

/// Looks whether the archive is ready; who waited for a look that began after they asked need not look again. One that is
/// not waited for any more goes on, and until it ends nobody else looks.
async fn is_ready(service: &Service) -> Result<(), Problem> {
    let asked = Instant::now();
    let mut looked = Arc::clone(&service.readiness).lock_owned().await;
    if let Some((begun, ready)) = &*looked
        && *begun >= asked
    {
        return Ok(ready.clone()?);
    }
    let store = service.store.clone();
    // It goes to the disk if something could not be written.
    let ready = web::block(move || {
        let begun = Instant::now();
        let ready = store.is_ready();
        *looked = Some((begun, ready.clone()));
        ready
    });
    Ok(ready.await.map_err(|_| Problem::new(problem::INTERNAL))??)
}

async fn metrics(context: RequestContext) -> HandlerResult {
    let service = &context.service;
    let text = service.metrics.text(context.store().waiting(), service.limits.connections.count());
    Ok(context.bytes(text))
}

async fn openapi(context: RequestContext) -> HandlerResult {
    let document = context.service.openapi(context.lang);
    let answer = context.shared_bytes(document);
    let private = context.settings().private;
    Ok(context.with_etag(context.with_language(answer), CachePolicy::UntilChange, format_args!("openapi-{private}")))
}
