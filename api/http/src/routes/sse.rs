//! Server-sent events: polling of a source, heartbeats, and the end of a stream.

use std::{future, sync::Arc, time::Duration};

use actix_web::web::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use tokio::{
    sync::watch,
    task,
    time::{self, Instant},
};

use crate::{auth::Bearer, messages, request::RequestContext, service::Service};
use quipu_archive::store::StoreError;

/// Longest delay of changes by another program.
pub(super) const POLL: Duration = Duration::from_secs(1);
/// Shortest interval between two polls of a source, so that many listeners leave the archive time for other requests.
const PAUSE: Duration = Duration::from_millis(50);
/// Longest silence: proxies take a connection that is silent for longer for dead.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Reconnection time of clients in milliseconds.
const RETRY: u32 = 2_000;

pub(super) trait EventSource: Sized + 'static {
    /// The next events as pieces of text; none if there is nothing new. Each piece carries its reservation of memory.
    ///
    /// # Errors
    /// The end of the stream, a lack of memory, or an error of the archive, after which the client reconnects.
    fn poll(&mut self, service: &Service) -> impl Future<Output = Result<Option<Vec<Bytes>>, StreamEnd>>;
}

/// The reason that no event follows.
pub(super) enum StreamEnd {
    /// The source has ended.
    Ended,
    /// There is no memory for an event now; the next poll tries again.
    Later,
    /// The archive failed.
    Failed(StoreError),
}

impl From<StoreError> for StreamEnd {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// The stream of events of a source, which is polled when `news` wakes. It opens with the reconnection time and the text
/// `first`. The next poll waits until the client has taken the events before, so that nothing piles up.
pub(super) fn stream<L: EventSource, N: Send + Sync + 'static>(
    context: &RequestContext,
    first: &str,
    source: L,
    news: watch::Receiver<N>,
) -> impl Stream<Item = Bytes> + use<L, N> {
    let opening = Bytes::from(format!("retry: {RETRY}\n{}{first}\n", ignored_id(context)));
    let now = Instant::now();
    let (service, bearer) = (Arc::clone(&context.service), context.bearer.clone());
    let events = EventStream { source, service, bearer, news, polled: now - PAUSE, sent: now };
    let pieces = stream::unfold(events, EventStream::next).flat_map(stream::iter);
    stream::once(future::ready(opening)).chain(pieces)
}

/// A comment that the id of the last event in the request is none, and so is ignored; empty if it is one.
fn ignored_id(context: &RequestContext) -> String {
    // A number is no text.
    let ignored = context.text("Last-Event-ID").map(|_| messages::get("feed.ignored", context.lang));
    ignored.map(|text| format!(": {text}\n")).unwrap_or_default()
}

struct EventStream<L, N> {
    source: L,
    service: Arc<Service>,
    /// The token of the request.
    bearer: Option<Bearer>,
    news: watch::Receiver<N>,
    /// Time of the last poll.
    polled: Instant,
    /// Time of the last event or heartbeat.
    sent: Instant,
}

impl<L: EventSource, N> EventStream<L, N> {
    /// The next events. A revoked token ends the stream.
    async fn poll(&mut self) -> Result<Option<Vec<Bytes>>, StreamEnd> {
        // The semaphore is never closed.
        let _permit = self.service.limits.listener_lookups.acquire().await;
        let events = match &self.bearer {
            Some(bearer) if !bearer.still_holds(&self.service.store, self.service.settings.query_timeout)? => {
                Err(StreamEnd::Ended)
            }
            _ => self.source.poll(&self.service).await,
        };
        // Requests that arrived meanwhile go before the next listener, which waits for the permit.
        task::yield_now().await;
        events
    }

    /// The next events or a heartbeat; none at the end.
    async fn next(mut self) -> Option<(Vec<Bytes>, Self)> {
        loop {
            time::sleep_until(self.polled + PAUSE).await;
            // Before the poll: anything later wakes the stream again.
            self.news.mark_unchanged();
            self.polled = Instant::now();
            match self.poll().await {
                Ok(Some(events)) => {
                    self.sent = self.polled;
                    return Some((events, self));
                }
                Ok(None) | Err(StreamEnd::Later) => {}
                Err(StreamEnd::Ended) => return None,
                Err(StreamEnd::Failed(error)) => {
                    tracing::error!(%error, "feed");
                    self.service.note(&error.into());
                    return None;
                }
            }
            let heartbeat = self.sent + HEARTBEAT;
            if self.polled >= heartbeat {
                self.sent = self.polled;
                return Some((vec![Bytes::from_static(b":\n\n")], self));
            }
            let wake = heartbeat.min(self.polled + POLL);
            // A timeout is as good a reason to poll as news.
            if let Ok(Err(_)) = time::timeout_at(wake, self.news.changed()).await {
                return None;
            }
        }
    }
}
