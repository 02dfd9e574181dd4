//! Prose: how sentences open, the terms of `docs/style.md`, and the names of files.
//!
//! Places where a rule is still broken are counted in [`KNOWN`]: a folder with more of them fails.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use quipu_tests_core::{
    contract::{document, nothing},
    prose::{files, has_phrase, is_spanish, opens_with, sentences, split},
};
use toml::{Table, Value};

/// Rules with how often a folder may still break them.
const KNOWN: &[(Rule, &str, usize)] = &[];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// A sentence of a comment or a page opens with a free relative clause.
    Opening,
    /// So does a text of a catalogue.
    MessageOpening,
    /// A term that the style sheet replaces by another.
    Term,
    /// One name of a label with different translations.
    Label,
    /// A file that is not named after its contents.
    FileName,
}

/// The folder that a file is counted in: its own, or the one two levels below the root; `.` for files at the root.
fn folder(file: &str) -> &str {
    let end = file.match_indices('/').map(|(at, _)| at).take(2).last();
    end.map_or(".", |end| &file[..end])
}

/// Fails with the places of each folder that has more of them than are known.
#[track_caller]
fn check(rule: Rule, found: impl IntoIterator<Item = (String, String)>) {
    let mut by_folder: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, place) in found {
        by_folder.entry(folder(&file).to_owned()).or_default().push(format!("{file}:{place}"));
    }
    let known = |folder: &str| {
        KNOWN.iter().find(|(of, known, _)| *of == rule && *known == folder).map_or(0, |(_, _, count)| *count)
    };
    let counts: Vec<_> = by_folder.iter().map(|(folder, places)| (folder.clone(), places.len())).collect();
    by_folder.retain(|folder, places| places.len() > known(folder));
    assert!(by_folder.is_empty(), "{rule:?}: {by_folder:#?}\nin all: {counts:?}");
}

const OPENERS: [&str; 6] = ["what", "who", "whoever", "whether", "whose", "whatever"];
const SPANISH_OPENERS: [&str; 3] = ["lo que", "quien", "quienes"];

#[test]
fn sentences_open_with_their_subject() {
    let all = sentences();
    assert!(all.len() > 10_000, "the files are read: {}", all.len());
    let opens = all.iter().filter(|sentence| {
        let openers: &[&str] = if is_spanish(&sentence.file) { &SPANISH_OPENERS } else { &OPENERS };
        opens_with(&sentence.text, sentence.first, openers)
    });
    check(Rule::Opening, opens.map(|found| (found.file.clone(), format!("{}: {}", found.line, found.text))));
}

/// Openings of comments that hide the subject: "How long it may take" is "Time limit".
const COMMENT_OPENERS: [&str; 2] = ["how", "where"];

#[test]
fn comments_open_with_their_subject() {
    let opens = sentences().into_iter().filter(|sentence| {
        let is_page = Path::new(&sentence.file).extension().is_some_and(|extension| extension == "md");
        !is_page && sentence.first && opens_with(&sentence.text, true, &COMMENT_OPENERS)
    });
    check(Rule::Opening, opens.map(|found| (found.file, format!("{}: {}", found.line, found.text))));
}

#[test]
fn names_of_functions_open_with_their_subject() {
    let opens =
        |name: &str| OPENERS.iter().any(|opener| name.strip_prefix(opener).is_some_and(|rest| rest.starts_with('_')));
    let mut found = Vec::new();
    for file in files().into_iter().filter(|file| Path::new(file).extension().is_some_and(|ending| ending == "rs")) {
        for (number, line) in (1..).zip(document(&file).lines()) {
            let Some((_, name)) = line.split_once("fn ").filter(|(_, name)| opens(name)) else { continue };
            found.push((file.clone(), format!("{number}: {name}")));
        }
    }
    check(Rule::Opening, found);
}

/// One text of a catalogue.
struct Text {
    file: String,
    key: String,
    es: String,
    en: String,
}

/// The texts of all catalogues: tables with `es` and `en` and nothing else.
fn texts() -> Vec<Text> {
    fn walk(file: &str, key: &str, table: &Table, all: &mut Vec<Text>) {
        if let (2, Some(Value::String(es)), Some(Value::String(en))) = (table.len(), table.get("es"), table.get("en")) {
            all.push(Text { file: file.to_owned(), key: key.to_owned(), es: es.clone(), en: en.clone() });
            return;
        }
        for (name, value) in table {
            let Value::Table(table) = value else { continue };
            walk(file, [key, name].join(".").trim_start_matches('.'), table, all);
        }
    }
    let mut all = Vec::new();
    for file in files() {
        if Path::new(&file).extension().is_some_and(|ending| ending == "toml") {
            let table = document(&file).parse::<Table>().unwrap_or_else(|error| panic!("{file}: {error}"));
            walk(&file, "", &table, &mut all);
        }
    }
    assert!(all.len() > 2_000, "the catalogues are read: {}", all.len());
    all
}

#[test]
fn messages_open_with_their_subject() {
    let opens = |text: &str, openers: &[&str]| {
        let lines = text.lines().flat_map(|line| split(line).into_iter().enumerate());
        lines.filter(|(at, sentence)| opens_with(sentence, *at == 0, openers)).map(|(_, found)| found.to_owned()).next()
    };
    let found = texts().into_iter().filter_map(|text| {
        let found = opens(&text.en, &OPENERS).or_else(|| opens(&text.es, &SPANISH_OPENERS))?;
        Some((text.file, format!(" {}: {found}", text.key)))
    });
    check(Rule::MessageOpening, found);
}

/// Terms in backticks of the column "not" under a heading of the style sheet, with the term that replaces each.
fn replaced(heading: &str) -> Vec<(String, String)> {
    let sheet = document("docs/style.md");
    let (_, section) = sheet.split_once(heading).unwrap_or_else(|| panic!("docs/style.md has no {heading}"));
    let rows = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let rows = rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>());
    let rows = rows.filter(|row| !row[0].starts_with("---"));
    let mut rows = rows.inspect(|row| assert!(row.len() >= 2, "concept, term, not: {row:?}"));
    assert_eq!(rows.next().expect("a head"), ["concept", "term", "not"]);
    let terms = rows.flat_map(|row| {
        let not = row.get(2).copied().unwrap_or_default();
        not.split('`').skip(1).step_by(2).map(|not| (not.to_owned(), row[1].to_owned())).collect::<Vec<_>>()
    });
    let terms: Vec<_> = terms.collect();
    assert!(!terms.is_empty(), "docs/style.md: {heading} has terms in backticks");
    terms
}

#[test]
fn terms_are_those_of_the_style_sheet() {
    let [spanish, english] = ["## Spanish terms\n", "## English terms\n"].map(replaced);
    let broken = |text: &str, terms: &[(String, String)]| {
        let (not, term) = terms.iter().find(|(not, _)| has_phrase(text, not))?;
        Some(format!("“{not}”, which is “{term}”: {text}"))
    };
    let mut found = Vec::new();
    for text in texts() {
        let places = [broken(&text.es, &spanish), broken(&text.en, &english)];
        found.extend(places.into_iter().flatten().map(|place| (text.file.clone(), format!(" {}: {place}", text.key))));
    }
    for sentence in sentences().into_iter().filter(|sentence| is_spanish(&sentence.file)) {
        if let Some(place) = broken(&sentence.text, &spanish) {
            found.push((sentence.file, format!("{}: {place}", sentence.line)));
        }
    }
    check(Rule::Term, found);
}

/// Labels of one name that mean different things in English too.
const HOMONYMS: [&str; 7] = [
    // more of a list, or one picture more
    "next", // a command, or a state of an encounter
    "open", // games, or an encounter
    "won",  // the rules that are played by, or one match
    "game",
    // of a game, which is feminine in Spanish, or of a record, which is masculine
    "corrected",
    "retracted",
    // one piece of it, or all of it
    "advice",
];

/// A label is a text of at most three words. Labels of the same name with the same English text have the same Spanish
/// text in all catalogues, except that one may be cut short with a full stop.
#[test]
fn a_label_has_one_translation() {
    let plain = |text: &str| text.to_lowercase().trim_end_matches(':').trim().to_owned();
    let mut labels: BTreeMap<(String, String), BTreeMap<String, (String, String)>> = BTreeMap::new();
    for Text { file, key, es, en } in texts() {
        let name = key.rsplit('.').next().unwrap_or_default().to_owned();
        let is_key_of_a_keyboard = key.starts_with("view.name.");
        let is_label = en.split_whitespace().count() <= 3 && !es.ends_with('.');
        if is_label && !is_key_of_a_keyboard && !HOMONYMS.contains(&&*name) {
            labels.entry((name, plain(&en))).or_default().insert(plain(&es), (file, key));
        }
    }
    let several = labels.into_iter().filter(|(_, translations)| translations.len() > 1);
    let found = several.map(|((_, en), translations)| {
        let (file, _) = translations.values().next().expect("there are several").clone();
        let all: BTreeSet<_> = translations.iter().map(|(es, (_, key))| format!("{key} = {es}")).collect();
        (file, format!(" {en}: {all:?}"))
    });
    check(Rule::Label, found);
}

/// Names that say nothing of what a file contains, which a reader who searches for the usual term does not find.
const IDIOMS: [&str; 30] = [
    "again", "alike", "answers", "asked", "chance", "choices", "coding", "dice", "doors", "eventful", "found", "held",
    "judges", "kept", "later", "law", "made", "naive", "observe", "once", "one", "pieces", "plain", "pulse", "ready",
    "said", "served", "shown", "thrown", "told",
];

#[test]
fn files_are_named_after_their_contents() {
    let sources = ["rs", "sql", "js", "css", "py"];
    let named = files().into_iter().filter(|file| {
        let path = Path::new(file);
        let ending = path.extension().map_or("", |ending| ending.to_str().unwrap_or_default());
        let stem = path.file_stem().map_or("", |stem| stem.to_str().unwrap_or_default());
        (sources.contains(&ending) || ending.is_empty()) && IDIOMS.contains(&stem)
    });
    check(Rule::FileName, named.map(|file| (file, String::new())));
}

#[test]
fn known_places_name_folders_that_are_there() {
    let folders: BTreeSet<_> = files().iter().map(|file| folder(file).to_owned()).collect();
    nothing(
        KNOWN.iter().filter(|(_, known, count)| *count == 0 || !folders.contains(*known)),
        "known places of nothing",
    );
}
