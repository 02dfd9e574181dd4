//! Replays compared with equivalent records, and faults with their spans.

use std::collections::BTreeSet;

use super::{
    super::{NOTATION, sample::with_record},
    scan::OtgFault,
    *,
};
use crate::{
    games::Unwritable,
    record::{
        Chunk,
        write::{Extent, Writer, as_written, result_line},
    },
};

/// The rules of `nielsen`, as `OpenTafl` writes them.
const RULES: &str = "dim:7 surf:n ks:c cenh: cenhe: start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";

/// The replays, equivalent records, and the dropped texts.
macro_rules! samples {
    ($($name:literal: $dropped:expr),* $(,)?) => {
        [$((
            include_str!(concat!("../../../../../fixtures/brandubh/", $name, ".otg")),
            include_str!(concat!("../../../../../fixtures/brandubh/", $name, ".quipu")),
            &$dropped as &[&str],
        )),*]
    };
}

fn samples() -> [(&'static str, &'static str, &'static [&'static str]); 5] {
    samples! {
        "replay": [],
        "replay-resigned": [],
        "replay-clocks": [],
        "replay-king": [],
        "replay-rules": [
            "[notes:Primera parte.\nSegunda parte.]",
            "tfr:l",
            "ks:w",
            "linc:y",
            "Sobra este comentario.",
            "9a.1.1a. d1-e1\n[Aquí no hay jugada que reemplazar.]",
        ],
    }
}

/// The canonical form, as far as notation alone can write it.
fn written(record: &Record<'_>) -> String {
    let mut writer = Writer::new(String::new(), Extent::Full);
    writer.head(record, Some(&NOTATION)).unwrap();
    for ply in &record.movetext.plies {
        let token = ply.token.trim_start_matches('K').trim_end_matches(['+', '-']);
        writer.ply(token, ply).unwrap();
    }
    writer.end(result_line(record)).unwrap();
    writer.into_inner()
}

/// A replay with the rules, these tags, and these lines of moves.
fn replay(tags: &str, moves: &str) -> String {
    format!("{tags}[rules:{RULES}]\n\n{moves}")
}

/// The dropped texts. Each is the text at its span, unless it is a default.
#[track_caller]
fn dropped<'r>(text: &str, record: &'r Record<'_>) -> Vec<&'r str> {
    for Dropped { what, span, assumed } in &record.dropped {
        let stands = text[span.range()] == **what;
        assert!(stands || matches!(what, Cow::Owned(_)) || what == "[rules:]", "{what}");
        assert_eq!(*assumed, (what == "[rules:]").then_some("nielsen"));
    }
    record.dropped.iter().map(|dropped| &*dropped.what).collect()
}

/// Asserts the value of a tag, and the dropped texts.
#[track_caller]
fn says(text: &str, name: &str, value: Option<&str>, leaves_out: &[&str]) {
    let record = read(text).unwrap();
    assert_eq!(record.value(name), value, "{name}");
    assert_eq!(dropped(text, &record), leaves_out);
}

/// Asserts the tags of the record, those of every replay aside.
#[track_caller]
fn tags(text: &str, tags: &[(&str, &str)], leaves_out: &[&str]) {
    let text = replay(text, "1. d2-e2\n");
    let record = read(&text).unwrap();
    let found: Vec<_> = record
        .tags
        .iter()
        .filter(|tag| !["Game", "Rules", "Otg_rules"].contains(&&*tag.name))
        .map(|tag| (&*tag.name, &*tag.value))
        .collect();
    assert_eq!(found, tags);
    assert_eq!(dropped(&text, &record), leaves_out);
}

/// Asserts the rule set of a rules string, and the switches that differ.
#[track_caller]
fn rules(rules: &str, set: &str, setup: Option<&str>, differ: &[&str]) {
    let text = format!("[rules:{rules}]\n\n1. d2-e2\n");
    says(&text, "Rules", Some(set), differ);
    says(&text, "Setup", setup, differ);
}

/// Asserts the movetext of the record.
#[track_caller]
fn moves(lines: &str, movetext: &str, leaves_out: &[&str]) {
    let text = replay("", lines);
    let record = read(&text).unwrap();
    let found = written(&record);
    let (_, found) = found.split_once("\n\n").unwrap();
    assert_eq!(found.trim_end(), movetext);
    assert_eq!(dropped(&text, &record), leaves_out);
}

#[track_caller]
fn refused(text: &str, kind: impl Into<ReadErrorKind>, found: &str) {
    let error = read(text).unwrap_err();
    assert_eq!((error.kind, &text[error.span.range()]), (kind.into(), found), "{text}");
}

impl From<OtgFault> for ReadErrorKind {
    fn from(fault: OtgFault) -> Self {
        Self::Syntax(fault.into())
    }
}

impl From<Limit> for ReadErrorKind {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

#[test]
fn samples_say_what_stands_beside_them() {
    for (otg, quipu, leaves_out) in samples() {
        let record = read(otg).unwrap();
        assert_eq!(written(&record), quipu);
        assert_eq!(dropped(otg, &record), leaves_out);
    }
}

#[test]
fn tags_have_their_names_or_are_carried_over() {
    tags(
        "[event:Copa][attackers: Ana ]\n[defenders:Luis]\n",
        &[("Event", "Copa"), ("Rojos", "Ana"), ("Negros", "Luis")],
        &[],
    );
    tags("[time-remaining:1, 2]\n[Añe 1:x:y]", &[("Otg_time_remaining", "1, 2"), ("Otg_Añe_1", "x:y")], &[]);
    tags("[a-b:1]\n[a_b:2]\n", &[("Otg_a_b", "1")], &["[a_b:2]"]);
    says("[rules:surf:n ks:c\ncenh: cenhe:]", "Rules", Some("nielsen"), &["[rules:surf:n ks:c\ncenh: cenhe:]"]);
    tags("[site:Cusco,\nPerú]\n[x:\r]\n", &[("Otg_x", "")], &["[site:Cusco,\nPerú]"]);
    tags("[time-control:300]", &[("TimeControl", "300")], &[]);
    tags("[time-control:300 30/0 0i]", &[("TimeControl", "300")], &[]);
    tags("[time-control:300 30/3 5i]", &[("TimeControl", "300 30/3 5i")], &[]);
    tags("[time-control:a while]", &[("TimeControl", "a while")], &[]);
}

#[test]
fn results_speak_of_the_attackers() {
    for (otg, ours) in [("1", "0-1"), ("-1", "1-0"), ("0", "1/2-1/2"), ("?", "*")] {
        let text = replay(&format!("[result:{otg}]"), "1. d2-e2\n");
        says(&text, "Result", Some(ours), &[]);
        assert_eq!(read(&text).unwrap().result.map(|result| result.value.as_str()), Some(ours));
    }
    tags("[result:won]", &[], &["[result:won]"]);
}

#[test]
fn ends_are_told_in_a_sentence() {
    let end = |text: &str, end| {
        let otg = ("Otg_termination", text);
        let text = format!("[termination:{text}]");
        match end {
            Some(end) => tags(&text, &[("Termination", end), otg], &[]),
            None => tags(&text, &[otg], &[]),
        }
    };
    end("Black resigns", Some("resignation"));
    end("White wins on time", Some("time"));
    end("Draw agreed", Some("agreement"));
    end("Abandoned", Some("abandoned"));
    end("Adjudicated", Some("adjudication"));
    end("King escaped just in time", None);
    end("Adjudicated after White resigned", None);
}

#[test]
fn rules_are_decoded_switch_by_switch() {
    let start = "start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
    let black = Some("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 1");
    rules(RULES, "nielsen", None, &[]);
    rules("dim:7 name:B_C surf:n atkf:y ks:c ka:y nj:n cj:n cenh: cenhe: spd:-1,", "nielsen", None, &[]);
    rules("surf:n ks:c cenh: cenhe: cor:g7,a7,g1,a1, cen:d4, afor: tfr:i spd:6,-1,", "nielsen", None, &[]);
    rules(&format!("surf:n atkf:n ks:c cenh: cenhe: {start}"), "nielsen", black, &[]);
    // The Brandub of OpenTafl, where two enemies take the king anywhere.
    rules(&format!("surf:n ks:w cenh: cenhe: {start}"), "nielsen", None, &["ks:w"]);
    rules("surf:n ks:c cenh: cenhe: corh:tT cens:tK", "nielsen", None, &["corh:tT", "cens:tK"]);
    rules("tfr:d linc:y foo bar:1 ks:c surf:n cenhe: cenh:", "nielsen", None, &["tfr:d", "linc:y", "foo", "bar:1"]);
    rules("surf:n ks:c cenh: cenhe: cor:a1, spd:2", "nielsen", None, &["cor:a1,", "spd:2"]);
    // The last of two counts.
    rules("surf:n ks:w ks:c cenh: cenhe:", "nielsen", None, &[]);
    // Defaults count too: a strong king, a hostile empty centre.
    rules("surf:n cenh:", "nielsen", None, &["ks:s", "cenhe:tcnkTCNK"]);
    let cuervo = "atkf:n surf:n ka:n ks:m spd:-1,-1,-1,-1,-1,-1,-1,1, corh: cenh: cenhe:K cenp:K";
    rules(cuervo, "cuervo", None, &[]);
    let red = Some("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 1");
    rules(&format!("{cuervo} atkf:y efe:y"), "cuervo", red, &["efe:y"]);
    let twelve = "-1,-1,-1,-1,-1,-1,-1,-1,-1,1,-1,-1";
    rules(&format!("{cuervo} spd:{twelve}"), "cuervo", None, &[]);
    says("1. d2-e2", "Rules", Some("nielsen"), &["[rules:]"]);
    says("1. d2-e2", "Setup", None, &["[rules:]"]);
}

#[test]
fn moves_keep_their_captures_but_the_king() {
    moves("1. d6-a6xa5 d5-a5xa6\n2. a3-a4xb4/d4/a5+ Ke5-e1-", "1. d6-a6xa5 d5-a5xa6\n2. a3-a4xb4/d4/a5 e5-e1\n*", &[]);
    moves("1.d2-e2 c4-c5xta5/Ta3\n2... d2-d3xKd4++", "1. d2-e2 c4-c5xa5/a3\n2. d2-d3\n*", &[]);
    moves("1. Ne6^=e8xce7/ne9 d2=d3xK", "1. Ne6^=e8xce7/ne9 d2=d3xK\n*", &[]);
    moves("1. xKd4 xa5", "1. xKd4 xa5\n*", &[]);
    moves("1. d2-e2\n2. ..... c4-c5\n", "1. d2-e2 c4-c5\n*", &[]);
    let record = replay("", "1. d2-e2 c4-c5\n3. f4-f5\n");
    let numbers = read(&record).unwrap().movetext.plies.into_iter().map(|ply| ply.number.map(|number| number.value));
    assert_eq!(numbers.collect::<Vec<_>>(), [Some(1), None, Some(3)]);
}

#[test]
fn comments_go_to_their_moves() {
    moves("1. d2-e2 c4-c5\n[ uno\r\ny medio |dos]", "1. d2-e2 {uno\ny medio} c4-c5 {dos}\n*", &[]);
    moves("1. d2-e2 c4-c5 [|dos]\n[tres|\ncuatro]", "1. d2-e2 c4-c5 {dos}\n*", &["tres|\ncuatro"]);
    moves("1. d2-e2\n[|]\n2. ..... c4-c5\n[uno]", "1. d2-e2 c4-c5 {uno}\n*", &[]);
    moves("1. d2-e2\n[a\n{b}\n\nc]", "1. d2-e2 {a} ;{b}\n {c}\n*", &[]);
    moves("1. d2-e2\n[a\n[Game \"andes\"\n:]", "1. d2-e2 {a} {[Game \"andes\"} {:}\n*", &[]);
    let start = replay("[start-comment:Antes.]\n[starting-comment:Más.]", "1. d2-e2\n[{x}]");
    assert_eq!(read(&start).unwrap().movetext.comments, ["Antes.", "Más."]);
}

#[test]
fn clocks_are_those_that_ours_can_say() {
    let clocks = |tags: &str, comments: &str, ours: &str| {
        let text = replay(tags, &format!("1. d2-e2 c4-c5\n[{comments}]"));
        let found = written(&read(&text).unwrap());
        assert_eq!(found.split_once("\n\n1. d2-e2 ").unwrap().1.lines().next(), Some(ours), "{comments}");
    };
    clocks("", "290 0/0 0i|30 0/3 Bien.", "{[%clk 0:04:50.000]} c4-c5 {[%clk 0:00:30.000]} {Bien.}");
    clocks("", "3|3 peones", "{3} c4-c5 {3 peones}");
    clocks("[time-control:300]", "3|3 peones", "{[%clk 0:00:03.000]} c4-c5 {3 peones}");
    clocks("[time-control:300]", "3 0i|3rd", "{[%clk 0:00:03.000]} c4-c5 {3rd}");
    clocks("", "0 30/2 0i x|9 0/0 5i", "{0 30/2 0i x} c4-c5 {9 0/0 5i}");
    clocks("[time-control:300 30/3]", "290 0/0 0i|280", "{290 0/0 0i} c4-c5 {280}");
    clocks("", "999999999 0/0|1000000000 0/0", "{[%clk 277777:46:39.000]} c4-c5 {1000000000 0/0}");
    let text = replay("", "1. d2-e2\n[ 290 0/0 Bien.]");
    let clock = read(&text).unwrap().movetext.plies[0].clock.unwrap();
    assert_eq!((clock.value, &text[clock.span.range()]), (290_000, "290 0/0"));
}

#[test]
fn the_side_that_resigns_loses() {
    let resigns = |tags: &str, moves: &str, result: &str, tag: Option<&str>| {
        let text = replay(tags, moves);
        let record = read(&text).unwrap();
        let written = record.result.unwrap();
        assert_eq!((written.value.as_str(), &text[written.span.range()]), (result, "---"));
        says(&text, "Result", tag, &[]);
        says(&text, "Termination", Some("resignation"), &[]);
    };
    resigns("", "1. d2-e2 ---\n[|Adiós.]", "0-1", None);
    resigns("", "1. d2-e2 c4-c5\n2. ---", "1-0", None);
    resigns("[result:?][termination:on time]", "1. ---\n[Nada.]", "1-0", None);
    resigns("[result:1]", "1. ---", "1-0", Some("0-1"));
    moves("1. d2-e2 c4-c5\n2. ---\n[Adiós.|x]", "1. d2-e2 c4-c5 {Adiós.}\n1-0", &["x"]);
    refused(&replay("", "1. --- d2-e2"), OtgFault::Resigned, "d2-e2");
    let black_begins = replay("", "1. ---").replace("surf:n", "surf:n atkf:n");
    assert_eq!(read(&black_begins).unwrap().result.unwrap().value, Outcome::Win(Side::Two));
}

#[test]
fn variations_need_their_place() {
    let game = "1. a1-a2 a3-a4\n2. b1-b2 b3-b4\n";
    let one = |line: &str, movetext: &str| moves(&format!("{game}{line}"), &format!("{movetext}\n*"), &[]);
    one("1a.1.1a. x y", "1. a1-a2 (x y) a3-a4\n2. b1-b2 b3-b4");
    one("2b.1.1a. ..... x\n2b.1.2a. y\n2b.2.1a. ..... z", "1. a1-a2 a3-a4\n2. b1-b2 b3-b4 (x y) (z)");
    one("2b.1.1b. x\n2b.1.2a. y", "1. a1-a2 a3-a4\n2. b1-b2 b3-b4 (x y)");
    one("1b.1.1b. x\n1b.1.2a. y z\n1b.1.2a.1.1a. u v\n[|w]", "1. a1-a2 a3-a4 (x y (u v {w}) z)\n2. b1-b2 b3-b4");
    for line in [
        "3a.1.1a. x",
        "2.1.1a. x",
        "2c.1.1a. x",
        "0a.1.1a. x",
        "1a.2.1a. x",
        "1a.0.1a. x",
        "1a.1a.1a. x",
        "1a.1. x",
        "1a.1.1. x",
        "1a.1.2a. x",
        "1b.1.1a. x",
        "1a.1.1a.1.1a. x",
        "99999999999999999999a.1.1a. x",
        "9223372036854775809a.1.1a. x",
        "1a.99999999999999999999.1a. x\n[y]",
    ] {
        moves(&format!("{game}{line}"), "1. a1-a2 a3-a4\n2. b1-b2 b3-b4\n*", &[line]);
    }
    moves("1. d2-e2\n1a.1.1a. x ---", "1. d2-e2 (x)\n*", &["---"]);
}

#[test]
fn faults_have_their_place() {
    use OtgFault::{Board, Comment, Line, Move, Rows, Tag};
    refused("[event:x", Tag, "[");
    refused("[event:x]\n[event]", Tag, "[");
    refused("[event:x] y", Line, "y");
    refused("[a [b]]", Tag, "[");
    refused("[a:[b]]", Line, "]");
    let twice = "[event:x]\n[ event :y]";
    refused(twice, ReadErrorKind::Tag { first: Span::new(1, 6) }, "event");
    refused("[rules:dim:11 start:/11/]", Board, "dim:11");
    refused("[rules:start:/7/7/7/7/7/7/6c/]", Rows, "c");
    refused("[position:\n/7/7/7/8/7/7/7/]", Rows, "8");
    refused(&replay("", "d2-e2"), Line, "d2-e2");
    refused(&replay("", "1. d2-e2\nc4-c5"), Line, "c4-c5");
    refused(&replay("", "1. d2-e2 [x"), Comment, "[");
    for token in ["d2-e2!", "1-0", "*", "(d2-e2)", "ñ2-e2", "{x}", "d2-e2]", ";", "."] {
        refused(&replay("", &format!("1. d2-e2 {token}")), Move, token);
    }
}

#[test]
fn limits_are_kept() {
    let filled = |length: usize| "x".repeat(length);
    let token = |length| replay("", &format!("1.{}", filled(length)));
    assert!(read(&token(limits::TOKEN)).is_ok());
    refused(&token(limits::TOKEN + 1), Limit::Token, &filled(limits::TOKEN + 1));
    refused(&filled(limits::TOKEN + 1), Limit::Token, &filled(limits::TOKEN + 1));
    let value = |length| replay(&format!("[event: {} ]", filled(length)), "");
    assert!(read(&value(limits::VALUE)).is_ok());
    refused(&value(limits::VALUE + 1), Limit::Value, &filled(limits::VALUE + 1));
    let comment = |length| replay("", &format!("1. d2-e2\n[{0}|{0}]", filled(length)));
    assert!(read(&comment(limits::COMMENT)).is_ok());
    refused(&comment(limits::COMMENT + 1), Limit::Comment, "[");
    let start = |length| replay(&format!("[start-comment:{}]", filled(length)), "");
    assert!(read(&start(limits::COMMENT)).is_ok());
    refused(&start(limits::COMMENT + 1), Limit::Comment, "[");
    let plies = |count| replay("", &format!("1.{}", " x".repeat(count)));
    assert!(read(&plies(limits::PLIES)).is_ok());
    refused(&plies(limits::PLIES + 1), Limit::Plies, "x");
    let large = |length| format!("\u{feff} {}\n", &replay("[a:]", &"[]".repeat(limits::RECORD / 2))[..length]);
    refused(&large(limits::RECORD), OtgFault::Tag, "[");
    refused(&large(limits::RECORD + 1), Limit::Record, "");
    let address = |depth| format!("1a.{}", "1.1a.".repeat(depth));
    let nested = |depth| (1..=depth).map(|depth| format!("{} x\n", address(depth))).collect::<String>();
    let nested = |depth| replay("", &format!("1. x\n{}", nested(depth)));
    assert!(read(&nested(limits::NESTING)).unwrap().dropped.is_empty());
    refused(&nested(limits::NESTING + 1), Limit::Nesting, &address(limits::NESTING + 1));
}

/// With any part missing or doubled, the text is a record or a fault, and all spans are inside the text. A record is
/// unchanged by writing and reading it.
#[test]
fn any_text_is_read_or_refused() {
    let check = |text: &str| match read(text) {
        Ok(record) => {
            dropped(text, &record);
            assert!(record.movetext.plies.iter().all(|ply| text.get(ply.span.range()).is_some()));
            assert!(record.tags.iter().all(|tag| text.get(tag.span.range()).is_some()));
            let written = as_written(&record);
            let again: Vec<_> =
                Chunk::new(written.as_bytes()).records().map(|again| as_written(&again.unwrap())).collect();
            assert_eq!(again, [&*written], "{text}");
            if let Ok(replay) = super::write::write(&record) {
                assert_eq!(super::write::write(&read(&replay).unwrap()).as_ref(), Ok(&replay), "{text}");
            }
        }
        Err(error) => assert!(text.get(error.span.range()).is_some(), "{text}"),
    };
    check("");
    check("\u{feff}");
    for (otg, _, _) in samples() {
        for (at, character) in otg.char_indices() {
            let (before, after) = (&otg[..at], &otg[at + character.len_utf8()..]);
            check(before);
            check(&format!("{before}{after}"));
            for sign in [
                "[", "]", "|", ":", "/", "1.", "ñ", " ", "\n", "}\n", "\n{", ";", "%", "\u{a0}", "\u{2003}", "\u{feff}",
            ] {
                check(&format!("{before}{sign}{after}"));
            }
        }
    }
}

#[test]
fn starts_are_turned_round() {
    let position = "/7/t6/K6/7/7/7/3T3/";
    let ours = "3T3/7/7/7/K6/t6/7";
    let text = |tags: &str| format!("{tags}\n\n1. d7-e7\n");
    let from_rules = text(&format!("[rules:surf:n ks:c cenh: cenhe: start:{position}]"));
    says(&from_rules, "Setup", Some(&format!("{ours} r 0")), &[]);
    let from_tag = text(&format!("[position:{position}][rules:{RULES}]"));
    says(&from_tag, "Setup", Some(&format!("{ours} r 0")), &[]);
    let from_either = text(&format!("[rules:atkf:n {RULES}]\n[position:{position}]"));
    says(&from_either, "Setup", Some(&format!("{ours} n 1")), &[]);
    let record = read(&from_either).unwrap();
    assert_eq!(&from_either[record.tag("Setup").unwrap().span.range()], position);
}

/// The rules that are written for a rule set are read as that, without a report or a tag.
#[test]
fn rules_are_read_as_they_are_written() {
    for (set, turn) in [("base", "n"), ("cuervo", "n"), ("nielsen", "r")] {
        for setup in [String::new(), format!("[Setup \"7/7/7/2TK3/t6/7/7 {turn} 0\"]\n")] {
            let text = format!("[Game \"brandubh\"]\n[Rules \"{set}\"]\n{setup}\nd2-e2 *\n");
            let record = Chunk::new(text.as_bytes()).records().next().unwrap().unwrap();
            let replay = super::write::write(&record).unwrap();
            assert!(!replay.contains("quipu-"), "{replay}");
            let again = read(&replay).unwrap();
            assert_eq!(again.dropped, []);
            assert_eq!(again.value("Otg_rules"), None, "{replay}");
            assert_eq!(again.value("Rules"), Some(set));
            assert_eq!(again.value("Setup"), record.value("Setup"));
        }
    }
}

#[test]
fn a_record_is_written_so() {
    let text = "[Game \"brandubh\"]\n[Event \"Copa\"]\n[Negros \"Quispe, Ana\"]\n[Rojos \"Luis\"]\n[Result \"1-0\"]\n\
                [Otg_time_remaining \"1, 2\"]\n[Termination \"corner\"]\n[TimeControl \"300\"]\n[UTCDate \"2026.08.15\"]\n\n\
                {a [b]}\n1. d3-c3 $1 {[%clk 0:04:50.500]} {x|y} d2-c2 {3} (d2-e2 c3-d3 (c3-c1) d1-c1 {z})\n2. c4-c3xc2\n1-0\n\n";
    let record = Chunk::new(text.as_bytes()).records().next().unwrap().unwrap();
    let (replay, lost) = OTG.written(&record).unwrap();
    assert_eq!(
        replay,
        "[event:Copa]\n[defenders:Quispe, Ana]\n[attackers:Luis]\n[time-remaining:1, 2]\n\
         [termination:Ended with the king on a corner]\n[time-control:300]\n[quipu-UTCDate:2026.08.15]\n[result:-1]\n\
         [start-comment:a (b)]\n[rules:dim:7 name:Brandubh_base tfr:i surf:n ka:n ks:m spd:-1,-1,-1,-1,-1,-1,-1,1 \
         corh: cenh: cenhe:K cenp:K atkf:n start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/]\n\n\
         1. d3-c3 d2-c2\n[291 0/0 0i x/y|]\n\n1b.1.1a. ..... d2-e2\n\n1b.1.2a. c3-d3 d1-c1\n[|z]\n\n\
         1b.1.2a.1.1a. c3-c1\n\n2. c4-c3xc2\n\n"
    );
    let lost: Vec<_> = lost.iter().map(|dropped| &*dropped.what).collect();
    assert_eq!(lost, ["{a [b]}", "[%clk 0:04:50.500]", "$1", "{x|y}", "{3}"]);
}

/// Writes a record of Brandubh with these tags and moves, and reads the replay: the replay, the record, and the lost parts.
#[track_caller]
fn round(text: &str, check: impl FnOnce(&str, &Record<'_>, &[&str])) {
    let (replay, lost) = with_record(text, |record| OTG.written(record).unwrap());
    let again = read(&replay).unwrap();
    assert_eq!(again.dropped, [], "{replay}");
    check(&replay, &again, &lost.iter().map(|lost| &*lost.what).collect::<Vec<_>>());
}

#[test]
fn values_without_text_are_kept() {
    for (tags, token) in [
        ("[Setup \"\"]", "*"),
        ("[Rules \"\"]", "*"),
        ("[Rules \"copenhagen\"]\n[Setup \"\"]", "*"),
        ("[Result \"\"]", "1-0"),
        ("[Result \"\"]", ""),
        ("[Rojos \"\"]\n[UTCDate \"\"]", ""),
        ("", "1-0"),
    ] {
        round(&format!("{tags}\n\n1. d3-c3 {token}"), |replay, again, lost| {
            assert_eq!(lost, [""; 0], "{replay}");
            let found =
                again.tags.iter().filter(|tag| !["Game", "Rules"].contains(&&*tag.name) || tag.value.is_empty());
            let found = found.map(|tag| format!("[{} \"{}\"]", tag.name, tag.value));
            let expected: BTreeSet<_> =
                tags.lines().filter(|tag| !tag.contains("copenhagen")).map(str::to_owned).collect();
            let found: BTreeSet<_> = found.collect();
            assert_eq!(found, expected, "{replay}");
            assert_eq!(again.outcome(), Outcome::parse(token).unwrap_or(Outcome::Open), "{replay}");
        });
    }
}

/// The comment on a resignation joins that on the last move. A brace in it has the lines of both read one by one.
#[test]
fn joined_comments_are_read_as_they_are_written() {
    let text = "[rules:surf:n ks:c cenh: cenhe:]\n\n1. d2-e2\n[Uno.\n dos|]\n2. ---\n[tres}]\n";
    let record = read(text).unwrap();
    let (replay, lost) = OTG.written(&record).unwrap();
    assert!(replay.contains("\n[Uno.\ndos\ntres}]\n"), "{replay}");
    assert_eq!(lost.iter().map(|lost| &*lost.what).collect::<Vec<_>>(), ["{Uno.\n dos}"]);
    assert_eq!(OTG.written(&read(&replay).unwrap()).unwrap(), (replay, Vec::new()));
}

/// A contradiction between the tag and the final token is a claim like any other.
#[test]
fn an_open_token_is_kept_beside_a_result() {
    round("[Result \"1-0\"]\n\n1. d3-c3 *", |replay, again, lost| {
        assert_eq!((again.value("Result"), again.outcome()), (Some("1-0"), Outcome::Open), "{replay}");
        assert_eq!(lost, [""; 0]);
    });
}

#[test]
fn a_running_clock_is_not_at_zero() {
    round("\n1. d3-c3 {[%clk 0:00:00.500]} d2-c2 {[%clk 0:00:00.000]}", |replay, again, lost| {
        let clocks: Vec<_> = again.movetext.plies.iter().map(|ply| ply.clock.map(|clock| clock.value)).collect();
        assert_eq!(clocks, [Some(1000), Some(0)], "{replay}");
        assert_eq!(lost, ["[%clk 0:00:00.500]"]);
    });
}

#[test]
fn values_that_are_judged_are_written_or_the_record_is_not() {
    for (tag, value) in [("Rules", "a]b"), ("Setup", " x"), ("Result", "1-0 "), ("Termination", "]")] {
        with_record(&format!("[{tag} \"{value}\"]\n\n1. d3-c3 *"), |record| {
            assert_eq!(OTG.written(record), Err(Unwritable::Tag(tag)));
        });
    }
}

/// Switches that no rule set has are reported when a replay of `OpenTafl` is read, and not again when quipu has written it.
#[test]
fn odd_switches_are_reported_once() {
    let text = "[rules:surf:n ks:w cenh: cenhe:]\n\n1. d2-e2\n";
    let record = read(text).unwrap();
    assert_eq!(dropped(text, &record), ["ks:w"]);
    let (replay, lost) = OTG.written(&record).unwrap();
    assert!(replay.contains("[quipu-Rules:nielsen]\n[rules:surf:n ks:w cenh: cenhe:]\n"), "{replay}");
    assert_eq!(lost, []);
    let again = read(&replay).unwrap();
    assert_eq!((again.dropped.len(), again.value("Otg_rules")), (0, record.value("Otg_rules")));
    assert_eq!(OTG.written(&again).unwrap().0, replay);
}
