//! The QR codes of printed scoresheets, read as a phone reads them: from the shapes on the page.

use std::io::Read;

use flate2::read::ZlibDecoder;
use rqrr::PreparedImage;

/// White around a code, in tenths of a millimetre, which are pixels here.
const WHITE: usize = 60;

/// The texts of the codes of a PDF, in the order of its pages.
pub fn sheet_codes(pdf: &[u8]) -> Vec<String> {
    let find =
        |from: usize, what: &[u8]| pdf[from..].windows(what.len()).position(|part| part == what).map(|at| from + at);
    let (mut texts, mut at) = (Vec::new(), 0);
    while let Some(start) = find(at, b"stream\n") {
        let start = start + b"stream\n".len();
        let end = find(start, b"endstream").expect("a stream ends");
        at = end + b"endstream\n".len();
        let mut content = Vec::new();
        // Fonts are streams too.
        if ZlibDecoder::new(&pdf[start..end]).read_to_end(&mut content).is_ok() {
            texts.extend(shapes(&String::from_utf8_lossy(&content)).iter().filter_map(|shape| read(shape)));
        }
    }
    texts
}

/// The filled shapes of a page as rectangles: left, top, right, bottom.
fn shapes(content: &str) -> Vec<Vec<[usize; 4]>> {
    let (mut shapes, mut corners, mut numbers) = (Vec::new(), Vec::<[f64; 2]>::new(), Vec::<f64>::new());
    for word in content.split_ascii_whitespace() {
        if let Ok(number) = word.parse() {
            numbers.push(number);
            continue;
        }
        match (word, &numbers[..]) {
            ("m" | "l", [x, y]) => corners.push([*x, *y]),
            ("f*", _) => {
                shapes.push(corners.chunks_exact(4).filter_map(rectangle).collect());
                corners.clear();
            }
            ("h", _) => {}
            _ => corners.clear(),
        }
        numbers.clear();
    }
    shapes
}

fn rectangle(corners: &[[f64; 2]]) -> Option<[usize; 4]> {
    let whole = |number: f64| format!("{number}").parse().ok();
    let ([left, top], [right, bottom]) = (corners[0], corners[2]);
    Some([whole(left)?, whole(top)?, whole(right)?, whole(bottom)?])
}

/// The text of a shape that is a code.
fn read(shape: &[[usize; 4]]) -> Option<String> {
    let edge = |index: usize| shape.iter().map(move |rectangle| rectangle[index]);
    let (left, top, right, bottom) = (edge(0).min()?, edge(1).min()?, edge(2).max()?, edge(3).max()?);
    let (width, height) = (right - left + 2 * WHITE, bottom - top + 2 * WHITE);
    let mut pixels = vec![u8::MAX; width * height];
    for rectangle in shape {
        for y in rectangle[1]..rectangle[3] {
            let row = (y - top + WHITE) * width + WHITE;
            pixels[row + rectangle[0] - left..row + rectangle[2] - left].fill(0);
        }
    }
    let mut image = PreparedImage::prepare_from_greyscale(width, height, |x, y| pixels[y * width + x]);
    let grids = image.detect_grids();
    Some(grids.first()?.decode().expect("it can be read").1)
}
