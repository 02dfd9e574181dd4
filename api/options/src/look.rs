//! Themes, sizes and limits of pictures.

use std::ops::RangeInclusive;

/// How wide pictures may be, in pixels.
pub const WIDTHS: RangeInclusive<u32> = 64..=2048;
/// How wide pictures that move may be, in pixels.
pub const MOVING_WIDTHS: RangeInclusive<u32> = 64..=800;
/// What all positions of a picture that moves come to at the most, each as the square of the width.
pub const MOST_POINTS: u64 = 100_000_000;
/// How wide a picture is where nobody says it, in pixels.
pub const WIDTH: u32 = 480;
/// Plies of the longest game that is shown as one picture that moves.
pub const MOST_FRAMES: usize = 1_000;
/// Plies of the longest game that is shown as one page to step through, or printed.
pub const MOST_PLIES: usize = 2_000;
/// Characters of a title at the most.
pub const TITLE_LENGTH: usize = 200;
/// How many sheets of one game have numbers.
pub const SHEETS: RangeInclusive<u32> = 1..=20;

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// Both, the usual one first.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }
}

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Vector graphics.
    Svg,
    /// Pixels.
    Png,
    /// Pixels, one frame a ply.
    Gif,
    /// A page to step through.
    Html,
    /// Paper of the size A4.
    Pdf,
}

impl Picture {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Svg, Self::Png, Self::Gif, Self::Html, Self::Pdf];
    /// Formats of scoresheets.
    pub const SHEETS: [Self; 2] = [Self::Svg, Self::Pdf];

    /// Name of the format, and ending of its files.
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

    /// The format of this name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.as_str().eq_ignore_ascii_case(name))
    }
}
