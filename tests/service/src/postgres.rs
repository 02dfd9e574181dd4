//! A PostgreSQL server from a temporary folder, on the loopback address.

use std::{
    ffi::OsStr,
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A user who is not root: the programs of PostgreSQL refuse root.
const NOBODY: u32 = 65534;

/// A server, which is stopped on drop.
pub struct Postgres {
    folder: TempDir,
    port: u16,
}

impl Postgres {
    /// Makes an empty database and starts its server.
    ///
    /// # Panics
    /// If PostgreSQL is not installed, or does not start.
    pub fn start() -> Self {
        let server = Self::place();
        server.run("initdb", ["-A", "trust", "-U", "quipu", "-E", "UTF8", "--locale=C", "-N", "-D"]);
        server.restart();
        server
    }

    /// Starts a standby, and has commits wait for it.
    ///
    /// # Panics
    /// As [`Postgres::start`].
    #[must_use]
    pub fn standby(&self) -> Self {
        let standby = Self::place();
        let port = self.port.to_string();
        standby.run(
            "pg_basebackup",
            ["-h", "127.0.0.1", "-p", &port, "-U", "quipu", "-R", "-X", "stream", "-c", "fast", "-D"],
        );
        standby.restart();
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.sql("SELECT pg_reload_conf()");
        standby
    }

    /// A folder and a port.
    fn place() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        fs::create_dir(&data).expect("a folder");
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).expect("it is ours");
        if rustix::process::geteuid().is_root() {
            for path in [folder.path(), &data] {
                std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("we are root");
            }
        }
        let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr()).expect("a free port").port();
        Self { folder, port }
    }

    /// Its host and port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Has a standby accept writes.
    pub fn promote(&self) {
        self.run("pg_ctl", ["-w", "promote", "-D"]);
    }

    /// The address of its database.
    pub fn address(&self) -> String {
        format!("postgres://quipu@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops it at once, as a failure does.
    pub fn kill(&self) {
        self.run("pg_ctl", ["-m", "immediate", "stop", "-D"]);
    }

    /// Starts it, also after [`Postgres::kill`].
    pub fn restart(&self) {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} -c max_connections=400",
            self.port,
            self.data().display()
        );
        self.run("pg_ctl", ["-w", "-l", "log", "-o", &options, "start", "-D"]);
    }

    /// Runs SQL.
    pub fn sql(&self, sql: &str) {
        let port = self.port.to_string();
        let arguments =
            ["-q", "-h", "127.0.0.1", "-p", &port, "-U", "quipu", "-v", "ON_ERROR_STOP=1", "-c", sql, "postgres"];
        let ran = Command::new("psql").args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status();
        assert!(ran.expect("PostgreSQL is installed").success(), "{sql}");
    }

    /// Ends the sessions of all archives, as a failing network does.
    pub fn end_sessions(&self) {
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quipu'");
    }

    /// Pauses all its processes.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets its processes go on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Sends a signal to the server and to the processes that it has started.
    fn signal(&self, signal: Signal) {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        let main = file.lines().next().expect("a number").to_owned();
        let children = fs::read_to_string(format!("/proc/{main}/task/{main}/children")).expect("it runs");
        for process in children.split_whitespace().chain([&*main]) {
            let process = process.parse().ok().and_then(Pid::from_raw).expect("a number");
            // A process may have ended meanwhile.
            let _ = kill_process(process, signal);
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Runs a program of PostgreSQL on the folder of the database.
    fn run<'a>(&self, program: &str, arguments: impl IntoIterator<Item = &'a str>) {
        use std::os::unix::process::CommandExt;

        let mut command = Command::new(program_of_postgres(program));
        command.args(arguments.into_iter().map(OsStr::new)).arg(self.data()).current_dir(self.data());
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().expect("PostgreSQL is installed");
        assert!(status.success(), "{program}: {status}");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A server that was killed is stopped already.
        if self.data().join("postmaster.pid").exists() {
            self.run("pg_ctl", ["-m", "immediate", "stop", "-D"]);
        }
    }
}

/// Debian has the programs of each version in a folder of its own, which is not among those of commands.
fn program_of_postgres(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let found = versions.map(|version| version.path().join("bin").join(name)).filter(|program| program.exists());
    found.max().unwrap_or_else(|| name.into())
}
