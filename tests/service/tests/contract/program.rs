//! The program's own words and its table of commands.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use quipu_options::settings::SETTINGS;
use quipu_referee::{
    Status,
    messages::{Text, catalog},
};
use quipu_tests_service::{program::commands, root};

use quipu_tests_service::contract::{nothing, placeholders, sources};

/// The words of the program by their keys.
fn words() -> BTreeMap<String, Text> {
    let source = fs::read_to_string(root().join("cli/src/messages.toml")).expect("it is there");
    toml::from_str(&source).expect("each key has its two languages and nothing else")
}

/// The key of the row that a key takes: its own, or that of its ending under `shared`.
fn row_of<'w>(words: &'w BTreeMap<String, Text>, key: &str) -> Option<(&'w String, &'w Text)> {
    let shared = key.match_indices('.').map(|(at, _)| format!("shared{}", &key[at..]));
    [key.to_owned()].into_iter().chain(shared).find_map(|key| words.get_key_value(&key))
}

/// The sources of the program.
fn source() -> String {
    sources(&root().join("cli/src"))
}

/// The texts between `before` and the next double quote.
fn quoted_after<'s>(source: &'s str, before: &str) -> Vec<&'s str> {
    let rest = source.split(before).skip(1);
    rest.map(|rest| rest.split_once('"').expect("quotes come in pairs").0).collect()
}

/// Each command with the names of its arguments, read off the tables themselves; behind one that has commands of its own
/// stand these, with its name before theirs.
fn table() -> Vec<(String, Vec<String>)> {
    // A declaration may be on two lines.
    let source = sources(&root().join("cli/src/commands"));
    let source = source.replace("pub(super) const ", "const ").replace("=\n    argument(", "= argument(");
    rows(&source, "ALL", "")
}

/// The commands of the table that a constant is.
fn rows(source: &str, table: &str, before: &str) -> Vec<(String, Vec<String>)> {
    let declared = source.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("const ")?.split_once(": Argument = argument(\"")?;
        Some((name, rest.split_once('"')?.0))
    });
    let shared: Vec<_> = declared.collect();
    let (_, table) = source.split_once(&format!("const {table}: &[Command]")).expect("the table of commands");
    let (table, _) = table.split_once("];\n").expect("the end of a table");
    let commands = table.split("Command {").skip(1).flat_map(|row| {
        let name = format!("{before} {}", quoted_after(row, "name: \"")[0]).trim().to_owned();
        let of_its_own = quoted_after(row, "argument(\"");
        let taken =
            shared.iter().filter(|(constant, _)| row.split(|c: char| !c.is_alphabetic()).any(|word| word == *constant));
        let arguments = taken.map(|(_, name)| *name).chain(of_its_own).map(str::to_owned).collect();
        let own = row.split_once("Subcommands(").and_then(|(_, rest)| rest.split_once(')'));
        let own = own.map(|(table, _)| rows(source, table, &name)).unwrap_or_default();
        [vec![(name, arguments)], own].concat()
    });
    commands.collect()
}

/// Keys that are made when the program runs.
fn made() -> BTreeSet<String> {
    let commands = table().into_iter().flat_map(|(command, arguments)| {
        let about = ["about", "more"].map(str::to_owned);
        let command = command.replace(' ', ".");
        about.into_iter().chain(arguments).map(move |name| format!("{command}.{name}"))
    });
    // The service takes every setting.
    let settings = ["config", "print-config"].into_iter().chain(SETTINGS.iter().map(|setting| setting.name));
    let commands = commands.chain(settings.map(|name| format!("serve.{name}")));
    commands.chain(Status::ALL.map(|status| format!("verify.{}", status.as_str()))).collect()
}

/// Keys that the sources ask for by name.
fn asked(source: &str) -> BTreeSet<&str> {
    let calls = ["say(\"", "fill(\"", "label(\"", "messages::get(\""];
    let asked = calls.iter().flat_map(|call| quoted_after(source, call));
    // A name without a point is the end of a key that is made.
    asked.filter(|key| key.contains('.') || *key == "error").collect()
}

#[test]
fn the_table_of_commands_is_what_help_lists() {
    let table: Vec<_> = table().into_iter().map(|(name, _)| name).collect();
    assert_eq!(table, commands());
}

#[test]
fn both_languages_say_something() {
    for (key, text) in words() {
        for said in [&text.es, &text.en] {
            assert!(!said.trim().is_empty(), "{key}");
        }
    }
}

#[test]
fn sentences_are_translated() {
    // One word may be the same in both languages; where there are several it is a sentence.
    let same = |(_, text): &(String, Text)| text.es == text.en && text.es.split_whitespace().count() > 2;
    nothing(words().into_iter().filter(same), "the same in both languages");
}

#[test]
fn placeholders_are_the_same_in_both_languages() {
    let differ = |(_, text): &(String, Text)| placeholders(&text.es) != placeholders(&text.en);
    nothing(words().into_iter().filter(differ), "other placeholders in Spanish than in English");
}

/// `fill` is called with a value for each place, and `say` only where there is none.
#[test]
fn places_are_filled_where_they_are_asked_for() {
    let (source, words) = (source(), words());
    for key in ["say(\"", "label(\""].iter().flat_map(|call| quoted_after(&source, call)) {
        let open = row_of(&words, key).filter(|(_, text)| !placeholders(&text.es).is_empty());
        assert_eq!(open, None, "{key} is said and has placeholders to fill");
    }
    for call in source.split("fill(\"").skip(1) {
        let (key, rest) = call.split_once('"').expect("quotes come in pairs");
        let (values, _) = rest.split_once("])").expect("a list of values");
        let names = values.split("(\"").filter_map(|value| value.split_once("\", "));
        let given: BTreeSet<_> = names.map(|(name, _)| name).collect();
        let (_, text) = row_of(&words, key).unwrap_or_else(|| panic!("{key} has no words"));
        assert_eq!(given, placeholders(&text.es), "{key}");
    }
}

#[test]
fn every_key_that_is_asked_for_has_words() {
    let (source, words) = (source(), words());
    let asked = asked(&source).into_iter().map(str::to_owned).chain(made());
    nothing(asked.filter(|key| row_of(&words, key).is_none()), "without words");
    let of_the_games: BTreeSet<_> = catalog().words().map(|(key, _)| key).collect();
    let asked = quoted_after(&source, "word(\"").into_iter();
    nothing(asked.filter(|key| !of_the_games.contains(key)), "without a word of the games");
}

#[test]
fn every_key_is_asked_for() {
    let (source, words) = (source(), words());
    let asked: BTreeSet<_> = asked(&source).into_iter().map(str::to_owned).chain(made()).collect();
    let rows: BTreeSet<_> = asked.iter().filter_map(|key| row_of(&words, key)).map(|(key, _)| key).collect();
    let unused = words.keys().filter(|key| !rows.contains(key) && !source.contains(&format!("\"{key}\"")));
    nothing(unused, "words that are never said");
}

/// A text that several keys of one ending have stands once, under `shared`.
#[test]
fn no_row_is_repeated() {
    let words = words();
    let mut seen = BTreeMap::new();
    let repeated = words.iter().filter_map(|(key, text)| {
        let ending = key.rsplit('.').next().unwrap_or_default();
        seen.insert((ending, &text.es, &text.en), key).map(|first| (first, key))
    });
    nothing(repeated, "the same text twice");
}
