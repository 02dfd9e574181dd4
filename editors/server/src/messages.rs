//! The message catalogue of the language server, in Spanish and in English.

use std::fmt;

use quipu_referee::{Lang, messages::TextCatalog};

static MESSAGES: TextCatalog = TextCatalog::new(include_str!("messages.toml"));

pub(crate) fn say(key: &str, lang: Lang) -> &'static str {
    MESSAGES.say(key, lang)
}

/// A message with its placeholders filled.
pub(crate) fn fill(key: &str, lang: Lang, values: &[(&str, &dyn fmt::Display)]) -> String {
    MESSAGES.fill(key, lang, values)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    /// The texts of the sources of this package.
    fn sources() -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is listed").path());
        let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
        files.map(|path| fs::read_to_string(path).expect("UTF-8")).collect()
    }

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
    }

    #[test]
    fn every_message_is_used_and_has_both_languages() {
        let sources = sources();
        assert!(MESSAGES.texts().len() > 10, "{}", MESSAGES.texts().len());
        for (key, text) in MESSAGES.texts() {
            assert!(sources.contains(&format!("\"{key}\"")), "{key} is not used");
            assert!(!text.es.is_empty() && !text.en.is_empty() && text.es != text.en, "{key}");
            assert_eq!(places(&text.es), places(&text.en), "{key}");
        }
    }

    #[test]
    fn places_are_filled_where_they_are_asked_for() {
        let sources = sources();
        let calls: Vec<_> = sources.split("fill(\"").skip(1).collect();
        assert!(calls.len() > 5, "{}", calls.len());
        for call in calls {
            let (key, rest) = call.split_once('"').expect("quotes come in pairs");
            let Some((_, text)) = MESSAGES.texts().get_key_value(key) else { panic!("{key} has no words") };
            let (values, _) = rest.split_once("])").expect("a list of values");
            let given: BTreeSet<_> =
                values.split("(\"").filter_map(|value| Some(value.split_once("\", ")?.0)).collect();
            assert_eq!(given, places(&text.es), "{key}");
        }
    }
}
