//! Failures of a service.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_tests_service::{generator::Generator, postgres::Postgres};

use crate::{
    load::{self, Load},
    services::Services,
};

/// Failures before an archive is checked as a whole and another is begun.
const EACH: usize = 50;
/// Milliseconds of a pause, at most. A turn to write ends after 1500.
const PAUSE: u64 = 2_500;

/// Kills and pauses services so often.
pub(crate) fn run(generator: &Generator, random: &mut Rng, count: usize, clients: usize) {
    let begun = Instant::now();
    let (mut left, mut acknowledged, mut longest) = (count, 0, Duration::ZERO);
    while left > 0 {
        let now = left.min(EACH);
        let primary = Postgres::start();
        let _standby = primary.standby();
        let database = primary.address();
        let mut services = Services::start(&database);
        // The clients look the addresses up while services start again.
        let addresses = [0, 1].map(|service| Arc::clone(&services.addresses[service]));
        let token = services.token.clone();
        let load = Load::new(addresses.each_ref().map(|address| &**address), &token, generator);
        let all = load.beside(clients, || {
            for failure in 0..now {
                let (service, other) = (failure / 2 % 2, 1 - failure / 2 % 2);
                load.wait_beyond(load.acknowledged(Some(service)) + random.usize(..100), Some(service));
                let is_paused = failure % 2 == 1;
                if is_paused {
                    services.pause(service);
                } else {
                    services.kill(service);
                }
                // The other goes on.
                longest = longest.max(load.wait_beyond(load.acknowledged(Some(other)), Some(other)));
                thread::sleep(Duration::from_millis(random.u64(..PAUSE)));
                if is_paused {
                    services.resume(service);
                } else {
                    services.restart(service);
                }
                load.wait_beyond(load.acknowledged(Some(service)), Some(service));
            }
        });
        acknowledged += all.len();
        load::verify(services, &database, &all);
        left -= now;
    }
    println!(
        "service: killed or paused {count} times in {:.0} s beside {clients} clients; {acknowledged} acknowledged changes, all there \
         once; the other service went on within {} ms",
        begun.elapsed().as_secs_f64(),
        longest.as_millis()
    );
}
