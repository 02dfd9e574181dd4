//! Scenes as SVG: small, deterministic, valid for any text in tags, and acceptable to a page with a strict policy: no
//! style, no script, nothing external.

use std::fmt::Write as _;

use quipu_referee::report::hex;
use sha2::{Digest, Sha256};

use super::{
    font,
    scene::{Anchor, Color, Outline, PathStep, Scene, SceneItem, SceneSize, Stroke, TextStyle},
};

/// The parts of a scene to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScenePart {
    Whole,
    /// The constant part only.
    Ground,
    /// The changing part only, on a transparent ground.
    Play,
}

/// A scene as a document.
pub(super) fn document(scene: &Scene, part: ScenePart) -> String {
    let mut out = String::with_capacity(16 * 1024);
    let symbols = Symbols::of(scene);
    open(&mut out, scene);
    symbols.define(&mut out);
    if part != ScenePart::Play {
        symbols.items(&mut out, &scene.ground);
    }
    if part != ScenePart::Ground {
        symbols.items(&mut out, &scene.play);
    }
    out + "</svg>\n"
}

/// Items around 0 0 as an element of a page, up to `half` in each direction. Words beside it say what it is.
pub(super) fn element(items: &[SceneItem], half: i32) -> String {
    let (family, size) = (font::FAMILIES, 2 * half);
    let mut out = format!(
        r#"<svg viewBox="-{half} -{half} {size} {size}" width="32" height="32" font-family="{family}" aria-hidden="true">"#
    );
    Symbols(Vec::new()).items(&mut out, items);
    out + "</svg>"
}

/// An id derived from the content: several documents can be in one page, and equal ids then name equal things.
fn named(what: &str) -> String {
    hex(&Sha256::digest(what)[..6])
}

/// Writes the start of a document: size, font, alternative text.
pub(super) fn open(out: &mut String, scene: &Scene) {
    let Scene { width, height, .. } = scene;
    let size = match scene.size {
        SceneSize::Pixels(pixels) => format!(r#"width="{pixels}" height="{}""#, scaled(pixels, *width, *height)),
        SceneSize::A4 => r#"width="210mm" height="297mm""#.to_owned(),
    };
    let (family, lang) = (font::FAMILIES, scene.lang.as_str());
    let [title, description] = [&scene.title, &scene.description].map(|text| named(text));
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" font-family="{family}" lang="{lang}" role="img" aria-labelledby="t{title} d{description}">"#
    );
    let _ = write!(
        out,
        "\n<title id=\"t{title}\">{}</title>\n<desc id=\"d{description}\">{}</desc>\n",
        escaped(&scene.title),
        escaped(&scene.description)
    );
}

/// Symbols of a document, each with its id.
pub(super) struct Symbols(Vec<(String, String)>);

impl Symbols {
    pub(super) fn of(scene: &Scene) -> Self {
        let none = Self(Vec::new());
        let drawn = scene.symbols.iter().map(|symbol| {
            let mut drawn = String::new();
            none.items(&mut drawn, symbol);
            (named(&drawn), drawn)
        });
        Self(drawn.collect())
    }

    /// Writes the definitions of the symbols.
    pub(super) fn define(&self, out: &mut String) {
        if self.0.is_empty() {
            return;
        }
        *out += "<defs>\n";
        for (name, drawn) in &self.0 {
            let _ = write!(out, "<g id=\"s{name}\">\n{drawn}</g>\n");
        }
        *out += "</defs>\n";
    }

    /// Writes items, one per line.
    pub(super) fn items(&self, out: &mut String, all: &[SceneItem]) {
        for item in all {
            match item {
                SceneItem::Shape { outline, fill, stroke } => shape(out, outline, *fill, *stroke),
                SceneItem::Texts { style, texts } => {
                    open_texts(out, *style);
                    for text in texts {
                        let _ = write!(out, r#"<text x="{}" y="{}">{}</text>"#, text.x, text.y, escaped(&text.words));
                    }
                    *out += "</g>\n";
                }
                SceneItem::Symbol { number, x, y, scale, opacity } => {
                    let name = self.0.get(*number).map_or("", |(name, _)| name);
                    let _ = write!(out, r##"<use href="#s{name}""##);
                    if *scale == 100 {
                        let _ = write!(out, r#" x="{x}" y="{y}""#);
                    } else {
                        let _ =
                            write!(out, r#" transform="translate({x} {y})scale({})""#, decimal(i32::from(*scale), 100));
                    }
                    if *opacity != 100 {
                        let _ = write!(out, r#" opacity="{}""#, decimal(i32::from(*opacity), 100));
                    }
                    *out += "/>\n";
                }
                SceneItem::Group { x, y, scale, items: all } => {
                    let scale = decimal(*scale, 1000);
                    let _ = writeln!(out, r#"<g transform="translate({x} {y})scale({scale})">"#);
                    self.items(out, all);
                    *out += "</g>\n";
                }
            }
        }
    }
}

/// Height of a picture of this shape at a width in pixels.
pub(super) fn scaled(pixels: u32, width: i32, height: i32) -> u32 {
    let [width, height] = [width, height].map(|side| u64::from(side.unsigned_abs().max(1)));
    u32::try_from((u64::from(pixels) * height + width / 2) / width).unwrap_or(u32::MAX)
}

fn open_texts(out: &mut String, style: TextStyle) {
    let _ = write!(out, r#"<g font-size="{}" fill="{}""#, style.size, color(style.color));
    if style.bold {
        *out += r#" font-weight="bold""#;
    }
    match style.anchor {
        Anchor::Start => {}
        Anchor::Middle => *out += r#" text-anchor="middle""#,
        Anchor::End => *out += r#" text-anchor="end""#,
    }
    out.push('>');
}

fn shape(out: &mut String, outline: &Outline, fill: Option<Color>, stroke: Option<Stroke>) {
    *out += "<path";
    match fill {
        Some(fill) => {
            let _ = write!(out, r#" fill="{}" fill-rule="evenodd""#, color(fill));
        }
        None => *out += r#" fill="none""#,
    }
    if let Some(Stroke { color: ink, width, dash }) = stroke {
        let _ = write!(out, r#" stroke="{}" stroke-width="{width}""#, color(ink));
        *out += r#" stroke-linecap="round" stroke-linejoin="round""#;
        if let Some([on, off]) = dash {
            let _ = write!(out, r#" stroke-dasharray="{on} {off}""#);
        }
    }
    *out += r#" d=""#;
    for step in outline.steps() {
        let _ = match *step {
            PathStep::Move(x, y) => write!(out, "M{x} {y}"),
            PathStep::Line(x, y) => write!(out, "L{x} {y}"),
            PathStep::Curve([x1, y1, x2, y2, x, y]) => write!(out, "C{x1} {y1} {x2} {y2} {x} {y}"),
            PathStep::Close => write!(out, "Z"),
            PathStep::Circle(x, y, radius) => {
                let (left, width) = (x - radius, 2 * radius);
                write!(out, "M{left} {y}a{radius} {radius} 0 1 0 {width} 0a{radius} {radius} 0 1 0 -{width} 0Z")
            }
        };
    }
    *out += "\"/>\n";
}

/// A colour in the notation of SVG and CSS.
pub(super) fn color([red, green, blue]: Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A fraction in decimals: `35` of `100` is `.35`.
fn decimal(number: i32, of: i32) -> String {
    let digits = of.ilog10() as usize;
    let (whole, part) = (number / of, number % of);
    let part = format!("{part:0digits$}");
    match (whole, part.trim_end_matches('0')) {
        (whole, "") => whole.to_string(),
        (0, part) => format!(".{part}"),
        (whole, part) => format!("{whole}.{part}"),
    }
}

/// The text escaped for XML.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars().filter_map(printable) {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            character => out.push(character),
        }
    }
    out
}

/// The character for a line of text: control characters become the replacement character, bidirectional controls
/// `None`.
pub(super) fn printable(character: char) -> Option<char> {
    match character {
        '\t' | '\n' | '\r' => Some(' '),
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => Some(char::REPLACEMENT_CHARACTER),
        // They change the direction of the following text, so that it could be misread.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        character => Some(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: i32, of: i32, expected: &str) {
        assert_eq!(decimal(number, of), expected);
    }

    #[test]
    fn decimals() {
        check(35, 100, ".35");
        check(5, 100, ".05");
        check(100, 100, "1");
        check(150, 100, "1.5");
        check(0, 100, "0");
        check(707, 1000, ".707");
    }

    #[test]
    fn nothing_breaks_the_document() {
        assert_eq!(escaped("<a> & \"b\""), "&lt;a&gt; &amp; &quot;b&quot;");
        assert_eq!(escaped("a\u{0}b\u{1b}\u{ffff}\nc"), "a\u{fffd}b\u{fffd}\u{fffd} c");
        assert_eq!(escaped("Ana\u{202e}sleI"), "AnasleI");
    }
}
