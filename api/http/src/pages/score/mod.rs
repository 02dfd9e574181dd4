//! Scoring a game: a page to start a game, and the desk at which its moves are entered. The script saves them on the
//! device and on the server, and asks the referee through `/v1/desk` which moves are legal. A service worker keeps both
//! pages on the device.

use super::{
    frame::{LISTED, View, page_response},
    live,
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::HandlerResult,
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Content, GET, Response, Route, SCRIPT, WEB_MANIFEST},
    routes::{
        enum_values::game_ids,
        shared::{LANG, PAGE},
    },
};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use quipu_archive::{model::Live, store};
use quipu_referee::games;

mod desk;
mod offline;
mod parts;
pub(super) mod start;

pub(super) use parts::{DESK, PATH, messages, whole};

pub(crate) const ROUTES: &[Endpoint] = &[
    Endpoint {
        route: Route {
            path: parts::PATH,
            id: "page-keep",
            params: &[Param::field("game", Kind::Choice(game_ids)), LANG],
            ..PAGE
        },
        handler: |context| Box::pin(begin(context)),
    },
    Endpoint {
        route: Route { path: parts::DESK, id: "page-keep-desk", ..PAGE },
        handler: |context| Box::pin(keep(context)),
    },
    Endpoint {
        route: Route {
            path: "/keep/worker.js",
            id: "keep-worker",
            group: "pages",
            access: Access::Open,
            responses: &[Response::ok(&[Content::text(SCRIPT)])],
            ..GET
        },
        handler: |context| Box::pin(worker(context)),
    },
    Endpoint {
        route: Route {
            path: parts::MANIFEST,
            id: "keep-manifest",
            group: "pages",
            access: Access::Open,
            params: &[LANG],
            responses: &[Response::ok(&[Content::any(WEB_MANIFEST)])],
            ..GET
        },
        handler: |context| Box::pin(manifest(context)),
    },
];

/// The header that lets the worker serve `/keep`, which is not below its own path.
const ALLOWED: HeaderName = HeaderName::from_static("service-worker-allowed");
/// The policy of the worker: it asks this service, and nothing else.
const POLICY: &str = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

async fn begin(context: RequestContext) -> HandlerResult {
    let view = View::of(&context);
    let chosen = context.text("game").and_then(games::find);
    let write = move |page: store::ListPage<Live, _>| {
        Ok(start::page(&view, chosen, &live::cards(&view, &page.items, Some(parts::DESK))))
    };
    let page = context.read_then(|reading| reading.lives(None, LISTED), write).await?;
    Ok(context.cacheable(page_response(&context, page)))
}

async fn keep(context: RequestContext) -> HandlerResult {
    Ok(page_response(&context, desk::page(&View::of(&context))))
}

async fn worker(context: RequestContext) -> HandlerResult {
    let worker = offline::worker();
    let mut response = context.shared_bytes(worker.script.as_str());
    response.headers_mut().insert(ALLOWED, HeaderValue::from_static(parts::PATH));
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{}", worker.version)))
}

async fn manifest(context: RequestContext) -> HandlerResult {
    let text = offline::manifest(&View::of(&context));
    Ok(context.with_etag(
        context.with_language(context.bytes(text)),
        CachePolicy::UntilChange,
        format_args!("manifest"),
    ))
}
