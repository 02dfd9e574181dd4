//! Events of games in progress, each written once and shared by all spectators.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use super::budget::Reserved;
use quipu_archive::model::Number;

/// The last version of each game that some spectator still holds.
#[derive(Default)]
pub(crate) struct LiveEvents(HashMap<Number, Entry>);

struct Entry {
    version: Number,
    finished: bool,
    json: Weak<Reserved<Vec<u8>>>,
}

/// One version of a game in progress.
#[derive(Clone)]
pub(crate) struct LiveEvent {
    pub(super) version: Number,
    pub(super) finished: bool,
    /// The game as JSON with a line break at its end.
    pub(super) json: Arc<Reserved<Vec<u8>>>,
}

impl LiveEvents {
    /// The event of this version of a game, if a spectator holds it.
    pub(super) fn find(&self, number: Number, version: Number) -> Option<LiveEvent> {
        let entry = self.0.get(&number).filter(|entry| entry.version == version)?;
        Some(LiveEvent { version, finished: entry.finished, json: entry.json.upgrade()? })
    }

    /// Adds an event, and drops those that no spectator holds.
    pub(super) fn insert(&mut self, number: Number, event: &LiveEvent) {
        self.0.retain(|_, entry| entry.json.strong_count() > 0);
        let entry = Entry { version: event.version, finished: event.finished, json: Arc::downgrade(&event.json) };
        self.0.insert(number, entry);
    }
}
