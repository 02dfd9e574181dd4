//! Sheets of A4, measured in tenths of a millimetre: what the pages of verdicts and the scoresheets share.

use quipu_referee::{Lang, Referee, drawing::Drawing};

use super::{
    Theme,
    board::{Painter, description},
    font,
    scene::{Anchor, Color, Extent, Item, Outline, Scene, TextStyle},
    style::{BLACK, Look},
};

pub(super) const WIDTH: i32 = 2100;
pub(super) const HEIGHT: i32 = 2970;
/// Where things begin and end.
pub(super) const LEFT: i32 = 150;
pub(super) const RIGHT: i32 = WIDTH - LEFT;
pub(super) const TOP: i32 = 150;
pub(super) const BOTTOM: i32 = 2800;

/// What is less important, and lines.
pub(super) const FAINT: Color = [96, 92, 86];
const RULE: Color = [150, 146, 138];

/// A sheet that is being filled.
#[derive(Default)]
pub(super) struct Sheet {
    symbols: Vec<Vec<Item>>,
    items: Vec<Item>,
    description: String,
}

/// A kind of text that begins at its place.
pub(super) const fn style(size: i32, bold: bool) -> TextStyle {
    TextStyle { size, bold, color: BLACK, anchor: Anchor::Start }
}

/// The same, less important.
pub(super) const fn faint(size: i32) -> TextStyle {
    TextStyle { color: FAINT, ..style(size, false) }
}

/// The same, ending at its place.
pub(super) const fn ending(style: TextStyle) -> TextStyle {
    TextStyle { anchor: Anchor::End, ..style }
}

impl Sheet {
    /// A line of text, no wider than this.
    pub(super) fn text(&mut self, style: TextStyle, x: i32, y: i32, text: &str, width: i32) {
        self.items.push(Item::text(style, x, y, font::of(style.bold).cut(text, style.size, width)));
    }

    /// A text in lines one below the other; says where the next line would be.
    pub(super) fn lines(&mut self, style: TextStyle, x: i32, y: i32, text: &str, width: i32) -> i32 {
        let mut y = y;
        for line in font::of(style.bold).lines(text, style.size, width) {
            self.items.push(Item::text(style, x, y, line));
            y += style.size * 4 / 3;
        }
        y
    }

    /// A thin line.
    pub(super) fn rule(&mut self, from: [i32; 2], to: [i32; 2]) {
        self.items.push(Item::drawn(Outline::default().line(&[from, to]), RULE, 2));
    }

    /// A board, so wide; says where it ends.
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
        self.items.push(Item::Group { x, y, scale, items });
        y + height * scale / 1000
    }

    /// The sheet as a scene.
    pub(super) fn scene(self, title: &str, lang: Lang) -> Scene {
        let paper = Item::filled(Outline::default().rect(0, 0, WIDTH, HEIGHT), [255; 3]);
        Scene {
            width: WIDTH,
            height: HEIGHT,
            extent: Extent::A4,
            title: title.to_owned(),
            description: self.description,
            lang,
            symbols: self.symbols,
            ground: vec![paper],
            play: self.items,
        }
    }
}
