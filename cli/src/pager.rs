//! Standard output through a pager, for texts longer than the terminal.

use std::{
    env,
    io::{self, BufWriter, Write},
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::{
    context::{self, Context, print_to_stderr},
    input,
    output::Output,
    user_settings::PAGER_VARIABLE,
};

/// Options of `less` unless the user has set others: quit if the text fits, pass colours on, leave the text on the screen.
const LESS: [&str; 2] = ["LESS", "FRX"];

/// Standard output that starts a pager once it is longer than the terminal.
pub(crate) struct PagedOutput {
    context: Context,
    state: State,
}

enum State {
    Plain(Output),
    /// The text so far, buffered while it fits into this number of lines.
    Short {
        text: Vec<u8>,
        lines: usize,
        command: Vec<String>,
    },
    /// A pager and its input.
    Pager(Child, Option<BufWriter<ChildStdin>>),
    /// Everything is written.
    Ended,
}

impl PagedOutput {
    /// Uses a pager only if `wanted` and if the output is a terminal.
    pub(crate) fn new(context: Context, out: Output, wanted: bool) -> Self {
        let is_stdout = matches!(out, Output::Stdout(_));
        let size = terminal_size::terminal_size_of(io::stdout()).filter(|_| wanted && is_stdout);
        let state = match (size, command(context)) {
            (Some((_, terminal_size::Height(rows))), Some(command)) => {
                State::Short { text: Vec::new(), lines: usize::from(rows).saturating_sub(1), command }
            }
            _ => State::Plain(out),
        };
        Self { context, state }
    }

    /// Writes the rest, and waits until the reader leaves the pager.
    ///
    /// # Errors
    /// Any error of the device or the pager.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.end();
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Plain(out) => out.finish(),
            State::Short { .. } | State::Pager(..) | State::Ended => Ok(()),
        }
    }

    /// Starts the pager, and passes the text so far to it. If it cannot be started, the text goes to standard output.
    fn start(&mut self) -> io::Result<()> {
        let State::Short { text, command, .. } = &mut self.state else { return Ok(()) };
        let (text, command) = (std::mem::take(text), std::mem::take(command));
        let mut pager = Command::new(&command[0]);
        pager.args(&command[1..]).stdin(Stdio::piped());
        if env::var_os(LESS[0]).is_none() {
            pager.env(LESS[0], LESS[1]);
        }
        // Ctrl-C is for the pager.
        #[cfg(all(unix, feature = "view"))]
        drop(signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default()));
        self.state = match pager.spawn() {
            Ok(mut child) => {
                let stdin = child.stdin.take().map(BufWriter::new);
                State::Pager(child, stdin)
            }
            Err(error) => {
                let (name, error) = (&command[0], input::reason(self.context, &error));
                print_to_stderr(self.context.fill("pager.failed", &[("command", name), ("error", &error)]));
                State::Plain(Output::Stdout(context::stdout()))
            }
        };
        self.write_all(&text)
    }

    /// Closes the pager's input and waits for its end.
    fn end(&mut self) {
        if let State::Pager(child, stdin) = &mut self.state {
            drop(stdin.take());
            drop(child.wait());
        }
    }
}

/// The command of the pager: that of `QUIPU_PAGER`, of the settings file, of `PAGER`, or `less`. An empty command means no
/// pager. Words are separated by spaces.
fn command(context: Context) -> Option<Vec<String>> {
    let given = env::var(PAGER_VARIABLE).ok().or_else(|| context.user.pager.clone()).or_else(|| env::var("PAGER").ok());
    let usual = if cfg!(windows) { "more" } else { "less" };
    let words: Vec<_> = given.as_deref().unwrap_or(usual).split_whitespace().map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}

impl Write for PagedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Plain(out) => return out.write(bytes),
            State::Pager(_, Some(out)) => return out.write(bytes),
            State::Pager(_, None) | State::Ended => return Err(io::ErrorKind::BrokenPipe.into()),
            State::Short { text, lines, .. } => {
                text.extend_from_slice(bytes);
                if text.split(|byte| *byte == b'\n').count() <= *lines + 1 {
                    return Ok(bytes.len());
                }
            }
        }
        self.start()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Plain(out) => out.flush(),
            State::Pager(_, out) => out.as_mut().map_or(Ok(()), Write::flush),
            State::Ended => Ok(()),
            State::Short { text, .. } => {
                let mut out = io::stdout().lock();
                out.write_all(&std::mem::take(text))?;
                out.flush()
            }
        }
    }
}

impl Drop for PagedOutput {
    fn drop(&mut self) {
        self.end();
    }
}
