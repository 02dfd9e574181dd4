//! The target `position`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_differential::targets::position;

fuzz_target!(|bytes: &[u8]| position(bytes));
