//! The data of the archive: submissions and verdicts, changes with their authors and reasons, and the cards of lists. No SQL
//! and no HTTP.

mod card;
mod change;
mod facts;
mod live;
mod replayed_game;
mod score_address;
mod submission;
mod token;
mod tokenize;
mod tournament;
mod verdict;
mod webhook;

pub use card::{Card, RecordState, Source};
pub use change::{Attribution, Change, ChangeKind, UnfitText};
pub use facts::Facts;
pub use live::{Clocks, Draft, Live};
pub(crate) use replayed_game::{PlayedGame, ReplayedGame};
pub use score_address::{ScoreAddress, players_text};
pub use submission::{SingleRecord, Submission};
pub use token::{StoredToken, TokenLimit, TokenText};
pub(crate) use tokenize::{PART_LETTERS, name_words, suffixes, words};
pub use tournament::{Creation, TournamentSteps};
pub use verdict::{Judgement, SignedVerdict, StoredDiagnostic};
pub(crate) use verdict::{read_points, write_points};
pub use webhook::{Delivery, DeliveryFailure, EventType, Webhook, WebhookSecret, WebhookState};

/// Number of a change, from 1: the order of entry. A record has the number of the change that added it.
pub type Number = i64;

/// SHA-256 of the canonical text of a record, or of its bytes if it cannot be read as a record of a known game.
pub type Id = [u8; 32];
