//! The same game in every form: one verdict, one id, and nothing lost but what is said to be.

use std::{collections::BTreeSet, path::PathBuf};

use quipu_notation::{
    games::{FOREIGN, Unwritable, brandubh::MoveText},
    record::{
        Dropped, Format, Outcome, Record, Spanned, Tag,
        write::{FileFormat, Omitted, OutputFormat},
    },
};
use quipu_referee::{Lang, Referee, Verdict, games, report, verify};
use quipu_tests_core::{bytes, each_chunk, each_chunk_in, fixture};

/// The files of records of a game.
fn files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(fixture(folder)).expect("every game has fixtures");
    let paths = entries.map(|entry| entry.expect("it is listed").path());
    let records = paths.filter(|path| path.extension().is_some_and(|ending| ending == "quipu"));
    let name = |path: PathBuf| path.file_name().expect("it is a file").to_string_lossy().into_owned();
    records.map(|path| format!("{folder}/{}", name(path))).collect()
}

/// Runs `check` with every record of the fixtures that can be read.
fn each_record(mut check: impl FnMut(&dyn Referee, &Record<'_>)) {
    let mut count = 0;
    for game in games::ALL {
        for file in files(game.notation().id) {
            each_chunk(bytes(&file).as_slice(), |chunk| {
                for record in chunk.records().flatten() {
                    check(*game, &record);
                    count += 1;
                }
            });
        }
    }
    assert!(count > 100, "there are fixtures: {count}");
}

/// Reads the one record of a text, whose form is found to be this.
#[track_caller]
fn read(form: Format, text: &str, mut check: impl FnMut(&Record<'_>)) {
    let mut count = 0;
    each_chunk(text.as_bytes(), |chunk| {
        assert_eq!(chunk.format(), form, "{text}");
        for record in chunk.records() {
            check(&record.unwrap_or_else(|error| panic!("{error:?} in {text}")));
            count += 1;
        }
    });
    assert_eq!(count, 1, "{text}");
}

/// The published report of a verdict, and its pairs of code and ply. Numbers are written again, and right.
fn published(verdict: &Verdict) -> (serde_json::Value, BTreeSet<(&'static str, Option<u64>)>) {
    let mut report = serde_json::to_value(report::verdict(verdict, 1, Lang::En)).expect("it is a tree");
    report["diagnostics"] = serde_json::Value::Null;
    let found = verdict.diagnostics.iter().map(|diagnostic| (diagnostic.code().id, diagnostic.ply));
    (report, found.filter(|(code, _)| *code != "record.number").collect())
}

/// A record without what CSV cannot hold.
fn bare<'a>(record: &Record<'a>) -> Record<'a> {
    let mut bare = record.clone();
    bare.movetext.comments.clear();
    bare.movetext.plies.iter_mut().for_each(|ply| ply.notes = None);
    bare
}

/// A record whose tokens claim no captures.
fn without_captures<'a>(record: &Record<'a>) -> Record<'a> {
    let mut bare = record.clone();
    for ply in &mut bare.movetext.plies {
        if let Some((moved, _)) = ply.token.split_once('x').filter(|(moved, _)| !moved.is_empty()) {
            ply.token = moved.to_owned().into();
        }
    }
    bare
}

#[test]
fn every_form_says_the_same() {
    each_record(|game, record| {
        let expected = published(&verify::record(record));
        for layout in OutputFormat::ALL {
            let (text, omitted) = layout.write(record);
            let kept = if layout == OutputFormat::Csv { bare(record) } else { record.clone() };
            assert_eq!(omitted == Omitted::default(), kept == *record || layout != OutputFormat::Csv);
            read(layout.input_format(), &text, |again| {
                assert_eq!(published(&verify::record(again)), expected, "{text}");
                assert_eq!(game.canonical(again), game.canonical(&kept), "{text}");
            });
        }
    });
}

/// A record in the format of another program, read from there again, is the same record but for the parts that are reported, and
/// has the same verdict.
#[test]
fn formats_of_other_programs_say_the_same() {
    let mut refused = BTreeSet::new();
    each_record(|game, record| {
        let record = game.normalized(record);
        for format in FOREIGN {
            let (mut expected, mut codes) = published(&verify::record(&record));
            let name = format.format.as_str();
            let (text, lost) = match format.written(&record) {
                Ok(written) => written,
                Err(Unwritable::Token(index)) => {
                    let token = &record.movetext.plies[index].token;
                    assert_eq!(expected["status"], "rejected", "{name}: {token}");
                    refused.insert((name, token.clone().into_owned()));
                    continue;
                }
                Err(reason) => {
                    assert_ne!(record.value("Game"), Some(format.game));
                    assert_eq!(reason, Unwritable::Game);
                    continue;
                }
            };
            let lost: Vec<_> = lost.into_iter().map(|Dropped { what, .. }| what).collect();
            // Captures that are left out are no claims. A legal move has the same without them.
            if lost.iter().any(|part| part.starts_with('x')) {
                let (bare, bare_codes) = published(&verify::record(&without_captures(&record)));
                assert!(
                    expected["status"] == "rejected" || (&bare, &bare_codes) == (&expected, &codes),
                    "{name}: {text}"
                );
                (expected, codes) = (bare, bare_codes);
            }
            let has_clocks = !lost.iter().any(|part| part.starts_with("[%clk "));
            let of_clocks = |code: &str| code == "record.clock" || code == "record.flag";
            let mut count = 0;
            each_chunk_in(Some(format.format), text.as_bytes(), |chunk| {
                for again in chunk.records() {
                    let again = again.unwrap_or_else(|error| panic!("{error:?} in {text}"));
                    let again = game.normalized(&again);
                    count += 1;
                    let (mut found, found_codes) = published(&verify::record(&again));
                    if !lost.is_empty() {
                        found["id"] = expected["id"].clone();
                    }
                    let judged = |codes: &BTreeSet<(&'static str, Option<u64>)>| -> BTreeSet<_> {
                        codes.iter().filter(|(code, _)| has_clocks || !of_clocks(code)).copied().collect()
                    };
                    assert_eq!(judged(&found_codes), judged(&codes), "{name}: {lost:?} {text}");
                    if has_clocks || !codes.iter().any(|(code, _)| of_clocks(code)) {
                        assert_eq!(found, expected, "{name}: {lost:?} {text}");
                    }
                    assert_eq!(again.dropped, [], "{text}");
                    for tag in again.tags.iter().filter(|tag| tag.name != "Rules" || tag.value != "base") {
                        assert_eq!(record.value(&tag.name), Some(&*tag.value), "{name}: nothing is added: {text}");
                    }
                    for tag in &record.tags {
                        let is_kept = again.value(&tag.name) == Some(&*tag.value);
                        let is_told = lost.iter().any(|part| part.starts_with(&format!("[{} ", tag.name)));
                        assert!(is_kept || is_told || tag.value == "base", "{name}: {} {lost:?}", tag.name);
                    }
                    if lost.is_empty() {
                        let lines = |record| game.canonical(record).replace("} {", "\n");
                        assert_eq!(lines(&again), lines(&record), "{name}");
                    }
                    assert_eq!(format.written(&again).map(|(text, _)| text), Ok(text.clone()), "{name}");
                }
            });
            assert_eq!(count, 1, "{text}");
            read(format.format, &text, |_| {});
        }
    });
    // A replay of OpenTafl has tokens that begin with a letter, and PGN squares. The third format spells all of these.
    for (name, token) in &refused {
        let is_spelled = match *name {
            "otg" => token.starts_with(|c: char| c.is_ascii_alphabetic()) && !token.contains(['x', '!', '?']),
            "pgn" => MoveText::parse(token).is_ok_and(|text| !text.king),
            _ => true,
        };
        assert!(!is_spelled, "{name}: {token}");
    }
}

/// With canonical tokens all forms are canonical, and have the id of the record.
#[test]
fn normalized_records_are_the_same_records() {
    each_record(|game, record| {
        let normalized = game.normalized(record);
        let expected = verify::record(record);
        assert_eq!(published(&verify::record(&normalized)), published(&expected));
        assert_eq!(game.normalized(&normalized), normalized);
        assert_eq!(OutputFormat::Quipu.write(&normalized).0, game.canonical(record));
        let legal = usize::try_from(expected.plies.expect("it was replayed")).expect("it is small");
        let untouched = |record: &Record<'_>| {
            record.movetext.plies[legal..].iter().map(|ply| ply.token.clone().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(untouched(&normalized), untouched(record));
    });
}

/// All formats express the same result of a record.
#[test]
fn results_in_every_form() {
    let tags = [None, Some("1-0"), Some("0-1"), Some("1/2-1/2"), Some("*"), Some("won"), Some(""), Some(" 1-0")];
    let tokens = [None, Some("1-0"), Some("0-1"), Some("1/2-1/2"), Some("*")];
    let text = "[Game \"andes\"]\n[Event \"x, \\\"y\\\"; z,\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n";
    for (tag, token) in tags.iter().flat_map(|tag| tokens.map(|token| (tag, token))) {
        each_chunk(text.as_bytes(), |chunk| {
            let mut record = chunk.records().next().expect("a record").expect("it can be read");
            record.tags.extend(tag.map(|value| Tag { name: "Result".into(), value: value.into(), span: record.span }));
            record.result = token.and_then(Outcome::parse).map(|value| Spanned { value, span: record.span });
            let expected = OutputFormat::Quipu.write(&record).0;
            for layout in OutputFormat::ALL {
                let text = layout.write(&record).0;
                read(layout.input_format(), &text, |again| {
                    assert_eq!(OutputFormat::Quipu.write(again).0, expected, "{text}");
                    assert_eq!(published(&verify::record(again)), published(&verify::record(&record)), "{text}");
                });
            }
        });
    }
}

/// All records of a file, written one after another, are read as so many.
#[test]
fn records_follow_one_another() {
    for layout in OutputFormat::ALL {
        let (mut text, mut expected) = (String::new(), Vec::new());
        each_record(|game, record| {
            text += &layout.write(record).0;
            expected.push(game.canonical(&if layout == OutputFormat::Csv { bare(record) } else { record.clone() }));
        });
        let mut found = Vec::new();
        each_chunk_in(Some(layout.input_format()), text.as_bytes(), |chunk| {
            for record in chunk.records() {
                let record = record.unwrap_or_else(|error| panic!("{error:?} in {:?}", chunk.text()));
                // Records without a game, or of one that is not known, are among them.
                let game = record.value("Game").and_then(games::find).unwrap_or(games::ALL[0]);
                found.push(game.canonical(&record));
            }
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn layouts_have_names() {
    for layout in OutputFormat::ALL {
        assert_eq!(OutputFormat::parse(layout.as_str()), Some(layout));
        assert_eq!(Format::parse(layout.as_str()), Some(layout.input_format()));
    }
    assert_eq!(OutputFormat::parse("otg"), None);
    for format in FileFormat::all() {
        assert_eq!(FileFormat::parse(format.as_str()), Some(format));
    }
}

#[test]
fn records_are_written_so() {
    let text = "[Game \"andes\"]\n[Rules \"base\"]\n[Event \"Copa\"]\n[Luna \"Mamani, Luis\"]\n[Sol \"Ana\"]\n[Result \"1-0\"]\n\n\
                {a} 0d3! {[%clk 0:11:55.120] b} ;c }\n 2A3 (0D0 {x} $7 (1-0)) {[%clk 0:11:50]} 2a3 1-0";
    each_chunk(text.as_bytes(), |chunk| {
        let record = chunk.records().next().expect("a record").expect("it can be read");
        assert_eq!(
            OutputFormat::Ndjson.write(&record).0,
            concat!(
                r#"{"game":"andes","tags":{"Event":"Copa","Sol":"Ana","Luna":"Mamani, Luis"},"comments":["a"],"moves":["#,
                r#"{"move":"0d3","clock_ms":715120,"comment":["b","c }"],"nags":[1]},"#,
                r#"{"move":"2A3","clock_ms":710000,"variations":[{"moves":["#,
                r#"{"move":"0D0","comment":"x","nags":[7],"variations":[{"moves":[{"move":"1-0"}]}]}]}]},"#,
                r#"{"move":"2a3"}],"result":"1-0"}"#,
                "\n"
            )
        );
        let (csv, omitted) = OutputFormat::Csv.write(&record);
        assert_eq!(
            csv,
            "#Game: andes\n#Event: Copa\n#Sol: Ana\n\"#Luna: Mamani, Luis\"\n#Result: 1-0\n\
             n,sol,sol_clock,luna,luna_clock\n1,0d3,'0:11:55.120,2A3,'0:11:50.000\n2,2a3,,,\n"
        );
        assert_eq!(omitted, Omitted { comments: 4, annotations: 2, variations: 2 });
    });
    each_chunk("[First \"sur\"]\n[Game \"pastores\"]\n\nPE1 PA1 0-1".as_bytes(), |chunk| {
        let record = chunk.records().next().expect("a record").expect("it can be read");
        assert_eq!(OutputFormat::Csv.write(&record).0, "#Game: pastores\n#First: sur\nn,sur,norte\n1,PE1,PA1\n,0-1\n");
        let json = "{\n  \"game\": \"pastores\",\n  \"tags\": {\n    \"Result\": null\n  },\n  \"first\": \"sur\",\n  \"moves\": [\n    \
                    {\n      \"move\": \"PE1\"\n    },\n    {\n      \"move\": \"PA1\"\n    }\n  ],\n  \"result\": \"0-1\"\n}\n";
        assert_eq!(OutputFormat::Json.write(&record).0, json);
    });
}
