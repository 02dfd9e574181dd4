//! A legend: each kind of piece and of ground drawn by itself, with its word.

use quipu_notation::Side;
use quipu_referee::{
    Lang, Referee,
    drawing::{Drawing, Face, Glyph, SQUARE, Way},
    messages::catalog,
};

use super::{
    board::{LINE, LINES, disc},
    messages::say,
    scene::{Outline, SceneItem},
    style::{BLACK, mixed},
    svg,
};

/// The legend of a game.
pub struct Legend {
    /// The kinds of pieces.
    pub pieces: Vec<LegendItem>,
    /// The kinds of ground; none if there is only one.
    pub grounds: Vec<LegendItem>,
}

/// A kind of piece or of ground.
pub struct LegendItem {
    /// Its pictures as SVG elements without alternative text, each with its side if it is a piece.
    pub pictures: Vec<(Option<Side>, String)>,
    /// Its word.
    pub word: &'static str,
    /// The place of the hole in a disc, as its owner sees it.
    pub hole: Option<&'static str>,
}

impl Legend {
    /// The legend of a game, in the light theme.
    pub(super) fn of(game: &dyn Referee, lang: Lang) -> Self {
        let mut pieces: Vec<LegendItem> = Vec::new();
        let board = board(game);
        for piece in game.pieces() {
            let word = catalog().word(piece.word.unwrap_or_default(), lang);
            let picture =
                (Some(piece.side), board.as_ref().map(|board| self::piece(board, &piece)).unwrap_or_default());
            match pieces.iter_mut().find(|item| item.word == word) {
                Some(item) => item.pictures.push(picture),
                None => pieces.push(LegendItem { pictures: vec![picture], word, hole: hole(&piece, lang) }),
            }
        }
        let grounds: Vec<_> = board.iter().flat_map(|board| grounds(board, lang)).collect();
        Self { pieces, grounds: Some(grounds).filter(|grounds| grounds.len() > 1).unwrap_or_default() }
    }
}

/// A board of the game: the start position, or one that is dealt.
fn board(game: &dyn Referee) -> Option<Drawing> {
    let board = game.board(None, None).ok().or_else(|| game.deal(None, 1, None).ok().flatten());
    board.map(|board| board.drawing())
}

/// A piece of a side as on this board.
pub(super) fn piece(board: &Drawing, piece: &Glyph) -> String {
    let label = if piece.face == Face::Label { &*piece.label } else { "" };
    svg::element(&disc(board.pieces[piece.side.index()], piece.face, label), SQUARE / 2)
}

/// The kinds of ground of a board, each as it is where most lines meet.
fn grounds(board: &Drawing, lang: Lang) -> Vec<LegendItem> {
    let lines = |index: usize| board.lines.iter().filter(|pair| pair.contains(&index)).count();
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for (index, cell) in board.cells.iter().enumerate() {
        match kinds.iter_mut().find(|(word, _)| *word == cell.ground.word) {
            Some((_, best)) if lines(index) > lines(*best) => *best = index,
            Some(_) => {}
            None => kinds.push((cell.ground.word, index)),
        }
    }
    let item = |(word, index)| LegendItem {
        pictures: vec![(None, ground(board, index))],
        word: catalog().word(word, lang),
        hole: None,
    };
    kinds.into_iter().map(item).collect()
}

/// A square, or a point with the lines that meet on it.
fn ground(board: &Drawing, index: usize) -> String {
    let (cell, half) = (&board.cells[index], SQUARE / 2);
    let color = cell.ground.colors[usize::from(cell.dark)];
    let mut items = vec![SceneItem::filled(Outline::default().rect(-half, -half, SQUARE, SQUARE), color)];
    if !cell.ground.texture.is_empty() {
        items.push(SceneItem::drawn(Outline::default().written(cell.ground.texture), mixed(color, BLACK, 30), 4));
    }
    let ways = board.lines.iter().filter(|pair| pair.contains(&index)).map(|[one, two]| {
        let other = if *one == index { *two } else { *one };
        let [from, to] = [index, other].map(|at| [at % board.columns, at / board.columns]);
        [0, 1].map(|axis| half * i32::from(to[axis] > from[axis]) - half * i32::from(to[axis] < from[axis]))
    });
    let lines = ways.fold(Outline::default(), |lines, way| lines.line(&[[0, 0], way]));
    if !lines.steps().is_empty() {
        items.push(SceneItem::drawn(lines, LINES, LINE));
    }
    svg::element(&items, half)
}

/// The place of the hole in a disc, as its owner sees it.
fn hole(piece: &Glyph, lang: Lang) -> Option<&'static str> {
    let Face::Hole(way) = piece.face else { return None };
    Some(match if piece.side == Side::One { way } else { way.turned() } {
        Way::Down => say("hole.near", lang),
        Way::Up => say("hole.far", lang),
        Way::Left => say("hole.left", lang),
        Way::Right => say("hole.right", lang),
    })
}
