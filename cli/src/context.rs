//! What every command is given: the language, the colours, where to print. And what it gives back: how it went.

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal, Stdout, Write},
    process::ExitCode,
};

use anstyle::Style;
use quipu_referee::{Lang, Message, words::catalog};

use crate::words;

/// How a command went, from best to worst; of several, the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExitStatus {
    /// Nothing to complain about.
    Clean,
    /// Records or moves were refused.
    Findings,
    /// The command was not called as it should be.
    Usage,
    /// A file or device failed.
    Failed,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// Who read the output has gone. That is no error.
    Closed,
    /// The command was not called as it should be; what to say about it.
    Usage(String),
    /// A file failed; what to say about it.
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

/// What a command comes to.
pub(crate) type CommandResult = Result<ExitStatus, CommandError>;

/// What every command is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// The language to print in.
    pub(crate) lang: Lang,
    /// Whether to print in colours on standard output.
    pub(crate) color: bool,
}

impl Context {
    /// A line or word of this program.
    pub(crate) fn say(self, key: &str) -> &'static str {
        words::get(key, self.lang)
    }

    /// A line of this program with values in its places.
    pub(crate) fn fill(self, key: &str, values: &[(&str, &dyn fmt::Display)]) -> String {
        quipu_referee::words::fill(self.say(key), |name| {
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

/// Standard output, gathered into large writes.
pub(crate) fn stdout() -> BufWriter<Stdout> {
    BufWriter::with_capacity(64 * 1024, io::stdout())
}

/// Prints lines for people on standard error, with nothing in them that a terminal acts on. If nobody can read them,
/// nothing is lost.
pub(crate) fn complain(lines: impl fmt::Display) {
    for line in lines.to_string().lines() {
        drop(writeln!(io::stderr(), "{}", harmless(line)));
    }
}

/// A text of others without characters that a terminal acts on.
pub(crate) fn harmless(text: &str) -> String {
    quipu_referee::harmless(text).into_owned()
}

/// Whether to use colours where `out` leads: as asked, or on a terminal that was not told otherwise.
pub(crate) fn wants_color(asked: Option<&str>, out: &impl IsTerminal) -> bool {
    let told = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match asked {
        Some("always") => true,
        Some("never") => false,
        _ => {
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            !told("NO_COLOR") && !dumb && out.is_terminal()
        }
    }
}

/// The language to print in: as asked, else of the environment, else Spanish.
pub(crate) fn language(asked: Option<&str>) -> Lang {
    let environment = || {
        ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| {
            let value = std::env::var(name).ok()?;
            (!value.is_empty()).then_some(value)
        })
    };
    let tag = asked.map(str::to_owned).or_else(environment);
    tag.and_then(|tag| Lang::parse(&tag)).unwrap_or_default()
}
