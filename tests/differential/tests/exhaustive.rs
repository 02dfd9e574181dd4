//! Every text of a few pieces, none left out: what chance would take long to put together.

use quipu_differential::{
    Tally, compare,
    targets::{self, Format},
};

/// Building blocks of the texts of a form: its syntax, byte order marks, and bytes that are not UTF-8.
type Pieces = &'static [&'static [u8]];

const TEXT: Pieces =
    &[b"\xef\xbb\xbf", b"\n", b" ", b"{x}", b"{", b"}", b"[Game \"andes\"]", b"[", b"%", b";", b"0d3", b"*", b"\xff"];
const JSON: Pieces = &[
    b"\xef\xbb\xbf",
    b"\n",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\"game\":\"andes\"",
    b"\"moves\":[",
    b"\"tags\":{",
    b"\"0d3\"",
    b"\"",
    b"\\",
    b"\xff",
];
const CSV: Pieces = &[
    b"\xef\xbb\xbf",
    b"\n",
    b"\r",
    b" ",
    b"#Game: andes",
    b"n,sol,luna",
    b"1",
    b",",
    b";",
    b"0d3",
    b"*",
    b"\"",
    b"\xff",
];
const OTG: Pieces = &[
    b"\xef\xbb\xbf",
    b"\n",
    b"[rules:dim:7]",
    b"[",
    b"]",
    b"|",
    b"1. ",
    b"1a.1.1a. ",
    b"d1-c1",
    b" ",
    b".....",
    b"290 0/0 0i",
    b"\xc2\xa0",
    b"\xff",
];

const HNEFATAFL: Pieces = &[
    b"\xef\xbb\xbf",
    b"\n",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\"dim\":7",
    b"\"moves\":\"",
    b"\"quipu\":{",
    b"d3-c3 ",
    b"\"",
    b"\xc2\xa0",
    b"\xff",
];
const PGN: Pieces = &[
    b"\xef\xbb\xbf",
    b"\n",
    b"[Event \"x\"]",
    b"[",
    b"]",
    b"1. ",
    b"d3c3",
    b"h1h3",
    b" ",
    b"{",
    b"}",
    b"*",
    b"\xc2\xa0",
    b"\xff",
];

/// A game, positions of it under a rule set, and what its tokens are made of.
type Game = (&'static str, &'static str, &'static [&'static str], Pieces);

const GAMES: [Game; 6] = [
    ("andes", "base", &["7/6A/7/7/7/7/5ac l 5-6 0-0 - - 3", "7/7/7/2bB3/7/1A5/B6 l 2-2 2-4 sl pc 67"], ANDES),
    ("pastores", "base", &["GPG2/3G1/5/3p1/p2pp s 40-13 - 8", "G1G2/Pg3/2p1G/4p/gp2p s 00-00 - 69"], PASTORES),
    ("querni", "base", &["10/1lIdonmNk1/1hpOMeJjL1/10/1GPgAcEfB1/1FHibCDaK1/10 r 0 0"], QUERNI),
    ("brandubh", "base", BRANDUBH_POSITIONS, BRANDUBH),
    ("brandubh", "cuervo", BRANDUBH_POSITIONS, BRANDUBH),
    ("brandubh", "nielsen", NIELSEN_POSITIONS, BRANDUBH),
];
const BRANDUBH_POSITIONS: &[&str] = &["3T3/6t/t1t1T2/7/T2t1tt/5tT/5K1 n 58", "2T4/5t1/2t1T2/t6/T2t1tt/6T/4Kt1 r 53"];
const NIELSEN_POSITIONS: &[&str] = &["3T3/6t/t1t1T2/7/T2t1tt/5tT/5K1 n 59", "2T4/5t1/2t1T2/t6/T2t1tt/6T/4Kt1 r 54"];
const ANDES: Pieces = &[b"0", b"1", b"2", b"3", b"6", b"A", b"B", b"C", b"G", b"a", b"f", b"x", b"+", b"-"];
const PASTORES: Pieces = &[b"P", b"G", b"A", b"B2", b"A1", b"C1", b"D", b"1", b"2", b"E3", b"-", b"x", b"p", b"+"];
const QUERNI: Pieces =
    &[b"c2", b"d3", b"a4", b"c4", b"d4", b"e2^g4", b"^", b"g6", b"*", b"-", b"13", b"15", b"5", b"--"];
const BRANDUBH: Pieces = &[b"f1", b"e1", b"c5", b"c4", b"c", b"5", b"a3", b"d1", b"-", b"x", b"/", b"+", b"K", b"1"];

/// Letters that position strings are made of, and some that they are not.
const LETTERS: &str = "0123456789 /-_nsalrpcPpGgTtKABdmñ";

/// Calls back with every text of up to so many of these.
fn all_of(pieces: Pieces, most: u32, mut check: impl FnMut(&[u8])) {
    let mut text = Vec::new();
    for length in 0..=most {
        for mut number in 0..pieces.len().pow(length) {
            text.clear();
            for _ in 0..length {
                text.extend_from_slice(pieces[number % pieces.len()]);
                number /= pieces.len();
            }
            check(&text);
        }
    }
}

/// Every text that is one letter away from this one, or two letters the other way round.
fn neighbours(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    for at in 0..=letters.len() {
        let (before, behind) = letters.split_at(at);
        let mut with = |middle: &[char], behind: &[char]| all.push([before, middle, behind].concat());
        for letter in LETTERS.chars() {
            with(&[letter], behind);
            with(&[letter], behind.get(1..).unwrap_or_default());
        }
        with(&[], behind.get(1..).unwrap_or_default());
        if let [first, second, rest @ ..] = behind {
            with(&[*second, *first], rest);
        }
    }
    all.into_iter().map(String::from_iter).collect()
}

/// Pieces in a text, at most. `MOST=6` instead takes minutes.
fn most(usual: u32) -> u32 {
    std::env::var("MOST").map_or(usual, |most| most.parse().expect("a number"))
}

/// Checks any text of a form: it is read and written as the same, and byte by byte as at once.
fn check(form: Format, pieces: Pieces) {
    all_of(pieces, most(4), |text| {
        targets::read(Some(form), text);
        targets::read(None, text);
        targets::stream(&[&[0; 4], text].concat());
    });
}

#[test]
fn text_is_read_in_pieces_as_at_once() {
    check(Format::Quipu, TEXT);
}

#[test]
fn json_is_read_in_pieces_as_at_once() {
    check(Format::Json, JSON);
}

#[test]
fn csv_is_read_in_pieces_as_at_once() {
    check(Format::Csv, CSV);
}

#[test]
fn otg_is_read_in_pieces_as_at_once() {
    check(Format::Otg, OTG);
}

#[test]
fn games_of_hnefatafl_org_are_read_in_pieces_as_at_once() {
    check(Format::Hnefatafl, HNEFATAFL);
}

#[test]
fn pgn_is_read_in_pieces_as_at_once() {
    check(Format::Pgn, PGN);
}

#[test]
fn both_referees_say_the_same_of_every_text() {
    all_of(TEXT, most(5), targets::differential);
}

#[test]
fn both_referees_say_the_same_of_every_token() {
    let mut tally = Tally::default();
    for (game, rules, positions, pieces) in GAMES {
        for position in positions {
            let head = format!("[Game \"{game}\"]\n[Rules \"{rules}\"]\n[Setup \"{position}\"]\n\n");
            let before = tally.replayed;
            all_of(pieces, most(4), |token| {
                let text = [head.as_bytes(), token, b" *\n"].concat();
                assert_eq!(compare(&text, &mut tally), None, "{}", String::from_utf8_lossy(&text));
            });
            assert!(tally.replayed > before, "none of {game} is legal in {position}");
        }
    }
}

#[test]
fn both_referees_say_the_same_of_every_position_beside_a_good_one() {
    let mut tally = Tally::default();
    for (game, rules, positions, _) in GAMES {
        for position in positions.iter().flat_map(|position| neighbours(position)) {
            let text = format!("[Game \"{game}\"]\n[Rules \"{rules}\"]\n[Setup \"{position}\"]\n\n*\n");
            assert_eq!(compare(text.as_bytes(), &mut tally), None, "{text}");
        }
    }
    assert!(tally.records > 20_000, "{tally:?}");
}
