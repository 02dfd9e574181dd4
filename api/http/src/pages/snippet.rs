//! The lines of a source around a fault, with the fault marked.

use maud::{Markup, html};
use quipu_notation::{LineColumn, Span};
use quipu_referee::shown;

use super::frame::View;

/// Lines shown before the line with the fault, and after it.
const AROUND: usize = 2;
/// Characters of a line shown before the fault, and from it on.
const WINDOW: usize = 120;
/// Bytes of a line considered on either side of the fault: a line may have millions.
const FAR: usize = 8 * WINDOW;

/// Some lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snippet {
    /// Number of the first line.
    first: u64,
    before: Vec<String>,
    /// The line with the fault: the text before it, the fault, and the text after it.
    line: [String; 3],
    after: Vec<String>,
}

impl Snippet {
    /// The lines of `text` around a fault, whose `place` is that in the whole source.
    pub(super) fn of(text: &[u8], span: Span, place: LineColumn) -> Self {
        let start = (span.start as usize).min(text.len());
        let line_start = text[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line_end = text[start..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |at| start + at);
        let end = (span.end as usize).clamp(start, line_end);
        let before: Vec<_> = text[..line_start.saturating_sub(1)].rsplit(|&byte| byte == b'\n').take(AROUND).collect();
        // There is no line before the first one.
        let before = if line_start == 0 { Vec::new() } else { before };
        let after = text.get(line_end + 1..).unwrap_or_default();
        let after = after.split(|&byte| byte == b'\n').take(AROUND).filter(|_| line_end + 1 < text.len());
        Self {
            first: place.line.saturating_sub(before.len() as u64).max(1),
            before: before.into_iter().rev().map(beginning).collect(),
            line: [ending(&text[line_start..start]), beginning(&text[start..end]), beginning(&text[end..line_end])],
            after: after.map(beginning).collect(),
        }
    }

    /// The lines of `text` around a token at a known place.
    pub(super) fn at(text: &[u8], place: LineColumn, token: &str) -> Self {
        let start = place.offset(text);
        Self::of(text, Span::new(start, start + token.len()), place)
    }

    pub(super) fn show(&self, view: &View) -> Markup {
        self.show_at(view, None)
    }

    /// The same with an id for the line with the fault.
    pub(super) fn show_at(&self, view: &View, id: Option<String>) -> Markup {
        let [before, fault, after] = &self.line;
        let numbers = self.first..;
        let at = self.before.len();
        html! {
            pre.excerpt tabindex="0" role="group" aria-label=(view.say("check.excerpt")) {
                @for (number, line) in numbers.clone().zip(&self.before) { (row(number, None, html! { (line) })) }
                (row(self.first + at as u64, id, html! {
                    (before) mark { @if fault.is_empty() { "‸" } @else { (fault) } } (after)
                }))
                @for (number, line) in numbers.skip(at + 1).zip(&self.after) { (row(number, None, html! { (line) })) }
            }
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is made for this")]
fn row(number: u64, id: Option<String>, line: Markup) -> Markup {
    html! { span.number id=[id] aria-hidden="true" { (number) } (line) "\n" }
}

/// The displayable beginning of a line.
fn beginning(bytes: &[u8]) -> String {
    let text = shown(&bytes[..bytes.len().min(FAR)]);
    let mut rest = text.char_indices().skip(WINDOW);
    match rest.next() {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The displayable end of the text before a fault.
fn ending(bytes: &[u8]) -> String {
    let text = shown(&bytes[bytes.len().saturating_sub(FAR)..]);
    let count = text.chars().count();
    if count <= WINDOW {
        return text;
    }
    ['…'].into_iter().chain(text.chars().skip(count - WINDOW)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, fault: &str, expected: (u64, &[&str], [&str; 3], &[&str])) {
        let start = text.find(fault).expect("it is there");
        let place = LineColumn::of(text.as_bytes(), start, 1);
        let found = Snippet::of(text.as_bytes(), Span::new(start, start + fault.len()), place);
        let (first, before, line, after) = expected;
        let strings = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let line = line.map(str::to_owned);
        assert_eq!(found, Snippet { first, before: strings(before), line, after: strings(after) }, "{text:?}");
    }

    #[test]
    fn lines_around_a_fault() {
        check("x", "x", (1, &[], ["", "x", ""], &[]));
        check("a x b", "x", (1, &[], ["a ", "x", " b"], &[]));
        check("a\nb\nc\nd x\ne\nf\ng", "x", (2, &["b", "c"], ["d ", "x", ""], &["e", "f"]));
        check("\nx\n", "x", (1, &[""], ["", "x", ""], &[]));
        check("a\r\nx\r\n\r\nb", "x", (1, &["a"], ["", "x", ""], &["", "b"]));
        check("a x\nb", "x\nb", (1, &[], ["a ", "x", ""], &["b"]));
        check("a\u{1b}[0m x", "x", (1, &[], ["a\u{fffd}[0m ", "x", ""], &[]));
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}x{}", "a".repeat(100_000), "b".repeat(100_000));
        let found = Snippet::of(text.as_bytes(), Span::new(100_000, 100_001), LineColumn { line: 7, column: 1 });
        let [before, fault, after] = &found.line;
        assert_eq!((before.chars().count(), &**fault, after.chars().count()), (WINDOW + 1, "x", WINDOW + 1));
        assert_eq!(found.first, 7);
    }

    #[test]
    fn a_fault_at_the_end_or_beyond_it() {
        let found = Snippet::of(b"a\n", Span::new(2, 2), LineColumn { line: 2, column: 1 });
        assert_eq!((found.before, found.line), (vec!["a".to_owned()], [""; 3].map(str::to_owned)));
        let found = Snippet::of(b"a", Span::new(9, 12), LineColumn { line: 1, column: 2 });
        assert_eq!(found.line, ["a", "", ""].map(str::to_owned));
    }
}
