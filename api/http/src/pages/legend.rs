//! A legend of the pieces and the terrain of a game, with pictures cut out of its board.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::{
    Referee,
    drawing::{Cell, Drawing, Face, Glyph, SQUARE, Way},
};

use super::{boards, frame::View};

/// The section with the pieces and, where there are several kinds of ground, the terrain.
pub(super) fn legend(view: &View, game: &'static dyn Referee) -> Markup {
    let pieces = pieces(game);
    let (kinds, grounds) = (kinds(&pieces), Grounds::new(game));
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
                        @for piece in kind { (cut(view, game, &piece.board, 0)) }
                        span { (name(view, game, &kind[0].glyph)) }
                    }
                }
            }
            @if let Some(Grounds { board, kinds }) = &grounds {
                ul.legend {
                    @for (word, cells) in kinds {
                        li {
                            @for cell in cells { (cut(view, game, board, *cell)) }
                            span { (view.word(word)) }
                        }
                    }
                }
            }
        }
    }
}

/// An arrangement that squares are cut out of.
struct Arranged {
    diagram: String,
    drawing: Drawing,
}

impl Arranged {
    /// The board with a letter on its first square, or empty; none if the game has no piece of this letter.
    fn new(game: &'static dyn Referee, letter: Option<char>) -> Option<Self> {
        let board = boards::first(game)?.drawing();
        let (columns, rows) = (board.columns, board.cells.len() / board.columns);
        let first = letter.map_or(columns.to_string(), |letter| format!("{letter}{}", columns - 1));
        let rows: Vec<_> = [first].into_iter().chain((1..rows).map(|_| columns.to_string())).collect();
        let diagram = rows.join("/");
        let drawing = game.arrange(None, &diagram).ok()?.drawing;
        Some(Self { diagram, drawing })
    }
}

/// A piece alone on the first square of a board.
struct Piece {
    board: Arranged,
    glyph: Glyph,
}

/// The pieces of a game: the letters that a diagram may have.
fn pieces(game: &'static dyn Referee) -> Vec<Piece> {
    let piece = |letter: char| {
        let board = Arranged::new(game, Some(letter))?;
        let glyph = board.drawing.cells.first()?.piece.clone()?;
        Some(Piece { board, glyph })
    };
    ('A'..='Z').chain('a'..='z').filter_map(piece).collect()
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

/// The kinds of ground of a board: the key of the word of each, with a square of every colour that it has.
struct Grounds {
    board: Arranged,
    kinds: Vec<(&'static str, Vec<usize>)>,
}

impl Grounds {
    /// The grounds of a game; none if all squares are of one kind.
    fn new(game: &'static dyn Referee) -> Option<Self> {
        let board = Arranged::new(game, None)?;
        let all = &board.drawing.cells;
        let mut kinds: Vec<(&'static str, Vec<usize>)> = Vec::new();
        for (index, cell) in all.iter().enumerate() {
            match kinds.iter_mut().find(|(word, _)| *word == cell.ground.word) {
                Some((_, cells)) if cells.iter().all(|other| color(&all[*other]) != color(cell)) => cells.push(index),
                Some(_) => {}
                None => kinds.push((cell.ground.word, vec![index])),
            }
        }
        (kinds.len() > 1).then_some(Self { board, kinds })
    }
}

/// The colour of a square.
fn color(cell: &Cell) -> [u8; 3] {
    cell.ground.colors[usize::from(cell.dark)]
}

/// A square of a board as a small picture.
fn cut(view: &View, game: &'static dyn Referee, board: &Arranged, cell: usize) -> Markup {
    let Arranged { diagram, drawing } = board;
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
