//! A live game, and the device that scores it.

use std::{
    fmt::Write,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use fastrand::Rng;
use serde_json::Value;

use super::{
    super::{harness::Latencies, normal::LoadResult},
    bell::Bell,
    client::Client,
};

/// Plies that a game has when its board begins to save, so that it is a game of some length.
const BEGUN: usize = 12;
/// Milliseconds that each side had in the beginning.
const CLOCK: usize = 720_000;
const TEXT: &str = "text/plain";

/// A live game.
pub(super) struct Game {
    pub(super) number: u64,
    device: Client,
    /// Its record without moves.
    start: String,
    /// The time at which each version after the first was sent.
    sent: Mutex<Vec<Instant>>,
}

impl Game {
    /// Opens a game from its record without moves.
    ///
    /// # Errors
    /// That of the service.
    pub(super) fn open(device: Client, start: String) -> Result<Self, String> {
        let opened = device.json("POST", "/v1/live", &[], Some((TEXT, &*start)))?;
        let number = opened["live"].as_u64().ok_or("a game has a number")?;
        Ok(Self { number, device, start, sent: Mutex::default() })
    }

    /// Saves a ply after each pause until it is over: from half of it to one and a half.
    ///
    /// # Errors
    /// That of the service, or a version that is not the next one.
    pub(super) fn play(
        &self,
        moves: &[String],
        pause: Duration,
        over: &Bell,
        outcome: &mut LoadResult,
    ) -> Result<(), String> {
        let mut random = Rng::with_seed(self.number);
        let milliseconds = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        // Boards begin at different times.
        let mut wait = random.u64(..milliseconds);
        let mut latencies = Latencies::default();
        while over.pauses(Duration::from_millis(wait)) {
            let version = self.version();
            // A game that gets to its end is taken back to where it began.
            let plies = BEGUN + (version - 1) % (moves.len() - BEGUN);
            let record = record(&self.start, &moves[..plies]);
            let path = format!("/v1/live/{}?clock_one={}&clock_two={CLOCK}&running=yes", self.number, CLOCK - version);
            let sent = Instant::now();
            self.sent().push(sent);
            let seen = format!("\"{version}\"");
            let saved = self.device.json("PUT", &path, &[("If-Match", &*seen)], Some((TEXT, &*record)))?;
            latencies.add(sent.elapsed());
            if saved["version"] != version + 1 || saved["plies"] != plies {
                return Err(format!("PUT {path}: version {} of {} plies", saved["version"], saved["plies"]));
            }
            wait = random.u64(milliseconds / 2..milliseconds * 3 / 2);
        }
        outcome.latencies.entry("a save").or_default().extend(latencies);
        Ok(())
    }

    /// Ends the game without a record, and so its feeds.
    ///
    /// # Errors
    /// That of the service.
    pub(super) fn close(&self) -> Result<Value, String> {
        self.device.json("POST", &format!("/v1/live/{}/close", self.number), &[("If-Match", "*")], None)
    }

    /// The version that was sent last.
    pub(super) fn version(&self) -> usize {
        self.sent().len() + 1
    }

    /// The time since a version was sent.
    pub(super) fn since(&self, version: usize) -> Duration {
        version.checked_sub(2).and_then(|at| self.sent().get(at).map(Instant::elapsed)).unwrap_or_default()
    }

    fn sent(&self) -> MutexGuard<'_, Vec<Instant>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A record with these moves.
fn record(start: &str, moves: &[String]) -> String {
    let (tags, _) = start.rsplit_once('*').unwrap_or((start, ""));
    let mut text = tags.to_owned();
    for (index, token) in moves.iter().enumerate() {
        if index % 2 == 0 {
            write!(text, "{}. ", index / 2 + 1).expect("a String takes everything");
        }
        text += token;
        text += " ";
    }
    text + "*\n"
}
