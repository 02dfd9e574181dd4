//! The viewer without terminal and threads, for tests: every effect runs at once.

use std::{
    num::NonZero,
    path::PathBuf,
    sync::{atomic::AtomicBool, mpsc},
};

use super::{
    keys::Key,
    library::Library,
    state::{Effect, Event, State},
};
use crate::{context::Context, input::Source};

/// The viewer's state and the index of its records.
pub(super) struct Desk {
    pub(super) library: Library,
    pub(super) state: State,
}

impl Desk {
    /// A viewer of one file, completely read.
    pub(super) fn new(context: Context, path: &str, (columns, lines): (u16, u16)) -> Self {
        let library = Library::new(context, vec![Source::File(PathBuf::from(path))], None);
        let title = path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut desk = Self { library, state: State::new(context, title, (None, None)) };
        desk.take(Event::Size(columns, lines));
        let (sender, news) = mpsc::channel();
        desk.library.read(NonZero::<usize>::MIN, &sender);
        drop(sender);
        for news in news {
            desk.take(news);
        }
        desk
    }

    /// Resizes the terminal.
    pub(super) fn resize(&mut self, (columns, lines): (u16, u16)) {
        self.take(Event::Size(columns, lines));
    }

    /// Presses keys; a line break is Enter.
    pub(super) fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.take(Event::Key(if key == '\n' { Key::Enter } else { Key::Char(key) }));
        }
    }

    fn take(&mut self, news: Event) {
        self.state.take(news);
        for wish in self.state.wishes() {
            self.run_effect(wish);
        }
    }

    fn run_effect(&mut self, wish: Effect) {
        let running = AtomicBool::new(false);
        match wish {
            Effect::Rows(records) => {
                let rows = self.library.rows(&records);
                self.take(Event::Rows(rows));
            }
            Effect::Open(record) => {
                let game = self.library.open(record).map(Box::new);
                self.take(Event::Opened { record, game });
            }
            Effect::Find { ticket, needle, from, direction, among } => {
                let found = self.library.search(&needle, from, direction, among.as_deref(), &running);
                self.take(Event::Found { ticket, found });
            }
            Effect::Filter { ticket, needle } => {
                let mut all = Vec::new();
                self.library.sift(&needle, &running, |records| {
                    all.push(records);
                    true
                });
                for records in all {
                    self.take(Event::Sifted { ticket, records });
                }
                self.take(Event::SiftEnded { ticket });
            }
            Effect::StopFind | Effect::StopSift | Effect::Redraw | Effect::Suspend | Effect::Quit => {}
        }
    }
}
