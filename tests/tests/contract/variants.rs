//! Messages: each sentence of the catalog is said of something, with all its places filled.

use std::collections::{BTreeMap, BTreeSet};

use quipu_notation::record::limits;
use quipu_referee::{
    Fact, Lang, Message, code, games,
    record::Breach,
    words::{catalog, fill},
};
use quipu_tests::verdicts;

use crate::{examples, nothing, places};

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
    /// The breach itself: no game that is here can break the rule so.
    Breach(Breach),
}

impl Way {
    /// A record of Andes with this movetext.
    fn moves(movetext: &str) -> Self {
        Self::Record(format!("[Game \"andes\"]\n\n{movetext}\n"))
    }

    /// A record of Andes with a tag more.
    fn tag(name: &str, value: &str, movetext: &str) -> Self {
        Self::Record(format!("[Game \"andes\"]\n[{name} \"{value}\"]\n\n{movetext}\n"))
    }

    /// A record of a game that leaves open who starts, with what it says of that.
    fn first(side: &str, setup: &str) -> Self {
        Self::Record(format!("[Game \"pastores\"]\n[First \"{side}\"]\n{setup}\n\n*\n"))
    }

    /// The messages that come of it, in the game of a code.
    fn messages(self, code: &str) -> Vec<Message> {
        let (owner, _) = code.split_once('.').expect("a code names its game");
        let game = || games::find(owner).expect("it is in the table");
        match self {
            Self::Record(text) => {
                let diagnostics =
                    verdicts(examples::bytes(&text).as_slice()).into_iter().flat_map(|verdict| verdict.diagnostics);
                diagnostics.map(|diagnostic| diagnostic.message).collect()
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
        }
    }
}

/// A game that ends with its fourth ply, won by Sol.
const ENDED: &str = "0a1 0D0 0b0 0D0C";

/// How to have each sentence said whose code has several; the others are said of their examples.
fn ways() -> Vec<(&'static str, &'static str, Way)> {
    let filled = |count: usize| "x".repeat(count);
    let oversized =
        format!("[Game \"andes\"]\n\n{}\n[Game \"andes\"]\n\n*", "{0123456789}\n".repeat(limits::RECORD / 13 + 1));
    let ply = "[Game \"andes\"]\n\n1. 0d3 {[%clk 0:11:58]} 2A3";
    vec![
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
        ("record.game", "unknown", Way::Record("[Game \"go\"]".into())),
        ("record.setup", "position", Way::tag("Setup", "7/7", "*")),
        ("record.setup", "over", Way::tag("Setup", "2A4/7/7/7/7/6a/5a1 s 5-6 0-0 l - 4", "*")),
        ("record.setup", "missing", Way::Breach(Breach::SetupMissing)),
        ("record.setup", "first", Way::first("sur", "[Setup \"5/5/5/5/5 n 53-53 - 0\"]")),
        ("record.setup", "first-unknown", Way::first("Ana", "")),
        ("record.result", "unknown", Way::tag("Result", "2-0", "0d3 *")),
        ("record.result", "tag", Way::tag("Result", "1-0", "0d3 *")),
        ("record.result", "board", Way::moves(&format!("{ENDED} 0-1"))),
        ("record.termination", "unknown", Way::tag("Termination", "mate", "0d3 *")),
        ("record.termination", "open", Way::tag("Termination", "continent", "0d3 *")),
        ("record.termination", "board", Way::tag("Termination", "time", &format!("{ENDED} 1-0"))),
        ("record.termination", "needs-draw", Way::tag("Termination", "agreement", "0d3 1-0")),
        ("record.termination", "needs-winner", Way::tag("Termination", "time", "0d3 1/2-1/2")),
        ("record.clock", "rises", Way::Record(format!("{ply} 2a3 {{[%clk 0:11:59]}} *"))),
        ("record.clock", "start", Way::moves("0d3 {[%clk 0:12:00.001]} *")),
        ("record.no-result", "open", Way::moves(&format!("{ENDED} *"))),
        ("record.no-result", "missing", Way::moves(ENDED)),
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

/// A sentence that is well said: all its places are filled and all its values are shown, in both languages.
#[track_caller]
fn check(message: &Message) {
    let id = format!("{} {}", message.code.id, message.variant);
    let template = catalog().sentence(message).unwrap_or_else(|| panic!("{id}: no such sentence"));
    let given: BTreeSet<_> = message.facts.iter().map(|(name, _)| *name).collect();
    let known: BTreeSet<_> = catalog().words().map(|(key, _)| key).collect();
    for lang in Lang::ALL {
        assert_eq!(places(template.get(lang)), given, "{id} in {}: places and values", lang.as_str());
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

/// Where the sentences stand that codes share.
const SHARED: &str = "shared";

/// The sentences of the catalog.
fn all() -> Variants {
    let variants = catalog().codes().flat_map(|(id, words)| words.message.keys().map(move |name| (id, name.as_str())));
    let shared = catalog().shared().map(|(name, _)| (SHARED, name));
    variants.chain(shared).map(|(id, name)| (id.to_owned(), name.to_owned())).collect()
}

/// Where the sentence of a message stands, and its name there.
fn place(message: &Message) -> (String, String) {
    let own = catalog().code(message.code).is_some_and(|words| words.message.contains_key(message.variant));
    (if own { message.code.id } else { SHARED }.to_owned(), message.variant.to_owned())
}

/// The sentences that examples say.
fn said_of_examples() -> Variants {
    let messages = code::all().flat_map(|code| {
        let words = catalog().code(code).expect("every code has words");
        examples::findings(code, &words.example)
    });
    messages.inspect(|message| check(message)).map(|message| place(&message)).collect()
}

#[test]
fn every_sentence_is_said_of_something() {
    let (mut said, mut listed) = (Variants::new(), Variants::new());
    for (id, variant, way) in ways() {
        let messages = way.messages(id);
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

/// What a sentence quotes of a broken position stands in the sentence about the record that starts from it.
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
