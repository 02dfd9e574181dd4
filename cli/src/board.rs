//! Draws boards in the terminal, with colours or without.

use std::fmt::Write as _;

use anstyle::{Ansi256Color, Color, Style};
use quipu_referee::{
    drawing::{Cell, Drawing, Glyph},
    words::catalog,
};

use crate::context::Context;

/// The board and what is said beside it, each line ended.
pub(crate) fn draw(context: Context, drawing: &Drawing) -> String {
    let mut lines = board(context, drawing).into_iter();
    let mut facts = drawing.facts.iter().map(|(label, values)| {
        let label = context.word(label);
        let values: Vec<_> = values.iter().map(|value| catalog().fact(value, context.lang)).collect();
        format!("{label}: {}", values.join(", "))
    });
    let mut text = String::new();
    loop {
        match (lines.next(), facts.next()) {
            (Some(line), Some(fact)) => text.extend([line.as_str(), "   ", &fact, "\n"]),
            (Some(line), None) => text.extend([line.trim_end(), "\n"]),
            (None, Some(fact)) => text.extend([&" ".repeat(width(context, drawing)), "   ", &fact, "\n"]),
            (None, None) => return text,
        }
    }
}

/// What stands for a piece.
fn label(context: Context, piece: &Glyph) -> &str {
    if context.color { &piece.label } else { &piece.plain }
}

/// Characters of the longest label of a piece.
fn label_width(context: Context, drawing: &Drawing) -> usize {
    let pieces = drawing.cells.iter().filter_map(|cell| cell.piece.as_ref());
    pieces.map(|piece| label(context, piece).chars().count()).max().unwrap_or_default().max(1)
}

/// Characters of a line of the board.
fn width(context: Context, drawing: &Drawing) -> usize {
    let gaps = if drawing.lines.is_empty() { 0 } else { drawing.columns - 1 };
    3 + (label_width(context, drawing) + 2) * drawing.columns + gaps + 3
}

fn board(context: Context, drawing: &Drawing) -> Vec<String> {
    let label_width = label_width(context, drawing);
    let names = |names: &[String]| {
        let mut line = " ".repeat(3);
        for (column, name) in names.iter().enumerate() {
            let gap = if column > 0 && !drawing.lines.is_empty() { " " } else { "" };
            let _ = write!(line, "{gap}{name:^0$}", label_width + 2);
        }
        line + "   "
    };
    let mut lines = vec![names(&drawing.top)];
    for (row, cells) in drawing.cells.chunks(drawing.columns).enumerate() {
        let first = row * drawing.columns;
        let mut line = format!("{:>2} ", drawing.left[row]);
        for (column, cell) in cells.iter().enumerate() {
            if column > 0 && !drawing.lines.is_empty() {
                line += &on_ground(context, cell, gap(drawing, [[first + column - 1, first + column]], ["-"]));
            }
            line += &square(context, drawing, first + column, label_width);
        }
        let _ = write!(line, " {:<2}", drawing.right[row]);
        lines.push(line);
        if !drawing.lines.is_empty() && first + drawing.columns < drawing.cells.len() {
            lines.push(between(context, drawing, first, label_width));
        }
    }
    lines.push(names(&drawing.bottom));
    lines
}

/// What joins two neighbours of a row, or the rows at one place.
fn gap<const N: usize>(drawing: &Drawing, pairs: [[usize; 2]; N], signs: [&'static str; N]) -> &'static str {
    let mut joined = pairs.iter().zip(signs).filter(|(pair, _)| drawing.lines.contains(pair)).map(|(_, sign)| sign);
    match (joined.next(), joined.next()) {
        (Some(sign), None) => sign,
        (Some(_), Some(_)) => "X",
        (None, _) => " ",
    }
}

/// The lines between the row of cells that begins with `first` and the next.
fn between(context: Context, drawing: &Drawing, first: usize, label_width: usize) -> String {
    let (columns, width) = (drawing.columns, label_width + 2);
    let mut line = " ".repeat(3);
    for above in first..first + columns {
        let (below, cell) = (above + columns, &drawing.cells[above]);
        if above > first {
            let diagonals = gap(drawing, [[above - 1, below], [above, below - 1]], ["\\", "/"]);
            line += &on_ground(context, cell, diagonals);
        }
        let vertical = gap(drawing, [[above, below]], ["|"]);
        line += &on_ground(context, cell, format_args!("{vertical:^width$}"));
    }
    line + "   "
}

const BLACK: Ansi256Color = Ansi256Color(16);
const WHITE: Ansi256Color = Ansi256Color(231);

/// One colour on another.
fn colors(ink: Ansi256Color, paper: Ansi256Color) -> Style {
    Style::new().fg_color(Some(Color::Ansi256(ink))).bg_color(Some(Color::Ansi256(paper)))
}

/// The colour of the ground of a cell.
fn ground(cell: &Cell) -> Ansi256Color {
    palette(cell.ground.colors[usize::from(cell.dark)])
}

/// Lines on the ground of a cell: with colours a board of points is one surface.
fn on_ground(context: Context, cell: &Cell, lines: impl std::fmt::Display) -> String {
    context.paint(colors(BLACK, ground(cell)), lines)
}

/// The piece, or what the ground shows, in brackets where the last move was.
fn square(context: Context, drawing: &Drawing, index: usize, width: usize) -> String {
    let cell = &drawing.cells[index];
    let bare = colors(BLACK, ground(cell));
    let (label, style) = match &cell.piece {
        Some(piece) => {
            let paper = drawing.pieces[piece.side.index()];
            (label(context, piece).to_owned(), colors(ink_on(paper), palette(paper)).bold())
        }
        // Its colour tells what a square is made of, and nothing but its sign how lines meet at a point.
        None if context.color && drawing.lines.is_empty() => (String::new(), bare),
        None => (cell.ground.symbol.to_string(), bare),
    };
    let [open, close] = if drawing.is_touched(index) { ["[", "]"] } else { [" ", " "] };
    let [open, close] = [open, close].map(|bracket| context.paint(bare.bold(), bracket));
    format!("{open}{}{close}", context.paint(style, format_args!("{label:^width$}")))
}

/// Black or white, whichever is read better on a colour.
fn ink_on([red, green, blue]: [u8; 3]) -> Ansi256Color {
    let light = 3 * u32::from(red) + 6 * u32::from(green) + u32::from(blue) > 10 * 127;
    if light { BLACK } else { WHITE }
}

/// The nearest colour of the 6 x 6 x 6 cube that every terminal has.
fn palette([red, green, blue]: [u8; 3]) -> Ansi256Color {
    let level = |value: u8| (u16::from(value) * 5 + 127) / 255;
    let index = 16 + 36 * level(red) + 6 * level(green) + level(blue);
    Ansi256Color(u8::try_from(index).unwrap_or(16))
}
