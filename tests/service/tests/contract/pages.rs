//! The words of pages and of pictures: each is there, is said, and has its placeholders filled.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use quipu_referee::messages::Text;
use quipu_tests_service::root;

use quipu_tests_service::contract::{nothing, placeholders, sources};

/// Folders with words of their own.
const FOLDERS: [&str; 2] = ["api/http/src/pages", "api/pictures/src"];

/// The sources of a folder, and its words by their keys.
fn of(folder: &str) -> (String, BTreeMap<String, Text>) {
    let folder = root().join(folder);
    let words = fs::read_to_string(folder.join("messages.toml")).expect("it is there");
    (sources(&folder), toml::from_str(&words).expect("each key has its two languages and nothing else"))
}

/// The texts between `before` and the next double quote.
fn quoted_after<'s>(source: &'s str, before: &str) -> Vec<&'s str> {
    source.split(before).skip(1).map(|rest| rest.split_once('"').expect("quotes come in pairs").0).collect()
}

#[test]
fn every_word_is_there_and_is_said() {
    for (source, words) in FOLDERS.map(of) {
        let asked = ["say(\"", "fill(\""].iter().flat_map(|call| quoted_after(&source, call));
        nothing(asked.filter(|key| !words.contains_key(*key)), "without words");
        nothing(words.keys().filter(|key| !source.contains(&format!("\"{key}\""))), "words that are never said");
        for (key, text) in &words {
            assert!(!text.es.trim().is_empty() && !text.en.trim().is_empty(), "{key}");
            assert_eq!(placeholders(&text.es), placeholders(&text.en), "{key}");
            let sentence = text.es.split_whitespace().filter(|word| !word.starts_with('{')).count() > 2;
            assert!(!sentence || text.es != text.en, "{key} is the same in both languages");
        }
    }
}

#[test]
fn places_are_filled_where_they_are_asked_for() {
    for (source, words) in FOLDERS.map(of) {
        for key in quoted_after(&source, "say(\"") {
            assert!(
                words.get(key).is_none_or(|text| placeholders(&text.es).is_empty()),
                "{key} is said and has placeholders to fill"
            );
        }
        for call in source.split("fill(\"").skip(1) {
            let (key, rest) = call.split_once('"').expect("quotes come in pairs");
            let (values, _) = rest.split_once("])").expect("a list of values");
            let names = values.split("(\"").filter_map(|value| value.split_once("\", "));
            let given: BTreeSet<_> = names.map(|(name, _)| name).collect();
            assert_eq!(given, placeholders(&words[key].es), "{key}");
        }
    }
}
