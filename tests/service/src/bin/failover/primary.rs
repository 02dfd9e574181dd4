//! Failures of the primary.

use std::{
    mem, thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_tests_service::{generator::Generator, postgres::Postgres};

use crate::{
    load::{self, Load},
    services::Services,
};

/// Failures before an archive is checked as a whole and another is begun.
const EACH: usize = 24;
/// Goal of the time from the order to promote a standby to the first acknowledged change, in milliseconds.
const GOAL: u128 = 1_000;

/// A kind of failure.
#[derive(Clone, Copy)]
enum Kind {
    /// `pg_ctl stop -m immediate`.
    Stopped,
    /// SIGKILL.
    Killed,
    /// SIGSTOP, and SIGCONT when the standby has been promoted.
    Frozen,
}

const KINDS: [(&str, Kind); 3] =
    [("stopped at once", Kind::Stopped), ("killed", Kind::Killed), ("frozen", Kind::Frozen)];

/// Fails primaries so often.
pub(crate) fn run(generator: &Generator, random: &mut Rng, count: usize, clients: usize) {
    let begun = Instant::now();
    let mut times = [const { Vec::new() }; KINDS.len()];
    let (mut left, mut acknowledged, mut repeated) = (count, 0, 0);
    while left > 0 {
        let now = left.min(EACH);
        let primary = Postgres::start();
        let standby = primary.standby();
        let database = format!("postgres://quipu@{},{}/postgres", primary.host(), standby.host());
        let services = Services::start(&database);
        let load = Load::new(services.addresses.each_ref().map(|address| &**address), &services.token, generator);
        let mut pair = [primary, standby];
        let all = load.beside(clients, || {
            for failure in 0..now {
                let kind = (count - left + failure) % KINDS.len();
                times[kind].push(fail(&mut pair, KINDS[kind].1, &load, random));
            }
        });
        acknowledged += all.len();
        repeated += load.repeated();
        load::verify(services, &database, &all);
        left -= now;
    }
    println!(
        "primary: failed {count} times in {:.0} s beside {clients} clients; {acknowledged} acknowledged changes, all there once, \
         {repeated} requests repeated",
        begun.elapsed().as_secs_f64()
    );
    println!();
    println!(
        "| the primary was | times | first change after the promotion began, median (goal: {GOAL} ms) | last | within the goal |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    for ((name, _), mut times) in KINDS.into_iter().zip(times) {
        times.sort_unstable();
        let Some(last) = times.last() else { continue };
        let within = times.iter().filter(|time| time.as_millis() <= GOAL).count();
        let median = times[times.len() / 2];
        println!("| {name} | {} | {} ms | {} ms | {within} |", times.len(), median.as_millis(), last.as_millis());
    }
    println!();
}

/// Fails the primary, promotes its standby, and makes the old primary the standby of the new one. Returns the time from the
/// order to promote to the first acknowledged change.
fn fail(pair: &mut [Postgres; 2], kind: Kind, load: &Load<'_>, random: &mut Rng) -> Duration {
    let [primary, standby] = &*pair;
    load.wait_beyond(load.acknowledged(None) + random.usize(..200), None);
    thread::sleep(Duration::from_millis(random.u64(..300)));
    match kind {
        Kind::Stopped => primary.kill(),
        Kind::Killed => primary.crash(),
        Kind::Frozen => primary.freeze(),
    }
    // Responses that were under way, and the time until somebody notices.
    thread::sleep(Duration::from_millis(random.u64(200..1_000)));
    let (before, begun) = (load.acknowledged(None), Instant::now());
    standby.begin_promotion();
    load.wait_beyond(before, None);
    let time = begun.elapsed();
    if matches!(kind, Kind::Frozen) {
        primary.thaw();
        thread::sleep(Duration::from_millis(random.u64(..500)));
        primary.crash();
    }
    standby.wait_until("SELECT pg_is_in_recovery()", "f");
    primary.follow(standby);
    standby.wait_for_standby();
    let [primary, standby] = pair;
    mem::swap(primary, standby);
    time
}
