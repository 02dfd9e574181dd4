//! A spectator, who follows a game as its page does: at each event of the feed the page is fetched again.

use std::{
    io::{BufRead, BufReader},
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{super::normal::LoadResult, client::Client, game::Game};

/// Progress of all spectators.
#[derive(Default)]
pub(super) struct Progress {
    /// Those whose feed has begun.
    pub(super) listening: AtomicUsize,
    /// Saves that were seen, each as often as there are spectators of its game.
    pub(super) seen: AtomicUsize,
    /// Of these, those that came with a later one.
    pub(super) merged: AtomicUsize,
    /// Clients, of any kind, that have failed.
    pub(super) failed: AtomicUsize,
}

pub(super) struct Spectator<'g> {
    game: &'g Game,
    feed: Client,
    browser: Client,
    progress: &'g Progress,
}

impl<'g> Spectator<'g> {
    pub(super) fn new(game: &'g Game, server: &str, number: usize, progress: &'g Progress) -> Self {
        Self { game, feed: Client::listener(server, number), browser: Client::new(server, number), progress }
    }

    /// Watches the game until it is closed.
    ///
    /// # Errors
    /// If a save is not seen, or not in its order, or if the service refuses something.
    pub(super) fn watch(&self, outcome: &mut LoadResult) -> Result<(), String> {
        let path = format!("/v1/live/{}/feed", self.game.number);
        let feed = self.feed.get(&path, &[("Accept", "text/event-stream")])?;
        let fault = |what: String| format!("GET {path}: {what}");
        let (mut seen, mut version, mut kind) = (0, 0, String::new());
        for line in BufReader::new(feed.into_body().into_reader()).lines() {
            let line = line.map_err(|error| fault(error.to_string()))?;
            if let Some(id) = line.strip_prefix("id: ") {
                version = id.parse().map_err(|_| fault(line.clone()))?;
            } else if let Some(event) = line.strip_prefix("event: ") {
                event.clone_into(&mut kind);
            } else if line.starts_with("data: ") {
                match &*kind {
                    "closed" if seen == self.game.version() => return Ok(()),
                    "saved" if version > seen && line.contains(&format!("\"version\":{version},")) => {}
                    _ => return Err(fault(format!("{kind} of version {version} after version {seen}"))),
                }
                self.see(seen, version, outcome)?;
                seen = version;
            }
        }
        Err(fault(format!("it ends after version {seen} of {}", self.game.version())))
    }

    /// Notes an event, and fetches the page. The first event is the game as it was opened.
    fn see(&self, seen: usize, version: usize, outcome: &mut LoadResult) -> Result<(), String> {
        let Progress { listening, seen: all, merged, .. } = self.progress;
        if seen == 0 {
            listening.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let mut note = |name| {
            let latencies = outcome.latencies.entry(name).or_default();
            (seen + 1..=version).for_each(|save| latencies.add(self.game.since(save)));
        };
        note("its event at a spectator");
        self.fetch(version)?;
        note("the page with it");
        all.fetch_add(version - seen, Ordering::Relaxed);
        merged.fetch_add(version - seen - 1, Ordering::Relaxed);
        Ok(())
    }

    /// Fetches the page, which must show this version or a later one.
    fn fetch(&self, version: usize) -> Result<(), String> {
        let path = format!("/live/{}", self.game.number);
        let mut page = self.browser.get(&path, &[("Accept", "text/html"), ("Accept-Encoding", "gzip")])?;
        std::io::copy(&mut page.body_mut().as_reader(), &mut std::io::sink())
            .map_err(|error| format!("GET {path}: {error}"))?;
        // "live-NUMBER-VERSION-CHANGE.…"
        let tag = page.headers().get("etag").and_then(|tag| tag.to_str().ok()).unwrap_or_default();
        let shown = tag.split('-').nth(2).and_then(|shown| shown.parse::<usize>().ok());
        if shown.is_some_and(|shown| shown >= version) {
            Ok(())
        } else {
            Err(format!("GET {path}: {tag} after the event of version {version}"))
        }
    }
}
