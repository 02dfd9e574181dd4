//! Operations: health, readiness, metrics and the OpenAPI document.

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
    route::{Access, Content, GET, Response, Route},
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
            responses: &[Response::ok(&[Content::json::<Health>()])],
            free: true,
            volatile: true,
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
            responses: &[Response::ok(&[Content::json::<Health>()])],
            problems: &[problem::STOPPING, problem::ARCHIVE, problem::UNREACHABLE, problem::READ_ONLY, problem::FULL],
            free: true,
            volatile: true,
            ..GET
        },
        handler: |context| Box::pin(ready(context)),
    },
    Endpoint {
        route: Route {
            path: "/metrics",
            id: "metrics",
            group: "service",
            responses: &[Response::ok(&[Content::text("text/plain; version=0.0.4; charset=utf-8")])],
            volatile: true,
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
            responses: &[Response::ok(&[Content::json::<serde_json::Map<String, serde_json::Value>>()])],
            ..GET
        },
        handler: |context| Box::pin(openapi(context)),
    },
];

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// Version of the program.
    version: &'static str,
}

const HEALTH: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };

/// Liveness: the program runs.
async fn health(context: RequestContext) -> HandlerResult {
    Ok(context.json(&HEALTH))
}

/// Time limit for the archive to report that it is ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Readiness: the archive answers and can be written, no response since the start has found it damaged, and the service
/// is not stopping.
async fn ready(context: RequestContext) -> HandlerResult {
    if *context.service.stopping().borrow() {
        return Err(Problem::new(problem::STOPPING).retry_after(5));
    }
    if context.service.damaged.load(Ordering::Relaxed) {
        return Err(Problem::damaged());
    }
    match time::timeout(PATIENCE, check_ready(&context.service)).await {
        Ok(ready) => ready?,
        Err(_) => return Err(StoreError::Busy.into()),
    }
    Ok(context.json(&HEALTH))
}

/// Checks the archive. A request that waited for a check that began after its arrival reuses the result. A check
/// without waiting requests goes on, and until it ends no other begins.
async fn check_ready(service: &Service) -> Result<(), Problem> {
    let asked = Instant::now();
    let mut looked = Arc::clone(&service.readiness).lock_owned().await;
    if let Some((begun, ready)) = &*looked
        && *begun >= asked
    {
        return Ok(ready.clone()?);
    }
    let store = service.store.clone();
    // Writes to the disk if an earlier write failed.
    let ready = web::block(move || {
        let begun = Instant::now();
        let ready = store.check_ready();
        *looked = Some((begun, ready.clone()));
        ready
    });
    Ok(ready.await.map_err(|_| Problem::new(problem::INTERNAL))??)
}

async fn metrics(context: RequestContext) -> HandlerResult {
    let service = &context.service;
    service.metrics.note_webhooks(&service.webhooks.states());
    let text = service.metrics.text(context.store().waiting(), service.limits.connections.count());
    Ok(context.bytes(text))
}

async fn openapi(context: RequestContext) -> HandlerResult {
    let document = context.service.openapi(context.lang).json.clone();
    let response = context.shared_bytes(document);
    let private = context.settings().private;
    Ok(context.with_etag(context.with_language(response), CachePolicy::UntilChange, format_args!("openapi-{private}")))
}
