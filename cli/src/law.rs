//! Where a code stands: in an article, in a ruling of this project, in its record format.

use quipu_referee::{Code, code::Source};

use crate::context::Context;

/// In a few words.
pub(crate) fn source(context: Context, code: &Code) -> String {
    match code.source {
        Source::Article(article) => context.fill("law.article", &[("article", &article)]),
        Source::Follows(article) => context.fill("law.follows", &[("article", &article)]),
        Source::Ruling(ruling) => context.fill("law.ruling", &[("ruling", &ruling)]),
        Source::Format => context.say("law.format").to_owned(),
    }
}

/// With what has to be known of it.
pub(crate) fn source_at_length(context: Context, code: &Code) -> String {
    let source = source(context, code);
    match code.source {
        Source::Article(_) => source,
        Source::Follows(_) | Source::Ruling(_) | Source::Format => context.fill("law.ours", &[("source", &source)]),
    }
}
