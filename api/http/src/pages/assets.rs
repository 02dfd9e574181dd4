//! What pages are made of besides themselves: their style, their scripts, the sign in the tab of a browser. All of it is
//! in the program.

use quipu_referee::report::hex;
use sha2::{Digest, Sha256};

use super::super::{
    call::{Cache, Call},
    problem::{self, Problem},
    routes::Answered,
};

/// Each by its path.
const ASSETS: [(&str, &[u8]); 13] = [
    ("/assets/style.css", include_bytes!("style.css")),
    ("/assets/icon.svg", include_bytes!("icon.svg")),
    ("/assets/game.js", include_bytes!("game.js")),
    ("/assets/check.js", include_bytes!("check.js")),
    ("/assets/keep.js", include_bytes!("keep.js")),
    ("/assets/clock.js", include_bytes!("clock.js")),
    ("/assets/desk.js", include_bytes!("desk.js")),
    ("/assets/device.js", include_bytes!("device.js")),
    ("/assets/entry.js", include_bytes!("entry.js")),
    ("/assets/score.js", include_bytes!("score.js")),
    ("/assets/sync.js", include_bytes!("sync.js")),
    ("/assets/ui.js", include_bytes!("ui.js")),
    ("/assets/live.js", include_bytes!("live.js")),
];

/// Gives the one that the path names.
pub(crate) async fn asset(call: Call) -> Answered {
    let found = ASSETS.iter().find(|(path, _)| *path == call.route.path);
    let (_, bytes) = found.ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let state = hex(&Sha256::digest(bytes)[..8]);
    Ok(call.tagged(call.shared(*bytes), Cache::Revalidate, format_args!("{state}")))
}
