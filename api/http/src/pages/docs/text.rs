//! Texts of the catalogue as HTML.

use maud::{Markup, html};

/// A text of the catalogue in paragraphs.
pub(super) fn paragraphs(text: &str) -> Markup {
    html! { @for paragraph in text.split("\n\n") { p { (marked(paragraph)) } } }
}

/// A text of the catalogue, with its words in backticks as code.
pub(super) fn marked(text: &str) -> Markup {
    html! {
        @for (place, part) in text.split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
