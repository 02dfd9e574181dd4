//! Scenes as pixels, drawn by resvg with the embedded font only.

use std::sync::{Arc, LazyLock};

use resvg::{
    tiny_skia::{Color, Pixmap, Transform},
    usvg::{
        Options, Tree,
        fontdb::{Database, Source},
    },
};

use super::{
    font,
    scene::{Scene, SceneItem},
    svg::{self, ScenePart},
};

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    for bold in [false, true] {
        fonts.load_font_source(Source::Binary(Arc::new(font::of(bold).bytes)));
    }
    fonts.set_sans_serif_family(font::FAMILY);
    Arc::new(fonts)
});

/// Draws a part of a scene over existing pixels of the same shape.
pub(super) fn draw(scene: &Scene, part: ScenePart, pixels: &mut Pixmap) {
    render(&tree(&svg::document(scene, part)), pixels);
}

/// A document as PNG, on a transparent ground.
pub(super) fn of_document(document: &str, width: u32) -> Vec<u8> {
    let tree = tree(document);
    let height = tree.size().to_int_size().scale_to_width(width.max(1)).map_or(width, |size| size.height());
    let mut pixels = Pixmap::new(width.max(1), height).expect("it is within its bounds");
    render(&tree, &mut pixels);
    pixels.encode_png().expect("memory takes everything")
}

/// A document as resvg reads it.
fn tree(document: &str) -> Tree {
    let options = Options { fontdb: Arc::clone(&FONTS), font_family: font::FAMILY.to_owned(), ..Options::default() };
    Tree::from_str(document, &options).expect("our own documents are well formed")
}

fn render(tree: &Tree, pixels: &mut Pixmap) {
    #[expect(clippy::cast_precision_loss, reason = "pictures are small")]
    let scale = |pixels: u32, of: f32| pixels as f32 / of;
    let (x, y) = (scale(pixels.width(), tree.size().width()), scale(pixels.height(), tree.size().height()));
    resvg::render(tree, Transform::from_scale(x, y), &mut pixels.as_mut());
}

/// Blank paper of the scene's size. The paper is also the first shape of the ground; drawn only there, it would miss
/// the last row of pixels, because heights are rounded.
pub(super) fn blank(scene: &Scene, width: u32) -> Pixmap {
    let height = svg::scaled(width, scene.width, scene.height);
    let mut pixels = Pixmap::new(width.max(1), height.max(1)).expect("it is within its bounds");
    if let Some(SceneItem::Shape { fill: Some([red, green, blue]), .. }) = scene.ground.first() {
        pixels.fill(Color::from_rgba8(*red, *green, *blue, u8::MAX));
    }
    pixels
}

/// A scene as PNG.
pub(super) fn png(scene: &Scene, width: u32) -> Vec<u8> {
    let mut pixels = blank(scene, width);
    draw(scene, ScenePart::Whole, &mut pixels);
    pixels.encode_png().expect("memory takes everything")
}
