//! Fuzz target `http`: random requests to the whole service.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_tests_service::requests::answer;

fuzz_target!(|bytes: &[u8]| answer(bytes));
