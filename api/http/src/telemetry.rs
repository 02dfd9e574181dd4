//! Observability: an id per request, access log lines, and metrics for Prometheus.

use std::{
    net::IpAddr,
    pin::Pin,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    http::{
        Method, StatusCode,
        header::{HeaderMap, HeaderName, HeaderValue},
    },
    web::Bytes,
};
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder, core::Collector,
};
use quipu_archive::model::{DeliveryFailure, WebhookState};
use quipu_referee::{Status, harmless, report::hex};

/// The header with the id of a request.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Most characters of an id that a client gives.
const MAX_ID: usize = 64;

/// Id of a request: that of the client if it is well formed, or a random one.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let sane = |value: &&HeaderValue| {
            let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
            (1..=MAX_ID).contains(&value.len()) && value.as_bytes().iter().all(plain)
        };
        match headers.get(REQUEST_ID).filter(sane) {
            Some(own) => Self(own.clone()),
            None => Self(HeaderValue::try_from(hex(&random().to_be_bytes())).unwrap_or(HeaderValue::from_static("-"))),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// A number that is unique in one run of the program, and probably among all runs.
fn random() -> u64 {
    static STATE: OnceLock<AtomicU64> = OnceLock::new();
    let state = STATE.get_or_init(|| AtomicU64::new(getrandom::u64().unwrap_or_default()));
    // SplitMix64: one step per request, mixed so that consecutive ids look unrelated.
    let step = state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    let mixed = (step ^ step >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The metrics of one service.
pub(super) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    latency: HistogramVec,
    in_flight: IntGauge,
    connections: IntGauge,
    queue: IntGauge,
    commit_jobs: Histogram,
    commit_seconds: Histogram,
    verdicts: IntCounterVec,
    deliveries: IntCounterVec,
    webhooks: IntGaugeVec,
}

/// Upper bounds of the latency histogram, in seconds.
const LATENCIES: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
/// Upper bounds of the histogram of jobs per commit.
const COMMITS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

impl Metrics {
    pub(super) fn new() -> Self {
        let valid = "our own names of metrics are valid";
        let gauge = |name, help| IntGauge::new(name, help).expect(valid);
        let histogram = |name: &str, help: &str, bounds: &[f64]| {
            Histogram::with_opts(HistogramOpts::new(name, help).buckets(bounds.to_vec())).expect(valid)
        };
        let metrics = Self {
            registry: Registry::new(),
            requests: IntCounterVec::new(
                Opts::new("quipu_http_requests_total", "Requests with a response."),
                &["route", "method", "status"],
            )
            .expect(valid),
            latency: HistogramVec::new(
                HistogramOpts::new("quipu_http_request_seconds", "Time to the first byte of the response.")
                    .buckets(LATENCIES.to_vec()),
                &["route", "method", "class"],
            )
            .expect(valid),
            in_flight: gauge("quipu_http_requests_in_flight", "Requests under way."),
            connections: gauge("quipu_http_connections", "Connections that are open."),
            queue: gauge("quipu_writer_queue_length", "Jobs that wait to be written."),
            commit_jobs: histogram("quipu_commit_jobs", "Jobs in one commit.", COMMITS),
            commit_seconds: histogram("quipu_commit_seconds", "Time that a commit took.", LATENCIES),
            verdicts: IntCounterVec::new(Opts::new("quipu_verdicts_total", "Verdicts given."), &["status"])
                .expect(valid),
            deliveries: IntCounterVec::new(
                Opts::new("quipu_webhook_deliveries_total", "Attempts to deliver to webhooks."),
                &["result"],
            )
            .expect(valid),
            webhooks: IntGaugeVec::new(Opts::new("quipu_webhooks", "Webhooks."), &["state"]).expect(valid),
        };
        for status in [Status::Verified, Status::Incomplete, Status::Rejected, Status::Unreadable] {
            metrics.verdicts.with_label_values(&[status.as_str()]);
        }
        for failure in DeliveryFailure::ALL.map(Some).into_iter().chain([None]) {
            metrics.deliveries.with_label_values(&[result_of(failure)]);
        }
        let all: [Box<dyn Collector>; 10] = [
            Box::new(metrics.requests.clone()),
            Box::new(metrics.latency.clone()),
            Box::new(metrics.in_flight.clone()),
            Box::new(metrics.connections.clone()),
            Box::new(metrics.queue.clone()),
            Box::new(metrics.commit_jobs.clone()),
            Box::new(metrics.commit_seconds.clone()),
            Box::new(metrics.verdicts.clone()),
            Box::new(metrics.deliveries.clone()),
            Box::new(metrics.webhooks.clone()),
        ];
        for collector in all {
            metrics.registry.register(collector).expect(valid);
        }
        metrics
    }

    pub(super) fn commit(&self, jobs: usize, time: Duration) {
        self.commit_jobs.observe(f64::from(u32::try_from(jobs).unwrap_or(u32::MAX)));
        self.commit_seconds.observe(time.as_secs_f64());
    }

    pub(super) fn verdicts(&self, status: Status, count: u64) {
        self.verdicts.with_label_values(&[status.as_str()]).inc_by(count);
    }

    /// Counts an attempt to deliver to a webhook.
    pub(super) fn delivery(&self, failure: Option<DeliveryFailure>) {
        self.deliveries.with_label_values(&[result_of(failure)]).inc();
    }

    pub(super) fn note_webhooks(&self, states: &[WebhookState]) {
        for state in WebhookState::ALL {
            let count = states.iter().filter(|own| **own == state).count();
            self.webhooks.with_label_values(&[state.as_str()]).set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    /// Counts a request while it is under way.
    pub(super) fn enter(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// All metrics in the text format of Prometheus.
    pub(super) fn text(&self, queue: usize, connections: usize) -> String {
        self.queue.set(i64::try_from(queue).unwrap_or(i64::MAX));
        self.connections.set(i64::try_from(connections).unwrap_or(i64::MAX));
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

/// The result of an attempt to deliver to a webhook.
fn result_of(failure: Option<DeliveryFailure>) -> &'static str {
    failure.map_or("delivered", DeliveryFailure::as_str)
}

/// A request under way.
pub(super) struct InFlight(IntGauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Methods with metrics of their own; all others count as `other`.
const METHODS: [&str; 5] = ["GET", "HEAD", "POST", "OPTIONS", "other"];
/// Index of a method in that list.
fn known(method: &Method) -> usize {
    METHODS.iter().position(|name| *name == method.as_str()).unwrap_or(METHODS.len() - 1)
}

/// Statuses with cached counters.
const STATUSES: [u16; 24] = [
    200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 429, 431, 500, 501, 503, 504, 507, 202,
    207,
];

/// The counters of one path, each looked up once.
pub(super) struct Meter {
    route: &'static str,
    methods: [MethodMeter; METHODS.len()],
}

#[derive(Default)]
struct MethodMeter {
    statuses: [OnceLock<IntCounter>; STATUSES.len()],
    classes: [OnceLock<Histogram>; 5],
}

impl Meter {
    /// `route` is the declared path; empty for unknown paths.
    pub(super) fn new(route: &'static str) -> Self {
        Self { route, methods: Default::default() }
    }

    pub(super) fn count(&self, metrics: &Metrics, method: &Method, status: StatusCode, time: Duration) {
        let at = known(method);
        let (meter, name) = (&self.methods[at], METHODS[at]);
        let counter = || metrics.requests.with_label_values(&[self.route, name, status.as_str()]);
        match STATUSES.iter().position(|known| *known == status.as_u16()) {
            Some(at) => meter.statuses[at].get_or_init(counter).inc(),
            None => counter().inc(),
        }
        let class = usize::from(status.as_u16() / 100).clamp(1, 5);
        let name_of_class = ["1xx", "2xx", "3xx", "4xx", "5xx"][class - 1];
        let histogram = || metrics.latency.with_label_values(&[self.route, name, name_of_class]);
        meter.classes[class - 1].get_or_init(histogram).observe(time.as_secs_f64());
    }
}

/// A line of the access log. It never contains the token itself.
pub(super) struct AccessLogLine {
    pub(super) id: RequestId,
    pub(super) method: Method,
    pub(super) route: &'static str,
    pub(super) status: StatusCode,
    pub(super) token: Option<String>,
    pub(super) address: Option<IpAddr>,
    pub(super) begun: Instant,
}

impl AccessLogLine {
    /// Writes the line, with the size of the response. `whole` is true if all of it was sent.
    pub(super) fn write(&self, bytes: u64, whole: bool) {
        // A name in an older archive may contain characters that change the look of a line.
        let token = self.token.as_deref().map(harmless);
        let (address, token) = (self.address.map(tracing::field::display), token.as_deref());
        tracing::info!(
            target: "quipu::http",
            request_id = self.id.as_str(),
            method = METHODS[known(&self.method)],
            route = self.route,
            status = self.status.as_u16(),
            micros = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            bytes,
            whole,
            token,
            address,
            "request"
        );
    }
}

/// Writes the line when the response is complete: at once if its size is known, or else after its last byte or when the
/// client disconnects.
pub(super) fn logged(line: AccessLogLine, in_flight: InFlight, body: BoxBody) -> BoxBody {
    match body.size() {
        BodySize::Stream => BoxBody::new(Logged { line, body, bytes: 0, whole: false, in_flight }),
        BodySize::Sized(bytes) => {
            line.write(bytes, true);
            body
        }
        BodySize::None => {
            line.write(0, true);
            body
        }
    }
}

struct Logged {
    line: AccessLogLine,
    body: BoxBody,
    bytes: u64,
    whole: bool,
    #[expect(dead_code, reason = "held as long as the response lasts")]
    in_flight: InFlight,
}

impl MessageBody for Logged {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.body).poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(chunk))) => this.bytes += chunk.len() as u64,
            Poll::Ready(None) => this.whole = true,
            _ => {}
        }
        polled
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        self.line.write(self.bytes, self.whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, kept: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, HeaderValue::from_str(given).expect("a header"));
        assert_eq!(RequestId::of(&headers).as_str() == given, kept, "{given}");
    }

    #[test]
    fn ids_of_requests() {
        check("a-1_B.2", true);
        check("", false);
        check("a b", false);
        check("<script>", false);
        check(&"a".repeat(64), true);
        check(&"a".repeat(65), false);
        assert_ne!(RequestId::of(&HeaderMap::new()).as_str(), RequestId::of(&HeaderMap::new()).as_str());
    }
}
