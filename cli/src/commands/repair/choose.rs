//! The choice of a reading by key: one reading after the other, with its board.

use std::io::{self, IsTerminal, Write, stderr, stdin};

use quipu_referee::repaired::Repair;

use crate::{context::Context, readings};

/// A key that means something, with the letter for it in a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChooseKey {
    /// Takes the reading of this number, from 1.
    Take(usize),
    /// Takes the reading that is shown.
    TakeShown,
    Next,
    Previous,
    /// Leaves the record as it is.
    Skip,
    /// Leaves this record and all that follow as they are.
    Quit,
}

impl ChooseKey {
    fn of(letter: char) -> Option<Self> {
        Some(match letter {
            '1'..='9' => Self::Take(letter.to_digit(10)? as usize),
            '\n' | '\r' => Self::TakeShown,
            'n' | 'j' => Self::Next,
            'p' | 'k' => Self::Previous,
            's' => Self::Skip,
            'q' => Self::Quit,
            _ => return None,
        })
    }
}

/// Asks on standard error, and reads keys, or lines if standard input is no terminal.
pub(super) struct Dialogue {
    context: Context,
    has_quit: bool,
}

impl Dialogue {
    pub(super) fn new(context: Context) -> Self {
        Self { context, has_quit: false }
    }

    /// The reading that a person chooses, counted from 0; none if the record is skipped.
    ///
    /// # Errors
    /// Any error of the terminal.
    pub(super) fn choose(&mut self, repair: &Repair<'_>, heading: &str) -> io::Result<Option<usize>> {
        let count = repair.readings.readings.len();
        if self.has_quit || count == 0 {
            return Ok(None);
        }
        let mut out = stderr();
        write!(out, "{heading}")?;
        let mut shown = 0;
        loop {
            let keys = self.context.fill("repair.keys", &[("shown", &(shown + 1)), ("count", &count)]);
            write!(out, "\n{}\n{keys} ", reading(self.context, repair, shown, true))?;
            out.flush()?;
            let key = loop {
                // The end of the input leaves everything as it is.
                let Some(letter) = read_key()? else { break ChooseKey::Quit };
                match ChooseKey::of(letter) {
                    Some(ChooseKey::Take(number)) if number > count => {}
                    Some(key) => break key,
                    None => {}
                }
            };
            writeln!(out)?;
            match key {
                ChooseKey::Take(number) => return Ok(Some(number - 1)),
                ChooseKey::TakeShown => return Ok(Some(shown)),
                ChooseKey::Next => shown = (shown + 1) % count,
                ChooseKey::Previous => shown = (shown + count - 1) % count,
                ChooseKey::Skip => return Ok(None),
                ChooseKey::Quit => {
                    self.has_quit = true;
                    return Ok(None);
                }
            }
        }
    }
}

/// A reading, counted from 0, with its board or without.
pub(super) fn reading(context: Context, repair: &Repair<'_>, place: usize, with_board: bool) -> String {
    let lines = readings::reading(context, repair, place);
    let mut text: String = lines.iter().map(|line| format!("    {}\n", line.paint(context))).collect();
    if let Some((heading, board)) = readings::board(context, repair, place).filter(|_| with_board) {
        text += &format!("       {heading}\n");
        text.extend(board.lines().map(|line| format!("       {line}\n")));
    }
    text
}

/// The next key; of a line of text its first letter, or a line end if it is empty. `None` at the end of the input.
fn read_key() -> io::Result<Option<char>> {
    #[cfg(feature = "view")]
    if stdin().is_terminal() {
        return raw_key().map(Some);
    }
    let mut line = String::new();
    let read = stdin().read_line(&mut line)?;
    Ok((read > 0).then(|| line.chars().next().unwrap_or('\n')))
}

/// A key of the terminal, without waiting for Enter. A signal to end counts as `q`.
#[cfg(feature = "view")]
fn raw_key() -> io::Result<char> {
    use std::{sync::Arc, time::Duration};

    use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

    /// Interval at which signals are looked at.
    const LOOK_UP: Duration = Duration::from_millis(200);

    let over = Arc::<std::sync::atomic::AtomicBool>::default();
    #[cfg(unix)]
    let _signals = {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let registered = [SIGTERM, SIGHUP, SIGINT].map(|signal| signal_hook::flag::register(signal, Arc::clone(&over)));
        Registered(registered.into_iter().collect::<io::Result<_>>()?)
    };
    let _raw = RawMode::new()?;
    // A key that was pressed before the reading was shown says nothing about it.
    while event::poll(Duration::ZERO)? {
        event::read()?;
    }
    loop {
        if over.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok('q');
        }
        if !event::poll(LOOK_UP)? {
            continue;
        }
        let Event::Key(key) = event::read()? else { continue };
        let held = key.modifiers.intersection(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match key.code {
            KeyCode::Char('c' | 'd') if held == KeyModifiers::CONTROL => return Ok('q'),
            _ if !held.is_empty() => {}
            KeyCode::Char(letter) => return Ok(letter),
            KeyCode::Enter => return Ok('\n'),
            KeyCode::Right | KeyCode::Down => return Ok('n'),
            KeyCode::Left | KeyCode::Up => return Ok('p'),
            KeyCode::Esc => return Ok('q'),
            _ => {}
        }
    }
}

/// The terminal in raw mode, until this is dropped.
#[cfg(feature = "view")]
struct RawMode;

#[cfg(feature = "view")]
impl RawMode {
    fn new() -> io::Result<Self> {
        crossterm::terminal::enable_raw_mode()?;
        Ok(Self)
    }
}

#[cfg(feature = "view")]
impl Drop for RawMode {
    fn drop(&mut self) {
        // Nobody could be told of an error.
        drop(crossterm::terminal::disable_raw_mode());
    }
}

/// Handlers of signals, until this is dropped.
#[cfg(all(unix, feature = "view"))]
struct Registered(Vec<signal_hook::SigId>);

#[cfg(all(unix, feature = "view"))]
impl Drop for Registered {
    fn drop(&mut self) {
        for id in &self.0 {
            signal_hook::low_level::unregister(*id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_choice() {
        assert_eq!(ChooseKey::of('3'), Some(ChooseKey::Take(3)));
        assert_eq!(ChooseKey::of('\r'), Some(ChooseKey::TakeShown));
        assert_eq!(ChooseKey::of('0'), None);
        assert_eq!(ChooseKey::of('x'), None);
    }
}
