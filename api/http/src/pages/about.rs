//! Data about a page for search engines and for messengers that show a shared link: description, address and picture.

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

/// The key of the description of a place in the main navigation; none for another path.
pub(super) fn description_key(place: &str) -> Option<&'static str> {
    DESCRIPTIONS.iter().find(|(path, _)| *path == place).map(|(_, key)| *key)
}
