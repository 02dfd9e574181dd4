//! The events of those who listen: when they look for news, when they are told that the service is still there, and that
//! there is nothing more. What the news are is for the routes to say.

use std::{future, sync::Arc, time::Duration};

use actix_web::web::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use tokio::{
    sync::watch,
    task,
    time::{self, Instant},
};

use crate::{auth::Bearer, request::RequestContext, service::Service};
use quipu_archive::store::StoreError;

/// How long it may take until it is seen what another program wrote.
const POLL: Duration = Duration::from_secs(1);
/// How long a listener waits at least between two looks, so that many of them leave the archive time for others.
const PAUSE: Duration = Duration::from_millis(50);
/// How long nothing is sent at the most; a connection that is silent for longer is taken for dead on its way.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Milliseconds after which a client is to try again.
const RETRY: u32 = 2_000;

/// One who listens, told things one after the other.
pub(super) trait Listener: Sized + 'static {
    /// Looks for what is new, and says it in pieces; nothing if there is nothing new. Each piece has its reservation of
    /// memory.
    ///
    /// # Errors
    /// If there will be nothing more, if memory is used up for now, or if the archive fails, so that the client comes back.
    fn news(&mut self, service: &Service) -> impl Future<Output = Result<Option<Vec<Bytes>>, StreamEnd>>;
}

/// Why nothing more is said.
pub(super) enum StreamEnd {
    /// There is nothing more to come.
    Ended,
    /// There is no memory for an event now: it is looked for again.
    Later,
    /// The archive failed.
    Failed(StoreError),
}

impl From<StoreError> for StreamEnd {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// All that a listener is told, as it happens. It opens with when to try again, and with what else is to be said `first`.
/// What was sent and not yet taken holds the next look up, so that nothing piles up.
pub(super) fn listen<L: Listener>(
    context: &RequestContext,
    first: &str,
    listener: L,
) -> impl Stream<Item = Bytes> + use<L> {
    let opening = Bytes::from(format!("retry: {RETRY}\n{first}\n"));
    let now = Instant::now();
    let (service, bearer) = (Arc::clone(&context.service), context.bearer.clone());
    let events = EventStream { listener, service, bearer, commits: context.commits(), looked: now - PAUSE, sent: now };
    let pieces = stream::unfold(events, EventStream::next).flat_map(stream::iter);
    stream::once(future::ready(opening)).chain(pieces)
}

struct EventStream<L> {
    listener: L,
    service: Arc<Service>,
    /// Whose token came with the request.
    bearer: Option<Bearer>,
    commits: watch::Receiver<u64>,
    /// When the archive was asked last.
    looked: Instant,
    /// When something was sent last.
    sent: Instant,
}

impl<L: Listener> EventStream<L> {
    /// What is new. Who may not ask any more is told nothing more.
    async fn look(&mut self) -> Result<Option<Vec<Bytes>>, StreamEnd> {
        // The semaphore is never closed.
        let _permit = self.service.limits.listener_lookups.acquire().await;
        let found = match &self.bearer {
            Some(bearer) if !bearer.still_holds(&self.service.store)? => Err(StreamEnd::Ended),
            _ => self.listener.news(&self.service).await,
        };
        // Requests that came meanwhile go before the next listener, which waits for the permit.
        task::yield_now().await;
        found
    }

    /// What is new, or a sign of life; nothing if it is over.
    async fn next(mut self) -> Option<(Vec<Bytes>, Self)> {
        loop {
            time::sleep_until(self.looked + PAUSE).await;
            // Before the archive is asked: what is committed from now on wakes again.
            self.commits.mark_unchanged();
            self.looked = Instant::now();
            match self.look().await {
                Ok(Some(news)) => {
                    self.sent = self.looked;
                    return Some((news, self));
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
            if self.looked >= heartbeat {
                self.sent = self.looked;
                return Some((vec![Bytes::from_static(b":\n\n")], self));
            }
            let wake = heartbeat.min(self.looked + POLL);
            // That it is time to look again is no less good than that something was committed.
            if let Ok(Err(_)) = time::timeout_at(wake, self.commits.changed()).await {
                return None;
            }
        }
    }
}
