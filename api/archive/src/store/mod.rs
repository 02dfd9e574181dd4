//! The archive in a SQLite file or a PostgreSQL database. Only this folder contains SQL, and only `database` names an engine.
//!
//! One writer thread groups waiting jobs into transactions; a pool of connections reads. Base tables only grow: [`WriteTx`]
//! appends to them. Derived tables (lists, counts, ratings, the search index) are updated with each change and can be rebuilt
//! from the changes at any time.
//!
//! The methods of [`Store`], [`ReadTx`] and [`WriteTx`] are defined in the file of their subject:
//!
//! | file | contents |
//! | --- | --- |
//! | `archive` | `Store`: `close`, `read`, `write`, `observe`, `version`, `check_ready` |
//! | `open` | `Store`: `open`, `open_existing`, `serve_lock` |
//! | `writer` | the writer thread and its group commit |
//! | `read_tx` | `ReadTx` and the pool of connections that read |
//! | `write_tx` | `WriteTx`: savepoints and panics of a job |
//! | `changes` | `WriteTx`: `add`, `correct`, `retract`, `merge`, `undo`, `judge` |
//! | `prefetch` | `WriteTx`: `prefetch`, the lookups of jobs that wait |
//! | `tx_cache` | rows that a write transaction has looked up, or knows to be absent |
//! | `records` | `ReadTx`: `find`, `card`, `cards`, `count`, `size`, `source`, `judgement`, `export`, `totals` |
//! | `filter`, `query`, `query_source` | filters, orders and cursors of lists of records; their SQL; the index that each reads |
//! | `history` | `ReadTx`: `history`, `changes`, `last_change` |
//! | `change_filter` | `ReadTx`: `changes_about`, `next_change` |
//! | `neighbours` | `ReadTx`: `neighbours` |
//! | `players` | `ReadTx`: `player`, `player_named`, `find_player`, `also`, `likely_same`, `players` |
//! | `counted_games` | `ReadTx`: `players_of_game`, `each_game` |
//! | `rankings` | `ReadTx`: `ratings`, `ranking`, `levels` |
//! | `events` | `ReadTx`: `events`, `events_named`, `event`, `event_named`, `find_event`, `event_span`, `event_players`, `games_played`, `entries` |
//! | `sheets` | `ReadTx`: `relations`, `sheet_of`, `sheets`, `sheets_in`, `contradicted`, `contradictions` |
//! | `positions` | the index of positions; `ReadTx`: `position_games` |
//! | `live` | `ReadTx` and `WriteTx`: games in progress |
//! | `tokens` | `ReadTx` and `WriteTx`: tokens |
//! | `tournaments` | `ReadTx`: `tournament`, `unbound_tournament`, `tournaments`, `tournament_named`, `tournament_steps`, `tournament_changes` |
//! | `tournament_changes` | `WriteTx`: `create_tournament`, `change_tournament` |
//! | `webhooks` | `ReadTx` and `WriteTx`: webhooks and deliveries; `Store`: `is_shared` |
//! | `idempotency` | `WriteTx`: `recall`, `remember` |
//! | `receipt_log` | `ReadTx`: `receipts`, `receipt`, `signed_head`, `has_had`, `consistency`, `keys`; `Store`: `unlock`, `signer`, `sign_pending`, `rotate`, `reset_key` |
//! | `projections` | derived tables from changes |
//! | `search_index` | the full-text index and `TextFilter` |
//! | `deferred` | writes deferred to the end of a transaction |
//! | `statements` | prepared inserts of a transaction |
//! | `rejudge`, `reverify` | stored records judged again; `Store`: `reverify` |
//! | `check`, `fault` | `Store`: `check`, and the faults that it finds |
//! | `copy` | `Store`: `copy_to` |
//! | `checksum` | `ReadTx`: `digest` of the derived tables |
//! | `rebuild`, `backup`, `merge_index` | `Store`: the methods of these names |
//! | `progress` | progress of operations on a whole archive |
//! | `change_counter` | a number that changes whenever the archive may have |
//! | `database` | connections, statements, rows and values; all that is of one database engine |
//! | `schema`, `migrate` | base tables, their version, and migrations |
//! | `record_rows`, `rows` | rows of tables as Rust types |
//! | `listing`, `names` | pages of lists, and searches for names |
//! | `error` | `StoreError` |

mod archive;
mod backup;
mod change_counter;
mod change_filter;
mod changes;
mod check;
mod checksum;
mod copy;
mod counted_games;
mod database;
mod deferred;
mod error;
mod events;
mod fault;
mod filter;
mod history;
mod idempotency;
mod listing;
mod live;
mod merge_index;
mod migrate;
mod names;
mod neighbours;
mod open;
mod players;
mod positions;
mod prefetch;
mod progress;
mod projections;
mod query;
mod query_source;
mod rankings;
mod read_tx;
mod rebuild;
mod receipt_log;
mod record_rows;
mod records;
mod rejudge;
mod reverify;
mod row_cache;
mod rows;
mod schema;
mod search_index;
mod sheets;
mod statements;
mod tokens;
mod tournament_changes;
mod tournaments;
mod tx_cache;
mod webhooks;
mod write_tx;
mod writer;

pub use archive::Store;
pub use backup::BackupSummary;
pub use change_filter::{ChangeFilter, NextChange};
pub use changes::{Added, Refusal};
pub use check::CheckSummary;
pub use checksum::Digest;
pub use copy::CopySummary;
pub use counted_games::CountedGame;
#[cfg(feature = "postgres")]
pub use database::postgres::address::Address;
pub use error::StoreError;
pub use events::{Event, EventCursor, EventSpan};
pub use fault::ArchiveFault;
pub use filter::{Filter, RecordOrder};
pub use history::History;
pub use idempotency::IdempotencyLookup;
pub use listing::{ListPage, cursor_of, cursor_text};
pub use live::{LiveOfEvent, LiveRefusal};
pub use names::NameFilter;
pub use neighbours::Neighbours;
pub use open::ServeLock;
pub use players::{Person, PlayerCursor};
pub use positions::{GameAtPosition, NextMove, PositionGames, PositionTotals};
pub use prefetch::Lookups;
pub use progress::{Progress, Step};
pub use query::Cursor;
pub use rankings::{RankCursor, Ranked, Reached, WinCursor};
pub use read_tx::{AutocommitRead, ReadTx};
pub use rebuild::RebuildSummary;
pub use receipt_log::Signer;
pub use records::{Count, LimitedSource, Size, Total};
pub use reverify::{ChangedVerdict, ReverifySummary};
pub use search_index::TextFilter;
pub use sheets::{Contradiction, RecordId, Relations};
pub use tokens::{TokenCursor, TokenRefusal};
pub use tournaments::{ListedTournament, StoredTournament, TournamentChange};
pub use webhooks::{Settled, WebhookRefusal};
pub use write_tx::WriteTx;
pub use writer::{Observer, Pending};
