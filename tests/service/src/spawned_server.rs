//! The program serving an archive as a process of its own, as those who measure it want it.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
};

use quipu_options::Scope;

/// `quipu serve` on an archive, with limits that let everything pass. It ends when it is dropped.
#[derive(Debug)]
pub struct SpawnedServer {
    child: Child,
    data: PathBuf,
    said: Option<JoinHandle<String>>,
    /// The address and port on which it listens.
    pub address: String,
}

impl SpawnedServer {
    /// Starts it, and waits until it says where it listens.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(program: &Path, data: &Path, options: &[&str]) -> Self {
        Self::start_by(Command::new(program), data, options)
    }

    /// The same by a command that becomes the program with the arguments that it gets.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_by(command: Command, data: &Path, options: &[&str]) -> Self {
        let rates = ["--address-rate", "60000000", "--token-rate", "60000000"];
        Self::start_by_default(command, data, &[&rates, options].concat())
    }

    /// The same with the limits that the service has by default.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start_by_default(mut command: Command, data: &Path, options: &[&str]) -> Self {
        let mut child = command
            .args(["serve", "--lang", "en", "--log-level", "error"])
            .args(if options.contains(&"--listen") { &[][..] } else { &["--listen", "127.0.0.1:0"] })
            .args(options)
            .arg("--data")
            .arg(data)
            .stderr(Stdio::piped())
            .spawn()
            .expect("quipu runs");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("UTF-8");
            let (_, rest) = line.split_once("http://")?;
            rest.split_whitespace().next().map(str::to_owned)
        });
        // A writer to standard error blocks without a reader.
        let said = thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>().join("\n"));
        let address = address.expect("it says where it listens");
        Self { child, data: data.to_owned(), said: Some(said), address }
    }

    /// The folder of its archive.
    ///
    /// # Panics
    /// If its name is not UTF-8.
    pub fn data(&self) -> &str {
        self.data.to_str().expect("UTF-8")
    }

    /// Sends it a signal, and waits until it ends; says how it did, and what it had said until then.
    ///
    /// # Panics
    /// If it had ended by itself.
    pub fn stop(mut self, signal: &str) -> (ExitStatus, String) {
        assert!(self.child.try_wait().expect("it can be asked").is_none(), "it ran until now");
        let sent = Command::new("kill").args(["-s", signal]).arg(self.child.id().to_string()).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "it can be told");
        self.wait()
    }

    /// Waits until it ends by itself.
    ///
    /// # Panics
    /// If it cannot be waited for.
    pub fn wait(&mut self) -> (ExitStatus, String) {
        let status = self.child.wait().expect("it ends");
        let said = self.said.take().map(|said| said.join().expect("it is read"));
        (status, said.unwrap_or_default())
    }

    /// The number of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills it at once, as when the power goes.
    ///
    /// # Panics
    /// If it had ended by itself.
    pub fn kill(mut self) {
        assert!(self.child.try_wait().expect("it can be asked").is_none(), "it ran until now");
    }
}

impl Drop for SpawnedServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The text of a new token that may submit records.
///
/// # Panics
/// If it is not made.
pub fn token(program: &Path, data: &Path) -> String {
    token_with(program, data, &[Scope::RecordsWrite], None)
}

/// The text of a new token with scopes, of an archive in the folder or in a database.
///
/// # Panics
/// If it is not made.
pub fn token_with(program: &Path, data: &Path, scopes: &[Scope], database: Option<&str>) -> String {
    let mut command = Command::new(program);
    command.args(["token", "add", "--name", &format!("measure-{}", fastrand::u64(..))]);
    for scope in scopes {
        command.args(["--scope", scope.as_str()]);
    }
    if let Some(database) = database {
        command.args(["--database", database]);
    }
    let token = command.arg("--data").arg(data).output().expect("quipu runs");
    assert!(token.status.success(), "{}", String::from_utf8_lossy(&token.stderr));
    String::from_utf8(token.stdout).expect("UTF-8").trim().to_owned()
}

/// Figures of an import.
#[derive(Clone, Copy, Debug)]
pub struct Imported {
    /// Bytes of the records.
    pub bytes: usize,
    /// The peak of the program's memory, in KiB, where the system tells it.
    pub peak: Option<u64>,
}

/// Fills an archive with these records through the program.
///
/// # Panics
/// If a record is not taken.
pub fn import(program: &Path, data: &Path, records: impl Iterator<Item = String>) -> Imported {
    let mut command = Command::new(program);
    command.args(["archive", "import", "-"]);
    import_by(command, data, records)
}

/// The same by a command that imports its standard input.
///
/// # Panics
/// If a record is not taken.
pub fn import_by(mut command: Command, data: &Path, records: impl Iterator<Item = String>) -> Imported {
    command.arg("--data").arg(data).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("quipu runs");
    let mut pipe = std::io::BufWriter::with_capacity(1 << 16, child.stdin.take().expect("a pipe"));
    let mut bytes = 0;
    for record in records {
        bytes += record.len();
        pipe.write_all(record.as_bytes()).expect("it reads");
    }
    pipe.flush().expect("it reads");
    // All but what is under way has been read: the peak has been.
    let peak = peak(child.id());
    drop(pipe);
    assert!(child.wait().expect("it ends").success(), "all games are taken");
    Imported { bytes, peak }
}

/// The high-water mark of the resident memory of a running process, in KiB, where the system tells it.
pub fn peak(process: u32) -> Option<u64> {
    memory_kib(process, "VmHWM")
}

/// A field of `/proc/PID/status` that counts KiB.
pub fn memory_kib(process: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// The page faults of a process that read nothing from a disk.
pub fn page_faults(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Fields are counted from the end of the name of the program, which may have spaces.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(7)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program;

    #[test]
    fn it_says_where_it_listens_and_ends_when_it_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(token(program::path(), folder.path()).starts_with("quipu"));
        let served = SpawnedServer::start(program::path(), folder.path(), &["--workers", "1"]);
        assert!(std::net::TcpStream::connect(&served.address).is_ok(), "{}", served.address);
        let address = served.address.clone();
        drop(served);
        assert!(std::net::TcpStream::connect(address).is_err());
    }
}
