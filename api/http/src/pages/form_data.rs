//! The fields and files of a form that a browser sent.

use std::convert::Infallible;

use actix_web::{http::header, web::Bytes};
use futures_util::{FutureExt, stream};
use multer::Multipart;

use crate::{
    params,
    problem::{self, Problem},
    request::RequestContext,
};

/// Media type of forms without files.
pub(super) const URLENCODED: &str = "application/x-www-form-urlencoded";
/// Media type of forms with files.
pub(super) const MULTIPART: &str = "multipart/form-data";

/// Parts of a form. Each takes far more memory than its bytes in the body.
const MAX_PARTS: usize = 16_384;

/// A field, or a file.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) value: Bytes,
}

impl Part {
    pub(super) fn is_file(&self) -> bool {
        self.file.is_some()
    }
}

/// The media type of a body, with the boundary of a multipart form.
pub(super) struct FormData {
    media: String,
    boundary: Option<String>,
}

impl FormData {
    pub(super) fn of(context: &RequestContext) -> Self {
        let headers = context.request.headers();
        let media = headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
        Self::new(context.body_media.clone(), media)
    }

    /// `header` is the media type with its parameters.
    pub(super) fn new(media: String, header: &str) -> Self {
        Self { media, boundary: multer::parse_boundary(header).ok() }
    }

    /// Bytes that parsing takes in addition to the body.
    pub(super) fn copies(&self, body: &Bytes) -> usize {
        if [URLENCODED, MULTIPART].contains(&&*self.media) { body.len() } else { 0 }
    }

    /// The parts of the form; none if the body is no form.
    ///
    /// # Errors
    /// `api.body` if the form is malformed.
    pub(super) fn parts(self, body: &Bytes) -> Result<Option<Vec<Part>>, Problem> {
        let found = match &*self.media {
            URLENCODED => urlencoded(body),
            MULTIPART => self.boundary.and_then(|boundary| multipart(body.clone(), boundary)),
            _ => return Ok(None),
        };
        found.map(Some).ok_or_else(|| Problem::variant(problem::BODY, "form"))
    }
}

/// None if the form is malformed or has too many fields.
fn urlencoded(body: &[u8]) -> Option<Vec<Part>> {
    if body.split(|byte| *byte == b'&').count() > MAX_PARTS {
        return None;
    }
    let pairs = body.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty());
    let part = |pair: &[u8]| {
        let mut parts = pair.splitn(2, |&byte| byte == b'=');
        let name = params::decoded_bytes(parts.next().unwrap_or_default())?;
        let value = params::decoded_bytes(parts.next().unwrap_or_default())?.into();
        // No field of a form has another name.
        Some(Part { name: String::from_utf8(name).unwrap_or_default(), file: None, value })
    };
    pairs.map(part).collect()
}

/// Parses a form with files (RFC 7578). None if it is malformed or has too many parts.
fn multipart(body: Bytes, boundary: String) -> Option<Vec<Part>> {
    let parsed = async {
        let mut form = Multipart::new(stream::iter([Ok::<_, Infallible>(body)]), boundary);
        let mut parts = Vec::new();
        while let Some(field) = form.next_field().await? {
            if parts.len() == MAX_PARTS {
                return Ok(None);
            }
            let name = field.name().unwrap_or_default().to_owned();
            let file = field.file_name().map(str::to_owned);
            parts.push(Part { name, file, value: field.bytes().await? });
        }
        Ok::<_, multer::Error>(Some(parts))
    };
    // The parser never waits, because the body is complete.
    parsed.now_or_never()?.ok()?
}

/// A text as it was typed: browsers send each line break as two characters.
pub(super) fn typed(text: &[u8]) -> Bytes {
    let mut text = text.to_vec();
    let mut kept = 0;
    for at in 0..text.len() {
        if text[at] != b'\r' || text.get(at + 1) != Some(&b'\n') {
            text[kept] = text[at];
            kept += 1;
        }
    }
    text.truncate(kept);
    text.into()
}
