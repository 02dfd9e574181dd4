//! Games in progress as JSON.

use quipu_archive::{
    model::{self, Draft, Number},
    report::time,
};
use quipu_notation::record::{Chunk, Format};
use quipu_referee::report;
use schemars::JsonSchema;
use serde::Serialize;

use super::records;
use crate::problem::{self, Problem};

/// A game in progress in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LiveCard {
    #[schemars(range(min = 1))]
    live: Number,
    /// Number of times it was saved.
    #[schemars(range(min = 1))]
    version: Number,
    game: &'static str,
    /// The event, if it names one.
    event: Option<String>,
    /// The round, if it names one.
    round: Option<String>,
    /// The players, side 1 first.
    #[schemars(length(equal = 2))]
    players: Vec<Option<String>>,
    /// Number of legal plies.
    plies: u64,
    /// Time of opening.
    #[schemars(extend("format" = "date-time"))]
    opened: String,
    /// Time of the last save.
    #[schemars(extend("format" = "date-time"))]
    changed: String,
    /// The token that opened it.
    by: String,
    /// Milliseconds left of each side at the last save, side 1 first; null where no client has reported them.
    #[schemars(length(equal = 2))]
    clocks_ms: Vec<Option<u64>>,
    /// True if the clock of the side to move has run since the last save; null if no client has reported it.
    running: Option<bool>,
    /// Id of the record of the game, if it is finished.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    finished: Option<String>,
}

/// A game in progress.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LiveGame<'r> {
    #[serde(flatten)]
    card: LiveCard,
    text: &'r str,
    /// The same as JSON.
    record: records::Record<'r>,
}

impl From<&model::Live> for LiveCard {
    fn from(live: &model::Live) -> Self {
        let Draft { game, event, round, players, plies, .. } = &live.draft;
        Self {
            live: live.number,
            version: live.version,
            game: game.id,
            event: event.clone(),
            round: round.clone(),
            players: players.to_vec(),
            plies: *plies,
            opened: time(live.opened),
            changed: time(live.changed),
            by: live.submitter.clone(),
            clocks_ms: live.clocks.left.to_vec(),
            running: live.clocks.running,
            finished: live.finished.as_ref().map(|id| report::hex(id)),
        }
    }
}

/// Builds the JSON form of a game and passes it on.
pub(super) fn whole<T>(live: &model::Live, make: impl FnOnce(&LiveGame<'_>) -> T) -> Result<T, Problem> {
    let text = &live.draft.text;
    let block = Chunk::in_format(text.as_bytes(), Format::Quipu);
    // The text was parsed before it was stored.
    let Some(Ok(record)) = block.records().next() else { return Err(Problem::new(problem::ARCHIVE)) };
    Ok(make(&LiveGame { card: live.into(), text, record: records::Record(&record) }))
}

/// The problem of a game that does not exist.
pub(super) fn missing(number: Number) -> Problem {
    Problem::variant(problem::NOT_FOUND, "live").with("found", number)
}
