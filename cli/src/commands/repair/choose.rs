//! The choice of a reading by key: one reading after the other, with its board.

use std::{
    io::{self, Write, stderr, stdin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

#[cfg(feature = "view")]
use std::io::IsTerminal;

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
    /// Set by a signal to end, from the first question on.
    over: Arc<AtomicBool>,
    #[cfg(all(unix, feature = "view"))]
    has_asked: bool,
}

impl Dialogue {
    pub(super) fn new(context: Context) -> Self {
        Self {
            context,
            has_quit: false,
            over: Arc::default(),
            #[cfg(all(unix, feature = "view"))]
            has_asked: false,
        }
    }

    /// The reading that a person chooses, counted from 0; none if the record is skipped.
    ///
    /// # Errors
    /// Any error of the terminal.
    pub(super) fn choose(&mut self, repair: &Repair<'_>, heading: &str) -> io::Result<Option<usize>> {
        let count = repair.readings.readings.len();
        #[cfg(all(unix, feature = "view"))]
        if !std::mem::replace(&mut self.has_asked, true) {
            self.watch_signals()?;
        }
        self.has_quit |= self.over.load(Ordering::Relaxed);
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
                let Some(letter) = self.read_key()? else { break ChooseKey::Quit };
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

    /// The next key; of a line of text its first letter, or a line end if it is empty. `None` at the end of the input.
    #[cfg_attr(not(feature = "view"), expect(clippy::unused_self, reason = "only keys are ended by a signal"))]
    fn read_key(&self) -> io::Result<Option<char>> {
        #[cfg(feature = "view")]
        if stdin().is_terminal() {
            return raw_key(&self.over).map(Some);
        }
        let mut line = String::new();
        let read = stdin().read_line(&mut line)?;
        Ok((read > 0).then(|| line.chars().next().unwrap_or('\n')))
    }

    /// Has signals to end wait until the file is written: the records chosen so far are in it.
    #[cfg(all(unix, feature = "view"))]
    fn watch_signals(&self) -> io::Result<()> {
        if stdin().is_terminal() {
            for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT] {
                signal_hook::flag::register(signal, Arc::clone(&self.over))?;
            }
        }
        Ok(())
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

/// A key of the terminal, without waiting for Enter; `q` once the program is asked to end.
#[cfg(feature = "view")]
fn raw_key(over: &AtomicBool) -> io::Result<char> {
    use std::time::Duration;

    use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

    /// Interval at which signals are looked at.
    const LOOK_UP: Duration = Duration::from_millis(200);

    let _raw = RawMode::new()?;
    // A key that was pressed before the reading was shown says nothing about it.
    while event::poll(Duration::ZERO)? {
        event::read()?;
    }
    while !over.load(Ordering::Relaxed) {
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
    Ok('q')
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
