//! A whole game as an animated GIF. The same game gives the same bytes.

use std::collections::{BTreeSet, HashMap};

use gif::{Encoder, Frame, Repeat};
use quipu_notation::record::Record;
use quipu_referee::{drawing::Drawing, replay::Replay};
use resvg::tiny_skia::Pixmap;

use super::{
    MOST_FRAMES, MOST_POINTS, MOVING_WIDTHS, Refused,
    board::Painter,
    caption::{self, heading},
    raster,
    scene::{Color, Scene},
    style::Look,
    svg::ScenePart,
};

/// Time of a position and of the last one, in hundredths of a second.
const SHOWN: u16 = 100;
const LAST: u16 = 400;
/// Colours, at most; one more index marks an unchanged pixel.
const COLORS: usize = 255;
const SAME: u8 = 255;
/// Positions sampled for the colour table.
const SAMPLES: usize = 12;

/// The game of a record as an endless animation.
///
/// # Errors
/// [`Refused`] if the width is out of range, or the game has too many plies for it.
pub(super) fn document(record: &Record<'_>, mut replay: Replay<'_>, look: &Look) -> Result<Vec<u8>, Refused> {
    Refused::unless_within(look.width, MOVING_WIDTHS)?;
    // The cost of a pixel is about the same in every position, so pixels times positions bound the time.
    let points = u64::from(look.width).pow(2);
    let most = usize::try_from(MOST_POINTS / points).unwrap_or(usize::MAX).min(MOST_FRAMES);
    let mut shown = caption::boards(&mut replay, most, |replay, played| {
        let caption = played.map(|played| heading(replay, played, look.lang)).unwrap_or_default();
        (replay.board().drawing(), caption)
    })?;
    if let (Some(outcome), Some((drawing, caption))) = (caption::outcome(record, &replay, look.lang), shown.last_mut())
    {
        outcome.close(drawing, caption);
    }
    let mut animation = Animation::new(replay.game(), &shown[0].0, look);
    let step = shown.len().div_ceil(SAMPLES);
    // The last position has the most marks.
    for (drawing, caption) in shown.iter().step_by(step).chain(shown.last()) {
        animation.sample(drawing, caption);
    }
    Ok(animation.frames(&shown))
}

/// The common parts of all frames of a game.
struct Animation<'l> {
    painter: Painter<'l>,
    /// The scene; its changing part is replaced for each frame.
    scene: Scene,
    ground: Pixmap,
    /// Colours of the scene's shapes.
    shape_colors: BTreeSet<Color>,
    /// Number of pixels of each colour in the samples.
    seen: HashMap<Color, u32>,
}

impl<'l> Animation<'l> {
    fn new(game: &'static dyn quipu_referee::Referee, first: &Drawing, look: &'l Look) -> Self {
        let mut painter = Painter::new(game, look, true);
        let scene = Scene { play: Vec::new(), ..painter.scene(first, "") };
        let mut ground = raster::blank(&scene, look.width);
        raster::draw(&scene, ScenePart::Ground, &mut ground);
        Self { painter, scene, ground, shape_colors: BTreeSet::new(), seen: HashMap::new() }
    }

    /// One position as pixels.
    fn picture(&mut self, drawing: &Drawing, caption: &str) -> Vec<[u8; 3]> {
        self.scene.play = self.painter.play(drawing, caption);
        self.scene.symbols = self.painter.symbols();
        let mut pixels = self.ground.clone();
        raster::draw(&self.scene, ScenePart::Play, &mut pixels);
        // The ground covers the picture, so every pixel is opaque.
        pixels.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect()
    }

    fn sample(&mut self, drawing: &Drawing, caption: &str) {
        for color in self.picture(drawing, caption) {
            *self.seen.entry(color).or_default() += 1;
        }
        self.shape_colors.extend(self.scene.colors());
    }

    /// All colours of the shapes, because a mark may be small, then the most frequent blends between them.
    fn table(&self) -> ColorTable {
        let mut colors: Vec<_> = self.seen.iter().map(|(&color, &count)| (count, color)).collect();
        colors.retain(|(_, color)| !self.shape_colors.contains(color));
        colors.sort_unstable_by(|one, other| other.cmp(one));
        let colors = self.shape_colors.iter().copied().chain(colors.into_iter().map(|(_, color)| color));
        ColorTable { colors: colors.take(COLORS).collect(), known: HashMap::new() }
    }

    fn frames(&mut self, shown: &[(Drawing, String)]) -> Vec<u8> {
        let [width, height] = [self.ground.width(), self.ground.height()].map(|side| u16::try_from(side).unwrap_or(0));
        let mut table = self.table();
        let mut bytes = Vec::new();
        let wrote = "memory takes everything";
        let mut encoder = Encoder::new(&mut bytes, width, height, &table.bytes()).expect(wrote);
        encoder.set_repeat(Repeat::Infinite).expect(wrote);
        let (mut seen, mut before): (Vec<[u8; 3]>, Vec<u8>) = Default::default();
        for (number, (drawing, caption)) in shown.iter().enumerate() {
            let picture = self.picture(drawing, caption);
            // Most pixels are unchanged.
            let number_of = |(place, color): (usize, &[u8; 3])| match seen.get(place) {
                Some(same) if same == color => before[place],
                _ => table.nearest(*color),
            };
            let now: Vec<_> = picture.iter().enumerate().map(number_of).collect();
            let delay = if number + 1 == shown.len() { LAST } else { SHOWN };
            let frame = if before.is_empty() {
                Frame { width, height, delay, buffer: now.as_slice().into(), ..Frame::default() }
            } else {
                changed(&before, &now, usize::from(width), delay)
            };
            encoder.write_frame(&frame).expect(wrote);
            (seen, before) = (picture, now);
        }
        drop(encoder);
        bytes
    }
}

/// The difference between two frames: the smallest rectangle around all changed pixels.
fn changed(before: &[u8], now: &[u8], width: usize, delay: u16) -> Frame<'static> {
    let differs = |index: usize| before[index] != now[index];
    let places = || (0..now.len()).filter(|&index| differs(index)).map(|index| (index % width, index / width));
    let (left, right) = places().fold((width, 0), |(left, right), (x, _)| (left.min(x), right.max(x)));
    let (top, bottom) = places().fold((usize::MAX, 0), |(top, bottom), (_, y)| (top.min(y), bottom.max(y)));
    // Without a change the frame is one pixel.
    let (left, top) = if left > right { (0, 0) } else { (left, top) };
    let rows = top..=bottom;
    let of_row = |y: usize| (y * width + left)..=(y * width + right);
    let buffer: Vec<_> = rows.flat_map(of_row).map(|index| if differs(index) { now[index] } else { SAME }).collect();
    let small = |number: usize| u16::try_from(number).unwrap_or_default();
    Frame {
        delay,
        left: small(left),
        top: small(top),
        width: small(right - left + 1),
        height: small(bottom - top + 1),
        transparent: Some(SAME),
        buffer: buffer.into(),
        ..Frame::default()
    }
}

/// The colour table of the animation.
struct ColorTable {
    colors: Vec<[u8; 3]>,
    known: HashMap<[u8; 3], u8>,
}

impl ColorTable {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.colors.iter().flatten().copied().collect();
        // A table of 256 entries, the last one for unchanged pixels.
        bytes.resize(3 * (COLORS + 1), 0);
        bytes
    }

    /// Index of the colour nearest to this one.
    fn nearest(&mut self, color: [u8; 3]) -> u8 {
        let colors = &self.colors;
        *self.known.entry(color).or_insert_with(|| {
            let far = |other: &[u8; 3]| {
                let apart = color.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(*other)));
                // The eye separates greens better than reds, and reds better than blues.
                apart.zip([3, 6, 1]).map(|(apart, weight)| weight * apart * apart).sum::<u32>()
            };
            let nearest = colors.iter().enumerate().min_by_key(|(_, other)| far(other));
            nearest.and_then(|(number, _)| u8::try_from(number).ok()).unwrap_or_default()
        })
    }
}
