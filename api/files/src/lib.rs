//! Files of an archive: names, ownership, and the check that keeps outputs of commands away from them. No SQL: an
//! archive is known by the mark in the header of its file.

mod archive_file;
pub mod names;
mod ownership;

pub use archive_file::{ArchiveFile, followed, has_mark};
pub use ownership::{create_private, create_private_folder, owner_of_folder, regular};
