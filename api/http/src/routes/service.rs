//! What the service says of itself.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use actix_web::web;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time;

use super::{
    super::{
        call::{Cache, Call},
        problem::{self, Problem},
        server::Service,
    },
    Answered,
};
use quipu_archive::store::StoreError;

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
pub(super) async fn health(call: Call) -> Answered {
    Ok(call.json(&HEALTH))
}

/// How long the archive may take to say that it is ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// The program can do its work: the archive answers, and no answer has shown since the start that it is damaged; what comes in can be stored, and nobody has told it to stop.
pub(super) async fn ready(call: Call) -> Answered {
    if *call.service.stopping().borrow() {
        return Err(Problem::new(problem::STOPPING).retry_after(5));
    }
    if call.service.damaged.load(Ordering::Relaxed) {
        return Err(Problem::damaged());
    }
    match time::timeout(PATIENCE, is_ready(&call.service)).await {
        Ok(ready) => ready?,
        Err(_) => return Err(StoreError::Busy.into()),
    }
    Ok(call.json(&HEALTH))
}

/// Looks whether the archive is ready; who waited for a look that began after they asked need not look again. One that is
/// not waited for any more goes on, and until it ends nobody else looks.
async fn is_ready(service: &Service) -> Result<(), Problem> {
    let asked = Instant::now();
    let mut looked = Arc::clone(&service.looked).lock_owned().await;
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

pub(super) async fn metrics(call: Call) -> Answered {
    let service = &call.service;
    let text = service.metrics.text(call.store().waiting(), service.limits.connections());
    Ok(call.plain(text))
}

pub(super) async fn openapi(call: Call) -> Answered {
    let document = call.service.openapi(call.lang);
    let answer = call.shared(document);
    let private = call.settings().private;
    Ok(call.tagged(call.spoken(answer), Cache::Revalidate, format_args!("openapi-{private}")))
}
