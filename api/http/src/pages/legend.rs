//! A legend of the pieces and the terrain of a game, with pictures cut out of its board.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::{
    Referee,
    drawing::{Cell, Drawing, Face, Glyph, SQUARE, Way},
};

use super::frame::View;

/// The section with the pieces and, where there are several kinds of ground, the terrain.
pub(super) fn legend(view: &View, game: &'static dyn Referee) -> Markup {
    let pieces = pieces(game);
    let (kinds, grounds) = (kinds(&pieces), grounds(game));
    let [first, second] = game.side_words().map(|side| view.word(side));
    html! {
        section {
            h2 #legend { (view.say("legend.title")) }
            @if kinds.iter().any(|kind| kind.len() > 1) {
                p { (view.fill("legend.sides", &[("first", &first), ("second", &second)])) }
            }
            ul.legend {
                @for kind in &kinds {
                    li {
                        @for piece in kind { (cut(view, game, &piece.diagram, &piece.drawing, 0)) }
                        span { (name(view, game, &kind[0].glyph)) }
                    }
                }
            }
            @if let Some((diagram, drawing, cells)) = grounds {
                ul.legend {
                    @for (word, cells) in cells {
                        li {
                            @for cell in cells { (cut(view, game, &diagram, &drawing, cell)) }
                            span { (view.word(word)) }
                        }
                    }
                }
            }
        }
    }
}

/// A piece alone on the first square of a board.
struct Piece {
    diagram: String,
    drawing: Drawing,
    glyph: Glyph,
}

/// The pieces of a game: the letters that a diagram may have.
fn pieces(game: &'static dyn Referee) -> Vec<Piece> {
    let Some((columns, rows)) = size(game) else { return Vec::new() };
    let letters = ('A'..='Z').chain('a'..='z');
    let piece = |letter: char| {
        let first = format!("{letter}{}", columns - 1);
        let diagram = [first].into_iter().chain((1..rows).map(|_| columns.to_string())).collect::<Vec<_>>().join("/");
        let drawing = game.arrange(None, &diagram).ok()?.drawing;
        let glyph = drawing.cells.first()?.piece.clone()?;
        Some(Piece { diagram, drawing, glyph })
    };
    letters.filter_map(piece).collect()
}

/// The pieces that look the same, side 1 before side 2: kinds with a word, and of numbered pieces the first of each side.
fn kinds(pieces: &[Piece]) -> Vec<Vec<&Piece>> {
    let mut kinds: Vec<Vec<&Piece>> = Vec::new();
    for side in Side::BOTH {
        for piece in pieces.iter().filter(|piece| piece.glyph.side == side) {
            let same = |kind: &&mut Vec<&Piece>| match piece.glyph.word {
                Some(word) => kind[0].glyph.word == Some(word),
                None => kind[0].glyph.word.is_none() && kind[0].glyph.side == side,
            };
            match kinds.iter_mut().find(same) {
                Some(kind) if piece.glyph.word.is_some() => kind.push(piece),
                Some(_) => {}
                None => kinds.push(vec![piece]),
            }
        }
    }
    kinds
}

/// A piece in words, with the place of its hole as its owner sees it.
fn name(view: &View, game: &'static dyn Referee, glyph: &Glyph) -> Markup {
    let Some(word) = glyph.word else {
        let side = view.word(game.side_words()[glyph.side.index()]);
        return html! { (view.fill("legend.numbered", &[("side", &side)])) };
    };
    let hole = match glyph.face {
        Face::Hole(way) => {
            let way = if glyph.side == Side::One { way } else { way.turned() };
            Some(match way {
                Way::Up => "legend.hole-up",
                Way::Right => "legend.hole-right",
                Way::Down => "legend.hole-down",
                Way::Left => "legend.hole-left",
            })
        }
        _ => None,
    };
    html! { strong { (view.word(word)) } @if let Some(hole) = hole { ": " (view.say(hole)) } }
}

/// The kinds of ground with the squares to show, the lighter first; none if there is only one kind.
type Grounds = (String, Drawing, Vec<(&'static str, Vec<usize>)>);

fn grounds(game: &'static dyn Referee) -> Option<Grounds> {
    let (columns, rows) = size(game)?;
    let diagram = vec![columns.to_string(); rows].join("/");
    let drawing = game.arrange(None, &diagram).ok()?.drawing;
    let mut kinds: Vec<(&'static str, Vec<usize>)> = Vec::new();
    for (index, cell) in drawing.cells.iter().enumerate() {
        let looks_so = |other: usize| looks(&drawing.cells[other]) == looks(cell);
        match kinds.iter_mut().find(|(word, _)| *word == cell.ground.word) {
            Some((_, cells)) if !cells.iter().any(|other| looks_so(*other)) => cells.push(index),
            Some(_) => {}
            None => kinds.push((cell.ground.word, vec![index])),
        }
    }
    (kinds.len() > 1).then_some((diagram, drawing, kinds))
}

/// The colour of a square.
fn looks(cell: &Cell) -> [u8; 3] {
    cell.ground.colors[usize::from(cell.dark)]
}

/// Columns and rows of the board.
fn size(game: &'static dyn Referee) -> Option<(usize, usize)> {
    let board = game.board(None, None).ok().or_else(|| game.deal(None, 1, None).ok().flatten())?;
    let drawing = board.drawing();
    Some((drawing.columns, drawing.cells.len() / drawing.columns))
}

/// A square of a board as a small picture.
fn cut(view: &View, game: &'static dyn Referee, diagram: &str, drawing: &Drawing, cell: usize) -> Markup {
    let margin = i32::from(drawing.margin) * SQUARE / 100;
    let place = |index: usize| margin + i32::try_from(index).unwrap_or_default() * SQUARE;
    let (x, y) = (place(cell % drawing.columns), place(cell / drawing.columns));
    let query = [("game", game.notation().id), ("position", diagram)];
    let source = |theme: &str| {
        let picture = view.drawn("/v1/positions.svg", &query, theme);
        format!("{picture}#svgView(viewBox({x},{y},{SQUARE},{SQUARE}))")
    };
    html! {
        picture {
            source srcset=(source("dark")) media="(prefers-color-scheme: dark)";
            img src=(source("light")) alt="" width="40" height="40";
        }
    }
}
