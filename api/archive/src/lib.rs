//! The archive: records, changes, receipts, and the SQLite file or PostgreSQL database that contains them.
//!
//! [`model`] defines the data without SQL. [`store`] reads and writes it, and is the only module that contains SQL.
//! [`receipts`] are signed statements about it. Nothing here depends on HTTP: the manifest names no crate for it.
//!
//! ```
//! use quipu_archive::{
//!     model::{Attribution, Submission},
//!     store::{Added, Filter, Store, StoreError},
//! };
//! use quipu_notation::record::Format;
//!
//! let folder = tempfile::tempdir().expect("a folder");
//! let store = Store::open(folder.path())?;
//!
//! let text = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Bo\"]\n[Result \"1-0\"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n";
//! let submission = Submission::again(text.as_bytes(), Format::Quipu).expect("a record");
//! let (id, by) = (submission.id, Attribution { submitter: "example".to_owned(), author: None, reason: None });
//! let added = store.write(move |tx| tx.add(&submission, &by, false)).wait()?;
//! assert_eq!(added, Added::New(1));
//!
//! let card = store.read(|tx| tx.card(&id))?.expect("it is stored");
//! assert_eq!(card.result.as_deref(), Some("1-0"));
//! let page = store.read(|tx| tx.cards(&Filter::default(), None, 10))?;
//! assert_eq!(page.items, [card]);
//! store.close()?;
//! # Ok::<(), StoreError>(())
//! ```

pub mod model;
pub mod receipts;
pub mod report;
pub mod store;
