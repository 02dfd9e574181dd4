//! The pages without a connection: the service worker that keeps them on a device, and the manifest with which they are
//! installed there.

use std::sync::LazyLock;

use maud::Markup;
use quipu_referee::{Lang, games, report::hex};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{
    super::{assets, frame::View},
    desk,
    parts::{DESK, PATH},
    start,
};

/// The service worker.
pub(super) struct Worker {
    /// A hash of all that it keeps, and of itself.
    pub(super) version: String,
    pub(super) script: String,
}

static WORKER: LazyLock<Worker> = LazyLock::new(|| {
    let script = include_str!("../worker.js");
    let mut digest = Sha256::new();
    digest.update(script);
    for path in assets::OF_SCORING {
        digest.update(assets::contents(path).unwrap_or_default());
    }
    let begun = || [None].into_iter().chain(games::ALL.iter().copied().map(Some));
    for lang in Lang::ALL {
        let view = View::at(PATH, "", lang);
        digest.update(desk::page(&view));
        begun().for_each(|game| digest.update(start::page(&view, game, &Markup::default())));
    }
    let version = hex(&digest.finalize()[..8]);
    let start = begun().map(|game| game.map_or(PATH.to_owned(), |game| format!("{PATH}?game={}", game.notation().id)));
    let pages: Vec<_> = start.chain([DESK.to_owned()]).collect();
    let langs = Lang::ALL.map(Lang::as_str);
    let kept = json!({ "version": version, "assets": assets::OF_SCORING, "pages": pages, "langs": langs });
    Worker { version, script: format!("const KEPT = {kept};\n{script}") }
});

pub(super) fn worker() -> &'static Worker {
    &WORKER
}

/// The manifest of the pages as an application.
pub(super) fn manifest(view: &View) -> String {
    let icon = |path: &str, media: &str, sizes: &str| json!({ "src": path, "type": media, "sizes": sizes });
    let manifest = json!({
        "name": format!("quipu · {}", view.say("keep.title")),
        "short_name": "quipu",
        "description": view.say("keep.lead"),
        "lang": view.lang.as_str(),
        "id": PATH,
        "start_url": view.href(PATH, &[]),
        "scope": PATH,
        "display": "standalone",
        "background_color": "#faf7f0",
        "theme_color": "#6b2619",
        "icons": [
            icon("/assets/icon.svg", "image/svg+xml", "any"),
            icon("/assets/icon-192.png", "image/png", "192x192"),
            icon("/assets/icon-512.png", "image/png", "512x512"),
        ],
    });
    manifest.to_string()
}
