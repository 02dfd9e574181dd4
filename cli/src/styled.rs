//! Styled lines: commands print them, and the viewer draws them.

use std::io::Write;

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::context::Context;

/// A line of text in pieces, each with its style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Styled(Vec<(Style, String)>);

impl Styled {
    /// A line of one style.
    pub(crate) fn of(style: Style, text: impl Into<String>) -> Self {
        Self::default().and(style, text)
    }

    /// A line without style.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::of(Style::new(), text)
    }

    /// The line with a text appended.
    #[must_use]
    pub(crate) fn and(mut self, style: Style, text: impl Into<String>) -> Self {
        self.push(style, &text.into());
        self
    }

    /// The line with another appended.
    #[must_use]
    pub(crate) fn with(mut self, line: &Self) -> Self {
        self.append(line);
        self
    }

    pub(crate) fn push(&mut self, style: Style, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some((last, before)) if *last == style => before.push_str(text),
            _ => self.0.push((style, text.to_owned())),
        }
    }

    pub(crate) fn append(&mut self, line: &Self) {
        line.0.iter().for_each(|(style, text)| self.push(*style, text));
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Style, &str)> {
        self.0.iter().map(|(style, text)| (*style, text.as_str()))
    }

    /// The text without its styles.
    pub(crate) fn text(&self) -> String {
        self.pieces().map(|(_, text)| text).collect()
    }

    /// Width in columns.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
    }

    /// The line with the escape codes of its styles, if colours are on.
    pub(crate) fn paint(&self, context: Context) -> String {
        self.pieces().map(|(style, text)| context.paint(style, text)).collect()
    }

    /// Prints the line without the white space at its end, and a line break.
    pub(crate) fn print(&self, context: Context, out: &mut Vec<u8>) {
        let start = out.len();
        for (style, text) in self.pieces() {
            if context.color {
                // Writing to memory does not fail.
                drop(write!(out, "{style}{text}{style:#}"));
            } else {
                out.extend_from_slice(text.as_bytes());
            }
        }
        end_line(out, start);
    }

    /// Wraps the line to this width, into at most `most` lines. Lines after the first are indented by `indent` spaces.
    pub(crate) fn wrapped(&self, width: usize, indent: usize, most: usize) -> Vec<Self> {
        let indent = if indent < width { indent } else { 0 };
        let (mut lines, mut line, mut used) = (Vec::new(), Self::default(), 0);
        for (style, text) in self.pieces() {
            for word in text.split_inclusive(' ') {
                let mut word = word;
                loop {
                    if lines.len() == most {
                        return lines;
                    }
                    let needed = word.trim_end_matches(' ').width();
                    let room = width.saturating_sub(used);
                    if needed <= room {
                        // A line breaks at the space that does not fit.
                        let fits = if word.width() <= room { word } else { word.trim_end_matches(' ') };
                        line.push(style, fits);
                        used += word.width();
                        break;
                    }
                    let begun = used > if lines.is_empty() { 0 } else { indent };
                    if !begun {
                        // A word longer than a line is cut.
                        let (fits, rest) = word.split_at(cut_at(word, room.max(1)));
                        line.push(style, fits);
                        used += fits.width();
                        word = rest;
                        if rest.is_empty() {
                            break;
                        }
                    }
                    lines.push(std::mem::take(&mut line));
                    line.push(Style::new(), &" ".repeat(indent));
                    used = indent;
                    if begun {
                        word = word.trim_start_matches(' ');
                    }
                }
            }
        }
        if lines.len() < most {
            lines.push(line);
        }
        lines
    }
}

/// Ends the line that begins at `start`, without the white space at its end.
pub(crate) fn end_line(out: &mut Vec<u8>, start: usize) {
    let spaces = out[start..].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    out.truncate(out.len() - spaces);
    out.push(b'\n');
}

/// Byte at which to cut a text so that the first part has at most this many columns, but at least one character.
fn cut_at(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let over = text.char_indices().find(|(at, character)| {
        used += character.width().unwrap_or_default();
        used > columns && *at > 0
    });
    over.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, width: usize, indent: usize, expected: &[&str]) {
        let lines = Styled::plain(text).wrapped(width, indent, usize::MAX);
        let shown: Vec<_> = lines.iter().map(|line| line.pieces().map(|(_, text)| text).collect::<String>()).collect();
        let shown: Vec<_> = shown.iter().map(|line| line.trim_end()).collect();
        assert_eq!(shown, expected, "{text:?} in {width}");
        assert!(lines.iter().all(|line| line.width() <= width.max(2)), "{lines:?}");
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        check("", 10, 2, &[""]);
        check("una jugada", 10, 2, &["una jugada"]);
        check("una jugada ", 10, 2, &["una jugada"]);
        check("una jugada", 9, 2, &["una", "  jugada"]);
        check("una jugada más", 10, 0, &["una jugada", "más"]);
        check("una  jugada", 6, 0, &["una", "jugada"]);
    }

    #[test]
    fn long_words_are_cut() {
        check("abcdefgh", 3, 0, &["abc", "def", "gh"]);
        check("a bcdefgh", 3, 1, &["a", " bc", " de", " fg", " h"]);
        check("秘魯秘", 4, 0, &["秘魯", "秘"]);
        check("秘魯", 1, 0, &["秘", "魯"]);
        check("ab", 2, 5, &["ab"]);
    }

    #[test]
    fn styles_stay() {
        let bold = Style::new().bold();
        let line = Styled::of(bold, "uno ").and(Style::new(), "dos ").and(bold, "tres");
        let expected = [Styled::of(bold, "uno ").and(Style::new(), "dos"), Styled::of(bold, "tres")];
        assert_eq!(line.wrapped(7, 0, 9), expected);
        assert_eq!(line.wrapped(7, 0, 1), expected[..1]);
    }

    #[test]
    fn neighbours_of_one_style_are_one_piece() {
        let line = Styled::plain("a").and(Style::new(), "").and(Style::new(), "b").and(Style::new().bold(), "c");
        assert_eq!(line.pieces().count(), 2);
    }
}
