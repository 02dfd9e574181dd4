//! The target `judges`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_judges::targets::judges;

fuzz_target!(|bytes: &[u8]| judges(bytes));
