//! The one way that every request goes: counted, let in or not, its parameters read, handled, and the answer made good.

use std::{cell::Cell, panic::AssertUnwindSafe, rc::Rc, sync::Arc, time::Instant};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody, SizedStream},
    dev::{Decompress, Payload},
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
    call::{self, Call},
    coding, limits, negotiate,
    observe::{self, REQUEST_ID, RequestId},
    params::{Place, Values},
    problem::{self, Problem},
    routes::{Access, Answered, HTML, Route},
    server::{self, Resource, Service},
};

/// What is known of a request while it is answered.
struct Seen {
    lang: Lang,
    bearer: Option<Bearer>,
    share: Option<limits::Share>,
    route: Option<&'static Route>,
}

/// Answers a request.
pub(super) async fn answer(
    service: Arc<Service>,
    resource: Arc<Resource>,
    request: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let begun = Instant::now();
    let in_flight = service.metrics.enter();
    let id = RequestId::of(request.headers());
    let address = limits::address(request.headers(), request.peer_addr(), service.settings.trust_proxy);
    let mut seen = Seen { lang: negotiate::language(request.headers()), bearer: None, share: None, route: None };
    let answered = match let_in(&service, &resource, &request, address, &mut seen) {
        Ok(Some(route)) => handle(&service, route, &request, payload, &id, &mut seen).await,
        Ok(None) => Ok(options(&resource, &request)),
        Err(problem) => Err(problem),
    };
    let answer = answered.unwrap_or_else(|problem| problem.answer(seen.lang, id.as_str()));
    let mut answer = finished(&service, &request, &id, &mut seen, answer);
    if server::is_refused(&request) {
        answer.head_mut().set_connection_type(ConnectionType::Close);
    }
    let status = answer.status();
    resource.meter.count(&service.metrics, request.method(), status, begun.elapsed());
    let line = observe::Line {
        id,
        method: request.method().clone(),
        route: resource.path,
        status,
        token: seen.bearer.map(|bearer| bearer.name),
        address,
        begun,
    };
    answer.map_body(|_, body| observe::logged(line, in_flight, body))
}

/// The route of a request that may pass; none where only the methods are asked for. The body has not been looked at.
fn let_in(
    service: &Service,
    resource: &Resource,
    request: &HttpRequest,
    address: Option<std::net::IpAddr>,
    seen: &mut Seen,
) -> Result<Option<&'static Route>, Problem> {
    let settings = &service.settings;
    if server::is_refused(request) {
        let problem = Problem::variant(problem::BUSY, "connections").with("max", settings.max_connections);
        return Err(problem.again_after(1));
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
    seen.share = service.limits.count(bearer.as_ref().ok().and_then(Option::as_ref), address)?;
    seen.bearer = bearer?;
    seen.route = route;
    if resource.routes.is_empty() {
        return Err(Problem::variant(problem::NOT_FOUND, "path").quoting("found", request.path()));
    }
    let Some(route) = route else {
        if request.method() == Method::OPTIONS {
            return Ok(None);
        }
        let known = resource.allow.to_str().unwrap_or_default();
        let problem = Problem::new(problem::METHOD).quoting("found", request.method().as_str()).with("known", known);
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
    payload: Payload,
    id: &RequestId,
    seen: &mut Seen,
) -> Answered {
    let headers = request.headers();
    let mut values = Values::default();
    for param in route.params {
        let text = match param.place {
            Place::Path => request.match_info().get(param.name),
            Place::Header => headers.get(param.name).and_then(|value| value.to_str().ok()),
            Place::Query => None,
        };
        if let Some(text) = text {
            values.add(param, text)?;
        }
    }
    values.add_query(route.params, request.query_string())?;
    values.complete(route.params)?;
    if let Some(super::params::Value::Text(lang)) = values.get("lang") {
        seen.lang = Lang::parse(lang).unwrap_or(seen.lang);
    }
    let offers = route.answers.iter().flat_map(|answer| answer.content).map(|content| content.media);
    let Some(media) = negotiate::media(headers, offers.clone()) else {
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
        media,
        body_media,
        path: request.path().to_owned(),
        query: request.query_string().to_owned(),
        values,
        payload: (!route.body.is_empty()).then(|| Decompress::from_headers(payload, headers)),
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
                return Err(problem.with("seconds", settings.request_timeout.as_secs()).again_after(1));
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
    if let Some(coding) = headers.get(header::CONTENT_ENCODING) {
        let coding = coding.to_str().unwrap_or_default();
        if !["gzip", "identity"].iter().any(|known| coding.eq_ignore_ascii_case(known)) {
            let problem = Problem::variant(problem::MEDIA, "coding").quoting("found", coding);
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
    let problem = Problem::variant(problem::MEDIA, variant).quoting("found", &media).with("known", list());
    Err(problem.header_text(header::ACCEPT, &list()))
}

/// What may be done with a path, for programs in browsers: reading is for every site, writing for none.
fn options(resource: &Resource, request: &HttpRequest) -> HttpResponse {
    let mut answer = HttpResponse::NoContent();
    answer.insert_header((header::ALLOW, resource.allow.clone()));
    let asked = request.headers().get(header::ACCESS_CONTROL_REQUEST_METHOD);
    if asked.is_some_and(|method| ["GET", "HEAD"].iter().any(|known| method.as_bytes() == known.as_bytes())) {
        answer.insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD")));
        let headers = "Accept, Accept-Language, Authorization, If-None-Match, Last-Event-ID, X-Request-Id";
        answer.insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(headers)));
        answer.insert_header((header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")));
    }
    answer.finish()
}

/// What an answer still lacks: 304 where the client has it already, compression, and the headers that all have.
fn finished(
    service: &Service,
    request: &HttpRequest,
    id: &RequestId,
    seen: &mut Seen,
    mut answer: HttpResponse,
) -> HttpResponse {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let size = answer.body().size();
    let media = answer.headers().get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    let is_page = media == HTML;
    let gzip = coding::is_compressible(media, size) && negotiate::takes_gzip(request.headers());
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
        answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    answer = answer.map_body(|_, body| match (empty, gzip && changed) {
        (true, true) => BoxBody::new(SizedStream::new(0, stream::empty::<Result<Bytes, actix_web::Error>>())),
        (true, false) => head(&body),
        (false, true) => coding::compressed(body),
        (false, false) => body,
    });
    let status = answer.status();
    headers(answer.headers_mut(), is_page);
    if reads || request.method() == Method::OPTIONS {
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
    answer.headers_mut().insert(REQUEST_ID, id.header());
    if let Some(share) = seen.share.take() {
        for (name, value) in share.headers() {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// Nothing of a body but its size.
fn head(body: &BoxBody) -> BoxBody {
    match body.size() {
        BodySize::Sized(size) => {
            BoxBody::new(SizedStream::new(size, stream::empty::<Result<Bytes, actix_web::Error>>()))
        }
        BodySize::None | BodySize::Stream => BoxBody::new(actix_web::body::None::new()),
    }
}

/// The headers that all answers have. Nothing here loads anything from elsewhere, and a page only its style.
fn headers(headers: &mut HeaderMap, is_page: bool) {
    let policy = if is_page {
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    } else {
        "default-src 'none'; frame-ancestors 'none'"
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "Accept, Accept-Language, Accept-Encoding"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Lets programs of other sites in a browser read an answer.
fn share(headers: &mut HeaderMap) {
    let exposed = "ETag, Link, Quipu-Last-Change, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed));
}
