//! Exchange: tournament report files of FIDE, tables as CSV, and workbooks of Excel.

pub mod csv;
pub mod trf;
#[cfg(feature = "spreadsheets")]
pub mod xlsx;
