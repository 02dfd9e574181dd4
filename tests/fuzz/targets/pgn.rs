//! The target `pgn`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_differential::targets::{Format, read};

fuzz_target!(|bytes: &[u8]| read(Some(Format::Pgn), bytes));
