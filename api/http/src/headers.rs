//! Response headers that do not depend on the handler: request id, rate limit, security policy and CORS.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderMap, HeaderName, HeaderValue},
};
use base64::{Engine, engine::general_purpose::STANDARD};

use super::{
    rate_limit::Quota,
    router::Resource,
    telemetry::{REQUEST_ID, RequestId},
};

/// Adds the headers that belong to one request: its id and the remaining rate limit.
pub(super) fn per_request_headers(headers: &mut HeaderMap, id: &RequestId, quota: Option<Quota>) {
    headers.insert(REQUEST_ID, id.header());
    for (name, value) in quota.into_iter().flat_map(Quota::headers) {
        headers.insert(name, value);
    }
}

/// Content security policy of pages: styles, scripts, pictures, requests, workers, manifests and forms of this service only.
macro_rules! page_policy {
    ($ancestors:literal) => {
        concat!(
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; ",
            "worker-src 'self'; manifest-src 'self'; ",
            "form-action 'self'; base-uri 'none'; frame-ancestors ",
            $ancestors
        )
    };
}

/// Adds the security headers. No response loads anything from other sites. A content security policy that the handler set
/// stays. Other sites may show a `framed` page in a frame.
pub(super) fn security_headers(headers: &mut HeaderMap, is_page: bool, framed: bool) {
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

/// True if scripts of any site may send requests to a path: it belongs to the API. Pages with their forms are for their own
/// site. Writing takes a token, which no browser adds by itself, so there is nothing that a foreign site could misuse.
pub(super) fn is_cross_origin(path: &str) -> bool {
    path.starts_with("/v1/") || path == "/openapi.json"
}

/// Adds the CORS headers with which scripts of any site may read a response.
pub(super) fn cors_headers(headers: &mut HeaderMap) {
    let exposed = "Accept, Accept-Encoding, Accept-Ranges, Allow, Content-Disposition, ETag, Idempotency-Replayed, Link, Location, \
                   Quipu-Last-Change, RateLimit, RateLimit-Policy, Repr-Digest, Retry-After, WWW-Authenticate, X-Request-Id";
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed));
}

/// Announces that parts of a response cannot be requested.
pub(crate) const NO_RANGES: (HeaderName, HeaderValue) = (header::ACCEPT_RANGES, HeaderValue::from_static("none"));

/// Name of the header `Repr-Digest` (RFC 9530).
pub(super) const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");

/// The header `Repr-Digest` of a representation with this SHA-256.
pub(crate) fn repr_digest(sha256: impl AsRef<[u8]>) -> (HeaderName, HeaderValue) {
    let value = HeaderValue::from_str(&format!("sha-256=:{}:", STANDARD.encode(sha256)));
    (REPR_DIGEST, value.unwrap_or(HeaderValue::from_static("")))
}

/// The response to `OPTIONS`. CORS preflight requests for the API are granted to scripts of any site.
pub(super) fn options(resource: &Resource, request: &HttpRequest) -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    response.insert_header((header::ALLOW, resource.allow.clone()));
    let requested = request.headers().get(header::ACCESS_CONTROL_REQUEST_METHOD).map(HeaderValue::as_bytes);
    let mut methods = resource.allow.to_str().unwrap_or_default().split(", ");
    if is_cross_origin(request.path()) && methods.any(|method| requested == Some(method.as_bytes())) {
        response.insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, resource.allow.clone()));
        let headers = "Accept, Accept-Language, Authorization, Content-Encoding, Content-Type, Idempotency-Key, \
                       If-Match, If-None-Match, Last-Event-ID, Quipu-After-Change, X-Request-Id";
        response.insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(headers)));
        response.insert_header((header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")));
    }
    response.finish()
}
