//! The request pipeline: rate limit, authorize, parse parameters, run the handler, finalize the response.

use std::{borrow::Cow, cell::Cell, net::IpAddr, panic::AssertUnwindSafe, rc::Rc, sync::Arc, time::Instant};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody, None as NoBody, SizedStream},
    dev::Payload,
    http::{
        ConnectionType, Method, StatusCode,
        header::{self, HeaderMap, HeaderValue},
    },
    web::Bytes,
};
use futures_util::{FutureExt, stream};
use quipu_referee::Lang;

use super::{
    auth::{self, Bearer},
    body::{self, Body},
    cache::{self, ResponseCache},
    client::{self, Client},
    compression, connections,
    endpoint::Endpoint,
    headers, negotiate, pages,
    params::{Kind, Location, Value, Values},
    problem::{self, HandlerResult, Problem},
    rate_limit::Quota,
    request::{self, RequestContext},
    respond,
    route::{Access, BYTES, HTML, Route},
    router::{PathParams, Resource},
    service::Service,
    spool::Accounted,
    telemetry::{self, RequestId},
};

/// Facts about a request that its response and its log line need, whichever stage it reaches.
struct RequestState {
    lang: Lang,
    bearer: Option<Bearer>,
    address: Option<IpAddr>,
    quota: Rc<Cell<Option<Quota>>>,
    route: Option<&'static Route>,
}

pub(super) async fn respond(
    service: Arc<Service>,
    cache: Rc<ResponseCache>,
    resource: Arc<Resource>,
    path_params: PathParams,
    request: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let begun = Instant::now();
    let (in_flight, version) = (service.metrics.enter(), cache.version());
    let id = RequestId::of(request.headers());
    let address = client::address(request.headers(), request.peer_addr(), service.settings.trust_proxy);
    let lang = negotiate::language(request.headers());
    let mut state = RequestState { lang, bearer: None, address, quota: Rc::default(), route: None };
    let body = Body::new(payload, request.headers(), service.settings.max_body);
    let answered = match authorize(&service, &resource, &request, &mut state) {
        Ok(Some(endpoint)) => match parse(&service, endpoint, &request, &path_params, body.clone(), &id, &mut state) {
            Ok(context) => run(endpoint, context).await,
            Err(problem) => Err(problem),
        },
        Ok(None) => Ok(headers::options(&resource, &request)),
        Err(problem) => Err(problem),
    };
    // Before compression, which takes a large response as a whole.
    let answered = match answered {
        Ok(response) => {
            service.spool.hold(respond::tagged(response, state.route, state.lang), cache::MAX_RESPONSE).await
        }
        refused => refused,
    };
    let failed = |problem: Problem, lang: Lang| {
        service.note(&problem);
        if state.route.is_none_or(Route::is_for_people) && negotiate::prefers_pages(request.headers()) {
            return pages::problem_page(problem, request.path(), request.query_string(), lang, id.as_str());
        }
        problem.response(lang, id.as_str())
    };
    let response = answered.unwrap_or_else(|problem| failed(problem, state.lang));
    let response = finalize(&service, &request, &state, response);
    let response = cache.store(&request, &resource, version, response);
    let held = service.spool.hold(response, body::CHUNK).await;
    let mut response = held.unwrap_or_else(|problem| finalize(&service, &request, &state, failed(problem, state.lang)));
    headers::per_request_headers(response.headers_mut(), &id, state.quota.take());
    if connections::refusal(&request).is_some() {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    let status = response.status();
    resource.meter.count(&service.metrics, request.method(), status, begun.elapsed());
    let line = telemetry::AccessLogLine {
        id,
        method: request.method().clone(),
        route: resource.path,
        status,
        token: state.bearer.map(|bearer| bearer.name),
        address,
        begun,
    };
    let idle_timeout = service.settings.longest_pause();
    response.map_body(|_, response| {
        let logged = telemetry::logged(line, in_flight, response);
        body.hold(body::with_idle_timeout(logged, idle_timeout))
    })
}

/// Has the response show the change that the client names: another service may have stored it.
fn catch_up(service: &Service, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(after) = headers.get(cache::AFTER_CHANGE) else { return Ok(()) };
    let text = String::from_utf8_lossy(after.as_bytes());
    match Kind::Number(0).read(cache::AFTER_CHANGE, &text)? {
        Value::Number(change) => Ok(service.store.catch_up(change, service.settings.query_timeout)?),
        _ => Ok(()),
    }
}

/// Counts the request and checks its token. Returns its endpoint, or none for `OPTIONS`. The body is not read yet.
fn authorize(
    service: &Service,
    resource: &Resource,
    request: &HttpRequest,
    state: &mut RequestState,
) -> Result<Option<&'static Endpoint>, Problem> {
    let settings = &service.settings;
    if let Some(full) = connections::refusal(request) {
        return Err(full.problem("connections").retry_after(1));
    }
    let method = match request.method() {
        &Method::HEAD => "GET",
        other => other.as_str(),
    };
    let endpoint = resource.endpoints.iter().copied().find(|endpoint| endpoint.route.method.as_str() == method);
    let route = endpoint.map(|endpoint| &endpoint.route);
    // Open routes ignore the token. A request with an invalid one counts for its address.
    let bearer = match route {
        Some(route) if route.access != Access::Open => {
            auth::bearer(request.headers(), &service.store, settings.query_timeout)
        }
        _ => Ok(None),
    };
    if !route.is_some_and(|route| route.free) {
        let bearer = bearer.as_ref().ok().and_then(Option::as_ref);
        state.quota.set(service.limits.count(bearer, state.address, 1)?);
    }
    state.bearer = bearer?;
    state.route = route;
    if resource.endpoints.is_empty() {
        return Err(Problem::variant(problem::NOT_FOUND, "path").with_quoted("found", request.path()));
    }
    let Some(endpoint) = endpoint else {
        if request.method() == Method::OPTIONS {
            return Ok(None);
        }
        let known = resource.allow.to_str().unwrap_or_default();
        let problem =
            Problem::new(problem::METHOD).with_quoted("found", request.method().as_str()).with("known", known);
        return Err(problem.header(header::ALLOW, resource.allow.clone()));
    };
    auth::admit(endpoint.route.access, endpoint.route.limited, state.bearer.as_ref(), settings.private)?;
    Ok(Some(endpoint))
}

/// Parses the parameters of a request, and negotiates language and media types.
fn parse(
    service: &Arc<Service>,
    endpoint: &'static Endpoint,
    request: &HttpRequest,
    path_params: &PathParams,
    body: Body,
    id: &RequestId,
    state: &mut RequestState,
) -> Result<RequestContext, Problem> {
    let (route, headers) = (&endpoint.route, request.headers());
    let mut values = Values::default();
    for param in route.params {
        let path = path_params.get(request.match_info().as_str(), param.name);
        let path = path.filter(|_| param.location == Location::Path);
        let headers = headers.get_all(param.name).filter(|_| param.location == Location::Header);
        // Bytes that are not UTF-8 become replacement characters, which no kind of value accepts.
        let headers = headers.map(|value| String::from_utf8_lossy(value.as_bytes()));
        for text in path.map(Cow::from).into_iter().chain(headers) {
            values.add(param, &text)?;
        }
    }
    values.add_query(route.params, request.query_string())?;
    values.complete(route.params)?;
    catch_up(service, headers)?;
    if let Some(Value::Text(lang)) = values.get("lang") {
        state.lang = Lang::parse(lang).unwrap_or(state.lang);
    }
    let offers = route.responses.iter().flat_map(|response| response.content).map(|content| content.media);
    // Raw bytes are served whatever the client accepts.
    let raw = || offers.clone().find(|media| *media == BYTES);
    let Some(media) = negotiate::media(headers, offers.clone()).or_else(raw) else {
        let mut known: Vec<_> = offers.map(negotiate::essence).collect();
        known.dedup();
        let problem = Problem::new(problem::NOT_ACCEPTABLE).with("known", known.join(", "));
        return Err(problem.extension("available", &known));
    };
    let body_media = if route.body.is_empty() { String::new() } else { body_media(service, route, request)? };
    Ok(RequestContext {
        service: Arc::clone(service),
        request: request.clone(),
        route,
        lang: state.lang,
        id: id.clone(),
        bearer: state.bearer.clone(),
        address: state.address,
        client: Client::of(state.bearer.as_ref(), state.address),
        quota: Rc::clone(&state.quota),
        media,
        body_media,
        path: request.path().to_owned(),
        query: request.query_string().to_owned(),
        values,
        body,
        body_reservation: service.limits.body_reservation(),
        is_reading: Rc::default(),
    })
}

/// The media type of the body, if the route reads it. Checks the declared length too.
fn body_media(service: &Service, route: &Route, request: &HttpRequest) -> Result<String, Problem> {
    let headers = request.headers();
    let max = service.settings.max_body;
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if length.and_then(|length| length.parse().ok()).is_some_and(|length: u64| length > max as u64) {
        return Err(request::too_large(max));
    }
    let codings: Vec<_> = headers.get_all(header::CONTENT_ENCODING).map(HeaderValue::as_bytes).collect();
    if !codings.is_empty() {
        let coding = &*String::from_utf8_lossy(&codings.join(&b", "[..])).into_owned();
        if !["gzip", "identity"].iter().any(|known| coding.eq_ignore_ascii_case(known)) {
            let problem = Problem::variant(problem::MEDIA, "coding").with_quoted("found", coding);
            return Err(problem.header(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, identity")));
        }
    }
    let known = || route.body.iter().map(|content| content.media);
    let list = || known().collect::<Vec<_>>().join(", ");
    let media = request.content_type().to_ascii_lowercase();
    if known().any(|known| known == media) {
        return Ok(media);
    }
    let variant = if media.is_empty() { "missing" } else { "type" };
    let problem = Problem::variant(problem::MEDIA, variant).with_quoted("found", &media).with("known", list());
    Err(problem.header_text(header::ACCEPT, &list()))
}

/// Runs the handler within the request timeout, and turns a panic into a problem.
async fn run(endpoint: &Endpoint, context: RequestContext) -> HandlerResult {
    let (service, id) = (Arc::clone(&context.service), context.id.clone());
    let is_reading = Rc::clone(&context.is_reading);
    // Unwind safe: handlers share counters and the archive, and leave neither half changed.
    let handled = AssertUnwindSafe(async { (endpoint.handler)(context).await }).catch_unwind();
    let handled = if endpoint.route.streams {
        handled.await
    } else {
        let settings = &service.settings;
        match tokio::time::timeout(settings.request_timeout, handled).await {
            Ok(handled) => handled,
            Err(_) if is_reading.get() => return Err(request::timeout(settings)),
            Err(_) => {
                let problem = Problem::variant(problem::SLOW, "request");
                return Err(problem.with("seconds", settings.request_timeout.as_secs()).retry_after(1));
            }
        }
    };
    handled.unwrap_or_else(|_| {
        tracing::error!(request_id = id.as_str(), route = endpoint.route.path, "panic");
        Err(Problem::new(problem::INTERNAL))
    })
}

/// Completes a response: 304 for a client that has it already, compression, and the headers of all responses except those
/// of [`headers::per_request_headers`].
fn finalize(
    service: &Service,
    request: &HttpRequest,
    state: &RequestState,
    mut response: HttpResponse,
) -> HttpResponse {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let size = response.body().size();
    let media = response.headers().get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    let is_page = media == HTML;
    let mut gzip = compression::is_compressible(media, size) && negotiate::takes_gzip(request.headers());
    let mut compressor = None;
    if gzip && compression::needs_compressor(size) {
        compressor = Arc::clone(&service.limits.compressors).try_acquire_owned().ok();
        // Without a free compressor the response goes out uncompressed.
        gzip = compressor.is_some();
    }
    let mut empty = request.method() == Method::HEAD;
    if let Some(tag) = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()) {
        let unchanged = reads && response.status() == StatusCode::OK && negotiate::is_unchanged(request.headers(), tag);
        if gzip {
            let tag = format!("{}{}\"", tag.trim_end_matches('"'), negotiate::GZIP);
            if let Ok(tag) = HeaderValue::from_str(&tag) {
                response.headers_mut().insert(header::ETAG, tag);
            }
        }
        if unchanged {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            for name in [header::CONTENT_TYPE, header::CONTENT_LANGUAGE] {
                response.headers_mut().remove(name);
            }
            response = response.set_body(BoxBody::new(()));
            empty = false;
        }
    }
    let changed = response.status() != StatusCode::NOT_MODIFIED;
    if gzip && changed {
        // The compressed bytes are not counted yet.
        response.extensions_mut().remove::<Accounted>();
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if gzip {
        // The digest is that of the bytes without a content coding.
        response.headers_mut().remove(headers::REPR_DIGEST);
    }
    response = response.map_body(|_, body| match (empty, gzip && changed) {
        // The compressed length is unknown.
        (true, true) => BoxBody::new(NoBody::new()),
        (true, false) => head(&body),
        (false, true) => compression::compressed(body, compressor.take()),
        (false, false) => body,
    });
    let status = response.status();
    headers::security_headers(response.headers_mut(), is_page, state.route.is_some_and(|route| route.framed));
    if headers::is_cross_origin(request.path()) {
        headers::cors_headers(response.headers_mut());
    }
    if !response.headers().contains_key(header::CACHE_CONTROL) {
        let is_good = matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED);
        let value = match (reads && is_good, service.settings.private) {
            (true, false) => "no-cache",
            (true, true) => "private, no-cache",
            (false, _) => "no-store",
        };
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    }
    response
}

/// The body of a response to `HEAD`: empty, of the same declared size.
fn head(body: &BoxBody) -> BoxBody {
    match body.size() {
        BodySize::Sized(size) => {
            BoxBody::new(SizedStream::new(size, stream::empty::<Result<Bytes, actix_web::Error>>()))
        }
        BodySize::None | BodySize::Stream => BoxBody::new(NoBody::new()),
    }
}

#[cfg(test)]
mod tests {
    use std::{iter, time::Duration};

    use actix_web::{body::to_bytes, rt, test::TestRequest};
    use serde_json::Value;
    use tempfile::TempDir;

    use super::{super::table, *};
    use quipu_archive::store::{Store, StoreError, TokenRefusal};
    use quipu_options::Scope;
    use quipu_options::settings::Settings;

    fn service() -> (TempDir, Arc<Service>) {
        service_with(Settings::default())
    }

    fn service_with(settings: Settings) -> (TempDir, Arc<Service>) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        (folder, Service::new(settings, store, Vec::new()).expect("it starts"))
    }

    fn endpoint(id: &str) -> Endpoint {
        *table::endpoints().find(|endpoint| endpoint.route.id == id).expect("it is in the table")
    }

    async fn response(service: &Arc<Service>, endpoint: Endpoint, request: TestRequest) -> HttpResponse {
        let resource = Resource::new(endpoint.route.path, vec![&*Box::leak(Box::new(endpoint))]);
        let (request, payload) = request.uri("/").to_http_parts();
        let cache = Rc::new(ResponseCache::new(service, 1));
        respond(Arc::clone(service), cache, Arc::new(resource), PathParams::default(), request, payload).await
    }

    /// Checks that an endpoint answers a request with a problem.
    async fn check(service: &Arc<Service>, endpoint: Endpoint, request: TestRequest, (status, code): (u16, &str)) {
        let response = response(service, endpoint, request).await;
        assert_eq!(response.status().as_u16(), status);
        let body = to_bytes(response.into_body()).await.expect("it comes to its end");
        let problem: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!((&problem["code"], &problem["status"]), (&code.into(), &status.into()), "{problem}");
    }

    #[actix_web::test]
    async fn a_fault_of_ours_is_answered() {
        let (_folder, service) = service();
        let panics = Endpoint { handler: |_| Box::pin(async { panic!("a fault of ours") }), ..endpoint("health") };
        for _ in 0..2 {
            check(&service, panics, TestRequest::get(), (500, "api.internal")).await;
        }
        let elsewhere = Endpoint {
            handler: |context| {
                Box::pin(async move { Ok(context.json(&context.work(|| -> Result<(), _> { panic!("ours") }).await?)) })
            },
            ..panics
        };
        check(&service, elsewhere, TestRequest::get(), (500, "api.internal")).await;
    }

    #[actix_web::test]
    async fn pages_of_lists_are_written_off_the_worker() {
        let settings = Settings { query_timeout: Duration::from_millis(50), ..Settings::default() };
        let (_folder, service) = service_with(settings);
        let permits: Vec<_> = iter::from_fn(|| service.limits.query_permits.try_acquire(None)).collect();
        assert!(!permits.is_empty());
        for page in ["start", "records", "players", "rankings", "events", "lives", "keep"] {
            check(&service, endpoint(&format!("page-{page}")), TestRequest::get(), (503, "api.busy")).await;
        }
    }

    /// While ratings are computed, requests for them wait in their own queue: long queries go on.
    #[actix_web::test]
    async fn requests_for_ratings_hold_up_no_query() {
        let (_folder, service) = service_with(Settings { max_work: 2, ..Settings::default() });
        let computing = service.limits.rating_permits.try_acquire(None).expect("nobody computes");
        let free = service.limits.query_permits.free();
        let ask = |page| {
            let service = Arc::clone(&service);
            rt::spawn(async move { response(&service, endpoint(page), TestRequest::get()).await.status().as_u16() })
        };
        let waiting: Vec<_> = (0..8).map(|_| ask("page-ratings")).collect();
        for _ in 0..100 {
            rt::task::yield_now().await;
        }
        assert!(waiting.iter().all(|one| !one.is_finished()));
        assert_eq!(service.limits.query_permits.free(), free);
        assert_eq!(ask("page-players").await.ok(), Some(200));
        drop(computing);
        for one in waiting {
            assert_eq!(one.await.ok(), Some(200));
        }
        // Those that are kept need no turn.
        let _computing = service.limits.rating_permits.try_acquire(None).expect("nobody computes");
        assert_eq!(ask("page-ratings").await.ok(), Some(200));
    }

    #[actix_web::test]
    async fn ratings_have_the_time_of_a_query() {
        let (_folder, service) =
            service_with(Settings { query_timeout: Duration::from_millis(50), ..Settings::default() });
        let _computing = service.limits.rating_permits.try_acquire(None).expect("nobody computes");
        check(&service, endpoint("page-ratings"), TestRequest::get(), (503, "api.busy")).await;
    }

    #[actix_web::test]
    async fn a_stopping_service_is_not_ready() {
        let (_folder, service) = service();
        service.stop();
        check(&service, endpoint("ready"), TestRequest::get(), (503, "api.stopping")).await;
    }

    #[actix_web::test]
    async fn a_full_disk() {
        let (_folder, service) = service();
        let token = service.store.write(|writing| -> Result<String, TokenRefusal> {
            let token = writing.add_token("test", &[Scope::RecordsWrite], None)?.1.reveal();
            writing.leave_no_space()?;
            Ok(token)
        });
        let token = token.await.expect("a token");
        let comment = "x".repeat(50_000);
        let record = format!("[Game \"andes\"]\n\n1. 0a1 0D0 {{{comment}}}\n2. 0b0 0D0C\n1-0\n");
        for _ in 0..2 {
            let request = TestRequest::post().insert_header((header::AUTHORIZATION, format!("Bearer {token}")));
            let request = request.insert_header((header::CONTENT_TYPE, "text/plain")).set_payload(record.clone());
            check(&service, endpoint("submit"), request, (507, "api.full")).await;
        }
        let stored = service.store.read(|reading| -> Result<_, StoreError> { reading.last_change() });
        assert_eq!(stored.expect("it can be read"), 0);
    }
}
