//! Tag pairs of a record, each name once.

use std::{borrow::Cow, collections::HashMap};

use super::{Limit, ReadError, ReadErrorKind, SyntaxFault, Tag, limits};
use crate::Span;

/// Finds a name that appears twice: by looking at all while they are few, with a map when they are many.
#[derive(Default)]
pub(super) struct Names<'a> {
    spans: Vec<Span>,
    map: HashMap<Cow<'a, str>, Span>,
}

impl<'a> Names<'a> {
    /// So many names are compared one by one.
    const FEW: usize = 24;

    /// Adds a tag whose name stands at `name`.
    pub(super) fn add(&mut self, tags: &mut Vec<Tag<'a>>, tag: Tag<'a>, name: Span) -> Result<(), ReadError> {
        let first = if tags.len() < Self::FEW {
            tags.iter().position(|other| other.name == tag.name).map(|index| self.spans[index])
        } else {
            if self.map.is_empty() {
                self.map = tags.iter().map(|tag| tag.name.clone()).zip(self.spans.iter().copied()).collect();
            }
            self.map.insert(tag.name.clone(), name)
        };
        if let Some(first) = first {
            return Err(ReadError { kind: ReadErrorKind::Tag { first }, span: name });
        }
        self.spans.push(name);
        tags.push(tag);
        Ok(())
    }
}

/// Checks that the text form could hold a tag that was read from another.
pub(super) fn check(tag: &Tag<'_>, name: Span) -> Result<(), ReadError> {
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
