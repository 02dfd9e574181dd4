//! Games written down: truthfully, freely, and broken.

use std::fmt::Write;

use fastrand::Rng;

use crate::{
    Kind,
    random_games::Sides,
    random_tokens::{any, deal, garble, one_in, position, random_token},
};

/// Pieces of text that can hide the beginning of a record, or look like one, and what stands around them.
const NASTY: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ";",
    "%",
    "$",
    "!",
    "?",
    "\"",
    "\\",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    " ",
    "\t",
    "\u{b}",
    "\u{feff}",
    "\n[",
    "\n%",
    "\n;",
    "\n[Game \"",
    "\n[Game \"andes\"]\n",
    "\u{feff}[Event \"x\"]\n",
    "[Result \"1-0\"]\n",
    "{[%clk 0:01:00]}",
    "[%clk ",
    "0:01:00]",
    "$7",
    "$4294967296",
    "!?",
    "!!!",
    "0d3",
    "0D0",
    "1.",
    "1.;",
    "1...",
    "1-0",
    "1/2-1/2",
    "*",
    "x",
    "ñ",
    "\u{a0}",
    "\u{2028}",
    "\0",
];

/// A game as it was played, and what is said of it.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) plies: Vec<Turn>,
    pub(crate) result: Option<String>,
}

#[derive(Clone)]
pub(crate) struct Turn {
    pub(crate) token: String,
    pub(crate) clock: Option<String>,
}

/// Writes a game down, truthfully.
pub(crate) fn write_down(
    kind: Kind,
    sides: &Sides,
    over: bool,
    mut tags: Vec<(String, String)>,
    random: &mut Rng,
) -> Draft {
    let mut tag = |name: &str, value: &str| tags.push((name.to_owned(), value.to_owned()));
    let turn = sides.second.turn();
    let win = |side: usize| ["1-0", "0-1"][side];
    let (ended, result) = if let (true, Some(end)) = (over, sides.second.end()) {
        let decided = end.tie && random.bool();
        let side = random.usize(..2);
        if decided {
            tag("Decision", ["sol", "luna"][side]);
        }
        if one_in(random, 4) {
            tag("Leg", any(random, &["1", "2"]));
        }
        let winner = end.winner.or(decided.then_some(side));
        let named = if random.bool() { end.name } else { "" };
        (named, winner.map_or("1/2-1/2", win))
    } else {
        match random.u32(..7) {
            0 => ("resignation", win(1 - turn)),
            1 => ("time", win(random.usize(..2))),
            2 => ("agreement", "1/2-1/2"),
            3 => ("adjudication", any(random, &["1-0", "0-1", "1/2-1/2", "*"])),
            4 => ("abandoned", any(random, &["1-0", "0-1", "1/2-1/2", "*"])),
            _ => ("", "*"),
        }
    };
    if !ended.is_empty() {
        tag("Termination", ended);
    }
    if let (Some([sol, luna]), true) = (sides.second.points(), random.bool()) {
        tag("Points", &format!("{sol}-{luna}"));
    }
    if random.bool() {
        tag("Result", result);
    }
    for (name, value) in [("Event", "Torneo \"La Ñusta\" \\ abierto"), (kind.sides[0], "Quispe, Ana"), ("Ñame_2", "")]
    {
        if one_in(random, 3) {
            tag(name, value);
        }
    }
    let timed = one_in(random, 3);
    let control = *any(random, &[&720_u64, &60, &1, &0]);
    if timed && (control != 720 || one_in(random, 3) || kind.game != "andes") {
        tag("TimeControl", &control.to_string());
    }
    let mut clocks = [control * 1000; 2];
    let mut plies = Vec::new();
    for (index, token) in sides.tokens.iter().enumerate() {
        let clock = &mut clocks[index % 2];
        *clock -= random.u64(..20_000).min(clock.saturating_sub(1));
        let written = timed && !one_in(random, 6);
        plies.push(Turn { token: token.clone(), clock: written.then(|| clock_text(*clock, random)) });
    }
    let result = (tags.iter().all(|(name, _)| name != "Result") || random.bool()).then(|| result.to_owned());
    Draft { tags, plies, result }
}

fn clock_text(clock: u64, random: &mut Rng) -> String {
    let (seconds, thousandths) = (clock / 1000, clock % 1000);
    let mut text = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if thousandths > 0 || random.bool() {
        write!(text, ".{thousandths:03}").expect("a String takes everything");
    }
    text
}

/// Writes a record plainly.
pub(crate) fn truthful(draft: &Draft) -> String {
    let mut text = String::new();
    for (name, value) in &draft.tags {
        text += &format!("[{name} \"{}\"]\n", escaped(value));
    }
    text.push('\n');
    for (index, ply) in draft.plies.iter().enumerate() {
        if index.is_multiple_of(2) {
            text += &format!("{}. ", index / 2 + 1);
        }
        text += &ply.token;
        if let Some(clock) = &ply.clock {
            text += &format!(" {{[%clk {clock}]}}");
        }
        text += if index.is_multiple_of(2) { " " } else { "\n" };
    }
    text += draft.result.as_deref().unwrap_or("");
    text + "\n\n"
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Writes a record as freely as the format allows, and sometimes more freely than that.
pub(crate) fn freely(draft: &Draft, random: &mut Rng) -> String {
    let line = if one_in(random, 6) { "\r\n" } else { "\n" };
    let odd = random.bool();
    let mut text = String::new();
    if odd && one_in(random, 4) {
        text += any(random, &["\u{feff}", "{antes}\n", "; antes\n", "% antes\n", "\n\n"]);
    }
    let mut tags = draft.tags.clone();
    if random.bool() {
        random.shuffle(&mut tags);
    }
    for (name, value) in &tags {
        text += &match random.u32(..12) {
            0 if odd => format!("[ {name}\t\"{}\" ] {line}", escaped(value)),
            1 if odd => format!("[{name} \"{}\"]{line}{{entre}}{line}", escaped(value)),
            2 if odd => format!("%[{name}{line}[{name} \"{}\"]{line}; entre{line}", escaped(value)),
            _ => format!("[{name} \"{}\"]{line}", escaped(value)),
        };
    }
    if !one_in(random, 8) {
        text += line;
    }
    let numbered = random.u32(..4);
    for (index, ply) in draft.plies.iter().enumerate() {
        let number = index / 2 + 1;
        match numbered {
            0 => {}
            _ if odd && one_in(random, 40) => text += &format!("{}. ", random.u32(..200)),
            1 if index % 2 == 1 && one_in(random, 3) => text += &format!("{number}..."),
            2 if index.is_multiple_of(2) => text += &format!("0{number}.{number}. "),
            _ if index.is_multiple_of(2) => text += &format!("{number}. "),
            _ => {}
        }
        text += &ply.token;
        let before = text.len();
        if let Some(clock) = &ply.clock {
            text += &match random.u32(..8) {
                0 if odd => format!("{{nota [%clk 0:00:01] [%clk {clock}] más}}"),
                1 if odd => format!(" ;[%clk {clock}]{line}"),
                2 if odd => format!("({}{{[%clk 0:00:00]}}){{[%clk {clock}]}}", ply.token),
                _ => format!(" {{[%clk {clock}]}}"),
            };
        }
        if odd && one_in(random, 6) {
            text += any(
                random,
                &["!", " ??", "$7", " $007", " (2a3 0D0!)", "()", " {nota}", "(a (b) {c} ;d\n)", "{[%clk 0:0:1]}"],
            );
        }
        if odd && text.len() > before && one_in(random, 6) {
            continue;
        }
        text += if index.is_multiple_of(2) && numbered != 3 { " " } else { line };
    }
    if let Some(result) = &draft.result {
        text += &format!("{result}{line}");
    }
    if !text.ends_with('\n') || !one_in(random, 6) {
        text += line;
    }
    if odd && one_in(random, 4) {
        text += any(random, &["; después\n", "{después [%clk 0:00:00]}\n", "% después\n", "{}\n"]);
        text += line;
    }
    text
}

/// Makes something in a record untrue, or only other than it was.
pub(crate) fn break_draft(kind: Kind, draft: &mut Draft, random: &mut Rng) {
    let plies = draft.plies.len();
    if plies > 0 && random.bool() {
        let index = random.usize(..plies);
        match random.u32(..12) {
            0..3 => draft.plies[index].token = random_token(kind, random),
            3 => draft.plies.swap(index, random.usize(..plies)),
            4 => drop(draft.plies.remove(index)),
            5 => draft.plies.insert(index, Turn { token: random_token(kind, random), clock: None }),
            6 => draft.plies.push(Turn { token: random_token(kind, random), clock: None }),
            7 => draft.plies.truncate(index),
            8 => {
                let mut letters: Vec<char> = draft.plies[index].token.chars().collect();
                garble(&mut letters, "0123456789abcdefgABCDEFGKPx^*-+/;.,%=ñ", random);
                letters.retain(|letter| !letter.is_whitespace());
                draft.plies[index].token = letters.into_iter().collect();
            }
            9 => {
                let clock =
                    any(random, &["0:00:00", "0:12:00.001", "0:00:60", "000000001:00:00", "999999999:59:59.999"]);
                draft.plies[index].clock = Some((*clock).to_owned());
            }
            10 => {
                let clock = random.u64(..800_000);
                draft.plies[index].clock = Some(clock_text(clock, random));
            }
            _ => {
                let long = any(random, &[&255, &256, &257]);
                draft.plies[index].token = "a".repeat(*long);
            }
        }
        return;
    }
    match random.u32(..8) {
        0 => {
            let result = any(random, &["1-0", "0-1", "1/2-1/2", "*", "", "1-1", " 1-0"]);
            set(draft, "Result", result);
        }
        1 => draft.result = Some((*any(random, &["1-0", "0-1", "1/2-1/2", "*"])).to_owned()),
        2 => draft.result = None,
        3 => {
            draft.tags.retain(|(name, _)| name == "Game" || !one_in(random, 4));
        }
        4 if !draft.tags.is_empty() && one_in(random, 4) => {
            let again = draft.tags[random.usize(..draft.tags.len())].clone();
            draft.tags.push(again);
        }
        5 if one_in(random, 3) => {
            let value = match random.u32(..4) {
                0 => deal(random),
                1 => String::new(),
                _ => position(kind, random),
            };
            set(draft, "Setup", &value);
        }
        _ => {
            const ENDS: &[&str] = &[
                "resignation",
                "time",
                "agreement",
                "adjudication",
                "abandoned",
                "continent",
                "immobile",
                "annihilation",
                "countdown",
                "cleared",
                "dead",
                "idle",
                "corner",
                "king-captured",
                "",
                "Time",
                "mate",
            ];
            const TAGS: &[(&str, &[&str])] = &[
                ("Termination", ENDS),
                ("Termination", ENDS),
                ("Decision", &["sol", "luna", "norte", "", "Sol"]),
                ("Leg", &["1", "2", "3", ""]),
                ("Points", &["12-9", "0-0", "7-7", "07-7", "", "12"]),
                ("First", &["norte", "sur", "azul", "rosa", "sol", "", "Norte"]),
                ("Rules", &["base", "cuervo", "nielsen", "", "Base", "copenhagen"]),
                ("Game", &["andes", "pastores", "querni", "brandubh", "damas", "", "Andes"]),
                (
                    "TimeControl",
                    &["720", "1", "0", "", "abc", "00720", "12x", "-5", "18446744073709552", "99999999999999999999999"],
                ),
                ("TimeControl", &["3600", "18446744073709551", "18446744073709551615", "+60", "60.5", "٣"]),
            ];
            let (name, values) = TAGS[random.usize(..TAGS.len())];
            set(draft, name, any(random, values));
        }
    }
}

fn set(draft: &mut Draft, name: &str, value: &str) {
    draft.tags.retain(|(other, _)| other != name);
    draft.tags.push((name.to_owned(), value.to_owned()));
}

/// Damages a text.
pub(crate) fn break_text(text: &mut Vec<u8>, random: &mut Rng) {
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..=text.len());
        let end = text.len().min(at + random.usize(..12));
        match random.u32(..8) {
            0 if one_in(random, 4) => text.truncate(at),
            1 => drop(text.drain(at..end)),
            2 => {
                let copy = text[at..end].to_vec();
                let to = random.usize(..=text.len());
                text.splice(to..to, copy);
            }
            3 if at < text.len() => text[at] = random.u8(..),
            4 if at < text.len() => text[at] ^= 1 << random.u32(..8),
            4 if one_in(random, 3) => text.insert(at, 0xff),
            _ => {
                let piece = NASTY[random.usize(..NASTY.len())];
                text.splice(at..at, piece.bytes());
            }
        }
    }
}
