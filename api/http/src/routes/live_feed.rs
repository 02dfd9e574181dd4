//! The feed of a game in progress. One task follows all games that are watched: it writes each version once, after the commit
//! that saved it, and wakes the spectators of that game alone.

use std::{borrow::Cow, pin::pin, sync::Arc, time::Duration};

use actix_web::web::{self, Bytes};
use futures_util::future::{Either, select};
use quipu_archive::{
    model::{Draft, Number},
    store::StoreError,
};
use quipu_referee::report;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use tokio::time;

use super::{
    live_game::{LiveGame, missing, whole},
    sse::{self, EventSource, POLL, StreamEnd},
};
use crate::{
    budget,
    live_events::{Latest, LiveEvent, WatchedGame},
    permits,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    service::Service,
};

/// Shortest interval between two looks at the watched games, however often games are saved.
const PAUSE: Duration = Duration::from_millis(20);

/// An event as OpenAPI describes it: its fields, and the schema of its data.
pub(crate) enum Event {}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "LiveEvent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let game = generator.subschema_for::<LiveGame<'_>>();
        json_schema!({
            "type": "object",
            "required": ["id", "event", "data"],
            "properties": {
                "id": { "type": "string", "pattern": "^[1-9][0-9]*$" },
                "event": { "type": "string", "enum": ["saved", "finished", "closed"] },
                "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": game }
            }
        })
    }
}

pub(super) async fn feed(context: RequestContext) -> HandlerResult {
    let number = context.path_number("number");
    let game = context.service.live_events.watch(number);
    let now = match begin(&context.service, &game).await {
        Ok(now) => now.ok_or_else(|| missing(number))?,
        Err(StreamEnd::Failed(error)) => return Err(error.into()),
        Err(StreamEnd::Ended | StreamEnd::Later) => {
            return Err(Problem::variant(problem::BUSY, "memory").retry_after(1));
        }
    };
    let seen = context.number("Last-Event-ID").or_else(|| context.number("since")).unwrap_or_default();
    // A version in the future belongs to another archive.
    let seen = if seen > now.version { 0 } else { seen };
    let ended = now.finished && seen == now.version;
    let news = game.news();
    context.events(sse::stream(&context, "", Spectator { game, seen, ended }, news))
}

/// The current version of a game, or none if it is closed. Spectators who ask while it is written wait for it.
async fn begin(service: &Arc<Service>, game: &WatchedGame) -> Result<Option<LiveEvent>, StreamEnd> {
    let _turn = service.live_events.first.lock().await;
    let number = game.number;
    let limit = service.settings.query_timeout;
    let Some(version) = service.store.read_within(limit, |reading| reading.live_version(number))? else {
        return Ok(None);
    };
    if let Latest::Version(event) = game.latest()
        && event.version >= version
    {
        return Ok(Some(event));
    }
    let own = Arc::clone(service);
    let written = permits::in_background(move || Ok(write(&own, number)));
    // Fails if no thread can be started now.
    let event = written.await.unwrap_or(Err(StreamEnd::Later))?;
    if let Some(event) = &event {
        game.publish(Latest::Version(event.clone()));
    }
    Ok(event)
}

/// Writes the event of the current version of a game; none if it is closed.
fn write(service: &Service, number: Number) -> Result<Option<LiveEvent>, StreamEnd> {
    // Spectators that stop reading hold the bytes sent to them, so these have a memory budget of their own.
    let Ok(mut reservation) = service.spool.events().reserve(Draft::MOST) else { return Err(StreamEnd::Later) };
    let Some(live) = service.store.read(|reading| reading.live(number))? else { return Ok(None) };
    let mut json = Vec::new();
    // Writing to memory does not fail, and ends the line.
    let written = whole(&live, |game| drop(report::write(game, &mut json)));
    written.map_err(|_| StreamEnd::Failed(StoreError::Corrupt(format!("game in progress {number}"))))?;
    reservation.grow_to(json.len()).map_err(|_| StreamEnd::Later)?;
    reservation.shrink_to(json.len());
    let (version, finished) = (live.version, live.finished.is_some());
    Ok(Some(LiveEvent { version, finished, json: reservation.share(json) }))
}

/// Follows the watched games until the service stops. It looks at them after each commit, and from time to time for commits of
/// other programs.
pub(crate) async fn follow(service: Arc<Service>) {
    let (mut commits, mut stop) = (service.commits(), service.stopping());
    loop {
        let stopped = stop.wait_for(|stopping| *stopping);
        let news = time::timeout(POLL, commits.changed());
        if let Either::Left(_) = select(pin!(stopped), pin!(news)).await {
            return;
        }
        let games = service.live_events.watched();
        if games.is_empty() {
            continue;
        }
        let own = Arc::clone(&service);
        match web::block(move || look(&own, &games)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::error!(%error, "live games");
                service.note(&error.into());
            }
            // The thread panicked; the next look tries again.
            Err(error) => tracing::error!(%error, "live games"),
        }
        time::sleep(PAUSE).await;
    }
}

/// Writes and publishes new versions of games.
fn look(service: &Service, games: &[Arc<WatchedGame>]) -> Result<(), StoreError> {
    let versions = service.store.read(|reading| {
        games.iter().map(|game| reading.live_version(game.number)).collect::<Result<Vec<_>, StoreError>>()
    })?;
    let mut failed = Ok(());
    for (game, version) in games.iter().zip(versions) {
        let latest = game.latest();
        let written = match (version, &latest) {
            (_, Latest::Closed(_)) => continue,
            (Some(version), Latest::Version(event)) if event.version >= version => continue,
            (Some(_), _) => write(service, game.number),
            (None, _) => Ok(None),
        };
        game.publish(match (written, latest) {
            (Ok(Some(event)), _) => Latest::Version(event),
            (Ok(None), Latest::Version(last)) => Latest::Closed(Some(last)),
            (Ok(None), _) => Latest::Closed(None),
            // The other games go on.
            (Err(StreamEnd::Failed(error)), _) => {
                failed = Err(error);
                continue;
            }
            // The version before makes room for this one.
            (Err(StreamEnd::Ended | StreamEnd::Later), _) => Latest::Unwritten,
        });
    }
    failed
}

/// A spectator. Of several saves in a row only the last is sent: it contains all moves before.
struct Spectator {
    game: Arc<WatchedGame>,
    /// The version sent last.
    seen: Number,
    /// True if no event can follow.
    ended: bool,
}

impl EventSource for Spectator {
    async fn poll(&mut self, _: &Service) -> Result<Option<Vec<Bytes>>, StreamEnd> {
        if self.ended {
            return Err(StreamEnd::Ended);
        }
        let (kind, LiveEvent { version, json, .. }) = match self.game.latest() {
            Latest::Version(event) if event.version > self.seen => {
                (if event.finished { "finished" } else { "saved" }, event)
            }
            Latest::Closed(Some(event)) => ("closed", event),
            Latest::Closed(None) => return Err(StreamEnd::Ended),
            Latest::Version(_) | Latest::Unwritten => return Ok(None),
        };
        (self.seen, self.ended) = (version, kind != "saved");
        let head = format!("id: {version}\nevent: {kind}\ndata: ");
        Ok(Some(vec![head.into(), budget::shared(json), Bytes::from_static(b"\n")]))
    }
}
