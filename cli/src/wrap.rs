//! Wraps lines of plain text to the width of a terminal.

use unicode_width::UnicodeWidthStr;

use crate::styled::Styled;

/// Columns by which the rest of a wrapped line is indented.
const HANGING: usize = 4;

/// Wraps lines to `width`, or leaves them unchanged if it is `None`. Continuation lines are indented more than the first.
pub(crate) fn text(text: &str, width: Option<usize>) -> String {
    wrapped(text, width, |line, width| hanging(line, width, indent_of(line) + HANGING))
}

/// Wraps help, where a line may have two columns: an option, and after two spaces its explanation.
pub(crate) fn help(text: &str, width: Option<usize>) -> String {
    wrapped(text, width, |line, width| {
        let indent = indent_of(line);
        let Some((option, column)) = columns(line) else { return hanging(line, width, indent + HANGING) };
        let explanation = &line[column..];
        if column <= width / 2 {
            let rest = Styled::plain(explanation).wrapped(width - column, 0, usize::MAX);
            let rest: Vec<_> = rest.iter().map(|line| line.text().trim_end().to_owned()).collect();
            return format!("{}{}", &line[..column], rest.join(&format!("\n{}", " ".repeat(column))));
        }
        let below = " ".repeat(indent + HANGING) + explanation;
        let lines = [option, &below].map(|line| hanging(line, width, indent + HANGING));
        lines.join("\n")
    })
}

/// Applies `wrap` to the lines that are too long.
fn wrapped(text: &str, width: Option<usize>, wrap: impl Fn(&str, usize) -> String) -> String {
    let Some(width) = width else { return text.to_owned() };
    let lines = text.split_inclusive('\n').map(|line| {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let shown = if line.width() <= width { line.to_owned() } else { wrap(line, width) };
        shown + end
    });
    lines.collect()
}

fn hanging(line: &str, width: usize, indent: usize) -> String {
    let lines = Styled::plain(line).wrapped(width, indent, usize::MAX);
    let lines: Vec<_> = lines.iter().map(|line| line.text().trim_end().to_owned()).collect();
    lines.join("\n")
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The first of two columns, and the byte at which the second begins.
fn columns(line: &str) -> Option<(&str, usize)> {
    let indent = indent_of(line);
    let end = indent + line[indent..].find("  ")?;
    let column = end + indent_of(&line[end..]);
    (indent > 0 && column < line.len()).then_some((&line[..end], column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wrap: fn(&str, Option<usize>) -> String, line: &str, width: usize, expected: &str) {
        assert_eq!(wrap(line, Some(width)), expected);
        assert_eq!(wrap(line, None), line);
        assert!(expected.lines().all(|line| line.width() <= width), "{expected}");
    }

    #[test]
    fn the_rest_of_a_line_is_indented() {
        check(text, "uno dos tres\n", 20, "uno dos tres\n");
        check(text, "  uno dos tres\n", 10, "  uno dos\n      tres\n");
        check(text, "uno dos tres cuatro", 10, "uno dos\n    tres\n    cuatro");
    }

    #[test]
    fn columns_of_help_stay_apart() {
        check(help, "  -h  uno dos tres\n", 14, "  -h  uno dos\n      tres\n");
        check(help, "  --json <N>  uno dos tres\n", 16, "  --json <N>\n      uno dos\n      tres\n");
        check(help, "Uso: quipu verify [RUTA]\n", 14, "Uso: quipu\n    verify\n    [RUTA]\n");
    }
}
