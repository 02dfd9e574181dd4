//! Games in progress that somebody watches. Each version is written once and shared by all spectators.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::watch;

use super::budget::Reserved;
use quipu_archive::model::Number;

/// The games in progress that somebody watches.
#[derive(Default)]
pub(crate) struct LiveEvents {
    games: Mutex<HashMap<Number, Weak<WatchedGame>>>,
    /// Held by the request that has a game written for its first spectators, so that a rush takes one thread.
    pub(super) first: tokio::sync::Mutex<()>,
}

/// A game in progress, as long as somebody watches it.
pub(crate) struct WatchedGame {
    pub(super) number: Number,
    latest: watch::Sender<Latest>,
}

/// The state of a game as its spectators know it.
#[derive(Clone, Default)]
pub(crate) enum Latest {
    /// No version is written yet, or the last one not yet for lack of memory.
    #[default]
    Unwritten,
    Version(LiveEvent),
    /// The game was closed, after the last version that was written.
    Closed(Option<LiveEvent>),
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
    pub(super) fn watch(&self, number: Number) -> Arc<WatchedGame> {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(game) = games.get(&number).and_then(Weak::upgrade) {
            return game;
        }
        games.retain(|_, game| game.strong_count() > 0);
        let game = Arc::new(WatchedGame { number, latest: watch::Sender::default() });
        games.insert(number, Arc::downgrade(&game));
        game
    }

    /// All games that are watched now.
    pub(super) fn watched(&self) -> Vec<Arc<WatchedGame>> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner).values().filter_map(Weak::upgrade).collect()
    }
}

impl WatchedGame {
    pub(super) fn latest(&self) -> Latest {
        self.latest.borrow().clone()
    }

    /// A receiver that wakes at every new state.
    pub(super) fn news(&self) -> watch::Receiver<Latest> {
        self.latest.subscribe()
    }

    /// Shows spectators a later state, and drops an earlier one: several threads may have written the game.
    pub(super) fn publish(&self, state: Latest) {
        self.latest.send_if_modified(|latest| {
            let is_later = match (&*latest, &state) {
                (Latest::Closed(_), _) => false,
                (Latest::Version(known), Latest::Version(new)) => new.version > known.version,
                _ => true,
            };
            if is_later {
                *latest = state;
            }
            is_later
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::ByteBudget;

    fn event(version: Number) -> LiveEvent {
        let json = ByteBudget::new(10, "bodies").reserve(1).expect("room").share(vec![0]);
        LiveEvent { version, finished: false, json }
    }

    #[test]
    fn only_spectators_of_the_game_wake_and_none_goes_back() {
        let games = LiveEvents::default();
        let (one, other) = (games.watch(1), games.watch(2));
        let (mut news, of_other) = (one.news(), other.news());
        one.publish(Latest::Version(event(2)));
        assert!(matches!(games.watch(1).latest(), Latest::Version(event) if event.version == 2));
        assert_eq!([&news, &of_other].map(|news| news.has_changed().ok()), [Some(true), Some(false)]);
        news.mark_unchanged();
        // Another thread wrote an earlier version, or the same one.
        one.publish(Latest::Version(event(1)));
        one.publish(Latest::Version(event(2)));
        assert_eq!(news.has_changed().ok(), Some(false));
        one.publish(Latest::Closed(Some(event(2))));
        one.publish(Latest::Version(event(3)));
        assert!(matches!(one.latest(), Latest::Closed(Some(_))));
    }

    #[test]
    fn games_are_dropped_with_their_last_spectator() {
        let games = LiveEvents::default();
        let (one, again) = (games.watch(1), games.watch(1));
        drop(one);
        assert_eq!(games.watched().len(), 1);
        drop(again);
        assert!(games.watched().is_empty());
        let _other = games.watch(2);
        assert_eq!(games.games.lock().expect("nobody panics").len(), 1);
    }
}
