//! Shared by the tests of the program and the service: how they are started, asked and filled. All that the tests of the
//! core share is here too.

pub mod browser;
pub mod engine;
pub mod generator;
pub mod large_records;
pub mod measure;
pub mod postgres;
pub mod program;
pub mod relay;
pub mod requests;
pub mod sample_archive;
pub mod server;
pub mod sheet_codes;
pub mod spawned_server;
pub mod tables;
pub mod tools;

pub use quipu_tests_core::*;
