//! Gzip compression of response bodies.

use std::{
    io::{self, Write},
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    web::Bytes,
};
use flate2::{Compression, write::GzEncoder};
use tokio::sync::OwnedSemaphorePermit;

use super::spool::IN_MEMORY;

/// Smallest body worth compressing, in bytes.
const WORTH: u64 = 1024;

/// True if responses of a media type and size are compressed. Event streams are not: each event must leave at once.
pub(super) fn is_compressible(media: &str, size: BodySize) -> bool {
    let kind = media.strip_prefix("text/").or_else(|| media.strip_prefix("application/")).unwrap_or_default();
    let text = media.starts_with("text/") || kind.contains("json") || media.ends_with("+xml");
    let worth = match size {
        BodySize::None => false,
        BodySize::Sized(size) => size >= WORTH,
        BodySize::Stream => true,
    };
    text && worth && !kind.starts_with("event-stream")
}

/// True if a body is compressed while it is sent: the compressor then takes some 256 KiB until the client has read
/// everything.
pub(super) fn needs_compressor(size: BodySize) -> bool {
    !matches!(size, BodySize::Sized(bytes) if bytes <= IN_MEMORY as u64)
}

pub(super) fn compressed(body: BoxBody, compressor: Option<OwnedSemaphorePermit>) -> BoxBody {
    match body.try_into_bytes() {
        Ok(bytes) => {
            let mut encoder = encoder(bytes.len() / 4);
            let written = encoder.write_all(&bytes).and_then(|()| encoder.finish());
            // Writing to memory does not fail.
            BoxBody::new(written.unwrap_or_default())
        }
        Err(body) => BoxBody::new(Gzip { body, encoder: Some(encoder(0)), waiting: false, _compressor: compressor }),
    }
}

fn encoder(capacity: usize) -> GzEncoder<Vec<u8>> {
    GzEncoder::new(Vec::with_capacity(capacity), Compression::fast())
}

/// A compressed stream. It is flushed whenever the source has no more bytes for now.
struct Gzip {
    body: BoxBody,
    encoder: Option<GzEncoder<Vec<u8>>>,
    waiting: bool,
    _compressor: Option<OwnedSemaphorePermit>,
}

impl MessageBody for Gzip {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        loop {
            let Some(encoder) = &mut this.encoder else { return Poll::Ready(None) };
            let written: io::Result<()> = match Pin::new(&mut this.body).poll_next(context) {
                Poll::Ready(Some(Ok(chunk))) => {
                    this.waiting = true;
                    encoder.write_all(&chunk)
                }
                Poll::Ready(Some(Err(error))) => {
                    this.encoder = None;
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => {
                    let rest = this.encoder.take().map_or_else(|| Ok(Vec::new()), GzEncoder::finish);
                    return Poll::Ready(Some(rest.map(Bytes::from).map_err(Into::into)));
                }
                Poll::Pending if this.waiting => {
                    this.waiting = false;
                    encoder.flush()
                }
                Poll::Pending => return Poll::Pending,
            };
            if let Err(error) = written {
                this.encoder = None;
                return Poll::Ready(Some(Err(error.into())));
            }
            let out = std::mem::take(encoder.get_mut());
            if !out.is_empty() {
                return Poll::Ready(Some(Ok(out.into())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(media: &str, size: BodySize, expected: bool) {
        assert_eq!(is_compressible(media, size), expected, "{media} {size:?}");
    }

    #[test]
    fn long_texts_are_compressed() {
        check("application/json", BodySize::Sized(WORTH), true);
        check("application/json", BodySize::Sized(WORTH - 1), false);
        check("application/problem+json", BodySize::Sized(WORTH), true);
        check("application/x-ndjson", BodySize::Stream, true);
        check("text/csv; charset=utf-8", BodySize::Stream, true);
        check("text/event-stream", BodySize::Stream, false);
        check("application/octet-stream", BodySize::Stream, false);
        check("image/png", BodySize::Stream, false);
        check("image/svg+xml", BodySize::Sized(WORTH), true);
    }
}
