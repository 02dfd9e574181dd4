//! The client of `POST /v1/records`.

use std::{io, sync::Arc, time::Duration};

use serde_json::Value;
use ureq::{
    Agent, Error,
    http::{HeaderMap, Uri, header},
    tls::{Certificate, RootCerts, TlsConfig},
};

use crate::reply::{Cause, Failure, Problem, Reply};

/// Time to connect, at most.
const CONNECT: Duration = Duration::from_secs(15);
/// Bytes of a problem document, at most.
const DOCUMENT: u64 = 256 * 1024;
/// Longest pause that a service can ask for.
const MAX_PAUSE: Duration = Duration::from_secs(3600);
const LINES: &str = "application/x-ndjson";

/// The address of a service cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// It is not of the form `http://host` or `https://host`, with a port and a path if needed.
    Malformed,
    /// It has a user, a query or a fragment.
    Extra,
    /// The system has no root certificates, and the address begins with `https`.
    NoCertificates,
}

/// Sends records to one service.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    address: String,
    authorization: Option<String>,
    language: String,
}

impl Client {
    /// `language` is that of problem documents, such as `en`. A request takes `limit` at most, its response included.
    pub fn new(address: &str, token: Option<&str>, language: &str, limit: Duration) -> Result<Self, AddressError> {
        let uri: Uri = address.parse().map_err(|_| AddressError::Malformed)?;
        let is_secure = uri.scheme_str() == Some("https");
        let host = uri.host().filter(|host| !host.is_empty());
        if host.is_none() || !(is_secure || uri.scheme_str() == Some("http")) {
            return Err(AddressError::Malformed);
        }
        if address.contains(['@', '?', '#']) {
            return Err(AddressError::Extra);
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would turn the upload into a query, and take the token elsewhere.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT.min(limit)))
            .timeout_global(Some(limit))
            .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")));
        let config = if is_secure { config.tls_config(tls()?).build() } else { config.build() };
        Ok(Self {
            agent: Agent::new_with_config(config),
            address: address.trim_end_matches('/').to_owned(),
            authorization: token.map(|token| format!("Bearer {token}")),
            language: language.to_owned(),
        })
    }

    /// The address of the service, without a slash at its end.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Submits the records of a body.
    pub fn submit(&self, body: &[u8]) -> Result<Reply, Failure> {
        let mut request = self
            .agent
            .post(format!("{}/v1/records", self.address))
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(header::ACCEPT, LINES)
            .header(header::ACCEPT_LANGUAGE, &self.language);
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let response = request.send(body).map_err(|error| Failure::Temporary(cause(&error), None))?;
        let (head, body) = response.into_parts();
        let pause = pause(&head.headers);
        let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if head.status == 200 && kind.starts_with(LINES) {
            return Reply::read(body.into_with_config().limit(u64::MAX).reader(), pause);
        }
        let document = body.into_with_config().limit(DOCUMENT).read_to_vec().unwrap_or_default();
        let document: Value = serde_json::from_slice(&document).unwrap_or_default();
        let status = head.status.as_u16();
        let mut problem = Problem { status, ..Problem::of(&document, status) };
        if let Some(target) = head.headers.get(header::LOCATION).and_then(|target| target.to_str().ok()) {
            target.clone_into(&mut problem.detail);
        }
        Err(problem.failure(pause))
    }
}

/// TLS with the root certificates of the system.
fn tls() -> Result<TlsConfig, AddressError> {
    let roots = rustls_native_certs::load_native_certs().certs;
    if roots.is_empty() {
        return Err(AddressError::NoCertificates);
    }
    let roots = roots.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(TlsConfig::builder().root_certs(RootCerts::from(roots)).unversioned_rustls_crypto_provider(provider).build())
}

/// The header `Retry-After` in seconds. A date there is ignored.
fn pause(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(MAX_PAUSE))
}

fn cause(error: &Error) -> Cause {
    match error {
        Error::HostNotFound => Cause::Name,
        Error::Timeout(_) => Cause::Timeout,
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) | Error::TlsRequired => Cause::Tls(error.to_string()),
        Error::Io(error) if is_of_tls(error) => Cause::Tls(error.to_string()),
        Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => Cause::Timeout,
        Error::Io(_) | Error::ConnectionFailed | Error::ConnectProxyFailed(_) => Cause::Connection,
        _ => Cause::Foreign(None),
    }
}

/// True for the error of a handshake, which arrives as one of the connection.
fn is_of_tls(error: &io::Error) -> bool {
    let Some(inner) = error.get_ref() else { return false };
    inner.is::<rustls::Error>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let client = |address| Client::new(address, None, "en", CONNECT).map(|client| client.address().to_owned());
        assert_eq!(client("http://127.0.0.1:8080/"), Ok("http://127.0.0.1:8080".to_owned()));
        assert_eq!(client("http://games.example.org/quipu/"), Ok("http://games.example.org/quipu".to_owned()));
        for address in ["", "games.example.org", "127.0.0.1:8080", "ftp://games.example.org", "/v1"] {
            assert_eq!(client(address), Err(AddressError::Malformed), "{address}");
        }
        for address in ["http://user@games.example.org", "http://games.example.org/?a=b"] {
            assert_eq!(client(address), Err(AddressError::Extra), "{address}");
        }
    }

    #[test]
    fn a_service_asks_for_an_hour_at_most() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, value.parse().expect("a value"));
            pause(&headers)
        };
        assert_eq!(of("7"), Some(Duration::from_secs(7)));
        assert_eq!(of("999999"), Some(MAX_PAUSE));
        assert_eq!(of("Wed, 21 Oct 2026 07:28:00 GMT"), None);
    }
}
