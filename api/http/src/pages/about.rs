//! Data about a page for search engines and for messengers that show a shared link: description, address and picture.

/// Data about a page.
pub(super) struct About {
    /// The content in one line.
    pub(super) description: String,
    /// The path of the page without the state of its controls.
    pub(super) address: String,
    /// The path of a PNG.
    pub(super) picture: Option<String>,
}
