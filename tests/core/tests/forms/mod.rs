//! Records in other forms than quipu's own text: what is read as what, what is refused and where, and that nothing is
//! lost between the forms.
//!
//! A case is a text and one line for each record found in it. How a stream is cut into pieces is left to
//! `streaming.rs`, what holds of any bytes to `properties.rs`.

mod across;
mod csv;
mod json;
mod typed;

use quipu_notation::record::Format;
use quipu_tests_core::{
    debug_format::{fault_line, record_line},
    each_chunk,
};

/// The text is found to be of this form and holds these records.
#[track_caller]
fn check(form: Format, text: impl AsRef<[u8]>, expected: &[&str]) {
    let text = text.as_ref();
    let mut found = Vec::new();
    each_chunk(text, |chunk| {
        assert_eq!(chunk.format(), form);
        for record in chunk.records() {
            found.push(match record {
                Ok(record) => {
                    let at = |span: quipu_notation::Span| &chunk.text()[span.range()];
                    assert_eq!(at(record.span).trim_ascii(), at(record.span));
                    record_line(&record)
                }
                Err(error) => fault_line(&error, chunk),
            });
        }
    });
    assert_eq!(found, expected, "in {:?}", String::from_utf8_lossy(&text[..text.len().min(400)]));
}
