//! The source of a code: the author's article, or a ruling that is marked as not the author's.

use quipu_referee::{Code, code::Source, messages::catalog};

use crate::context::Context;

/// The source, in a few words.
pub(crate) fn source(context: Context, code: &Code) -> String {
    catalog().source(code, context.lang)
}

/// The source with its origin in full.
pub(crate) fn source_at_length(context: Context, code: &Code) -> String {
    let source = source(context, code);
    match code.source {
        Source::Article(_) => source,
        Source::Follows(_) | Source::Ruling(_) | Source::Format => context.fill("law.ours", &[("source", &source)]),
    }
}
