//! Themes, sizes and limits of pictures.

use std::ops::RangeInclusive;

/// Width of a picture, in pixels.
pub const WIDTHS: RangeInclusive<u32> = 64..=2048;
/// Width of an animation, in pixels.
pub const MOVING_WIDTHS: RangeInclusive<u32> = 64..=800;
/// Maximal pixels of an animation: the number of positions times the square of the width.
pub const MOST_POINTS: u64 = 100_000_000;
/// Default width of a picture, in pixels.
pub const WIDTH: u32 = 480;
/// Maximal plies of an animation.
pub const MOST_FRAMES: usize = 1_000;
/// Maximal plies of a page to step through, or of a printed game.
pub const MOST_PLIES: usize = 2_000;
/// Maximal characters of a title.
pub const TITLE_LENGTH: usize = 200;
/// Numbers of the sheets of a game.
pub const SHEETS: RangeInclusive<u32> = 1..=20;

/// Colour theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All themes, the default first.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Name in JSON and options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }
}

/// Names of rows and columns on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Around the board, with the piece of the side to move among them.
    Around,
    /// In the corners of the squares at the edge, so that the board is larger; boards of points have them around.
    Inside,
    /// None.
    Absent,
}

impl Coordinates {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Around, Self::Inside, Self::Absent];

    /// Name in options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Around => "yes",
            Self::Inside => "inside",
            Self::Absent => "no",
        }
    }

    /// The ones with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|coordinates| coordinates.as_str() == name)
    }
}

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Vector graphics.
    Svg,
    /// Pixel graphics.
    Png,
    /// Animation with a frame for each ply.
    Gif,
    /// Web page to step through.
    Html,
    /// Document of A4 pages.
    Pdf,
}

impl Picture {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Svg, Self::Png, Self::Gif, Self::Html, Self::Pdf];
    /// Formats of scoresheets.
    pub const SHEETS: [Self; 2] = [Self::Svg, Self::Pdf];

    /// Name of the format, and extension of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Html => "html",
            Self::Pdf => "pdf",
        }
    }

    /// True for a format that is UTF-8 text.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Svg | Self::Html)
    }

    /// True for a format that shows a whole game.
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::Gif | Self::Html)
    }

    /// The format with this name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.as_str().eq_ignore_ascii_case(name))
    }
}
