//! Draws the state as a screen of styled characters.

use anstyle::{AnsiColor, Style};
use quipu_notation::Side;
use quipu_referee::{Status, drawing::Drawing, words::catalog};
use ratatui::{Frame, buffer::Buffer, layout::Rect};
use unicode_width::UnicodeWidthStr;

use super::{
    game::{self, GameView, sign, time},
    keys::{self, Focus},
    layout::{PREVIEW, ROOMY, list_lines, page_size},
    list::List,
    panes::{self, Panes},
    state::{Ask, OpenGame, PageKind, Prompt, TextPage, ViewState},
};
use crate::{board, context::Context, diagnostics, styled::Styled, table::cut};

/// Columns and lines below which nothing but a notice is shown.
const LEAST: (u16, u16) = (40, 10);
/// Number of board sizes.
const SCALES: usize = 3;

/// Draws the whole screen.
pub(super) fn frame(state: &ViewState, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut pen = ScreenPen { context: state.context, buffer: frame.buffer_mut(), area };
    if area.width < LEAST.0 || area.height < LEAST.1 {
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

    fn too_small(&mut self) {
        let Rect { width, height, .. } = self.area;
        let (columns, lines) = LEAST;
        let said = self.context.fill(
            "view.too-small",
            &[("columns", &width), ("lines", &height), ("more-columns", &columns), ("more-lines", &lines)],
        );
        let lines = Styled::plain(said).wrapped(usize::from(width).max(1), 0, usize::from(height));
        self.lines(self.area, &lines);
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
        let told = AnsiColor::Yellow.on_default().bold();
        match &state.notice {
            Some(notice) => self.text(0, row, width, told, notice),
            None if state.finding => self.text(0, row, width, told, self.context.say("view.searching")),
            None => self.put_cut(0, row, width, otherwise),
        }
    }

    fn page(&mut self, state: &ViewState, page: &TextPage) {
        let title = self.context.say(match page.kind {
            PageKind::Keys => "view.page.keys",
            PageKind::Details => "view.page.details",
        });
        let (_, height) = page_size(state.size);
        let (first, last) = (page.top + 1, (page.top + height).min(page.lines.len()));
        let count = page.lines.len();
        self.title(title, &Styled::plain(format!("{first}–{last} / {count}")));
        let area = Rect { x: 1, y: 1, width: self.area.width - 2, height: self.area.height - 3 };
        self.lines(area, &page.lines[page.top.min(count)..last.max(page.top.min(count))]);
    }
}

/// The list of records.
impl ScreenPen<'_> {
    fn list(&mut self, state: &ViewState) {
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
        let field = |field: fn(&game::ListRow) -> &String| known.map_or("…", |row| field(row).as_str());
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

/// Joins the non-empty texts with a point.
fn joined(parts: &[&str]) -> String {
    parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
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

/// A game at the ply shown, and the side to move there.
#[derive(Clone, Copy)]
struct PlyShown<'s> {
    game: &'s GameView,
    at: usize,
    turn: Option<Side>,
}

/// One game.
impl ScreenPen<'_> {
    fn game(&mut self, state: &ViewState, open: &OpenGame) {
        let OpenGame { game, at, .. } = open;
        let roomy = self.area.height >= ROOMY;
        let status = game.verdict.status;
        let name = game.referee.map_or("", |referee| self.context.word(referee.name()));
        let file = game.name.rsplit('/').next().unwrap_or_default();
        let place = format!("{file} · {}", game.number);
        let verdict = format!("{} {}", sign(status), self.context.word(status.word()));
        self.title(&joined(&[&place, name]), &Styled::of(diagnostics::style(status), verdict));
        if roomy {
            let players = Side::BOTH.map(|side| game.player(side).map_or("", |(_, name)| name)).join(" – ");
            let players = if game.referee.is_some() { players.as_str() } else { "" };
            let tags = ["Event", "Date"].map(|tag| game.tag(tag).unwrap_or_default());
            let round = game.tag("Round").map(|round| self.context.fill("view.round", &[("round", &round)]));
            let finding = game.verdict.finding.map_or("", |finding| finding.outcome.as_str());
            let parts = [players, tags[0], round.as_deref().unwrap_or_default(), tags[1], finding];
            self.text(1, 1, self.area.width - 2, Style::new().bold(), &joined(&parts));
        }
        let first = if roomy { 2 } else { 1 };
        let body = Rect { y: first, height: self.area.height - first - 2, ..self.area };
        let more = self.body(state, game, *at, body);
        let mut line = if !roomy {
            self.in_short(game, *at)
        } else if status == Status::Unreadable {
            Styled::default()
        } else {
            let count = game.plies.len();
            Styled::plain(self.context.fill("view.at", &[("ply", at), ("count", &count)]))
        };
        if more {
            line.push(Style::new(), if line.width() > 0 { "  " } else { "" });
            line.push(Style::new().bold(), self.context.say("view.more-said"));
        }
        self.status(state, &line);
    }

    /// The ply in one line, for a screen without room for more.
    fn in_short(&self, game: &GameView, at: usize) -> Styled {
        let (sign, style) = game.mark(at);
        let heading = game.heading(self.context, at);
        let code = game.codes_at(at).next().unwrap_or_default();
        let mut line = Styled::default();
        for part in [Styled::of(style, sign), heading, Styled::of(style, code)] {
            line.push(Style::new(), if line.width() > 0 && part.width() > 0 { " " } else { "" });
            line.append(&part);
        }
        line
    }

    /// Board, players, moves and notes of a ply. Returns true if the notes do not fit.
    fn body(&mut self, state: &ViewState, game: &GameView, at: usize, body: Rect) -> bool {
        let board = game.board(at);
        let turn = board.as_ref().filter(|board| board.end().is_none()).map(|board| board.turn());
        let seen = PlyShown { game, at, turn };
        let drawing = board.map(|board| board.drawing());
        let color = self.context.color;
        let scales = |drawing| (1..=SCALES).map(move |scale| size(color, drawing, scale));
        let sizes: Vec<_> = drawing.iter().flat_map(scales).collect();
        let panes = panes::of(body, &sizes, !game.plies.is_empty());
        let below = drawing.as_ref().map_or(Side::One, |drawing| drawing.below);
        let bottom = if state.turned { !below } else { below };
        let top = !bottom;
        if let (Some(area), Some(drawing)) = (panes.board, &drawing) {
            self.lines(area, &board::lines(color, drawing, panes.scale, state.turned));
        }
        if let (Some(area), Some(drawing)) = (panes.side, &drawing) {
            self.side(area, seen, drawing, [top, bottom]);
        }
        for (area, side) in [(panes.above, top), (panes.below, bottom)] {
            let Some(area) = area else { continue };
            let [mut line, counts] = self.player(seen, side);
            line.push(Style::new(), if counts.width() > 0 { "  " } else { "" });
            line.append(&counts);
            self.put_cut(area.x, area.y, area.width, &line);
        }
        if let Some(area) = panes.moves {
            self.moves(area, game, at);
        }
        if let Some(area) = panes.rule {
            self.text(area.x, area.y, area.width, Style::new().dimmed(), &"─".repeat(usize::from(area.width)));
        }
        let Some(area) = panes.said else { return game.said(self.context, at, body.width.into(), 2).len() > 1 };
        let above = self.over_what_is_said(&panes, &sizes, drawing.as_ref(), area.width);
        self.said(area, seen, above)
    }

    /// Lines before the notes: that the board does not fit, or the facts that would stand beside it.
    fn over_what_is_said(
        &self,
        panes: &Panes,
        sizes: &[(u16, u16)],
        drawing: Option<&Drawing>,
        width: u16,
    ) -> Vec<Styled> {
        let text = match (panes.board, panes.side, sizes.first(), drawing) {
            (None, _, Some((columns, lines)), _) => {
                let (columns, lines) = (columns + panes::MOVES, lines + 4);
                self.context.fill("view.no-room", &[("columns", &columns), ("lines", &lines)])
            }
            (Some(_), None, _, Some(drawing)) => self.facts(drawing).join(" · "),
            _ => return Vec::new(),
        };
        Styled::of(Style::new().dimmed(), text).wrapped(usize::from(width), 2, 3)
    }

    /// The notes of a ply, as far as they fit. Returns true if there are more.
    fn said(&mut self, area: Rect, PlyShown { game, at, .. }: PlyShown<'_>, mut lines: Vec<Styled>) -> bool {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        lines.extend(game.said(self.context, at, width, height + 1));
        self.lines(area, &lines);
        lines.len() > height
    }

    /// Name, player, clock and points of a side, in two lines.
    fn player(&self, PlyShown { game, at, turn }: PlyShown<'_>, side: Side) -> [Styled; 2] {
        let (tag, name) = game.player(side).unwrap_or_default();
        let mark = if turn == Some(side) { "▸" } else { " " };
        let played = at.min(game.played());
        let clock = game.clock(side, played).map(time).unwrap_or_default();
        let points = game.points(played).map(|points| points[side.index()]);
        let points = points.map(|points| self.context.fill("view.points", &[("points", &points)])).unwrap_or_default();
        [
            Styled::of(Style::new().bold(), format!("{mark}{tag}")).and(Style::new(), format!(" {name}")),
            Styled::plain(joined(&[&clock, &points])),
        ]
    }

    /// The facts of the position, without those that the screen shows elsewhere.
    fn facts(&self, drawing: &Drawing) -> Vec<String> {
        let facts = drawing.facts.iter().filter(|(label, _)| !matches!(*label, "ply" | "turn"));
        let facts = facts.map(|(label, values)| {
            let values: Vec<_> = values.iter().map(|value| catalog().fact(value, self.context.lang)).collect();
            format!("{}: {}", self.context.word(label), values.join(", "))
        });
        facts.collect()
    }

    /// Both players in their seats, with the facts of the position between them.
    fn side(&mut self, area: Rect, seen: PlyShown<'_>, drawing: &Drawing, [top, bottom]: [Side; 2]) {
        let width = usize::from(area.width);
        let upper = self.player(seen, top);
        let mut lower = self.player(seen, bottom).to_vec();
        if lower[1].width() == 0 {
            lower.pop();
        }
        let mut lines: Vec<_> = upper.into_iter().filter(|line| line.width() > 0).collect();
        lines.iter_mut().skip(1).chain(lower.iter_mut().skip(1)).for_each(|line| {
            let text = std::mem::take(line);
            line.push(Style::new(), " ");
            line.append(&text);
        });
        let facts = self.facts(drawing);
        let facts: Vec<_> = facts.iter().flat_map(|fact| Styled::plain(fact).wrapped(width, 2, 9)).collect();
        let room = usize::from(area.height).saturating_sub(lines.len() + lower.len());
        // An empty line around the facts, if there is room.
        let gap = usize::from(facts.len() < room);
        lines.extend(vec![Styled::default(); gap]);
        lines.extend(facts.into_iter().take(room));
        self.lines(area, &lines);
        let height = u16::try_from(lower.len()).unwrap_or_default();
        self.lines(Rect { y: area.bottom() - height, height, ..area }, &lower);
    }

    /// The part of the move list around the ply shown.
    fn moves(&mut self, area: Rect, game: &GameView, at: usize) {
        let (height, count) = (usize::from(area.height), game.plies.len() + 1);
        let top = at.saturating_sub(height / 2).min(count.saturating_sub(height));
        let digits = game.plies.len().to_string().len();
        let room = usize::from(area.width).saturating_sub(digits + 4);
        let mut rest = room.saturating_sub(TOKEN);
        let mut has = |width: usize, is: bool| {
            let has = is && rest >= width;
            rest -= if has { width } else { 0 };
            has
        };
        let points = has(POINTS, game.points(0).is_some());
        let clocks = has(CLOCK, game.plies.iter().take(4).any(|ply| ply.clock.is_some()));
        let sides = has(SIDE, game.referee.is_some());
        let token = TOKEN + rest;
        for (row, place) in (area.y..area.bottom()).zip(top..count) {
            let (mark, style) = game.mark(place);
            let dim = Style::new().dimmed();
            let cursor = if place == at { "▸" } else { " " };
            let mut line = Styled::of(dim, format!("{cursor}{place:>digits$} "));
            match place.checked_sub(1).map(|last| &game.plies[last]) {
                None => line
                    .push(Style::new(), &padded(self.context.say("view.start"), token + if sides { SIDE } else { 0 })),
                Some(ply) => {
                    if sides {
                        let name = ply.side.and_then(|side| game.player(side)).map_or("", |(tag, _)| tag);
                        line.push(Style::new(), &padded(name, SIDE));
                    }
                    let shown = match place.cmp(&(game.played() + 1)) {
                        std::cmp::Ordering::Less => Style::new(),
                        std::cmp::Ordering::Equal => AnsiColor::Red.on_default().bold(),
                        std::cmp::Ordering::Greater => dim,
                    };
                    line.push(shown, &padded(&ply.token, token));
                }
            }
            line.push(style, &padded(mark, 2));
            let ply = place.checked_sub(1).map(|last| &game.plies[last]);
            if points {
                let counted = if place <= game.played() { game.points(place) } else { None };
                let counted = counted.map(|[one, two]| format!("{one}-{two}")).unwrap_or_default();
                line.push(Style::new(), &format!("{counted:>0$}", POINTS - 1));
                line.push(Style::new(), " ");
            }
            if clocks {
                line.push(Style::new(), &padded(&ply.and_then(|ply| ply.clock).map(time).unwrap_or_default(), CLOCK));
            }
            self.put(area.x, row, area.width, &line);
            if place == at {
                self.mark(Rect { y: row, height: 1, ..area }, Style::new().invert());
            }
        }
    }
}

/// Widths in the move list: a move at least, the points of both sides, a clock, a side's name.
const TOKEN: usize = 6;
const POINTS: usize = 6;
const CLOCK: usize = 12;
const SIDE: usize = 7;

/// The text padded to a width, the last column a space.
fn padded(text: &str, columns: usize) -> String {
    let text = cut(text, columns.saturating_sub(1));
    let space = " ".repeat(columns.saturating_sub(text.width()));
    format!("{text}{space}")
}

/// Columns and lines of a board at a scale.
fn size(color: bool, drawing: &Drawing, scale: usize) -> (u16, u16) {
    let lines = board::lines(color, drawing, scale, false);
    let narrow = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    (narrow(lines.first().map_or(0, Styled::width)), narrow(lines.len()))
}

#[cfg(test)]
pub(super) mod tests {
    use std::{env, fs, path::Path};

    use quipu_referee::Lang;
    use ratatui::{Terminal, backend::TestBackend, style::Modifier};

    use super::{super::harness::TestViewer, *};

    /// The screen of a terminal of this size.
    pub(in super::super) fn screen(state: &ViewState) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).expect("it does not fail");
        terminal.draw(|found| frame(state, found)).expect("it does not fail");
        terminal.backend().buffer().clone()
    }

    /// The characters of that screen, line by line.
    pub(in super::super) fn drawn(state: &ViewState) -> String {
        let screen = screen(state);
        let rows = (0..screen.area.height).map(|row| {
            let line: String = (0..screen.area.width).map(|column| screen[(column, row)].symbol()).collect();
            line.trim_end().to_owned() + "\n"
        });
        rows.collect()
    }

    /// Terminal sizes of the expected screens.
    const SIZES: [(u16, u16); 3] = [(80, 24), (40, 12), (200, 60)];

    /// Presses keys and compares the screen in each size with `expected/<name>.<language>.txt`. `UPDATE_EXPECTED=1
    /// cargo test --package quipu-cli` rewrites those files: review the changes before you commit them.
    #[track_caller]
    fn check(name: &str, path: &str, keys: &str) {
        for lang in Lang::ALL {
            let mut found = String::new();
            for size in SIZES {
                let mut viewer = TestViewer::new(Context { lang, color: false }, path, size);
                viewer.press(keys);
                found += &format!("{} x {}\n{}", size.0, size.1, drawn(&viewer.state));
            }
            let path = Path::new("src/commands/view/expected").join(format!("{name}.{}.txt", lang.as_str()));
            if env::var_os("UPDATE_EXPECTED").is_some() {
                fs::write(&path, &found).expect("it is written");
            }
            let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(found, expected, "{}", path.display());
        }
    }

    #[test]
    fn the_list() {
        check("list", "../fixtures/andes/mutants.quipu", "jjj");
    }

    #[test]
    fn the_list_of_what_is_searched() {
        check("filtered", "../fixtures/andes/cup.quipu", "&curin\nG");
    }

    #[test]
    fn a_game_on_squares() {
        check("squares", "../fixtures/andes/cup.quipu", "j\n20\n");
    }

    #[test]
    fn a_game_on_points() {
        check("points", "../fixtures/pastores/games.quipu", "\n30\nf");
    }

    #[test]
    fn a_game_of_many_pieces() {
        check("pieces", "../fixtures/querni/games.quipu", "j\n7\n");
    }

    #[test]
    fn a_fault() {
        check("fault", "src/commands/view/expected/refused.quipu", "\n");
    }

    #[test]
    fn what_cannot_be_read() {
        check("unreadable", "src/commands/view/expected/refused.quipu", "j\n");
    }

    #[test]
    fn a_page_of_keys() {
        check("keys", "../fixtures/andes/cup.quipu", "?");
    }

    #[test]
    fn a_page_about_a_record() {
        check("details", "src/commands/view/expected/refused.quipu", "\ni");
    }

    #[test]
    fn something_written() {
        check("prompt", "../fixtures/andes/cup.quipu", "/quispe");
    }

    #[test]
    fn a_terminal_that_is_too_small_is_told() {
        for (lang, said) in [(Lang::Es, "hacen falta 40 × 10"), (Lang::En, "at least 40 × 10")] {
            for size in [(39, 24), (80, 9), (10, 3), (1, 1), (0, 0)] {
                let viewer = TestViewer::new(Context { lang, color: false }, "../fixtures/andes/cup.quipu", size);
                let text = drawn(&viewer.state).split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(text.contains(said) || size.0 < 20, "{text}");
                assert!(!text.contains('✓'), "nothing else is shown: {text}");
            }
        }
    }

    /// The key hints are visible at every size.
    #[test]
    fn keys_are_always_seen() {
        for keys in ["", "\n", "?", "\ni", "/x", "\n9"] {
            let mut viewer = TestViewer::new(CONTEXT, "src/commands/view/expected/refused.quipu", (80, 24));
            viewer.press(keys);
            for size in (40..130).step_by(7).flat_map(|columns| (10..50).step_by(3).map(move |lines| (columns, lines)))
            {
                viewer.resize(size);
                let text = drawn(&viewer.state);
                let last = text.lines().last().expect("there are lines");
                assert!(last.contains("q quit") || last.contains("q back"), "{keys:?} {size:?}: {text}");
            }
        }
    }

    const CONTEXT: Context = Context { lang: Lang::En, color: false };

    /// The chosen row is not marked by colour alone, and without colours there are none.
    #[test]
    fn colours_only_where_they_are_wanted() {
        for color in [false, true] {
            let mut colored = 0;
            for keys in ["", "\n", "\ni"] {
                let context = Context { color, ..CONTEXT };
                let mut viewer = TestViewer::new(context, "src/commands/view/expected/refused.quipu", (80, 24));
                viewer.press(keys);
                let screen = screen(&viewer.state);
                let has = |cell: &ratatui::buffer::Cell| {
                    use ratatui::style::Color::Reset;
                    (cell.fg, cell.bg) != (Reset, Reset)
                };
                colored += screen.content.iter().filter(|cell| has(cell)).count();
                let reversed = |row: u16| screen[(5, row)].modifier.contains(Modifier::REVERSED);
                assert!(reversed(0), "the title");
                if keys.is_empty() {
                    assert!(reversed(2) && !reversed(3) && screen[(0, 2)].symbol() == "▸", "the first row");
                }
            }
            assert_eq!(colored > 0, color, "{colored}");
        }
    }

    /// Texts from records never reach the terminal with active characters.
    #[test]
    fn nothing_a_terminal_acts_on_is_shown() {
        const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{8}\u{7f}\u{9b}31m\u{202e}";
        let token = HOSTILE.replace(['[', ']'], "");
        let text = format!(
            "[Game \"andes\"]\n[Event \"{HOSTILE}\"]\n[Sol \"{HOSTILE}Ana\"]\n\n{{{HOSTILE}}} 1. 0d3{token} {{{HOSTILE}}} *\n\n\
             [Game \"{HOSTILE}\"]\n[Event \"{HOSTILE}\"]\n\n{{{HOSTILE}}} {token} *\n"
        );
        let file = tempfile::NamedTempFile::new().expect("there is room");
        fs::write(file.path(), text).expect("there is room");
        for keys in ["", "\n", "\nl", "\ni", "j\n", "j\ni"] {
            let mut viewer = TestViewer::new(CONTEXT, file.path().to_str().expect("UTF-8"), (80, 24));
            viewer.press(keys);
            let text = drawn(&viewer.state);
            assert!(text.contains('\u{fffd}'), "{keys:?}: {text}");
            assert!(
                !text.chars().any(|character| character != '\n' && quipu_referee::is_active(character)),
                "{text:?}"
            );
        }
    }

    /// A turned board shows the second side's names of the squares.
    #[test]
    fn a_board_is_turned() {
        let mut viewer = TestViewer::new(CONTEXT, "../fixtures/andes/cup.quipu", (80, 24));
        viewer.press("\n4\n");
        let [one, other] = ["", "f"].map(|key| {
            viewer.press(key);
            drawn(&viewer.state)
        });
        assert!(one.contains("A  B  C  D  E  F  G") && one.contains("g  f  e  d  c  b  a"), "{one}");
        assert!(other.contains("a  b  c  d  e  f  g") && other.contains("G  F  E  D  C  B  A"), "{other}");
        viewer.press("f");
        assert_eq!(drawn(&viewer.state), one);
    }
}
