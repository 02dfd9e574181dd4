//! Lawful games with one slip of the pen in each, and whether the move that was meant is suggested.
//!
//! The slips are made here by rules of their own, so that the error model of the referee is measured and not repeated.

use std::{borrow::Cow, ops::AddAssign};

use fastrand::Rng;
use quipu_notation::{
    games::GameNotation,
    record::{Movetext, Outcome, Ply, Record, Spanned, Tag},
};
use quipu_referee::{Referee, Verdict, verify};
use serde_json::Value;

use crate::{each_chunk, every_object, text};

/// Makes a slip in a token, if it can be made there.
type Make = fn(&mut Rng, &str, &Record<'_>) -> Option<String>;

/// The kinds of slips.
pub const KINDS: &[(&str, Make)] = &[
    ("look-alike", |random, token, _| at_one(random, token, alike)),
    ("neighbouring letter", |random, token, _| at_one(random, token, |c| neighbours(c, char::is_alphabetic))),
    ("neighbouring digit", |random, token, _| at_one(random, token, |c| neighbours(c, |c| c.is_ascii_digit()))),
    ("case of one letter", |random, token, _| {
        at_one(random, token, |c| if c == 'x' { String::new() } else { other_case(c) })
    }),
    ("case of all letters", |_, token, _| Some(token.chars().map(|c| one_or(&other_case(c), c)).collect())),
    ("two characters swapped", |random, token, _| swapped(random, token)),
    ("origin and destination swapped", |_, token, _| ends_swapped(token)),
    ("no hyphen or other sign", |random, token, _| without_sign(random, token)),
    ("wrong sign", |random, token, _| {
        at_one(random, token, |c| if "-x^".contains(c) { "-x^".to_owned() } else { String::new() })
    }),
    ("wrong type of piece", |random, token, record| wrong_type(random, token, record)),
    ("wrong claim", |_, token, record| wrong_claim(token, record)),
    ("character left out", |random, token, _| dropped(random, token)),
    ("character twice", |random, token, _| twice(random, token)),
    ("spreadsheet", |random, token, _| spreadsheet(random, token)),
    ("unreadable", |_, _, _| Some("_".to_owned())),
];

/// Kinds that are counted and not aimed at: nothing of the move is left.
pub const HOPELESS: &[&str] = &["unreadable"];

/// Counts of slips.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Slips.
    pub made: u32,
    /// Those whose ply is refused.
    pub refused: u32,
    /// Of these, those whose true move is suggested first.
    pub first: u32,
    /// Those whose true move is among the suggestions.
    pub suggested: u32,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.made += other.made;
        self.refused += other.refused;
        self.first += other.first;
        self.suggested += other.suggested;
    }
}

impl Count {
    /// The count of one slip.
    fn of(verdict: &Verdict, ply: usize, truth: &str) -> Self {
        let mut count = Self { made: 1, ..Self::default() };
        let fault = verdict.diagnostics.iter().find(|found| found.token.is_some());
        if let Some(fault) = fault.filter(|fault| fault.ply == Some(ply as u64 + 1)) {
            count.refused = 1;
            count.first = u32::from(fault.suggestions.first().is_some_and(|token| token == truth));
            count.suggested = u32::from(fault.suggestions.iter().any(|token| token == truth));
        }
        count
    }
}

/// Counts of slips of each of the [`KINDS`], each made `times` in games of one kind.
///
/// # Panics
/// If a game cannot be played.
pub fn measure(game: &'static dyn Referee, times: usize, seed: u64) -> Vec<Count> {
    let mut random = Rng::with_seed(seed);
    let mut games = written(game);
    games.extend((0..games.len()).map(|_| played(game, &mut random)));
    let of_kind = |(_, make): &(&str, Make)| {
        let mut count = Count::default();
        // Some kinds of slips cannot be made in every token.
        for _ in 0..100 * times {
            let record = &games[random.usize(..games.len())];
            let ply = random.usize(..record.movetext.plies.len());
            let truth = &record.movetext.plies[ply].token;
            let Some(slipped) = make(&mut random, truth, record).filter(|slipped| *slipped != **truth) else {
                continue;
            };
            let mut record = record.clone();
            let truth = std::mem::replace(&mut record.movetext.plies[ply].token, slipped.into());
            count += Count::of(&verify::record(&record), ply, &truth);
            if count.made as usize == times {
                break;
            }
        }
        count
    };
    KINDS.iter().map(of_kind).collect()
}

/// Counts of the slips of the fixture `repair.ndjson`, on sheets that have one slip of one token, by kind.
///
/// # Panics
/// If the fixture is not as it should be.
pub fn measure_fixture(game: &'static dyn Referee) -> Vec<(String, Count)> {
    let mut counts: Vec<(String, Count)> = Vec::new();
    for sheet in every_object(game.notation().id, "repair") {
        let [error] = sheet["errors"].as_array().expect("a list").as_slice() else { continue };
        let kind = error["kind"].as_str().expect("a kind");
        if ["omitted", "doubled", "swapped"].contains(&kind) {
            continue;
        }
        let ply = error["ply"].as_u64().and_then(|ply| usize::try_from(ply).ok()).expect("a ply") - 1;
        let truth = sheet["truth"][ply].as_str().expect("a token");
        let written = sheet["sheet"].as_str().expect("a sheet");
        let mut found = Vec::new();
        each_chunk(written.as_bytes(), |chunk| found.extend(verify::chunk(chunk).map(|judged| judged.verdict)));
        let count = Count::of(&found[0], ply, truth);
        match counts.iter_mut().find(|(known, _)| known == kind) {
            Some((_, known)) => *known += count,
            None => counts.push((kind.to_owned(), count)),
        }
    }
    counts.sort_by(|(one, _), (other, _)| one.cmp(other));
    counts
}

/// The verified games of the fixture, in canonical form.
///
/// # Panics
/// If the fixture is not as it should be.
pub fn written(game: &dyn Referee) -> Vec<Record<'static>> {
    let source = text(&format!("{}/games.quipu", game.notation().id));
    let verdicts = every_object(game.notation().id, "games.verdicts");
    let verified = |index: usize| verdicts.get(index).is_some_and(|verdict: &Value| verdict["status"] == "verified");
    let mut records = Vec::new();
    each_chunk(source.as_bytes(), |chunk| {
        records.extend(chunk.records().map(|record| owned(&game.normalized(&record.expect("a record")))));
    });
    let long = |record: &Record<'_>| record.movetext.plies.len() > 4;
    let kept = records.into_iter().enumerate().filter(|(index, record)| verified(*index) && long(record));
    kept.map(|(_, record)| record).collect()
}

/// The tags, the tokens and the result of a record.
pub fn owned(record: &Record<'_>) -> Record<'static> {
    let tags = record.tags.iter().map(|tag| (tag.name.as_ref(), tag.value.as_ref()));
    let tokens = record.movetext.plies.iter().map(|ply| ply.token.as_ref());
    bare(tags, tokens, record.result.map_or(Outcome::Open, |result| result.value))
}

fn bare<'t>(
    tags: impl Iterator<Item = (&'t str, &'t str)>,
    tokens: impl Iterator<Item = &'t str>,
    result: Outcome,
) -> Record<'static> {
    let span = quipu_notation::Span::default();
    let tag = |(name, value): (&str, &str)| Tag {
        name: Cow::Owned(name.to_owned()),
        value: Cow::Owned(value.to_owned()),
        span,
    };
    let ply = |token: &str| Ply { token: Cow::Owned(token.to_owned()), span, number: None, clock: None, notes: None };
    Record {
        tags: tags.map(tag).collect(),
        movetext: Movetext { comments: Vec::new(), plies: tokens.map(ply).collect() },
        result: Some(Spanned { value: result, span }),
        ..Record::default()
    }
}

/// A game of chance, to its end or for 150 plies.
pub(crate) fn played(game: &dyn Referee, random: &mut Rng) -> Record<'static> {
    const MAX_PLIES: usize = 150;
    let notation: &GameNotation = game.notation();
    let dealt = game.deal(None, random.u64(..), None).expect("base is a rule set");
    let setup = dealt.as_ref().map(|board| board.position());
    let mut board = dealt.unwrap_or_else(|| game.board(None, None).expect("it starts from somewhere"));
    let mut tokens = Vec::new();
    while board.end().is_none() && tokens.len() < MAX_PLIES {
        let moves = board.legal_moves();
        tokens.push(board.play(&moves[random.usize(..moves.len())]).expect("it is legal"));
    }
    let end = board.end();
    let points = board.points().map(|points| points.to_string());
    let result = end.map_or(Outcome::Open, |end| end.outcome);
    let tags = [
        Some(("Game", notation.id)),
        setup.as_deref().map(|setup| ("Setup", setup)),
        Some(("Result", result.as_str())),
        points.as_deref().map(|points| ("Points", points)),
        end.map(|end| ("Termination", end.termination.name)),
    ];
    bare(tags.into_iter().flatten(), tokens.iter().map(String::as_str), result)
}

fn pick<T>(random: &mut Rng, from: impl IntoIterator<Item = T>) -> Option<T> {
    let mut from: Vec<_> = from.into_iter().collect();
    (!from.is_empty()).then(|| from.swap_remove(random.usize(..from.len())))
}

fn at_one(random: &mut Rng, token: &str, others: impl Fn(char) -> String) -> Option<String> {
    let mut slips = Vec::new();
    for (place, character) in token.char_indices() {
        for other in others(character).chars().filter(|other| *other != character) {
            slips.push(format!("{}{other}{}", &token[..place], &token[place + character.len_utf8()..]));
        }
    }
    pick(random, slips)
}

/// The slips that handwriting and scanners make most.
pub(crate) fn alike(character: char) -> String {
    let others = match character {
        '0' => "OD6",
        '1' => "l7I",
        '2' => "Z",
        '3' | 'B' => "8",
        '4' => "A9",
        '5' => "S",
        '6' => "b0",
        '7' => "1",
        'A' => "4",
        'C' => "G",
        'D' => "0",
        'E' => "F",
        'F' => "E",
        'G' => "6C",
        'a' => "d",
        'b' => "6",
        'c' => "e",
        'd' => "a",
        'e' => "c",
        'f' => "t",
        'g' => "9",
        'h' => "n",
        _ => "",
    };
    others.to_owned()
}

pub(crate) fn neighbours(character: char, is_kind: impl Fn(char) -> bool) -> String {
    if !is_kind(character) || character == 'x' {
        return String::new();
    }
    let code = u32::from(character);
    [code - 1, code + 1].into_iter().filter_map(char::from_u32).filter(|other| is_kind(*other)).collect()
}

pub(crate) fn other_case(character: char) -> String {
    if character.is_lowercase() { character.to_uppercase().collect() } else { character.to_lowercase().collect() }
}

fn one_or(text: &str, otherwise: char) -> char {
    // A capture is written the same by both sides.
    text.chars().next().filter(|_| otherwise != 'x').unwrap_or(otherwise)
}

fn swapped(random: &mut Rng, token: &str) -> Option<String> {
    let mut characters: Vec<_> = token.chars().collect();
    let place = random.usize(..characters.len().checked_sub(1)?);
    characters.swap(place, place + 1);
    Some(characters.into_iter().collect())
}

fn ends_swapped(token: &str) -> Option<String> {
    if let Some((from, to)) = token.split_once('-') {
        return (from.len() == 2 && to.len() == 2 && !from.starts_with('*')).then(|| format!("{to}-{from}"));
    }
    let [kind, from @ .., mark, scale] = token.as_bytes() else { return None };
    let from = std::str::from_utf8(from).ok().filter(|from| kind.is_ascii_digit() && from.len() == 2)?;
    Some(format!("{}{}{}{from}", char::from(*kind), char::from(*mark), char::from(*scale)))
}

fn without_sign(random: &mut Rng, token: &str) -> Option<String> {
    let signs = token.char_indices().filter(|(_, character)| "-x^".contains(*character));
    let place = pick(random, signs)?.0;
    Some(format!("{}{}", &token[..place], &token[place + 1..]))
}

fn wrong_type(random: &mut Rng, token: &str, record: &Record<'_>) -> Option<String> {
    let types = match record.value("Game")? {
        "andes" => "0123",
        "pastores" if token.starts_with(['P', 'G']) => "PG",
        _ => return None,
    };
    pick(random, types.chars()).map(|kind| format!("{kind}{}", &token[1..]))
}

fn wrong_claim(token: &str, record: &Record<'_>) -> Option<String> {
    match record.value("Game")? {
        "andes" => Some(format!("{token}+4")),
        "brandubh" if !token.contains('x') => Some(format!("{token}xa1/b1/c1/d1")),
        "brandubh" => Some(format!("{token}/a1/b1")),
        "querni" if token.starts_with(char::is_alphabetic) => Some(format!("17{token}")),
        _ => None,
    }
}

fn dropped(random: &mut Rng, token: &str) -> Option<String> {
    let characters = token.char_indices().filter(|(_, character)| character.is_alphanumeric());
    let place = pick(random, characters)?.0;
    Some(format!("{}{}", &token[..place], &token[place + 1..]))
}

fn twice(random: &mut Rng, token: &str) -> Option<String> {
    let place = pick(random, token.char_indices())?.0;
    Some(format!("{}{}", &token[..=place], &token[place..]))
}

/// The way in which `LibreOffice` and Excel show what they took for a number.
fn spreadsheet(random: &mut Rng, token: &str) -> Option<String> {
    let (mantissa, exponent) = token.split_once(['e', 'E'])?;
    let (mantissa, exponent) = (mantissa.parse::<u32>().ok()?, exponent.parse::<u32>().ok()?);
    let forms = match mantissa {
        0 => ["0".to_owned(), "0.00E+00".to_owned(), "0E+00".to_owned()],
        _ => [
            format!("{mantissa}E+{exponent:03}"),
            format!("{mantissa}.00E+{exponent:02}"),
            format!("{mantissa},00E+{exponent:02}"),
        ],
    };
    pick(random, forms)
}
