//! Tests of rules, reader, formats, fixtures and tables, as one program: `cargo test -p quipu-tests-core --test core corpus`
//! runs one module. `tests/README.md` says where a new test goes.

mod brandubh;
mod competition;
mod contract;
mod corpus;
mod forms;
mod merge;
mod pastores;
mod properties;
mod querni;
mod reading;
mod repair;
mod same_game;
mod scoring;
mod sources;
mod streaming;
mod suggestions;
mod symmetries;
