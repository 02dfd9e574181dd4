//! Exchange: tournament report files of FIDE, and tables as CSV.

pub mod csv;
pub mod trf;
