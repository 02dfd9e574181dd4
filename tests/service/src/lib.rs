//! Shared by the tests of the program and the service: how they are started, asked and filled. All that the tests of the
//! core share is here too.

pub mod browser;
pub mod costly;
pub mod eventful;
pub mod generated;
pub mod program;
pub mod requests;
pub mod served;
pub mod server;

pub use quipu_tests_core::*;
