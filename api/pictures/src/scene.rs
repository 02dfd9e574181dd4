//! What a picture is made of before it is SVG or PDF: shapes and lines of text at whole coordinates, the top left corner
//! at 0 0.

use std::collections::BTreeSet;

use quipu_referee::Lang;

/// Red, green, blue.
pub(super) type Color = [u8; 3];

/// One picture, or one page.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// In the measure of its coordinates.
    pub(super) width: i32,
    pub(super) height: i32,
    /// How large it is where it is shown or printed.
    pub(super) extent: Extent,
    /// What it is, for who cannot see it.
    pub(super) title: String,
    /// What is on it, for who cannot see it.
    pub(super) description: String,
    pub(super) lang: Lang,
    /// What is drawn more than once, around its own 0 0.
    pub(super) symbols: Vec<Vec<Item>>,
    /// What stays while a game goes on.
    pub(super) ground: Vec<Item>,
    /// What changes from ply to ply, above it.
    pub(super) play: Vec<Item>,
}

/// How large a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// So many pixels wide.
    Pixels(u32),
    /// A sheet of A4, measured in tenths of a millimetre.
    A4,
}

/// A part of a picture; later ones stand above earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// An outline, filled and drawn; what it encloses twice is not filled.
    Shape { outline: Outline, fill: Option<Color>, stroke: Option<Stroke> },
    /// Lines of text of one kind.
    Texts { style: TextStyle, texts: Vec<Text> },
    /// A symbol at a place, so large and so visible, in hundredths.
    Symbol { number: usize, x: i32, y: i32, scale: u8, opacity: u8 },
    /// Other items at a place, so large, in thousandths.
    Group { x: i32, y: i32, scale: i32, items: Vec<Item> },
}

/// How an outline is drawn. Ends and corners are round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) color: Color,
    pub(super) width: i32,
    /// Length of a dash and of what follows it.
    pub(super) dash: Option<[i32; 2]>,
}

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextStyle {
    pub(super) size: i32,
    pub(super) bold: bool,
    pub(super) color: Color,
    pub(super) anchor: Anchor,
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text on its base line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) words: String,
}

/// Lines and curves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outline(Vec<Step>);

/// One step along an outline, to absolute coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Move(i32, i32),
    Line(i32, i32),
    Curve([i32; 6]),
    Close,
    /// A whole circle: its centre and its radius.
    Circle(i32, i32, i32),
}

impl Outline {
    /// Its steps.
    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// With a rectangle.
    pub(super) fn rect(mut self, x: i32, y: i32, width: i32, height: i32) -> Self {
        let (right, bottom) = (x + width, y + height);
        self.0.extend([Step::Move(x, y), Step::Line(right, y), Step::Line(right, bottom), Step::Line(x, bottom)]);
        self.0.push(Step::Close);
        self
    }

    /// With a circle.
    pub(super) fn circle(mut self, x: i32, y: i32, radius: i32) -> Self {
        self.0.push(Step::Circle(x, y, radius));
        self
    }

    /// With a line through these points.
    pub(super) fn line(mut self, points: &[[i32; 2]]) -> Self {
        for (index, &[x, y]) in points.iter().enumerate() {
            self.0.push(if index == 0 { Step::Move(x, y) } else { Step::Line(x, y) });
        }
        self
    }

    /// With what a game has written down (see [`quipu_referee::drawing::SQUARE`]); where it is not of that form it ends.
    pub(super) fn written(mut self, text: &str) -> Self {
        let mut words = text.split_whitespace();
        let number = |words: &mut std::str::SplitWhitespace<'_>| words.next()?.parse::<i32>().ok();
        while let Some(command) = words.next() {
            let step = match command {
                "Z" => Some(Step::Close),
                "M" => number(&mut words).zip(number(&mut words)).map(|(x, y)| Step::Move(x, y)),
                "L" => number(&mut words).zip(number(&mut words)).map(|(x, y)| Step::Line(x, y)),
                "C" => {
                    let mut points = [0; 6];
                    let read = points.iter_mut().try_for_each(|point| {
                        *point = number(&mut words)?;
                        Some(())
                    });
                    read.map(|()| Step::Curve(points))
                }
                _ => None,
            };
            debug_assert!(step.is_some(), "{text}");
            let Some(step) = step else { break };
            self.0.push(step);
        }
        self
    }
}

impl Scene {
    /// The colours that are drawn with; where things meet or are seen through, there are others between them.
    pub(super) fn colors(&self) -> BTreeSet<Color> {
        let mut colors = BTreeSet::new();
        let symbols = self.symbols.iter().flatten();
        for item in symbols.chain(&self.ground).chain(&self.play) {
            item.add_colors(&mut colors);
        }
        colors
    }
}

impl Item {
    fn add_colors(&self, colors: &mut BTreeSet<Color>) {
        match self {
            Self::Shape { fill, stroke, .. } => {
                colors.extend(fill.iter().copied().chain(stroke.map(|stroke| stroke.color)));
            }
            Self::Texts { style, .. } => colors.extend([style.color]),
            Self::Symbol { .. } => {}
            Self::Group { items, .. } => {
                for item in items {
                    item.add_colors(colors);
                }
            }
        }
    }

    /// A shape without a line around it.
    pub(super) fn filled(outline: Outline, color: Color) -> Self {
        Self::Shape { outline, fill: Some(color), stroke: None }
    }

    /// A line.
    pub(super) fn drawn(outline: Outline, color: Color, width: i32) -> Self {
        Self::Shape { outline, fill: None, stroke: Some(Stroke { color, width, dash: None }) }
    }

    /// One line of text.
    pub(super) fn text(style: TextStyle, x: i32, y: i32, text: impl Into<String>) -> Self {
        Self::Texts { style, texts: vec![Text { x, y, words: text.into() }] }
    }
}
