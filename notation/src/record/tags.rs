//! Tag pairs of a record, each name once.

use std::{borrow::Cow, collections::HashMap};

use super::{Limit, ReadError, ReadErrorKind, SyntaxFault, Tag, limits};
use crate::Span;

/// The default rule set.
pub const BASE_RULES: &str = "base";

/// The most names that are compared one by one.
const FEW: usize = 24;

/// Finds a name that appears twice: by comparing all while they are few, with a map when they are many.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// Of the first ones.
    spans: [Span; FEW],
    /// A bit for each [`mark`] that was seen: a name without its bit is new, and is compared with no other.
    seen: u64,
    map: Option<HashMap<Cow<'a, str>, Span>>,
}

/// One of 64 bits, by the length of a name and two of its bytes.
fn mark(name: &str) -> u64 {
    let byte = |at: usize| name.as_bytes().get(at).copied().map_or(0, usize::from);
    1 << ((name.len() * 31 + byte(0) * 7 + byte(name.len() / 2)) % 64)
}

impl<'a> Names<'a> {
    /// Adds a tag; `name` is the span of its name.
    pub(super) fn add(&mut self, tags: &mut Vec<Tag<'a>>, tag: Tag<'a>, name: Span) -> Result<(), ReadError> {
        let mark = mark(&tag.name);
        let first = if tags.len() >= FEW {
            let known = || tags.iter().map(|tag| tag.name.clone()).zip(self.spans).collect();
            self.map.get_or_insert_with(known).insert(tag.name.clone(), name)
        } else if self.seen & mark == 0 {
            None
        } else {
            tags.iter().position(|other| other.name == tag.name).map(|index| self.spans[index])
        };
        if let Some(first) = first {
            return Err(ReadError { kind: ReadErrorKind::Tag { first }, span: name });
        }
        if tags.is_empty() {
            // Few records have more tags than this, and growing step by step costs more than the memory.
            tags.reserve(16);
        }
        self.seen |= mark;
        if let Some(span) = self.spans.get_mut(tags.len()) {
            *span = name;
        }
        tags.push(tag);
        Ok(())
    }
}

/// Checks that the text format can express a tag of another format.
pub(crate) fn check(tag: &Tag<'_>, name: Span) -> Result<(), ReadError> {
    if !Tag::is_name(&tag.name) {
        return Err(ReadError::syntax(SyntaxFault::Name, name));
    }
    if tag.value.len() > limits::VALUE {
        return Err(ReadError::limit(Limit::Value, tag.span));
    }
    if tag.value.contains(['\n', '\r']) {
        return Err(ReadError::syntax(SyntaxFault::ValueBreak, tag.span));
    }
    Ok(())
}
