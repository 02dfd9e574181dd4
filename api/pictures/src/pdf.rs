//! Scenes as PDF pages. Text stays text in the embedded font, so that it can be searched and copied.

use std::{collections::BTreeMap, io::Write};

use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::{
    Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr,
    types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap},
};

use super::{
    font,
    scene::{Anchor, Color, Outline, PathStep, Scene, SceneItem, SceneSize, Stroke, TextLine, TextStyle},
};

/// Points in a tenth of a millimetre, and in a CSS pixel.
const TENTH: f32 = 72.0 / 254.0;
const PIXEL: f32 = 0.75;

/// Distance of a circle's Bézier handles from its axis points, in radii.
const HANDLE: f32 = 0.552_284_8;

const FONTS: [Name<'static>; 2] = [Name(b"F0"), Name(b"F1")];
const IDENTITY: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Allocates object numbers of a document.
struct Numbers(i32);

impl Numbers {
    fn next(&mut self) -> Ref {
        self.0 += 1;
        Ref::new(self.0)
    }
}

/// A document with a page for each scene. There must be at least one. A scene is dropped before the next one is made.
pub(super) fn document(scenes: impl IntoIterator<Item = Scene>) -> Vec<u8> {
    let mut numbers = Numbers(0);
    let (catalog, tree, info) = (numbers.next(), numbers.next(), numbers.next());
    let mut pdf = Pdf::new();
    let mut about = None;
    let page = |scene: Scene| {
        let page = drawn(&scene);
        about.get_or_insert((scene.title, scene.lang));
        page
    };
    let drawn: Vec<_> = scenes.into_iter().map(page).collect();
    let (title, lang) = about.map_or_else(Default::default, |(title, lang)| (title, lang.as_str()));
    let fonts = [false, true].map(|bold| {
        let mut used = BTreeMap::new();
        for page in &drawn {
            used.extend(&page.used[usize::from(bold)]);
        }
        (!used.is_empty()).then(|| embedded(&mut pdf, &mut numbers, bold, &used))
    });
    pdf.catalog(catalog).pages(tree).lang(TextStr(lang));
    pdf.document_info(info).title(TextStr(&title)).producer(TextStr("quipu"));
    let pages: Vec<_> = drawn.iter().map(|page| written(&mut pdf, &mut numbers, tree, fonts, page)).collect();
    pdf.pages(tree).kids(pages.iter().copied()).count(i32::try_from(pages.len()).unwrap_or(i32::MAX));
    pdf.finish()
}

/// The content of a page.
struct PdfPage {
    width: f32,
    height: f32,
    /// The compressed content.
    content: Vec<u8>,
    /// Used glyphs of each font, with their characters.
    used: [BTreeMap<u16, char>; 2],
    /// Used opacities below 100, in hundredths.
    opacities: Vec<u8>,
}

fn drawn(scene: &Scene) -> PdfPage {
    let scale = match scene.size {
        SceneSize::Pixels(pixels) => pixel(pixels) * PIXEL / real(scene.width),
        SceneSize::A4 => TENTH,
    };
    let (width, height) = (real(scene.width) * scale, real(scene.height) * scale);
    let mut pen =
        PdfPen { content: Content::new(), used: Default::default(), opacities: Vec::new(), symbols: &scene.symbols };
    // The origin of a PDF page is at the bottom.
    pen.content.transform([scale, 0.0, 0.0, -scale, 0.0, height]);
    pen.content.set_line_cap(LineCapStyle::RoundCap).set_line_join(LineJoinStyle::RoundJoin);
    pen.items(&scene.ground);
    pen.items(&scene.play);
    let PdfPen { content, used, opacities, .. } = pen;
    PdfPage { width, height, content: compressed(&content.finish()), used, opacities }
}

#[expect(clippy::cast_precision_loss, reason = "a place on a page")]
fn real(number: i32) -> f32 {
    number as f32
}

#[expect(clippy::cast_precision_loss, reason = "a place on a page")]
fn pixel(number: u32) -> f32 {
    number as f32
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    // Writing to memory does not fail.
    written.unwrap_or_default()
}

/// Writes a page; returns its object number.
fn written(pdf: &mut Pdf, numbers: &mut Numbers, tree: Ref, fonts: [Option<Ref>; 2], drawn: &PdfPage) -> Ref {
    let (number, content) = (numbers.next(), numbers.next());
    let mut page = pdf.page(number);
    page.parent(tree).media_box(Rect::new(0.0, 0.0, drawn.width, drawn.height)).contents(content);
    let mut resources = page.resources();
    let used = FONTS.into_iter().zip(fonts).filter_map(|(name, font)| Some((name, font?)));
    resources.fonts().pairs(used);
    let mut states = resources.ext_g_states();
    for opacity in &drawn.opacities {
        let visible = f32::from(*opacity) / 100.0;
        let mut state = states.insert(Name(&state_name(*opacity))).start::<pdf_writer::writers::ExtGraphicsState<'_>>();
        state.stroking_alpha(visible).non_stroking_alpha(visible);
    }
    states.finish();
    resources.finish();
    page.finish();
    pdf.stream(content, &drawn.content).filter(Filter::FlateDecode);
    number
}

fn state_name(opacity: u8) -> Vec<u8> {
    format!("O{opacity}").into_bytes()
}

/// Embeds a font, with widths and Unicode mapping of the used glyphs.
fn embedded(pdf: &mut Pdf, numbers: &mut Numbers, bold: bool, used: &BTreeMap<u16, char>) -> Ref {
    let font = font::of(bold);
    let [number, descendant, descriptor, file, meaning] = [(); 5].map(|()| numbers.next());
    let name = Name(font.name.as_bytes());
    let thousandths = |units: f32| units * 1000.0 / font.units();
    pdf.type0_font(number)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(meaning);
    let mut cid = pdf.cid_font(descendant);
    cid.subtype(CidFontType::Type2).base_font(name).system_info(IDENTITY).font_descriptor(descriptor);
    cid.cid_to_gid_map_predefined(Name(b"Identity")).default_width(0.0);
    let mut widths = cid.widths();
    for &glyph in used.keys() {
        widths.consecutive(glyph, [thousandths(font.advance(glyph))]);
    }
    widths.finish();
    cid.finish();
    let metrics = font.metrics();
    let bounds = metrics.bounds.unwrap_or_default();
    let [left, bottom, right, top] = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(thousandths);
    pdf.font_descriptor(descriptor)
        .name(name)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(left, bottom, right, top))
        .italic_angle(0.0)
        .ascent(thousandths(metrics.ascent))
        .descent(thousandths(metrics.descent))
        .cap_height(thousandths(metrics.cap_height.unwrap_or(metrics.ascent)))
        .stem_v(if bold { 140.0 } else { 80.0 })
        .font_file2(file);
    let length = i32::try_from(font.bytes.len()).unwrap_or(i32::MAX);
    pdf.stream(file, &compressed(font.bytes)).filter(Filter::FlateDecode).pair(Name(b"Length1"), length);
    let mut map = UnicodeCmap::<u16>::new(Name(b"quipu"), IDENTITY);
    for (&glyph, &character) in used {
        map.pair(glyph, character);
    }
    pdf.cmap(meaning, map.finish().as_slice());
    number
}

/// Draws a page.
struct PdfPen<'s> {
    content: Content,
    used: [BTreeMap<u16, char>; 2],
    opacities: Vec<u8>,
    symbols: &'s [Vec<SceneItem>],
}

impl PdfPen<'_> {
    fn items(&mut self, items: &[SceneItem]) {
        for item in items {
            match item {
                SceneItem::Shape { outline, fill, stroke } => self.shape(outline, *fill, *stroke),
                SceneItem::Texts { style, texts } => texts.iter().for_each(|text| self.text(*style, text)),
                SceneItem::Symbol { number, x, y, scale, opacity } => {
                    let symbols = self.symbols;
                    self.placed([*x, *y], f32::from(*scale) / 100.0, *opacity, &symbols[*number]);
                }
                SceneItem::Group { x, y, scale, items } => self.placed([*x, *y], real(*scale) / 1000.0, 100, items),
            }
        }
    }

    fn placed(&mut self, [x, y]: [i32; 2], scale: f32, opacity: u8, items: &[SceneItem]) {
        self.content.save_state().transform([scale, 0.0, 0.0, scale, real(x), real(y)]);
        if opacity < 100 {
            if !self.opacities.contains(&opacity) {
                self.opacities.push(opacity);
            }
            self.content.set_parameters(Name(&state_name(opacity)));
        }
        self.items(items);
        self.content.restore_state();
    }

    fn shape(&mut self, outline: &Outline, fill: Option<Color>, stroke: Option<Stroke>) {
        let content = &mut self.content;
        if let Some(fill) = fill {
            let [red, green, blue] = fill.map(|value| f32::from(value) / 255.0);
            content.set_fill_rgb(red, green, blue);
        }
        if let Some(Stroke { color, width, dash }) = stroke {
            let [red, green, blue] = color.map(|value| f32::from(value) / 255.0);
            content.set_stroke_rgb(red, green, blue).set_line_width(real(width));
            content.set_dash_pattern(dash.into_iter().flatten().map(real), 0.0);
        }
        for step in outline.steps() {
            match *step {
                PathStep::Move(x, y) => content.move_to(real(x), real(y)),
                PathStep::Line(x, y) => content.line_to(real(x), real(y)),
                PathStep::Curve(points) => {
                    let [x1, y1, x2, y2, x3, y3] = points.map(real);
                    content.cubic_to(x1, y1, x2, y2, x3, y3)
                }
                PathStep::Close => content.close_path(),
                PathStep::Circle(x, y, radius) => circle(content, [real(x), real(y)], real(radius)),
            };
        }
        match (fill, stroke) {
            (Some(_), Some(_)) => content.fill_even_odd_and_stroke(),
            (Some(_), None) => content.fill_even_odd(),
            (None, Some(_)) => content.stroke(),
            (None, None) => content.end_path(),
        };
    }

    fn text(&mut self, style: TextStyle, TextLine { x, y, words: text }: &TextLine) {
        let font = font::of(style.bold);
        let mut glyphs = Vec::with_capacity(2 * text.len());
        for character in text.chars() {
            let glyph = font.glyph(character);
            // All missing characters share one glyph, so its text must not be one of them.
            let meant = if glyph == 0 { char::REPLACEMENT_CHARACTER } else { character };
            self.used[usize::from(style.bold)].entry(glyph).or_insert(meant);
            glyphs.extend(glyph.to_be_bytes());
        }
        let left = match style.anchor {
            Anchor::Start => 0,
            Anchor::Middle => font.width(text, style.size) / 2,
            Anchor::End => font.width(text, style.size),
        };
        let [red, green, blue] = style.color.map(|value| f32::from(value) / 255.0);
        let content = &mut self.content;
        content.begin_text().set_font(FONTS[usize::from(style.bold)], real(style.size));
        content.set_fill_rgb(red, green, blue).set_text_matrix([1.0, 0.0, 0.0, -1.0, real(x - left), real(*y)]);
        content.show(Str(&glyphs)).end_text();
    }
}

/// A circle of four curves.
fn circle(content: &mut Content, [x, y]: [f32; 2], radius: f32) -> &mut Content {
    let handle = HANDLE * radius;
    content.move_to(x - radius, y);
    content.cubic_to(x - radius, y - handle, x - handle, y - radius, x, y - radius);
    content.cubic_to(x + handle, y - radius, x + radius, y - handle, x + radius, y);
    content.cubic_to(x + radius, y + handle, x + handle, y + radius, x, y + radius);
    content.cubic_to(x - handle, y + radius, x - radius, y + handle, x - radius, y);
    content.close_path()
}
