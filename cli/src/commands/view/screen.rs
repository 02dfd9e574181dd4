//! The terminal: taken over and given back, whatever happens meanwhile.

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
    keys::Key,
    state::{Event, State},
};

/// Who waits for keys looks up so often for other reasons to end.
const LOOK_UP: Duration = Duration::from_millis(200);

/// Something has failed for good, and the terminal was given back to tell it.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// Whether something has failed for good meanwhile, and was told.
pub(super) fn is_broken() -> bool {
    BROKEN.load(Ordering::Relaxed)
}

/// A terminal that was taken over. It is given back when this goes.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// The system has asked to end.
    over: Arc<AtomicBool>,
}

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// What the terminal reports. It is given back then.
    pub(super) fn open() -> io::Result<Self> {
        give_back_in_panic();
        // Whether there are colours was decided with all that quipu knows about it.
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

    /// How large it is.
    ///
    /// # Errors
    /// What the terminal reports.
    pub(super) fn size(&self) -> io::Result<Event> {
        let size = self.terminal.size()?;
        Ok(Event::Size(size.width, size.height))
    }

    /// Draws the state.
    ///
    /// # Errors
    /// What the terminal reports.
    pub(super) fn draw(&mut self, state: &State) -> io::Result<()> {
        self.terminal.draw(|frame| draw::frame(state, frame))?;
        Ok(())
    }

    /// Forgets what is on it, so that all is drawn again.
    ///
    /// # Errors
    /// What the terminal reports.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }

    /// Gives the terminal back and waits until it is wanted again, where the system knows how to.
    ///
    /// # Errors
    /// What the terminal reports.
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

    /// Begins a thread that tells which keys are pressed, and when it has to end.
    ///
    /// # Errors
    /// If no thread can be begun.
    pub(super) fn listen(&self, events: &Sender<Event>) -> io::Result<()> {
        let (over, events) = (Arc::clone(&self.over), events.clone());
        thread::Builder::new().spawn(move || {
            loop {
                let told = match event::poll(LOOK_UP).and_then(|some| some.then(event::read).transpose()) {
                    Ok(Some(event)) => heard(&event),
                    Ok(None) => None,
                    // The terminal has gone.
                    Err(_) => Some(Event::Over),
                };
                let ends = over.load(Ordering::Relaxed) || is_broken();
                let told = if ends { Some(Event::Over) } else { told };
                let over = matches!(told, Some(Event::Over));
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

/// Gives the terminal back, unless that was done. There is nobody to tell that it failed.
fn give_back() {
    if !is_raw_mode_enabled().unwrap_or(true) {
        return;
    }
    drop(execute!(stdout(), LeaveAlternateScreen, Show));
    drop(disable_raw_mode());
}

/// Whoever panics, in whatever thread, does so on a terminal where it can be read.
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

/// What an event means, if it means something.
fn heard(event: &event::Event) -> Option<Event> {
    match event {
        event::Event::Resize(columns, lines) => Some(Event::Size(*columns, *lines)),
        event::Event::Key(key) if key.kind != KeyEventKind::Release => pressed(*key).map(Event::Key),
        _ => None,
    }
}

fn pressed(KeyEvent { code, modifiers, .. }: KeyEvent) -> Option<Key> {
    let held = modifiers.intersection(KeyModifiers::CONTROL | KeyModifiers::ALT);
    Some(match code {
        KeyCode::Char(letter) if held == KeyModifiers::CONTROL => Key::Control(letter.to_ascii_lowercase()),
        // What needs Ctrl and Alt together on some keyboards is a character like any other.
        KeyCode::Char(letter) if held.is_empty() || held == KeyModifiers::CONTROL | KeyModifiers::ALT => {
            Key::Char(letter)
        }
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}
