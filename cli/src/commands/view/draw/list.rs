//! Draws the list of records.

use anstyle::{AnsiColor, Style};
use quipu_referee::Status;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::{ScreenPen, joined};
use crate::{
    commands::view::{
        game::{ListRow, sign},
        layout::{PREVIEW, ROOMY, list_lines},
        list::List,
        state::ViewState,
    },
    context::Context,
    diagnostics,
    styled::Styled,
};

impl ScreenPen<'_> {
    /// Draws the title, the rows, the chosen record and the summary.
    pub(super) fn list(&mut self, state: &ViewState) {
        let list = &state.list;
        let count = match (list.shown(), list.known()) {
            (Some(shown), known) => {
                self.context.fill("view.some-records", &[("shown", &shown.len()), ("count", &known)])
            }
            (None, known) => self.context.fill("view.records", &[("count", &known)]),
        };
        self.title(&state.title, &Styled::plain(count));
        let columns = ListColumns::new(self.context, list, self.area.width);
        self.columns(1, &columns, Style::new().dimmed(), &columns.heads(self.context));
        let lines = u16::try_from(list_lines(state.size)).unwrap_or(self.area.height);
        for (row, place) in (2..2 + lines).zip(list.top..) {
            let Some(record) = list.record(place) else { break };
            self.row(row, list, &columns, record, place == list.cursor);
        }
        if list.len() == 0 {
            self.text(2, 3, self.area.width - 2, Style::new(), self.nothing(list));
        }
        if self.area.height >= ROOMY {
            self.preview(self.area.height - 2 - PREVIEW, list);
        }
        let summary = self.summary(list);
        self.status(state, &summary);
    }

    /// The reason why the list is empty.
    fn nothing(&self, list: &List) -> &'static str {
        let done = list.filter.as_ref().is_none_or(|filter| filter.ended);
        self.context.say(match (list.ended && done, list.known()) {
            (false, _) => "view.reading",
            (true, 0) => "view.no-records",
            (true, _) => "view.nothing-shown",
        })
    }

    fn row(&mut self, row: u16, list: &List, columns: &ListColumns, record: usize, chosen: bool) {
        let Some(status) = list.status(record) else { return };
        let mark = if chosen { "▸" } else { " " };
        let number = format!("{:>1$}", record + 1, usize::from(columns.number));
        let word = if columns.words { self.context.word(status.word()) } else { "" };
        let known = list.row(record);
        let field = |field: fn(&ListRow) -> &String| known.map_or("…", |row| field(row).as_str());
        let cells = ListCells {
            number: format!("{mark}{number}"),
            status: Styled::of(diagnostics::style(status), format!("{} {word}", sign(status))),
            players: field(|row| &row.players),
            event: field(|row| &row.event),
            game: field(|row| &row.game),
            date: field(|row| &row.date),
            result: field(|row| &row.result),
        };
        self.columns(row, columns, Style::new(), &cells);
        if chosen {
            self.mark(Rect { y: row, height: 1, ..self.area }, Style::new().invert());
        }
    }

    /// The cells of a row, each in its column.
    fn columns(&mut self, row: u16, columns: &ListColumns, style: Style, cells: &ListCells<'_>) {
        let mut column = 0;
        let mut next = |width: u16| {
            let here = column;
            column += if width > 0 { width + 2 } else { 0 };
            here
        };
        let number = next(columns.number + 1);
        self.text(number, row, columns.number + 1, style, &cells.number);
        let status = next(columns.status);
        self.put(status, row, columns.status, &cells.status);
        let texts = [
            (columns.players, cells.players),
            (columns.event, cells.event),
            (columns.game, cells.game),
            (columns.date, cells.date),
            (columns.result, cells.result),
        ];
        for (width, text) in texts.into_iter().filter(|(width, _)| *width > 0) {
            let here = next(width);
            self.text(here, row, width, style, text);
        }
    }

    /// Details of the chosen record that do not fit into its row.
    fn preview(&mut self, row: u16, list: &List) {
        let (width, dim) = (self.area.width, Style::new().dimmed());
        self.text(0, row, width, dim, &"─".repeat(usize::from(width)));
        let Some(known) = list.chosen().and_then(|record| list.row(record)) else { return };
        let round = if known.round.is_empty() {
            String::new()
        } else {
            self.context.fill("view.round", &[("round", &known.round)])
        };
        let parts = [&known.place, &known.players, &known.event, &round, &known.date].map(String::as_str);
        self.text(0, row + 1, width, Style::new(), &joined(&parts));
        let (style, said) = match &known.finding {
            Some(finding) => (AnsiColor::Red.on_default(), finding),
            None => (Style::new(), &known.end),
        };
        self.text(0, row + 2, width, style, said);
    }

    /// Counts by status, the active filters, and the progress of reading.
    fn summary(&self, list: &List) -> Styled {
        let mut line = Styled::default();
        for status in Status::ALL {
            let count = list.count(status);
            let style = if count > 0 { diagnostics::style(status) } else { Style::new().dimmed() };
            line.push(style, &format!("{} {count}", sign(status)));
            line.push(Style::new(), "  ");
        }
        if list.faults {
            line.push(Style::new().bold(), &format!("· {} ", self.context.say("view.faults-only")));
        }
        if let Some(filter) = &list.filter {
            let text = filter.query.text();
            let filtered = if filter.ended {
                self.context.fill("view.filtered", &[("text", &text)])
            } else {
                self.context.fill("view.filtering", &[("text", &text)])
            };
            line.push(Style::new().bold(), &format!("· {filtered} "));
        }
        if !list.ended {
            let reading = match list.percent {
                Some(percent) => self.context.fill("view.reading-percent", &[("percent", &percent)]),
                None => self.context.say("view.reading").to_owned(),
            };
            line.push(Style::new().bold(), &format!("· {reading}"));
        }
        line
    }
}

/// Widths of the list's columns; 0 hides a column.
struct ListColumns {
    number: u16,
    status: u16,
    /// True if the status shows its word beside its sign.
    words: bool,
    players: u16,
    event: u16,
    game: u16,
    date: u16,
    result: u16,
}

/// Texts of one row of the list.
struct ListCells<'c> {
    number: String,
    status: Styled,
    players: &'c str,
    event: &'c str,
    game: &'c str,
    date: &'c str,
    result: &'c str,
}

impl ListColumns {
    fn new(context: Context, list: &List, width: u16) -> Self {
        let number = u16::try_from(list.known().to_string().len()).unwrap_or(u16::MAX).max(2);
        let words = width >= 60;
        let longest = Status::ALL.map(|status| context.word(status.word()).width()).into_iter().max();
        let status = if words { u16::try_from(longest.unwrap_or_default()).unwrap_or_default() + 2 } else { 1 };
        let (date, result) = (if width >= 60 { 10 } else { 0 }, 7);
        let game = match width {
            0..70 => 0,
            70..120 => 8,
            _ => 20,
        };
        let fixed: u16 =
            [number + 1, status, game, date, result].into_iter().map(|one| one + 2 * u16::from(one > 0)).sum();
        let room = width.saturating_sub(fixed);
        let event = if room >= 60 { (room - 2) / 3 } else { 0 };
        let players = room - event - 2 * u16::from(event > 0);
        Self { number, status, words, players, event, game, date, result }
    }

    fn heads(&self, context: Context) -> ListCells<'static> {
        let status = if self.words { context.say("view.column.status") } else { "" };
        ListCells {
            number: format!("{:>1$}", "n", usize::from(self.number) + 1),
            status: Styled::of(Style::new().dimmed(), status),
            players: context.say("view.column.players"),
            event: context.say("view.column.event"),
            game: context.say("view.column.game"),
            date: context.say("view.column.date"),
            result: context.say("view.column.result"),
        }
    }
}
