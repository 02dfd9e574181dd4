//! Tournament report files of FIDE, editions 2016 and 2026.
//!
//! Import and export lose nothing for which the format has a field. The report names everything else: legs and points of
//! encounters, clubs, ids of records and, in the edition of 2016, tie-breaks and byes of rounds to come.
//!
//! Absences without points before a player's first round read back as a late entry: the format does not tell them apart.
//!
//! Extensions that pairing programs agree on stand in for fields that the edition of 2016 lacks: `XXR` for the number of
//! rounds, `XXC` for the initial side, `XXP` for forbidden pairs, `XXA` for virtual points.

mod cell;
mod read;
mod write;

pub use read::read;
pub use write::write;

/// An edition of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// TRF16 with extensions.
    Trf16,
    /// TRF26.
    Trf26,
}
