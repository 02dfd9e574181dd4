//! The font of all pictures. It is part of the program, so that a picture is the same on every machine.
//!
//! Its origin is described in `fonts/README.md`.

use std::sync::LazyLock;

use skrifa::{
    FontRef, GlyphId, MetadataProvider,
    instance::{LocationRef, Size},
};

/// Fonts for text that a browser draws; the first is the embedded one.
pub(super) const FAMILIES: &str = "DejaVu Sans Condensed,DejaVu Sans,Verdana,sans-serif";
/// Name of the embedded font.
pub(super) const FAMILY: &str = "DejaVu Sans Condensed";

/// A weight of the font.
pub(super) struct Font {
    /// The font file.
    pub(super) bytes: &'static [u8],
    /// Name in documents.
    pub(super) name: &'static str,
    read: FontRef<'static>,
}

static FONTS: LazyLock<[Font; 2]> = LazyLock::new(|| {
    [
        Font::new("DejaVuSansCondensed", include_bytes!("fonts/DejaVuSansCondensed.ttf")),
        Font::new("DejaVuSansCondensed-Bold", include_bytes!("fonts/DejaVuSansCondensed-Bold.ttf")),
    ]
});

/// Height of capital letters and digits, in thousandths of the size.
const CAPITALS: i32 = 729;

/// The font of a weight.
pub(super) fn of(bold: bool) -> &'static Font {
    &FONTS[usize::from(bold)]
}

impl Font {
    fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        let read = FontRef::new(bytes).expect("the file is a font");
        Self { bytes, name, read }
    }

    /// Font units per em.
    pub(super) fn units(&self) -> f32 {
        f32::from(self.metrics().units_per_em)
    }

    /// Ascent, descent and bounding box of all glyphs, in font units.
    pub(super) fn metrics(&self) -> skrifa::metrics::Metrics {
        self.read.metrics(Size::unscaled(), LocationRef::default())
    }

    /// The glyph of a character; 0 if the font has none.
    pub(super) fn glyph(&self, character: char) -> u16 {
        let glyph = self.read.charmap().map(character).and_then(|glyph| u16::try_from(glyph.to_u32()).ok());
        glyph.unwrap_or_default()
    }

    /// Advance width of a glyph, in font units.
    pub(super) fn advance(&self, glyph: u16) -> f32 {
        let metrics = self.read.glyph_metrics(Size::unscaled(), LocationRef::default());
        metrics.advance_width(GlyphId::from(glyph)).unwrap_or_default()
    }

    /// Width of a text at a size, rounded up.
    pub(super) fn width(&self, text: &str, size: i32) -> i32 {
        let metrics = self.read.glyph_metrics(Size::unscaled(), LocationRef::default());
        let glyphs = text.chars().map(|character| GlyphId::from(self.glyph(character)));
        let sum: f32 = glyphs.map(|glyph| metrics.advance_width(glyph).unwrap_or_default()).sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a place on a page")]
        let width = (sum * size as f32 / self.units()).ceil() as i32;
        width
    }

    /// The text cut to a width, with an ellipsis if something is cut.
    pub(super) fn cut(&self, text: &str, size: i32, width: i32) -> String {
        if self.width(text, size) <= width {
            return text.to_owned();
        }
        let (mut shown, mut fits) = (String::new(), String::new());
        for character in text.chars() {
            shown.push(character);
            if self.width(&shown, size) > width {
                return fits;
            }
            let cut = format!("{}…", shown.trim_end());
            if self.width(&cut, size) <= width {
                fits = cut;
            }
        }
        shown
    }

    /// The text wrapped to a width. A word wider than a line is broken.
    pub(super) fn lines(&self, text: &str, size: i32, width: i32) -> Vec<String> {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let line = lines.last_mut().expect("there is one");
            let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if self.width(&joined, size) <= width {
                *line = joined;
                continue;
            }
            let mut rest = String::new();
            for character in word.chars() {
                rest.push(character);
                if rest.chars().count() > 1 && self.width(&rest, size) > width {
                    rest.pop();
                    push(&mut lines, std::mem::replace(&mut rest, character.to_string()));
                }
            }
            push(&mut lines, rest);
        }
        lines
    }
}

/// Adds a line, or fills an empty last one.
fn push(lines: &mut Vec<String>, line: String) {
    match lines.last_mut() {
        Some(last) if last.is_empty() => *last = line,
        _ => lines.push(line),
    }
}

/// Distance from the middle of a line to its base line.
pub(super) fn below_middle(size: i32) -> i32 {
    size * CAPITALS / 2000
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quipu_referee::messages::catalog;

    use super::*;

    #[test]
    fn the_font_has_every_letter_that_is_said() {
        let codes = catalog().codes().flat_map(|(_, words)| {
            [&words.law, &words.right, &words.title].into_iter().chain(words.message.iter().map(|(_, text)| text))
        });
        let tables = quipu_tournament::messages::catalog().words().map(|(_, text)| text);
        let words = catalog().words().map(|(_, text)| text).chain(tables);
        let said = super::super::messages::all().chain(words).chain(codes);
        let letters: BTreeSet<char> = said.flat_map(|text| text.es.chars().chain(text.en.chars())).collect();
        for bold in [false, true] {
            let missing: Vec<_> = letters.iter().filter(|letter| of(bold).glyph(**letter) == 0).collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    }

    #[test]
    fn text_is_measured() {
        let font = of(false);
        assert_eq!(font.width("", 100), 0);
        assert!(font.width("1", 100) < font.width("11", 100));
        assert!(of(true).width("Quispe", 100) > font.width("Quispe", 100));
    }

    #[test]
    fn lines_are_as_wide_as_they_may_be() {
        let font = of(false);
        for width in [40, 120, 400, 4000] {
            let text = "Una pieza de tipo militar no se puede colocar ahí, y menos supercalifragilísticamente.";
            let lines = font.lines(text, 30, width);
            assert!(lines.iter().all(|line| font.width(line, 30) <= width), "{lines:?}");
            let letters = |text: &str| text.replace(' ', "");
            assert_eq!(letters(&lines.concat()), letters(text));
        }
        assert_eq!(font.lines("", 30, 100), [""]);
    }

    #[test]
    fn cut_text_ends_with_an_ellipsis() {
        let font = of(true);
        assert_eq!(font.cut("Quispe, Ana", 30, 1000), "Quispe, Ana");
        let cut = font.cut("Quispe, Ana", 30, 100);
        assert!(cut.ends_with('…') && font.width(&cut, 30) <= 100, "{cut}");
    }
}
