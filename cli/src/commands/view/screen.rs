//! The terminal: switched to the viewer's mode, and restored in every case.

use std::{
    io::{self, Stdout, stdout},
    sync::{
        Arc, Once,
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Duration,
};

use crossterm::{
    cursor::Show,
    event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    execute,
    style::force_color_output,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, is_raw_mode_enabled},
};
use ratatui::{Terminal, backend::CrosstermBackend};

use super::{
    draw,
    keys::KeyPress,
    state::{ViewEvent, ViewState},
};

/// Interval at which the keyboard thread checks for other reasons to end.
const LOOK_UP: Duration = Duration::from_millis(200);

/// True after a panic was reported on the restored terminal.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// True if a thread panicked; the panic was printed.
pub(super) fn is_broken() -> bool {
    BROKEN.load(Ordering::Relaxed)
}

/// The terminal in the viewer's mode. Dropping it restores the terminal.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// Set when the system asks the program to end.
    over: Arc<AtomicBool>,
}

impl Screen {
    /// Switches the terminal to the viewer's mode.
    ///
    /// # Errors
    /// Any error of the terminal, which is restored then.
    pub(super) fn open() -> io::Result<Self> {
        give_back_in_panic();
        // quipu decides itself whether to use colours.
        force_color_output(true);
        let over = Arc::<AtomicBool>::default();
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT] {
            signal_hook::flag::register(signal, Arc::clone(&over))?;
        }
        let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        let screen = Self { terminal, over };
        take()?;
        Ok(screen)
    }

    /// The size of the terminal, as an event.
    ///
    /// # Errors
    /// Any error of the terminal.
    pub(super) fn size(&self) -> io::Result<ViewEvent> {
        let size = self.terminal.size()?;
        Ok(ViewEvent::Size(size.width, size.height))
    }

    /// Draws the state.
    ///
    /// # Errors
    /// Any error of the terminal.
    pub(super) fn draw(&mut self, state: &ViewState) -> io::Result<()> {
        self.terminal.draw(|frame| draw::frame(state, frame))?;
        Ok(())
    }

    /// Clears the screen, so that everything is drawn again.
    ///
    /// # Errors
    /// Any error of the terminal.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }

    /// Restores the terminal and suspends the program, on systems that can.
    ///
    /// # Errors
    /// Any error of the terminal.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        {
            give_back();
            signal_hook::low_level::raise(signal_hook::consts::SIGTSTP)?;
            take()?;
            self.terminal.clear()?;
        }
        Ok(())
    }

    /// Starts the thread that sends keys, sizes and the request to end.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn listen(&self, events: &Sender<ViewEvent>) -> io::Result<()> {
        let (over, events) = (Arc::clone(&self.over), events.clone());
        thread::Builder::new().spawn(move || {
            loop {
                let told = match event::poll(LOOK_UP).and_then(|some| some.then(event::read).transpose()) {
                    Ok(Some(event)) => heard(&event),
                    Ok(None) => None,
                    // The terminal is gone.
                    Err(_) => Some(ViewEvent::Over),
                };
                let ends = over.load(Ordering::Relaxed) || is_broken();
                let told = if ends { Some(ViewEvent::Over) } else { told };
                let over = matches!(told, Some(ViewEvent::Over));
                if told.is_some_and(|told| events.send(told).is_err()) || over {
                    return;
                }
            }
        })?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen)
}

/// Restores the terminal once. Errors are ignored: nobody could see them.
fn give_back() {
    if !is_raw_mode_enabled().unwrap_or(true) {
        return;
    }
    drop(execute!(stdout(), LeaveAlternateScreen, Show));
    drop(disable_raw_mode());
}

/// Makes every panic, in any thread, restore the terminal first, so that its message can be read.
fn give_back_in_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            BROKEN.store(true, Ordering::Relaxed);
            give_back();
            tell(panic);
        }));
    });
}

/// The event of a terminal event, if it has one.
fn heard(event: &event::Event) -> Option<ViewEvent> {
    match event {
        event::Event::Resize(columns, lines) => Some(ViewEvent::Size(*columns, *lines)),
        event::Event::Key(key) if key.kind != KeyEventKind::Release => pressed(*key).map(ViewEvent::Key),
        _ => None,
    }
}

fn pressed(KeyEvent { code, modifiers, .. }: KeyEvent) -> Option<KeyPress> {
    let held = modifiers.intersection(KeyModifiers::CONTROL | KeyModifiers::ALT);
    Some(match code {
        KeyCode::Char(letter) if held == KeyModifiers::CONTROL => KeyPress::Control(letter.to_ascii_lowercase()),
        // A character that needs Ctrl and Alt together on some keyboards is an ordinary character.
        KeyCode::Char(letter) if held.is_empty() || held == KeyModifiers::CONTROL | KeyModifiers::ALT => {
            KeyPress::Char(letter)
        }
        KeyCode::Up => KeyPress::Up,
        KeyCode::Down => KeyPress::Down,
        KeyCode::Left => KeyPress::Left,
        KeyCode::Right => KeyPress::Right,
        KeyCode::PageUp => KeyPress::PageUp,
        KeyCode::PageDown => KeyPress::PageDown,
        KeyCode::Home => KeyPress::Home,
        KeyCode::End => KeyPress::End,
        KeyCode::Enter => KeyPress::Enter,
        KeyCode::Esc => KeyPress::Escape,
        KeyCode::Backspace => KeyPress::Backspace,
        _ => return None,
    })
}
