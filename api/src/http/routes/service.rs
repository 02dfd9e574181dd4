//! What the service says of itself.

use actix_web::{HttpResponse, http::header::HeaderValue};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        call::{Cache, Call},
        problem::{self, Problem},
    },
    Answered,
};

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

/// The program can do its work: the archive answers, and nobody has told it to stop.
pub(super) async fn ready(call: Call) -> Answered {
    if *call.service.stopping().borrow() {
        return Err(Problem::new(problem::STOPPING).again_after(5));
    }
    call.read(|reading| reading.last_change().map(drop))?;
    Ok(call.json(&HEALTH))
}

pub(super) async fn metrics(call: Call) -> Answered {
    let service = &call.service;
    let text = service.metrics.text(call.store().waiting(), service.limits.connections());
    Ok(call.plain(text))
}

pub(super) async fn openapi(call: Call) -> Answered {
    let document = call.service.openapi(call.lang);
    let answer = HttpResponse::Ok().content_type(HeaderValue::from_static(call.media)).body(document);
    let private = call.settings().private;
    Ok(call.tagged(call.spoken(answer), Cache::Revalidate, format_args!("openapi-{private}")))
}
