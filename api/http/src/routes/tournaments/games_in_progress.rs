//! Games of a tournament that are being scored: each belongs to the board of its round and its players.

use quipu_archive::{
    model::Number,
    store::{LiveOfEvent, ReadTx, StoreError, StoredTournament},
};

#[derive(Debug, Default)]
pub(crate) struct GamesInProgress(Vec<LiveOfEvent>);

impl GamesInProgress {
    /// # Errors
    /// If the archive fails.
    pub(super) fn of(reading: &ReadTx<'_>, stored: &StoredTournament) -> Result<Self, StoreError> {
        reading.lives_of_event(&stored.tournament.settings.name, stored.game).map(Self)
    }

    /// Those of a board, by its round and its players in any order, newest first.
    pub(crate) fn on_board(&self, round: u32, [one, two]: [&str; 2]) -> impl Iterator<Item = Number> {
        let mut games: Vec<_> = self.with_sides(round, [one, two]).collect();
        games.extend(self.with_sides(round, [two, one]));
        games.sort_unstable_by(|one, other| other.cmp(one));
        games.into_iter()
    }

    /// Those of a round in which these players have sides 1 and 2, newest first.
    pub(crate) fn with_sides(&self, round: u32, players: [&str; 2]) -> impl Iterator<Item = Number> {
        let is_of_round =
            move |text: &Option<String>| text.as_deref().and_then(|text| text.trim().parse().ok()) == Some(round);
        let fits = move |live: &&LiveOfEvent| {
            is_of_round(&live.round) && live.players.each_ref().map(Option::as_deref) == players.map(Some)
        };
        self.0.iter().filter(fits).map(|live| live.number)
    }
}
