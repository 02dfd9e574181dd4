//! Static assets of the pages, compiled into the program: style sheet, scripts and icons.

use std::sync::LazyLock;

use quipu_referee::report::hex;
use sha2::{Digest, Sha256};

use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, CSS, Content, GET, PNG, Response, Route, SCRIPT, SVG},
};
use quipu_pictures as pictures;

const fn asset(path: &'static str, id: &'static str, responses: &'static [Response]) -> Endpoint {
    let route = Route { path, id, group: "pages", access: Access::Open, responses, ..GET };
    Endpoint { route, handler: |context| Box::pin(show(context)) }
}

pub(crate) const ROUTES: &[Endpoint] = &[
    asset("/assets/style.css", "asset-style", &[Response::ok(&[Content::text(CSS)])]),
    asset("/assets/icon.svg", "asset-icon", &[Response::ok(&[Content::text(SVG)])]),
    asset("/assets/icon-192.png", "asset-icon-192", &[Response::ok(&[Content::bytes(PNG)])]),
    asset("/assets/icon-512.png", "asset-icon-512", &[Response::ok(&[Content::bytes(PNG)])]),
    asset("/assets/game.js", "asset-game", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/check.js", "asset-check", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/keep.js", "asset-keep", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/board.js", "asset-board", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/clock.js", "asset-clock", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/desk.js", "asset-desk", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/screen.js", "asset-screen", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/endings.js", "asset-endings", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/moving.js", "asset-moving", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/device.js", "asset-device", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/entry.js", "asset-entry", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/score.js", "asset-score", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/sync.js", "asset-sync", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/ui.js", "asset-ui", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/names.js", "asset-names", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/organise.js", "asset-organise", &[Response::ok(&[Content::text(SCRIPT)])]),
    asset("/assets/live.js", "asset-live", &[Response::ok(&[Content::text(SCRIPT)])]),
];

/// Paths of everything that the pages for scoring a game load.
pub(super) const OF_SCORING: [&str; 14] = [
    "/assets/style.css",
    "/assets/icon.svg",
    "/assets/keep.js",
    "/assets/board.js",
    "/assets/clock.js",
    "/assets/desk.js",
    "/assets/screen.js",
    "/assets/endings.js",
    "/assets/moving.js",
    "/assets/device.js",
    "/assets/entry.js",
    "/assets/score.js",
    "/assets/sync.js",
    "/assets/ui.js",
];

/// The contents of each asset by its path, but for the icons in [`ICONS`].
const ASSETS: [(&str, &[u8]); 19] = [
    ("/assets/style.css", include_bytes!("style.css")),
    ("/assets/icon.svg", include_bytes!("icon.svg")),
    ("/assets/game.js", include_bytes!("game.js")),
    ("/assets/check.js", include_bytes!("check.js")),
    ("/assets/keep.js", include_bytes!("keep.js")),
    ("/assets/board.js", include_bytes!("board.js")),
    ("/assets/clock.js", include_bytes!("clock.js")),
    ("/assets/desk.js", include_bytes!("desk.js")),
    ("/assets/screen.js", include_bytes!("screen.js")),
    ("/assets/endings.js", include_bytes!("endings.js")),
    ("/assets/moving.js", include_bytes!("moving.js")),
    ("/assets/device.js", include_bytes!("device.js")),
    ("/assets/entry.js", include_bytes!("entry.js")),
    ("/assets/score.js", include_bytes!("score.js")),
    ("/assets/sync.js", include_bytes!("sync.js")),
    ("/assets/ui.js", include_bytes!("ui.js")),
    ("/assets/names.js", include_bytes!("names.js")),
    ("/assets/organise.js", include_bytes!("organise.js")),
    ("/assets/live.js", include_bytes!("live.js")),
];

/// The icon as PNG, for devices on which the pages are installed.
static ICONS: LazyLock<[(&str, Vec<u8>); 2]> = LazyLock::new(|| {
    [("/assets/icon-192.png", 192), ("/assets/icon-512.png", 512)]
        .map(|(path, width)| (path, pictures::document_png(include_str!("icon.svg"), width)))
});

pub(super) fn contents(path: &str) -> Option<&'static [u8]> {
    let stored = ASSETS.iter().find(|(known, _)| *known == path).map(|(_, bytes)| *bytes);
    stored.or_else(|| ICONS.iter().find(|(known, _)| *known == path).map(|(_, bytes)| &**bytes))
}

async fn show(context: RequestContext) -> HandlerResult {
    let bytes = contents(context.route.path).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let state = hex(&Sha256::digest(bytes)[..8]);
    Ok(context.with_etag(context.shared_bytes(bytes), CachePolicy::UntilChange, format_args!("{state}")))
}
