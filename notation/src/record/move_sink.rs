//! The consumers of moves: one grammar passes each move on as soon as it is read.
//!
//! [`Movetext`] keeps all of them, for tools and for verdicts that explain. The referee's judge plays each and keeps none.

use std::borrow::Cow;

use super::{Movetext, Notes, Ply, ReadError, Spanned};
use crate::Span;

/// A ply as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenPly<'a> {
    /// The move token.
    pub token: &'a str,
    /// Span of the token.
    pub span: Span,
    /// The move number before it. Of several, the first wrong one, else the last.
    pub number: Option<Spanned<u64>>,
    /// True if number and token are written as in canonical text: the right number before the first of two plies and none
    /// before the second, with one space between them.
    pub is_plain: bool,
}

/// Takes the moves of a record, or of a variation, one after the other.
pub trait MoveSink<'a> {
    /// The reason to stop reading: a fault of the text, or one of the consumer.
    type Stop: From<ReadError>;

    /// Takes the next ply.
    ///
    /// # Errors
    /// The reason to read no further.
    fn ply(&mut self, ply: WrittenPly<'a>) -> Result<(), Self::Stop>;

    /// Takes the clock of the last ply. Of several, the last counts.
    fn clock(&mut self, clock: Spanned<u64>);

    /// The number of plies taken.
    fn count(&self) -> usize;

    /// Takes a comment before the first ply.
    fn comment(&mut self, text: Cow<'a, str>);

    /// The notes of the last ply, for a consumer that keeps them.
    fn notes(&mut self) -> Option<&mut Notes<'a>>;
}

impl<'a> MoveSink<'a> for Movetext<'a> {
    type Stop = ReadError;

    fn ply(&mut self, WrittenPly { token, span, number, .. }: WrittenPly<'a>) -> Result<(), ReadError> {
        self.plies.push(Ply { token: Cow::Borrowed(token), span, number, clock: None, notes: None });
        Ok(())
    }

    fn clock(&mut self, clock: Spanned<u64>) {
        if let Some(ply) = self.plies.last_mut() {
            ply.clock = Some(clock);
        }
    }

    fn count(&self) -> usize {
        self.plies.len()
    }

    fn comment(&mut self, text: Cow<'a, str>) {
        self.comments.push(text);
    }

    fn notes(&mut self) -> Option<&mut Notes<'a>> {
        Some(self.plies.last_mut()?.notes.get_or_insert_default())
    }
}

/// Counts the plies of a variation that is checked and dropped.
#[derive(Debug, Default)]
pub(super) struct DroppedMoves(usize);

impl<'a> MoveSink<'a> for DroppedMoves {
    type Stop = ReadError;

    fn ply(&mut self, _: WrittenPly<'a>) -> Result<(), ReadError> {
        self.0 += 1;
        Ok(())
    }

    fn clock(&mut self, _: Spanned<u64>) {}

    fn count(&self) -> usize {
        self.0
    }

    fn comment(&mut self, _: Cow<'a, str>) {}

    fn notes(&mut self) -> Option<&mut Notes<'a>> {
        None
    }
}
