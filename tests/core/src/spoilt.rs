//! Sheets spoiled by the kinds of slips that the fixtures `repair.ndjson` and `sheets.ndjson` have, in other places.
//!
//! The slips are made here by rules of their own, so that the error model of the referee is measured and not repeated.

use fastrand::Rng;
use quipu_notation::record::Record;
use quipu_referee::{Referee, Status, verify};

use crate::{
    fixture,
    repaired::{Sheet, sheets, with_moves},
    slipped::{self, alike, neighbours, other_case},
};

/// The kinds of slips, and how many of a hundred are of each.
const KINDS: &[(&str, u8)] = &[
    ("alike", 30),
    ("neighbour", 22),
    ("omitted", 14),
    ("unreadable", 12),
    ("swapped", 7),
    ("doubled", 8),
    ("case", 7),
];

/// Games of the fixtures with their tags, each once.
pub fn games(game: &dyn Referee) -> Vec<Sheet> {
    let mut games: Vec<Sheet> = Vec::new();
    for name in ["repair", "sheets"] {
        let path = fixture(&format!("{}/{name}.ndjson", game.notation().id));
        for sheet in sheets(&std::fs::read_to_string(path).unwrap_or_default()) {
            if games.last().is_none_or(|last| last.truth != sheet.truth) {
                games.push(sheet);
            }
        }
    }
    games
}

/// As many rejected sheets with one to three slips, of the games of the fixtures and of random games.
///
/// # Panics
/// If a game cannot be played.
pub fn rejected(game: &dyn Referee, count: usize, seed: u64) -> Vec<Sheet> {
    let mut random = Rng::with_seed(seed);
    let games = games(game);
    let mut made = Vec::new();
    while made.len() < count {
        let (record, truth) = if random.u8(..4) > 0 || games.is_empty() {
            let sheet = &games[random.usize(..games.len())];
            (sheet.record.clone(), sheet.truth.clone())
        } else {
            let record = slipped::played(game, &mut random);
            let truth = record.movetext.plies.iter().map(|ply| ply.token.clone().into_owned()).collect();
            (record, truth)
        };
        let slips = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3][random.usize(..10)];
        for _ in 0..20 {
            let (moves, kinds) = spoilt(&mut random, &truth, slips);
            let record = with_moves(&record, &moves);
            if verify::record_without_id(&record).status == Status::Rejected {
                made.push(Sheet { case: made.len() as u64 + 1, record: slipped::owned(&record), slips: kinds, truth });
                break;
            }
        }
    }
    made
}

/// The moves of a game with so many slips in it, and their kinds.
pub fn spoilt(random: &mut Rng, truth: &[String], slips: usize) -> (Vec<String>, Vec<String>) {
    let mut moves: Vec<_> = truth.to_vec();
    let mut plies: Vec<usize> = (0..truth.len()).collect();
    random.shuffle(&mut plies);
    let mut plies: Vec<_> = plies.into_iter().take(slips).collect();
    plies.sort_unstable();
    let mut kinds = Vec::new();
    for ply in plies.into_iter().rev() {
        while kinds.len() < slips {
            let kind = kind(random);
            if slip(random, kind, ply, &mut moves) {
                kinds.push(kind.to_owned());
                break;
            }
        }
    }
    (moves, kinds)
}

fn kind(random: &mut Rng) -> &'static str {
    let mut left = random.u8(..100);
    for (name, share) in KINDS {
        if left < *share {
            return name;
        }
        left -= share;
    }
    KINDS[0].0
}

/// Makes a slip at a ply; false if it cannot be made there.
fn slip(random: &mut Rng, kind: &str, ply: usize, moves: &mut Vec<String>) -> bool {
    let token = moves[ply].clone();
    let others = |others: fn(char) -> String| -> Vec<String> {
        let characters = token.char_indices();
        let with = |(place, character): (usize, char)| {
            let (before, after) = (&token[..place], &token[place + character.len_utf8()..]);
            others(character).chars().map(|other| format!("{before}{other}{after}")).collect::<Vec<_>>()
        };
        characters.flat_map(with).filter(|other| *other != token).collect()
    };
    let written = match kind {
        "omitted" => {
            moves.remove(ply);
            return true;
        }
        "doubled" => {
            moves.insert(ply, token);
            return true;
        }
        "swapped" => {
            let can = ply + 1 < moves.len() && moves[ply + 1] != token;
            if can {
                moves.swap(ply, ply + 1);
            }
            return can;
        }
        "unreadable" => vec!["_".to_owned()],
        "alike" => others(alike),
        "neighbour" => others(|character| neighbours(character, |other| other.is_ascii_alphanumeric())),
        _ => others(|character| if character == 'x' { String::new() } else { other_case(character) }),
    };
    if written.is_empty() {
        return false;
    }
    moves[ply].clone_from(&written[random.usize(..written.len())]);
    true
}

/// Two sheets of one game, each with slips of its own.
pub fn pair(random: &mut Rng, record: &Record<'_>, truth: &[String]) -> [Record<'static>; 2] {
    [(), ()].map(|()| {
        let slips = [0, 1, 1, 1, 1, 2, 2, 3, 3, 4][random.usize(..10)].min(truth.len());
        let (moves, _) = spoilt(random, truth, slips);
        slipped::owned(&with_moves(record, &moves))
    })
}
