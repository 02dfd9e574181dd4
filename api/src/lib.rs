//! The archive of quipu and its HTTP service.
//!
//! [`store`] keeps what was handed in, and alone speaks SQL; [`archive`] says what is kept, without SQL and without
//! HTTP; [`receipts`] are what is signed of it; [`http`] serves it; [`pictures`] draws boards, games and verdicts. Rules are judged in `quipu-referee`, terminals and files of records are for the program.

pub mod archive;
pub mod files;
pub mod http;
pub mod pictures;
pub mod receipts;
pub mod report;
pub mod settings;
pub mod store;
