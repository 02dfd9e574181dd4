//! The target `read`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_differential::targets::read;

fuzz_target!(|bytes: &[u8]| read(None, bytes));
