//! The values of a user's settings file, for every command.

use quipu_options::look::Theme;
use quipu_referee::Lang;

/// The environment variable with the command of the pager, for this program alone.
pub(crate) const PAGER_VARIABLE: &str = "QUIPU_PAGER";

/// Values of `color`.
pub(crate) const COLORS: [&str; 3] = ["auto", "always", "never"];
/// Values of `lang`.
pub(crate) const LANGUAGES: [&str; 2] = [Lang::Es.as_str(), Lang::En.as_str()];

/// The values of the file.
#[derive(Debug, Default)]
pub(crate) struct UserSettings {
    /// Language of messages.
    pub(crate) lang: Option<Lang>,
    /// Colours, as in `--color`.
    pub(crate) color: Option<String>,
    /// Command of the pager; empty for none.
    pub(crate) pager: Option<String>,
    pub(crate) theme: Option<Theme>,
}

impl UserSettings {
    pub(crate) const DEFAULT: Self = Self { lang: None, color: None, pager: None, theme: None };
}
