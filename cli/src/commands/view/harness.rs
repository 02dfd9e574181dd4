//! The viewer without terminal and threads, for tests: every effect runs at once.

use std::{
    num::NonZero,
    path::PathBuf,
    sync::{atomic::AtomicBool, mpsc},
};

use super::{
    index::RecordIndex,
    keys::KeyPress,
    state::{Effect, ViewEvent, ViewState},
};
use crate::{
    context::Context,
    input::{InputSource, ReadOptions},
};

/// The viewer's state and the index of its records.
pub(super) struct TestViewer {
    pub(super) index: RecordIndex,
    pub(super) state: ViewState,
}

impl TestViewer {
    /// A viewer of one file, completely read.
    pub(super) fn new(context: Context, path: &str, (columns, lines): (u16, u16)) -> Self {
        let index = RecordIndex::new(context, vec![InputSource::File(PathBuf::from(path))], ReadOptions::default());
        let title = path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut viewer = Self { index, state: ViewState::new(context, title, (None, None)) };
        viewer.update(ViewEvent::Size(columns, lines));
        let (sender, events) = mpsc::channel();
        viewer.index.read(NonZero::<usize>::MIN, &sender);
        drop(sender);
        for event in events {
            viewer.update(event);
        }
        viewer
    }

    pub(super) fn resize(&mut self, (columns, lines): (u16, u16)) {
        self.update(ViewEvent::Size(columns, lines));
    }

    /// Presses keys; a line break is Enter.
    pub(super) fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.update(ViewEvent::Key(if key == '\n' { KeyPress::Enter } else { KeyPress::Char(key) }));
        }
    }

    fn update(&mut self, event: ViewEvent) {
        self.state.update(event);
        for effect in self.state.effects() {
            self.run_effect(effect);
        }
    }

    fn run_effect(&mut self, effect: Effect) {
        let running = AtomicBool::new(false);
        match effect {
            Effect::Rows(records) => {
                let rows = self.index.rows(&records);
                self.update(ViewEvent::Rows(rows));
            }
            Effect::Open(record) => {
                let game = self.index.open(record).map(Box::new);
                self.update(ViewEvent::Opened { record, game });
            }
            Effect::Readings(record) => {
                let lines = self.index.readings(record);
                self.update(ViewEvent::Readings { record, lines });
            }
            Effect::Find { generation, query, from, direction, among } => {
                let found = self.index.search(&query, from, direction, among.as_deref(), &running);
                self.update(ViewEvent::Found { generation, found });
            }
            Effect::Filter { generation, query } => {
                let mut all = Vec::new();
                self.index.filter(&query, &running, |records| {
                    all.push(records);
                    true
                });
                for records in all {
                    self.update(ViewEvent::Filtered { generation, records });
                }
                self.update(ViewEvent::FilterEnded { generation });
            }
            Effect::StopFind | Effect::StopFilter | Effect::Redraw | Effect::Suspend | Effect::Quit => {}
        }
    }
}
