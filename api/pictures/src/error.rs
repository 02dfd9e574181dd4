//! Reasons why there is no picture.

use quipu_referee::Lang;

use super::messages::fill;

/// The reason why there is no picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The width is out of range for this kind of picture.
    Width {
        /// Least width in pixels.
        least: u32,
        /// Greatest width in pixels.
        most: u32,
        /// Requested width in pixels.
        found: u32,
    },
    /// The game has too many plies for this kind of picture.
    Plies {
        /// Plies, at most.
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
