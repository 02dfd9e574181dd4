//! QR codes of scoresheets: each opens the page that scores the game of its sheet.

use qrcode::{Color, EcLevel, QrCode};

use super::scene::Outline;

/// Least side of a code in tenths of a millimetre.
const MIN_SIDE: i32 = 220;
/// White modules around a code.
const QUIET: i32 = 4;
/// Most modules of a side (version 10): those of a larger one would be smaller than 0.4 millimetres.
const MAX_MODULES: usize = 57;
/// Side of the place for a code with the white around it.
pub(super) const PLACE: i32 = 310;

/// The code of a scoresheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetCode {
    /// Modules of a side.
    side: usize,
    /// The modules, row by row; true for a dark one.
    modules: Vec<bool>,
    /// The address to type, printed below.
    pub(super) text: String,
}

impl SheetCode {
    /// Most bytes of an address that always fits.
    pub const ADDRESS: usize = 213;

    /// The code of an address, with error correction M, and below it another, shorter one to type. Nothing if the address is
    /// too long for a code that is read easily.
    pub fn new(address: &str, short: &str) -> Option<Self> {
        let code = QrCode::with_error_correction_level(address, EcLevel::M).ok()?;
        let side = code.width();
        let modules = code.into_colors().into_iter().map(|color| color == Color::Dark).collect();
        let text = short.strip_prefix("https://").unwrap_or(short).to_owned();
        (side <= MAX_MODULES).then_some(Self { side, modules, text })
    }

    /// The dark modules in a square place of [`PLACE`].
    pub(super) fn outline(&self, x: i32, y: i32) -> Outline {
        let count = i32::try_from(self.side).unwrap_or(i32::MAX);
        let unit = (MIN_SIDE + count - 1) / count;
        let white = (PLACE - count * unit) / 2;
        debug_assert!(white >= QUIET * unit, "{count} modules need white around them");
        let (left, mut y) = (x + white, y + white);
        let mut outline = Outline::default();
        for row in self.modules.chunks(self.side) {
            let mut x = left;
            for run in row.chunk_by(|one, other| one == other) {
                let width = i32::try_from(run.len()).unwrap_or(i32::MAX) * unit;
                if run[0] {
                    outline = outline.rect(x, y, width, unit);
                }
                x += width;
            }
            y += unit;
        }
        outline
    }
}
