//! The target `read`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_judges::targets::read;

fuzz_target!(|bytes: &[u8]| read(None, bytes));
