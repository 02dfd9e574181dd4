//! Sizes that depend on the terminal: lines of the list, size of a page; and the text of the page of keys.

use anstyle::Style;

use super::keys;
use crate::{context::Context, styled::Styled};

/// Lines of a terminal from which the optional parts are shown.
pub(super) const ROOMY: u16 = 16;
/// Lines below the list for details of the chosen record.
pub(super) const PREVIEW: u16 = 3;

/// Lines of the list on a terminal of this size.
pub(super) fn list_lines((_, lines): (u16, u16)) -> usize {
    let preview = if lines < ROOMY { 0 } else { PREVIEW };
    usize::from(lines.saturating_sub(4 + preview))
}

/// Columns and lines of a page on a terminal of this size.
pub(super) fn page_size((columns, lines): (u16, u16)) -> (usize, usize) {
    (usize::from(columns.saturating_sub(2)), usize::from(lines.saturating_sub(3)))
}

/// The text of the page of keys.
pub(super) fn keys_page(context: Context, width: usize) -> Vec<Styled> {
    let table = keys::table(context.lang);
    let widest = keys::widest(&table).min(width / 2);
    let mut lines = Vec::new();
    for (focus, rows) in table {
        if !lines.is_empty() {
            lines.push(Styled::default());
        }
        lines.push(Styled::of(Style::new().bold(), keys::heading(focus, context.lang)));
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
