//! Look of a picture: its options, and the colours of both themes.

use quipu_options::look::{Coordinates, Theme, WIDTH};
use quipu_referee::Lang;

use super::scene::Color;

/// Options of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Light or dark.
    pub theme: Theme,
    /// Width in pixels.
    pub width: u32,
    /// Title above the board.
    pub title: Option<String>,
    /// True to see the board from the other side.
    pub flip: bool,
    /// True to mark the last move and the capture.
    pub marks: bool,
    /// Names of rows and columns.
    pub coordinates: Coordinates,
    /// Language of texts.
    pub lang: Lang,
}

impl Look {
    /// The default look: light, 480 pixels wide, with marks.
    pub fn new(lang: Lang) -> Self {
        Self {
            theme: Theme::Light,
            width: WIDTH,
            title: None,
            flip: false,
            marks: true,
            coordinates: Coordinates::Around,
            lang,
        }
    }
}

/// Colours of a theme.
pub(super) trait ThemeColors {
    /// Background of the picture.
    fn paper(self) -> Color;
    /// Names, titles and lines.
    fn ink(self) -> Color;
    /// Secondary texts.
    fn faint(self) -> Color;
    /// A colour of the board, a little darker in the dark theme.
    fn ground(self, color: Color) -> Color;
}

impl ThemeColors for Theme {
    fn paper(self) -> Color {
        match self {
            Self::Light => [250, 247, 240],
            Self::Dark => [32, 34, 39],
        }
    }

    fn ink(self) -> Color {
        match self {
            Self::Light => [46, 42, 36],
            Self::Dark => [226, 221, 211],
        }
    }

    fn faint(self) -> Color {
        match self {
            Self::Light => [106, 99, 88],
            Self::Dark => [164, 158, 148],
        }
    }

    fn ground(self, color: Color) -> Color {
        match self {
            Self::Light => color,
            Self::Dark => mixed(color, [0; 3], 28),
        }
    }
}

/// Black pieces, softened.
pub(super) const BLACK: Color = [20, 20, 20];
/// White pieces, softened.
pub(super) const WHITE: Color = [250, 250, 250];
/// Marks of the last move, drawn over a darker line to be visible on every ground.
pub(super) const MARK: Color = [255, 205, 0];
/// Cross on a captured piece, drawn over white.
pub(super) const TAKEN: Color = [196, 30, 58];

/// A mix of two colours with `share` hundredths of the other.
pub(super) fn mixed(color: Color, other: Color, share: u16) -> Color {
    let mut mixed = [0; 3];
    for (place, (from, to)) in mixed.iter_mut().zip(color.into_iter().zip(other)) {
        let sum = u16::from(from) * (100 - share) + u16::from(to) * share;
        *place = u8::try_from(sum / 100).unwrap_or(u8::MAX);
    }
    mixed
}

/// Relative luminance of a colour as WCAG defines it, in thousandths of white.
pub(super) fn luminance(color: Color) -> u32 {
    // Linear light in thousandths for sRGB values 0 to 255 in steps of 17.
    const LINEAR: [u32; 16] = [0, 6, 16, 33, 58, 91, 133, 184, 246, 319, 402, 497, 604, 723, 855, 1000];
    let linear = |value: u8| {
        let (step, rest) = (usize::from(value / 17), u32::from(value % 17));
        let next = LINEAR[(step + 1).min(15)];
        LINEAR[step] + (next - LINEAR[step]) * rest / 17
    };
    let [red, green, blue] = color.map(linear);
    (213 * red + 715 * green + 72 * blue) / 1000
}

/// Contrast ratio of two colours in hundredths: 100 for equal ones, 2100 for black on white.
pub(super) fn contrast(one: Color, other: Color) -> u32 {
    let [one, other] = [one, other].map(|color| luminance(color) + 50);
    100 * one.max(other) / one.min(other)
}

/// Black or white, the one with more contrast.
pub(super) fn ink_on(color: Color) -> Color {
    if contrast(color, BLACK) >= contrast(color, WHITE) { BLACK } else { WHITE }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quipu_referee::{drawing::Drawing, games};

    use super::*;

    /// Colour vision that lacks one kind of cones, as matrices on linear red, green and blue in millionths (Machado,
    /// Oliveira and Fernandes, 2009). The first one is normal vision.
    const EYES: [(&str, [[i64; 3]; 3]); 4] = [
        ("all cones", [[1_000_000, 0, 0], [0, 1_000_000, 0], [0, 0, 1_000_000]]),
        ("no red", [[152_286, 1_052_583, -204_868], [114_503, 786_281, 99_216], [-3_882, -48_116, 1_051_998]]),
        ("no green", [[367_322, 860_646, -227_968], [280_085, 672_501, 47_413], [-11_820, 42_940, 968_881]]),
        ("no blue", [[1_255_528, -76_749, -178_779], [-78_411, 930_809, 147_602], [4_733, 691_367, 303_900]]),
    ];

    /// Linear light of an sRGB value from 0 to 255, in millionths.
    fn linear(value: u8) -> f64 {
        let value = f64::from(value) / 255.0;
        let light = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        light * 1e6
    }

    /// Relative luminance of a colour in one kind of vision.
    #[expect(clippy::cast_precision_loss, reason = "millionths")]
    fn seen(color: Color, eyes: [[i64; 3]; 3]) -> f64 {
        let light = color.map(linear);
        let mixed = eyes.map(|row| {
            let sum: f64 = row.iter().zip(light).map(|(share, light)| *share as f64 * light / 1e12).sum();
            sum.clamp(0.0, 1.0)
        });
        0.2126 * mixed[0] + 0.7152 * mixed[1] + 0.0722 * mixed[2]
    }

    fn apart(one: Color, other: Color, eyes: [[i64; 3]; 3]) -> f64 {
        let [one, other] = [one, other].map(|color| seen(color, eyes) + 0.05);
        one.max(other) / one.min(other)
    }

    /// A board of each game.
    fn boards() -> Vec<(&'static str, Drawing)> {
        let board = |game: &&'static dyn quipu_referee::Referee| {
            let dealt = || game.deal(None, 1, None).expect("base").expect("it deals or starts");
            (game.notation().id, game.board(None, None).unwrap_or_else(|_| dealt()).drawing())
        };
        games::ALL.iter().map(board).collect()
    }

    /// Runs `check` for every game, theme and kind of vision.
    fn each(check: impl Fn(&str, &Drawing, &BTreeSet<Color>, [[i64; 3]; 3])) {
        for (game, drawing) in boards() {
            for theme in Theme::ALL {
                let grounds = drawing.cells.iter().map(|cell| cell.ground.colors[usize::from(cell.dark)]);
                let grounds = grounds.map(|color| theme.ground(color)).collect();
                for (name, eyes) in EYES {
                    check(&format!("{game}, {}, {name}", theme.as_str()), &drawing, &grounds, eyes);
                }
            }
        }
    }

    #[test]
    fn everybody_tells_the_sides_apart() {
        each(|what, drawing, _, eyes| {
            let [one, two] = drawing.pieces;
            assert!(apart(one, two, eyes) >= 3.0, "{what}: {}", apart(one, two, eyes));
        });
        for (game, drawing) in boards() {
            // In black and white, texts on the two sides' pieces have different colours.
            assert_ne!(ink_on(drawing.pieces[0]), ink_on(drawing.pieces[1]), "{game}");
        }
    }

    #[test]
    fn everybody_sees_pieces_on_every_ground() {
        each(|what, drawing, grounds, eyes| {
            for piece in drawing.pieces {
                assert!(apart(piece, ink_on(piece), eyes) >= 3.0, "{what}: what is on a piece");
                for &ground in grounds {
                    let most = apart(piece, ground, eyes).max(apart(ink_on(piece), ground, eyes));
                    assert!(most >= 3.0, "{what}: {piece:?} on {ground:?}: {most}");
                }
            }
        });
    }

    #[test]
    fn everybody_sees_the_last_move() {
        each(|what, _, grounds, eyes| {
            for &ground in grounds {
                let most = apart(MARK, ground, eyes).max(apart(BLACK, ground, eyes));
                assert!(most >= 3.0, "{what}: on {ground:?}: {most}");
            }
            assert!(apart(MARK, BLACK, eyes) >= 7.0 && apart(TAKEN, WHITE, eyes) >= 4.5, "{what}");
        });
    }

    /// Grounds without a line around them differ in more than colour.
    #[test]
    fn grounds_are_told_apart_without_their_colours() {
        for (game, drawing) in boards().into_iter().filter(|(_, drawing)| drawing.lines.is_empty()) {
            let kinds: BTreeSet<_> = drawing.cells.iter().map(|cell| cell.ground.word).collect();
            let textures: BTreeSet<_> = drawing.cells.iter().map(|cell| cell.ground.texture).collect();
            assert_eq!(kinds.len(), textures.len(), "{game}");
        }
    }

    #[test]
    fn words_are_read_on_paper() {
        for theme in Theme::ALL {
            assert!(contrast(theme.ink(), theme.paper()) >= 700, "{theme:?}");
            assert!(contrast(theme.faint(), theme.paper()) >= 450, "{theme:?}");
        }
    }

    #[test]
    fn luminance_is_that_of_the_formula() {
        for color in [[0; 3], [255; 3], [255, 0, 0], [0, 255, 0], [0, 0, 255], [78, 142, 78], [222, 82, 50], [20; 3]] {
            let exact = seen(color, EYES[0].1) * 1000.0;
            assert!((f64::from(luminance(color)) - exact).abs() < 6.0, "{color:?}: {} {exact}", luminance(color));
        }
    }
}
