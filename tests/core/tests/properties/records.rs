//! Properties of every record: it is written as it is read, in any format, and any bytes can be read.

use std::sync::LazyLock;

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use quipu_differential::targets;
use quipu_notation::{
    Span,
    record::{
        Format, Movetext, Outcome, Record, Spanned,
        write::{self, Omitted, OutputFormat},
    },
};
use quipu_referee::{Lang, games, report, verify};
use quipu_tests_core::{NASTY, NASTY_CSV, NASTY_JSON, bytes, each_chunk_in, verdicts_in};

use super::{
    Start,
    texts::{beside, json_record, parts, scoresheet, tags, token},
};

static LOOSE: LazyLock<Vec<u8>> = LazyLock::new(|| bytes("andes/loose.quipu"));

/// The canonical text, of records without a known game as far as it goes.
fn canonical(record: &Record<'_>) -> String {
    let game = record.value("Game").and_then(games::find);
    game.map_or_else(|| write::as_written(record), |game| game.canonical(record))
}

/// The part of a record that its canonical form keeps, tokens aside if `spelled` is not set.
fn kept<'a>(record: &Record<'a>, spelled: bool) -> Record<'a> {
    let mut kept = Record { span: Span::default(), ..record.clone() };
    kept.tags.retain(|tag| !(tag.name == "Rules" && tag.value == write::BASE_RULES));
    kept.tags.sort_by(|a, b| a.name.cmp(&b.name));
    for tag in &mut kept.tags {
        tag.span = Span::default();
    }
    keep(&mut kept.movetext);
    // They stand in comments, which are compared.
    kept.odd_clocks.clear();
    // Only a foreign text has losses.
    kept.dropped.clear();
    if !spelled {
        kept.movetext.plies.iter_mut().for_each(|ply| ply.token = "".into());
    }
    let result = Outcome::parse(write::result_line(record));
    kept.result = result.map(|value| Spanned { value, span: Span::default() });
    kept
}

fn keep(line: &mut Movetext<'_>) {
    for ply in &mut line.plies {
        ply.span = Span::default();
        ply.number = None;
        if let Some(clock) = &mut ply.clock {
            clock.span = Span::default();
        }
        if let Some(notes) = &mut ply.notes {
            notes.variations.iter_mut().for_each(keep);
        }
    }
}

/// Runs `each` with all records of a text that can be read; says how many there are.
fn each_record(form: Option<Format>, text: &[u8], mut each: impl FnMut(&Record<'_>)) -> usize {
    let mut count = 0;
    each_chunk_in(form, text, |chunk| {
        for record in chunk.records().flatten() {
            each(&record);
            count += 1;
        }
    });
    count
}

/// Writing what was read and reading it again changes nothing, and neither does judging while reading. Says how many records
/// there are.
fn check_stable(form: Option<Format>, text: &[u8]) -> usize {
    targets::judge(form, text);
    each_record(form, text, |record| {
        let record = &restored(record);
        check_form(record, canonical, false);
        check_form(record, write::as_written, true);
        for layout in OutputFormat::ALL {
            check_layout(record, layout);
        }
    })
}

/// The record with changed cells restored, where that can be done. Those that cannot are taken as they are from here on: only
/// a scoresheet has them.
fn restored<'a>(record: &Record<'a>) -> Record<'a> {
    let game = record.value("Game").and_then(games::find);
    let restored = game.map_or_else(|| record.clone(), |game| game.restored(record.clone()).0);
    Record { damaged: Vec::new(), ..restored }
}

/// One form of a record is stable; in it, tokens stand as they were if they are `spelled`.
fn check_form(record: &Record<'_>, form: impl Fn(&Record<'_>) -> String, spelled: bool) {
    let written = form(record);
    let count = each_record(Some(Format::Quipu), written.as_bytes(), |again| {
        assert_eq!(form(again), written);
        assert!(again.dropped.is_empty(), "{written}");
        assert_eq!(kept(again, spelled), kept(record, spelled), "{written}");
        check_verdict(again, record, &written);
    });
    assert_eq!(count, 1, "{written}");
}

/// Checks that the verdict on a record does not depend on its format.
fn check_verdict(again: &Record<'_>, record: &Record<'_>, written: &str) {
    let (mut found, expected) = (verify::record(again), verify::record(record));
    // Places are others, and numbers and results are written where they were missing.
    found.diagnostics.clone_from(&expected.diagnostics);
    found.advice.clone_from(&expected.advice);
    assert_eq!(found, expected, "{written}");
}

/// Written in any form and read from there it is the same record, but for what is said to be left out.
fn check_layout(record: &Record<'_>, layout: OutputFormat) {
    let (written, omitted) = layout.write(record);
    let (mut expected, mut dropped) = (record.clone(), Omitted::default());
    if layout == OutputFormat::Csv {
        leave_out(&mut expected.movetext, &mut dropped);
    }
    assert_eq!(omitted, dropped, "{written}");
    let count = each_record(Some(layout.input_format()), written.as_bytes(), |again| {
        assert_eq!(write::as_written(again), write::as_written(&expected), "{written}");
        assert_eq!(layout.write(again).0, written);
        check_verdict(again, record, &written);
    });
    assert_eq!(count, 1, "{written}");
}

fn leave_out(line: &mut Movetext<'_>, dropped: &mut Omitted) {
    dropped.comments += line.comments.drain(..).len();
    for notes in line.plies.iter_mut().filter_map(|ply| ply.notes.take()) {
        dropped.comments += notes.comments.len();
        dropped.annotations += notes.nags.len();
        dropped.variations += notes.variations.len();
        for mut variation in notes.variations {
            leave_out(&mut variation, dropped);
        }
    }
}

/// A clock counts for the ply before it, also after a variation or the result; of several, the last one.
#[test]
fn the_last_clock_of_a_ply_counts_wherever_it_stands() {
    for between in ["", "()", "(x)", "$1", "{a}", "*", "* ;after }\n"] {
        for (number, clock) in ["", "1. "].into_iter().zip(["0:00:01", "0:00:00"]) {
            let moves = format!("{number}c4-c1 {{[%clk 0:00:01]}} {between} {{[%clk {clock}]}}");
            assert_eq!(check_stable(None, format!("[Game \"brandubh\"]\n\n{moves}\n").as_bytes()), 1, "{moves}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn records_are_written_as_they_are_read(
        start in Start::any(),
        tags in tags(),
        opening in parts(&["{a}", "{b\n c}", ";d}\n", "\n", "{[%clk 0:00:05]}", " "], 4),
        plies in vec((any::<Index>(), any::<bool>(), beside()), 0..12),
        odd in vec((token(), beside()), 0..3),
        result in select(&["1-0", "0-1", "1/2-1/2", "*", "", "1-0 {after}", "* ;after }\n{[%clk 0:00:01]}"][..]),
    ) {
        let choices: Vec<_> = plies.iter().map(|(choice, ..)| *choice).collect();
        let (positions, moves) = start.playout(&choices);
        // A name appears once; a rule set that the tags name may not be the one that the position is of.
        let own = start.tags().replace("[Rules ", if tags.contains("[Rules \"") { "[Other " } else { "[Rules " });
        let mut text = format!("{own}{tags}\n{opening}");
        for ((token, position), (_, respelled, beside)) in moves.into_iter().zip(positions).zip(plies) {
            let respelled = if respelled { start.respelled(&position, &token) } else { None };
            text.extend([" ", &*respelled.unwrap_or(token), " ", &beside]);
        }
        for (token, beside) in odd {
            text.extend([" ", &*token, " ", &beside]);
        }
        text.extend([" ", result]);
        prop_assert_eq!(check_stable(None, text.as_bytes()), 1, "{}", text);
    }

    #[test]
    fn any_bytes_can_be_read(nasty in vec(select(NASTY), 0..60), noise in vec(any::<u8>(), 0..100)) {
        check_stable(None, &nasty.concat());
        check_stable(None, &noise);
        check_stable(None, &[&noise, &nasty.concat()[..]].concat());
    }

    #[test]
    fn objects_are_written_as_they_are_read(object in json_record()) {
        prop_assert_eq!(check_stable(Some(Format::Json), object.as_bytes()), 1, "{}", object);
        let array = format!("[{object},\n {object}]");
        prop_assert_eq!(check_stable(None, array.as_bytes()), 2, "{}", object);
    }

    #[test]
    fn scoresheets_are_written_as_they_are_read(sheet in scoresheet()) {
        prop_assert_eq!(check_stable(Some(Format::Csv), sheet.as_bytes()), 1, "{}", sheet);
    }

    #[test]
    fn any_bytes_can_be_read_in_json(nasty in vec(select(NASTY_JSON), 0..60), noise in vec(any::<u8>(), 0..100)) {
        check_stable(Some(Format::Json), &nasty.concat());
        check_stable(Some(Format::Json), &noise);
        check_stable(Some(Format::Json), &[b"{", &nasty.join(&b","[..])[..], b"}"].concat());
    }

    #[test]
    fn any_bytes_can_be_read_in_scoresheets(nasty in vec(select(NASTY_CSV), 0..60), noise in vec(any::<u8>(), 0..100)) {
        check_stable(Some(Format::Csv), &nasty.concat());
        check_stable(Some(Format::Csv), &noise);
        check_stable(Some(Format::Csv), &[b"#Game: andes\nn,sol,luna\n", &nasty.concat()[..]].concat());
    }

    #[test]
    fn fixtures_with_something_wrong_can_be_read(changes in vec((any::<Index>(), select(NASTY)), 1..20)) {
        let mut text = LOOSE.clone();
        for (at, part) in changes {
            let at = at.index(text.len());
            text.splice(at..=at, part.iter().copied());
        }
        check_stable(None, &text);
        // The first tag may look like one of a replay of OpenTafl now, which is one record.
        let verdicts = verdicts_in(Some(Format::Quipu), &*text);
        prop_assert!(verdicts.len() >= 10, "the others are read all the same");
        for (index, verdict) in (1..).zip(&verdicts) {
            for lang in Lang::ALL {
                prop_assert_eq!(report::verdict(verdict, index, lang).index, index);
            }
        }
    }
}
