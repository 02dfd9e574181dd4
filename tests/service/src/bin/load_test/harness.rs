//! Shared by all phases: the service under test, its memory, latencies, and requests that are answered whole.

use std::{
    fs,
    process::{self, Command},
    time::{Duration, Instant},
};

use quipu_tests_service::{
    generator::Generator,
    program,
    spawned_server::{self, SpawnedServer},
};
use tempfile::TempDir;
use ureq::Agent;

/// Games in the archive before.
pub(crate) const GAMES: usize = 2_000;
/// MiB of resident memory that the service may take, at most.
pub(crate) const MEMORY: u64 = 768;
/// Time after which a request without an answer is taken for one that hangs.
pub(crate) const HANG: Duration = Duration::from_secs(60);
/// Bytes of a block that goes back to the system when it is freed, as `docs/operations.md` says for small machines.
const SMALL_MACHINE: &str = "131072";
/// The unit tells the C library to let go of memory that is not used; the service is measured as it runs there.
const UNIT: &str = include_str!("../../../../../docs/operations/quipu.service");

/// A folder with an archive, and the service on it.
pub(crate) struct Harness {
    pub(crate) generator: Generator,
    pub(crate) folder: TempDir,
}

impl Harness {
    /// An archive of generated games.
    pub(crate) fn new() -> Self {
        let harness = Self::empty();
        let games = (0..GAMES).map(|number| harness.generator.record(number));
        spawned_server::import(program::path(), harness.folder.path(), games);
        harness
    }

    /// A folder without an archive.
    pub(crate) fn empty() -> Self {
        Self { generator: Generator::new(), folder: tempfile::tempdir().expect("a folder") }
    }

    /// The service with rates that let everything pass.
    pub(crate) fn serve(&self, options: &[&str]) -> SpawnedServer {
        SpawnedServer::start_by(command(), self.folder.path(), options)
    }

    /// The service with such rates, and with the setting of small machines, which returns freed memory to the system.
    pub(crate) fn serve_on_small_machine(&self, options: &[&str]) -> SpawnedServer {
        let mut command = Command::new(program::path());
        command.env("MALLOC_MMAP_THRESHOLD_", SMALL_MACHINE);
        SpawnedServer::start_by(command, self.folder.path(), options)
    }

    /// The service as it is by default, but for some options.
    pub(crate) fn serve_by_default(&self, options: &[&str]) -> SpawnedServer {
        SpawnedServer::start_by_default(command(), self.folder.path(), options)
    }
}

fn command() -> Command {
    let mut command = Command::new(program::path());
    let variables = UNIT.lines().filter_map(|line| line.strip_prefix("Environment=")?.split_once('='));
    command.envs(variables.filter(|(name, _)| name.starts_with("MALLOC_")));
    command
}

/// Times of requests.
#[derive(Clone, Default)]
pub(crate) struct Latencies {
    times: Vec<Duration>,
}

impl Latencies {
    pub(crate) fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.times.extend(other.times);
    }

    pub(crate) fn count(&self) -> usize {
        self.times.len()
    }

    /// Milliseconds within which so many of a hundred requests were answered.
    pub(crate) fn percentile(&mut self, hundredths: usize) -> f64 {
        self.times.sort_unstable();
        let at = (self.times.len() * hundredths / 100).min(self.times.len().saturating_sub(1));
        self.times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }
}

/// A client that gives up a request that hangs.
pub(crate) fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).timeout_global(Some(HANG)).build().new_agent()
}

/// A client of streams that last as long as the service.
pub(crate) fn listener() -> Agent {
    Agent::config_builder().timeout_recv_response(Some(HANG)).build().new_agent()
}

/// The status of an answer and how long it took to come whole; nothing if there was none.
pub(crate) fn get(agent: &Agent, address: &str, path: &str) -> Option<(u16, Duration)> {
    let begun = Instant::now();
    let mut response = agent.get(format!("http://{address}{path}")).call().ok()?;
    std::io::copy(&mut response.body_mut().as_reader(), &mut std::io::sink()).ok()?;
    Some((response.status().as_u16(), begun.elapsed()))
}

/// The median of a small request when nobody else asks, in milliseconds.
pub(crate) fn unloaded(address: &str) -> f64 {
    let (agent, mut latencies) = (agent(), Latencies::default());
    for _ in 0..50 {
        let (status, took) = get(&agent, address, "/v1/records?limit=10").expect("an answer");
        assert_eq!(status, 200);
        latencies.add(took);
    }
    latencies.percentile(50)
}

/// Resident memory of a process in MiB; nothing if it has ended.
pub(crate) fn resident(process: u32) -> Option<u64> {
    memory(process, "VmRSS:")
}

/// The same at its peak.
pub(crate) fn peak(process: u32) -> Option<u64> {
    memory(process, "VmHWM:")
}

fn memory(process: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib / 1024)
}

/// Time that a process has had a processor; nothing if it has ended.
pub(crate) fn processor_time(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything; user and system time are the 12th and 13th after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().ok());
    Some(Duration::from_millis(ticks.sum::<Option<u64>>()? * 10))
}

/// Memory that the kernel holds for TCP, of all programs, in MiB.
pub(crate) fn kernel_memory() -> u64 {
    let told = fs::read_to_string("/proc/net/sockstat").unwrap_or_default();
    let pages = told.lines().find_map(|line| line.strip_prefix("TCP:")?.split_once(" mem "));
    pages.and_then(|(_, pages)| pages.trim().parse::<u64>().ok()).map_or(0, |pages| pages * 4 / 1024)
}

/// Lets this process, and those that it starts, have so many files open.
///
/// # Panics
/// If the system allows fewer.
pub(crate) fn allow_open_files(count: usize) {
    let own = process::id().to_string();
    let raised = Command::new("prlimit").args(["--pid", &own, &format!("--nofile={count}:")]).status();
    let is_raised = raised.is_ok_and(|raised| raised.success());
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap_or_default();
    let soft = line.split_whitespace().next().and_then(|soft| soft.parse().ok()).unwrap_or(0_usize);
    assert!(is_raised || soft >= count, "{count} open files are needed, and the system allows {soft}: `ulimit -Hn`");
}
