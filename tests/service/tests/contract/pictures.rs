//! Drawings of games have the form that pictures need.

use std::collections::{BTreeMap, BTreeSet};

use quipu_pictures::{MOST_FRAMES, MOST_PLIES, MOST_POINTS, MOVING_WIDTHS, TITLE_LENGTH, WIDTH, WIDTHS};
use quipu_referee::{
    Referee,
    drawing::{Drawing, Face, Glyph, PIECE, SQUARE},
    games,
};
use quipu_tests_service::{program::run, text};
use serde_json::Value;

use quipu_tests_service::contract::{document, nothing};

/// The boards of all positions of the fixtures.
fn drawings() -> Vec<(&'static dyn Referee, Drawing)> {
    let of_game = |game: &&'static dyn Referee| {
        let game = *game;
        let positions = text(&format!("{}/positions.ndjson", game.notation().id));
        let boards = positions.lines().map(|line| {
            let row: Value = serde_json::from_str(line).expect("JSON");
            game.board(row["rules"].as_str(), row["position"].as_str()).expect("a good position").drawing()
        });
        boards.map(|drawing| (game, drawing)).collect::<Vec<_>>()
    };
    games::ALL.iter().flat_map(of_game).collect()
}

/// True if every command of a path has its numbers, and all of them are within a square.
fn is_drawn(written: &str, within: i32) -> bool {
    let mut words = written.split(' ').filter(|word| !word.is_empty());
    let mut moved = false;
    while let Some(command) = words.next() {
        let numbers = match command {
            "M" | "L" => 2,
            "C" => 6,
            "Z" => 0,
            _ => return false,
        };
        moved |= command == "M";
        let good =
            |word: Option<&str>| word.and_then(|word| word.parse::<i32>().ok()).is_some_and(|n| n.abs() <= within);
        if !moved || !(0..numbers).all(|_| good(words.next())) {
            return false;
        }
    }
    moved
}

#[test]
fn textures_and_faces_of_games_can_be_drawn() {
    let (mut textures, mut faces) = (BTreeSet::new(), BTreeSet::new());
    for (_, drawing) in drawings() {
        textures.extend(drawing.cells.iter().map(|cell| cell.ground.texture).filter(|texture| !texture.is_empty()));
        let pieces = drawing.cells.iter().filter_map(|cell| cell.piece.as_ref());
        faces.extend(pieces.chain(&drawing.turn).filter_map(|piece| match piece.face {
            Face::Lines(written) | Face::Shape(written) => Some(written),
            Face::Plain | Face::Label | Face::Hole(_) => None,
        }));
    }
    assert!(textures.len() > 5 && faces.len() > 2, "{textures:?} {faces:?}");
    nothing(textures.into_iter().filter(|written| !is_drawn(written, SQUARE / 2)), "textures that are not drawn");
    nothing(faces.into_iter().filter(|written| !is_drawn(written, PIECE)), "faces that are not drawn");
}

#[test]
fn boards_are_whole() {
    for (game, drawing) in drawings() {
        let id = game.notation().id;
        let rows = drawing.cells.len() / drawing.columns;
        assert_eq!(rows * drawing.columns, drawing.cells.len(), "{id}");
        assert_eq!((drawing.top.len(), drawing.bottom.len()), (drawing.columns, drawing.columns), "{id}");
        assert_eq!((drawing.left.len(), drawing.right.len()), (rows, rows), "{id}");
        let names: BTreeSet<_> = drawing.cells.iter().map(|cell| &cell.name).collect();
        assert_eq!(names.len(), drawing.cells.len(), "{id}: every cell has a name of its own");
        assert!(
            drawing
                .dots
                .iter()
                .all(|dot| dot % drawing.columns + 1 < drawing.columns && dot / drawing.columns + 1 < rows)
        );
        // A line without a piece on a label says nothing.
        let mut labelled = drawing.cells.iter().filter_map(|cell| cell.piece.as_ref());
        assert!(labelled.all(|piece| piece.face != Face::Label || !piece.label.is_empty()), "{id}");
    }
}

/// Pieces of one side that are not the same can be told apart by what is on them.
#[test]
fn kinds_of_pieces_look_different() {
    let mut seen: BTreeMap<(&str, usize, String), BTreeSet<String>> = BTreeMap::new();
    for (game, drawing) in drawings() {
        for piece in drawing.cells.iter().filter_map(|cell| cell.piece.as_ref()) {
            let label = if piece.face == Face::Label { piece.label.clone() } else { String::new() };
            let face = format!("{:?}{label}", piece.face);
            seen.entry((game.notation().id, piece.side.index(), face)).or_default().insert(piece.label.clone());
        }
    }
    nothing(seen.into_iter().filter(|(_, labels)| labels.len() > 1), "one look for several kinds");
}

/// A legend has every kind of piece that stands on a board; numbers on pieces are not kinds.
#[test]
fn legends_are_complete() {
    for (game, drawing) in drawings() {
        let legend = game.pieces();
        let is_there = |piece: &&Glyph| {
            legend.iter().any(|one| {
                one.side == piece.side && one.face == piece.face && (piece.word.is_none() || one.word == piece.word)
            })
        };
        let pieces = drawing.cells.iter().filter_map(|cell| cell.piece.as_ref());
        nothing(pieces.filter(|piece| !is_there(piece)).map(|piece| &piece.label), "pieces that no legend has");
    }
}

/// Values beyond the limits are refused, so every page about pictures gives the limits.
#[test]
fn limits_are_told() {
    let limits = [
        WIDTHS.start().to_string(),
        WIDTHS.end().to_string(),
        MOVING_WIDTHS.end().to_string(),
        WIDTH.to_string(),
        MOST_FRAMES.to_string(),
        (MOST_POINTS / u64::from(WIDTH).pow(2)).to_string(),
        MOST_PLIES.to_string(),
        TITLE_LENGTH.to_string(),
    ];
    let help = ["es", "en"].map(|lang| run(&["draw", "--help", "--lang", lang]).stdout);
    let pages = ["docs/pictures.md", "docs/pictures.es.md", "docs/api.md", "docs/api.es.md"].map(document);
    for text in help.iter().chain(&pages) {
        nothing(limits.iter().filter(|limit| !text.contains(limit.as_str())), "limits that are not told");
    }
}
