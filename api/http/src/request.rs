//! The request that a handler receives: authorized, with its parameters parsed and its language and media type negotiated.
//! Reading its body is here; [`scheduling`](super::scheduling) runs work for it, and [`respond`](super::respond) builds its
//! response.

use std::{cell::Cell, mem, net::IpAddr, rc::Rc, sync::Arc};

use actix_web::{HttpMessage, HttpRequest, web::Bytes};
use chrono::NaiveDate;
use quipu_archive::{
    model::{Attribution, Id, Number},
    store::{Store, cursor_of},
};
use quipu_options::settings::Settings;
use quipu_referee::{Lang, Status};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::{
    auth::Bearer,
    body::{Body, BodyError},
    budget::Reservation,
    client::Client,
    limits::cost_of_body,
    paging::Address,
    params::{self, Value, Values},
    problem::{self, Problem},
    rate_limit::Quota,
    route::Route,
    service::Service,
    stream,
    telemetry::RequestId,
};

/// A request on its way through a handler.
pub(crate) struct RequestContext {
    pub(super) service: Arc<Service>,
    pub(super) request: HttpRequest,
    pub(super) route: &'static Route,
    /// Language of the response.
    pub(crate) lang: Lang,
    pub(crate) id: RequestId,
    /// The token of the request, if it has one.
    pub(crate) bearer: Option<Bearer>,
    /// The address of the client.
    pub(super) address: Option<IpAddr>,
    /// The client whose share of slots and permits the request takes.
    pub(super) client: Option<Client>,
    /// The remaining quota of the client after this request.
    pub(super) quota: Rc<Cell<Option<Quota>>>,
    /// Media type of the response: one of those of the route.
    pub(crate) media: &'static str,
    /// Media type of the body, without its parameters; empty without a body.
    pub(crate) body_media: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) values: Values,
    pub(super) body: Body,
    /// The memory reserved for the body.
    pub(super) body_reservation: Reservation,
    /// Set while the handler waits for the body: a timeout then is the client's fault.
    pub(super) is_reading: Rc<Cell<bool>>,
}

impl RequestContext {
    /// The parameter `charset` of the media type of the body.
    pub(crate) fn body_charset(&self) -> Option<String> {
        let media = self.request.mime_type().ok()??;
        media.get_param("charset").map(|charset| charset.as_str().to_owned())
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.service.settings
    }

    pub(crate) fn store(&self) -> &Store {
        &self.service.store
    }

    /// The attribution of a change: the name of the token, the author of the decision and the reason.
    pub(crate) fn by(&self, author: Option<String>, reason: Option<String>) -> Attribution {
        Attribution { submitter: self.submitter(), author, reason }
    }

    /// Name of the token of the request.
    pub(crate) fn submitter(&self) -> String {
        self.bearer.as_ref().map_or_else(String::new, |bearer| bearer.name.clone())
    }

    /// Charges the client's rate limit for the cost of the request beyond that of an ordinary one.
    ///
    /// # Errors
    /// `api.rate` if the client has too little quota left.
    pub(crate) fn charge(&self, cost: u32) -> Result<(), Problem> {
        if cost == 0 {
            return Ok(());
        }
        let charged = self.service.limits.charge(self.bearer.as_ref(), self.address, cost);
        if let Some(quota) = charged.inspect_err(|_| self.quota.set(None))? {
            self.quota.set(Some(quota));
        }
        Ok(())
    }

    /// Counts verdicts for the metrics.
    pub(crate) fn count_verdicts(&self, status: Status, count: u64) {
        self.service.metrics.verdicts(status, count);
    }

    pub(crate) fn own_address(&self) -> Address {
        Address::new(&self.path, &self.query)
    }

    // Parameters. Only those that the route declares can be read.

    /// True if the route has a parameter of this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.route.params.iter().any(|param| param.name == name)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        debug_assert!(self.declares(name), "{name} is not declared");
        self.values.get(name)
    }

    /// The value of a text parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a numeric parameter.
    pub(crate) fn number(&self, name: &str) -> Option<Number> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a date parameter.
    pub(crate) fn date(&self, name: &str) -> Option<NaiveDate> {
        match self.value(name)? {
            Value::Date(date) => Some(*date),
            _ => None,
        }
    }

    /// The value of a parameter of several ids.
    pub(crate) fn ids(&self, name: &str) -> Option<Vec<Id>> {
        match self.value(name)? {
            Value::Ids(ids) => Some(ids.clone()),
            _ => None,
        }
    }

    /// The record id in the path.
    pub(crate) fn record(&self) -> Id {
        match self.value("id") {
            Some(Value::Id(id)) => *id,
            _ => Id::default(),
        }
    }

    pub(crate) fn path_number(&self, name: &str) -> Number {
        self.number(name).unwrap_or_default()
    }

    /// The number of items on a page.
    pub(crate) fn limit(&self) -> usize {
        self.number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(params::DEFAULT_LIMIT)
    }

    /// The cursor at which the page starts; none for the first page.
    ///
    /// # Errors
    /// `api.cursor` if it is not a cursor of this list.
    pub(crate) fn cursor<C: DeserializeOwned>(&self) -> Result<Option<C>, Problem> {
        let Some(text) = self.text("cursor") else { return Ok(None) };
        cursor_of(text).map(Some).ok_or_else(|| self.invalid_cursor())
    }

    /// The problem of a cursor that is not one of this list.
    pub(crate) fn invalid_cursor(&self) -> Problem {
        Problem::new(problem::CURSOR).with_quoted("found", self.text("cursor").unwrap_or_default())
    }

    // The body.

    /// The next chunk of the body, after `so_far` bytes; none at its end.
    ///
    /// # Errors
    /// If the body is too large, too slow or broken.
    pub(crate) async fn chunk(&mut self, so_far: usize) -> Result<Option<Bytes>, Problem> {
        let Settings { max_body, request_timeout, .. } = self.service.settings;
        // A body of declared length is charged before it arrives, any other as it arrives.
        let (declared, is_judged) = (self.body.declared(), self.route.access.is_reading());
        if let Some(declared) = declared.filter(|_| is_judged && so_far == 0) {
            self.charge(cost_of_body(declared))?;
        }
        self.is_reading.set(true);
        let chunk = self.body.next(so_far, request_timeout).await;
        self.is_reading.set(false);
        if let (Ok(Some(chunk)), None, true) = (&chunk, declared, is_judged) {
            self.charge(cost_of_body(so_far + chunk.len()) - cost_of_body(so_far))?;
        }
        match chunk {
            Err(BodyError::Late) => Err(timeout(&self.service.settings)),
            Err(BodyError::Padded) => Err(too_large(max_body)),
            Err(BodyError::Broken) => Err(Problem::variant(problem::BODY, "broken")),
            Ok(Some(chunk)) if so_far + chunk.len() > max_body => Err(too_large(max_body)),
            Ok(chunk) => Ok(chunk),
        }
    }

    /// The whole body.
    ///
    /// # Errors
    /// As [`RequestContext::chunk`], or if the memory of all bodies is used up.
    pub(crate) async fn body(&mut self) -> Result<Bytes, Problem> {
        let (declared, max_body) = (self.body.declared(), self.settings().max_body);
        let limits = &self.service.limits;
        let mut compressed = self.body.is_compressed().then(|| limits.compressed_body_reservation());
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(body.len()).await? {
            let length = body.len() + chunk.len();
            if length > body.capacity() {
                // The capacity doubles, but not beyond the declared length.
                let most = declared.filter(|declared| length <= *declared).unwrap_or(max_body);
                let capacity = (2 * length).min(most);
                for reservation in compressed.iter_mut().chain([&mut self.body_reservation]) {
                    reservation.grow(capacity - body.capacity())?;
                }
                body.reserve_exact(capacity - body.len());
            }
            body.extend_from_slice(&chunk);
        }
        self.body_reservation.shrink_to(body.len());
        Ok(body.into_boxed_slice().into())
    }

    /// Hands over the reservation of the body, to work that holds the body longer than the request.
    pub(crate) fn take_body_reservation(&mut self) -> Reservation {
        mem::replace(&mut self.body_reservation, self.service.limits.body_reservation())
    }

    /// The body as JSON of some type.
    ///
    /// # Errors
    /// As [`RequestContext::chunk`], or if it is not JSON of that type.
    pub(crate) async fn body_json<T: DeserializeOwned + JsonSchema>(&mut self) -> Result<T, Problem> {
        let body = self.body().await?;
        if body.trim_ascii().is_empty() {
            return Err(Problem::variant(problem::BODY, "empty"));
        }
        let at = |variant, line: usize, column: usize| {
            Problem::variant(problem::BODY, variant).with("line", line).with("column", column)
        };
        // Serde would accept an array of the members' values too.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err(at("object", 1, 1));
        }
        serde_json::from_slice(&body).map_err(|error| match error.classify() {
            Category::Data => member_problem::<T>(&body).unwrap_or_else(|| at("member", error.line(), error.column())),
            Category::Eof | Category::Syntax | Category::Io => at("json", error.line(), error.column()),
        })
    }

    /// The body as a reader for another thread. If the body fails, so does the reader, with an error that
    /// [`stream::problem`] turns back into the problem.
    pub(crate) fn body_reader(&mut self) -> stream::BodyReader {
        let mut body = self.without_params();
        let (sender, reader) = stream::body();
        actix_web::rt::spawn(async move {
            let mut read = 0;
            while let Some(chunk) = body.chunk(read).await.transpose() {
                read += chunk.as_ref().map_or(0, Bytes::len);
                let failed = chunk.is_err();
                if sender.send(chunk).await.is_err() || failed {
                    break;
                }
            }
        });
        reader
    }

    /// The same request without its parameters.
    fn without_params(&self) -> Self {
        Self {
            service: Arc::clone(&self.service),
            request: self.request.clone(),
            id: self.id.clone(),
            bearer: self.bearer.clone(),
            quota: Rc::clone(&self.quota),
            body_media: String::new(),
            path: String::new(),
            query: String::new(),
            values: Values::default(),
            body: self.body.clone(),
            body_reservation: self.service.limits.body_reservation(),
            is_reading: Rc::clone(&self.is_reading),
            ..*self
        }
    }
}

/// The problem of an object whose members do not fit a type: the first unknown member, or else the first missing one.
fn member_problem<T: JsonSchema>(body: &[u8]) -> Option<Problem> {
    let found: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(body).ok()?;
    let schema = schemars::schema_for!(T);
    let known: Vec<_> = schema.get("properties")?.as_object()?.keys().map(String::as_str).collect();
    if let Some(name) = found.keys().find(|name| !known.contains(&name.as_str())) {
        return Some(
            Problem::variant(problem::BODY, "unknown").with_quoted("name", name).with("known", known.join(", ")),
        );
    }
    let mut required = schema.get("required")?.as_array()?.iter().filter_map(serde_json::Value::as_str);
    let missing = required.find(|name| !found.contains_key(*name))?;
    Some(Problem::variant(problem::BODY, "missing").with("name", missing))
}

/// The problem of a body that did not arrive within the request timeout.
pub(super) fn timeout(settings: &Settings) -> Problem {
    Problem::new(problem::TIMEOUT).with("seconds", settings.request_timeout.as_secs())
}

/// The problem of a body larger than the limit.
pub(super) fn too_large(max: usize) -> Problem {
    Problem::variant(problem::TOO_LARGE, "body").with("max", max)
}
