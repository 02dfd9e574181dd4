//! A line of the source in a frame, with carets under the fault.

use anstyle::{AnsiColor, Style};
use quipu_notation::{LineColumn, Span};
use quipu_referee::shown;
use unicode_width::UnicodeWidthChar;

use crate::styled::Styled;

/// Columns of source in a snippet on the command line.
pub(crate) const WINDOW: usize = 96;

/// An excerpt of a text, with the place of a fault.
pub(crate) struct Snippet<'a> {
    /// The place for people, with the name of the text.
    pub(crate) at: &'a str,
    /// The text of the span.
    pub(crate) text: &'a [u8],
    /// The bytes at fault.
    pub(crate) span: Span,
    /// Their place in the file.
    pub(crate) place: LineColumn,
}

impl Snippet<'_> {
    /// The lines of the frame, with this many columns of source.
    pub(crate) fn lines(&self, window: usize) -> [Styled; 4] {
        let (line, before, inside) = self.parts(window);
        let number = self.place.line.to_string();
        let margin = " ".repeat(number.len());
        let (plain, frame) = (Style::new(), Style::new().dimmed());
        let begin = |margin: &str, sign: &str| Styled::plain(format!("{margin} ")).and(frame, sign);
        [
            begin(&margin, "╭─").and(plain, format!(" {}", self.at)),
            begin(&number, "│").and(plain, format!(" {line}")),
            begin(&margin, "│")
                .and(plain, " ".repeat(before + 1))
                .and(AnsiColor::Red.on_default().bold(), "^".repeat(inside.max(1))),
            begin(&margin, "╰─"),
        ]
    }

    /// The visible part of the line, the columns before the fault and those of the fault itself.
    fn parts(&self, window: usize) -> (String, usize, usize) {
        let start = (self.span.start as usize).min(self.text.len());
        // A line may have millions of bytes: text farther from the fault than this is not looked at.
        let first = start.saturating_sub(8 * window);
        let last = self.text.len().min(start + 8 * window);
        let line_start =
            self.text[first..start].iter().rposition(|&byte| byte == b'\n').map_or(first, |at| first + at + 1);
        let line_end = self.text[start..last].iter().position(|&byte| byte == b'\n').map_or(last, |at| start + at);
        let end = (self.span.end as usize).clamp(start, line_end);
        let before = shown(&self.text[line_start..start]);
        let inside = shown(&self.text[start..end]);
        let after = shown(&self.text[end..line_end]);
        let columns = |text: &str| text.chars().filter_map(UnicodeWidthChar::width).sum::<usize>();

        // Long lines are cut on both sides; the fault stays visible.
        let fits = columns(&before) + columns(&inside) + columns(&after) <= window;
        let most = if fits { window } else { window / 3 };
        let before = last_columns(&before, most);
        let inside = first_columns(&inside, most);
        let after = first_columns(&after, window - most.min(columns(&before)) - most.min(columns(&inside)));
        (format!("{before}{inside}{after}").trim_end().to_owned(), columns(&before), columns(&inside))
    }
}

fn first_columns(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

fn last_columns(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(count + 1 - most)).collect()
}
