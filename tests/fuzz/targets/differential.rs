//! The target `differential`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_differential::targets::differential;

fuzz_target!(|bytes: &[u8]| differential(bytes));
