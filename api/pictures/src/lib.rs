//! Boards, games, verdicts and scoresheets as pictures and pages: SVG, PNG, GIF, HTML, PDF.
//!
//! What a board looks like is said by its game, in a [`Drawing`]; what a picture is made of is said once, as a scene
//! (`scene.rs`), from which SVG and PDF are written; all that has pixels is drawn from the SVG. The same input gives the
//! same bytes on every machine: the font comes along, and no time or chance is in them. Nothing here knows of requests,
//! archives, files or terminals.

use quipu_notation::record::Record;
use quipu_referee::{Lang, Referee, Verdict, drawing::Drawing, replay::Replay};

mod a4;
mod animation;
mod board;
mod caption;
mod error;
mod font;
mod html;
mod pdf;
mod raster;
mod scene;
mod scoresheet;
mod style;
mod svg;
mod verdict_sheet;
mod words;

pub use error::Refused;
pub use html::inert;
pub use quipu_options::look::{
    MOST_FRAMES, MOST_PLIES, MOST_POINTS, MOVING_WIDTHS, SHEETS, TITLE, Theme, WIDTH, WIDTHS,
};
pub use style::Look;

use self::{board::Painter, svg::Part};

/// A board in words, for who cannot see it: what is said beside it, and what stands where.
pub fn description(game: &dyn Referee, drawing: &Drawing, lang: Lang) -> String {
    board::description(game, drawing, lang)
}

/// What is said beside a board.
pub fn facts(drawing: &Drawing, lang: Lang) -> Vec<String> {
    drawing.facts.iter().map(|(label, values)| board::fact(label, values, lang)).collect()
}

/// Width and height of a board as it is drawn where nobody chooses anything, in pixels.
pub fn size(game: &'static dyn Referee, drawing: &Drawing) -> [u32; 2] {
    board::pixels(game, drawing)
}

/// A board as SVG.
///
/// # Errors
/// If it would be too small or too large.
pub fn svg(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> Result<String, Refused> {
    Refused::unless_within(look.width, WIDTHS)?;
    Ok(svg::document(&Painter::new(game, look, false).scene(drawing, ""), Part::Whole))
}

/// A board as PNG.
///
/// # Errors
/// If it would be too small or too large.
pub fn png(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> Result<Vec<u8>, Refused> {
    Refused::unless_within(look.width, WIDTHS)?;
    Ok(raster::png(&Painter::new(game, look, false).scene(drawing, ""), look.width))
}

/// A board as a page of PDF that is no larger than it.
///
/// # Errors
/// If it would be too small or too large.
pub fn pdf(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> Result<Vec<u8>, Refused> {
    Refused::unless_within(look.width, WIDTHS)?;
    Ok(pdf::document(&[Painter::new(game, look, false).scene(drawing, "")]))
}

/// A whole game as a GIF that goes through its positions; nothing if there is nothing to replay on.
///
/// # Errors
/// If it would be too small or too large, or the game is too long.
pub fn gif(record: &Record<'_>, look: &Look) -> Option<Result<Vec<u8>, Refused>> {
    Some(animation::document(record, Replay::of(record)?, look))
}

/// A whole game as one page of HTML that steps through it; nothing if there is nothing to replay on.
///
/// # Errors
/// If the game is too long.
pub fn html(record: &Record<'_>, look: &Look) -> Option<Result<String, Refused>> {
    Some(html::document(record, Replay::of(record)?, look))
}

/// What the pages of [`html`] may load and run, as `Content-Security-Policy` says it.
pub fn html_policy(theme: Theme) -> &'static str {
    html::policy(theme)
}

/// The verdict on a record, on sheets of A4 as PDF. `notice` is what has to be said of the record besides, such as that it
/// does not stand any more.
///
/// # Errors
/// If the game is too long.
pub fn verdict(record: &Record<'_>, verdict: &Verdict, notice: Option<&str>, look: &Look) -> Result<Vec<u8>, Refused> {
    Ok(pdf::document(&verdict_sheet::pages(record, verdict, notice, look)?))
}

/// An empty scoresheet of A4 as PDF: the first of a game, or one that goes on where the one before it ends.
pub fn sheet_pdf(game: &'static dyn Referee, number: u32, lang: Lang) -> Vec<u8> {
    pdf::document(&[scoresheet::scene(game, number, lang)])
}

/// The same as SVG.
pub fn sheet_svg(game: &'static dyn Referee, number: u32, lang: Lang) -> String {
    svg::document(&scoresheet::scene(game, number, lang), Part::Whole)
}
