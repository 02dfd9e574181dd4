//! Runs the program `quipu` as a user would.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

/// The program that is tested: the path in `QUIPU_BIN`, or `quipu` in the folder of the profile that these tests were
/// built with.
///
/// # Panics
/// If it is not there, lacks commands, or is older than its sources.
pub fn path() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        if let Some(path) = std::env::var_os("QUIPU_BIN") {
            return PathBuf::from(path);
        }
        let program = beside(&std::env::current_exe().expect("a test has a path"));
        assert!(
            is_fresh(&program),
            "{} is missing, lacks commands or is older than its sources: run `./test`, or `cargo build -p quipu` (with \
             --release for programs of that profile), or set QUIPU_BIN",
            program.display(),
        );
        program
    })
}

/// The program in the folder of the profile that a test was built with.
fn beside(test: &Path) -> PathBuf {
    let of_profile = |folder: &&Path| folder.ends_with("debug") || folder.ends_with("release");
    let folder = test.ancestors().find(of_profile).expect("tests are built into the folder of a profile");
    folder.join(format!("quipu{}", std::env::consts::EXE_SUFFIX))
}

/// True if a program is there and none of the sources that cargo lists beside it is newer.
fn is_fresh(program: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    let Some((built, listed)) = changed(program).zip(fs::read_to_string(program.with_extension("d")).ok()) else {
        return false;
    };
    let sources = listed.split_once(": ").map_or("", |(_, sources)| sources);
    // A program built without some of its features is not the one that is tested.
    if !["api/http/src/lib.rs", "api/pictures/src/lib.rs", "commands/view/mod.rs"]
        .iter()
        .all(|part| sources.contains(part))
    {
        return false;
    }
    // Cargo escapes a space in a path with a backslash.
    let sources = sources.replace("\\ ", "\0");
    let mut sources = sources.split_whitespace().map(|source| PathBuf::from(source.replace('\0', " ")));
    sources.all(|source| changed(&source).is_some_and(|changed| changed <= built))
}

/// Result of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// Exit status.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The program, in the root of the repository, with an environment in Spanish that says nothing of colour or settings.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(path());
    command.current_dir(crate::root()).args(arguments);
    for name in ["LC_ALL", "LC_MESSAGES", "LANGUAGE", "NO_COLOR", "CLICOLOR_FORCE", "PAGER"] {
        command.env_remove(name);
    }
    // The settings of the user who runs the tests do not count.
    command.env("LANG", "es_PE.UTF-8").env("XDG_CONFIG_HOME", "/nonexistent");
    for (name, _) in std::env::vars_os() {
        // The server of the archives of tests stays.
        if name.to_string_lossy().starts_with("QUIPU_") && name != "QUIPU_TEST_DATABASE" {
            command.env_remove(name);
        }
    }
    command
}

/// The names of all commands, as help lists them; behind one that has commands of its own stand these, with its name
/// before theirs.
pub fn commands() -> Vec<String> {
    fn below(before: &str) -> Vec<String> {
        let call: Vec<_> = before.split_whitespace().chain(["--help", "--lang", "en"]).collect();
        let help = run(&call).stdout;
        let Some((_, list)) = help.split_once("Commands:\n") else { return Vec::new() };
        let names = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
        let names = names.map(|name| format!("{before} {name}").trim().to_owned());
        names.flat_map(|name| [vec![name.clone()], below(&name)].concat()).collect()
    }
    below("")
}

/// Runs the program with nothing to read.
///
/// # Panics
/// If it cannot be started.
pub fn run(arguments: &[&str]) -> Run {
    command(arguments).stdin(Stdio::null()).output().expect("quipu runs").into()
}

/// Runs the program with something to read.
///
/// # Panics
/// If it cannot be started.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("quipu runs");
    let mut stdin = child.stdin.take().expect("it was asked for");
    std::thread::scope(|scope| {
        // A program that stops reading early is not at fault.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("quipu ends").into()
    })
}
