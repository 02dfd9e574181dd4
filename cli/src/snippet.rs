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
    /// Printed location, `file:line:column`.
    pub(crate) location: &'a str,
    /// The text that `span` indexes.
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
            begin(&margin, "╭─").and(plain, format!(" {}", self.location)),
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

        // Long lines are cut on both sides; the fault stays visible.
        let fits = columns(&before) + columns(&inside) + columns(&after) <= window;
        let most = if fits { window } else { window / 3 };
        let before = last_columns(&before, most);
        let inside = first_columns(&inside, most);
        let after = first_columns(&after, window - most.min(columns(&before)) - most.min(columns(&inside)));
        (format!("{before}{inside}{after}").trim_end().to_owned(), columns(&before), columns(&inside))
    }
}

/// Width in columns.
fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// The beginning of a text in at most so many columns; `…` takes the last one if the text is cut.
fn first_columns(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    fitting(text.chars(), most).chain(['…']).collect()
}

/// The end of a text in at most so many columns; `…` takes the first one if the text is cut.
fn last_columns(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let kept: Vec<_> = fitting(text.chars().rev(), most).chain(['…']).collect();
    kept.into_iter().rev().collect()
}

/// The first characters that leave a column free.
fn fitting(characters: impl Iterator<Item = char>, most: usize) -> impl Iterator<Item = char> {
    let mut used = 1;
    characters.take_while(move |character| {
        used += character.width().unwrap_or_default();
        used <= most
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_fits_into_its_columns() {
        for (text, first, last) in [
            ("abcdef", "abcdef", "abcdef"),
            ("abcdefg", "abcde…", "…cdefg"),
            ("棋盤石", "棋盤石", "棋盤石"),
            ("棋盤石子", "棋盤…", "…石子"),
            ("a棋盤石", "a棋盤…", "…盤石"),
            ("ae\u{301}bcdefg", "ae\u{301}bcd…", "…cdefg"),
        ] {
            let cut = [first_columns(text, 6), last_columns(text, 6)];
            assert_eq!(cut, [first, last], "{text}");
            assert!(cut.iter().all(|cut| columns(cut) <= 6), "{text}");
        }
    }

    #[test]
    fn a_long_line_of_wide_characters_fits_into_the_window() {
        let text = format!("{}fault{}", "棋".repeat(200), "盤".repeat(200));
        let start = u32::try_from("棋".len() * 200).expect("it is short");
        let span = Span { start, end: start + 5 };
        let place = LineColumn { line: 1, column: 201 };
        let lines = Snippet { location: "f:1:201", text: text.as_bytes(), span, place }.lines(30);
        let [line, carets] = [&lines[1], &lines[2]].map(|line| columns(&line.text()));
        assert!(line <= "1 │ ".len() + 30, "{:?}", lines[1]);
        let before = lines[1].text().split("fault").next().map(columns);
        assert_eq!(Some(carets), before.map(|before| before + 5), "{lines:?}");
    }
}
