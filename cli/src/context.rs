//! Input and output of every command: language, colours and printing, and the exit status or error.

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal, Stdout, Write},
    process::ExitCode,
};

use anstyle::Style;
use quipu_referee::{Lang, Message, messages::catalog};

use crate::{messages, user_settings::UserSettings};

/// Exit status of a command, from best to worst; of several, the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExitStatus {
    /// No findings.
    Clean,
    /// Records or moves were refused.
    Faults,
    /// The command line is wrong.
    Usage,
    /// A file or device failed.
    Failed,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

/// The reason why a command stopped.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// The reader of the output is gone. That is no error.
    Closed,
    /// The command line is wrong; the message.
    Usage(String),
    /// A file failed; the message.
    Failed(String),
    /// Standard input or output failed.
    Device(io::Error),
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Device(error),
        }
    }
}

/// Exit status of a command that ran, or the reason why it stopped.
pub(crate) type CommandResult = Result<ExitStatus, CommandError>;

/// Language and form of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Language of messages.
    pub(crate) lang: Lang,
    /// True to print in colours on standard output.
    pub(crate) color: bool,
    /// Columns of the terminal on standard output; `None` for a file or a pipe, whose lines may have any length.
    pub(crate) width: Option<usize>,
    /// The settings file of the user.
    pub(crate) user: &'static UserSettings,
}

impl Context {
    /// Output without colours, to no terminal, with default settings.
    pub(crate) const fn plain(lang: Lang) -> Self {
        Self { lang, color: false, width: None, user: &UserSettings::DEFAULT }
    }

    /// A message of this program.
    pub(crate) fn say(self, key: &str) -> &'static str {
        messages::get(key, self.lang)
    }

    /// A message of this program with its placeholders filled.
    pub(crate) fn fill(self, key: &str, values: &[(&str, &dyn fmt::Display)]) -> String {
        quipu_referee::messages::fill(self.say(key), |name| {
            values.iter().find(|(place, _)| *place == name).map(|(_, value)| value.to_string())
        })
    }

    /// A word of the games.
    pub(crate) fn word(self, key: &str) -> &str {
        catalog().word(key, self.lang)
    }

    /// A finding as a sentence.
    pub(crate) fn message(self, message: &Message) -> String {
        catalog().message(message, self.lang)
    }

    /// `text` in a style, if colours are on.
    pub(crate) fn paint(self, style: Style, text: impl fmt::Display) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}

/// Standard output with a large buffer.
pub(crate) fn stdout() -> BufWriter<Stdout> {
    BufWriter::with_capacity(64 * 1024, io::stdout())
}

/// Prints lines for people on standard error, without active characters. Errors are ignored: nobody could read them.
pub(crate) fn print_to_stderr(lines: impl fmt::Display) {
    for line in lines.to_string().lines() {
        drop(writeln!(io::stderr(), "{}", harmless(line)));
    }
}

/// The text with every active character replaced.
pub(crate) fn harmless(text: &str) -> String {
    quipu_referee::harmless(text).into_owned()
}

/// True to use colours on `out`: as requested, else on a terminal unless the environment forbids it.
pub(crate) fn wants_color(asked: Option<&str>, out: &impl IsTerminal) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match asked {
        Some("always") => true,
        Some("never") => false,
        _ => {
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|force| !force.is_empty() && force != "0");
            !is_set("NO_COLOR") && (forced || !dumb && out.is_terminal())
        }
    }
}

/// True if an output was closed when the program started: then `/dev/null` was opened in its place, to read and to write,
/// which no shell does for an output that is to be thrown away.
#[cfg(unix)]
pub(crate) fn is_closed(out: &impl std::os::fd::AsFd) -> bool {
    use std::os::unix::fs::MetadataExt;
    let to_read = rustix::fs::fcntl_getfl(out).is_ok_and(|flags| flags.contains(rustix::fs::OFlags::RDWR));
    let device = |path: &str| std::fs::metadata(path).ok().map(|null| null.rdev());
    let own = out.as_fd().try_clone_to_owned().and_then(|out| std::fs::File::from(out).metadata());
    to_read && own.is_ok_and(|own| own.rdev() != 0 && Some(own.rdev()) == device("/dev/null"))
}

/// True if an output was closed when the program started.
#[cfg(not(unix))]
pub(crate) fn is_closed<T>(_: &T) -> bool {
    false
}

/// Columns of the terminal on standard output.
pub(crate) fn terminal_width() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(io::stdout())?;
    (columns > 0).then_some(columns.into())
}
