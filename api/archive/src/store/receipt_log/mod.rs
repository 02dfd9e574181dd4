//! The receipt log: a leaf for each stored verdict, written in the same transaction. [`crate::receipts`] defines the texts that are
//! hashed and signed.
//!
//! The row of a leaf has the nodes of the tree that it completes. So adding one is one row at the end of a table, and root and
//! proofs are found with a few rows.
//!
//! | file | contents |
//! | --- | --- |
//! | `entry` | rows of the log and nodes of its tree; `ReadTx`: `receipts` |
//! | `append` | receipts of a transaction, hashed together and appended |
//! | `issue` | the receipt of a verdict, in a write transaction |
//! | `keys` | keys that have signed; `ReadTx`: `keys` |
//! | `heads` | signed heads; `ReadTx`: `has_had` |
//! | `pinned_head` | the last signed head, in a file beside the key |
//! | `sign` | the key in use, and when heads are signed |
//! | `read` | `ReadTx`: `receipt`, `signed_head`, `consistency` |
//! | `rotate` | `Store`: `signer`, `unlock`, `rotate`, `reset_key`, `sign_pending` |
//! | `check` | all receipts, nodes, heads and keys checked |

mod append;
mod check;
mod entry;
mod heads;
mod issue;
mod keys;
mod pinned_head;
mod read;
mod rotate;
mod sign;

pub(super) use append::PendingEntry;
pub use sign::Signer;
pub(super) use sign::{HeadSchedule, LogSigner, sign_head};
