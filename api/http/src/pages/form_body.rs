//! The content of a submitted form: the chosen file, or else the text.

use std::convert::Infallible;

use actix_web::{http::header, web::Bytes};
use futures_util::{FutureExt, stream};
use multer::Multipart;
use quipu_notation::record::Encoding;

use crate::{
    params,
    problem::{self, Problem},
    request::RequestContext,
};

/// Media type of forms without files.
pub(crate) const URLENCODED: &str = "application/x-www-form-urlencoded";
/// Media type of forms with files.
pub(crate) const MULTIPART: &str = "multipart/form-data";

/// Path of the page that takes forms.
pub(super) const ACTION: &str = "/check";
/// The fields that are read. A file takes precedence over a text, and both over a chosen reading.
const FIELDS: [&str; 3] = ["file", "text", READING];
/// The field with a record whose reading is chosen, or with sheets to be merged.
pub(super) const READING: &str = "reading";
/// The field that says what is taken into the text box: the number of a reading, from 1, or [`MERGED`].
pub(super) const TAKE: &str = "take";
pub(super) const MERGED: &str = "merged";
/// The field, which may be repeated, with a ply and the token that is chosen there. Without a token nothing is chosen.
pub(super) const CHOICE: &str = "choice";
/// The field with the name of the person who chose.
pub(super) const PERSON: &str = "by";
/// The field that names the encoding of a file. A text arrives in UTF-8.
const ENCODING: &str = "encoding";
/// Bytes of the name of an encoding.
const ENCODING_LENGTH: usize = 64;
/// Bytes of a choice: a number and the longest token.
const CHOICE_LENGTH: usize = 100;
/// Choices of plies.
const MOST_CHOICES: usize = 64;
/// Bytes of the name of a person.
const PERSON_LENGTH: usize = 400;

/// The content of a form.
pub(super) struct FormContent {
    pub(super) records: Bytes,
    /// The encoding of a file, if the form names one.
    pub(super) encoding: Option<Encoding>,
    /// The choice, if the records are those of [`READING`].
    pub(super) choice: Option<FormChoice>,
}

/// The choice of a reading, or of the moves of a merged game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FormChoice {
    /// The reading that is taken into the text box, if one is.
    pub(super) taken: Option<TakenReading>,
    /// Plies of the merged game, from 1, with the tokens chosen there.
    pub(super) plies: Vec<(u64, String)>,
    /// The name of the person who chose.
    pub(super) person: Option<String>,
}

/// A reading that is taken into the text box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenReading {
    /// Of a record, counted from 0.
    Reading(usize),
    /// The merged game.
    Merged,
}

impl FormChoice {
    /// Notes a field. A later choice for a ply replaces an earlier one.
    fn note(&mut self, name: &[u8], value: &[u8]) {
        let Some(value) = str::from_utf8(value).ok().map(str::trim).filter(|value| value.len() <= PERSON_LENGTH) else {
            return;
        };
        if name == TAKE.as_bytes() {
            let number = value.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let is_merged = value == MERGED;
            self.taken = number.map(TakenReading::Reading).or_else(|| is_merged.then_some(TakenReading::Merged));
        } else if name == PERSON.as_bytes() && !value.is_empty() {
            self.person = Some(value.to_owned());
        } else if name == CHOICE.as_bytes() && value.len() <= CHOICE_LENGTH {
            let (ply, token) = value.split_once(' ').unwrap_or((value, ""));
            let Ok(ply) = ply.parse() else { return };
            self.plies.retain(|(known, _)| *known != ply);
            if !token.is_empty() && self.plies.len() < MOST_CHOICES {
                self.plies.push((ply, token.to_owned()));
            }
        }
    }
}

/// The media type of a body, with the boundary of a multipart form.
pub(super) struct Form {
    media: String,
    boundary: Option<String>,
}

impl Form {
    pub(super) fn of(context: &RequestContext) -> Self {
        let headers = context.request.headers();
        let media = headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
        Self { media: context.body_media.clone(), boundary: multer::parse_boundary(media).ok() }
    }

    /// Bytes that parsing takes in addition to the body.
    pub(super) fn copies(&self, body: &Bytes) -> usize {
        if [URLENCODED, MULTIPART].contains(&&*self.media) { body.len() } else { 0 }
    }

    /// The content of the form; the body itself if it is not a form.
    ///
    /// # Errors
    /// `api.body` if the form is malformed.
    pub(super) fn content(self, body: Bytes) -> Result<FormContent, Problem> {
        let found = match &*self.media {
            URLENCODED => urlencoded(&body),
            MULTIPART => self.boundary.and_then(|boundary| multipart(body, boundary)),
            _ => Some(FormContent { records: body, encoding: None, choice: None }),
        };
        found.ok_or_else(|| Problem::variant(problem::BODY, "form"))
    }
}

/// The first field so far that is not blank, among those of the highest precedence.
struct Chosen<V>(Option<(usize, V)>);

impl<V: AsRef<[u8]>> Chosen<V> {
    fn look_at(&mut self, rank: usize, value: V) {
        if !value.as_ref().trim_ascii().is_empty() && self.0.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.0 = Some((rank, value));
        }
    }

    /// The chosen field; none if all are blank.
    fn value(self) -> Option<V> {
        self.0.map(|(_, value)| value)
    }

    /// True if the chosen field is that of a name.
    fn is(&self, field: &str) -> bool {
        self.0.as_ref().is_some_and(|(rank, _)| FIELDS[*rank] == field)
    }
}

fn rank(name: impl AsRef<[u8]>) -> Option<usize> {
    FIELDS.iter().position(|field| field.as_bytes() == name.as_ref())
}

fn urlencoded(body: &[u8]) -> Option<FormContent> {
    let pairs = body.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty());
    let (mut chosen, mut choice) = (Chosen(None), FormChoice::default());
    for pair in pairs {
        let mut parts = pair.splitn(2, |&byte| byte == b'=');
        let name = params::decoded_bytes(parts.next().unwrap_or_default())?;
        let value = parts.next().unwrap_or_default();
        if let Some(rank) = rank(&name) {
            chosen.look_at(rank, params::decoded_bytes(value)?);
        } else if [TAKE, CHOICE, PERSON].iter().any(|field| field.as_bytes() == &*name) {
            choice.note(&name, &params::decoded_bytes(value)?);
        }
    }
    let choice = Some(choice).filter(|_| chosen.is(READING));
    let records = chosen.value().map(Bytes::from).unwrap_or_default();
    Some(FormContent { records, encoding: None, choice })
}

/// Parses a form with files (RFC 7578).
fn multipart(body: Bytes, boundary: String) -> Option<FormContent> {
    let parsed = async {
        let mut form = Multipart::new(stream::iter([Ok::<_, Infallible>(body)]), boundary);
        let mut chosen = Chosen(None);
        let mut encoding = None;
        while let Some(field) = form.next_field().await? {
            if field.name() == Some(ENCODING) {
                let name = field.bytes().await?;
                let name = str::from_utf8(&name).ok().filter(|name| name.len() <= ENCODING_LENGTH);
                encoding = name.and_then(Encoding::find);
            } else if let Some(rank) = field.name().and_then(rank) {
                chosen.look_at(rank, field.bytes().await?);
            }
        }
        // The forms with choices are not multipart.
        let (encoding, choice) = (encoding.filter(|_| chosen.is("file")), None);
        Ok::<_, multer::Error>(FormContent { records: chosen.value().unwrap_or_default(), encoding, choice })
    };
    // The parser never waits, because the body is complete.
    parsed.now_or_never()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=----WebKit7";

    #[track_caller]
    fn check(media: &str, body: &str, expected: Option<&str>) {
        let form = Form {
            media: media.split(';').next().expect("a type").to_owned(),
            boundary: multer::parse_boundary(media).ok(),
        };
        let found = form.content(Bytes::copy_from_slice(body.as_bytes())).ok();
        assert_eq!(found.map(|found| found.records).as_deref(), expected.map(str::as_bytes), "{body:?}");
    }

    #[test]
    fn forms_without_files() {
        check(URLENCODED, "text=a+b%0D%0A%C3%B1&lang=es", Some("a b\r\nñ"));
        check(URLENCODED, "lang=es&text=", Some(""));
        check(URLENCODED, "", Some(""));
        check(URLENCODED, "text=%", None);
        check(URLENCODED, "text=a&file=b", Some("b"));
        check(URLENCODED, "text=a&file=+", Some("a"));
        check(URLENCODED, "reading=a&text=b", Some("b"));
        check(URLENCODED, "reading=a", Some("a"));
        check("text/plain", "text=a", Some("text=a"));
    }

    #[test]
    fn choices() {
        let choice = |fields: &str| {
            let form = Form { media: URLENCODED.to_owned(), boundary: None };
            let body = Bytes::copy_from_slice(format!("reading=a{fields}").as_bytes());
            form.content(body).ok().and_then(|found| found.choice)
        };
        let of = |taken, plies: &[(u64, &str)], person: Option<&str>| {
            let plies = plies.iter().map(|(ply, token)| (*ply, (*token).to_owned())).collect();
            Some(FormChoice { taken, plies, person: person.map(str::to_owned) })
        };
        assert_eq!(choice(""), of(None, &[], None));
        assert_eq!(choice("&take=2&by=Ana+L%C3%B3pez"), of(Some(TakenReading::Reading(1)), &[], Some("Ana López")));
        assert_eq!(choice("&take=merged&by=+"), of(Some(TakenReading::Merged), &[], None));
        assert_eq!(choice("&take=0&take=x"), of(None, &[], None));
        let plies = "&choice=3+0b0&choice=5+0D0C&choice=3+0a1&choice=5+&choice=x+0a1&choice=7";
        assert_eq!(choice(plies), of(None, &[(3, "0a1")], None));
        assert_eq!(choice(&format!("&choice=1+{}", "0".repeat(CHOICE_LENGTH))), of(None, &[], None));
        let many: String = (1..200).map(|ply| format!("&choice={ply}+0a1")).collect();
        assert_eq!(choice(&many).map(|choice| choice.plies.len()), Some(MOST_CHOICES));
        assert_eq!(choice("&text=b&take=1"), None, "a text comes first");
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
