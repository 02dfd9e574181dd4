//! The state that all requests of one service share.

use std::{
    io,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use quipu_ratings::RatingCache;
use quipu_referee::Lang;
use quipu_webhooks::Webhooks;
use tokio::sync::{Mutex, watch};

use super::{
    limits::Limits, live_events::LiveEvents, openapi::Document, paired_boards::BoardCache, permits::SingleFlight,
    problem::Problem, route::Route, spool::Spool, telemetry::Metrics,
};
use quipu_archive::store::{Store, StoreError};
use quipu_options::settings::Settings;

/// Start and result of a check that the archive is ready.
pub(super) type ReadinessCheck = (Instant, Result<(), StoreError>);

/// The state that all requests of one service share.
pub(crate) struct Service {
    pub(super) settings: Settings,
    pub(super) store: Store,
    /// The routes of the API, in the order of the documentation.
    pub(super) api: Vec<&'static Route>,
    /// Set when the archive is found damaged. The service is not ready from then on, until an operator restarts it.
    pub(super) damaged: AtomicBool,
    /// The last readiness check. One runs at a time, however many requests ask for it.
    pub(super) readiness: Arc<Mutex<Option<ReadinessCheck>>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) limits: Limits,
    pub(super) spool: Spool,
    pub(super) live_events: LiveEvents,
    /// Boards of tournaments with tokens that are limited to them.
    pub(super) boards: Arc<BoardCache>,
    pub(super) ratings: Arc<RatingCache>,
    pub(crate) webhooks: Arc<Webhooks>,
    /// Pictures being drawn.
    pub(super) drawings: SingleFlight,
    /// Pages being written that many clients ask for at the same time.
    pub(super) pages: SingleFlight,
    stopping: watch::Sender<bool>,
    commits: Arc<watch::Sender<u64>>,
    /// The OpenAPI document in Spanish and in English.
    documents: [OnceLock<Document>; 2],
}

impl Service {
    /// # Errors
    /// If the threads that deliver to webhooks cannot be started.
    pub(super) fn new(settings: Settings, store: Store, api: Vec<&'static Route>) -> io::Result<Arc<Self>> {
        let (metrics, commits) = (Arc::new(Metrics::new()), Arc::new(watch::Sender::new(0)));
        // The observer holds no handle of the archive: the writer thread that calls it must not be the one that closes it.
        let (observed, counter) = (Arc::clone(&metrics), Arc::clone(&commits));
        store.observe(Box::new(move |jobs, time| {
            observed.commit(jobs, time);
            counter.send_modify(|count: &mut u64| *count += 1);
        }));
        let delivered = Arc::clone(&metrics);
        let webhooks = Webhooks::start(store.clone(), settings.webhook_private_networks, move |delivery| {
            delivered.delivery(delivery.failure);
        })?;
        let folder = store.path().parent().map(Path::to_owned).unwrap_or_default();
        Ok(Arc::new(Self {
            limits: Limits::new(&settings),
            spool: Spool::new(folder, settings.max_responses, settings.max_spool),
            live_events: LiveEvents::default(),
            boards: Arc::default(),
            ratings: Arc::default(),
            webhooks: Arc::new(webhooks),
            drawings: SingleFlight::default(),
            pages: SingleFlight::default(),
            metrics,
            stopping: watch::Sender::new(false),
            commits,
            documents: Default::default(),
            settings,
            store,
            api,
            damaged: AtomicBool::new(false),
            readiness: Arc::default(),
        }))
    }

    /// Records that the archive is damaged, if a problem says so. Streams call this too, after their response has begun.
    pub(super) fn note(&self, problem: &Problem) {
        if problem.is_damage() {
            self.damaged.store(true, Ordering::Relaxed);
        }
    }

    /// A receiver of the flag that the service stops.
    pub(super) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Sets the flag that the service stops.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// A receiver that wakes at every commit.
    pub(super) fn commits(&self) -> watch::Receiver<u64> {
        self.commits.subscribe()
    }

    /// The OpenAPI document of the API, built at the first request for it.
    pub(super) fn openapi(&self, lang: Lang) -> &Document {
        let document = &self.documents[usize::from(lang == Lang::En)];
        document.get_or_init(|| Document::new(self.api.iter().copied(), lang, self.settings.private))
    }
}
