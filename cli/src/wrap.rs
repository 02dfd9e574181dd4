//! Wraps lines of plain text to the width of a terminal.

use unicode_width::UnicodeWidthStr;

use crate::styled::Styled;

/// Columns by which the rest of a wrapped line is indented.
const HANGING: usize = 4;

/// The text with lines of at most this width; every line as it is without a width. The rest of a line is indented more than
/// its beginning.
pub(crate) fn text(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let mut wrapped = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if line.width() <= width {
            wrapped.extend([line, end]);
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let lines = Styled::plain(line).wrapped(width, indent + HANGING, usize::MAX);
        let lines: Vec<_> = lines.iter().map(|line| line.text().trim_end().to_owned()).collect();
        wrapped.extend([lines.join("\n").as_str(), end]);
    }
    wrapped
}
