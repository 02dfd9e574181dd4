//! The reference referee. It knows the rules of the four games and of their records, and nothing of the first referee.
//!
//! It is written from the pages of rules, sentence by sentence, with the sentence beside it, and in the plainest way
//! that came to mind: pieces are in a map from squares, a position is canonical if it is written back the same, a side
//! cannot move if the list of its moves is empty. It is slow, and nobody should use it. Its purpose is to disagree:
//! `tests/differential` plays and breaks games and asks both.
//!
//! It reads the text form and nothing else, and it does not say where in a text a fault stands.
//!
//! It computes standings too, from a report file and from records, and ratings from results.

mod andes;
mod brandubh;
mod glicko;
mod judge;
mod pastores;
mod querni;
mod rows;
mod sha256;
mod standings;
mod text;
mod what_if;

use std::collections::BTreeSet;

pub use glicko::{Figures, Rated, rate};
pub use judge::judge;
pub use standings::{Report, Row};
pub use text::{Ply, Record, read};
pub use what_if::{Fixture, Played};

/// The code of a finding.
pub type Code = &'static str;

/// One of two, who are numbered as in results: 0 wins with `1-0`, 1 with `0-1`.
pub type Player = usize;

/// The verdict of one referee on one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// `verified`, `incomplete`, `rejected` or `unreadable`.
    pub status: &'static str,
    /// Legal plies replayed.
    pub plies: Option<u64>,
    /// The position after them.
    pub position: Option<String>,
    /// The termination of the game.
    pub termination: Option<String>,
    /// Its result.
    pub result: Option<String>,
    /// Name of the winning side.
    pub winner: Option<String>,
    /// Andes: what both have.
    pub points: Option<[u64; 2]>,
    /// Which record this is.
    pub id: Option<String>,
    /// Codes with the ply of each.
    pub findings: BTreeSet<(String, Option<u64>)>,
}

/// The end of a game on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The name of this end.
    pub name: &'static str,
    /// The side that wins by it, if any.
    pub winner: Option<Player>,
    /// Nobody wins because all that decides is equal, which articles 5.2 and 9.2 of Andes call a tie.
    pub tie: bool,
}

/// A position of one of the games, from which one can play on.
pub trait Position {
    /// Plays what is written, and says how it is written in canonical form. If it is refused nothing has changed.
    fn play(&mut self, token: &str) -> Result<String, Code>;
    /// As it is written.
    fn text(&self) -> String;
    /// The side to move.
    fn turn(&self) -> Player;
    /// The end of the game, if it has ended.
    fn end(&self) -> Option<End>;
    /// Legal moves in canonical form, in no order: all, or the first so many that were found.
    fn moves(&self, most: usize) -> Vec<String>;
    /// Points, in the game that has them.
    fn points(&self) -> Option<[u64; 2]> {
        None
    }
    /// The same once more.
    fn again(&self) -> Box<dyn Position>;
}

/// The games, each with its sides as they are named in tags, and its rule sets.
pub const GAMES: [(&str, [&str; 2], &[&str]); 4] = [
    ("andes", ["Sol", "Luna"], &["base"]),
    ("pastores", ["Norte", "Sur"], &["base"]),
    ("querni", ["Azul", "Rosa"], &["base"]),
    ("brandubh", ["Negros", "Rojos"], &["base", "cuervo", "nielsen"]),
];

/// A position by its game, its rules and its text.
pub fn position(game: &str, rules: &str, text: &str) -> Option<Box<dyn Position>> {
    match game {
        "andes" => Some(Box::new(andes::Andes::read(text)?)),
        "pastores" => Some(Box::new(pastores::Pastores::read(text)?)),
        "querni" => Some(Box::new(querni::Querni::read(text)?)),
        "brandubh" => Some(Box::new(brandubh::Brandubh::read(text, rules)?)),
        _ => None,
    }
}

/// Judges each record of a file.
pub fn verdicts(file: &[u8]) -> Vec<Verdict> {
    read(file).iter().map(|reading| judge(reading.as_ref().map_err(|code| *code))).collect()
}
