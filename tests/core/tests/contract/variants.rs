//! Messages: each sentence of the catalog is said of something, with all its placeholders filled.

use std::collections::{BTreeMap, BTreeSet};

use quipu_notation::{
    Span,
    record::{Chunk, ReadError, ReadErrorKind, SourceRefusal, limits},
};
use quipu_referee::{
    Fact, Lang, Message, codes, competition, findings, games,
    messages::{catalog, fill, row},
    record::{Breach, unreadable},
};
use quipu_tests_core::verdicts;

use quipu_tests_core::contract::{nothing, placeholders};

use super::examples;

/// A way to have a sentence said.
enum Way {
    /// A text of records; `\xff` stands for the byte of that number.
    Record(String),
    /// A position string of the game.
    Position(&'static str),
    /// An arrangement of the game in another form.
    Arrangement(&'static str),
    /// A move of the game from the start.
    Token(&'static str),
    /// A move of the game in a position.
    Move(&'static str, &'static str),
    /// The breach itself: no record or move can bring it about.
    Breach(Breach),
    /// A source that cannot be read at all: the file would be large, or depends on what the program was built with.
    Refused(SourceRefusal),
}

impl Way {
    /// A record of Andes with this movetext.
    fn moves(movetext: &str) -> Self {
        Self::Record(format!("[Game \"andes\"]\n\n{movetext}\n"))
    }

    /// A record in JSON with these fields.
    fn json(fields: &str) -> Self {
        Self::Record(format!("{{{fields}}}"))
    }

    /// A scoresheet of Andes with this header and these rows.
    fn rows(rows: &str) -> Self {
        Self::Record(format!("#Game: andes\n{rows}\n"))
    }

    /// A record of Brandubh with these numbers of turns.
    fn numbers(numbers: &[u64]) -> Self {
        let turns = ["d3-c3 d2-c2", "c3-d3 c2-d2"];
        let turns = numbers.iter().zip(turns.iter().cycle()).map(|(number, turn)| format!("{number}. {turn} "));
        Self::Record(format!("[Game \"brandubh\"]\n\n{}*\n", turns.collect::<String>()))
    }

    /// A record of Andes with a tag more.
    fn tag(name: &str, value: &str, movetext: &str) -> Self {
        Self::Record(format!("[Game \"andes\"]\n[{name} \"{value}\"]\n\n{movetext}\n"))
    }

    /// A record of Andes with these players.
    fn players([sol, luna]: [&str; 2]) -> Self {
        Self::Record(format!("[Game \"andes\"]\n[Sol \"{sol}\"]\n[Luna \"{luna}\"]\n\n0d3 *\n"))
    }

    /// A record of a game that leaves open who starts, with what it says of that.
    fn first(side: &str, setup: &str) -> Self {
        Self::Record(format!("[Game \"pastores\"]\n[First \"{side}\"]\n{setup}\n\n*\n"))
    }

    /// A record of Querni with these tags and no moves.
    fn querni(tags: &str) -> Self {
        Self::Record(format!("[Game \"querni\"]\n{tags}\n\n*\n"))
    }

    /// The messages that come of it, in the game of a code.
    fn messages(self, code: &str) -> Vec<Message> {
        let (owner, _) = code.split_once('.').expect("a code names its game");
        let game = || games::find(owner).expect("it is in the table");
        match self {
            Self::Record(text) => {
                let verdicts = verdicts(examples::bytes(&text).as_slice());
                let told = |verdict| findings::for_people(verdict, None).into_iter().map(|found| found.message.clone());
                let told = verdicts.iter().flat_map(|verdict| told(verdict).collect::<Vec<_>>());
                told.chain(examples::advice(&text)).collect()
            }
            Self::Position(text) => {
                game().board(None, Some(text)).err().into_iter().flatten().map(|fault| fault.message).collect()
            }
            Self::Arrangement(text) => {
                game().arrange(None, text).err().into_iter().flatten().map(|fault| fault.message).collect()
            }
            Self::Token(token) => {
                game().board(None, None).expect("it has a start").play(token).err().into_iter().collect()
            }
            Self::Move(position, token) => {
                game().board(None, Some(position)).expect("a good position").play(token).err().into_iter().collect()
            }
            Self::Breach(breach) => vec![breach.into()],
            Self::Refused(refusal) => {
                let error = ReadError { kind: ReadErrorKind::Refused(refusal), span: Span::default() };
                vec![unreadable(&error, &Chunk::new(&[]))]
            }
        }
    }
}

/// A message and those that are said inside it.
fn with_inner(message: Message) -> Vec<Message> {
    let inner = message.facts.iter().filter_map(|(_, fact)| match fact {
        Fact::Message(inner) => Some(with_inner((**inner).clone())),
        Fact::Text(_) | Fact::Word(_) => None,
    });
    let inner: Vec<_> = inner.flatten().collect();
    [vec![message], inner].concat()
}

/// A position of Querni in which azul can step, jump, and remove after a step.
const QUERNI: &str = "10/3C6/10/2B7/1A8/10/7e2 a 0 20";
/// One in which a game of Querni can start, but for its last field.
const QUERNI_START: &str = "10/1NbHkfOcB1/1eIanKGCg1/10/1JoADEiFL1/1pmMhldjP1/10 a 0";

/// A game that ends with its fourth ply, won by Sol.
const ENDED: &str = "0a1 0D0 0b0 0D0C";

/// Ways to get each sentence of a code with several; the others come from their examples.
fn all_ways() -> impl Iterator<Item = (&'static str, &'static str, Way)> {
    [
        ways_of_records(),
        ways_of_other_forms(),
        ways_of_andes(),
        ways_of_pastores(),
        ways_of_querni(),
        ways_of_brandubh(),
    ]
    .into_iter()
    .flatten()
}

/// Those that only records in other forms than text can have said.
fn ways_of_other_forms() -> Vec<(&'static str, &'static str, Way)> {
    vec![
        ("record.syntax", "name", Way::json(r#""tags":{"a-b":""}"#)),
        ("record.syntax", "value-break", Way::json(r#""tags":{"Event":"a\nb"}"#)),
        ("record.syntax", "token", Way::json(r#""moves":["0d3!"]"#)),
        ("record.syntax", "comment-text", Way::json(r#""comments":["}\na"]"#)),
        ("record.syntax", "json-form", Way::json(r#""moves":["0d3"],"#)),
        ("record.syntax", "json-end", Way::Record(r#"{"game":"andes","moves":["#.into())),
        ("record.syntax", "json-object", Way::json(r#""tags":[]"#)),
        ("record.syntax", "json-list", Way::json(r#""moves":"0d3""#)),
        ("record.syntax", "json-text", Way::json(r#""game":5"#)),
        ("record.syntax", "json-escape", Way::json(r#""game":"\ud800""#)),
        ("record.syntax", "json-field", Way::json(r#""event":"Copa""#)),
        ("record.syntax", "json-move", Way::json(r#""moves":[{"nags":[1]}]"#)),
        ("record.syntax", "json-clock", Way::json(r#""moves":[{"move":"0d3","clock_ms":-1}]"#)),
        ("record.syntax", "json-nag", Way::json(r#""moves":[{"move":"0d3","nags":["!"]}]"#)),
        ("record.syntax", "csv-tag", Way::Record("#Game andes".into())),
        ("record.syntax", "csv-tag-rest", Way::Record("\"#Game: andes\",x".into())),
        ("record.syntax", "csv-quote", Way::rows("n,sol,luna\n1,\"0d3")),
        ("record.syntax", "csv-column-twice", Way::rows("n,sol,sol")),
        ("record.syntax", "csv-columns", Way::rows("n,sol")),
        ("record.syntax", "csv-columns-any", Way::Record("n,a\n".into())),
        ("record.syntax", "csv-cell", Way::rows("n,sol,luna\n1,0d3,2A3,x")),
        ("record.syntax", "csv-number", Way::rows("n,sol,luna\none,0d3")),
        ("record.syntax", "csv-gap", Way::rows("n,sol,luna\n1,0d3,\n2,2a3")),
        ("record.syntax", "csv-clock", Way::rows("n,sol,sol_clock,luna\n1,0d3,soon")),
        ("record.syntax", "csv-clock-alone", Way::rows("n,sol,sol_clock,luna\n1,,0:11:55")),
        ("record.syntax", "csv-after-result", Way::rows("n,sol,luna\n1,0d3,*\n2,2a3")),
        ("record.encoding", "default", Way::Record("[Game \"andes\"]\n[Site \"\\x81\"]\n".into())),
        ("record.foreign", "broken", Way::Refused(SourceRefusal::Broken("file.gzip"))),
        ("record.foreign", "large", Way::Refused(SourceRefusal::Large("file.xlsx"))),
        ("record.foreign", "not-built", Way::Refused(SourceRefusal::NotBuilt("file.zip"))),
        ("record.foreign", "nested", Way::Refused(SourceRefusal::Nested("file.gzip"))),
        ("record.foreign", "empty", Way::Refused(SourceRefusal::Empty)),
        ("record.damaged", "several", Way::rows("n,sol,luna\n1,0d3,0")),
        ("record.damaged", "unsure", Way::rows("n,sol,luna\n1,0d3,0\n2,x")),
        ("record.damaged", "none", Way::rows("n,sol,luna\n1,0d3,9E+09")),
        ("record.damaged", "many", Way::rows(&format!("n,sol,luna\n{}", "1,0,0\n".repeat(40)))),
        ("record.damaged", "clocks", Way::rows("n,sol,sol_clock,luna\n1,0d3,0:05,2A3")),
        ("record.restored", "move", Way::rows("n,sol,luna\n1,0d3,0\n2,0a3,0E65")),
        (
            "record.restored",
            "tag",
            Way::Record("#Game: andes\n#Points,11-sep\nn,sol,luna\n1,0a1,0D0\n2,0b0,0D0C\n,1-0\n".into()),
        ),
        ("record.restored", "clocks", Way::rows("n,sol,sol_clock,luna\n1,0d3,11:55,2A3")),
        ("record.syntax", "otg-tag", Way::Record("[date:2026]\n[event]".into())),
        ("record.syntax", "otg-comment", Way::Record("[date:2026]\n\n1. d2-e2\n[x".into())),
        ("record.syntax", "otg-line", Way::Record("[date:2026]\n\n1. d2-e2\nc4-c5".into())),
        ("record.syntax", "otg-move", Way::Record("[date:2026]\n\n1. d2-e2!".into())),
        ("record.syntax", "otg-resigned", Way::Record("[date:2026]\n\n1. --- d2-e2".into())),
        ("record.syntax", "otg-board", Way::Record("[rules:dim:11]".into())),
        ("record.syntax", "otg-rows", Way::Record("[position:/7/]".into())),
        ("record.syntax", "hnefatafl-board", Way::Record("{\"dim\": 11}".into())),
        ("record.syntax", "hnefatafl-no-size", Way::Record("{\"rated\": true}".into())),
        ("record.syntax", "hnefatafl-rows", Way::Record("{\"dim\": 7, \"start\": \"/7/\"}".into())),
        ("record.syntax", "hnefatafl-value", Way::Record("{\"rated\": 1}".into())),
        ("record.syntax", "hnefatafl-resigned", Way::Record("{\"dim\": 7, \"moves\": \"--- d2-e2\"}".into())),
        ("record.syntax", "pgn-board", Way::Record("[Site \"playtafl\"]\n\n1. h1h3".into())),
        ("record.left-out", "part", Way::Record("[rules:surf:n ks:w cenh: cenhe:]\n\n1. d2-e2".into())),
        ("record.left-out", "rules", Way::Record("{\"dim\": 7, \"moves\": \"d2-e2\"}".into())),
    ]
}

/// Those of records of any game.
fn ways_of_records() -> Vec<(&'static str, &'static str, Way)> {
    let filled = |count: usize| "x".repeat(count);
    let oversized =
        format!("[Game \"andes\"]\n\n{}\n[Game \"andes\"]\n\n*", "{0123456789}\n".repeat(limits::RECORD / 13 + 1));
    let ply = "[Game \"andes\"]\n\n1. 0d3 {[%clk 0:11:58]} 2A3";
    vec![
        ("advice.date", "form", Way::tag("Date", "15/08/2026", "0d3 *")),
        ("advice.date", "day", Way::tag("Date", "2026.13.45", "0d3 *")),
        ("advice.date", "none", Way::tag("Date", "yesterday", "0d3 *")),
        ("advice.leg", "near", Way::tag("Leg", "ida", "0d3 *")),
        ("advice.leg", "none", Way::tag("Leg", "7", "0d3 *")),
        ("advice.time-control", "near", Way::tag("TimeControl", "12+5", "0d3 *")),
        ("advice.time-control", "none", Way::tag("TimeControl", "fast", "0d3 *")),
        ("advice.player", "same", Way::players(["Quispe, Rosa", "rosa quispe"])),
        ("advice.player", "letter", Way::players(["Quispe, Rosa", "Quispe, Roza"])),
        ("advice.clock", "near", Way::moves("0d3 {[%clk 9:37]} *")),
        ("advice.clock", "none", Way::moves("0d3 {[%clk 0:09:62]} *")),
        ("record.syntax", "tag-name", Way::Record("[Game-1 \"andes\"]".into())),
        ("record.syntax", "tag-quote", Way::Record("[Game andes]".into())),
        ("record.syntax", "tag-value", Way::Record("[Game \"andes]".into())),
        ("record.syntax", "tag-close", Way::Record("[Game \"andes\"".into())),
        ("record.syntax", "tag-rest", Way::Record("[Game \"andes\"] 0d3".into())),
        ("record.syntax", "bracket", Way::moves("0d3 ]")),
        ("record.syntax", "brace", Way::moves("0d3 }")),
        ("record.syntax", "comment", Way::moves("0d3 {")),
        ("record.syntax", "variation", Way::moves("0d3 (0a1")),
        ("record.syntax", "variation-start", Way::moves("(0a1) 0d3")),
        ("record.syntax", "variation-end", Way::moves("0d3 )")),
        ("record.syntax", "annotation", Way::moves("! 0d3")),
        ("record.syntax", "marks", Way::moves("0d3 !!!")),
        ("record.syntax", "nag", Way::moves("0d3 $good")),
        ("record.limit", "token", Way::moves(&filled(limits::TOKEN + 1))),
        ("record.limit", "value", Way::tag("Event", &filled(limits::VALUE + 1), "*")),
        ("record.limit", "comment", Way::moves(&format!("0d3 {{{}}}", filled(limits::COMMENT + 1)))),
        ("record.limit", "nesting", Way::moves(&format!("0d3{}", " (0d3".repeat(limits::NESTING + 1)))),
        ("record.limit", "record", Way::Record(oversized)),
        ("record.limit", "plies", Way::moves(&"x ".repeat(limits::PLIES + 1))),
        ("record.limit", "nag", Way::moves(&format!("0d3 ${}", u64::from(limits::NAG) + 1))),
        ("record.game", "missing", Way::Record("0d3 *".into())),
        ("record.game", "above", Way::Record("[Game \"andes\"]\n\n[Event \"x\"]\n".into())),
        ("record.game", "near", Way::Record("[Game \"Andes\"]".into())),
        ("record.game", "unknown", Way::Record("[Game \"go\"]".into())),
        ("record.setup", "position", Way::tag("Setup", "7/7", "*")),
        ("record.setup", "over", Way::tag("Setup", "2A4/7/7/7/7/6a/5a1 s 5-6 0-0 l - 4", "*")),
        ("record.setup", "first", Way::first("sur", "[Setup \"5/5/5/5/5 n 53-53 - 0\"]")),
        ("record.setup", "first-unknown", Way::first("Ana", "")),
        ("record.setup", "missing", Way::querni("")),
        ("record.setup", "no-start", Way::Breach(Breach::NoStart)),
        ("record.result", "unknown", Way::tag("Result", "2-0", "0d3 *")),
        ("record.result", "tag", Way::tag("Result", "1-0", "0d3 *")),
        ("record.result", "board", Way::moves(&format!("{ENDED} 0-1"))),
        ("record.termination", "near", Way::tag("Termination", "tiempo", "0d3 *")),
        ("record.termination", "unknown", Way::tag("Termination", "mate", "0d3 *")),
        ("record.termination", "open", Way::tag("Termination", "continent", "0d3 *")),
        ("record.termination", "board", Way::tag("Termination", "time", &format!("{ENDED} 1-0"))),
        ("record.termination", "needs-draw", Way::tag("Termination", "agreement", "0d3 1-0")),
        ("record.termination", "needs-winner", Way::tag("Termination", "time", "0d3 1/2-1/2")),
        ("record.encoding", "letter", Way::moves("\\xe1 *")),
        ("record.encoding", "several", Way::moves("\\xe1 0D0 \\xe1 *")),
        ("record.limit", "faults", Way::moves(&format!("0d3{}", " }".repeat(limits::FAULTS + 1)))),
        ("record.number", "default", Way::numbers(&[1, 3])),
        ("record.number", "turn", Way::numbers(&[1, 3, 4])),
        ("record.number", "turn-to", Way::numbers(&[1, 3, 4, 4])),
        ("record.number", "turns", Way::numbers(&[3, 4])),
        ("record.number", "turns-to", Way::numbers(&[1, 4, 5, 4])),
        ("record.number", "high", Way::numbers(&[1, 4, 5, 5, 6])),
        ("record.number", "high-to", Way::numbers(&[1, 4, 5, 5, 6, 6])),
        ("record.number", "low", Way::numbers(&[1, 1, 2])),
        ("record.number", "low-to", Way::numbers(&[1, 1, 2, 4])),
        ("record.clock", "rises", Way::Record(format!("{ply} 2a3 {{[%clk 0:11:59]}} *"))),
        ("record.clock", "start", Way::moves("0d3 {[%clk 0:12:00.001]} *")),
        ("record.no-result", "open", Way::moves(&format!("{ENDED} *"))),
        ("record.no-result", "missing", Way::moves(ENDED)),
    ]
}

/// Those of Andes.
fn ways_of_andes() -> Vec<(&'static str, &'static str, Way)> {
    vec![
        ("andes.notation", "empty", Way::Token("")),
        ("andes.notation", "type", Way::Token("4d3")),
        ("andes.notation", "mark", Way::Token("0h3")),
        ("andes.notation", "scale", Way::Token("0d7")),
        ("andes.notation", "rest", Way::Token("0d3h")),
        ("andes.notation", "captures", Way::Token("0d3+0")),
        ("andes.3.3", "reach", Way::Move("7/7/7/2a3A/7/7/7 s 6-6 0-0 sl - 2", "0e3c")),
        ("andes.3.3", "same", Way::Move("7/7/7/2a3A/7/7/7 s 6-6 0-0 sl - 2", "0e3e3")),
        ("andes.4.3", "occupied", Way::Move("3A3/7/7/2Aa3/2a4/7/7 s 5-5 0-0 sl p 4", "0e23")),
        ("andes.4.3", "arrives", Way::Move("7/7/7/3Aa2/7/7/7 s 6-6 0-0 sl - 2", "0c3d")),
        ("andes.points", "form", Way::tag("Points", "011-9", &format!("{ENDED} 1-0"))),
        ("andes.points", "count", Way::tag("Points", "12-9", &format!("{ENDED} 1-0"))),
        ("andes.position", "fields", Way::Position("7/7/7/7/7/7/7")),
        ("andes.position", "rows", Way::Arrangement("7/7")),
        ("andes.position", "row", Way::Arrangement("7/7/7/7/7/7/6")),
        ("andes.position", "run", Way::Arrangement("7/7/7/7/7/7/34")),
        ("andes.position", "piece", Way::Arrangement("7/7/7/7/7/7/6e")),
        ("andes.position", "turn", Way::Position("7/7/7/7/7/7/7 r 7-7 0-0 - - 0")),
        ("andes.position", "pair", Way::Position("7/7/7/7/7/7/7 s 7 0-0 - - 0")),
        ("andes.position", "entered", Way::Position("7/7/7/7/7/7/7 s 7-7 0-0 ls - 0")),
        ("andes.position", "objectives", Way::Position("7/7/7/7/7/7/7 s 7-7 0-0 - cp 0")),
        ("andes.position", "number", Way::Position("7/7/7/7/7/7/7 s 7-7 0-0 - - 00")),
        ("andes.position", "count", Way::Position("7/7/7/7/7/7/7 s 7-8 0-0 - - 0")),
        ("andes.position", "parity", Way::Position("7/7/7/7/7/7/7 s 7-7 0-0 - - 1")),
        ("andes.position", "not-entered", Way::Position("7/7/7/2a4/7/7/7 l 6-7 0-0 - - 1")),
        ("andes.position", "persona", Way::Position("7/7/7/3a3/7/7/7 l 6-7 0-0 s - 1")),
        ("andes.position", "log-item", Way::Arrangement("+0.d3;")),
        ("andes.position", "log-twice", Way::Arrangement("+0.D3;-2.D3;")),
    ]
}

/// Those of Pastores.
fn ways_of_pastores() -> Vec<(&'static str, &'static str, Way)> {
    vec![
        ("pastores.notation", "empty", Way::Token("")),
        ("pastores.notation", "start", Way::Token("c2-c3")),
        ("pastores.notation", "row", Way::Token("PF1")),
        ("pastores.notation", "column", Way::Token("PA6")),
        ("pastores.notation", "sign", Way::Token("B2C2")),
        ("pastores.notation", "rest", Way::Token("PA3x")),
        ("pastores.NOR.02", "still-placing", Way::Token("B2-C2")),
        ("pastores.NOR.02", "all-placed", Way::Move("5/1P3/5/3p1/5 n 00-00 - 40", "PA3")),
        ("pastores.NOR.07", "lines", Way::Move("5/1P3/5/3p1/5 n 00-00 - 40", "B2-D2")),
        ("pastores.NOR.07", "same", Way::Move("5/1P3/5/3p1/5 n 00-00 - 40", "B2-B2")),
        ("pastores.NOR.08", "enemy", Way::Move("5/1P3/1p3/5/5 n 00-00 - 40", "B2-C2")),
        ("pastores.NOR.08", "empty", Way::Move("5/1P3/5/3p1/5 n 00-00 - 40", "B2xC2")),
        ("pastores.NOR.06", "captures", Way::Move("5/1Gp2/5/5/5 n 00-00 - 40", "B2xB3")),
        ("pastores.NOR.06", "vertical", Way::Move("5/G4/5/3p1/5 n 00-00 - 40", "B1-C1")),
        ("pastores.NOR.06", "possible", Way::Move("p1p2/1G3/p4/5/5 n 00-00 - 40", "B2-B3")),
        ("pastores.position", "piece", Way::Arrangement("5/5/2a2/5/5")),
        ("pastores.position", "turn", Way::Position("5/5/5/5/5 N 53-53 - 0")),
        ("pastores.position", "hands", Way::Position("5/5/5/5/5 n 8-8 - 0")),
        ("pastores.position", "countdown", Way::Position("5/5/P4/5/g4 n 00-00 11 40")),
        ("pastores.position", "many", Way::Position("4G/GGG2/5/5/g4 n 00-00 - 40")),
        ("pastores.position", "stones", Way::Position("P4/5/5/5/5 n 53-53 - 0")),
        ("pastores.position", "hand", Way::Position("5/5/5/5/5 s 53-53 - 1")),
        ("pastores.position", "countdown-placing", Way::Position("5/5/5/5/5 n 53-53 4 0")),
        ("pastores.position", "countdown-stones", Way::Position("PP3/5/5/5/g4 n 00-00 4 40")),
    ]
}

/// Those of Brandubh.
fn ways_of_brandubh() -> Vec<(&'static str, &'static str, Way)> {
    vec![
        ("brandubh.notation", "empty", Way::Token("")),
        ("brandubh.notation", "file", Way::Token("h3-c3")),
        ("brandubh.notation", "rank", Way::Token("d8-c3")),
        ("brandubh.notation", "hyphen", Way::Token("d3c3")),
        ("brandubh.notation", "twice", Way::Token("d3-c3xb4/b4")),
        ("brandubh.notation", "rest", Way::Token("d3-c3+-")),
        ("brandubh.line", "apart", Way::Token("d3-c2")),
        ("brandubh.line", "same", Way::Token("d3-d3")),
        ("brandubh.B-5", "stops", Way::Move("7/7/3K3/t5T/7/7/7 n 0", "g4-d4")),
        ("brandubh.B-5", "passes", Way::Move("7/7/3K3/t5T/7/7/7 n 0", "g4-c4")),
        ("brandubh.blocked", "between", Way::Token("d3-d1")),
        ("brandubh.blocked", "occupied", Way::Token("d3-d2")),
        ("brandubh.position", "piece", Way::Arrangement("7/7/7/7/7/7/6k")),
        ("brandubh.position", "turn", Way::Position("7/7/7/K6/7/7/7 s 0")),
        ("brandubh.position", "kings", Way::Position("7/7/7/7/7/7/7 n 0")),
        ("brandubh.position", "pawns", Way::Position("7/7/7/K6/1TTTTT1/7/7 n 0")),
        ("brandubh.position", "throne", Way::Position("7/7/7/K2t3/7/7/7 n 0")),
        ("brandubh.position", "parity", Way::Position("7/7/7/K6/7/7/7 r 0")),
        ("brandubh.position", "otg", Way::Arrangement("/7/7/7/7/7/7/7")),
    ]
}

/// Those of Querni.
fn ways_of_querni() -> Vec<(&'static str, &'static str, Way)> {
    vec![
        ("querni.notation", "empty", Way::Move(QUERNI, "")),
        ("querni.notation", "start", Way::Move(QUERNI, "x")),
        ("querni.notation", "column", Way::Move(QUERNI, "5-c4")),
        ("querni.notation", "row", Way::Move(QUERNI, "b8-c4")),
        ("querni.notation", "motion", Way::Move(QUERNI, "b3c4")),
        ("querni.notation", "mixed", Way::Move(QUERNI, "b3-c3^d5")),
        ("querni.notation", "number", Way::Move(QUERNI, "*1-17")),
        ("querni.notation", "hyphen", Way::Move(QUERNI, "*1")),
        ("querni.notation", "rest", Way::Move(QUERNI, "b3-b4x")),
        ("querni.Q-8", "motion", Way::Move(QUERNI, "--")),
        ("querni.Q-8", "removal", Way::Move("IKaf6/CGbg6/ABch6/OMdim5/EDejn5/LNPko5/FHJlp5 a 0 0", "--")),
        ("querni.Q-7", "origin", Way::Move(QUERNI, "b3^d5^b3")),
        ("querni.Q-7", "again", Way::Move(QUERNI, "b3^d5^d7^d5")),
        ("querni.occupied", "piece", Way::Move(QUERNI, "b3-c4")),
        ("querni.occupied", "same", Way::Move(QUERNI, "b3-b3")),
        ("querni.Q-5", "straight", Way::Move(QUERNI, "b3^c5")),
        ("querni.Q-5", "nothing", Way::Move(QUERNI, "b3^b5")),
        ("querni.Q-9", "descending", Way::Move(QUERNI, "*3-1")),
        ("querni.Q-9", "few", Way::Move(QUERNI, "*1-2")),
        ("querni.position", "piece", Way::Arrangement("10/10/10/10/10/10/9q")),
        ("querni.position", "turn", Way::Position("10/10/10/10/10/10/10 s 0 0")),
        ("querni.position", "twice", Way::Position("A8A/10/10/10/10/10/10 a 0 0")),
        ("querni.position", "idle", Way::Position("10/10/10/10/10/10/10 a 3 2")),
        ("querni.position", "start", Way::querni(&format!("[Setup \"{QUERNI_START} 1\"]"))),
    ]
}

/// A sentence that is well said: all its placeholders are filled and all its values are shown, in both languages.
#[track_caller]
fn check(message: &Message) {
    let id = format!("{} {}", message.code.id, message.variant);
    let template = catalog().sentence(message).unwrap_or_else(|| panic!("{id}: no such sentence"));
    let given: BTreeSet<_> = message.facts.iter().map(|(name, _)| *name).collect();
    let known: BTreeSet<_> = catalog().words().map(|(key, _)| key).collect();
    for lang in Lang::ALL {
        assert_eq!(placeholders(template.get(lang)), given, "{id} in {}: placeholders and values", lang.as_str());
        // With brackets that come from the values out of the way, none may be left.
        let bare = fill(template.get(lang), |name| given.contains(name).then(String::new));
        assert!(!bare.contains(['{', '}']), "{id}: {bare}");
        assert!(!catalog().message(message, lang).is_empty());
    }
    for (name, fact) in &message.facts {
        match fact {
            Fact::Text(_) => {}
            Fact::Word(key) => assert!(known.contains(key), "{id}: {name} is {key}, which is no word"),
            Fact::Message(inner) => check(inner),
        }
    }
}

type Variants = BTreeSet<(String, String)>;

/// The section of the sentences that codes share.
const SHARED: &str = "shared";

/// The sentences of the catalog.
fn all() -> Variants {
    let variants = catalog().codes().flat_map(|(id, words)| words.message.iter().map(move |(name, _)| (id, *name)));
    let shared = catalog().shared().map(|(name, _)| (SHARED, name));
    variants.chain(shared).map(|(id, name)| (id.to_owned(), name.to_owned())).collect()
}

/// The section of the sentence of a message, and its name there.
fn place(message: &Message) -> (String, String) {
    let own = catalog().code(message.code).is_some_and(|words| row(words.message, message.variant).is_some());
    (if own { message.code.id } else { SHARED }.to_owned(), message.variant.to_owned())
}

/// The sentences that examples say.
fn said_of_examples() -> Variants {
    let messages = codes::all().filter(|code| !competition::CODES.contains(code)).flat_map(|code| {
        let words = catalog().code(code).expect("every code has words");
        examples::findings(code, &words.example)
    });
    messages.inspect(|message| check(message)).map(|message| place(&message)).collect()
}

#[test]
fn every_sentence_is_said_of_something() {
    let (mut said, mut listed) = (Variants::new(), Variants::new());
    for (id, variant, way) in all_ways() {
        let messages: Vec<_> = way.messages(id).into_iter().flat_map(with_inner).collect();
        let found: Vec<_> = messages.iter().map(|message| (message.code.id, message.variant)).collect();
        assert!(found.contains(&(id, variant)), "{id} {variant}: {found:?}");
        messages.iter().for_each(check);
        said.extend(messages.iter().map(place));
        assert!(listed.insert((id.to_owned(), variant.to_owned())), "{id} {variant} is in the table twice");
    }
    let several: BTreeMap<_, _> = catalog().codes().map(|(id, words)| (id, words.message.len() > 1)).collect();
    let single = listed.iter().filter(|(id, _)| several.get(id.as_str()) != Some(&true));
    nothing(single, "codes with one sentence, which their example says");
    said.extend(said_of_examples());
    let all = all();
    nothing(all.difference(&said), "sentences that are never said");
    nothing(said.difference(&all), "sentences that are not in the catalog");
}

/// The sentence about the record quotes the fault of its position.
#[test]
fn a_fault_in_setup_says_which() {
    let messages = Way::tag("Setup", "7/7/7/7/7/7/6e s 7-7 0-0 - - 0", "*").messages("record.setup");
    let said: Vec<_> = messages.iter().map(|message| catalog().message(message, Lang::En)).collect();
    assert_eq!(
        said,
        [
            "“e” is not a piece: Sol uses a, b, c and d, and Luna uses A, B, C and D; a game cannot start from that Setup."
        ]
    );
}
