//! Differential tests of two referees.
//!
//! Games are played at random, ply by ply on the boards of both referees, from the start and from set-ups at random, and then written down,
//! truthfully or not: with changed tokens, wrong claims, clocks, tags and numbers, and with broken text. Both read what was written, and
//! must say the same of it. Where they do not, the text is made as short as it can be with the two still apart.
//!
//! Which of the two is right is told by the rules and by nobody here. Everything follows from a seed.

mod mini_fuzz;
mod random_games;
mod random_records;
mod random_tokens;
pub mod targets;

use std::{fmt, panic::catch_unwind};

use quipu_notation::record::{Format, Reader};
use quipu_referee::{
    Board, Lang, Verdict, games, report,
    verify::{self, Ids},
};
use quipu_reference as reference;

pub use mini_fuzz::throw;
pub use random_games::{game, positions};

/// Counts of compared items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Plies played on both boards side by side, with token, position, points and end compared at each.
    pub played: u64,
    /// Plies that both referees replayed in records.
    pub replayed: u64,
    /// Texts that both referees read.
    pub texts: u64,
    /// Records in them.
    pub records: u64,
    /// Positions whose legal moves were listed by both.
    pub listed: u64,
    /// Tokens that both refused with the same code.
    pub refused: u64,
    /// Position strings that both read or refused.
    pub positions: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.played += other.played;
        self.replayed += other.replayed;
        self.texts += other.texts;
        self.records += other.records;
        self.listed += other.listed;
        self.refused += other.refused;
        self.positions += other.positions;
    }

    /// Plies compared, in games and in records.
    pub fn plies(&self) -> u64 {
        self.played + self.replayed
    }
}

/// A game and a rule set of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The game.
    pub game: &'static str,
    /// The rule set.
    pub rules: &'static str,
    pub(crate) sides: [&'static str; 2],
}

impl Kind {
    /// All games with all their rule sets.
    pub fn all() -> Vec<Self> {
        let of = |(game, sides, rules): (_, [&'static str; 2], &'static [&'static str])| {
            rules.iter().map(move |rules| Self { game, rules, sides })
        };
        reference::GAMES.into_iter().flat_map(of).collect()
    }

    pub(crate) fn board(self, text: &str) -> Option<Box<dyn Board>> {
        games::find(self.game).expect("both know it").board(Some(self.rules), Some(text)).ok()
    }

    pub(crate) fn second(self, text: &str) -> Option<Box<dyn reference::Position>> {
        reference::position(self.game, self.rules, text)
    }
}

/// A disagreement of the referees.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The text that they read, or that leads there.
    pub text: Vec<u8>,
    /// Answers of both.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n----\n{}", self.what, String::from_utf8_lossy(&self.text))
    }
}

/// The first referee's verdict in the words of the second.
fn in_other_words(verdict: &Verdict) -> reference::Verdict {
    let report = report::verdict(verdict, 1, Lang::En);
    let owned = |text: Option<&str>| text.map(str::to_owned);
    reference::Verdict {
        status: verdict.status.as_str(),
        plies: report.plies,
        position: owned(report.position),
        termination: owned(report.termination),
        result: owned(report.result),
        winner: owned(report.winner),
        points: verdict.points.map(|points| points.counted().map(u64::from)),
        id: report.id,
        findings: report.diagnostics.iter().map(|found| (found.code.to_owned(), found.ply)).collect(),
    }
}

/// True if both verdicts agree. The second referee stops reading a record at its first fault; the first reports all of them,
/// so of an unreadable record the faults of the second are among those of the first.
fn agree(one: &reference::Verdict, other: &reference::Verdict) -> bool {
    if one.status != "unreadable" || other.findings.is_empty() || !other.findings.is_subset(&one.findings) {
        return one == other;
    }
    let same_findings = reference::Verdict { findings: other.findings.clone(), ..one.clone() };
    same_findings == *other
}

/// Asks both about a text. Returns their answers if they differ.
pub fn compare(text: &[u8], tally: &mut Tally) -> Option<String> {
    let first = || {
        let mut all = Vec::new();
        let mut reader = Reader::with_format(text, Format::Quipu);
        while let Some(chunk) = reader.next_chunk().expect("memory does not fail") {
            all.extend(verify::chunks([chunk], Ids::Computed).map(|(_, judged)| in_other_words(&judged.verdict)));
        }
        all
    };
    let (Ok(one), Ok(other)) = (catch_unwind(first), catch_unwind(|| reference::verdicts(text))) else {
        return Some("a panic".to_owned());
    };
    tally.texts += 1;
    tally.records += one.len() as u64;
    tally.replayed += one.iter().filter_map(|verdict| verdict.plies).sum::<u64>();
    if one.len() != other.len() {
        return Some(format!("{} records and {}\n{one:#?}\n{other:#?}", one.len(), other.len()));
    }
    let apart = one.iter().zip(&other).position(|(one, other)| !agree(one, other))?;
    Some(format!("record {}: quipu says\n{:#?}\nthe second referee says\n{:#?}", apart + 1, one[apart], other[apart]))
}

/// The same text with as much left out as can be, with the referees still apart: lines, then words, then letters.
pub fn shrink(text: &[u8]) -> Vec<u8> {
    shrunk(text, |text| compare(text, &mut Tally::default()).is_some())
}

/// The same for whatever is to stay true of it.
fn shrunk(text: &[u8], apart: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut text = text.to_vec();
    loop {
        let before = text.len();
        let lines = |byte: u8| byte == b'\n';
        let words = |byte: u8| byte.is_ascii_whitespace();
        text = with_fewer(&text, lines, &apart);
        text = with_fewer(&text, words, &apart);
        text = with_fewer(&text, |_| true, &apart);
        if text.len() == before {
            return text;
        }
    }
}

/// Delta debugging over the pieces of a text: leaves out a half of them, a quarter, and so on down to single ones.
fn with_fewer(text: &[u8], is_end: impl Fn(u8) -> bool, apart: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut pieces: Vec<&[u8]> = text.split_inclusive(|byte| is_end(*byte)).collect();
    let mut size = pieces.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < pieces.len() {
            let end = pieces.len().min(at + size);
            let rest = [&pieces[..at], &pieces[end..]].concat();
            if apart(&rest.concat()) {
                pieces = rest;
            } else {
                at = end;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    pieces.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shrunk text still shows the difference, and no part of it can be left out.
    #[test]
    fn failures_are_shrunk() {
        let has = |text: &[u8], part: &[u8]| text.windows(part.len()).any(|found| found == part);
        let text = b"[Game \"andes\"]\n[Site \"Lima\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n".as_slice();
        let two = |text: &[u8]| has(text, b"0D0C") && has(text, b"Site");
        assert_eq!(shrunk(text, two), b"Site0D0C");
        let even = |text: &[u8]| text.len() >= 10 && text.len().is_multiple_of(2);
        assert_eq!(shrunk(text, even).len(), 10);
        let order =
            |text: &[u8]| text.iter().position(|&byte| byte == b'L') < text.iter().rposition(|&byte| byte == b'a');
        assert_eq!(shrunk(text, |text| text.contains(&b'L') && order(text)), b"La");
        assert_eq!(shrunk(text, |_| true), b"");
        // A text of minimal length stays as it is.
        assert_eq!(shrunk(b"0D0C", |text| has(text, b"0D0C")), b"0D0C");
    }
}
