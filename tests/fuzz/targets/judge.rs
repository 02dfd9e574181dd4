//! The target `judge`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_differential::targets::judge;

fuzz_target!(|bytes: &[u8]| judge(None, bytes));
