//! Derived tables, as projections of the changes. A change costs the same however large the archive is, and all tables can be
//! rebuilt from the changes.
//!
//! | file | contents |
//! | --- | --- |
//! | `change_effect` | a change as the projections take it |
//! | `projector` | connection, prepared inserts and deferred writes of a projection |
//! | `apply` | the effect of one change |
//! | `cards` | the row of each record in lists, its state, and totals |
//! | `players`, `events` | names, merges, and the records of each |
//! | `name_words` | words by which a search finds names |
//! | `sheets` | sheets of one game, of which one counts |
//! | `entries` | games that count, and the bonuses of encounters |
//! | `ratings` | sums, level and rank of a player in a game |
//! | `prefetch` | lookups of records that are about to be added |
//! | `stored_changes` | the effects of changes whose rows are stored |
//! | `rebuild` | all tables from all changes |

mod apply;
mod cards;
mod change_effect;
mod entries;
mod events;
mod name_words;
mod players;
mod prefetch;
mod projector;
mod ratings;
mod rebuild;
mod sheets;
mod stored_changes;

pub(super) use change_effect::{ChangeEffect, NewRecord};
pub(super) use entries::{entry_row, parse_start};
pub(super) use prefetch::first_column;
pub(super) use projector::Projector;
pub(super) use ratings::{RatingDelta, RatingDeltas, add_to_ratings};
pub(super) use rebuild::{TABLES, build, create, rebuild, replace};
pub(super) use stored_changes::{apply_stored, page_end};
