//! Reads the settings file of a user: `settings.toml` in the system's folder for settings.

use std::path::PathBuf;

use etcetera::BaseStrategy;
use quipu_options::look::Theme;
use quipu_referee::Lang;
use toml::de::DeValue;

use crate::{
    context::{CommandError, Context, harmless},
    toml_file::TomlFile,
    user_settings::{COLORS, LANGUAGES, UserSettings},
};

/// Name of the file in the folder `quipu` of the system's folder for settings.
const FILE: &str = "settings.toml";

const KEYS: [&str; 4] = ["lang", "color", "pager", "theme"];

/// Reads the file, if it is there.
///
/// # Errors
/// If it cannot be read, or has an unknown key or value.
pub(crate) fn read(context: Context) -> Result<UserSettings, CommandError> {
    let mut settings = UserSettings::default();
    // An inaccessible folder, such as that of another user, counts as absent.
    let Some(path) = path().filter(|path| path.exists()) else { return Ok(settings) };
    let Some(file) = TomlFile::read(context, &path, true)? else { return Ok(settings) };
    file.each(context, |entry| {
        let text = match entry.value {
            DeValue::String(text) => Some(&**text),
            _ => None,
        };
        let known = match entry.key {
            "lang" => {
                settings.lang = text.and_then(Lang::parse);
                (settings.lang.is_none()).then(|| LANGUAGES.join(", "))
            }
            "color" => {
                settings.color = text.filter(|text| COLORS.contains(text)).map(str::to_owned);
                (settings.color.is_none()).then(|| COLORS.join(", "))
            }
            "theme" => {
                settings.theme = text.and_then(Theme::parse);
                (settings.theme.is_none()).then(|| Theme::ALL.map(Theme::as_str).join(", "))
            }
            "pager" => {
                settings.pager = text.map(str::to_owned);
                (settings.pager.is_none()).then(|| "\"less\"".to_owned())
            }
            key => {
                let (key, known) = (harmless(key), KEYS.join(", "));
                let what = context.fill("config.unknown-key", &[("key", &key), ("known", &known)]);
                return Err(file.fault(entry.at, &what));
            }
        };
        known.map_or(Ok(()), |known| {
            let (found, key) = (harmless(entry.text), entry.key);
            let what = context.fill("usage.choice", &[("argument", &key), ("found", &found), ("known", &known)]);
            Err(file.fault(entry.at, &what))
        })
    })?;
    Ok(settings)
}

fn path() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|folders| folders.config_dir().join("quipu").join(FILE))
}
