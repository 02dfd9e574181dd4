//! The address at which a game of a board is scored: what the code of a scoresheet opens.

use quipu_tournament::model::{PlayerId, RoundGame};

use super::Number;

/// A game of a board, and the players for whom the address was made: the round may be paired again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreAddress {
    tournament: Number,
    round: u32,
    board: u32,
    /// The game of the encounter, from 1.
    game: u32,
    /// Side 1 first.
    players: [PlayerId; 2],
}

impl ScoreAddress {
    /// Most bytes of the address of a service. With a token behind it, the rest fits into a code that is read easily.
    pub const SERVICE: usize = 90;

    /// The address of a game of a round.
    pub fn new(tournament: Number, round: u32, game: &RoundGame<'_>) -> Self {
        Self { tournament, round, board: game.board, game: game.leg.unwrap_or(1), players: game.ids }
    }

    /// The path, which a person can type: `/keep/1/2/4/1`.
    pub fn path(&self) -> String {
        let Self { tournament, round, board, game, .. } = self;
        format!("/keep/{tournament}/{round}/{board}/{game}")
    }

    /// The path with the numbers of the players: `/keep/1/2/4/1?players=7-12`.
    pub fn path_for_players(&self) -> String {
        format!("{}?players={}", self.path(), players_text(self.players))
    }
}

/// Numbers of players as an address names them: `7-12`.
pub fn players_text(players: [PlayerId; 2]) -> String {
    players.map(|id| id.to_string()).join("-")
}
