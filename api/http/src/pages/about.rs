//! Data about a page for search engines and for messengers that show a shared link: description, address and picture.

use super::frame::View;

/// The descriptions of the places in the main navigation, by their paths.
const DESCRIPTIONS: [(&str, &str); 8] = [
    ("/records", "about.records"),
    ("/live", "live.lead"),
    ("/players", "about.players"),
    ("/rankings", "about.rankings"),
    ("/events", "about.events"),
    ("/rules", "rules.lead"),
    ("/check", "check.lead"),
    ("/keep", "keep.lead"),
];

/// Data about a page.
pub(super) struct About {
    /// The content in one line.
    pub(super) description: String,
    /// The path of the page without the state of its controls.
    pub(super) address: String,
    /// The path of a PNG.
    pub(super) picture: Option<String>,
}

impl About {
    /// A page without a picture, at the path of the view.
    pub(super) fn new(view: &View, description: impl Into<String>) -> Self {
        Self { description: description.into(), address: view.own_path(), picture: None }
    }

    /// A page that says no more about itself than its place in the main navigation; none for a page without a place.
    pub(super) fn of_place(view: &View, place: &str) -> Option<Self> {
        let (_, key) = DESCRIPTIONS.iter().find(|(path, _)| *path == place)?;
        Some(Self::new(view, view.say(key)))
    }
}
