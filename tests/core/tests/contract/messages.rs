//! Words: everything that is named anywhere has them, in both languages.

use std::collections::{BTreeMap, BTreeSet};

use quipu_notation::record::FileKind;
use quipu_referee::{
    Fact, Lang, Status, codes,
    competition::{self, Irregularity, State, TieBreak, Tier},
    games,
    messages::{CodeWords, Messages, Text, catalog},
    termination::DECLARED,
};
use quipu_tests_core::{root, text};
use serde_json::Value;

use quipu_tests_core::contract::{nothing, placeholders, sources};

/// All texts of a code with names for them; messages by their variants.
fn texts<'w>(id: &str, words: &'w CodeWords) -> Vec<(String, &'w Text)> {
    let fixed = [("title", &words.title), ("law", &words.law), ("right", &words.right)];
    let messages = words.message.iter().map(|(variant, text)| (format!("{id}: message {variant}"), text));
    fixed.into_iter().map(|(name, text)| (format!("{id}: {name}"), text)).chain(messages).collect()
}

/// All sentences about codes.
fn sentences() -> Vec<(String, &'static Text)> {
    let shared = catalog().shared().map(|(variant, text)| (format!("shared: {variant}"), text));
    catalog().codes().flat_map(|(id, words)| texts(id, words)).chain(shared).collect()
}

#[test]
fn every_code_has_words() {
    nothing(codes::all().filter(|code| catalog().code(code).is_none()).map(|code| code.id), "codes without words");
    nothing(catalog().codes().map(|(id, _)| id).filter(|id| codes::find(id).is_none()), "words for codes that are not");
    // Relations between records are told by the programs that compare them.
    let is_relation = |id: &str| competition::CODES.iter().any(|code| code.id == id);
    let silent = catalog().codes().filter(|(id, words)| words.message.is_empty() != is_relation(id)).map(|(id, _)| id);
    nothing(silent, "codes without a message, or relations with one");
}

#[test]
fn words_of_codes_stand_with_their_game() {
    // A `messages.toml` says nothing about the codes of another.
    for game in games::ALL {
        let prefix = format!("{}.", game.notation().id);
        let Messages { shared, codes, .. } = game.messages();
        let stray = codes.iter().map(|(id, _)| id).filter(|id| !id.starts_with(&prefix));
        nothing(stray, &format!("in the words of {}", game.notation().id));
        assert_eq!((codes.len(), shared.len()), (game.codes().len(), 0), "one table a code, and one of words");
    }
}

/// The catalog would silently take the first of several.
#[test]
fn no_word_is_there_twice() {
    let mut seen = BTreeMap::new();
    let sources = games::ALL.iter().map(|game| (game.notation().id, game.messages()));
    let shared = [
        ("record", &quipu_referee::record::MESSAGES),
        ("advice", &quipu_referee::advice::MESSAGES),
        ("competition", &quipu_referee::competition::MESSAGES),
    ];
    for (owner, messages) in shared.into_iter().chain(sources) {
        assert!(!messages.words.is_empty(), "words of {owner}");
        for (key, _) in messages.words {
            assert_eq!(seen.insert(*key, owner), None, "{key} in {owner}");
        }
    }
}

#[test]
fn both_languages_say_something() {
    let words = catalog().words().map(|(key, text)| (key.to_owned(), text));
    for (name, text) in sentences().into_iter().chain(words) {
        for lang in Lang::ALL {
            let said = text.get(lang);
            assert!(!said.is_empty() && said.trim() == said && !said.contains('\n'), "{name}: {said:?}");
        }
    }
}

#[test]
fn sentences_are_translated() {
    let same = sentences().into_iter().filter(|(_, text)| text.es == text.en);
    nothing(same, "the same in both languages");
}

#[test]
fn sentences_quote_as_their_language_does() {
    let foreign = sentences().into_iter().filter(|(_, text)| text.en.contains(['«', '»']));
    nothing(foreign, "Spanish quotation marks in English");
    let unpaired = |text: &str| {
        ["«»", "“”"].iter().any(|pair| {
            let [open, close] = [0, 1].map(|at| pair.chars().nth(at).expect("a pair"));
            text.matches(open).count() != text.matches(close).count()
        })
    };
    let broken = sentences().into_iter().filter(|(_, text)| unpaired(&text.es) || unpaired(&text.en));
    nothing(broken, "quotation marks that are not in pairs");
}

#[test]
fn messages_and_what_is_right_are_sentences() {
    let sentences = sentences().into_iter().filter(|(name, _)| !name.ends_with(": title"));
    let open = |text: &str| !text.ends_with(['.', '»', '”']);
    nothing(sentences.filter(|(_, text)| open(&text.es) || open(&text.en)), "sentences without their full stop");
}

#[test]
fn placeholders_are_the_same_in_both_languages() {
    let differ = sentences().into_iter().filter(|(_, text)| placeholders(&text.es) != placeholders(&text.en));
    nothing(differ, "other placeholders in Spanish than in English");
    let fixed = catalog().codes().flat_map(|(id, words)| {
        texts(id, words).into_iter().filter(|(name, _)| !name.contains(": message ")).collect::<Vec<_>>()
    });
    nothing(fixed.filter(|(_, text)| !placeholders(&text.es).is_empty()), "placeholders that nothing fills");
}

/// The keys that tables and drawings name.
fn named() -> BTreeSet<&'static str> {
    let mut keys: BTreeSet<_> = DECLARED.iter().map(|end| end.word).chain(Status::ALL.map(Status::word)).collect();
    keys.extend([State::Won(0), State::Tied, State::Open].map(State::word));
    keys.extend(Irregularity::ALL.map(|irregularity| State::Irregular(irregularity).word()));
    keys.extend(Irregularity::ALL.map(Irregularity::word));
    keys.extend(Tier::ALL.map(Tier::word));
    keys.extend(TieBreak::ALL.map(TieBreak::word));
    keys.extend(FileKind::words());
    for game in games::ALL {
        keys.insert(game.name());
        keys.extend(game.ends().iter().map(|end| end.word));
        keys.extend(game.pieces().iter().map(|piece| piece.word.expect("a piece of a legend has a word")));
        for remark in game.remarks() {
            keys.insert(remark.word);
            keys.extend(remark.values.iter().map(|(_, word)| word));
        }
        for line in text(&format!("{}/positions.ndjson", game.notation().id)).lines() {
            let row: Value = serde_json::from_str(line).expect("JSON");
            let board = game.board(row["rules"].as_str(), row["position"].as_str()).expect("a good position");
            let drawing = board.drawing();
            keys.extend(drawing.cells.iter().map(|cell| cell.ground.word));
            keys.extend(drawing.cells.iter().filter_map(|cell| cell.piece.as_ref()?.word));
            keys.extend(drawing.notes.iter().map(|(key, _)| key));
            for (label, values) in &drawing.facts {
                keys.insert(label);
                keys.extend(values.iter().filter_map(|value| match value {
                    Fact::Word(key) => Some(*key),
                    Fact::Text(_) | Fact::Message(_) => None,
                }));
            }
        }
    }
    keys
}

#[test]
fn everything_that_is_named_has_a_word() {
    let words: BTreeSet<_> = catalog().words().map(|(key, _)| key).collect();
    let named = named();
    assert!(named.len() > 20, "the tables are walked: {named:?}");
    nothing(named.difference(&words), "without a word");
}

#[test]
fn every_word_is_used() {
    let sources =
        ["notation/src/record/source", "referee/src", "cli/src"].map(|folder| sources(&root().join(folder))).concat();
    let unused = catalog().words().map(|(key, _)| key).filter(|key| !sources.contains(&format!("\"{key}\"")));
    nothing(unused, "words that no source names");
}

/// A sentence about a position has a value for each of its placeholders, and no other.
#[test]
fn notes_fill_their_placeholders() {
    for game in games::ALL {
        for line in text(&format!("{}/positions.ndjson", game.notation().id)).lines() {
            let row: Value = serde_json::from_str(line).expect("JSON");
            let board = game.board(row["rules"].as_str(), row["position"].as_str()).expect("a good position");
            for note in board.drawing().notes {
                let given: BTreeSet<_> = note.1.iter().map(|(name, _)| *name).collect();
                let (_, words) = catalog().words().find(|(key, _)| *key == note.0).expect("its words");
                assert_eq!(given, placeholders(&words.es), "{}", note.0);
                assert_eq!(placeholders(&words.es), placeholders(&words.en), "{}", note.0);
            }
        }
    }
}
