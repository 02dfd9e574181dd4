//! Upload of the record files that arrive in a folder to a service of quipu, once each.
//!
//! [`Folder`] finds the files that have arrived, [`parts`](parts()) divides long ones between records, [`Client`] sends them,
//! and [`Journal`] remembers the contents that the service has confirmed. A record that is sent twice is stored once,
//! because the service knows it by its id: a crash or a lost response at any moment is harmless.

mod client;
mod folder;
mod journal;
mod parts;
mod reply;
mod uploader;

pub use client::{AddressError, Client};
pub use folder::{Folder, Skipped};
pub use journal::{Journal, JournalError};
pub use parts::parts;
pub use reply::{Cause, Counts, Failure, Problem, RefusedRecord, Reply};
pub use uploader::{Event, UploadError, UploadOptions, Uploader};
