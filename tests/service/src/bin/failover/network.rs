//! Partitions between services and database. Each service is in a network namespace of its own, with one link to the database
//! and another to the clients; a link that is down loses packets without a word, as a failed switch does.

use std::{
    env, fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_tests_service::{generator::Generator, postgres::Postgres, program};

use crate::{
    load::{self, Load},
    services::Services,
};

/// The first argument of this program inside of its namespace.
pub(crate) const INSIDE: &str = "inside";
/// Milliseconds of a partition, at most.
const PARTITION: u64 = 6_000;

/// Runs this phase in a network namespace, in which nothing of the machine's own network can be changed.
pub(crate) fn start(count: usize, clients: usize) {
    let unshare = |program: &str| {
        let mut command = Command::new("unshare");
        if !rustix::process::geteuid().is_root() {
            command.args(["--user", "--map-current-user", "--keep-caps"]);
        }
        command.args(["--net", program]);
        command
    };
    let made = unshare("true").stderr(Stdio::null()).status();
    if !made.is_ok_and(|made| made.success()) {
        println!("network: left out, since this system lets nobody make a network namespace");
        return;
    }
    let own = env::current_exe().expect("it has a path");
    let numbers = [count.div_ceil(10), clients].map(|number| number.to_string());
    let done = unshare(own.to_str().expect("UTF-8")).arg(INSIDE).args(numbers).status().expect("it runs");
    assert!(done.success(), "{done}");
}

/// The network namespace of a service. It ends with a process that does nothing.
struct Namespace {
    process: Child,
    number: usize,
}

impl Namespace {
    /// Makes one with both links: the address of the database is `10.1.N.1` in it, its own for clients `10.2.N.2`.
    fn new(number: usize) -> Self {
        let mut process = Command::new("unshare");
        let process = process.args(["--net", "sleep", "infinity"]).spawn().expect("unshare runs");
        let made = Self { process, number };
        let of = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).expect("it runs");
        let (own, other) = (of("self"), made.process.id().to_string());
        while of(&other) == own {
            thread::sleep(Duration::from_millis(1));
        }
        made.run("ip", &["link", "set", "lo", "up"]);
        for (link, network) in [("database", 1), ("clients", 2)] {
            let here = format!("{link}{number}");
            ip(&["link", "add", &here, "type", "veth", "peer", "name", link, "netns", &other]);
            ip(&["address", "add", &format!("10.{network}.{number}.1/24"), "dev", &here]);
            ip(&["link", "set", &here, "up"]);
            made.run("ip", &["address", "add", &format!("10.{network}.{number}.2/24"), "dev", link]);
            made.run("ip", &["link", "set", link, "up"]);
        }
        made
    }

    /// A command in it.
    fn command(process: u32, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{process}/ns/net")).arg(program);
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let status = Self::command(self.process.id(), program).args(arguments).status().expect("nsenter runs");
        assert!(status.success(), "{program} {arguments:?}: {status}");
    }

    /// Cuts it off from the database, or connects it again.
    fn connect(&self, connected: bool) {
        ip(&["link", "set", &format!("database{}", self.number), if connected { "up" } else { "down" }]);
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn ip(arguments: &[&str]) {
    let status = Command::new("ip").args(arguments).status().expect("iproute2 is installed");
    assert!(status.success(), "ip {arguments:?}: {status}");
}

/// Cuts services off so often. Runs in a namespace.
pub(crate) fn run(generator: &Generator, random: &mut Rng, count: usize, clients: usize) {
    let begun = Instant::now();
    ip(&["link", "set", "lo", "up"]);
    let namespaces = [0, 1].map(Namespace::new);
    let primary = Postgres::start_for_network("10.0.0.0/8");
    let processes = namespaces.each_ref().map(|namespace| namespace.process.id());
    // One text for both: it names the address in each namespace, of which the other is unreachable.
    let port = primary.port();
    let database = format!("postgres://quipu@10.1.0.1:{port},10.1.1.1:{port}/postgres");
    let services = Services::start_by(&database, &primary.address(), move |service| {
        let path = program::path().to_str().expect("UTF-8");
        (Namespace::command(processes[service], path), format!("10.2.{service}.2:0"))
    });
    let load = Load::new(services.addresses.each_ref().map(|address| &**address), &services.token, generator);
    let mut longest = Duration::ZERO;
    let all = load.beside(clients, || {
        for partition in 0..count {
            load.wait_beyond(load.acknowledged(None) + random.usize(..200), None);
            // One, the other, both.
            let cut: Vec<_> = [0, 1].into_iter().filter(|service| partition % 3 != *service).collect();
            for service in &cut {
                namespaces[*service].connect(false);
            }
            if let [service] = cut[..] {
                let other = 1 - service;
                longest = longest.max(load.wait_beyond(load.acknowledged(Some(other)), Some(other)));
            }
            thread::sleep(Duration::from_millis(random.u64(500..PARTITION)));
            for service in &cut {
                namespaces[*service].connect(true);
            }
            for service in cut {
                load.wait_beyond(load.acknowledged(Some(service)), Some(service));
            }
        }
    });
    let (changes, repeated) = (all.len(), load.repeated());
    load::verify(services, &primary.address(), &all);
    println!(
        "network: cut {count} times in {:.0} s beside {clients} clients; {changes} acknowledged changes, all there once, {repeated} \
         requests repeated; the other service went on within {} ms",
        begun.elapsed().as_secs_f64(),
        longest.as_millis()
    );
}
