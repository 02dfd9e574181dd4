//! Reasons why there is no picture.

use quipu_referee::Lang;

use super::words::fill;

/// Why there is no picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It would not be of a width that such pictures have.
    Width {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
        /// What was asked for.
        found: u32,
    },
    /// The game is longer than what such pictures show.
    Plies {
        /// The most plies.
        most: usize,
    },
}

impl Refused {
    /// The reason as a sentence without its full stop.
    pub fn message(&self, lang: Lang) -> String {
        match self {
            Self::Width { least, most, found } => {
                fill("refused.width", lang, &[("least", least), ("most", most), ("found", found)])
            }
            Self::Plies { most } => fill("refused.plies", lang, &[("most", most)]),
        }
    }

    /// # Errors
    /// [`Refused::Width`] if the width is none of these.
    pub(super) fn unless_within(found: u32, widths: std::ops::RangeInclusive<u32>) -> Result<(), Self> {
        let (least, most) = widths.into_inner();
        if (least..=most).contains(&found) { Ok(()) } else { Err(Self::Width { least, most, found }) }
    }
}
