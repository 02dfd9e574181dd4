//! A4 sheets in tenths of a millimetre: layout shared by verdicts and scoresheets.

use quipu_referee::{Lang, Referee, drawing::Drawing};

use super::{
    Theme,
    board::Painter,
    font,
    scene::{Anchor, Color, Outline, Scene, SceneItem, SceneSize, TextStyle},
    style::{BLACK, Look},
    words::description,
};

pub(super) const WIDTH: i32 = 2100;
pub(super) const HEIGHT: i32 = 2970;
/// Edges of the printed area.
pub(super) const LEFT: i32 = 150;
pub(super) const RIGHT: i32 = WIDTH - LEFT;
pub(super) const TOP: i32 = 150;
pub(super) const BOTTOM: i32 = 2800;

/// Colour of secondary text and of rules.
pub(super) const FAINT: Color = [96, 92, 86];
const RULE: Color = [150, 146, 138];
const BAND: Color = [242, 240, 236];

/// A sheet under construction.
#[derive(Default)]
pub(super) struct A4Sheet {
    symbols: Vec<Vec<SceneItem>>,
    items: Vec<SceneItem>,
    description: String,
}

/// Text that starts at its x coordinate.
pub(super) const fn style(size: i32, bold: bool) -> TextStyle {
    TextStyle { size, bold, color: BLACK, anchor: Anchor::Start }
}

/// Secondary text.
pub(super) const fn faint(size: i32) -> TextStyle {
    TextStyle { color: FAINT, ..style(size, false) }
}

/// The same text, ending at its x coordinate.
pub(super) const fn end_aligned(style: TextStyle) -> TextStyle {
    TextStyle { anchor: Anchor::End, ..style }
}

impl A4Sheet {
    /// Adds a line of text, cut to `width`.
    pub(super) fn text(&mut self, style: TextStyle, x: i32, y: i32, text: &str, width: i32) {
        self.items.push(SceneItem::text(style, x, y, font::of(style.bold).cut(text, style.size, width)));
    }

    /// Adds a text wrapped to `width`; returns the base line after it.
    pub(super) fn lines(&mut self, style: TextStyle, x: i32, y: i32, text: &str, width: i32) -> i32 {
        let mut y = y;
        for line in font::of(style.bold).lines(text, style.size, width) {
            self.items.push(SceneItem::text(style, x, y, line));
            y += style.size * 4 / 3;
        }
        y
    }

    /// Adds a thin line.
    pub(super) fn rule(&mut self, from: [i32; 2], to: [i32; 2]) {
        self.items.push(SceneItem::drawn(Outline::default().line(&[from, to]), RULE, 2));
    }

    /// Adds a black shape.
    pub(super) fn shape(&mut self, outline: Outline) {
        self.items.push(SceneItem::filled(outline, BLACK));
    }

    /// Adds a board of this width; returns its lower edge.
    pub(super) fn board(
        &mut self,
        game: &'static dyn Referee,
        drawing: &Drawing,
        lang: Lang,
        [x, y]: [i32; 2],
        width: i32,
    ) -> i32 {
        let look = Look { theme: Theme::Light, ..Look::new(lang) };
        let mut painter = Painter::new(game, &look, false);
        let mut items = painter.board(drawing);
        items.extend(painter.play(drawing, ""));
        self.symbols = painter.symbols();
        self.description = description(game, drawing, lang);
        let (own, height) = painter.size(drawing);
        let scale = width * 1000 / own.max(1);
        self.items.push(SceneItem::Group { x, y, scale, items });
        y + height * scale / 1000
    }

    /// Adds a faint band behind the text that follows.
    pub(super) fn band(&mut self, x: i32, y: i32, width: i32, height: i32) {
        self.items.push(SceneItem::filled(Outline::default().rect(x, y, width, height), BAND));
    }

    /// The sheet as a scene.
    pub(super) fn scene(self, title: &str, lang: Lang) -> Scene {
        self.scene_of([WIDTH, HEIGHT], title, lang)
    }

    /// The sheet as a scene of this width and height: upright or across.
    pub(super) fn scene_of(self, [width, height]: [i32; 2], title: &str, lang: Lang) -> Scene {
        let paper = SceneItem::filled(Outline::default().rect(0, 0, width, height), [255; 3]);
        Scene {
            width,
            height,
            size: SceneSize::A4,
            title: title.to_owned(),
            description: self.description,
            lang,
            symbols: self.symbols,
            ground: vec![paper],
            play: self.items,
        }
    }
}
