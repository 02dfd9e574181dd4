//! The crate `hnefatafl` as a peer: it reads and plays moves of Brandubh.

use hnefatafl::{
    aliases::SmallBasicGame,
    game::{Game, GameStatus},
    preset,
    rules::Ruleset,
};

use crate::each_chunk;

/// The moves of each game from the usual beginning, as that crate writes them: without what they capture.
#[must_use]
pub fn games(text: &[u8]) -> Vec<Vec<String>> {
    let mut games = Vec::new();
    let without_captures = |token: &str| token.split('x').next().unwrap_or(token).to_owned();
    each_chunk(text, |chunk| {
        let played = chunk.records_without_notes().flatten().filter(|record| record.tag("Setup").is_none());
        games
            .extend(played.map(|record| {
                record.movetext.plies.iter().map(|ply| without_captures(&ply.token)).collect::<Vec<_>>()
            }));
    });
    games
}

/// Plays a game with that crate, as far as its laws are the same: how many plies that is.
#[must_use]
pub fn play(moves: &[String]) -> u64 {
    let laws = Ruleset { enclosure_win: None, repetition_rule: None, ..preset::rules::BRANDUBH };
    let mut game: SmallBasicGame = Game::new(laws, preset::boards::BRANDUBH).expect("its own start");
    let mut played = 0;
    for text in moves {
        let status = text.parse().ok().and_then(|play| game.do_play(play).ok());
        played += u64::from(status.is_some());
        if status != Some(GameStatus::Ongoing) {
            break;
        }
    }
    played
}
