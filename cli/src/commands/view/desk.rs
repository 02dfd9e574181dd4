//! The viewer without terminal and threads, for tests: everything that is wished for is done at once.

use std::{
    num::NonZero,
    path::PathBuf,
    sync::{atomic::AtomicBool, mpsc},
};

use super::{
    keys::Key,
    library::Library,
    state::{News, State, Wish},
};
use crate::{context::Context, input::Source};

/// What is shown, and what it is made of.
pub(super) struct Desk {
    pub(super) library: Library,
    pub(super) state: State,
}

impl Desk {
    /// The records of a file, all read.
    pub(super) fn new(context: Context, path: &str, (columns, lines): (u16, u16)) -> Self {
        let library = Library::new(context, vec![Source::File(PathBuf::from(path))], None);
        let title = path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut desk = Self { library, state: State::new(context, title, (None, None)) };
        desk.take(News::Size(columns, lines));
        let (sender, news) = mpsc::channel();
        desk.library.read(NonZero::<usize>::MIN, &sender);
        drop(sender);
        for news in news {
            desk.take(news);
        }
        desk
    }

    /// Gives the terminal another size.
    pub(super) fn resize(&mut self, (columns, lines): (u16, u16)) {
        self.take(News::Size(columns, lines));
    }

    /// Presses keys; a line break is Enter.
    pub(super) fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.take(News::Key(if key == '\n' { Key::Enter } else { Key::Char(key) }));
        }
    }

    fn take(&mut self, news: News) {
        self.state.take(news);
        for wish in self.state.wishes() {
            self.fulfil(wish);
        }
    }

    fn fulfil(&mut self, wish: Wish) {
        let running = AtomicBool::new(false);
        match wish {
            Wish::Rows(records) => {
                let rows = self.library.rows(&records);
                self.take(News::Rows(rows));
            }
            Wish::Open(record) => {
                let game = self.library.open(record).map(Box::new);
                self.take(News::Opened { record, game });
            }
            Wish::Find { ticket, needle, from, direction, among } => {
                let found = self.library.search(&needle, from, direction, among.as_deref(), &running);
                self.take(News::Found { ticket, found });
            }
            Wish::Sift { ticket, needle } => {
                let mut all = Vec::new();
                self.library.sift(&needle, &running, |records| {
                    all.push(records);
                    true
                });
                for records in all {
                    self.take(News::Sifted { ticket, records });
                }
                self.take(News::SiftEnded { ticket });
            }
            Wish::StopFind | Wish::StopSift | Wish::Redraw | Wish::Suspend | Wish::Quit => {}
        }
    }
}
