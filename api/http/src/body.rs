//! Bodies in transit. The body of a request is kept until the response has been sent: an unread rest then closes the
//! connection, while a dropped body would be read to an end that may never come. The body of a response is dropped when
//! the client stops reading it.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    dev::{Decompress, Payload},
    error::PayloadError,
    http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue},
    rt,
    web::Bytes,
};
use futures_util::Stream;

/// Minimum rate of a body in bytes per second. A client that sends one byte now and then would otherwise occupy memory
/// and connections for hours.
const MIN_RATE: u64 = 16 * 1024;
/// Bytes of a compressed body that are decompressed at once: few, because they can expand a thousandfold.
const DECOMPRESSED_AT_ONCE: usize = 256;
/// Ratio of decompressed to received bytes up to which a client has the full timeout. Beyond it, a few bytes would
/// reserve the memory of very many.
const MAX_RATIO: u64 = 64;
/// Upper bound of the compressed size of a body. A worse compression ratio is only produced by padding, so such bodies
/// are rejected.
fn max_compressed(bytes: usize) -> u64 {
    let bytes = bytes as u64;
    bytes + bytes / 512 + 4096
}

/// Bytes of a response that is written at once, without an idle timeout.
const SMALL: usize = 64 * 1024;
/// Bytes of a larger response that are written at once: few, so that even a slow client visibly reads some.
pub(super) const CHUNK: usize = 16 * 1024;

/// The body of a request, shared by the handler and the pipeline.
#[derive(Clone)]
pub(super) struct Body(Rc<Unread>);

struct Unread {
    payload: RefCell<Option<Decompress<RawBody>>>,
    is_compressed: bool,
    declared: Option<usize>,
    /// Bytes received, before decompression.
    received: Rc<Cell<u64>>,
    /// Delay behind the minimum rate. Fast bytes make up for an earlier delay, never for a later one.
    behind: Cell<Duration>,
}

/// A body as received, cut into pieces for the decompressor.
struct RawBody {
    payload: Payload,
    /// Received bytes not yet passed on, and how many are passed on at once.
    rest: Bytes,
    at_once: usize,
    received: Rc<Cell<u64>>,
    most: u64,
}

impl Stream for RawBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.payload).poll_next(context)) {
                Some(Ok(chunk)) => self.rest = chunk,
                other => return Poll::Ready(other),
            }
            self.received.set(self.received.get() + self.rest.len() as u64);
            if self.received.get() > self.most {
                return Poll::Ready(Some(Err(PayloadError::Overflow)));
            }
        }
        let length = self.rest.len().min(self.at_once);
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }
}

impl Body {
    /// The body of a request with these headers. `max` is the largest decompressed size.
    pub(super) fn new(payload: Payload, headers: &HeaderMap, max: usize) -> Self {
        let there = !matches!(payload, Payload::None);
        let coding = headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes);
        let is_compressed = coding.is_some_and(|coding| !coding.eq_ignore_ascii_case(b"identity"));
        let at_once = if is_compressed { DECOMPRESSED_AT_ONCE } else { usize::MAX };
        let received = Rc::new(Cell::new(0));
        let most = if is_compressed { max_compressed(max) } else { u64::MAX };
        let raw = RawBody { payload, rest: Bytes::new(), at_once, received: Rc::clone(&received), most };
        let payload = RefCell::new(there.then(|| Decompress::from_headers(raw, headers)));
        let length = headers.get(CONTENT_LENGTH).filter(|_| !is_compressed);
        let declared = length.and_then(|length| length.to_str().ok()?.parse().ok());
        Self(Rc::new(Unread { payload, is_compressed, declared, received, behind: Cell::default() }))
    }

    /// The declared length, if the body is not compressed.
    pub(super) fn declared(&self) -> Option<usize> {
        self.0.declared
    }

    /// True if the body is compressed.
    pub(super) fn is_compressed(&self) -> bool {
        self.0.is_compressed
    }

    /// The next decompressed bytes, after `so_far` others; none at the end.
    ///
    /// # Errors
    /// If the body breaks off, or is `patience` behind the minimum rate; less, if it is much larger than received.
    pub(super) async fn next(&self, so_far: usize, patience: Duration) -> Result<Option<Bytes>, BodyError> {
        let Unread { received, behind, is_compressed, .. } = &*self.0;
        let before = received.get();
        let patience = shortened(patience, before, so_far as u64);
        let begun = Instant::now();
        let next = rt::time::timeout(patience.saturating_sub(behind.get()), self.poll()).await;
        let in_time = Duration::from_micros((received.get() - before) * 1_000_000 / MIN_RATE);
        behind.set((behind.get() + begun.elapsed()).saturating_sub(in_time));
        if *is_compressed {
            // Decompression ran on this worker thread; others get their turn now.
            rt::task::yield_now().await;
        }
        match next {
            Err(_) => Err(BodyError::Late),
            Ok(None) => Ok(None),
            Ok(Some(Ok(chunk))) => Ok(Some(chunk)),
            Ok(Some(Err(PayloadError::Overflow))) => Err(BodyError::Padded),
            Ok(Some(Err(_))) => Err(BodyError::Broken),
        }
    }

    fn poll(&self) -> impl Future<Output = Option<Result<Bytes, PayloadError>>> {
        poll_fn(|context| {
            let mut body = self.0.payload.borrow_mut();
            let Some(payload) = &mut *body else { return Poll::Ready(None) };
            let next = Pin::new(payload).poll_next(context);
            if matches!(next, Poll::Ready(None)) {
                *body = None;
            }
            next
        })
    }

    /// The body of a response, which keeps this request body while it is sent.
    pub(super) fn hold(self, response: BoxBody) -> BoxBody {
        let whole = self.0.payload.borrow().is_none();
        if whole { response } else { BoxBody::new(Holding { response, _held: self }) }
    }
}

/// The timeout of a client that has sent `received` bytes, which expanded to `decompressed`.
fn shortened(patience: Duration, received: u64, decompressed: u64) -> Duration {
    let fair = MAX_RATIO * received;
    if decompressed <= fair {
        return patience;
    }
    let millis = patience.as_millis() * u128::from(fair) / u128::from(decompressed);
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

/// The reason that a body is incomplete.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    Late,
    Broken,
    /// The compressed body is larger than its content can justify.
    Padded,
}

/// A response body that keeps another value while it is sent.
struct Holding<H> {
    response: BoxBody,
    _held: H,
}

impl<H: Unpin + 'static> MessageBody for Holding<H> {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.response.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.response).poll_next(context)
    }
}

/// The same response body, dropped if the client reads nothing for the duration `patience`.
pub(super) fn with_idle_timeout(response: BoxBody, patience: Duration) -> BoxBody {
    let size = response.size();
    if matches!(size, BodySize::None) || matches!(size, BodySize::Sized(bytes) if bytes <= SMALL as u64) {
        return response;
    }
    let left = Rc::new(RefCell::new(Some(Rest { response, chunk: Bytes::new(), taken: None })));
    let watched = Rc::downgrade(&left);
    rt::spawn(async move {
        let mut wait = patience;
        loop {
            rt::time::sleep(wait).await;
            let Some(left) = watched.upgrade() else { return };
            let taken = left.borrow().as_ref().and_then(|left| left.taken).map_or(Duration::ZERO, |at| at.elapsed());
            if taken >= patience {
                *left.borrow_mut() = None;
                return;
            }
            wait = patience.saturating_sub(taken);
        }
    });
    BoxBody::new(IdleTimeout { size, left })
}

struct IdleTimeout {
    size: BodySize,
    left: Rc<RefCell<Option<Rest>>>,
}

/// The rest of a response body.
struct Rest {
    response: BoxBody,
    /// Bytes taken from the body and not yet passed on.
    chunk: Bytes,
    /// Time of the last write, if the client has not asked for more since.
    taken: Option<Instant>,
}

impl MessageBody for IdleTimeout {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let mut left = self.left.borrow_mut();
        let Some(left) = &mut *left else { return Poll::Ready(Some(Err("the client took nothing".into()))) };
        left.taken = None;
        if left.chunk.is_empty() {
            match Pin::new(&mut left.response).poll_next(context) {
                Poll::Ready(Some(Ok(chunk))) => left.chunk = chunk,
                other => return other,
            }
        }
        left.taken = Some(Instant::now());
        let length = left.chunk.len().min(CHUNK);
        Poll::Ready(Some(Ok(left.chunk.split_to(length))))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};
    use futures_util::StreamExt;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(200);

    async fn next(body: &mut BoxBody) -> Option<Result<usize, String>> {
        let next = poll_fn(|context| Pin::new(&mut *body).poll_next(context)).await;
        next.map(|next| next.map(|chunk| chunk.len()).map_err(|error| error.to_string()))
    }

    /// A compressed body that arrives in these pieces, each after a pause.
    fn compressed(pieces: Vec<Vec<u8>>, pause: Duration) -> Body {
        let pieces = futures_util::stream::iter(pieces).then(move |piece| async move {
            rt::time::sleep(pause).await;
            Ok(Bytes::from(piece))
        });
        let coding = (CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        Body::new(Payload::Stream { payload: Box::pin(pieces) }, &HeaderMap::from_iter([coding]), 64 << 20)
    }

    fn blank(bytes: usize) -> Vec<u8> {
        let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
        compressed.write_all(&vec![b' '; bytes]).expect("memory does not fail");
        compressed.flush().expect("memory does not fail");
        compressed.finish().expect("memory does not fail")
    }

    #[actix_web::test]
    async fn decompression_goes_in_small_steps() {
        let whole = blank(32 << 20);
        let body = compressed(vec![whole], Duration::ZERO);
        let (mut length, mut most) = (0, 0);
        while let Some(chunk) = body.next(length, PATIENCE).await.expect("it is whole") {
            length += chunk.len();
            most = most.max(chunk.len());
        }
        assert_eq!(length, 32 << 20);
        assert!(most < 300 * 1024, "{most}");
    }

    #[actix_web::test]
    async fn a_compressed_body_is_waited_for_by_what_came_of_it() {
        // Far from the bounds on either side, so that a busy machine does not matter.
        const PATIENCE: Duration = Duration::from_secs(2);
        let late = |bytes: usize, pause: Duration| async move {
            let mut begin = blank(bytes);
            let end = begin.split_off(begin.len() - 8);
            let body = compressed(vec![begin, end], pause);
            let mut length = 0;
            loop {
                match body.next(length, PATIENCE).await {
                    Ok(Some(chunk)) => length += chunk.len(),
                    other => return other.is_err(),
                }
            }
        };
        assert!(!late(500, PATIENCE / 20).await, "small as it is, it is waited for");
        assert!(late(4 << 20, PATIENCE / 2).await, "so much for so little is not");
    }

    #[actix_web::test]
    async fn a_fast_start_buys_no_time_later() {
        let pieces = [vec![vec![b' '; 1 << 20]], vec![vec![b' ']; 100]].concat();
        let slow = futures_util::stream::iter(pieces).then(|piece| async move {
            rt::time::sleep(PATIENCE / 4).await;
            Ok(Bytes::from(piece))
        });
        let body = Body::new(Payload::Stream { payload: Box::pin(slow) }, &HeaderMap::new(), 64 << 20);
        let mut length = 0;
        let end = loop {
            match body.next(length, PATIENCE).await {
                Ok(Some(chunk)) => length += chunk.len(),
                other => break other,
            }
        };
        assert_eq!(end, Err(BodyError::Late));
        assert!(length < (1 << 20) + 10, "{length}");
    }

    #[actix_web::test]
    async fn an_answer_is_handed_on_in_chunks() {
        let whole = Bytes::from(vec![1; SMALL + 5]);
        let mut body = with_idle_timeout(BoxBody::new(whole.clone()), PATIENCE);
        assert_eq!(body.size(), BodySize::Sized(whole.len() as u64));
        for length in [CHUNK, CHUNK, CHUNK, CHUNK, 5] {
            assert_eq!(next(&mut body).await, Some(Ok(length)));
        }
        assert_eq!(next(&mut body).await, None);
        assert!(
            with_idle_timeout(BoxBody::new(vec![1; SMALL]), PATIENCE).try_into_bytes().is_ok(),
            "a small one stays as it is"
        );
    }

    #[actix_web::test]
    async fn a_client_that_does_not_read_is_cut_off_and_its_reservation_freed() {
        let held = Rc::new(());
        let response = Holding { response: BoxBody::new(vec![1; 10 * CHUNK]), _held: Rc::clone(&held) };
        let mut body = with_idle_timeout(BoxBody::new(response), PATIENCE);
        for _ in 0..4 {
            assert_eq!(next(&mut body).await, Some(Ok(CHUNK)));
            rt::time::sleep(PATIENCE / 2).await;
        }
        rt::time::sleep(PATIENCE * 2).await;
        assert_eq!(Rc::strong_count(&held), 1);
        assert!(matches!(next(&mut body).await, Some(Err(_))));
    }

    #[actix_web::test]
    async fn a_client_that_waits_for_the_service_is_not_late() {
        let slow = futures_util::stream::once(async {
            rt::time::sleep(PATIENCE * 3).await;
            Ok::<_, actix_web::Error>(Bytes::from_static(b"done"))
        });
        let mut body = with_idle_timeout(BoxBody::new(actix_web::body::BodyStream::new(Box::pin(slow))), PATIENCE);
        assert_eq!(next(&mut body).await, Some(Ok(4)));
    }
}
