//! The findings of a verdict for people: errors first, and findings with one cause joined. JSON has all findings, in the
//! order in which they were found.

use std::borrow::Cow;

use quipu_notation::{Side, record::Record};

use crate::{Code, Diagnostic, Fact, Message, Severity, Verdict};

/// The findings in the order for people. The move numbers of the record after a refused ply, which are not judged, confirm
/// those before it.
pub fn for_people<'v>(verdict: &'v Verdict, record: Option<&Record<'_>>) -> Vec<Cow<'v, Diagnostic>> {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        verdict.diagnostics.iter().partition(|found| found.severity() == Severity::Error);
    let mut told = encodings(&errors);
    let is_stopped = errors.iter().any(|found| found.token.is_some());
    told.extend(numbers(&warnings, &Numbers::new(verdict.plies.unwrap_or_default(), record.filter(|_| is_stopped))));
    told
}

/// True if the move numbers say that a turn is missing before the illegal move. The findings are those for people.
pub fn turn_is_missing<'d>(told: impl IntoIterator<Item = &'d Diagnostic> + Clone) -> bool {
    let refused = told.clone().into_iter().find(|found| found.token.is_some());
    let jumps = |found: &&Diagnostic| found.code().id == "record.number" && MISSING.contains(&found.message.variant);
    refused.is_some_and(|refused| told.into_iter().filter(jumps).any(|found| found.ply <= refused.ply))
}

/// The variants of `record.number` about a missing turn.
const MISSING: [&str; 4] = ["turn", "turn-to", "turns", "turns-to"];

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

    /// True if this number differs from the right one as the number before does, and is of the same turn or the next one.
    fn follows(self, before: Self) -> bool {
        self.difference() == before.difference() && self.ply <= before.ply + TURN
    }
}

/// Plies of a turn.
const TURN: u64 = Side::BOTH.len() as u64;

/// The move numbers that are not judged.
struct Numbers {
    /// Plies of the record, judged or not.
    plies: u64,
    /// The numbers after the illegal ply, wrong or not.
    later: Vec<Wrong>,
}

impl Numbers {
    /// `record` is one whose replay stopped at a refused ply.
    fn new(replayed: u64, record: Option<&Record<'_>>) -> Self {
        let plies = record.map_or(&[][..], |record| &record.movetext.plies);
        let judged = usize::try_from(replayed).map_or(usize::MAX, |replayed| replayed.saturating_add(1));
        let later = plies.iter().enumerate().skip(judged).filter_map(|(index, ply)| {
            let expected = Record::expected_number(index);
            Some(Wrong { found: ply.number?.value, expected, ply: index as u64 + 1 })
        });
        Self { later: later.collect(), plies: replayed.max(plies.len() as u64) }
    }
}

/// The warnings; move numbers with the same difference turn after turn are joined into one finding, with its likely cause.
fn numbers<'v>(warnings: &[&'v Diagnostic], Numbers { plies, later }: &Numbers) -> Vec<Cow<'v, Diagnostic>> {
    let mut told = Vec::new();
    let mut rest = warnings;
    // The warnings after the last wrong number.
    let behind_all = warnings.iter().rev().take_while(|found| Wrong::of(found).is_none()).count();
    // The difference of the previous wrong numbers, and the ply of the last of them.
    let mut before = (0, 0);
    while let [first, behind @ ..] = rest {
        let Some(wrong) = Wrong::of(first) else {
            told.push(Cow::Borrowed(*first));
            rest = behind;
            continue;
        };
        let mut last = wrong;
        let mut join = |next: &Wrong| {
            let follows = next.follows(last);
            if follows {
                last = *next;
            }
            follows
        };
        let more = behind.iter().map_while(|found| Wrong::of(found)).take_while(&mut join).count();
        rest = &behind[more..];
        let is_last = rest.len() == behind_all;
        let confirmed = if is_last { later.iter().copied().take_while(&mut join).count() } else { 0 };
        let known = if wrong.ply <= before.1 + TURN { before.0 } else { 0 };
        before = (wrong.difference(), last.ply);
        if more + confirmed == 0 {
            told.push(Cow::Borrowed(*first));
            continue;
        }
        let goes_on = last.ply + TURN > *plies;
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
        let told = for_people(&judged.verdict, judged.record.as_ref());
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

    /// The numbers after a refused ply belong to the cascade, whichever ply of the turn is refused.
    #[test]
    fn numbers_after_a_refused_ply_confirm_those_before() {
        let refused = "There is no piece on d3.";
        let told = "From 3 on, every number is one too high: a turn is missing between 1 and 3.";
        check("1. d3-c3 d2-c2 3. d3-c3 c2-d2 4. c3-d3 d2-c2 5. d3-c3 c2-d2 *", &[refused, told]);
        let foreign = "The piece on d3 belongs to Black.";
        check("1. d3-c3 d2-c2 3. c3-d3 d3-c3 4. c3-d3 d2-c2 *", &[foreign, told]);
        let one = "Here it says 3, and the number that belongs here is 2.";
        check("1. d3-c3 d2-c2 3. d3-c3 c2-d2 3. c3-d3 d2-c2 *", &[refused, one]);
        check("1. d3-c3 d2-c2 3. d3-c3 c2-d2 *", &[refused, one]);
    }

    #[test]
    fn a_missing_turn_is_likelier_than_another_move() {
        for (moves, expected) in [
            ("1. d3-c3 d2-c2 3. d3-c3 c2-d2 4. c3-d3 d2-c2 *", true),
            ("1. d3-c3 d2-c2 3. d3-c3 c2-d2 3. c3-d3 d2-c2 *", false),
            ("1. d3-c3 d2-c2 3. c3-d3 c2-d2 4. d3-c3 d2-c2 *", false),
            ("1. d3-c3 d2-c2 2. d3-c3 c2-d2 4. c3-d3 d2-c2 *", false),
        ] {
            let text = format!("[Game \"brandubh\"]\n\n{moves}\n");
            let judged = verify::chunk(&Chunk::new(text.as_bytes())).next().expect("a record");
            let told = for_people(&judged.verdict, judged.record.as_ref());
            assert_eq!(turn_is_missing(told.iter().map(|found| &**found)), expected, "{moves}");
        }
    }

    #[test]
    fn errors_come_first() {
        let told = "Here it says 7, and the number that belongs here is 2.";
        let error = "Here there must be a file, a to g, and it says “9”.";
        check("1. d3-c3 d2-c2 7. c3-d3 9x9", &[error, told]);
    }
}
