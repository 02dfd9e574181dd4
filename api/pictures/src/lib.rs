//! Boards, games, verdicts and scoresheets as pictures and pages: SVG, PNG, GIF, HTML, PDF.
//!
//! The game describes its board in a [`Drawing`]. A drawing becomes a scene of shapes and texts (`scene.rs`); SVG and
//! PDF are written from the scene, and pixels are drawn from the SVG. The same input gives the same bytes on every
//! machine: the font is part of the program, and neither time nor randomness is used. This crate does no I/O.
//!
//! ```
//! use quipu_pictures::{Look, svg};
//! use quipu_referee::{Lang, games};
//!
//! let andes = games::find("andes").expect("a game of quipu");
//! let mut board = andes.board(None, None).expect("a start position");
//! board.play("0d3").expect("a legal move");
//!
//! let picture = svg(andes, &board.drawing(), &Look { width: 320, ..Look::new(Lang::En) })?;
//! assert!(picture.starts_with("<svg") && picture.contains("width=\"320\""));
//! # Ok::<(), quipu_pictures::Refused>(())
//! ```

use quipu_notation::record::Record;
use quipu_referee::{
    Lang, Referee, Verdict,
    drawing::{Drawing, Glyph},
    messages::catalog,
    replay::Replay,
};
use quipu_tournament::tables::TournamentTable;

mod a4;
mod animation;
mod board;
mod caption;
mod code;
mod error;
mod font;
mod geometry;
mod html;
mod legend;
mod messages;
mod names;
mod paged_table;
mod pdf;
mod piece;
mod raster;
mod scene;
mod scoresheet;
mod style;
mod svg;
mod verdict_sheet;
mod words;

pub use code::SheetCode;
pub use error::Refused;
pub use html::inert;
pub use legend::{Legend, LegendItem};
pub use quipu_options::look::{
    Coordinates, MOST_FRAMES, MOST_PLIES, MOST_POINTS, MOVING_WIDTHS, SHEETS, TITLE_LENGTH, Theme, WIDTH, WIDTHS,
};
pub use scoresheet::SheetHead;
pub use style::Look;

use self::{board::Painter, svg::ScenePart};

/// A board in words, as alternative text: its facts, then the pieces with their squares.
pub fn description(game: &dyn Referee, drawing: &Drawing, lang: Lang) -> String {
    words::description(game, drawing, lang)
}

/// The pieces of each side with their squares in words, those of a kind together.
pub fn pieces(game: &dyn Referee, drawing: &Drawing, lang: Lang) -> String {
    words::pieces(game, drawing, lang)
}

/// The legend of a game in the light theme.
pub fn legend(game: &dyn Referee, lang: Lang) -> Legend {
    Legend::of(game, lang)
}

/// A piece as an SVG element of a page, in the colours of a board.
pub fn piece(board: &Drawing, piece: &Glyph) -> String {
    legend::piece(board, piece)
}

/// Sentences about a position.
pub fn notes(drawing: &Drawing, lang: Lang) -> Vec<String> {
    drawing.notes.iter().map(|note| catalog().note(note, lang)).collect()
}

/// Facts beside a board, each as `label: value`.
pub fn facts(drawing: &Drawing, lang: Lang) -> Vec<String> {
    drawing.facts.iter().map(|(label, values)| words::fact(label, values, lang)).collect()
}

/// Width and height in pixels of a board in the default look but for its coordinates.
pub fn size(game: &'static dyn Referee, drawing: &Drawing, coordinates: Coordinates) -> [u32; 2] {
    board::pixels(game, drawing, coordinates)
}

/// A board as SVG.
///
/// # Errors
/// If the width is not within [`WIDTHS`].
pub fn svg(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> Result<String, Refused> {
    Refused::unless_within(look.width, WIDTHS)?;
    Ok(svg::document(&Painter::new(game, look, false).scene(drawing, ""), ScenePart::Whole))
}

/// A piece of a board as SVG, on a transparent ground.
///
/// # Errors
/// If the width is not within [`WIDTHS`].
pub fn piece_svg(game: &'static dyn Referee, drawing: &Drawing, piece: &Glyph, look: &Look) -> Result<String, Refused> {
    Refused::unless_within(look.width, WIDTHS)?;
    Ok(svg::document(&piece::scene(game, drawing, piece, look), ScenePart::Play))
}

/// An SVG document of the program, such as its icon, as PNG of this width.
///
/// # Panics
/// If the document is not well formed.
pub fn document_png(document: &str, width: u32) -> Vec<u8> {
    raster::of_document(document, width)
}

/// A board as PNG.
///
/// # Errors
/// If the width is not within [`WIDTHS`].
pub fn png(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> Result<Vec<u8>, Refused> {
    Refused::unless_within(look.width, WIDTHS)?;
    Ok(raster::png(&Painter::new(game, look, false).scene(drawing, ""), look.width))
}

/// A board as a PDF page of its own size.
///
/// # Errors
/// If the width is not within [`WIDTHS`].
pub fn pdf(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> Result<Vec<u8>, Refused> {
    Refused::unless_within(look.width, WIDTHS)?;
    Ok(pdf::document([Painter::new(game, look, false).scene(drawing, "")]))
}

/// A whole game as an animated GIF; `None` if the record cannot be replayed.
///
/// # Errors
/// If the width is not within [`MOVING_WIDTHS`], or the game has too many plies for it.
pub fn gif(record: &Record<'_>, look: &Look) -> Option<Result<Vec<u8>, Refused>> {
    Some(animation::document(record, Replay::of(record)?, look))
}

/// A whole game as one HTML page; `None` if the record cannot be replayed.
///
/// # Errors
/// If the game has more than [`MOST_PLIES`] plies.
pub fn html(record: &Record<'_>, look: &Look) -> Option<Result<String, Refused>> {
    Some(html::document(record, Replay::of(record)?, look))
}

/// The value of `Content-Security-Policy` for the pages of [`html`].
pub fn html_policy(theme: Theme) -> &'static str {
    html::policy(theme)
}

/// The verdict on a record as a PDF document of A4 sheets. `notice` is an additional remark, such as that the record
/// was retracted.
///
/// # Errors
/// If the game has more than [`MOST_PLIES`] plies.
pub fn verdict(record: &Record<'_>, verdict: &Verdict, notice: Option<&str>, look: &Look) -> Result<Vec<u8>, Refused> {
    Ok(pdf::document(verdict_sheet::pages(record, verdict, notice, look)?))
}

/// An empty A4 scoresheet as PDF. The plies of sheet `number` follow those of the sheet before.
pub fn sheet_pdf(game: &'static dyn Referee, number: u32, lang: Lang) -> Vec<u8> {
    pdf::document([scoresheet::scene(game, number, None, lang)])
}

/// A4 scoresheets of games to be played, one for each head, as one PDF document.
pub fn sheets_pdf(game: &'static dyn Referee, heads: &[SheetHead], lang: Lang) -> Vec<u8> {
    pdf::document(heads.iter().map(|head| scoresheet::scene(game, 1, Some(head), lang)))
}

/// A wall chart as PDF: a table of a tournament on A4 sheets across, in type as large as the width allows. A table that is too
/// wide continues on the next sheets, which repeat the columns that name a row.
pub fn wall_chart_pdf(table: &TournamentTable, lang: Lang) -> Vec<u8> {
    pdf::document(paged_table::pages(table, &paged_table::ACROSS, lang))
}

/// A list to hang on the wall as PDF: a table of a tournament on upright A4 sheets, in big type.
pub fn wall_list_pdf(table: &TournamentTable, lang: Lang) -> Vec<u8> {
    pdf::document(paged_table::pages(table, &paged_table::UPRIGHT, lang))
}

/// An empty A4 scoresheet as SVG.
pub fn sheet_svg(game: &'static dyn Referee, number: u32, lang: Lang) -> String {
    svg::document(&scoresheet::scene(game, number, None, lang), ScenePart::Whole)
}
