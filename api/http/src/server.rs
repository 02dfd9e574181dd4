//! Start, workers and shutdown of the service.

use std::{
    future::{self, Future},
    io,
    net::{Shutdown, SocketAddr},
    pin::{Pin, pin},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::{Server, Service as _},
    rt::{self, net::TcpStream},
    web,
};
use futures_util::future::{Either, select};
use socket2::SockRef;
use tokio::time;

use super::{cache::ResponseCache, limits, pipeline, router::Router, routes::live_feed, service::Service, table};
use quipu_archive::store::Store;
use quipu_options::settings::Settings;

/// Starts the service on an archive. It runs while the returned [`Server`] is polled, until `stop` is ready or the writer
/// of the archive has ended. Then it accepts no more connections, ends event streams, and finishes accepted requests
/// within the shutdown timeout of the settings. The caller closes the archive afterwards.
///
/// # Errors
/// If the address cannot be listened on, or no thread can be started.
pub fn start(
    settings: Settings,
    store: Store,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<(Server, SocketAddr)> {
    start_telling(settings, store, stop, |_| ())
}

/// [`start`], which calls `bound` with the address as soon as it is bound, before the framework logs its own start.
///
/// # Errors
/// As [`start`].
pub fn start_telling(
    settings: Settings,
    store: Store,
    stop: impl Future<Output = ()> + Send + 'static,
    bound: impl FnOnce(SocketAddr),
) -> io::Result<(Server, SocketAddr)> {
    let (listen, workers) = (settings.listen, settings.workers);
    let workers = if workers == 0 { limits::cores() } else { workers };
    let service = Service::new(settings, store, table::api().collect())?;
    let settings = &service.settings;
    let router = Arc::new(Router::new(table::endpoints()));
    let app = {
        let service = Arc::clone(&service);
        move || {
            let cache = Rc::new(ResponseCache::new(&service, workers));
            let app = App::new().default_service(web::to(handler(&service, &router, &cache)));
            app.wrap_fn(move |request, app| match cache.answer(&request) {
                Some(response) => Either::Left(future::ready(Ok(request.into_response(response)))),
                None => Either::Right(app.call(request)),
            })
        }
    };
    let (connecting, stopping) = (Arc::clone(&service), Arc::clone(&service));
    let ended = service.store.ended();
    let server = HttpServer::new(app)
        .workers(workers)
        // Each streamed response has a thread, which may wait for a permit; the permit's owner needs another one.
        .worker_max_blocking_threads(settings.max_streams + THREADS)
        // Above the limit of the settings, so that some refused connections get a response with the reason.
        .max_connections((settings.max_connections + settings.max_connections / 8).div_ceil(workers) + 8)
        .on_connect(move |connection, data| {
            let stream = connection.downcast_ref::<TcpStream>();
            let connection = connecting.limits.connections.connect(stream.and_then(|stream| stream.peer_addr().ok()));
            if let Some(stream) = stream {
                // Both calls may fail if the client has gone already.
                let socket = SockRef::from(stream);
                drop(socket.set_send_buffer_size(SEND_BUFFER));
                if connection.closed {
                    drop(socket.shutdown(Shutdown::Both));
                }
            }
            data.insert(connection);
        })
        // The framework checks this timeout twice a second, so it should not be much shorter.
        .client_request_timeout(settings.header_timeout)
        // A response is dropped when its client closes the connection, and with it all that it holds.
        .h1_allow_half_closed(false)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .shutdown_signal(async move {
            select(pin!(stop), pin!(ended)).await;
            stopping.stop();
        })
        .bind(listen)?;
    rt::spawn(live_feed::follow(Arc::clone(&service)));
    rt::spawn(wake_webhooks(Arc::clone(&service)));
    rt::spawn(sign_pending_receipts(service));
    let address = server.addrs().first().copied().unwrap_or(listen);
    bound(address);
    Ok((server.run(), address))
}

/// Bytes of a response in the send buffer of a socket. Only bytes beyond it show that the client reads; the megabytes
/// that the system would buffer by itself hide a stalled client for minutes.
const SEND_BUFFER: usize = 64 * 1024;

/// Blocking threads of a worker, in addition to those of streamed responses.
const THREADS: usize = 256;

/// Longest time that receipts stay without a signed head, if no further commit comes or another program stored them.
const SIGNING_INTERVAL: Duration = Duration::from_secs(10);

/// Signs pending receipts while the service runs.
async fn sign_pending_receipts(service: Arc<Service>) {
    let mut stop = service.stopping();
    while time::timeout(SIGNING_INTERVAL, stop.wait_for(|stopping| *stopping)).await.is_err() {
        let store = service.store.clone();
        match web::block(move || store.sign_pending()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the log of receipts is not signed");
                service.note(&error.into());
            }
            // The thread panicked; the next interval tries again.
            Err(error) => tracing::error!(%error, "the log of receipts is not signed"),
        }
    }
}

/// Has each commit delivered to webhooks while the service runs.
async fn wake_webhooks(service: Arc<Service>) {
    let (mut commits, mut stop) = (service.commits(), service.stopping());
    loop {
        service.webhooks.wake();
        let stopping = stop.wait_for(|stopping| *stopping);
        match select(pin!(commits.changed()), pin!(stopping)).await {
            Either::Left((Ok(()), _)) => {}
            _ => break,
        }
    }
    service.webhooks.stop();
}

type BoxedResponse = Pin<Box<dyn Future<Output = HttpResponse>>>;

/// The handler of all requests that the cache does not answer.
fn handler(
    service: &Arc<Service>,
    router: &Arc<Router>,
    cache: &Rc<ResponseCache>,
) -> impl Fn(HttpRequest, web::Payload) -> BoxedResponse + Clone + 'static {
    let (service, router, cache) = (Arc::clone(service), Arc::clone(router), Rc::clone(cache));
    move |request, payload| {
        let (service, cache) = (Arc::clone(&service), Rc::clone(&cache));
        // The framework has decoded percent-encoding in this path.
        let (resource, path_params) = router.find(request.match_info().as_str());
        let resource = Arc::clone(resource);
        Box::pin(pipeline::respond(service, cache, resource, path_params, request, payload.into_inner()))
    }
}
