//! A terminal of tmux: keys go in, and what people would see comes out.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use quipu_tests_service::{program, root};
use tempfile::TempDir;

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(30);

/// A terminal in which something runs. It ends with this.
pub(crate) struct Terminal {
    folder: TempDir,
}

/// Output of the wrapper after the program has ended: its exit status and the state of the terminal.
pub(crate) const ENDED: &str = "ended with 0, echo icanon";

impl Terminal {
    /// A terminal of so many columns and lines, in which this is run from the root of the repository; `quipu` is the
    /// program. Behind it stands how it ended.
    pub(crate) fn new(columns: u16, lines: u16, command: &str) -> Self {
        let modes = "stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e icanon | sort | tr '\\n' ' '";
        let script = format!("{command}\nprintf 'ended with %s, ' $?\n{modes}\nsleep 600\n");
        Self::with_script(columns, lines, &script)
    }

    /// The same with a shell that somebody sits at.
    pub(crate) fn shell(columns: u16, lines: u16) -> Self {
        Self::with_script(columns, lines, "PS1='ready> ' exec bash --norc --noprofile -i\n")
    }

    fn with_script(columns: u16, lines: u16, script: &str) -> Self {
        let terminal = Self { folder: tempfile::tempdir().expect("there is room") };
        let file = terminal.file("script");
        let folder = program::path().parent().expect("it is in a folder");
        let head = format!("PATH={}:$PATH\ncd {}\n", folder.display(), root().display());
        fs::write(&file, head + script).expect("it is written");
        let [columns, lines] = [columns, lines].map(|number| number.to_string());
        let run = format!("sh {}", file.display());
        terminal.tmux(&["-f", "/dev/null", "-u", "new-session", "-d", "-x", &columns, "-y", &lines, &run]);
        terminal
    }

    /// A file of this terminal's own.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Gives tmux a command.
    #[track_caller]
    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.file("socket")).args(arguments).stdin(Stdio::null());
        command.env("LC_ALL", "C.UTF-8").env_remove("TMUX").env_remove("NO_COLOR");
        let output = command.output().unwrap_or_else(|error| panic!("tmux, which `./test` installs: {error}"));
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("it prints UTF-8")
    }

    /// Presses keys, by the names that tmux has for them.
    #[track_caller]
    pub(crate) fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Writes a text.
    #[track_caller]
    pub(crate) fn write(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// The contents of the screen.
    #[track_caller]
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The same with its colours.
    #[track_caller]
    pub(crate) fn styled_screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"])
    }

    /// Waits until the screen is as it should be, and whole: what is being drawn is looked at once more.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        let mut before = String::new();
        loop {
            let screen = self.screen();
            if screen == before && is_so(&screen) {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "never seen: {what}\n{screen}");
            before = screen;
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a text is seen.
    #[track_caller]
    pub(crate) fn sees(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    /// Gives the terminal another size.
    #[track_caller]
    pub(crate) fn resize(&self, columns: u16, lines: u16) {
        let [columns, lines] = [columns, lines].map(|number| number.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &lines]);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(Command::new("tmux").arg("-S").arg(self.file("socket")).arg("kill-server").output());
    }
}
