//! Sizes of what is shown: lines of the list, columns and lines of a page, and the page about all keys.

use anstyle::Style;

use super::keys;
use crate::{context::Context, styled::Styled};

/// From so many lines on there is room for more than the least.
pub(super) const ROOMY: u16 = 16;
/// Lines under the list about the chosen record.
pub(super) const PREVIEW: u16 = 3;

/// Lines of the list.
pub(super) fn list_lines((_, lines): (u16, u16)) -> usize {
    let preview = if lines < ROOMY { 0 } else { PREVIEW };
    usize::from(lines.saturating_sub(4 + preview))
}

/// Columns and lines of a page.
pub(super) fn page_size((columns, lines): (u16, u16)) -> (usize, usize) {
    (usize::from(columns.saturating_sub(2)), usize::from(lines.saturating_sub(3)))
}

/// The page about all keys.
pub(super) fn keys_page(context: Context, width: usize) -> Vec<Styled> {
    let table = keys::table(context.lang);
    let widest = keys::widest(&table).min(width / 2);
    let mut lines = Vec::new();
    for (place, rows) in table {
        if !lines.is_empty() {
            lines.push(Styled::default());
        }
        lines.push(Styled::of(Style::new().bold(), keys::heading(place, context.lang)));
        for (keys, what) in rows {
            let line = Styled::of(Style::new().bold(), format!("  {keys:<widest$}  ")).and(Style::new(), what);
            lines.extend(line.wrapped(width, widest + 4, usize::MAX));
        }
    }
    lines.push(Styled::default());
    let more = context.say("view.more").lines();
    lines.extend(more.flat_map(|line| Styled::plain(line).wrapped(width, 0, usize::MAX)));
    lines
}
