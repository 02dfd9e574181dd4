//! Content negotiation: media type, language, coding, and entity tags.

use actix_web::http::header::{self, HeaderMap};
use quipu_referee::Lang;

/// The alternatives of a header such as `Accept`, each with its quality in thousandths.
fn choices(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = (&str, u16)> {
    let values = headers.get_all(name).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(|choice| {
        let mut parts = choice.split(';').map(str::trim);
        let what = parts.next().filter(|what| !what.is_empty())?;
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        Some((what, quality.map_or(1000, thousandths)))
    })
}

/// A quality value of RFC 9110 in thousandths. A malformed one counts as 0.
fn thousandths(text: &str) -> u16 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 3 || !part.bytes().all(|digit| digit.is_ascii_digit()) {
        return 0;
    }
    let part = format!("{part:0<3}").parse().unwrap_or(0);
    match whole {
        "0" => part,
        "1" if part == 0 => 1000,
        _ => 0,
    }
}

/// The offered media type of the highest quality; the first one if several are equal. Without an `Accept` header, or
/// with an empty one, the first offer.
pub(super) fn media<'o>(headers: &HeaderMap, offers: impl Iterator<Item = &'o str> + Clone) -> Option<&'o str> {
    if headers.get_all(header::ACCEPT).all(|accept| accept.as_bytes().trim_ascii().is_empty()) {
        return offers.clone().next();
    }
    let mut best = None;
    for offer in offers {
        let kind = essence(offer);
        let (main, _) = kind.split_once('/').unwrap_or((kind, ""));
        // The most specific matching range decides the quality.
        let fits = |range: &str| {
            let range = range.trim();
            if range.eq_ignore_ascii_case(kind) {
                Some(2)
            } else if range.strip_suffix("/*").is_some_and(|range| range.eq_ignore_ascii_case(main)) {
                Some(1)
            } else {
                (range == "*/*" || range == "*").then_some(0)
            }
        };
        let fitting = choices(headers, header::ACCEPT).filter_map(|(range, q)| Some((fits(range)?, q)));
        let quality = fitting.max().map_or(0, |(_, q)| q);
        if quality > best.map_or(0, |(_, best)| best) {
            best = Some((offer, quality));
        }
    }
    best.map(|(offer, _)| offer)
}

/// True if the client prefers HTML to data, as browsers do for addresses that a person opens.
pub(super) fn prefers_pages(headers: &HeaderMap) -> bool {
    let page = "text/html";
    headers.contains_key(header::ACCEPT)
        && media(headers, ["application/problem+json", "application/json", page].into_iter()) == Some(page)
}

/// A media type without its parameters.
pub(super) fn essence(media: &str) -> &str {
    media.split_once(';').map_or(media, |(kind, _)| kind).trim()
}

/// The language of the highest quality; Spanish by default.
pub(super) fn language(headers: &HeaderMap) -> Lang {
    let mut best = (Lang::default(), 0);
    for (tag, quality) in choices(headers, header::ACCEPT_LANGUAGE) {
        if let Some(lang) = Lang::parse(tag).filter(|_| quality > best.1) {
            best = (lang, quality);
        }
    }
    best.0
}

/// True if the client accepts gzip.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let mut any = false;
    for (coding, quality) in choices(headers, header::ACCEPT_ENCODING) {
        if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
            return quality > 0;
        }
        any |= coding == "*" && quality > 0;
    }
    any
}

/// Suffix of a strong tag, inside its quotes, for the compressed response: its bytes differ.
pub(super) const GZIP: &str = "-gzip";

/// True if `If-None-Match` names the tag of an existing response, or is `*`.
pub(super) fn is_unchanged(headers: &HeaderMap, tag: &str) -> bool {
    known(headers, tag).is_some() || named(headers).any(|one| one == "*")
}

fn named(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// The tag in `If-None-Match` that matches this one, given with its quotes. The comparison is weak, and the tag of the
/// compressed response matches that of the plain one: both are of one state. `*` does not match here, because the
/// existence of a response is unknown before it is made.
pub(super) fn known<'h>(headers: &'h HeaderMap, tag: &str) -> Option<&'h str> {
    let own = bare(tag)?;
    named(headers).find(|one| bare(one) == Some(own))
}

/// A tag without its quotes and the mark of the compressed response.
fn bare(tag: &str) -> Option<&str> {
    let tag = tag.trim().trim_start_matches("W/");
    let tag = tag.strip_prefix('"')?.strip_suffix('"')?;
    Some(tag.strip_suffix(GZIP).unwrap_or(tag))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

    use super::*;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if !value.is_empty() {
            headers.insert(name, HeaderValue::from_str(value).expect("a header"));
        }
        headers
    }

    #[track_caller]
    fn accepts(value: &str, expected: Option<&str>) {
        let offers = ["application/json", "text/plain; charset=utf-8", "text/csv; charset=utf-8"];
        assert_eq!(media(&headers(header::ACCEPT, value), offers.into_iter()), expected, "{value}");
    }

    #[test]
    fn media_types() {
        let [json, text, csv] = ["application/json", "text/plain; charset=utf-8", "text/csv; charset=utf-8"].map(Some);
        accepts("", json);
        accepts("*/*", json);
        accepts("text/*", text);
        accepts("text/csv", csv);
        accepts("TEXT/CSV", csv);
        accepts("text/csv;q=0.5, text/plain;q=0.6", text);
        accepts("text/*;q=0.9, text/plain;q=0.1", csv);
        accepts("application/json;q=0, */*;q=0.001", text);
        accepts("image/png, */*;q=0.1", json);
        accepts("image/png", None);
        accepts("*/*;q=0", None);
        accepts("text/csv;q=7", None);
    }

    #[test]
    fn only_browsers_prefer_pages() {
        let prefers = |value| prefers_pages(&headers(header::ACCEPT, value));
        assert!(prefers("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(prefers("text/html"));
        for value in ["", "*/*", "application/json", "text/html;q=0.5, */*;q=0.8", "text/html, application/json"] {
            assert!(!prefers(value), "{value}");
        }
    }

    #[track_caller]
    fn speaks(value: &str, expected: Lang) {
        assert_eq!(language(&headers(header::ACCEPT_LANGUAGE, value)), expected, "{value}");
    }

    #[test]
    fn languages() {
        speaks("", Lang::Es);
        speaks("en", Lang::En);
        speaks("en-GB, es;q=0.9", Lang::En);
        speaks("en;q=0.5, es-PE;q=0.6", Lang::Es);
        speaks("qu, fr", Lang::Es);
        speaks("qu, en;q=0.1", Lang::En);
        speaks("en;q=0", Lang::Es);
    }

    #[track_caller]
    fn unchanged(value: &str, expected: bool) {
        assert_eq!(is_unchanged(&headers(header::IF_NONE_MATCH, value), "\"a-1\""), expected, "{value}");
    }

    #[test]
    fn tags() {
        unchanged("", false);
        unchanged("\"a-1\"", true);
        unchanged("W/\"a-1\"", true);
        unchanged("\"b\", \"a-1\"", true);
        unchanged("*", true);
        unchanged("\"a-1-gzip\"", true);
        unchanged("a-1", false);
        unchanged("\"a-2\"", false);
    }

    #[track_caller]
    fn gzip(value: &str, expected: bool) {
        assert_eq!(takes_gzip(&headers(header::ACCEPT_ENCODING, value)), expected, "{value}");
    }

    #[test]
    fn codings() {
        gzip("", false);
        gzip("gzip", true);
        gzip("br, gzip;q=0.1", true);
        gzip("gzip;q=0, *", false);
        gzip("*", true);
        gzip("br", false);
    }
}
