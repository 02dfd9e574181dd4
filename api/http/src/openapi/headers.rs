//! The headers of responses.

use quipu_referee::Lang;
use serde_json::{Value, json};

use crate::{
    messages,
    params::Location,
    route::{Method, Route},
};

/// All response headers with their schemas. Their words are `header.<name>`.
pub(super) fn headers(lang: Lang) -> Value {
    let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    let number = || json!({ "type": "integer", "minimum": 0 });
    // The flag is true for headers that are present wherever `headers_of` names them.
    let all = [
        ("X-Request-Id", true, text("^[A-Za-z0-9_.-]{1,64}$")),
        ("Accept-Ranges", true, json!({ "type": "string", "enum": ["none"] })),
        ("Content-Disposition", true, text("^attachment; filename=\"")),
        ("RateLimit", false, text("^\"(address|token)\";r=[0-9]+$")),
        ("RateLimit-Policy", false, text("^\"(address|token)\";q=[0-9]+;w=60$")),
        ("ETag", true, text("^\"[!#-~]+\"$")),
        ("Idempotency-Replayed", false, json!({ "type": "string", "enum": ["true"] })),
        ("Link", false, text("^<[^>]+>; rel=\"")),
        ("Location", true, json!({ "type": "string", "format": "uri-reference" })),
        ("Quipu-Last-Change", true, number()),
        ("Repr-Digest", false, text("^sha-256=:[A-Za-z0-9+/]{43}=:$")),
        ("Retry-After", false, number()),
        ("WWW-Authenticate", true, text("^Bearer realm=\"quipu\"")),
    ];
    let header = |(name, required, schema): (&str, bool, Value)| {
        let description = messages::get(&format!("header.{name}"), lang);
        (name.to_owned(), json!({ "description": description, "required": required, "schema": schema }))
    };
    Value::Object(all.into_iter().map(header).collect())
}

/// The headers that a response of a route can have. Those of an error follow from its status alone.
pub(super) fn headers_of(route: &Route, status: u16) -> Value {
    let takes = |place, name: &str| route.params.iter().any(|param| param.location == place && param.name == name);
    let goes_on = takes(Location::Query, "limit") || route.id == "history";
    let is_saved = status == 200 && route.method == Method::Put && route.needs_version();
    let known = [
        (true, "X-Request-Id"),
        (true, "RateLimit"),
        (true, "RateLimit-Policy"),
        (matches!(status, 200 | 304) && route.has_tag() || is_saved, "ETag"),
        (status < 300 && takes(Location::Header, "Idempotency-Key"), "Idempotency-Replayed"),
        (status == 200 && goes_on, "Link"),
        (matches!((route.id, status), ("submit" | "correct" | "token-add", 201) | (_, 307)), "Location"),
        (matches!((route.id, status), ("record" | "source", 200)), "Repr-Digest"),
        (matches!((route.id, status), ("record" | "source" | "export", 200)), "Accept-Ranges"),
        (matches!((route.id, status), ("source", 200)), "Content-Disposition"),
        (status == 200 && route.id == "export", "Quipu-Last-Change"),
        (matches!(status, 429 | 503), "Retry-After"),
        (matches!(status, 401 | 403), "WWW-Authenticate"),
    ];
    let known = known.into_iter().filter(|(applies, _)| *applies);
    let reference = |(_, name)| (String::from(name), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(known.map(reference).collect())
}
