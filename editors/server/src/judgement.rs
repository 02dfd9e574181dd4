//! The records of a chunk with what was found in them, as an editor shows it.

use std::ops::Range as Bytes;

use gen_lsp_types::{Position, Range};
use quipu_notation::record::{Chunk, Outcome, Record};
use quipu_referee::{
    Code, Diagnostic, Fact, Lang, Message, Status, findings,
    messages::catalog,
    verify::{self, Ids},
};

use crate::position::{Locator, PositionEncoding, boundary};

/// A record and its findings. Lines count from the beginning of the chunk.
#[derive(Clone, Debug)]
pub(crate) struct JudgedRecord {
    /// The players, as far as they are written.
    pub(crate) name: String,
    /// Event, round and result.
    pub(crate) detail: String,
    pub(crate) status: Status,
    pub(crate) range: Range,
    /// Bytes of the chunk.
    pub(crate) bytes: Bytes<usize>,
    /// In the order for people, advice last.
    pub(crate) findings: Vec<Finding>,
}

/// A finding in words.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) code: &'static Code,
    pub(crate) message: String,
    pub(crate) range: Range,
    /// Texts that may have been meant in place of the range, the likeliest first.
    pub(crate) replacements: Vec<String>,
    /// The message names a line of the text.
    pub(crate) names_line: bool,
}

/// Codes whose messages have, in a fact, the texts that may have been meant, with commas between them.
const MEANT: [(&str, &str); 8] = [
    ("advice.tag", "tag"),
    ("advice.date", "readings"),
    ("advice.round", "round"),
    ("advice.leg", "leg"),
    ("advice.time-control", "seconds"),
    ("advice.clock", "readings"),
    ("record.game", "meant"),
    ("record.termination", "meant"),
];

pub(crate) fn judge(chunk: &Chunk<'_>, encoding: PositionEncoding, lang: Lang) -> Vec<JudgedRecord> {
    // The text of an editor is UTF-8.
    let text = str::from_utf8(chunk.text()).unwrap_or_default();
    located(chunk, text, &mut Locator::new(text, Position { line: 0, character: 0 }, encoding), lang)
}

fn located(chunk: &Chunk<'_>, text: &str, locator: &mut Locator<'_>, lang: Lang) -> Vec<JudgedRecord> {
    let judged = verify::chunks([*chunk], Ids::Skipped).map(|(_, judged)| {
        let record = judged.record.as_ref();
        let bytes = record.map_or(0..text.len(), |record| record.span.range());
        let start = locator.position(bytes.start);
        locator.mark();
        let told = findings::for_people(&judged.verdict, record);
        let told = told.iter().map(|found| &**found).chain(&judged.verdict.advice);
        let findings = told.map(|found| finding(found, chunk, text, locator, lang)).collect();
        let range = Range { start, end: locator.position(bytes.end) };
        let (name, detail) = record.map(|record| (players(record), detail(record))).unwrap_or_default();
        JudgedRecord { name, detail, status: judged.verdict.status, range, bytes, findings }
    });
    judged.collect()
}

fn finding(found: &Diagnostic, chunk: &Chunk<'_>, text: &str, locator: &mut Locator<'_>, lang: Lang) -> Finding {
    let bytes = found.span.map(quipu_notation::Span::range).unwrap_or_default();
    let range = match chunk.oversized() {
        // The text was discarded, so the line alone is known.
        Some(place) => {
            let line = u32::try_from(place.line.saturating_sub(chunk.first_line())).unwrap_or(u32::MAX);
            let start = Position { line, character: 0 };
            Range { start, end: start }
        }
        None => locator.range(bytes.clone()),
    };
    Finding {
        code: found.code(),
        message: catalog().message(&found.message, lang),
        range,
        replacements: replacements(found, &text[..boundary(text, bytes.start)]),
        names_line: names_line(&found.message),
    }
}

/// The texts that may have been meant; `before` is the text before the finding.
fn replacements(found: &Diagnostic, before: &str) -> Vec<String> {
    if !found.suggestions.is_empty() {
        return found.suggestions.clone();
    }
    let code = found.code().id;
    let Some((_, name)) = MEANT.iter().find(|(id, _)| *id == code) else { return Vec::new() };
    let fact = found.message.facts.iter().find(|(fact, _)| fact == name);
    let Some((_, Fact::Text(meant))) = fact else { return Vec::new() };
    let is_bare_clock = code == "advice.clock" && !before.trim_end().ends_with("%clk");
    let written = |text: &str| if is_bare_clock { format!("[%clk {text}]") } else { text.to_owned() };
    meant.split(", ").filter(|text| !text.is_empty()).map(written).collect()
}

/// True if a message, or one in it, has a line of the text among its facts.
fn names_line(message: &Message) -> bool {
    message.facts.iter().any(|(name, fact)| match fact {
        Fact::Message(inner) => names_line(inner),
        Fact::Text(_) | Fact::Word(_) => *name == "line",
    })
}

/// The players' names with a dash between them, as far as they are written.
fn players(record: &Record<'_>) -> String {
    let sides = record.game().map(|game| &game.sides).into_iter().flatten();
    let names: Vec<_> = sides.map(|side| record.value(side.tag).unwrap_or("?")).collect();
    names.join(" – ")
}

fn detail(record: &Record<'_>) -> String {
    let result = record.result.map(|result| result.value.as_str());
    let tag = || record.value("Result").and_then(Outcome::parse).map(Outcome::as_str);
    let parts = [record.value("Event"), record.value("Round"), result.or_else(tag)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use quipu_referee::codes;

    use super::*;
    use crate::position::offset_of;

    #[test]
    fn codes_have_the_facts_that_are_meant() {
        for (id, fact) in MEANT {
            let words = catalog().code(codes::find(id).expect("a code")).expect("its words");
            let place = format!("{{{fact}}}");
            assert!(words.message.iter().any(|(_, text)| text.es.contains(&place)), "{id}: {place}");
        }
    }

    /// Every record has a finding, and all are one chunk.
    #[test]
    fn the_records_of_a_chunk_are_located_in_one_pass() {
        let text = "*\n".repeat(10_000);
        let chunk = Chunk::new(text.as_bytes());
        for text in [text.clone(), text.replace('\n', " ")] {
            let chunk = chunk.with_text(text.as_bytes());
            let mut locator = Locator::new(&text, Position { line: 0, character: 0 }, PositionEncoding::Utf16);
            let records = located(&chunk, &text, &mut locator, Lang::En);
            assert!(records.len() == 10_000 && records.iter().all(|record| !record.findings.is_empty()));
            assert!(locator.scanned < 10 * text.len(), "{}", locator.scanned);
        }
    }

    /// Replacing what was found by what was meant leaves no finding of the same code.
    #[track_caller]
    fn check(record: &str, code: &str, expected: &[&str]) {
        let found = |text: &str| {
            let records = judge(&Chunk::new(text.as_bytes()), PositionEncoding::Utf16, Lang::En);
            records.into_iter().flat_map(|record| record.findings).find(|found| found.code.id == code)
        };
        let finding = found(record).expect("the finding");
        assert_eq!(finding.replacements, expected);
        for meant in expected {
            let mut text = record.to_owned();
            let [start, end] =
                [finding.range.start, finding.range.end].map(|at| offset_of(record, at, PositionEncoding::Utf16));
            text.replace_range(start..end, meant);
            assert!(found(&text).is_none(), "{text}");
        }
    }

    #[test]
    fn replacements_mend_what_was_found() {
        let with = |tags: &str| format!("[Game \"brandubh\"]\n{tags}\n1. d3-c3 *\n");
        check(&with("[Date \"3/4/2026\"]\n"), "advice.date", &["2026.04.03", "2026.03.04"]);
        check(&with("[Round \"tercera\"]\n"), "advice.round", &["3"]);
        check(&with("[Leg \"ida\"]\n"), "advice.leg", &["1"]);
        check(&with("[TimeControl \"12 min\"]\n"), "advice.time-control", &["720"]);
        check(&with("[Evnet \"Copa\"]\n"), "advice.tag", &["Event"]);
        check("[Game \"brandub\"]\n\n*\n", "record.game", &["brandubh"]);
        check("[Game \"andes\"]\n\n1. 0d3 {[%clk 11:55]} *\n", "advice.clock", &["0:11:55.000", "11:55:00.000"]);
        check("[Game \"andes\"]\n\n1. 0d3 {11:55} *\n", "advice.clock", &["[%clk 0:11:55.000]", "[%clk 11:55:00.000]"]);
        check(
            &with("[Result \"1-0\"]\n[Termination \"tiempo\"]\n").replace('*', "1-0"),
            "record.termination",
            &["time"],
        );
    }
}
