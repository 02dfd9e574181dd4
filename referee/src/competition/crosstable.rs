//! The crosstable: the results between each two players.

use super::{Half, Played, StandingsRow};

/// A player's games against one opponent: a cell of the crosstable.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting<'r> {
    /// Index of the opponent's row.
    pub opponent: usize,
    /// The games in the order of entry.
    pub games: Vec<&'r Played>,
}

impl Meeting<'_> {
    /// The player's score in these games.
    pub fn score(&self) -> Half {
        self.games.iter().map(|played| played.score).sum()
    }
}

impl StandingsRow {
    /// The cells of this row that are not empty, in the order of the standings.
    pub fn meetings(&self) -> Vec<Meeting<'_>> {
        let mut games: Vec<_> = self.played.iter().collect();
        games.sort_by_key(|played| (played.opponent, played.game));
        let meetings = games.chunk_by(|one, other| one.opponent == other.opponent);
        meetings.map(|games| Meeting { opponent: games[0].opponent, games: games.to_vec() }).collect()
    }
}
