//! The model: settings, players, rounds, results, and the changes that make them.

mod apply;
mod change;
mod check;
mod player;
mod result;
mod settings;
mod tournament;

pub use change::Change;
pub use check::{MAX_RATING, MAX_TEXT};
pub use player::{Bye, Entrant, MAX_PLAYERS, Player, PlayerId};
pub use result::{Board, EncounterResult, GameOutcome, GameResult, Origin, Tally};
pub(crate) use settings::side_number;
pub use settings::{About, Encounter, MAX_GAMES, MAX_ROUNDS, System, TIME_CONTROL, TournamentSettings};
pub use tournament::{Round, RoundGame, Slot, Tournament};
