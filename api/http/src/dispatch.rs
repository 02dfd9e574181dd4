//! The one way that every request goes: counted, let in or not, its parameters read, handled, and the answer made good.

use std::{borrow::Cow, cell::Cell, net::IpAddr, panic::AssertUnwindSafe, rc::Rc, sync::Arc, time::Instant};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody, None as Nothing, SizedStream},
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
    call::{self, Call},
    compression,
    limits::{self, Client},
    negotiate, pages,
    params::{Place, Values},
    problem::{self, Problem},
    router::Places,
    routes::{Access, Answered, BYTES, HTML, Route},
    server::{self, Resource, Service},
    spool::Held,
    telemetry::{self, REQUEST_ID, RequestId},
};

/// What is known of a request while it is answered.
struct RequestState {
    lang: Lang,
    bearer: Option<Bearer>,
    address: Option<IpAddr>,
    left: Rc<Cell<Option<limits::Share>>>,
    route: Option<&'static Route>,
}

/// Answers a request.
pub(super) async fn answer(
    service: Arc<Service>,
    resource: Arc<Resource>,
    places: Places,
    shelf: Rc<ResponseCache>,
    request: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let begun = Instant::now();
    let (in_flight, version) = (service.metrics.enter(), shelf.version());
    let id = RequestId::of(request.headers());
    let address = limits::address(request.headers(), request.peer_addr(), service.settings.trust_proxy);
    let lang = negotiate::language(request.headers());
    let mut seen = RequestState { lang, bearer: None, address, left: Rc::default(), route: None };
    let body = Body::new(payload, request.headers(), service.settings.max_body);
    let answered = match authorize(&service, &resource, &request, &mut seen) {
        Ok(Some(route)) => handle(&service, route, &request, &places, body.clone(), &id, &mut seen).await,
        Ok(None) => Ok(options(&resource, &request)),
        Err(problem) => Err(problem),
    };
    // Before it is compressed: that would take a large one whole.
    let answered = match answered {
        Ok(answer) => service.spool.hold(answer, cache::LARGEST).await,
        refused => refused,
    };
    let failed = |problem: Problem, lang: Lang| {
        service.note(&problem);
        if negotiate::prefers_pages(request.headers()) {
            return pages::problem(problem, request.path(), request.query_string(), lang, id.as_str());
        }
        problem.answer(lang, id.as_str())
    };
    let answer = answered.unwrap_or_else(|problem| failed(problem, seen.lang));
    let answer = finished(&service, &request, &seen, answer);
    let answer = shelf.keep(&request, &resource, version, answer);
    let held = service.spool.hold(answer, body::CHUNK).await;
    let mut answer = held.unwrap_or_else(|problem| finished(&service, &request, &seen, failed(problem, seen.lang)));
    own(answer.headers_mut(), &id, seen.left.take());
    if server::refusal(&request).is_some() {
        answer.head_mut().set_connection_type(ConnectionType::Close);
    }
    let status = answer.status();
    resource.meter.count(&service.metrics, request.method(), status, begun.elapsed());
    let line = telemetry::Line {
        id,
        method: request.method().clone(),
        route: resource.path,
        status,
        token: seen.bearer.map(|bearer| bearer.name),
        address,
        begun,
    };
    let patience = service.settings.longest_pause();
    answer.map_body(|_, answer| body.held_by(body::patient(telemetry::logged(line, in_flight, answer), patience)))
}

/// The route of a request that may pass; none where only the methods are asked for. The body has not been looked at.
fn authorize(
    service: &Service,
    resource: &Resource,
    request: &HttpRequest,
    seen: &mut RequestState,
) -> Result<Option<&'static Route>, Problem> {
    let settings = &service.settings;
    if let Some(full) = server::refusal(request) {
        return Err(limits::busy(full, "connections").retry_after(1));
    }
    let method = match request.method() {
        &Method::HEAD => "GET",
        other => other.as_str(),
    };
    let route = resource.routes.iter().copied().find(|route| route.method.as_str() == method);
    // A token is looked at where it matters. One that does not hold is counted for the address it comes from.
    let bearer = match route {
        Some(route) if route.access != Access::Open => auth::bearer(request.headers(), &service.store),
        _ => Ok(None),
    };
    if !route.is_some_and(|route| route.free) {
        let bearer = bearer.as_ref().ok().and_then(Option::as_ref);
        seen.left.set(service.limits.count(bearer, seen.address, 1)?);
    }
    seen.bearer = bearer?;
    seen.route = route;
    if resource.routes.is_empty() {
        return Err(Problem::variant(problem::NOT_FOUND, "path").with_quoted("found", request.path()));
    }
    let Some(route) = route else {
        if request.method() == Method::OPTIONS {
            return Ok(None);
        }
        let known = resource.allow.to_str().unwrap_or_default();
        let problem =
            Problem::new(problem::METHOD).with_quoted("found", request.method().as_str()).with("known", known);
        return Err(problem.header(header::ALLOW, resource.allow.clone()));
    };
    auth::admit(route.access, seen.bearer.as_ref(), settings.private)?;
    Ok(Some(route))
}

/// Hands a request to the handler of its route.
async fn handle(
    service: &Arc<Service>,
    route: &'static Route,
    request: &HttpRequest,
    places: &Places,
    body: Body,
    id: &RequestId,
    seen: &mut RequestState,
) -> Answered {
    let headers = request.headers();
    let mut values = Values::default();
    for param in route.params {
        let path = places.get(request.match_info().as_str(), param.name).filter(|_| param.place == Place::Path);
        let headers = headers.get_all(param.name).filter(|_| param.place == Place::Header);
        // What is no UTF-8 is no value of any kind either, and is refused as such.
        let headers = headers.map(|value| String::from_utf8_lossy(value.as_bytes()));
        for text in path.map(Cow::from).into_iter().chain(headers) {
            values.add(param, &text)?;
        }
    }
    values.add_query(route.params, request.query_string())?;
    values.complete(route.params)?;
    if let Some(super::params::Value::Text(lang)) = values.get("lang") {
        seen.lang = Lang::parse(lang).unwrap_or(seen.lang);
    }
    let offers = route.answers.iter().flat_map(|answer| answer.content).map(|content| content.media);
    // What is handed out as it came is handed out whatever form is asked for.
    let as_it_came = || offers.clone().find(|media| *media == BYTES);
    let Some(media) = negotiate::media(headers, offers.clone()).or_else(as_it_came) else {
        let mut known: Vec<_> = offers.map(negotiate::essence).collect();
        known.dedup();
        let problem = Problem::new(problem::NOT_ACCEPTABLE).with("known", known.join(", "));
        return Err(problem.member("available", &known));
    };
    let body_media = if route.body.is_empty() { String::new() } else { body_media(service, route, request)? };
    let reading = Rc::new(Cell::new(false));
    let call = Call {
        service: Arc::clone(service),
        request: request.clone(),
        route,
        lang: seen.lang,
        id: id.clone(),
        bearer: seen.bearer.clone(),
        address: seen.address,
        client: Client::of(seen.bearer.as_ref(), seen.address),
        left: Rc::clone(&seen.left),
        media,
        body_media,
        path: request.path().to_owned(),
        query: request.query_string().to_owned(),
        values,
        body,
        room: service.limits.room(),
        reading: Rc::clone(&reading),
    };
    // A handler leaves nothing half done that others see: what is shared is counters and the archive.
    let handled = AssertUnwindSafe(async { (route.handler)(call).await }).catch_unwind();
    let handled = if route.streams {
        handled.await
    } else {
        let settings = &service.settings;
        match tokio::time::timeout(settings.request_timeout, handled).await {
            Ok(handled) => handled,
            Err(_) if reading.get() => return Err(call::late(settings)),
            Err(_) => {
                let problem = Problem::variant(problem::SLOW, "request");
                return Err(problem.with("seconds", settings.request_timeout.as_secs()).retry_after(1));
            }
        }
    };
    handled.unwrap_or_else(|_| {
        tracing::error!(request_id = id.as_str(), route = route.path, "panic");
        Err(Problem::new(problem::INTERNAL))
    })
}

/// The media type of a body, if the route reads it; and that it is not too large, if its size is said.
fn body_media(service: &Service, route: &Route, request: &HttpRequest) -> Result<String, Problem> {
    let headers = request.headers();
    let max = service.settings.max_body;
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if length.and_then(|length| length.parse().ok()).is_some_and(|length: u64| length > max as u64) {
        return Err(call::too_large(max));
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

/// What may be done with a path, for programs in browsers: reading is for every site, writing for none.
fn options(resource: &Resource, request: &HttpRequest) -> HttpResponse {
    let mut answer = HttpResponse::NoContent();
    answer.insert_header((header::ALLOW, resource.allow.clone()));
    let asked = request.headers().get(header::ACCESS_CONTROL_REQUEST_METHOD).map(HeaderValue::as_bytes);
    let reading = resource.routes.iter().filter(|route| route.access.is_reading());
    let mut methods: Vec<_> = reading.map(|route| route.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    if methods.iter().any(|method| asked == Some(method.as_bytes())) {
        if let Ok(methods) = HeaderValue::from_str(&methods.join(", ")) {
            answer.insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, methods));
        }
        let headers = "Accept, Accept-Language, Authorization, Content-Encoding, Content-Type, If-None-Match, Last-Event-ID, X-Request-Id";
        answer.insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(headers)));
        answer.insert_header((header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")));
    }
    answer.finish()
}

/// What an answer still lacks: 304 where the client has it already, compression, and the headers that all have but those
/// of [`own`].
fn finished(service: &Service, request: &HttpRequest, seen: &RequestState, mut answer: HttpResponse) -> HttpResponse {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let size = answer.body().size();
    let media = answer.headers().get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    let is_page = media == HTML;
    let mut gzip = compression::is_compressible(media, size) && negotiate::takes_gzip(request.headers());
    let mut compressor = None;
    if gzip && compression::needs_compressor(size) {
        compressor = Arc::clone(&service.limits.compressors).try_acquire_owned().ok();
        // It is larger then, and no less right.
        gzip = compressor.is_some();
    }
    let mut empty = request.method() == Method::HEAD;
    if let Some(tag) = answer.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()) {
        let unchanged = reads && answer.status() == StatusCode::OK && negotiate::is_unchanged(request.headers(), tag);
        if gzip {
            let tag = format!("{}{}\"", tag.trim_end_matches('"'), negotiate::GZIP);
            if let Ok(tag) = HeaderValue::from_str(&tag) {
                answer.headers_mut().insert(header::ETAG, tag);
            }
        }
        if unchanged {
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            for name in [header::CONTENT_TYPE, header::CONTENT_LANGUAGE] {
                answer.headers_mut().remove(name);
            }
            answer = answer.set_body(BoxBody::new(()));
            empty = false;
        }
    }
    let changed = answer.status() != StatusCode::NOT_MODIFIED;
    if gzip && changed {
        // Its bytes will be others.
        answer.extensions_mut().remove::<Held>();
        answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    answer = answer.map_body(|_, body| match (empty, gzip && changed) {
        // How long it would be when compressed nobody knows before it is.
        (true, true) => BoxBody::new(Nothing::new()),
        (true, false) => head(&body),
        (false, true) => compression::compressed(body, compressor.take()),
        (false, false) => body,
    });
    let status = answer.status();
    headers(answer.headers_mut(), is_page, seen.route.is_some_and(|route| route.framed));
    // What stores nothing is reading, also where it is asked for by POST.
    let is_reading = seen.route.is_none_or(|route| route.access.is_reading());
    if is_reading {
        share(answer.headers_mut());
    }
    if !answer.headers().contains_key(header::CACHE_CONTROL) {
        let value = match (reads && status == StatusCode::OK, service.settings.private) {
            (true, false) => "no-cache",
            (true, true) => "private, no-cache",
            (false, _) => "no-store",
        };
        answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    }
    answer
}

/// Adds the headers that only the answer to this one request has.
pub(super) fn own(headers: &mut HeaderMap, id: &RequestId, share: Option<limits::Share>) {
    headers.insert(REQUEST_ID, id.header());
    for (name, value) in share.into_iter().flat_map(limits::Share::headers) {
        headers.insert(name, value);
    }
}

/// Nothing of a body but its size.
fn head(body: &BoxBody) -> BoxBody {
    match body.size() {
        BodySize::Sized(size) => {
            BoxBody::new(SizedStream::new(size, stream::empty::<Result<Bytes, actix_web::Error>>()))
        }
        BodySize::None | BodySize::Stream => BoxBody::new(Nothing::new()),
    }
}

/// What a page may do: use the styles, scripts and pictures of this service, ask it for more, and send forms to it.
macro_rules! page_policy {
    ($ancestors:literal) => {
        concat!(
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; ",
            "form-action 'self'; base-uri 'none'; frame-ancestors ",
            $ancestors
        )
    };
}

/// The headers that all answers have. Nothing here loads anything from elsewhere; where an answer is particular about
/// itself, that holds. A page that may be `framed` can be shown inside of pages of other sites.
fn headers(headers: &mut HeaderMap, is_page: bool, framed: bool) {
    let policy = match (is_page, framed) {
        (true, false) => page_policy!("'none'"),
        (true, true) => page_policy!("*"),
        (false, _) => "default-src 'none'; frame-ancestors 'none'",
    };
    let frame = (!(is_page && framed)).then_some((header::X_FRAME_OPTIONS, "DENY"));
    let all = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "Accept, Accept-Language, Accept-Encoding"),
    ];
    for (name, value) in all.into_iter().chain(frame) {
        if name != header::CONTENT_SECURITY_POLICY || !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}

/// Lets programs of other sites in a browser read an answer.
fn share(headers: &mut HeaderMap) {
    let exposed = "ETag, Link, Quipu-Last-Change, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed));
}

#[cfg(test)]
mod tests {
    use std::{iter, time::Duration};

    use actix_web::{body::to_bytes, test::TestRequest};
    use serde_json::Value;
    use tempfile::TempDir;

    use super::{
        super::{routes::ROUTES, telemetry::Meter},
        *,
    };
    use quipu_archive::store::{Store, StoreError, TokenRefusal};
    use quipu_options::Scope;
    use quipu_options::settings::Settings;

    fn service() -> (TempDir, Arc<Service>) {
        service_with(Settings::default())
    }

    fn service_with(settings: Settings) -> (TempDir, Arc<Service>) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("an archive");
        (folder, Service::new(settings, store))
    }

    fn route(id: &str) -> Route {
        *ROUTES.iter().find(|route| route.id == id).expect("it is in the table")
    }

    /// That a route answers a request with a problem.
    async fn check(service: &Arc<Service>, route: Route, request: TestRequest, (status, code): (u16, &str)) {
        let routes = vec![&*Box::leak(Box::new(route))];
        let allow = HeaderValue::from_static("");
        let resource = Resource { routes, allow, meter: Meter::new(route.path), path: route.path };
        let (request, payload) = request.uri("/").to_http_parts();
        let shelf = Rc::new(ResponseCache::new(service, 1));
        let answer = answer(Arc::clone(service), Arc::new(resource), Places::default(), shelf, request, payload).await;
        assert_eq!(answer.status().as_u16(), status);
        let body = to_bytes(answer.into_body()).await.expect("it comes to its end");
        let problem: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!((&problem["code"], &problem["status"]), (&code.into(), &status.into()), "{problem}");
    }

    #[actix_web::test]
    async fn a_fault_of_ours_is_answered() {
        let (_folder, service) = service();
        let panics = Route { handler: |_| Box::pin(async { panic!("a fault of ours") }), ..route("health") };
        for _ in 0..2 {
            check(&service, panics, TestRequest::get(), (500, "api.internal")).await;
        }
        let elsewhere = Route {
            handler: |call| {
                Box::pin(async move { Ok(call.json(&call.work(|| -> Result<(), _> { panic!("ours") }).await?)) })
            },
            ..panics
        };
        check(&service, elsewhere, TestRequest::get(), (500, "api.internal")).await;
    }

    #[actix_web::test]
    async fn pages_of_lists_are_written_off_the_worker() {
        let settings = Settings { query_timeout: Duration::from_millis(50), ..Settings::default() };
        let (_folder, service) = service_with(settings);
        let permits: Vec<_> = iter::from_fn(|| service.limits.questions.try_acquire(None)).collect();
        assert!(!permits.is_empty());
        for page in ["start", "records", "players", "rankings", "events", "lives", "keep"] {
            check(&service, route(&format!("page-{page}")), TestRequest::get(), (503, "api.busy")).await;
        }
    }

    #[actix_web::test]
    async fn who_stops_is_not_ready() {
        let (_folder, service) = service();
        service.stop();
        check(&service, route("ready"), TestRequest::get(), (503, "api.stopping")).await;
    }

    #[actix_web::test]
    async fn a_full_disk() {
        let (_folder, service) = service();
        let token = service.store.write(|writing| -> Result<String, TokenRefusal> {
            let token = writing.add_token("test", &[Scope::RecordsWrite])?.1.reveal();
            writing.leave_no_space()?;
            Ok(token)
        });
        let token = token.await.expect("a token");
        let comment = "x".repeat(50_000);
        let record = format!("[Game \"andes\"]\n\n1. 0a1 0D0 {{{comment}}}\n2. 0b0 0D0C\n1-0\n");
        for _ in 0..2 {
            let request = TestRequest::post().insert_header((header::AUTHORIZATION, format!("Bearer {token}")));
            let request = request.insert_header((header::CONTENT_TYPE, "text/plain")).set_payload(record.clone());
            check(&service, route("submit"), request, (507, "api.full")).await;
        }
        let stored = service.store.read(|reading| -> Result<_, StoreError> { reading.last_change() });
        assert_eq!(stored.expect("it can be read"), 0);
    }
}
