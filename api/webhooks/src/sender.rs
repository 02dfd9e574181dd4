//! HTTP requests to receivers.

use std::{
    io,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use quipu_archive::model::DeliveryFailure;
use ureq::{
    Agent, Error,
    http::{Response, header},
    tls::{Certificate, RootCerts, TlsConfig},
    unversioned::transport::DefaultConnector,
};

use crate::resolver::{GuardedResolver, Lookup, Uncallable};

/// Time limits of an attempt.
#[derive(Clone, Copy)]
pub(crate) struct TimeLimits {
    /// Of all of it.
    pub(crate) whole: Duration,
    /// Of the connection.
    pub(crate) connect: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self { whole: Duration::from_secs(15), connect: Duration::from_secs(5) }
    }
}

/// Most bytes of the headers of a response. Its body is not read.
const HEADERS: usize = 16 * 1024;

/// The result of an attempt.
pub(crate) struct Attempt {
    /// Status of the response, if there was one.
    pub(crate) status: Option<u16>,
    /// The failure, if it failed.
    pub(crate) failure: Option<DeliveryFailure>,
    /// The pause that the receiver asks for.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) duration: Duration,
}

/// Sends requests to addresses that may be called.
pub(crate) struct Sender {
    allows_private: bool,
    lookup: Lookup,
    limits: TimeLimits,
    /// Made for the first request: reading the certificates of the system takes a while.
    agent: OnceLock<Agent>,
}

impl Sender {
    pub(crate) fn new(allows_private: bool, lookup: Lookup, limits: TimeLimits) -> Self {
        Self { allows_private, lookup, limits, agent: OnceLock::new() }
    }

    /// Sends a body with headers.
    pub(crate) fn post(&self, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Attempt {
        let begun = Instant::now();
        let mut request = self.agent.get_or_init(|| self.agent()).post(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send(body);
        // Whole milliseconds, as they are stored.
        let duration = Duration::from_millis(u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX));
        match response {
            Ok(response) => Attempt {
                status: Some(response.status().as_u16()),
                failure: failure_of_status(response.status().as_u16()),
                retry_after: retry_after(&response),
                duration,
            },
            Err(error) => Attempt { status: None, failure: Some(failure_of(&error)), retry_after: None, duration },
        }
    }

    fn agent(&self) -> Agent {
        let roots = rustls_native_certs::load_native_certs();
        if roots.certs.is_empty() {
            tracing::warn!(errors = ?roots.errors, "the system has no root certificates: webhooks reach no receiver by https");
        }
        let roots = roots.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::from(roots))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = Agent::config_builder()
            .tls_config(tls.build())
            .http_status_as_error(false)
            .https_only(!self.allows_private)
            // A redirect could lead to another address. A proxy would resolve names itself.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            // Each connection is to an address that was checked now.
            .max_idle_connections(0)
            .max_response_header_size(HEADERS)
            .timeout_global(Some(self.limits.whole))
            .timeout_connect(Some(self.limits.connect))
            .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")))
            .build();
        let resolver = GuardedResolver { allows_private: self.allows_private, lookup: Arc::clone(&self.lookup) };
        Agent::with_parts(config, DefaultConnector::default(), resolver)
    }
}

fn failure_of_status(status: u16) -> Option<DeliveryFailure> {
    match status {
        200..=299 => None,
        300..=399 => Some(DeliveryFailure::Redirect),
        410 => Some(DeliveryFailure::Gone),
        _ => Some(DeliveryFailure::Status),
    }
}

fn failure_of(error: &Error) -> DeliveryFailure {
    match error {
        Error::Other(error) if error.is::<Uncallable>() => DeliveryFailure::Address,
        Error::RequireHttpsOnly(_) => DeliveryFailure::Address,
        Error::HostNotFound => DeliveryFailure::Name,
        Error::Timeout(_) => DeliveryFailure::Timeout,
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) | Error::TlsRequired => DeliveryFailure::Tls,
        Error::Io(error) if is_of_tls(error) => DeliveryFailure::Tls,
        Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => DeliveryFailure::Timeout,
        Error::Io(_) | Error::ConnectionFailed => DeliveryFailure::Connection,
        _ => DeliveryFailure::Response,
    }
}

/// True for the error of a handshake, which arrives as one of the connection.
fn is_of_tls(error: &io::Error) -> bool {
    let Some(inner) = error.get_ref() else { return false };
    inner.is::<rustls::Error>()
}

/// The header `Retry-After` in seconds. A date there is ignored.
fn retry_after<B>(response: &Response<B>) -> Option<Duration> {
    let seconds = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
