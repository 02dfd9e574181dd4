//! What a handler is given: a request that was let in, with its parameters read and its language and media type settled;
//! and how it answers.

use std::{cell::Cell, fmt, future::Future, net::IpAddr, pin::Pin, rc::Rc, sync::Arc};

use super::{
    auth::Bearer,
    body::{Body, BodyError},
    budget::Reservation,
    cache::CachePolicy,
    limits::{Client, Share, cost_of_body},
    negotiate,
    params::{self, Value, Values},
    permits::{self, Permit, Permits},
    problem::{self, Problem},
    routes::{Answered, Route},
    server::Service,
    spool::{Shared, SpoolWriter, Spooled},
    stream::{self, Pace, Sink},
    telemetry::RequestId,
};
use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderValue},
    web::{self, Bytes},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::NaiveDate;
use futures_util::{Stream, StreamExt};
use quipu_archive::{
    model::{By, Id, Number},
    store::{Pending, ReadTx, Store, StoreError, WriteTx},
};
use quipu_options::settings::Settings;
use quipu_referee::{Lang, Status};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::error::Category;

/// One request.
pub(crate) struct Call {
    pub(super) service: Arc<Service>,
    pub(super) request: HttpRequest,
    pub(super) route: &'static Route,
    /// The language of the reader.
    pub(crate) lang: Lang,
    /// Id of the request.
    pub(crate) id: RequestId,
    /// Who asks, if a token says so.
    pub(crate) bearer: Option<Bearer>,
    /// Where it comes from.
    pub(super) address: Option<IpAddr>,
    /// The client, as far as shares count it.
    pub(super) client: Option<Client>,
    /// The rest of the client's allowance after it.
    pub(super) left: Rc<Cell<Option<Share>>>,
    /// What to answer in: one of the media types of the route.
    pub(crate) media: &'static str,
    /// Media type of the body, without its parameters; empty where there is no body.
    pub(crate) body_media: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) values: Values,
    pub(super) body: Body,
    /// What the body takes, as long as it is held.
    pub(super) room: Reservation,
    /// Set while the body is waited for: who is late then is the client.
    pub(super) reading: Rc<Cell<bool>>,
}

/// How long an answer stays true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    /// For ever: what is there under this address never changes.
    Immutable,
    /// Until something happens: to be asked for again each time, and compared by its tag.
    Revalidate,
}

/// A page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List", deny_unknown_fields)]
pub(crate) struct Page<T> {
    /// What is on it.
    pub(crate) items: Vec<T>,
    /// Where the list goes on, if it does: the value of `cursor` or, in lists by number, of `since`.
    pub(crate) next: Option<String>,
}

impl Call {
    /// The settings of the service.
    pub(crate) fn settings(&self) -> &Settings {
        &self.service.settings
    }

    /// The archive.
    pub(crate) fn store(&self) -> &Store {
        &self.service.store
    }

    /// Whose change it is: the name of the token, who decided it and why.
    pub(crate) fn by(&self, author: Option<String>, reason: Option<String>) -> By {
        let submitter = self.bearer.as_ref().map_or_else(String::new, |bearer| bearer.name.clone());
        By { submitter, author, reason }
    }

    /// Counts the request once more, for what it costs beyond an ordinary one.
    ///
    /// # Errors
    /// If that is more than what is left to the client.
    pub(crate) fn charge(&self, cost: u32) -> Result<(), Problem> {
        if cost == 0 {
            return Ok(());
        }
        let counted = self.service.limits.charge(self.bearer.as_ref(), self.address, cost);
        if let Some(left) = counted.inspect_err(|_| self.left.set(None))? {
            self.left.set(Some(left));
        }
        Ok(())
    }

    /// Counts verdicts that were given.
    pub(crate) fn count_verdicts(&self, status: Status, count: u64) {
        self.service.metrics.verdicts(status, count);
    }

    // Parameters. What was not declared in the table is not there to be asked for.

    /// Whether the route has a parameter of this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.route.params.iter().any(|param| param.name == name)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        debug_assert!(self.declares(name), "{name} is not declared");
        self.values.get(name)
    }

    /// The value of a parameter that is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a parameter that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<Number> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value of a parameter that is a day.
    pub(crate) fn date(&self, name: &str) -> Option<NaiveDate> {
        match self.value(name)? {
            Value::Date(date) => Some(*date),
            _ => None,
        }
    }

    /// The record that the path names.
    pub(crate) fn record(&self) -> Id {
        match self.value("id") {
            Some(Value::Id(id)) => *id,
            _ => Id::default(),
        }
    }

    /// The number that the path names.
    pub(crate) fn path_number(&self, name: &str) -> Number {
        self.number(name).unwrap_or_default()
    }

    /// How many items to show.
    pub(crate) fn limit(&self) -> usize {
        self.number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(params::DEFAULT_LIMIT)
    }

    /// Where to go on, if that is said.
    ///
    /// # Errors
    /// If it is no cursor of this list.
    pub(crate) fn cursor<C: DeserializeOwned>(&self) -> Result<Option<C>, Problem> {
        let Some(text) = self.text("cursor") else { return Ok(None) };
        let json = URL_SAFE_NO_PAD.decode(text).ok();
        match json.and_then(|json| serde_json::from_slice(&json).ok()) {
            Some(cursor) => Ok(Some(cursor)),
            None => Err(self.no_cursor()),
        }
    }

    /// What is said of a cursor that is none of this list.
    pub(crate) fn no_cursor(&self) -> Problem {
        Problem::new(problem::CURSOR).with_quoted("found", self.text("cursor").unwrap_or_default())
    }

    // The body.

    /// The body, chunk by chunk, not more of it than may be.
    ///
    /// # Errors
    /// If it is too large, too slow or broken off.
    pub(crate) async fn chunk(&mut self, so_far: usize) -> Result<Option<Bytes>, Problem> {
        let Settings { max_body, request_timeout, .. } = self.service.settings;
        // A body whose length is known is counted before it comes, and another as it comes.
        let (declared, is_judged) = (self.body.declared(), self.route.access.is_reading());
        if let Some(declared) = declared.filter(|_| is_judged && so_far == 0) {
            self.charge(cost_of_body(declared))?;
        }
        self.reading.set(true);
        let chunk = self.body.next(so_far, request_timeout).await;
        self.reading.set(false);
        if let (Ok(Some(chunk)), None, true) = (&chunk, declared, is_judged) {
            self.charge(cost_of_body(so_far + chunk.len()) - cost_of_body(so_far))?;
        }
        match chunk {
            Err(BodyError::Late) => Err(late(&self.service.settings)),
            Err(BodyError::Padded) => Err(too_large(max_body)),
            Err(BodyError::Broken) => Err(Problem::variant(problem::BODY, "broken")),
            Ok(Some(chunk)) if so_far + chunk.len() > max_body => Err(too_large(max_body)),
            Ok(chunk) => Ok(chunk),
        }
    }

    /// The whole body.
    ///
    /// # Errors
    /// As [`Call::chunk`], or if all bodies together take more than they may.
    pub(crate) async fn body(&mut self) -> Result<Bytes, Problem> {
        let (declared, max_body) = (self.body.declared(), self.settings().max_body);
        let mut packed = self.body.is_packed().then(|| self.service.limits.packed_room());
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(body.len()).await? {
            let length = body.len() + chunk.len();
            if length > body.capacity() {
                // Doubled as it grows, but not beyond what is to come.
                let most = declared.filter(|declared| length <= *declared).unwrap_or(max_body);
                let capacity = (2 * length).min(most);
                for room in packed.iter_mut().chain([&mut self.room]) {
                    room.grow(capacity - body.capacity())?;
                }
                body.reserve_exact(capacity - body.len());
            }
            body.extend_from_slice(&chunk);
        }
        self.room.shrink_to(body.len());
        Ok(body.into_boxed_slice().into())
    }

    /// The room that the body has taken, for who goes on with it.
    pub(crate) fn take_room(&mut self) -> Reservation {
        std::mem::replace(&mut self.room, self.service.limits.room())
    }

    /// The body as the JSON of some type.
    ///
    /// # Errors
    /// As [`Call::chunk`], or if it is not that.
    pub(crate) async fn body_json<T: DeserializeOwned + JsonSchema>(&mut self) -> Result<T, Problem> {
        let body = self.body().await?;
        if body.trim_ascii().is_empty() {
            return Err(Problem::variant(problem::BODY, "empty"));
        }
        let at = |variant, line: usize, column: usize| {
            Problem::variant(problem::BODY, variant).with("line", line).with("column", column)
        };
        // A list of the members' values would be taken for the object too.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err(at("object", 1, 1));
        }
        serde_json::from_slice(&body).map_err(|error| match error.classify() {
            Category::Data => members::<T>(&body).unwrap_or_else(|| at("member", error.line(), error.column())),
            Category::Eof | Category::Syntax | Category::Io => at("json", error.line(), error.column()),
        })
    }

    /// The body as something to read from, for work on another thread. A body that fails ends in an error that
    /// [`stream::problem`] knows.
    pub(crate) fn body_reader(&mut self) -> stream::BodyReader {
        let mut body = self.again();
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
    fn again(&self) -> Self {
        Self {
            service: Arc::clone(&self.service),
            request: self.request.clone(),
            id: self.id.clone(),
            bearer: self.bearer.clone(),
            left: Rc::clone(&self.left),
            body_media: String::new(),
            path: String::new(),
            query: String::new(),
            values: Values::default(),
            body: self.body.clone(),
            room: self.service.limits.room(),
            reading: Rc::clone(&self.reading),
            ..*self
        }
    }

    // Work.

    /// Asks the archive something small, here and now.
    ///
    /// # Errors
    /// What `ask` reports, or why the archive cannot be read.
    pub(crate) fn read<T>(&self, ask: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError>) -> Result<T, Problem> {
        Ok(self.store().read_within(self.settings().query_timeout, ask)?)
    }

    /// Asks the archive something that may take its time, on another thread and within the time for questions.
    ///
    /// # Errors
    /// What `ask` reports, or why the archive cannot be read.
    pub(crate) async fn read_slowly<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.read_then(ask, Ok).await
    }

    /// The same, and goes on with the answer on that thread, such as to write a page of HTML.
    ///
    /// # Errors
    /// The errors of `ask` and of `then`, or why the archive cannot be read.
    pub(crate) async fn read_then<T, U: Send + 'static>(
        &self,
        ask: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(T) -> Result<U, Problem> + Send + 'static,
    ) -> Result<U, Problem> {
        let (store, time) = (self.store().clone(), self.settings().query_timeout);
        let mut pace = self.pace(true);
        pace.resume().await?;
        self.work_with(pace, move || then(store.read_within(time, ask)?)).await
    }

    /// Reads a page of a list: at once if it has no more items than usual, else as [`Call::read_slowly`], so that many who ask
    /// for long pages keep nobody waiting.
    ///
    /// # Errors
    /// What `ask` reports, or why the archive cannot be read.
    pub(crate) async fn read_page<T: Send + 'static>(
        &self,
        limit: usize,
        ask: impl FnOnce(&ReadTx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        if limit <= params::DEFAULT_LIMIT { self.read(ask) } else { self.read_slowly(ask).await }
    }

    /// Changes the archive, if the token still holds when it comes to that.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&WriteTx<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Pending<T, Problem> {
        let bearer = self.bearer.clone();
        self.store().write(move |writing: &WriteTx<'_>| {
            bearer.as_ref().map_or(Ok(()), |bearer| bearer.check(writing))?;
            work(writing)
        })
    }

    /// Does work that is over soon: at once on this thread where there is a permit, so that no other need be woken for it;
    /// else as [`Call::work`].
    ///
    /// # Errors
    /// The error of `work`, or `api.busy`.
    pub(crate) async fn work_soon<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        match self.permits().try_acquire(self.client) {
            Some(_permit) => work(),
            None => self.work(work).await,
        }
    }

    /// Does costly work on another thread, when it is its turn. A route that writes has permits of its own and a thread of
    /// ordinary priority, any other works in the background.
    ///
    /// # Errors
    /// The error of `work`, or `api.busy`.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.permit().await?;
        self.work_with(permit, work).await
    }

    /// Does work on a large record, on another thread and one at a time: what is read of 16 MiB takes hundreds.
    ///
    /// # Errors
    /// The error of `work`, or `api.busy`.
    pub(crate) async fn work_on_large<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.permit_for_large().await?;
        self.work_with(permit, work).await
    }

    /// The permit to work on a large record.
    ///
    /// # Errors
    /// If too much is going on.
    pub(crate) async fn permit_for_large(&self) -> Result<Permit, Problem> {
        self.service.limits.large.acquire(self.client, Some(self.settings().query_timeout)).await
    }

    /// A response to be written on another thread.
    pub(crate) fn spool(&self) -> SpoolWriter {
        self.service.spool.writer()
    }

    /// The same for work that holds its permit already.
    ///
    /// # Errors
    /// The error of `work`.
    pub(crate) async fn work_with<T: Send + 'static>(
        &self,
        held: impl Send + 'static,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        if !self.is_background() {
            return blocking(held, work).await;
        }
        permits::in_background(move || {
            let _held = held;
            work()
        })
        .await
    }

    /// Draws in the background, when it is its turn. Clients that ask for the same picture meanwhile share it; `key` says
    /// what it shows.
    ///
    /// # Errors
    /// The error of `draw`, or `api.busy`.
    pub(crate) async fn draw(
        &self,
        key: String,
        draw: impl FnOnce() -> Result<Vec<u8>, Problem> + Send + 'static,
    ) -> Result<Bytes, Problem> {
        let drawn = async {
            let permit = self.service.limits.pictures.acquire(self.client, Some(self.settings().query_timeout)).await?;
            let drawn = permits::in_background(move || {
                let _permit = permit;
                draw()
            });
            Ok(drawn.await?.into())
        };
        self.service.drawings.run(key, drawn).await
    }

    /// A permit for costly work.
    ///
    /// # Errors
    /// If too much is going on.
    pub(crate) async fn permit(&self) -> Result<Permit, Problem> {
        self.permits().acquire(self.client, Some(self.settings().query_timeout)).await
    }

    /// The permits for the costly work of the route.
    pub(super) fn permits(&self) -> &Permits {
        let limits = &self.service.limits;
        if self.is_background() { &limits.reads } else { &limits.writes }
    }

    /// True if the costly work of the route yields to that of routes that write.
    pub(super) fn is_background(&self) -> bool {
        self.route.access.is_reading()
    }

    fn pace(&self, is_question: bool) -> Pace {
        // The token that lets a request write is looked at where it writes.
        let bearer = self.bearer.clone().filter(|_| self.route.access.is_reading());
        Pace::new(Arc::clone(&self.service), bearer, self.client, is_question)
    }

    // Answers.

    /// JSON of a value.
    pub(crate) fn json(&self, value: &impl Serialize) -> HttpResponse {
        self.json_with(HttpResponse::Ok(), value)
    }

    /// JSON of a value, in an answer that was begun.
    pub(crate) fn json_with(&self, mut answer: actix_web::HttpResponseBuilder, value: &impl Serialize) -> HttpResponse {
        let mut json = Vec::with_capacity(1024);
        // Writing to memory does not fail.
        drop(quipu_referee::report::write(value, &mut json));
        answer.content_type(HeaderValue::from_static("application/json"));
        answer.insert_header((header::CONTENT_LANGUAGE, HeaderValue::from_static(self.lang.as_str())));
        answer.body(json)
    }

    /// JSON, text or bytes of the media type that was agreed on, written on another thread.
    pub(crate) fn spooled(&self, body: Spooled) -> HttpResponse {
        HttpResponse::Ok().content_type(HeaderValue::from_static(self.media)).body(body.into_body())
    }

    /// Bytes that all clients share: they take no memory of their own.
    pub(crate) fn shared(&self, body: impl Into<Bytes>) -> HttpResponse {
        let mut answer = self.plain(body);
        answer.extensions_mut().insert(Shared);
        answer
    }

    /// Text or bytes of the media type that was agreed on.
    pub(crate) fn plain(&self, body: impl Into<Bytes>) -> HttpResponse {
        HttpResponse::Ok().content_type(HeaderValue::from_static(self.media)).body(body.into())
    }

    /// An answer that is written in the language of the reader.
    pub(crate) fn spoken(&self, mut answer: HttpResponse) -> HttpResponse {
        let lang = HeaderValue::from_static(self.lang.as_str());
        answer.headers_mut().insert(header::CONTENT_LANGUAGE, lang);
        answer
    }

    /// A page of a list, with a link to the next.
    pub(crate) fn page<T: Serialize>(&self, items: Vec<T>, next: Option<&impl Serialize>) -> HttpResponse {
        self.page_by("cursor", &Page { items, next: next.and_then(written) })
    }

    /// The address of the request.
    pub(crate) fn address(&self) -> Address {
        Address { path: self.path.clone(), query: self.query.clone() }
    }

    /// The same where lists go on by a number.
    pub(crate) fn page_since<T: Serialize>(&self, items: Vec<T>, next: Option<Number>) -> HttpResponse {
        self.page_by("since", &Page { items, next: next.map(|next| next.to_string()) })
    }

    fn page_by<T: Serialize>(&self, name: &str, page: &Page<T>) -> HttpResponse {
        let mut answer = HttpResponse::Ok();
        if let Some(next) = &page.next {
            answer.insert_header((header::LINK, format!("<{}>; rel=\"next\"", self.address().with(name, next))));
        }
        self.cached(self.json_with(answer, page))
    }

    /// An answer with a tag made of `state`, of the language and of the media type, so that who has it need not be sent
    /// it again. `state` names all that the answer depends on besides.
    pub(crate) fn tagged(&self, answer: HttpResponse, cache: Cache, state: fmt::Arguments<'_>) -> HttpResponse {
        self.with_tag(answer, cache, &self.tag(state))
    }

    /// The answer for who has the one of this state already: that it is unchanged. To be asked before costly work.
    pub(crate) fn unchanged(&self, cache: Cache, state: fmt::Arguments<'_>) -> Option<HttpResponse> {
        let tag = self.tag(state);
        let known = negotiate::known(self.request.headers(), &tag)?;
        // What remains to be done for that, `finished` does with all answers; who has the page takes on these headers.
        Some(self.with_tag(self.plain(Bytes::new()), cache, known.trim_start_matches("W/")))
    }

    fn tag(&self, state: fmt::Arguments<'_>) -> String {
        let kind = negotiate::essence(self.media).rsplit('/').next().unwrap_or_default();
        format!("\"{state}.{}.{kind}.{}\"", self.lang.as_str(), env!("CARGO_PKG_VERSION"))
    }

    /// Has an answer made ready for whoever asks the same until the archive changes: to be said of one that follows from
    /// the request and the archive, and from nothing else.
    pub(crate) fn cached(&self, mut answer: HttpResponse) -> HttpResponse {
        debug_assert!(!self.route.streams, "it is made anew each time");
        answer.extensions_mut().insert(CachePolicy::UntilChange);
        answer
    }

    fn with_tag(&self, mut answer: HttpResponse, cache: Cache, tag: &str) -> HttpResponse {
        let cached = if cache == Cache::Immutable { CachePolicy::Always } else { CachePolicy::UntilChange };
        answer.extensions_mut().insert(cached);
        if let Ok(tag) = HeaderValue::from_str(tag) {
            answer.headers_mut().insert(header::ETAG, tag);
        }
        let value = match (cache, self.settings().private) {
            (Cache::Immutable, false) => "public, max-age=31536000, immutable",
            (Cache::Immutable, true) => "private, max-age=31536000, immutable",
            (Cache::Revalidate, false) => "no-cache",
            (Cache::Revalidate, true) => "private, no-cache",
        };
        answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
        answer
    }

    /// A long answer, written by `write` on another thread as fast as the client takes it. If it fails before anything
    /// was written, the problem is the answer; after that, the answer breaks off, so that nobody takes it for whole.
    ///
    /// # Errors
    /// What `write` reports before it has written anything, or that too many long answers are under way.
    pub(crate) async fn stream(
        &self,
        write: impl FnOnce(&mut Sink) -> Result<(), stream::End> + Send + 'static,
    ) -> Answered {
        self.stream_with(stream::WAITING, true, write).await
    }

    /// The same where `write` reads a long body: it goes on reading while the client, which sends, takes nothing yet.
    ///
    /// # Errors
    /// As [`Call::stream`].
    pub(crate) async fn stream_of_body(
        &self,
        write: impl FnOnce(&mut Sink) -> Result<(), stream::End> + Send + 'static,
    ) -> Answered {
        self.stream_with(stream::WAITING_FOR_BODY, false, write).await
    }

    async fn stream_with(
        &self,
        waiting: usize,
        is_question: bool,
        write: impl FnOnce(&mut Sink) -> Result<(), stream::End> + Send + 'static,
    ) -> Answered {
        let slots = self.service.limits.stream(self.bearer.as_ref(), self.client)?;
        let mut pace = self.pace(is_question);
        pace.resume().await?;
        let service = Arc::clone(&self.service);
        let write = move |sink: &mut Sink| {
            write(sink).inspect_err(|end| {
                if let stream::End::Failed(problem) = end {
                    service.note(problem);
                }
            })
        };
        let body =
            stream::written(self.settings().longest_pause(), waiting, slots, pace, self.is_background(), write).await?;
        let mut answer = HttpResponse::Ok();
        answer.content_type(HeaderValue::from_static(self.media));
        Ok(answer.body(body))
    }

    /// JSON that was written already, with the reservation of its bytes, which lasts until they are spooled or sent.
    pub(crate) fn json_reserved(&self, room: Reservation, json: Vec<u8>) -> HttpResponse {
        HttpResponse::Ok().content_type(HeaderValue::from_static(self.media)).body(room.hold(json))
    }

    /// A stream of events, which goes on until the client goes or the service stops.
    ///
    /// # Errors
    /// If there are too many listeners.
    pub(crate) fn events(&self, events: impl Stream<Item = Bytes> + 'static) -> Answered {
        let slot = self.service.limits.listen(self.client)?;
        let mut stop = self.service.stopping();
        let stopped = async move { drop(stop.wait_for(|stopping| *stopping).await) };
        let events = events.map(move |event| {
            let _slot = &slot;
            Ok::<_, actix_web::Error>(event)
        });
        let mut answer = HttpResponse::Ok();
        answer.content_type(HeaderValue::from_static(self.media));
        answer.insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")));
        // A proxy that gathers the answer before it passes it on would hold the events back.
        answer.insert_header(("X-Accel-Buffering", "no"));
        Ok(answer.streaming(Box::pin(events.take_until(Box::pin(stopped) as Pin<Box<dyn Future<Output = ()>>>))))
    }

    /// Tells of commits: it changes whenever something was written.
    pub(crate) fn commits(&self) -> tokio::sync::watch::Receiver<u64> {
        self.service.commits()
    }
}

/// The address of a request, from which those of the next pages of a list are made.
pub(crate) struct Address {
    path: String,
    query: String,
}

impl Address {
    /// The next page of a list, which begins after the cursor.
    pub(crate) fn next_page(&self, cursor: &impl Serialize) -> Option<String> {
        written(cursor).map(|cursor| self.with("cursor", &cursor))
    }

    /// The same address with another value of one parameter.
    fn with(&self, name: &str, value: &str) -> String {
        let mut query = params::without(&self.query, name);
        query.push(format!("{name}={}", params::encoded(value)));
        format!("{}?{}", self.path, query.join("&"))
    }
}

/// Does work on a thread that may block, holding something meanwhile.
async fn blocking<T: Send + 'static>(
    held: impl Send + 'static,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = web::block(move || {
        let _held = held;
        work()
    });
    done.await.unwrap_or_else(|_| Err(Problem::new(problem::INTERNAL)))
}

/// A cursor as it stands in an address.
fn written(cursor: &impl Serialize) -> Option<String> {
    serde_json::to_vec(cursor).ok().map(|json| URL_SAFE_NO_PAD.encode(json))
}

/// What speaks against the members of an object that should be of a type, by their names.
fn members<T: JsonSchema>(body: &[u8]) -> Option<Problem> {
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

pub(super) fn late(settings: &Settings) -> Problem {
    Problem::new(problem::TIMEOUT).with("seconds", settings.request_timeout.as_secs())
}

pub(super) fn too_large(max: usize) -> Problem {
    Problem::variant(problem::TOO_LARGE, "body").with("max", max)
}
