//! Pictures: every format is read back by another library; its required and forbidden contents, and its limits of size.
//!
//! Commands and routes for pictures are tested in `cli` and `http`, contrasts beside the colours.

mod boards;
mod golden;
mod pages;
mod wall_charts;

use quipu_notation::record::{Chunk, Format, Record};
use quipu_referee::{Board, Referee, games};
use quipu_tests_service::text;

/// The records of a game in `games.quipu` of its fixtures, as text.
fn games_of(game: &dyn Referee) -> Vec<String> {
    let text = text(&format!("{}/games.quipu", game.notation().id));
    let mut starts: Vec<_> = text.match_indices("[Game ").map(|(start, _)| start).collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
}

/// Runs `with` with the one record of a text.
#[track_caller]
fn record<T>(text: &str, with: impl FnOnce(&Record<'_>) -> T) -> T {
    let form = if text.starts_with('{') { Format::Json } else { Format::Quipu };
    let chunk = Chunk::in_format(text.as_bytes(), form);
    let record = chunk.records().next().expect("a record").expect("it can be read");
    with(&record)
}

/// A board of each game where a game starts, and after the plies of one.
fn boards() -> Vec<(&'static dyn Referee, Box<dyn Board>)> {
    let mut all: Vec<(&'static dyn Referee, Box<dyn Board>)> = Vec::new();
    for &game in games::ALL {
        let dealt = || game.deal(None, 7, None).expect("base").expect("it deals or starts");
        all.push((game, game.board(None, None).unwrap_or_else(|_| dealt())));
        for text in games_of(game).iter().take(3) {
            record(text, |record| {
                let mut board = game.start(record).expect("it starts");
                for ply in &record.movetext.plies {
                    board.play(&ply.token).expect("it is legal");
                }
                all.push((game, board));
            });
        }
    }
    all
}
