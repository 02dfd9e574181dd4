//! Responses to a request: JSON, bytes, pages of lists, streams and events, with entity tags and cache headers.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    body::{BoxBody, MessageBody},
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
    web::Bytes,
};
use futures_util::{Stream, StreamExt};
use quipu_archive::{model::Number, store::cursor_text};
use quipu_referee::{Lang, report::hex};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    budget::Reservation,
    negotiate,
    paging::List,
    problem::HandlerResult,
    request::RequestContext,
    route::Route,
    spool::{Shared, Spooled},
    stream::{self, Sink},
};

/// An entity tag of a state, in a language and a media type.
fn tag(state: fmt::Arguments<'_>, lang: Lang, media: &str) -> String {
    let kind = negotiate::essence(media).rsplit('/').next().unwrap_or_default();
    format!("\"{state}.{}.{kind}.{}\"", lang.as_str(), env!("CARGO_PKG_VERSION"))
}

/// Adds an entity tag made of the bytes of a response, if its handler has added none though its route has tags: lists, for
/// example, depend on too much for a state of their own.
pub(super) fn tagged(response: HttpResponse, route: Option<&Route>, lang: Lang) -> HttpResponse {
    let lacks = route.is_some_and(Route::has_tag) && response.status() == StatusCode::OK;
    if !lacks || response.headers().contains_key(header::ETAG) {
        return response;
    }
    let (mut response, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Ok(bytes) => {
            let media = response.headers().get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok());
            let state = hex(&Sha256::digest(&bytes)[..16]);
            if let Ok(tag) = HeaderValue::from_str(&tag(format_args!("{state}"), lang, media.unwrap_or_default())) {
                response.headers_mut().insert(header::ETAG, tag);
            }
            BoxBody::new(bytes)
        }
        Err(body) => body,
    };
    response.set_body(body)
}

/// Lifetime of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CachePolicy {
    /// For ever: the resource at this address never changes. Clients may keep it for a year.
    Immutable,
    /// Until the archive changes. Clients revalidate it by its entity tag.
    UntilChange,
}

impl RequestContext {
    pub(crate) fn json(&self, value: &impl Serialize) -> HttpResponse {
        self.json_with(HttpResponse::Ok(), value)
    }

    /// JSON of a value, in a response with other status or headers.
    pub(crate) fn json_with(&self, mut response: HttpResponseBuilder, value: &impl Serialize) -> HttpResponse {
        let mut json = Vec::with_capacity(1024);
        // Writing to memory does not fail.
        drop(quipu_referee::report::write(value, &mut json));
        response.content_type(HeaderValue::from_static("application/json"));
        response.insert_header((header::CONTENT_LANGUAGE, HeaderValue::from_static(self.lang.as_str())));
        response.body(json)
    }

    /// JSON that is written already, with the reservation of its memory, which lasts until it is spooled or sent.
    pub(crate) fn json_reserved(&self, reservation: Reservation, json: Vec<u8>) -> HttpResponse {
        HttpResponse::Ok().content_type(HeaderValue::from_static(self.media)).body(reservation.hold(json))
    }

    /// Text or bytes of the negotiated media type.
    pub(crate) fn bytes(&self, body: impl Into<Bytes>) -> HttpResponse {
        HttpResponse::Ok().content_type(HeaderValue::from_static(self.media)).body(body.into())
    }

    /// Bytes that all clients share, so that they count against no memory budget.
    pub(crate) fn shared_bytes(&self, body: impl Into<Bytes>) -> HttpResponse {
        let mut response = self.bytes(body);
        response.extensions_mut().insert(Shared);
        response
    }

    /// A spooled body of the negotiated media type.
    pub(crate) fn spooled(&self, body: Spooled) -> HttpResponse {
        HttpResponse::Ok().content_type(HeaderValue::from_static(self.media)).body(body.into_body())
    }

    /// Adds the header `Content-Language`.
    pub(crate) fn with_language(&self, mut response: HttpResponse) -> HttpResponse {
        let lang = HeaderValue::from_static(self.lang.as_str());
        response.headers_mut().insert(header::CONTENT_LANGUAGE, lang);
        response
    }

    /// A page of a list, with a `Link` to the next one.
    pub(crate) fn page<T: Serialize>(&self, items: Vec<T>, next: Option<&impl Serialize>) -> HttpResponse {
        let list = List { items, next: next.and_then(cursor_text) };
        self.linked_page("cursor", list.next.as_deref(), &list)
    }

    /// A page of a list whose pages start after a number.
    pub(crate) fn page_since<T: Serialize>(&self, items: Vec<T>, next: Option<Number>) -> HttpResponse {
        let list = List { items, next: next.map(|next| next.to_string()) };
        self.linked_page("since", list.next.as_deref(), &list)
    }

    /// A page of a list as JSON, with a `Link` to the page that the parameter `name` starts at `next`.
    pub(crate) fn linked_page(&self, name: &str, next: Option<&str>, page: &impl Serialize) -> HttpResponse {
        let mut response = HttpResponse::Ok();
        if let Some(next) = next {
            response.insert_header((header::LINK, format!("<{}>; rel=\"next\"", self.own_address().with(name, next))));
        }
        self.cacheable(self.json_with(response, page))
    }

    /// Lets the response cache keep a response until the archive changes. The response must follow from the request and
    /// the archive alone.
    pub(crate) fn cacheable(&self, mut response: HttpResponse) -> HttpResponse {
        debug_assert!(!self.route.streams, "streams are never cached");
        response.extensions_mut().insert(CachePolicy::UntilChange);
        response
    }

    /// Adds an entity tag made of `state`, the language and the media type, and the cache headers of the policy. `state`
    /// covers everything else that the response depends on.
    pub(crate) fn with_etag(
        &self,
        response: HttpResponse,
        policy: CachePolicy,
        state: fmt::Arguments<'_>,
    ) -> HttpResponse {
        self.with_tag(response, policy, &self.tag(state))
    }

    /// The response to a client that has this state already, for [`finalize`](super::pipeline) to turn into 304. Handlers
    /// check this before expensive work.
    pub(crate) fn not_modified(&self, policy: CachePolicy, state: fmt::Arguments<'_>) -> Option<HttpResponse> {
        let tag = self.tag(state);
        let known = negotiate::known(self.request.headers(), &tag)?;
        Some(self.with_tag(self.bytes(Bytes::new()), policy, known.trim_start_matches("W/")))
    }

    fn tag(&self, state: fmt::Arguments<'_>) -> String {
        tag(state, self.lang, self.media)
    }

    fn with_tag(&self, mut response: HttpResponse, policy: CachePolicy, tag: &str) -> HttpResponse {
        response.extensions_mut().insert(policy);
        if let Ok(tag) = HeaderValue::from_str(tag) {
            response.headers_mut().insert(header::ETAG, tag);
        }
        let value = match (policy, self.settings().private) {
            (CachePolicy::Immutable, false) => "public, max-age=31536000, immutable",
            (CachePolicy::Immutable, true) => "private, max-age=31536000, immutable",
            (CachePolicy::UntilChange, false) => "no-cache",
            (CachePolicy::UntilChange, true) => "private, no-cache",
        };
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
        response
    }

    /// A streamed response, written by `write` on another thread as fast as the client reads. If `write` fails before it
    /// has written anything, the problem is the response; later, the stream breaks off, so that no client takes it for
    /// complete.
    ///
    /// # Errors
    /// An early error of `write`, or `api.busy` if there are too many streams.
    pub(crate) async fn stream(
        &self,
        write: impl FnOnce(&mut Sink) -> Result<(), stream::End> + Send + 'static,
    ) -> HandlerResult {
        self.stream_with(stream::WAITING, true, write).await
    }

    /// As [`RequestContext::stream`], for a `write` that reads the body as it arrives: it goes on reading while the client
    /// sends and reads nothing yet.
    ///
    /// # Errors
    /// As [`RequestContext::stream`].
    pub(crate) async fn stream_of_body(
        &self,
        write: impl FnOnce(&mut Sink) -> Result<(), stream::End> + Send + 'static,
    ) -> HandlerResult {
        self.stream_with(stream::WAITING_FOR_BODY, false, write).await
    }

    async fn stream_with(
        &self,
        waiting: usize,
        is_query: bool,
        write: impl FnOnce(&mut Sink) -> Result<(), stream::End> + Send + 'static,
    ) -> HandlerResult {
        let slots = self.service.limits.stream(self.bearer.as_ref(), self.client)?;
        let mut pace = self.pace(is_query);
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
        let mut response = HttpResponse::Ok();
        response.content_type(HeaderValue::from_static(self.media));
        Ok(response.body(body))
    }

    /// A stream of server-sent events, until the client disconnects or the service stops.
    ///
    /// # Errors
    /// `api.busy` if there are too many listeners.
    pub(crate) fn events(&self, events: impl Stream<Item = Bytes> + 'static) -> HandlerResult {
        let slot = self.service.limits.listen(self.client)?;
        let mut stop = self.service.stopping();
        let stopped = async move { drop(stop.wait_for(|stopping| *stopping).await) };
        let events = events.map(move |event| {
            let _slot = &slot;
            Ok::<_, actix_web::Error>(event)
        });
        let mut response = HttpResponse::Ok();
        response.content_type(HeaderValue::from_static(self.media));
        response.insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")));
        // Without it, a proxy that buffers responses would delay the events.
        response.insert_header(("X-Accel-Buffering", "no"));
        Ok(response.streaming(Box::pin(events.take_until(Box::pin(stopped) as Pin<Box<dyn Future<Output = ()>>>))))
    }
}
