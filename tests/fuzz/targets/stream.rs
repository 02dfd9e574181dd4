//! The target `stream`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_differential::targets::stream;

fuzz_target!(|bytes: &[u8]| stream(bytes));
