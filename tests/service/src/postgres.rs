//! A PostgreSQL server from a temporary folder, on the loopback address.

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    iter,
    net::TcpListener,
    ops::Range,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A user who is not root: the programs of PostgreSQL refuse root.
const NOBODY: u32 = 65534;
/// The name of a server in those that it follows. Commits must not wait for just anything that receives their log: the program
/// that copies a server does too.
const STANDBY: &str = "standby";
/// Ports of servers: none that the system gives to clients, which would take it while a server is away.
const PORTS: Range<u16> = 15_000..30_000;
/// Time limit of a change of state. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two looks at a state.
const PAUSE: Duration = Duration::from_millis(10);

/// A server, which is stopped on drop.
pub struct Postgres {
    folder: TempDir,
    port: u16,
    /// Addresses on which it listens.
    listen: &'static str,
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

    /// The same for all clients of a network, on all addresses of this machine: for a namespace without a way out.
    ///
    /// # Panics
    /// As [`Postgres::start`].
    pub fn start_for_network(network: &str) -> Self {
        let mut server = Self::start();
        server.kill();
        server.listen = "*";
        let allowed = fs::OpenOptions::new().append(true).open(server.data().join("pg_hba.conf"));
        allowed.and_then(|mut file| writeln!(file, "host all all {network} trust")).expect("it is ours");
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
        standby.follow(self);
        self.wait_for_standby();
        standby
    }

    /// Makes it a standby of another server, whatever it was before. No commit waits for one of its own.
    ///
    /// # Panics
    /// As [`Postgres::start`].
    pub fn follow(&self, primary: &Self) {
        fs::remove_dir_all(self.data()).expect("it is stopped");
        self.make_folder();
        let port = primary.port.to_string();
        self.run(
            "pg_basebackup",
            ["-h", "127.0.0.1", "-p", &port, "-U", "quipu", "-R", "-X", "stream", "-c", "fast", "-D"],
        );
        let settings = fs::OpenOptions::new().append(true).open(self.data().join("postgresql.auto.conf"));
        settings.and_then(|mut settings| settings.write_all(b"synchronous_standby_names = ''\n")).expect("it is ours");
        self.restart();
    }

    /// Has commits wait for the standby from now on, and waits until it has all earlier ones.
    ///
    /// # Panics
    /// If it does not follow.
    pub fn wait_for_standby(&self) {
        self.sql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'"));
        self.sql("SELECT pg_reload_conf()");
        let is_synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        self.wait_until(is_synchronous, "1");
        // The setting takes effect in the process that makes checkpoints.
        self.sql("CHECKPOINT");
        let end = self.query("SELECT pg_current_wal_flush_lsn()");
        self.wait_until(&format!("{is_synchronous} AND flush_lsn >= '{end}'"), "1");
    }

    /// Waits until a query has this answer.
    ///
    /// # Panics
    /// If it has another for a minute.
    pub fn wait_until(&self, query: &str, answer: &str) {
        let begun = Instant::now();
        while self.query(query) != answer {
            assert!(begun.elapsed() < PATIENCE, "{query}: {}", self.query(query));
            thread::sleep(PAUSE);
        }
    }

    /// A folder and a port.
    fn place() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let ports = iter::repeat_with(|| fastrand::u16(PORTS));
        let port = ports.take(1_000).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port");
        let place = Self { folder, port, listen: "127.0.0.1" };
        place.make_folder();
        place
    }

    /// The empty folder of its data.
    fn make_folder(&self) {
        let data = self.data();
        fs::create_dir(&data).expect("a folder");
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).expect("it is ours");
        if rustix::process::geteuid().is_root() {
            for path in [self.folder.path(), &data] {
                std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("we are root");
            }
        }
    }

    /// Its host and port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Orders a standby to accept writes, which it does somewhat later.
    pub fn begin_promotion(&self) {
        self.run("pg_ctl", ["-W", "promote", "-D"]);
    }

    /// Has a standby accept writes.
    pub fn promote(&self) {
        self.run("pg_ctl", ["-w", "promote", "-D"]);
    }

    /// The address of its database.
    pub fn address(&self) -> String {
        self.address_of("postgres")
    }

    /// The address of another of its databases.
    pub fn address_of(&self, database: &str) -> String {
        format!("postgres://quipu@127.0.0.1:{}/{database}", self.port)
    }

    /// Has it speak TLS from now on, as `localhost`, and only with TLS to clients on the network. Returns the file of the authority
    /// of its certificate.
    ///
    /// # Panics
    /// If `openssl` is not installed.
    pub fn speak_tls(&self) -> PathBuf {
        let folder = self.folder.path();
        let openssl = |arguments: &[&str]| {
            let done =
                Command::new("openssl").args(arguments).current_dir(folder).output().expect("openssl is installed");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        };
        let new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
        openssl(
            &[&["req", "-x509", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"], &new_key[..]]
                .concat(),
        );
        openssl(&[&["req", "-subj", "/CN=server", "-keyout", "data/server.key", "-out", "csr"], &new_key[..]].concat());
        fs::write(folder.join("names"), "subjectAltName=DNS:localhost").expect("a file");
        let authority = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
        openssl(&[&["x509", "-req", "-in", "csr", "-out", "data/server.crt"], &authority[..]].concat());
        for file in ["server.key", "server.crt"].map(|file| self.data().join(file)) {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
            if rustix::process::geteuid().is_root() {
                std::os::unix::fs::chown(&file, Some(NOBODY), Some(NOBODY)).expect("we are root");
            }
        }
        let clients = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
        fs::write(self.data().join("pg_hba.conf"), clients).expect("it is ours");
        self.sql("ALTER SYSTEM SET ssl = on");
        self.sql("SELECT pg_reload_conf()");
        folder.join("ca.pem")
    }

    /// Memory of all its processes in KiB, where the system tells it; pages that several share count once.
    pub fn memory(&self) -> Option<u64> {
        self.processes().iter().map(|process| proportional_memory(process)).sum()
    }

    /// Stops it at once, as a failure does.
    pub fn kill(&self) {
        self.run("pg_ctl", ["-m", "immediate", "stop", "-D"]);
    }

    /// Starts it, also after [`Postgres::kill`].
    pub fn restart(&self) {
        let options = format!(
            "-p {} -c listen_addresses='{}' -c unix_socket_directories={} -c max_connections=400 \
             -c cluster_name={STANDBY}",
            self.port,
            self.listen,
            // Not in the folder of the data, which is copied.
            self.folder.path().display()
        );
        let begun = Instant::now();
        loop {
            let status = self.status("pg_ctl", ["-w", "-l", "log", "-o", &options, "start", "-D"]);
            if status.success() {
                return;
            }
            // Processes of one that was killed end a little later, and until then hold its lock.
            assert!(begun.elapsed() < Duration::from_secs(15), "pg_ctl start: {status}");
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// Runs SQL.
    pub fn sql(&self, sql: &str) {
        self.query(sql);
    }

    /// Runs SQL, and returns what `psql` prints of its rows.
    ///
    /// # Panics
    /// If it fails.
    pub fn query(&self, sql: &str) -> String {
        self.query_of("postgres", sql)
    }

    /// The program `psql` with one of its databases.
    pub fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new("psql");
        psql.args(["-qAtX", "-v", "ON_ERROR_STOP=1"]).arg(self.address_of(database));
        psql
    }

    /// [`Postgres::query`] in another of its databases.
    ///
    /// # Panics
    /// As [`Postgres::query`].
    pub fn query_of(&self, database: &str, sql: &str) -> String {
        let ran = self.psql(database).args(["-c", sql]).stdin(Stdio::null()).output().expect("PostgreSQL is installed");
        assert!(ran.status.success(), "{sql}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
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

    /// Kills all its processes, as a machine that goes down does.
    ///
    /// # Panics
    /// If they do not end.
    pub fn crash(&self) {
        let file = self.pid_file();
        let processes = self.signal(Signal::KILL);
        let begun = Instant::now();
        while processes.iter().any(|process| is_running(process)) {
            assert!(begun.elapsed() < PATIENCE, "{processes:?}");
            thread::sleep(PAUSE);
        }
        // Its block of shared memory stays until another server starts in the folder, which does not come to that.
        if let Some(memory) = file.lines().nth(6).and_then(|line| line.split_whitespace().nth(1)) {
            let _ = Command::new("ipcrm").args(["-m", memory]).stderr(Stdio::null()).status();
        }
        fs::remove_file(self.data().join("postmaster.pid")).expect("it is ours");
    }

    /// Sends a signal to the server and to the processes that it has started, and returns them.
    fn signal(&self, signal: Signal) -> Vec<String> {
        let main = self.main_process();
        let send = |process: &str, signal| {
            let process = process.parse().ok().and_then(Pid::from_raw).expect("a number");
            // A process may have ended meanwhile.
            let _ = kill_process(process, signal);
        };
        // It starts no more meanwhile.
        send(&main, Signal::STOP);
        let all = self.processes();
        for process in &all {
            send(process, signal);
        }
        all
    }

    /// The server and the processes that it has started.
    fn processes(&self) -> Vec<String> {
        let main = self.main_process();
        let children = fs::read_to_string(format!("/proc/{main}/task/{main}/children")).expect("it runs");
        children.split_whitespace().chain([&*main]).map(str::to_owned).collect()
    }

    fn main_process(&self) -> String {
        self.pid_file().lines().next().expect("a number").to_owned()
    }

    /// The file with its process.
    fn pid_file(&self) -> String {
        fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Runs a program of PostgreSQL on the folder of the database.
    fn run<'a>(&self, program: &str, arguments: impl IntoIterator<Item = &'a str>) {
        let status = self.status(program, arguments);
        assert!(status.success(), "{program}: {status}");
    }

    fn status<'a>(&self, program: &str, arguments: impl IntoIterator<Item = &'a str>) -> ExitStatus {
        use std::os::unix::process::CommandExt;

        let mut command = Command::new(program_of_postgres(program));
        command.args(arguments.into_iter().map(OsStr::new)).arg(self.data()).current_dir(self.data());
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).status().expect("PostgreSQL is installed")
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

/// True for a process that has not ended: one that nobody has waited for yet has.
fn is_running(process: &str) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    // The state follows the name, which is in parentheses.
    status.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Memory of a process in KiB, of which it shares some with others.
fn proportional_memory(process: &str) -> Option<u64> {
    // A process that has ended meanwhile has none.
    let Ok(rolled) = fs::read_to_string(format!("/proc/{process}/smaps_rollup")) else { return Some(0) };
    let line = rolled.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Debian has the programs of each version in a folder of its own, which is not among those of commands.
fn program_of_postgres(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let found = versions.map(|version| version.path().join("bin").join(name)).filter(|program| program.exists());
    found.max().unwrap_or_else(|| name.into())
}
