//! Boards as scenes: ground, lines, names of squares, pieces, last move, capture. Everything that differs between games
//! comes from the `Drawing`.

use quipu_referee::{
    Lang, Referee,
    drawing::{Drawing, Face, Glyph, PIECE, SQUARE, Way},
    messages::catalog,
};

use super::{
    Coordinates, font,
    geometry::{BoardGeometry, squares},
    names,
    scene::{Anchor, Color, Outline, Scene, SceneItem, SceneSize, Stroke, TextStyle},
    style::{BLACK, Look, MARK, TAKEN, ThemeColors, WHITE, ink_on, mixed},
    svg,
    words::description,
};

/// Width of lines between squares and around the board: 2.625 mm on a square of 52.5 mm.
pub(super) const LINE: i32 = 6;
/// Colour of these lines in the light theme.
pub(super) const LINES: Color = [66, 58, 48];
/// Width of the line around a piece.
const RIM: i32 = 6;
/// Distance of a disc's hole from the centre, and its radius: enlarged, so that it is visible on small pictures.
const HOLE: (i32, i32) = (29, 10);
/// Distance of the frame of a marked square from its middle.
const FRAME: i32 = 53;
/// Heights of the title and of the caption.
const TITLE: i32 = 104;
const CAPTION: i32 = 84;

/// Width and height in pixels of a board in the default look but for its coordinates.
pub(super) fn pixels(game: &'static dyn Referee, drawing: &Drawing, coordinates: Coordinates) -> [u32; 2] {
    let look = Look { coordinates, ..Look::new(Lang::Es) };
    let (width, height) = Painter::new(game, &look, false).size(drawing);
    [look.width, svg::scaled(look.width, width, height)]
}

/// Draws boards of one game in one look.
pub(super) struct Painter<'l> {
    game: &'static dyn Referee,
    look: &'l Look,
    symbols: Vec<(Symbol, Vec<SceneItem>)>,
    /// True if there is room for a caption.
    captioned: bool,
}

/// A drawing that is used more than once.
#[derive(Clone, Debug, PartialEq)]
enum Symbol {
    Texture(&'static str, Color),
    Piece(Color, Face, String),
}

impl<'l> Painter<'l> {
    pub(super) fn new(game: &'static dyn Referee, look: &'l Look, captioned: bool) -> Self {
        Self { game, look, symbols: Vec::new(), captioned }
    }

    /// A board as a picture, with a caption if there is room for one.
    pub(super) fn scene(&mut self, drawing: &Drawing, caption: &str) -> Scene {
        let (width, height) = self.size(drawing);
        let (ground, play) = (self.ground(drawing), self.play(drawing, caption));
        Scene {
            width,
            height,
            size: SceneSize::Pixels(self.look.width),
            title: self.title(),
            description: description(self.game, drawing, self.look.lang),
            lang: self.look.lang,
            symbols: self.symbols(),
            ground,
            play,
        }
    }

    /// The title of the look, else the name of the game.
    pub(super) fn title(&self) -> String {
        let name = || catalog().word(self.game.name(), self.look.lang).to_owned();
        self.look.title.clone().unwrap_or_else(name)
    }

    /// The symbols used so far.
    pub(super) fn symbols(&self) -> Vec<Vec<SceneItem>> {
        self.symbols.iter().map(|(_, items)| items.clone()).collect()
    }

    /// Width and height of a picture.
    pub(super) fn size(&self, drawing: &Drawing) -> (i32, i32) {
        let geometry = self.geometry(drawing);
        let (width, height) = geometry.size();
        let below = if self.captioned { CAPTION } else { 0 };
        (width + 2 * geometry.margin, geometry.top + height + geometry.margin + below)
    }

    /// The coordinates of a board: points have no corners to write in.
    fn coordinates(&self, drawing: &Drawing) -> Coordinates {
        match self.look.coordinates {
            Coordinates::Inside if !drawing.lines.is_empty() => Coordinates::Around,
            coordinates => coordinates,
        }
    }

    fn geometry<'d>(&self, drawing: &'d Drawing) -> BoardGeometry<'d> {
        let margin = match self.coordinates(drawing) {
            Coordinates::Around => i32::from(drawing.margin) * SQUARE / 100,
            Coordinates::Inside | Coordinates::Absent => LINE,
        };
        let title = if self.look.title.is_some() { TITLE } else { 0 };
        BoardGeometry { drawing, flip: self.look.flip, margin, top: title + margin }
    }

    /// The constant part of all pictures of a game: the board and the title.
    pub(super) fn ground(&mut self, drawing: &Drawing) -> Vec<SceneItem> {
        let (width, height) = self.size(drawing);
        let theme = self.look.theme;
        let mut items = vec![SceneItem::filled(Outline::default().rect(0, 0, width, height), theme.paper())];
        if let Some(title) = &self.look.title {
            let style = TextStyle { size: 56, bold: true, color: theme.ink(), anchor: Anchor::Middle };
            let shown = font::of(true).cut(title, style.size, width - 60);
            items.push(SceneItem::text(style, width / 2, TITLE / 2 + 40, shown));
        }
        items.extend(self.board(drawing));
        items
    }

    /// The board without background, title and pieces.
    pub(super) fn board(&mut self, drawing: &Drawing) -> Vec<SceneItem> {
        let geometry = self.geometry(drawing);
        let mut items = Vec::new();
        self.squares(&geometry, &mut items);
        if drawing.lines.is_empty() {
            items.push(SceneItem::drawn(grid(&geometry), self.line(), LINE));
        } else {
            points(&geometry, self.line(), &mut items);
        }
        let dots = drawing.dots.iter().fold(Outline::default(), |dots, &index| {
            let [x, y] = geometry.middle(index);
            let corner = if geometry.flip { -SQUARE / 2 } else { SQUARE / 2 };
            dots.circle(x + corner, y + corner, 11)
        });
        if !dots.steps().is_empty() {
            items.push(SceneItem::filled(dots, self.line()));
        }
        match self.coordinates(drawing) {
            Coordinates::Around => items.push(names::around(&geometry, self.look.theme)),
            Coordinates::Inside => items.extend(names::inside(&geometry, self.look.theme)),
            Coordinates::Absent => {}
        }
        items
    }

    /// Colour of lines.
    fn line(&self) -> Color {
        self.look.theme.ground(LINES)
    }

    fn squares(&mut self, geometry: &BoardGeometry<'_>, items: &mut Vec<SceneItem>) {
        let theme = self.look.theme;
        let mut colors: Vec<(Color, Outline)> = Vec::new();
        let mut textures = Vec::new();
        for (index, cell) in geometry.drawing.cells.iter().enumerate() {
            let color = theme.ground(cell.ground.colors[usize::from(cell.dark)]);
            let [x, y] = geometry.middle(index);
            let place = colors.iter().position(|(known, _)| *known == color).unwrap_or_else(|| {
                colors.push((color, Outline::default()));
                colors.len() - 1
            });
            let outline = std::mem::take(&mut colors[place].1);
            colors[place].1 = outline.rect(x - SQUARE / 2, y - SQUARE / 2, SQUARE, SQUARE);
            if !cell.ground.texture.is_empty() {
                let symbol = Symbol::Texture(cell.ground.texture, mixed(color, BLACK, 30));
                textures.push(SceneItem::Symbol { number: self.number(symbol), x, y, scale: 100, opacity: 100 });
            }
        }
        items.extend(colors.into_iter().map(|(color, outline)| SceneItem::filled(outline, color)));
        items.extend(textures);
    }

    /// The changing part: pieces, marks, side to move, caption.
    pub(super) fn play(&mut self, drawing: &Drawing, caption: &str) -> Vec<SceneItem> {
        let geometry = self.geometry(drawing);
        let mut items = Vec::new();
        if self.look.marks {
            last_move(&geometry, &mut items);
        }
        for (index, cell) in drawing.cells.iter().enumerate() {
            let [x, y] = geometry.middle(index);
            match (&cell.piece, cell.taken.as_ref().filter(|_| self.look.marks)) {
                (Some(piece), taken) => {
                    items.push(self.piece(drawing, piece, [x, y], 100, 100));
                    // In the corner above the piece that took it.
                    if let Some(taken) = taken {
                        items.push(self.piece(drawing, taken, [x + 36, y - 36], 52, 100));
                        cross([x + 50, y - 50], &mut items);
                    }
                }
                (None, Some(taken)) => {
                    items.push(self.piece(drawing, taken, [x, y], 100, 45));
                    cross([x + 38, y - 38], &mut items);
                }
                (None, None) => {}
            }
        }
        let has_margin = self.coordinates(drawing) == Coordinates::Around;
        if let Some(turn) = drawing.turn.as_ref().filter(|_| has_margin) {
            let (width, height) = geometry.size();
            let below = (turn.side == drawing.below) != geometry.flip;
            let half = geometry.margin / 2;
            let corner = if below {
                [geometry.margin + width + half, geometry.top + height + half]
            } else {
                [half, geometry.top - half]
            };
            let scale = u8::try_from((geometry.margin * 40 / PIECE).min(70)).unwrap_or(70);
            items.push(self.piece(drawing, turn, corner, scale, 100));
        }
        if self.captioned && !caption.is_empty() {
            let (width, height) = self.size(drawing);
            let style = TextStyle { size: 46, bold: false, color: self.look.theme.ink(), anchor: Anchor::Middle };
            let shown = font::of(false).cut(caption, style.size, width - 40);
            items.push(SceneItem::text(style, width / 2, height - CAPTION / 2, shown));
        }
        items
    }

    /// A piece as an item of a scene, with scale and opacity in hundredths.
    pub(super) fn piece(
        &mut self,
        drawing: &Drawing,
        piece: &Glyph,
        [x, y]: [i32; 2],
        scale: u8,
        opacity: u8,
    ) -> SceneItem {
        let color = drawing.pieces[piece.side.index()];
        let face = match piece.face {
            Face::Hole(way) if self.look.flip => Face::Hole(way.turned()),
            face => face,
        };
        let label = if face == Face::Label { piece.label.clone() } else { String::new() };
        SceneItem::Symbol { number: self.number(Symbol::Piece(color, face, label)), x, y, scale, opacity }
    }

    /// Index of a symbol, which is added at its first use.
    fn number(&mut self, symbol: Symbol) -> usize {
        if let Some(number) = self.symbols.iter().position(|(known, _)| *known == symbol) {
            return number;
        }
        let items = match &symbol {
            Symbol::Texture(texture, color) => vec![SceneItem::drawn(Outline::default().written(texture), *color, 4)],
            Symbol::Piece(color, face, label) => disc(*color, *face, label),
        };
        self.symbols.push((symbol, items));
        self.symbols.len() - 1
    }
}

/// Lines between squares and around them.
fn grid(geometry: &BoardGeometry<'_>) -> Outline {
    let ((width, height), margin, top) = (geometry.size(), geometry.margin, geometry.top);
    let mut outline = Outline::default().rect(margin, top, width, height);
    for column in 1..geometry.columns() {
        let x = margin + squares(column);
        outline = outline.line(&[[x, top], [x, top + height]]);
    }
    for row in 1..geometry.rows() {
        let y = top + squares(row);
        outline = outline.line(&[[margin, y], [margin + width, y]]);
    }
    outline
}

/// Lines between points, and the points.
fn points(geometry: &BoardGeometry<'_>, color: Color, items: &mut Vec<SceneItem>) {
    let drawing = geometry.drawing;
    let lines = drawing
        .lines
        .iter()
        .fold(Outline::default(), |outline, pair| outline.line(&pair.map(|end| geometry.middle(end))));
    items.push(SceneItem::drawn(lines, color, LINE));
    let points = (0..drawing.cells.len()).fold(Outline::default(), |outline, index| {
        let [x, y] = geometry.middle(index);
        outline.circle(x, y, 10)
    });
    items.push(SceneItem::filled(points, color));
}

/// A piece centred on 0 0.
pub(super) fn disc(color: Color, face: Face, label: &str) -> Vec<SceneItem> {
    let rim = ink_on(color);
    let edge = Outline::default().circle(0, 0, PIECE - RIM / 2);
    let (far, radius) = HOLE;
    let hole = match face {
        Face::Hole(Way::Up) => Some([0, -far]),
        Face::Hole(Way::Right) => Some([far, 0]),
        Face::Hole(Way::Down) => Some([0, far]),
        Face::Hole(Way::Left) => Some([-far, 0]),
        _ => None,
    };
    let Some([x, y]) = hole else {
        let stroke = Some(Stroke { color: rim, width: RIM, dash: None });
        let mut items = vec![SceneItem::Shape { outline: edge, fill: Some(color), stroke }];
        match face {
            Face::Lines(text) => items.push(SceneItem::drawn(Outline::default().written(text), rim, 8)),
            Face::Shape(text) => items.push(SceneItem::filled(Outline::default().written(text), rim)),
            Face::Label => {
                let style = TextStyle { size: 58, bold: true, color: rim, anchor: Anchor::Middle };
                items.push(SceneItem::text(style, 0, font::below_middle(style.size), label));
            }
            Face::Plain | Face::Hole(_) => {}
        }
        return items;
    };
    let outline = edge.circle(x, y, radius + RIM / 2);
    vec![SceneItem::Shape { outline, fill: Some(color), stroke: Some(Stroke { color: rim, width: RIM, dash: None }) }]
}

/// A line over a wider one that sets it off from any background.
fn outlined_line(
    outline: &Outline,
    inner: (Color, i32),
    outer: (Color, i32),
    dash: Option<[i32; 2]>,
    items: &mut Vec<SceneItem>,
) {
    for (color, width) in [outer, inner] {
        let stroke = Some(Stroke { color, width, dash });
        items.push(SceneItem::Shape { outline: outline.clone(), fill: None, stroke });
    }
}

/// The way of the last move: a dashed frame at its origin, a solid one at its target, a line between them. That of an
/// illegal move has the colours of a cross.
fn last_move(geometry: &BoardGeometry<'_>, items: &mut Vec<SceneItem>) {
    let mut path: Vec<_> = geometry.drawing.path.iter().map(|&index| geometry.middle(index)).collect();
    let frame = |[x, y]: [i32; 2]| {
        if geometry.drawing.lines.is_empty() {
            Outline::default().rect(x - FRAME, y - FRAME, 2 * FRAME, 2 * FRAME)
        } else {
            Outline::default().circle(x, y, FRAME + 4)
        }
    };
    let (inner, outer) = if geometry.drawing.refused { ((TAKEN, 8), (WHITE, 16)) } else { ((MARK, 7), (BLACK, 13)) };
    let Some(&end) = path.last() else { return };
    if let [.., before, last] = &mut path[..] {
        // The line ends at the rim of the piece, so that it does not show through a hole.
        *last = shortened_to_rim(*before, *last);
        outlined_line(&frame(path[0]), inner, outer, Some([22, 24]), items);
        outlined_line(&Outline::default().line(&path), inner, outer, None, items);
    }
    outlined_line(&frame(end), inner, outer, None, items);
}

/// The end of a line, shortened to the rim of the piece on it.
fn shortened_to_rim([from_x, from_y]: [i32; 2], [x, y]: [i32; 2]) -> [i32; 2] {
    let (across, down) = (x - from_x, y - from_y);
    let length = (across * across + down * down).isqrt().max(1);
    [x - across * PIECE / length, y - down * PIECE / length]
}

/// A cross on white beside a captured piece.
fn cross([x, y]: [i32; 2], items: &mut Vec<SceneItem>) {
    const ARM: i32 = 11;
    let cross = Outline::default().line(&[[x - ARM, y - ARM], [x + ARM, y + ARM]]);
    let cross = cross.line(&[[x - ARM, y + ARM], [x + ARM, y - ARM]]);
    outlined_line(&cross, (TAKEN, 8), (WHITE, 16), None, items);
}
