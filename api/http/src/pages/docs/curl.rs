//! The command line that makes the request of an example.

use serde_json::Value;

use crate::{
    openapi::examples::Example,
    route::{Access, EVENTS, JSON, Method, Route, Shape},
};

/// Characters of a command that stays on one line.
const LINE: usize = 80;

/// The command with which `curl` makes the request. The address of the service and the token are variables of the shell.
pub(super) fn command(route: &Route, example: &Example) -> String {
    let mut parts = vec!["curl".to_owned()];
    let main = route.responses.iter().flat_map(|response| response.content).next();
    if main.is_some_and(|main| main.media == EVENTS) {
        parts.push("-N".to_owned());
    }
    if main.is_some_and(|main| matches!(main.shape, Shape::Bytes)) {
        let path = example.path.split('?').next().unwrap_or_default();
        parts.push(format!("-o {}", path.rsplit('/').next().unwrap_or_default()));
    }
    let body = body(example);
    // Without an option the method is GET, and with a body POST.
    if !matches!((route.method, body), (Method::Get, None) | (Method::Post, Some(_))) {
        parts.push(format!("-X {}", route.method.as_str()));
    }
    if matches!(route.access, Access::Scope(_)) {
        parts.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    }
    if route.needs_version() {
        parts.push("-H 'If-Match: *'".to_owned());
    }
    if let Some((media, body)) = body {
        let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        parts.push(format!("-H 'Content-Type: {media}'"));
        parts.push(format!("--data-binary {}", quoted(&body)));
    }
    parts.push(format!("\"$QUIPU{}\"", example.path));
    let line = parts.join(" ");
    if line.len() <= LINE { line } else { parts.join(" \\\n    ") }
}

/// The body to show: JSON if the route reads nothing else, or else text.
fn body(example: &Example) -> Option<(&str, &Value)> {
    let mut bodies = example.body.iter().map(|(media, body)| (media.as_str(), body));
    let text = bodies.clone().find(|(media, _)| *media == "text/plain");
    text.or_else(|| bodies.find(|(media, _)| *media == JSON))
}

/// A text as one word of the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
