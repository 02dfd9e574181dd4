//! Parts of both pages, and the messages of their script.

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::super::frame::{Page, View};

/// The path of the page on which games are begun. The pages that the service worker keeps begin with it.
pub(crate) const PATH: &str = "/keep";
pub(crate) const DESK: &str = "/keep/desk";
pub(super) const MANIFEST: &str = "/keep/manifest.webmanifest";
const SCRIPTS: &[&str] = &["/assets/keep.js"];

/// Keys of the messages of the script. It fills the `{placeholders}`.
const MESSAGES: [&str; 65] = [
    "keep.again",
    "keep.against",
    "keep.all",
    "keep.behind",
    "keep.board-offline",
    "keep.choose",
    "keep.clear",
    "keep.clocks-unread",
    "keep.closed",
    "keep.confirm-close",
    "keep.confirm-remove",
    "keep.conflict",
    "keep.conflict-mine",
    "keep.conflict-theirs",
    "keep.continue",
    "keep.device-full",
    "keep.device-none-kept",
    "keep.device-only",
    "keep.disputed",
    "keep.drawn",
    "keep.ended",
    "keep.enter-disputed",
    "keep.faulty",
    "keep.finished",
    "keep.finished-elsewhere",
    "keep.flag",
    "keep.gone",
    "keep.group-board",
    "keep.group-draw",
    "keep.group-other",
    "keep.group-resignation",
    "keep.group-time",
    "keep.left",
    "keep.mark-disputed",
    "keep.no-board",
    "keep.no-game",
    "keep.no-move",
    "keep.not-stored",
    "keep.notation",
    "keep.offline",
    "keep.open-record",
    "keep.over",
    "keep.pause",
    "keep.ply",
    "keep.points",
    "keep.refused",
    "keep.remove",
    "keep.reopen-live",
    "keep.saved",
    "keep.saving",
    "keep.slept",
    "keep.slept-count",
    "keep.start",
    "keep.store-refused",
    "keep.to-move",
    "keep.token-kept",
    "keep.token-missing",
    "keep.token-refused",
    "keep.token-wrong",
    "keep.too-many",
    "keep.undo",
    "keep.undo-to",
    "keep.unjudged",
    "keep.was-undone",
    "keep.wins",
];

pub(crate) fn whole(view: &View, title: &str, body: Markup) -> String {
    let manifest = Some(view.href(MANIFEST, &[]));
    view.write(&Page { scripts: SCRIPTS, manifest, ..Page::new(title, PATH, body) })
}

/// The choice of the leg of an encounter.
pub(super) fn leg(view: &View, id: &str) -> Markup {
    html! {
        div {
            label for=(id) { (view.say("keep.leg")) }
            select id=(id) data-tag="Leg" {
                option value="" { (view.say("keep.leg-none")) }
                @for leg in ["1", "2"] { option value=(leg) { (leg) } }
            }
        }
    }
}

/// The messages of the script as a JSON object.
pub(crate) fn messages(view: &View) -> String {
    let one = |key: &&str| (key["keep.".len()..].to_owned(), Value::from(view.say(key)));
    let suggested = ("suggested".to_owned(), Value::from(view.word("suggestions")));
    Value::Object(MESSAGES.iter().map(one).chain([suggested]).collect::<Map<_, _>>()).to_string()
}
