//! Fails what an archive on PostgreSQL runs on, and looks for lost and repeated changes: `failover [COUNT] [CLIENTS]`, 100 and
//! 64 unless said.
//!
//! Two services share a primary with a synchronous standby, in temporary folders. Clients submit records and create tournaments
//! with idempotency keys, and repeat each request at the other service until it has its response. Then they read the change at the
//! other service, with the header `Quipu-After-Change`.
//!
//! | phase | failures |
//! | --- | --- |
//! | `primary` | the primary is stopped at once, killed, or frozen; the standby is promoted, and the old primary made its standby. A frozen one wakes up before that, and is a second primary for a while |
//! | `service` | a service is killed and started again, or paused for longer than its turn to write, and wakes up |
//! | `network` | a tenth as often, a network namespace with a service, or both, is cut off from the database, where the system allows namespaces |
//!
//! In the end every request has had its response and was shown its change by the other service, each acknowledged change is there once and with its number, there are no others,
//! and `quipu archive check` finds nothing wrong. The times until writes go on are printed with the goal beside them, and fail
//! nothing.

mod load;
mod network;
mod primary;
mod service;
mod services;

use std::env;

use fastrand::Rng;
use quipu_tests_service::generator::Generator;

fn main() {
    let mut words = env::args().skip(1).peekable();
    let is_inside = words.next_if(|word| word == network::INSIDE).is_some();
    let mut numbers = words.map(|word| word.parse::<usize>().expect("a number"));
    let [count, clients] = [100, 64].map(|usual| numbers.next().unwrap_or(usual));
    let (generator, mut random) = (Generator::new(), Rng::with_seed(1532));
    if is_inside {
        network::run(&generator, &mut random, count, clients);
        return;
    }
    primary::run(&generator, &mut random, count, clients);
    service::run(&generator, &mut random, count, clients);
    network::start(count, clients);
}
