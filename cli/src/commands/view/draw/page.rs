//! Draws a page of text, and the notice on a terminal that is too small.

use ratatui::layout::Rect;

use super::{MIN_SIZE, ScreenPen};
use crate::{
    commands::view::{
        layout::page_size,
        state::{PageKind, TextPage, ViewState},
    },
    styled::Styled,
};

impl ScreenPen<'_> {
    /// Draws the visible lines of a page.
    pub(super) fn page(&mut self, state: &ViewState, page: &TextPage) {
        let title = self.context.say(match page.kind {
            PageKind::Keys => "view.page.keys",
            PageKind::Details => "view.page.details",
            PageKind::Readings => "view.page.readings",
        });
        let (_, height) = page_size(state.size);
        let (first, last) = (page.top + 1, (page.top + height).min(page.lines.len()));
        let count = page.lines.len();
        self.title(title, &Styled::plain(format!("{first}–{last} / {count}")));
        let area = Rect { x: 1, y: 1, width: self.area.width - 2, height: self.area.height - 3 };
        self.lines(area, &page.lines[page.top.min(count)..last.max(page.top.min(count))]);
    }

    /// Draws nothing but the size that the viewer needs.
    pub(super) fn too_small(&mut self) {
        let Rect { width, height, .. } = self.area;
        let (columns, lines) = MIN_SIZE;
        let said = self.context.fill(
            "view.too-small",
            &[("columns", &width), ("lines", &height), ("more-columns", &columns), ("more-lines", &lines)],
        );
        let lines = Styled::plain(said).wrapped(usize::from(width).max(1), 0, usize::from(height));
        self.lines(self.area, &lines);
    }
}
