//! Input and output of every command: language, colours and printing, and the exit status or error.

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal, Stdout, Write},
    process::ExitCode,
};

use anstyle::Style;
use quipu_referee::{Lang, Message, messages::catalog};

use crate::messages;

/// Exit status of a command, from best to worst; of several, the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExitStatus {
    /// No findings.
    Clean,
    /// Records or moves were refused.
    Findings,
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

/// Language and colours of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Language of messages.
    pub(crate) lang: Lang,
    /// True to print in colours on standard output.
    pub(crate) color: bool,
}

impl Context {
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
pub(crate) fn complain(lines: impl fmt::Display) {
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

/// Language of messages: `--lang`, else the environment, else Spanish.
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
