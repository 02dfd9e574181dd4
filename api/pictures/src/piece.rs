//! A piece alone, without a board.

use quipu_referee::{
    Referee,
    drawing::{Drawing, Glyph, SQUARE},
    messages::catalog,
};

use super::{
    board::Painter,
    scene::{Scene, SceneSize},
    style::Look,
};

/// A piece in the colours of its board and as that board is turned, in a square.
pub(super) fn scene(game: &'static dyn Referee, drawing: &Drawing, piece: &Glyph, look: &Look) -> Scene {
    let mut painter = Painter::new(game, look, false);
    let play = vec![painter.piece(drawing, piece, [SQUARE / 2; 2], 100, 100)];
    Scene {
        width: SQUARE,
        height: SQUARE,
        size: SceneSize::Pixels(look.width),
        title: piece.word.map_or(&*piece.label, |word| catalog().word(word, look.lang)).to_owned(),
        description: catalog().word(game.side_words()[piece.side.index()], look.lang).to_owned(),
        lang: look.lang,
        symbols: painter.symbols(),
        ground: Vec::new(),
        play,
    }
}
