//! Bodies on their way. That of a request is held until the answer has been sent: what of it nobody read then ends the
//! connection, while one that was let go would be read to an end that may never come. That of an answer is let go when
//! the client takes nothing of it.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    dev::{Decompress, Payload},
    error::PayloadError,
    http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap},
    rt,
    web::Bytes,
};
use futures_util::Stream;

use super::limits::Room;

/// Bytes a second that a body comes with at the least. Who sends one byte now and then would else hold for hours what
/// others wait for.
const SLOWEST: u64 = 16 * 1024;
/// Bytes of an answer that are handed on at once. An answer that is not larger is let go as soon as it is written.
const CHUNK: usize = 64 * 1024;

/// The body of a request, shared by who reads it and who answers.
#[derive(Clone)]
pub(super) struct Body(Rc<Unread>);

struct Unread {
    payload: RefCell<Option<Decompress<Payload>>>,
    declared: Option<usize>,
    /// How long it was waited for.
    waited: Cell<Duration>,
}

impl Body {
    pub(super) fn new(payload: Payload, headers: &HeaderMap) -> Self {
        let there = !matches!(payload, Payload::None);
        let payload = there.then(|| Decompress::from_headers(payload, headers));
        let length = headers.get(CONTENT_LENGTH).filter(|_| !headers.contains_key(CONTENT_ENCODING));
        let declared = length.and_then(|length| length.to_str().ok()?.parse().ok());
        Self(Rc::new(Unread { payload: RefCell::new(payload), declared, waited: Cell::default() }))
    }

    /// How many bytes it is said to come to, if it comes unpacked.
    pub(super) fn declared(&self) -> Option<usize> {
        self.0.declared
    }

    /// The next of its bytes, unpacked, after `so_far` others; nothing at its end.
    ///
    /// # Errors
    /// If it breaks off, or does not come within `patience`. In all it may be waited for as much longer as its bytes
    /// take at the slowest rate.
    pub(super) async fn next(&self, so_far: usize, patience: Duration) -> Result<Option<Bytes>, NotWhole> {
        let may_take = patience + Duration::from_secs(so_far as u64 / SLOWEST);
        let begun = Instant::now();
        let next = rt::time::timeout(patience.min(may_take.saturating_sub(self.0.waited.get())), self.poll()).await;
        self.0.waited.set(self.0.waited.get() + begun.elapsed());
        match next {
            Err(_) => Err(NotWhole::Late),
            Ok(None) => Ok(None),
            Ok(Some(Ok(chunk))) => Ok(Some(chunk)),
            Ok(Some(Err(_))) => Err(NotWhole::Broken),
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

    /// The body of an answer, which holds this one as long as it is sent.
    pub(super) fn held_by(self, answer: BoxBody) -> BoxBody {
        let whole = self.0.payload.borrow().is_none();
        if whole { answer } else { BoxBody::new(Holding { answer, _held: self }) }
    }
}

/// Why a body has no end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotWhole {
    Late,
    Broken,
}

/// An answer that holds something as long as it is sent.
struct Holding<H> {
    answer: BoxBody,
    _held: H,
}

impl<H: Unpin + 'static> MessageBody for Holding<H> {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.answer.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.answer).poll_next(context)
    }
}

/// An answer that takes room as long as it is sent.
pub(super) fn taking(room: Room, answer: impl Into<Bytes>) -> BoxBody {
    BoxBody::new(Holding { answer: BoxBody::new(answer.into()), _held: room })
}

/// The same answer, let go if the client takes nothing of it for so long.
pub(super) fn patient(answer: BoxBody, patience: Duration) -> BoxBody {
    let size = answer.size();
    if matches!(size, BodySize::None) || matches!(size, BodySize::Sized(bytes) if bytes <= CHUNK as u64) {
        return answer;
    }
    let left = Rc::new(RefCell::new(Some(Left { answer, chunk: Bytes::new(), taken: None })));
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
    BoxBody::new(Patient { size, left })
}

struct Patient {
    size: BodySize,
    left: Rc<RefCell<Option<Left>>>,
}

/// What of an answer is still to be sent.
struct Left {
    answer: BoxBody,
    /// What was made of it and not handed on yet.
    chunk: Bytes,
    /// When the client was last given something, if it has not asked for more since.
    taken: Option<Instant>,
}

impl MessageBody for Patient {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let mut left = self.left.borrow_mut();
        let Some(left) = &mut *left else { return Poll::Ready(Some(Err("the client took nothing".into()))) };
        left.taken = None;
        if left.chunk.is_empty() {
            match Pin::new(&mut left.answer).poll_next(context) {
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
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(200);

    async fn next(body: &mut BoxBody) -> Option<Result<usize, String>> {
        let next = poll_fn(|context| Pin::new(&mut *body).poll_next(context)).await;
        next.map(|next| next.map(|chunk| chunk.len()).map_err(|error| error.to_string()))
    }

    #[actix_web::test]
    async fn an_answer_is_handed_on_in_chunks() {
        let whole = Bytes::from(vec![1; 2 * CHUNK + 5]);
        let mut body = patient(BoxBody::new(whole.clone()), PATIENCE);
        assert_eq!(body.size(), BodySize::Sized(whole.len() as u64));
        for length in [CHUNK, CHUNK, 5] {
            assert_eq!(next(&mut body).await, Some(Ok(length)));
        }
        assert_eq!(next(&mut body).await, None);
        assert!(patient(BoxBody::new(vec![1; CHUNK]), PATIENCE).try_into_bytes().is_ok(), "a small one stays as it is");
    }

    #[actix_web::test]
    async fn who_takes_nothing_is_given_no_more_and_what_was_held_is_let_go() {
        let held = Rc::new(());
        let answer = Holding { answer: BoxBody::new(vec![1; 10 * CHUNK]), _held: Rc::clone(&held) };
        let mut body = patient(BoxBody::new(answer), PATIENCE);
        for _ in 0..4 {
            assert_eq!(next(&mut body).await, Some(Ok(CHUNK)));
            rt::time::sleep(PATIENCE / 2).await;
        }
        rt::time::sleep(PATIENCE * 2).await;
        assert_eq!(Rc::strong_count(&held), 1);
        assert!(matches!(next(&mut body).await, Some(Err(_))));
    }

    #[actix_web::test]
    async fn who_waits_for_us_is_not_late() {
        let slow = futures_util::stream::once(async {
            rt::time::sleep(PATIENCE * 3).await;
            Ok::<_, actix_web::Error>(Bytes::from_static(b"done"))
        });
        let mut body = patient(BoxBody::new(actix_web::body::BodyStream::new(Box::pin(slow))), PATIENCE);
        assert_eq!(next(&mut body).await, Some(Ok(4)));
    }
}
