//! Where a code stands, with what has to be known of it: what is not the author's is never shown as if it were.

use quipu_referee::{Code, code::Source, words::catalog};

use crate::context::Context;

/// In a few words.
pub(crate) fn source(context: Context, code: &Code) -> String {
    catalog().source(code, context.lang)
}

/// With what has to be known of it.
pub(crate) fn source_at_length(context: Context, code: &Code) -> String {
    let source = source(context, code);
    match code.source {
        Source::Article(_) => source,
        Source::Follows(_) | Source::Ruling(_) | Source::Format => context.fill("law.ours", &[("source", &source)]),
    }
}
