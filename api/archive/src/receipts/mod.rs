//! Receipts: signed verdicts in an append-only receipt log. The signed texts, the documents that contain them, keys, and a check
//! that needs nothing but the documents. No SQL and no HTTP.
//!
//! `docs/receipts.md` defines the format byte by byte. A change here is another format, and needs another first line of the
//! signed text.

mod check;
mod document;
mod hex;
mod keys;
pub mod merkle;
mod signed_text;

pub use check::{Comparison, Flaw, TrustedKeys};
pub use document::{Consistency, Key, Keys, Receipt, SignedHead};
pub use hex::Hex;
pub use keys::{KeyError, PublicKey, SIGNATURE_BYTES, SecretKey, rename, write_private};
pub use merkle::Hash;
pub use signed_text::{Head, Leaf, Succession, time};
