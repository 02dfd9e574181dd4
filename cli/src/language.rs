//! The language of messages: `--lang`, `QUIPU_LANG`, the settings file, the locale, in this order of precedence.

use std::env;

use quipu_referee::Lang;

/// The variable for the language of messages.
pub(crate) const VARIABLE: &str = "QUIPU_LANG";

/// Languages of the locale whose readers get Spanish, because they are spoken in Spanish-speaking countries: Aymara,
/// Asturian, Catalan, Basque, Galician, Guarani, Mapudungun, Nahuatl, Portuguese, Quechua.
const BESIDE_SPANISH: [&str; 11] = ["arn", "ast", "ay", "ca", "eu", "gl", "gn", "nah", "pt", "qu", "quz"];

/// The value of a variable, unless it is empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The language of `QUIPU_LANG`.
///
/// # Errors
/// The value, if it is not the tag of a language of quipu.
pub(crate) fn of_variable() -> Result<Option<Lang>, String> {
    variable(VARIABLE).map(|tag| Lang::parse(&tag).ok_or(tag)).transpose()
}

/// The language of the locale. `LANGUAGE` lists languages by preference, and counts only if a locale is set, as in other
/// programs.
pub(crate) fn of_locale() -> Lang {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    let locale = locale.filter(|locale| !matches!(locale.split('.').next(), Some("C" | "POSIX")));
    let Some(locale) = locale else { return Lang::En };
    let listed = variable("LANGUAGE").unwrap_or_default();
    let known = listed.split(':').find_map(Lang::parse);
    known.unwrap_or_else(|| closest(&locale))
}

/// The language of quipu that readers of a language likely know.
fn closest(tag: &str) -> Lang {
    let primary = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    let beside = if BESIDE_SPANISH.contains(&primary.as_str()) { Lang::Es } else { Lang::En };
    Lang::parse(tag).unwrap_or(beside)
}
