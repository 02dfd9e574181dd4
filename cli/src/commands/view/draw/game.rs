//! Draws a game at a ply: board, players, moves and notes.

use std::cmp::Ordering;

use anstyle::{AnsiColor, Style};
use quipu_notation::Side;
use quipu_referee::{Status, drawing::Drawing, messages::catalog};
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::{ScreenPen, joined};
use crate::{
    board,
    commands::view::{
        game::{GameView, sign, time},
        layout::ROOMY,
        panes::{self, Panes},
        state::{OpenGame, ViewState},
    },
    diagnostics,
    styled::Styled,
    table::cut,
};

/// Number of board sizes.
const SCALES: usize = 3;

/// A game at the ply shown, and the side to move there.
#[derive(Clone, Copy)]
struct PlyShown<'s> {
    game: &'s GameView,
    at: usize,
    turn: Option<Side>,
}

impl ScreenPen<'_> {
    /// Draws title, tags, body and status line of a game.
    pub(super) fn game(&mut self, state: &ViewState, open: &OpenGame) {
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
            let result = game.verdict.end.map_or("", |end| end.outcome.as_str());
            let parts = [players, tags[0], round.as_deref().unwrap_or_default(), tags[1], result];
            self.text(1, 1, self.area.width - 2, Style::new().bold(), &joined(&parts));
        }
        let first = if roomy { 2 } else { 1 };
        let body = Rect { y: first, height: self.area.height - first - 2, ..self.area };
        let more = self.body(state, game, *at, body);
        let mut line = if !roomy {
            self.one_line(game, *at)
        } else if status == Status::Unreadable {
            Styled::default()
        } else {
            let count = game.plies.len();
            Styled::plain(self.context.fill("view.at", &[("ply", at), ("count", &count)]))
        };
        if more {
            line.push(Style::new(), if line.width() > 0 { "  " } else { "" });
            line.push(Style::new().bold(), self.context.say("view.more-notes"));
        }
        self.status(state, &line);
    }

    /// The ply in one line, for a screen without room for more.
    fn one_line(&self, game: &GameView, at: usize) -> Styled {
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
        let shown = PlyShown { game, at, turn };
        let drawing = board.map(|board| board.drawing());
        let color = self.context.color;
        let scales = |drawing| (1..=SCALES).map(move |scale| size(color, drawing, scale));
        let sizes: Vec<_> = drawing.iter().flat_map(scales).collect();
        let panes = panes::of(body, &sizes, !game.plies.is_empty());
        let below = drawing.as_ref().map_or(Side::One, |drawing| drawing.below);
        let bottom = if state.flipped { !below } else { below };
        let top = !bottom;
        if let (Some(area), Some(drawing)) = (panes.board, &drawing) {
            self.lines(area, &board::lines(color, drawing, panes.scale, state.flipped));
        }
        if let (Some(area), Some(drawing)) = (panes.side, &drawing) {
            self.side(area, shown, drawing, [top, bottom]);
        }
        for (area, side) in [(panes.above, top), (panes.below, bottom)] {
            let Some(area) = area else { continue };
            let [mut line, counts] = self.player(shown, side);
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
        let Some(area) = panes.notes else { return game.notes(self.context, at, body.width.into(), 2).len() > 1 };
        let above = self.lines_above_notes(&panes, &sizes, drawing.as_ref(), area.width);
        self.notes(area, shown, above)
    }

    /// Lines above the notes: a notice if the board does not fit, else the facts if nothing is beside the board.
    fn lines_above_notes(
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
    fn notes(&mut self, area: Rect, PlyShown { game, at, .. }: PlyShown<'_>, mut lines: Vec<Styled>) -> bool {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        lines.extend(game.notes(self.context, at, width, height + 1));
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
    fn side(&mut self, area: Rect, shown: PlyShown<'_>, drawing: &Drawing, [top, bottom]: [Side; 2]) {
        let width = usize::from(area.width);
        let upper = self.player(shown, top);
        let mut lower = self.player(shown, bottom).to_vec();
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
        let mut rest = room.saturating_sub(TOKEN_COLUMNS);
        let mut has = |width: usize, is: bool| {
            let has = is && rest >= width;
            rest -= if has { width } else { 0 };
            has
        };
        let points = has(POINTS_COLUMNS, game.points(0).is_some());
        let clocks = has(CLOCK_COLUMNS, game.plies.iter().take(4).any(|ply| ply.clock.is_some()));
        let sides = has(SIDE_NAME_COLUMNS, game.referee.is_some());
        let token = TOKEN_COLUMNS + rest;
        for (row, place) in (area.y..area.bottom()).zip(top..count) {
            let (mark, style) = game.mark(place);
            let dim = Style::new().dimmed();
            let cursor = if place == at { "▸" } else { " " };
            let mut line = Styled::of(dim, format!("{cursor}{place:>digits$} "));
            match place.checked_sub(1).map(|last| &game.plies[last]) {
                None => line.push(
                    Style::new(),
                    &padded(self.context.say("view.start"), token + if sides { SIDE_NAME_COLUMNS } else { 0 }),
                ),
                Some(ply) => {
                    if sides {
                        let name = ply.side.and_then(|side| game.player(side)).map_or("", |(tag, _)| tag);
                        line.push(Style::new(), &padded(name, SIDE_NAME_COLUMNS));
                    }
                    let shown = match place.cmp(&(game.played() + 1)) {
                        Ordering::Less => Style::new(),
                        Ordering::Equal => AnsiColor::Red.on_default().bold(),
                        Ordering::Greater => dim,
                    };
                    line.push(shown, &padded(&ply.token, token));
                }
            }
            line.push(style, &padded(mark, 2));
            let ply = place.checked_sub(1).map(|last| &game.plies[last]);
            if points {
                let counted = if place <= game.played() { game.points(place) } else { None };
                let counted = counted.map(|[one, two]| format!("{one}-{two}")).unwrap_or_default();
                line.push(Style::new(), &format!("{counted:>0$}", POINTS_COLUMNS - 1));
                line.push(Style::new(), " ");
            }
            if clocks {
                line.push(
                    Style::new(),
                    &padded(&ply.and_then(|ply| ply.clock).map(time).unwrap_or_default(), CLOCK_COLUMNS),
                );
            }
            self.put(area.x, row, area.width, &line);
            if place == at {
                self.mark(Rect { y: row, height: 1, ..area }, Style::new().invert());
            }
        }
    }
}

/// Widths in the move list: a move at least, the points of both sides, a clock, a side's name.
const TOKEN_COLUMNS: usize = 6;
const POINTS_COLUMNS: usize = 6;
const CLOCK_COLUMNS: usize = 12;
const SIDE_NAME_COLUMNS: usize = 7;

/// The text cut and padded to a width; the last column is a space.
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
