//! Draws the state as a screen of styled characters.

use anstyle::{AnsiColor, Style};
use ratatui::{Frame, buffer::Buffer, layout::Rect};
use unicode_width::UnicodeWidthStr;

use super::{
    keys::{self, Focus},
    state::{Ask, Prompt, ViewState},
};
use crate::{context::Context, styled::Styled, table::cut};

mod game;
mod list;
mod page;

/// Columns and lines below which nothing but a notice is shown.
const MIN_SIZE: (u16, u16) = (40, 10);

/// Draws the whole screen.
pub(super) fn frame(state: &ViewState, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut pen = ScreenPen { context: state.context, buffer: frame.buffer_mut(), area };
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        pen.too_small();
        return;
    }
    match (&state.page, &state.open) {
        (Some(page), _) => pen.page(state, page),
        (None, Some(open)) => pen.game(state, open),
        (None, None) => pen.list(state),
    }
    pen.keys(state.focus());
    if let Some(prompt) = &state.prompt {
        let column = pen.prompt(prompt);
        frame.set_cursor_position((column, area.height - 2));
    }
}

/// Writes lines to a screen, with the styles that it can show.
struct ScreenPen<'b> {
    context: Context,
    buffer: &'b mut Buffer,
    area: Rect,
}

impl ScreenPen<'_> {
    /// Writes a line, cut at the width given.
    fn put(&mut self, column: u16, row: u16, columns: u16, line: &Styled) {
        let (mut column, end) = (column, (column + columns).min(self.area.right()));
        if row >= self.area.bottom() {
            return;
        }
        for (style, text) in line.pieces() {
            let (style, room) = (self.style(style), usize::from(end.saturating_sub(column)));
            (column, _) = self.buffer.set_stringn(column, row, text, room, style);
        }
    }

    /// Writes a line; a line that is too wide ends with an ellipsis.
    fn put_cut(&mut self, column: u16, row: u16, columns: u16, line: &Styled) {
        if line.width() <= usize::from(columns) {
            self.put(column, row, columns, line);
        } else if columns > 0 {
            self.put(column, row, columns - 1, line);
            self.put(column + columns - 1, row, 1, &Styled::plain("…"));
        }
    }

    /// Writes a text in one style, cut to this width.
    fn text(&mut self, column: u16, row: u16, columns: u16, style: Style, text: &str) {
        self.put(column, row, columns, &Styled::of(style, cut(text, usize::from(columns))));
    }

    /// Writes lines one below the other.
    fn lines(&mut self, area: Rect, lines: &[Styled]) {
        for (row, line) in (area.y..area.bottom()).zip(lines) {
            self.put_cut(area.x, row, area.width, line);
        }
    }

    /// Adds a style to a whole row.
    fn mark(&mut self, row: Rect, style: Style) {
        let style = self.style(style);
        self.buffer.set_style(row, style);
    }

    /// Converts a style, without colours if they are off.
    fn style(&self, style: Style) -> ratatui::style::Style {
        use ratatui::style::{Color, Modifier};
        let color = |color: anstyle::Color| match color {
            anstyle::Color::Ansi(color) => Color::Indexed(anstyle::Ansi256Color::from(color).0),
            anstyle::Color::Ansi256(color) => Color::Indexed(color.0),
            anstyle::Color::Rgb(color) => Color::Rgb(color.0, color.1, color.2),
        };
        let effects = [
            (anstyle::Effects::BOLD, Modifier::BOLD),
            (anstyle::Effects::DIMMED, Modifier::DIM),
            (anstyle::Effects::INVERT, Modifier::REVERSED),
        ];
        let shown = effects.into_iter().filter(|(effect, _)| style.get_effects().contains(*effect));
        let mut made = ratatui::style::Style::new();
        for (_, modifier) in shown {
            made = made.add_modifier(modifier);
        }
        if self.context.color {
            made.fg = style.get_fg_color().map(color);
            made.bg = style.get_bg_color().map(color);
        }
        made
    }

    /// The title bar.
    fn title(&mut self, left: &str, right: &Styled) {
        let bar = Style::new().invert();
        let width = self.area.width;
        let taken = u16::try_from(right.width()).unwrap_or(width).min(width / 2);
        self.text(1, 0, width - taken - 3, Style::new().bold(), left);
        self.put_cut(width - taken - 1, 0, taken, right);
        self.mark(Rect { height: 1, ..self.area }, bar);
    }

    /// The key hints on the last line, always visible.
    fn keys(&mut self, focus: Focus) {
        let row = self.area.height - 1;
        let mut line = Styled::default();
        for hint in keys::line(focus, self.context.lang, usize::from(self.area.width)) {
            line.push(Style::new(), if line.width() > 0 { " " } else { "" });
            line.push(Style::new().bold().invert(), &hint.keys);
            line.push(Style::new(), &format!(" {}", hint.word));
        }
        self.put(0, row, self.area.width, &line);
    }

    /// The prompt with its text; returns the column of the cursor.
    fn prompt(&mut self, Prompt { ask, text }: &Prompt) -> u16 {
        let (row, width) = (self.area.height - 2, self.area.width);
        let label = self.context.say(match ask {
            Ask::Number => "view.prompt.number",
            Ask::Search => "view.prompt.search",
            Ask::Filter => "view.prompt.filter",
        });
        self.buffer.set_stringn(
            0,
            row,
            " ".repeat(usize::from(width)),
            usize::from(width),
            ratatui::style::Style::new(),
        );
        // A long text shows its end.
        let room = usize::from(width).saturating_sub(label.width() + 2);
        let mut shown = text.as_str();
        while shown.width() > room {
            let mut letters = shown.chars();
            letters.next();
            shown = letters.as_str();
        }
        let line = Styled::of(Style::new().bold(), format!("{label} ")).and(Style::new(), shown);
        self.put(0, row, width, &line);
        u16::try_from(line.width()).unwrap_or(width - 1)
    }

    /// The status line above the key hints: a notice if there is one, else the line given.
    fn status(&mut self, state: &ViewState, otherwise: &Styled) {
        let (row, width) = (self.area.height - 2, self.area.width);
        let notice_style = AnsiColor::Yellow.on_default().bold();
        match &state.notice {
            Some(notice) => self.text(0, row, width, notice_style, notice),
            None if state.is_searching => self.text(0, row, width, notice_style, self.context.say("view.searching")),
            None => self.put_cut(0, row, width, otherwise),
        }
    }
}

/// Joins the non-empty texts with a middle dot.
fn joined(parts: &[&str]) -> String {
    parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
pub(super) mod tests;
