//! The model of a picture before SVG or PDF: shapes and lines of text at whole coordinates, the top left corner at 0 0.

use std::collections::BTreeSet;

use quipu_referee::Lang;

/// Red, green, blue.
pub(super) type Color = [u8; 3];

/// A picture or a page.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// Width in scene units.
    pub(super) width: i32,
    pub(super) height: i32,
    /// Size on a screen or on paper.
    pub(super) size: SceneSize,
    /// Title, for alternative text.
    pub(super) title: String,
    /// Description, for alternative text.
    pub(super) description: String,
    pub(super) lang: Lang,
    /// Drawings that are used more than once, centred on 0 0.
    pub(super) symbols: Vec<Vec<SceneItem>>,
    /// The constant part, the same at every ply.
    pub(super) ground: Vec<SceneItem>,
    /// The changing part, above the ground.
    pub(super) play: Vec<SceneItem>,
}

/// Size of a picture on a screen or on paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SceneSize {
    /// Width in pixels.
    Pixels(u32),
    /// A sheet of A4, in tenths of a millimetre.
    A4,
}

/// A part of a picture; later ones cover earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SceneItem {
    /// An outline, filled by the even-odd rule and stroked.
    Shape { outline: Outline, fill: Option<Color>, stroke: Option<Stroke> },
    /// Lines of text in one style.
    Texts { style: TextStyle, texts: Vec<TextLine> },
    /// A symbol by its index, with scale and opacity in hundredths.
    Symbol { number: usize, x: i32, y: i32, scale: u8, opacity: u8 },
    /// Other items, moved, with a scale in thousandths.
    Group { x: i32, y: i32, scale: i32, items: Vec<SceneItem> },
}

/// Stroke of an outline, with round caps and joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) color: Color,
    pub(super) width: i32,
    /// Lengths of a dash and of the gap after it.
    pub(super) dash: Option<[i32; 2]>,
}

/// Style of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextStyle {
    pub(super) size: i32,
    pub(super) bold: bool,
    pub(super) color: Color,
    pub(super) anchor: Anchor,
}

/// The part of a text at its x coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text; y is its base line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextLine {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) words: String,
}

/// An outline of lines and curves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outline(Vec<PathStep>);

/// A step of an outline, in absolute coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    Move(i32, i32),
    Line(i32, i32),
    Curve([i32; 6]),
    Close,
    /// A whole circle: centre and radius.
    Circle(i32, i32, i32),
}

impl Outline {
    pub(super) fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Adds a rectangle.
    pub(super) fn rect(mut self, x: i32, y: i32, width: i32, height: i32) -> Self {
        let (right, bottom) = (x + width, y + height);
        self.0.extend([
            PathStep::Move(x, y),
            PathStep::Line(right, y),
            PathStep::Line(right, bottom),
            PathStep::Line(x, bottom),
        ]);
        self.0.push(PathStep::Close);
        self
    }

    /// Adds a circle.
    pub(super) fn circle(mut self, x: i32, y: i32, radius: i32) -> Self {
        self.0.push(PathStep::Circle(x, y, radius));
        self
    }

    /// Adds a line through these points.
    pub(super) fn line(mut self, points: &[[i32; 2]]) -> Self {
        for (index, &[x, y]) in points.iter().enumerate() {
            self.0.push(if index == 0 { PathStep::Move(x, y) } else { PathStep::Line(x, y) });
        }
        self
    }

    /// Adds an outline in the syntax of a game's drawing (see [`quipu_referee::drawing::SQUARE`]); stops at a syntax
    /// error.
    pub(super) fn written(mut self, text: &str) -> Self {
        let mut words = text.split_whitespace();
        let number = |words: &mut std::str::SplitWhitespace<'_>| words.next()?.parse::<i32>().ok();
        while let Some(command) = words.next() {
            let step = match command {
                "Z" => Some(PathStep::Close),
                "M" => number(&mut words).zip(number(&mut words)).map(|(x, y)| PathStep::Move(x, y)),
                "L" => number(&mut words).zip(number(&mut words)).map(|(x, y)| PathStep::Line(x, y)),
                "C" => {
                    let mut points = [0; 6];
                    let read = points.iter_mut().try_for_each(|point| {
                        *point = number(&mut words)?;
                        Some(())
                    });
                    read.map(|()| PathStep::Curve(points))
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
    /// Colours of all shapes and texts. Antialiasing and opacity add blends between them.
    pub(super) fn colors(&self) -> BTreeSet<Color> {
        let mut colors = BTreeSet::new();
        let symbols = self.symbols.iter().flatten();
        for item in symbols.chain(&self.ground).chain(&self.play) {
            item.add_colors(&mut colors);
        }
        colors
    }
}

impl SceneItem {
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

    /// A filled shape without stroke.
    pub(super) fn filled(outline: Outline, color: Color) -> Self {
        Self::Shape { outline, fill: Some(color), stroke: None }
    }

    /// A stroked outline without fill.
    pub(super) fn drawn(outline: Outline, color: Color, width: i32) -> Self {
        Self::Shape { outline, fill: None, stroke: Some(Stroke { color, width, dash: None }) }
    }

    /// A line of text.
    pub(super) fn text(style: TextStyle, x: i32, y: i32, text: impl Into<String>) -> Self {
        Self::Texts { style, texts: vec![TextLine { x, y, words: text.into() }] }
    }
}
