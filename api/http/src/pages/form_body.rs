//! What a form hands in: the file that was chosen in it, or the text that was written into it.

use actix_web::{http::header, web::Bytes};
use memchr::memmem;

use crate::{
    params,
    problem::{self, Problem},
    request::RequestContext,
};

/// Media type of forms without files.
pub(crate) const URLENCODED: &str = "application/x-www-form-urlencoded";
/// Media type of forms with files.
pub(crate) const MULTIPART: &str = "multipart/form-data";

/// The fields that are read: a file counts for more than a text.
const FIELDS: [&str; 2] = ["file", "text"];

/// A body as it came, and how to read it.
pub(super) struct Form {
    media: String,
    boundary: Option<String>,
}

impl Form {
    pub(super) fn of(context: &RequestContext) -> Self {
        let headers = context.request.headers();
        let media = headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
        Self { media: context.body_media.clone(), boundary: boundary(media) }
    }

    /// How many bytes are needed beside the body to take what is handed in out of it.
    pub(super) fn copies(&self, body: &Bytes) -> usize {
        if self.media == URLENCODED { body.len() } else { 0 }
    }

    /// What is handed in: the body itself, where it is no form.
    ///
    /// # Errors
    /// If it is not written as a form is.
    pub(super) fn content(&self, body: Bytes) -> Result<Bytes, Problem> {
        let found = match &*self.media {
            URLENCODED => urlencoded(&body),
            MULTIPART => self.boundary.as_ref().and_then(|boundary| multipart(&body, boundary)),
            _ => Some(body),
        };
        found.ok_or_else(|| Problem::variant(problem::BODY, "form"))
    }
}

/// What separates the parts of a form with files.
fn boundary(media: &str) -> Option<String> {
    let mut params = media.split(';').skip(1).filter_map(|param| param.split_once('='));
    let (_, value) = params.find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"))?;
    let value = value.trim().trim_matches('"');
    (1..=70).contains(&value.len()).then(|| value.to_owned())
}

/// What was found so far: the first field that is not blank, of those that count most.
struct Chosen<V>(Option<(usize, V)>);

impl<V: AsRef<[u8]>> Chosen<V> {
    fn look_at(&mut self, rank: usize, value: V) {
        if !value.as_ref().trim_ascii().is_empty() && self.0.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.0 = Some((rank, value));
        }
    }

    /// It, or nothing if all are blank.
    fn value(self) -> Option<V> {
        self.0.map(|(_, value)| value)
    }
}

fn rank(name: impl AsRef<[u8]>) -> Option<usize> {
    FIELDS.iter().position(|field| field.as_bytes() == name.as_ref())
}

fn urlencoded(body: &[u8]) -> Option<Bytes> {
    let pairs = body.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty());
    let mut chosen = Chosen(None);
    for pair in pairs {
        let mut parts = pair.splitn(2, |&byte| byte == b'=');
        let name = params::decoded_bytes(parts.next().unwrap_or_default())?;
        if let Some(rank) = rank(&name) {
            chosen.look_at(rank, params::decoded_bytes(parts.next().unwrap_or_default())?);
        }
    }
    Some(chosen.value().map(Bytes::from).unwrap_or_default())
}

/// The parts of RFC 7578, as browsers write them.
fn multipart(body: &Bytes, boundary: &str) -> Option<Bytes> {
    let first = format!("--{boundary}");
    let between = format!("\r\n--{boundary}");
    let mut rest = body.strip_prefix(first.as_bytes())?;
    let mut chosen = Chosen(None);
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let end = memmem::find(part, between.as_bytes())?;
        let (part, behind) = part.split_at(end);
        let head = memmem::find(part, b"\r\n\r\n")?;
        if let Some(rank) = std::str::from_utf8(&part[..head]).ok().and_then(name).and_then(rank) {
            chosen.look_at(rank, &part[head + 4..]);
        }
        rest = &behind[between.len()..];
    }
    let value = rest.starts_with(b"--").then(|| chosen.value().unwrap_or_default())?;
    // A part of the same memory.
    Some(body.slice_ref(value))
}

/// The name of the field that the head of a part speaks of.
fn name(head: &str) -> Option<&str> {
    let line = head.split("\r\n").find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"))?;
    let mut params = line.split(';').skip(1).filter_map(|param| param.trim().split_once('='));
    let (_, value) = params.find(|(name, _)| name.eq_ignore_ascii_case("name"))?;
    Some(value.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=----WebKit7";

    #[track_caller]
    fn check(media: &str, body: &str, expected: Option<&str>) {
        let form = Form { media: media.split(';').next().expect("a type").to_owned(), boundary: boundary(media) };
        let found = form.content(Bytes::copy_from_slice(body.as_bytes())).ok();
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{body:?}");
    }

    #[test]
    fn forms_without_files() {
        check(URLENCODED, "text=a+b%0D%0A%C3%B1&lang=es", Some("a b\r\nñ"));
        check(URLENCODED, "lang=es&text=", Some(""));
        check(URLENCODED, "", Some(""));
        check(URLENCODED, "text=%", None);
        check(URLENCODED, "text=a&file=b", Some("b"));
        check(URLENCODED, "text=a&file=+", Some("a"));
        check("text/plain", "text=a", Some("text=a"));
    }

    #[test]
    fn forms_with_files() {
        let part = |head: &str, value: &str| {
            format!("------WebKit7\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n")
        };
        let whole = |parts: &[String]| parts.concat() + "------WebKit7--\r\n";
        let text = part("name=\"text\"", "a\r\n\r\nb");
        let file = part("name=\"file\"; filename=\"a;b.quipu\"\r\nContent-Type: text/plain", "c");
        let none = part("name=\"file\"; filename=\"\"\r\nContent-Type: application/octet-stream", "");
        check(TYPE, &whole(&[text.clone(), file]), Some("c"));
        check(TYPE, &whole(&[text.clone(), none.clone()]), Some("a\r\n\r\nb"));
        check(TYPE, &whole(&[none]), Some(""));
        check(TYPE, &whole(&[]), Some(""));
        check(TYPE, &whole(&[part("name=other", "x")]), Some(""));
        check(TYPE, &text, None);
        check(TYPE, "", None);
        check(TYPE, "------WebKit7\r\nno head\r\n------WebKit7--", None);
        check(MULTIPART, &whole(std::slice::from_ref(&text)), None);
        check("multipart/form-data; Boundary=\"----WebKit7\"", &whole(&[text]), Some("a\r\n\r\nb"));
    }
}
