//! The service: what all requests share, and how it starts and stops.

use std::{
    future::{self, Future},
    io,
    net::{Shutdown, SocketAddr},
    path::Path,
    pin::pin,
    rc::Rc,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::{
    App, HttpRequest, HttpServer,
    dev::{Server, Service as _},
    http::header::HeaderValue,
    rt::{self, net::TcpStream},
    web,
};
use futures_util::future::{Either, select};
use quipu_referee::Lang;
use socket2::SockRef;
use tokio::{
    sync::{Mutex, watch},
    time,
};

use super::{
    cache::ResponseCache,
    dispatch,
    limits::{self, Connection, Limits},
    openapi,
    permits::SingleFlight,
    problem::Problem,
    router::Router,
    routes::{LiveEvents, Method, ROUTES, Route},
    slots::Full,
    spool::Spool,
    telemetry::{Meter, Metrics},
};
use quipu_archive::store::{Store, StoreError};
use quipu_options::settings::Settings;

/// When it was looked whether the archive is ready, and what came of it.
pub(super) type Looked = (Instant, Result<(), StoreError>);

/// What all requests of one service share.
pub(crate) struct Service {
    pub(super) settings: Settings,
    pub(super) store: Store,
    /// The archive was found damaged: nobody is to rely on this service until somebody has looked at it.
    pub(super) damaged: AtomicBool,
    /// When it was last looked whether the archive is ready, and what came of it. However many ask, one looks at a time.
    pub(super) looked: Arc<Mutex<Option<Looked>>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) limits: Limits,
    pub(super) spool: Spool,
    pub(super) live_events: LiveEvents,
    /// Pictures that are being drawn.
    pub(super) drawings: SingleFlight,
    stopping: watch::Sender<bool>,
    commits: Arc<watch::Sender<u64>>,
    documents: [OnceLock<web::Bytes>; 2],
}

impl Service {
    pub(super) fn new(settings: Settings, store: Store) -> Arc<Self> {
        let (metrics, commits) = (Arc::new(Metrics::new()), Arc::new(watch::Sender::new(0)));
        // It holds nothing of the archive: the thread that calls it must not be the one that closes it.
        let (counted, told) = (Arc::clone(&metrics), Arc::clone(&commits));
        store.observe(Box::new(move |jobs, time| {
            counted.commit(jobs, time);
            told.send_modify(|count: &mut u64| *count += 1);
        }));
        let folder = store.path().parent().map(Path::to_owned).unwrap_or_default();
        Arc::new(Self {
            limits: Limits::new(&settings),
            spool: Spool::new(folder, settings.max_responses, settings.max_spool),
            live_events: LiveEvents::default(),
            drawings: SingleFlight::default(),
            metrics,
            stopping: watch::Sender::new(false),
            commits,
            documents: Default::default(),
            settings,
            store,
            damaged: AtomicBool::new(false),
            looked: Arc::default(),
        })
    }

    /// Takes note of what was answered, also in the middle of an answer that had begun well.
    pub(super) fn note(&self, problem: &Problem) {
        if problem.is_damage() {
            self.damaged.store(true, Ordering::Relaxed);
        }
    }

    /// Tells when the service stops.
    pub(super) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Tells all that it stops.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Tells of commits.
    pub(super) fn commits(&self) -> watch::Receiver<u64> {
        self.commits.subscribe()
    }

    /// The OpenAPI document, made when it is first asked for.
    pub(super) fn openapi(&self, lang: Lang) -> web::Bytes {
        let place = usize::from(lang == Lang::En);
        self.documents[place].get_or_init(|| openapi::document(lang, self.settings.private)).clone()
    }
}

/// All routes of one path.
pub(super) struct Resource {
    pub(super) routes: Vec<&'static Route>,
    /// Value of the header `Allow`.
    pub(super) allow: HeaderValue,
    pub(super) meter: Meter,
    /// The path as the table has it; empty for all paths that are not in it.
    pub(super) path: &'static str,
}

impl Resource {
    fn new(path: &'static str) -> Self {
        let routes: Vec<_> = ROUTES.iter().filter(|route| route.path == path).collect();
        let mut methods: Vec<_> = routes.iter().map(|route| route.method.as_str()).collect();
        if routes.iter().any(|route| route.method == Method::Get) {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        let allow = HeaderValue::from_str(&methods.join(", ")).unwrap_or(HeaderValue::from_static(""));
        Self { routes, allow, meter: Meter::new(path), path }
    }

    /// Every path of the table, once.
    fn all() -> Vec<Arc<Self>> {
        let mut all: Vec<Arc<Self>> = Vec::new();
        for route in ROUTES {
            if all.iter().all(|resource| resource.path != route.path) {
                all.push(Arc::new(Self::new(route.path)));
            }
        }
        all
    }
}

/// Starts the service on an archive. It runs as long as the [`Server`] is polled, and until `stop` is ready or the writer of
/// the archive has ended: then no connection is accepted any more, event streams end, and what was accepted is finished
/// within the time that the settings give. Who started it closes the archive then.
///
/// # Errors
/// If the address cannot be listened on.
pub fn start(
    settings: Settings,
    store: Store,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<(Server, SocketAddr)> {
    let (listen, workers) = (settings.listen, settings.workers);
    let workers = if workers == 0 { limits::cores() } else { workers };
    let service = Service::new(settings, store);
    let settings = &service.settings;
    let paths = Arc::new(Router::new(Resource::all(), Resource::new("")));
    let app = {
        let service = Arc::clone(&service);
        move || {
            let shelf = Rc::new(ResponseCache::new(&service, workers));
            let app = App::new().default_service(web::to(handler(&service, &paths, &shelf)));
            app.wrap_fn(move |request, routed| match shelf.answer(&request) {
                Some(answer) => Either::Left(future::ready(Ok(request.into_response(answer)))),
                None => Either::Right(routed.call(request)),
            })
        }
    };
    let (counted, stopped) = (Arc::clone(&service), Arc::clone(&service));
    let ended = service.store.ended();
    let server = HttpServer::new(app)
        .workers(workers)
        // Each long answer has a thread, which may wait for a turn; whoever has a turn must find another one.
        .worker_max_blocking_threads(settings.max_streams + THREADS)
        // Beyond the limit there is room for some connections that are told that there are too many.
        .max_connections((settings.max_connections + settings.max_connections / 8).div_ceil(workers) + 8)
        .on_connect(move |connection, data| {
            let stream = connection.downcast_ref::<TcpStream>();
            let connection = counted.limits.connect(stream.and_then(|stream| stream.peer_addr().ok()));
            if let Some(stream) = stream {
                // Either may fail where the client has gone already.
                let socket = SockRef::from(stream);
                drop(socket.set_send_buffer_size(SEND_BUFFER));
                if connection.closed {
                    drop(socket.shutdown(Shutdown::Both));
                }
            }
            data.insert(connection);
        })
        // What has this time is kept by a clock that ticks twice a second, so it should not be much shorter.
        .client_request_timeout(settings.header_timeout)
        // Who has closed the connection is not answered any more, so that what was held for the answer is let go.
        .h1_allow_half_closed(false)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .shutdown_signal(async move {
            select(pin!(stop), pin!(ended)).await;
            stopped.stop();
        })
        .bind(listen)?;
    rt::spawn(sign(service));
    let address = server.addrs().first().copied().unwrap_or(listen);
    Ok((server.run(), address))
}

/// Bytes of an answer that the system takes for a client that has not taken them. While it takes some it is known that the
/// client does; megabytes, as it takes by itself, would hide that for minutes.
const SEND_BUFFER: usize = 64 * 1024;

/// Threads of a worker that may block, beside those of long answers.
const THREADS: usize = 256;

/// How long receipts may stay without a signed head, when nothing more comes or another program stores them.
const ARREARS: Duration = Duration::from_secs(10);

/// Has the log signed as long as the service runs.
async fn sign(service: Arc<Service>) {
    let mut stop = service.stopping();
    while time::timeout(ARREARS, stop.wait_for(|stopping| *stopping)).await.is_err() {
        let store = service.store.clone();
        match web::block(move || store.sign_pending()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the log of receipts is not signed");
                service.note(&error.into());
            }
            // It panicked; it is tried again.
            Err(error) => tracing::error!(%error, "the log of receipts is not signed"),
        }
    }
}

type Pending = std::pin::Pin<Box<dyn Future<Output = actix_web::HttpResponse>>>;

/// What answers all requests that no answer is ready for.
fn handler(
    service: &Arc<Service>,
    paths: &Arc<Router>,
    shelf: &Rc<ResponseCache>,
) -> impl Fn(HttpRequest, web::Payload) -> Pending + Clone + 'static {
    let (service, paths, shelf) = (Arc::clone(service), Arc::clone(paths), Rc::clone(shelf));
    move |request, payload| {
        let (service, shelf) = (Arc::clone(&service), Rc::clone(&shelf));
        // The framework has put letters in the place of what stands for them.
        let (resource, places) = paths.find(request.match_info().as_str());
        let resource = Arc::clone(resource);
        Box::pin(dispatch::answer(service, resource, places, shelf, request, payload.into_inner()))
    }
}

/// Why the connection of a request is one too many, if it is.
pub(super) fn refusal(request: &HttpRequest) -> Option<Full> {
    request.conn_data::<Connection>().and_then(|connection| connection.refused)
}
