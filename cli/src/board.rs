//! Draws boards in characters, coloured or plain, at any scale.

use anstyle::{Ansi256Color, Color, Style};
use quipu_referee::{
    drawing::{Cell, Drawing, Glyph},
    messages::catalog,
};
use unicode_width::UnicodeWidthStr;

use crate::{context::Context, styled::Styled, wrap};

/// Width in columns of the row names on each side.
const NAMES: usize = 3;

/// The board and the facts beside it, each line ended.
pub(crate) fn draw(context: Context, drawing: &Drawing) -> String {
    let board = lines(context.color, drawing, 1, false);
    let width = board.first().map_or(0, Styled::width);
    let mut lines = board.iter().map(|line| line.paint(context));
    let facts = drawing.facts.iter().map(|(label, values)| {
        let label = context.word(label);
        let values: Vec<_> = values.iter().map(|value| catalog().fact(value, context.lang)).collect();
        format!("{label}: {}", values.join(", "))
    });
    let facts: Vec<_> = facts.collect();
    let widest = facts.iter().map(|fact| fact.width()).max().unwrap_or_default();
    if let Some(columns) = context.width.filter(|columns| width + 3 + widest > *columns) {
        // Beside the board there is no room.
        let board = lines.map(|line| line.trim_end().to_owned() + "\n");
        let facts = facts.iter().map(|fact| wrap::text(&format!("{fact}\n"), Some(columns)));
        return board.chain(facts).collect();
    }
    let mut facts = facts.into_iter();
    let mut text = String::new();
    loop {
        match (lines.next(), facts.next()) {
            (Some(line), Some(fact)) => text.extend([line.as_str(), "   ", &fact, "\n"]),
            (Some(line), None) => text.extend([line.trim_end(), "\n"]),
            (None, Some(fact)) => text.extend([&" ".repeat(width), "   ", &fact, "\n"]),
            (None, None) => return text,
        }
    }
}

/// The board with its coordinates, every line equally wide. At scale 1 a square is one line high. Flipped, the board is
/// seen from the other side.
pub(crate) fn lines(color: bool, drawing: &Drawing, scale: usize, flip: bool) -> Vec<Styled> {
    let mut canvas = Canvas::new(color, drawing, scale, flip);
    if canvas.on_lines {
        canvas.draw_lines();
    }
    for index in 0..drawing.cells.len() {
        canvas.draw_cell(index);
    }
    canvas.draw_names();
    canvas.rows.into_iter().map(|row| gathered(&row)).collect()
}

/// A row of characters as a line.
fn gathered(row: &[(Style, char)]) -> Styled {
    let mut line = Styled::default();
    for piece in row.chunk_by(|(one, _), (other, _)| one == other) {
        line.push(piece[0].0, &piece.iter().map(|(_, character)| character).collect::<String>());
    }
    line
}

/// Characters with their styles, on which a board is drawn.
struct Canvas<'d> {
    color: bool,
    drawing: &'d Drawing,
    flip: bool,
    rows: Vec<Vec<(Style, char)>>,
    /// True for a board of points joined by lines.
    on_lines: bool,
    /// Width of a piece, in columns.
    piece_width: usize,
    /// Lines of a piece above and below its middle.
    piece_reach: usize,
    /// Distance between the middles of two squares, in columns and lines.
    step: [usize; 2],
    /// Middle of the first square; of an even number of columns, the left one.
    first: [usize; 2],
}

impl<'d> Canvas<'d> {
    fn new(color: bool, drawing: &'d Drawing, scale: usize, flip: bool) -> Self {
        let on_lines = !drawing.lines.is_empty();
        let pieces = drawing.cells.iter().filter_map(|cell| cell.piece.as_ref());
        let longest = pieces.map(|piece| label(color, piece).chars().count()).max().unwrap_or_default().max(1);
        let piece_width = longest.max(2 * scale - 1);
        let piece_reach = scale.saturating_sub(2);
        let point = [piece_width + 2, 2 * piece_reach + 1];
        let [width, height] = if on_lines { point } else { square(piece_width, scale) };
        let step = if on_lines { [(longest + 3) * scale, 2 * scale] } else { [width, height] };
        let rows = drawing.cells.len() / drawing.columns;
        let columns = 2 * NAMES + width + (drawing.columns - 1) * step[0];
        let lines = 2 + height + (rows - 1) * step[1];
        Self {
            color,
            drawing,
            flip,
            rows: vec![vec![(Style::new(), ' '); columns]; lines],
            on_lines,
            piece_width,
            piece_reach,
            step,
            first: [NAMES + (width - 1) / 2, 1 + height / 2],
        }
    }

    /// The middle of a cell: column and line.
    fn middle(&self, index: usize) -> [usize; 2] {
        let index = if self.flip { self.drawing.cells.len() - 1 - index } else { index };
        let (column, row) = (index % self.drawing.columns, index / self.drawing.columns);
        [self.first[0] + column * self.step[0], self.first[1] + row * self.step[1]]
    }

    fn put(&mut self, [column, row]: [usize; 2], style: Style, text: &str) {
        for (place, character) in self.rows[row][column..].iter_mut().zip(text.chars()) {
            *place = (style, character);
        }
    }

    /// The ground of a board of points, which is one surface, and the lines on it.
    fn draw_lines(&mut self) {
        let drawing = self.drawing;
        let Some(first) = drawing.cells.first() else { return };
        let bare = colors(BLACK, ground(first));
        let last = self.rows.len() - 1;
        for row in &mut self.rows[1..last] {
            let end = row.len() - NAMES;
            row[NAMES..end].fill((bare, ' '));
        }
        for [one, other] in &drawing.lines {
            // The first of the two is the upper one, unless the board is flipped.
            let [one, other] = if self.flip { [other, one] } else { [one, other] };
            let ([left, top], [right, bottom]) = (self.middle(*one), self.middle(*other));
            let (across, down) = (left.abs_diff(right), bottom - top);
            let steps = if down == 0 { across } else { down };
            for step in 1..steps {
                let (moved, row) = (across * step / steps, top + down * step / steps);
                let column = if right >= left { left + moved } else { left - moved };
                let sign = match (down, right.cmp(&left)) {
                    (0, _) => '-',
                    (_, std::cmp::Ordering::Equal) => '|',
                    (_, std::cmp::Ordering::Greater) => '\\',
                    (_, std::cmp::Ordering::Less) => '/',
                };
                let place = &mut self.rows[row][column];
                let crosses = matches!((place.1, sign), ('\\', '/') | ('/', '\\'));
                *place = (bare, if crosses { 'X' } else { sign });
            }
        }
    }

    /// The piece, or the sign of the ground, in brackets where the last move was.
    fn draw_cell(&mut self, index: usize) {
        let drawing = self.drawing;
        let cell = &drawing.cells[index];
        let bare = colors(BLACK, ground(cell));
        let [column, row] = self.middle(index);
        let width = self.piece_width;
        let left = begin(column, width);
        if !self.on_lines {
            let [width, height] = self.step;
            let corner = [begin(column, width), row - height / 2];
            for line in 0..height {
                self.put([corner[0], corner[1] + line], bare, &" ".repeat(width));
            }
        }
        let (text, style) = match &cell.piece {
            Some(piece) => {
                let paper = drawing.pieces[piece.side.index()];
                (label(self.color, piece).to_owned(), colors(ink_on(paper), palette(paper)).bold())
            }
            // The colour shows the kind of ground; only a sign shows how lines meet at a point.
            None if self.color && !self.on_lines => (String::new(), bare),
            None => (cell.ground.symbol.to_string(), bare),
        };
        let reach = if cell.piece.is_some() { self.piece_reach } else { 0 };
        for line in row - reach..=row + reach {
            let text = if line == row { text.as_str() } else { "" };
            self.put([left, line], style, &format!("{text:^width$}"));
        }
        let [open, close] = if drawing.is_touched(index) { ["[", "]"] } else { [" ", " "] };
        self.put([left - 1, row], bare.bold(), open);
        self.put([left + width, row], bare.bold(), close);
    }

    fn draw_names(&mut self) {
        let (drawing, plain) = (self.drawing, Style::new());
        let last = self.rows.len() - 1;
        let Drawing { top, bottom, left, right, .. } = drawing;
        let [top, bottom, left, right] =
            if self.flip { [bottom, top, right, left] } else { [top, bottom, left, right] };
        for (index, (top, bottom)) in top.iter().zip(bottom).enumerate() {
            let [column, _] = self.middle(index);
            for (row, name) in [(0, top), (last, bottom)] {
                let begin = begin(column, name.chars().count().max(1));
                self.put([begin, row], plain, name);
            }
        }
        for (index, (left, right)) in left.iter().zip(right).enumerate() {
            let [_, row] = self.middle(index * drawing.columns);
            let end = self.rows[row].len() - NAMES;
            self.put([0, row], plain, &format!("{left:>2} "));
            self.put([end, row], plain, &format!(" {right:<2}"));
        }
    }
}

/// First column of a text of this width centred on a column.
fn begin(middle: usize, width: usize) -> usize {
    middle - (width - 1) / 2
}

/// Columns and lines of a square. Characters are about twice as high as wide.
fn square(piece_width: usize, scale: usize) -> [usize; 2] {
    [(4 * scale - 1).max(piece_width + 2), 2 * scale - 1]
}

/// The letters of a piece, longer where there is no colour.
fn label(color: bool, piece: &Glyph) -> &str {
    if color { &piece.label } else { &piece.plain }
}

const BLACK: Ansi256Color = Ansi256Color(16);
const WHITE: Ansi256Color = Ansi256Color(231);

fn colors(ink: Ansi256Color, paper: Ansi256Color) -> Style {
    Style::new().fg_color(Some(Color::Ansi256(ink))).bg_color(Some(Color::Ansi256(paper)))
}

/// Background colour of a cell.
fn ground(cell: &Cell) -> Ansi256Color {
    palette(cell.ground.colors[usize::from(cell.dark)])
}

/// Black or white, the more readable one on a colour.
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
