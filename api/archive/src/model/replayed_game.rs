//! A game, replayed for its positions.

use std::{collections::HashSet, fmt};

use quipu_notation::record::{Chunk, Format};
use quipu_referee::{Board, games, symmetry::PositionKey};

/// A game as its canonical text has it.
pub(crate) struct PlayedGame {
    start: Box<dyn Board>,
    tokens: Vec<String>,
}

/// A game with its different positions, each with the number of plies before its first occurrence.
pub(crate) struct ReplayedGame {
    pub(crate) game: PlayedGame,
    pub(crate) visits: Vec<(PositionKey, usize)>,
}

impl ReplayedGame {
    pub(crate) fn new(game: PlayedGame) -> Self {
        Self { visits: game.visits(), game }
    }
}

impl PartialEq for ReplayedGame {
    fn eq(&self, other: &Self) -> bool {
        (&self.game.tokens, &self.visits) == (&other.game.tokens, &other.visits)
    }
}

impl fmt::Debug for ReplayedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayedGame").field("visits", &self.visits).finish_non_exhaustive()
    }
}

impl PlayedGame {
    /// The game of a record, from its canonical text; none if that cannot be replayed.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let record = Chunk::in_format(text, Format::Quipu).records_without_notes().next()?.ok()?;
        let start = games::find(record.game()?.id)?.start(&record).ok()?;
        let tokens = record.movetext.plies.iter().map(|ply| ply.token.to_string()).collect();
        Some(Self { start, tokens })
    }

    /// The number of its plies.
    pub(crate) fn plies(&self) -> usize {
        self.tokens.len()
    }

    /// The different positions of the game, each with the number of plies before its first occurrence.
    pub(crate) fn visits(&self) -> Vec<(PositionKey, usize)> {
        let mut seen = HashSet::with_capacity(self.tokens.len() + 1);
        let mut visits = Vec::with_capacity(self.tokens.len() + 1);
        self.replay(|board, ply| {
            let key = board.key();
            if seen.insert(key) {
                visits.push((key, ply));
            }
            true
        });
        visits
    }

    /// The number of plies before the first occurrence of a position.
    pub(crate) fn find(&self, sought: &PositionKey) -> Option<usize> {
        let mut found = None;
        self.replay(|board, ply| {
            if board.key() == *sought {
                found = Some(ply);
            }
            found.is_none()
        });
        found
    }

    /// The moves that were played after these numbers of plies, which ascend, as all images of the positions have them; an empty
    /// text where the game ended.
    pub(crate) fn next_moves(&self, plies: &[usize]) -> Vec<String> {
        let mut moves = Vec::with_capacity(plies.len());
        self.replay(|board, ply| {
            if plies.get(moves.len()) == Some(&ply) {
                let next = self.tokens.get(ply).and_then(|token| board.common_token(token));
                moves.push(next.unwrap_or_default());
            }
            moves.len() < plies.len()
        });
        moves
    }

    /// Calls `each` with every position and its number of plies, until it returns false.
    fn replay(&self, mut each: impl FnMut(&dyn Board, usize) -> bool) {
        let mut board = self.start.copied();
        let mut ply = 0;
        while each(&*board, ply) {
            let Some(token) = self.tokens.get(ply) else { break };
            if board.play(token).is_err() {
                break;
            }
            ply += 1;
        }
    }
}
