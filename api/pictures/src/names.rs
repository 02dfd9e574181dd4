//! Names of columns and rows on all four sides of a board, around it or in the corners of the squares at its edge.

use quipu_referee::drawing::{Drawing, SQUARE};

use super::{
    Theme, font,
    geometry::{BoardGeometry, squares},
    scene::{Anchor, Color, SceneItem, TextLine, TextStyle},
    style::{BLACK, ThemeColors, WHITE, ink_on},
};

/// Size of names in squares, and distance of their middles from that of the square.
const INSIDE: i32 = 30;
const CORNER: i32 = 45;

/// The names along an edge, the cell of each by its number, and the corner of that cell.
type Edge<'e> = (&'e [String], &'e dyn Fn(usize) -> usize, [i32; 2]);

/// Names around a board.
pub(super) fn around(places: &BoardGeometry<'_>, theme: Theme) -> SceneItem {
    let Drawing { top, bottom, left, right, .. } = places.drawing;
    let [top, bottom, left, right] = if places.flip { [bottom, top, right, left] } else { [top, bottom, left, right] };
    let (width, height) = places.size();
    let half = places.margin / 2;
    let size = (places.margin * 8 / 10).min(58);
    let style = TextStyle { size, bold: false, color: theme.ink(), anchor: Anchor::Middle };
    let mut texts = Vec::new();
    let mut along = |names: &[String], place: &dyn Fn(i32) -> [i32; 2]| {
        for (number, name) in names.iter().enumerate() {
            let number = if places.flip { names.len() - 1 - number } else { number };
            let [x, y] = place(squares(number) + SQUARE / 2);
            texts.push(TextLine { x, y: y + font::below_middle(size), words: name.clone() });
        }
    };
    along(top, &|along| [places.margin + along, places.top - half]);
    along(bottom, &|along| [places.margin + along, places.top + height + half]);
    along(left, &|along| [half, places.top + along]);
    along(right, &|along| [places.margin + width + half, places.top + along]);
    SceneItem::Texts { style, texts }
}

/// Names in the squares at the edge, each in a corner of its own: two of them meet in the squares at the corners of the
/// board.
pub(super) fn inside(places: &BoardGeometry<'_>, theme: Theme) -> Vec<SceneItem> {
    let Drawing { top, bottom, left, right, cells, .. } = places.drawing;
    let (columns, rows) = (places.columns(), places.rows());
    let edges: [Edge<'_>; 4] = [
        (top, &|column| column, [1, -1]),
        (bottom, &|column| (rows - 1) * columns + column, [-1, 1]),
        (left, &|row| row * columns, [-1, -1]),
        (right, &|row| row * columns + columns - 1, [1, 1]),
    ];
    let turn = if places.flip { -1 } else { 1 };
    let mut inks: [(Color, Vec<TextLine>); 2] = [BLACK, WHITE].map(|ink| (ink, Vec::new()));
    for (names, cell, [across, down]) in edges {
        for (number, name) in names.iter().enumerate() {
            let index = cell(number);
            let [x, y] = places.middle(index);
            let ink = ink_on(theme.ground(cells[index].ground.colors[usize::from(cells[index].dark)]));
            let [x, y] = [x + turn * across * CORNER, y + turn * down * CORNER + font::below_middle(INSIDE)];
            if let Some((_, texts)) = inks.iter_mut().find(|(color, _)| *color == ink) {
                texts.push(TextLine { x, y, words: name.clone() });
            }
        }
    }
    let written = inks.into_iter().filter(|(_, texts)| !texts.is_empty());
    let style = |color| TextStyle { size: INSIDE, bold: false, color, anchor: Anchor::Middle };
    written.map(|(color, texts)| SceneItem::Texts { style: style(color), texts }).collect()
}
