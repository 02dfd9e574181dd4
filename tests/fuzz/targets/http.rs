//! The target `http`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quipu_tests_service::requests::answer;

fuzz_target!(|bytes: &[u8]| answer(bytes));
