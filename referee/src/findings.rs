//! The findings of a verdict for people: errors first, and findings with one cause joined. JSON has all findings, in the
//! order in which they were found.

use std::borrow::Cow;

use quipu_notation::Side;

use crate::{Code, Diagnostic, Fact, Message, Severity, Verdict};

/// The findings in the order for people.
pub fn for_people(verdict: &Verdict) -> Vec<Cow<'_, Diagnostic>> {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        verdict.diagnostics.iter().partition(|found| found.severity() == Severity::Error);
    let mut told = encodings(&errors);
    told.extend(numbers(&warnings, verdict.plies.unwrap_or_default()));
    told
}

/// The errors; all bytes that are not UTF-8 are joined into one finding.
fn encodings<'v>(errors: &[&'v Diagnostic]) -> Vec<Cow<'v, Diagnostic>> {
    let is_byte = |found: &Diagnostic| found.code().id == "record.encoding";
    let bytes = || errors.iter().filter(|found| is_byte(found));
    let more = bytes().count().saturating_sub(1);
    if more == 0 {
        return errors.iter().copied().map(Cow::Borrowed).collect();
    }
    let last = bytes().filter_map(|found| found.place).map(|place| place.line).max().unwrap_or_default();
    let mut is_told = false;
    let told = errors.iter().filter_map(|found| {
        if !is_byte(found) {
            return Some(Cow::Borrowed(*found));
        }
        if std::mem::replace(&mut is_told, true) {
            return None;
        }
        let message = Message::variant(found.code(), "several")
            .with_message("first", found.message.clone())
            .with("count", more)
            .with("line", last);
        Some(Cow::Owned(Diagnostic { message, ..(*found).clone() }))
    });
    told.collect()
}

/// A wrong move number (`record.number`).
#[derive(Clone, Copy)]
struct Wrong {
    found: u64,
    expected: u64,
    ply: u64,
}

impl Wrong {
    fn of(diagnostic: &Diagnostic) -> Option<Self> {
        let fact = |name: &str| {
            let (_, fact) = diagnostic.message.facts.iter().find(|(fact, _)| *fact == name)?;
            if let Fact::Text(text) = fact { text.parse().ok() } else { None }
        };
        if diagnostic.code().id != "record.number" {
            return None;
        }
        Some(Self { found: fact("found")?, expected: fact("expected")?, ply: diagnostic.ply? })
    }

    fn difference(self) -> i128 {
        i128::from(self.found) - i128::from(self.expected)
    }
}

/// The warnings; move numbers with the same difference turn after turn are joined into one finding, with its likely cause.
fn numbers<'v>(warnings: &[&'v Diagnostic], plies: u64) -> Vec<Cow<'v, Diagnostic>> {
    let mut told = Vec::new();
    let mut rest = warnings;
    // The difference of the previous wrong numbers, and the ply of the last of them.
    let mut before = (0, 0);
    while let [first, behind @ ..] = rest {
        let Some(wrong) = Wrong::of(first) else {
            told.push(Cow::Borrowed(*first));
            rest = behind;
            continue;
        };
        let turn = Side::BOTH.len() as u64;
        let mut last = wrong;
        let more = behind
            .iter()
            .map_while(|found| Wrong::of(found))
            .take_while(|next| {
                let follows = next.difference() == wrong.difference() && next.ply <= last.ply + turn;
                last = *next;
                follows
            })
            .count();
        let group = &rest[..=more];
        last = Wrong::of(group[more]).unwrap_or(wrong);
        let known = if wrong.ply <= before.1 + turn { before.0 } else { 0 };
        before = (wrong.difference(), last.ply);
        rest = &rest[group.len()..];
        if more == 0 {
            told.push(Cow::Borrowed(*first));
            continue;
        }
        let goes_on = last.ply + turn > plies;
        let message = cascade(first.code(), wrong, last, known, goes_on);
        told.push(Cow::Owned(Diagnostic { message, ..(*first).clone() }));
    }
    told
}

/// The message about numbers that are wrong from the `first` to the `last`, or to the end of the record if `goes_on`. The
/// numbers before them differ by `known` from the right ones.
fn cascade(code: &'static Code, first: Wrong, last: Wrong, known: i128, goes_on: bool) -> Message {
    let difference = first.difference();
    let missing = difference - known.max(0);
    let variant = match (difference > 0, missing, goes_on) {
        (true, 1, true) => "turn",
        (true, 1, false) => "turn-to",
        (true, 2.., true) => "turns",
        (true, 2.., false) => "turns-to",
        (true, _, true) => "high",
        (true, _, false) => "high-to",
        (false, _, true) => "low",
        (false, _, false) => "low-to",
    };
    let mut message = Message::variant(code, variant).with("found", first.found);
    message = match difference.unsigned_abs() {
        1 => message.with_word("by", "number.one"),
        by => message.with("by", by),
    };
    if !goes_on {
        message = message.with("last", last.found);
    }
    if difference <= 0 || missing <= 0 {
        return message;
    }
    if missing > 1 {
        message = message.with("missing", missing);
    }
    match i128::from(first.found) - missing - 1 {
        ..=0 => message.with_word("before", "number.beginning"),
        turn => message.with("before", turn),
    }
}

#[cfg(test)]
mod tests {
    use quipu_notation::record::Chunk;

    use super::*;
    use crate::{Lang, messages::catalog, verify};

    /// The findings in movetext of Brandubh.
    #[track_caller]
    fn check(moves: &str, expected: &[&str]) {
        let text = format!("[Game \"brandubh\"]\n\n{moves}\n");
        let chunk = Chunk::new(text.as_bytes());
        let judged = verify::chunk(&chunk).next().expect("a record");
        let told = for_people(&judged.verdict);
        let told: Vec<_> = told.iter().map(|found| catalog().message(&found.message, Lang::En)).collect();
        assert_eq!(told, expected, "{moves}");
    }

    /// Two pieces that go to and fro, with these numbers.
    fn numbered(numbers: &[u64]) -> String {
        let turns = ["d3-c3 d2-c2", "c3-d3 c2-d2"];
        let turn = |(place, number): (usize, &u64)| format!("{number}. {} ", turns[place % 2]);
        numbers.iter().enumerate().map(turn).collect::<String>() + "*"
    }

    #[test]
    fn a_cascade_of_wrong_numbers_is_told_once() {
        check(&numbered(&[1, 2, 3]), &[]);
        check(
            &numbered(&[1, 2, 4, 5, 6]),
            &["From 4 on, every number is one too high: a turn is missing between 2 and 4."],
        );
        check(
            &numbered(&[1, 2, 5, 6]),
            &["From 5 on, every number is 2 too high: 2 turns are missing between 2 and 5."],
        );
        check(
            &numbered(&[1, 2, 4, 5, 7, 8]),
            &[
                "From 4 to 5, every number is one too high: a turn is missing between 2 and 4.",
                "From 7 on, every number is 2 too high: a turn is missing between 5 and 7.",
            ],
        );
        check(
            &numbered(&[8, 9, 10]),
            &["From 8 on, every number is 7 too high: 7 turns are missing between the beginning and 8."],
        );
        check(
            &numbered(&[1, 2, 2, 3]),
            &["From 2 on, every number is one too low: a number or a turn is written twice before it."],
        );
        check(&numbered(&[1, 2, 4, 4]), &["Here it says 4, and the number that belongs here is 3."]);
        check(
            &numbered(&[1, 3, 4, 4, 5]),
            &["From 3 to 4, every number is one too high: a turn is missing between 1 and 3."],
        );
    }

    #[test]
    fn errors_come_first() {
        let told = "Here it says 7, and the number that belongs here is 2.";
        let error = "Here there must be a file, a to g, and it says “9”.";
        check("1. d3-c3 d2-c2 7. c3-d3 9x9", &[error, told]);
    }
}
