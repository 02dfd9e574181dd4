//! Any request to the service gets an answer: the corpus of the fuzz target `http`, and five seconds of damage to it. The others are in `tests/differential`.

use std::time::Duration;

use quipu_differential::throw;
use quipu_tests_service::requests::answer;

#[test]
fn any_request_has_an_answer() {
    let count = throw("http", answer, Duration::from_secs(5));
    println!("http: {count} inputs");
}
