//! Files of an archive: names, ownership, and the check that protects them from outputs of commands. No SQL: an archive is
//! recognized by the mark in the header of its database.
//!
//! ```
//! use quipu_files::{ArchiveFile, create_private, create_private_folder, names};
//!
//! let parent = tempfile::tempdir()?;
//! let folder = parent.path().join("archive");
//! create_private_folder(&folder)?;
//! create_private(&folder.join(names::KEY))?;
//!
//! // No output may replace the key.
//! let role = ArchiveFile::at(&folder.join(names::KEY), Some(&folder))?;
//! assert_eq!(role, Some(ArchiveFile::Companion));
//! assert_eq!(ArchiveFile::at(&folder.join("games.quipu"), Some(&folder))?, None);
//! # Ok::<(), std::io::Error>(())
//! ```

mod archive_file;
pub mod names;
mod ownership;

pub use archive_file::{ArchiveFile, followed, has_mark};
pub use ownership::{create_private, create_private_folder, owner_of_folder, regular};
