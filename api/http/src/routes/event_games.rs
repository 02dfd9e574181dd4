//! The games of an event from which its tables are computed, and the records that stand for one game or contradict another.

use quipu_notation::games::GameNotation;
use quipu_referee::{
    competition::{self, Entry},
    report::competition::Numbers,
};

use quipu_archive::{
    model::Number,
    store::{Contradiction, ReadTx, RecordId, StoreError},
};

/// The games of an event that count, up to a round.
pub(crate) struct EventGames {
    pub(crate) entries: Vec<Entry>,
    /// Numbers of the players by their names.
    pub(crate) numbers: Numbers,
    /// The rounds of all of them in their order.
    pub(crate) rounds: Vec<String>,
    /// The last round that counts; none if all games count.
    pub(crate) round: Option<String>,
}

impl EventGames {
    /// Those of an event; none if no game is of that round.
    ///
    /// # Errors
    /// The error of the archive.
    pub(crate) fn of(
        reading: &ReadTx<'_>,
        event: Number,
        game: Option<&GameNotation>,
        round: Option<String>,
    ) -> Result<Option<Self>, StoreError> {
        let all = reading.entries(event, game)?;
        let rounds = competition::rounds(&all).into_iter().map(str::to_owned).collect();
        let entries = match &round {
            Some(round) => competition::until_round(all, round),
            None => Some(all),
        };
        let Some(entries) = entries else { return Ok(None) };
        Ok(Some(Self { entries, numbers: reading.event_players(event)?, rounds, round }))
    }
}

/// Sheets of one game, and contradicting ones, in an event.
pub(crate) struct EventRelations {
    pub(crate) sheets: Vec<Vec<RecordId>>,
    pub(crate) contradictions: Vec<Contradiction>,
}

impl EventRelations {
    /// Those of an event, up to a number of each.
    ///
    /// # Errors
    /// The error of the archive.
    pub(crate) fn of(reading: &ReadTx<'_>, event: Number, most: [usize; 2]) -> Result<Self, StoreError> {
        let [sheets, contradictions] = most;
        Ok(Self {
            sheets: reading.sheets_in(event, sheets)?,
            contradictions: reading.contradictions(event, contradictions)?,
        })
    }
}
